/* Tables of whole models as they ran: what serving engines and llama-bench were measured at. */
#include <math.h>
#include <string.h>

#include "import/_table.h"

/** A run in the rows of a table, which its first line gives away. Texts are columns, else meant as they stand. */
typedef struct layout {
  const char *header;
  const char *where; /**< as rf_table_is */
  const char *why;   /**< rows like these are left out, for this reason; NULL: they are taken */
  const char *model, *device;
  const char *
      settings; /**< "batch=batch_size*2": expressions as rf_table_evaluate; left out where there is no number */
  const char *dtype;
  const char *weights, *experts; /**< formats; NULL: as the model stores them */
  bool scripted;                 /**< as `scripts` say what its columns do not */
  const char *how, *version;
  const char *requests;                          /**< expression of how many were sent; NULL: not said */
  const char *bandwidth;                         /**< GB/s of the device's memory; NULL: not said */
  const char *seconds[ROOF_SERVED_FIGURE_COUNT]; /**< expressions; NULL: not timed */
} layout;

#define SERVING                                                                                              \
  .header = "id,silicon_data_source,backend,backend_version,model_path,system,precision,mode,isl,osl,"       \
            "gemm_quant_mode,moe_quant_mode,batch_size,tp_size,pp_size,attention_dp_size,moe_tp_size,"       \
            "moe_ep_size,prefill_batch_size,prefill_num_workers,prefill_tp_size,prefill_pp_size,"            \
            "prefill_attention_dp_size,prefill_moe_tp_size,prefill_moe_ep_size,decode_batch_size,"           \
            "decode_num_workers,decode_tp_size,decode_pp_size,decode_attention_dp_size,decode_moe_tp_size,"  \
            "decode_moe_ep_size,silicon_ttft_ms,silicon_tpot_ms"
#define R1 "model_path=deepseek-ai/DeepSeek-R1"
#define V3 "model_path=deepseek-ai/DeepSeek-V3"
#define GPT_OSS "model_path=openai/gpt-oss-120b"
#define MINIMAX "model_path=MiniMaxAI/MiniMax-M2.5"
#define SERVING_AS(sequences, ...)                                                                           \
  SERVING_RUN(sequences, "tp_size", "attention_dp_size", "moe_ep_size", __VA_ARGS__)
#define SERVING_RUN(sequences, tp, dp, ep, ...)                                                              \
  SERVING,                                                                                                   \
      .model = "model_path", .device = "system",                                                             \
      .settings = "batch=" sequences " prompt=isl generate=osl tp=" tp " pp=pp_size dp=" dp " ep=" ep,       \
      .how = "backend", .version = "backend_version", .requests = "10*" sequences, .scripted = true,         \
      .seconds = {[ROOF_SERVED_TTFT] = "silicon_ttft_ms/1000", [ROOF_SERVED_TPOT] = "silicon_tpot_ms/1000"}, \
      __VA_ARGS__
#define LEFT_OUT(condition, reason)                                                                          \
  { SERVING, .where = condition, .why = reason }
#define TWICE                                                                                                \
  "its plan has more devices than a node: tensor and expert parallelism of the same devices multiplied"
#define DRAFTED                                                                                              \
  "its engine may draft tokens (MTP) at this version, and no column says which rows do and how many are "    \
  "taken"
#define LLAMA_BENCH(text, chip, speed, settings_, format, figure, expression)                                \
  {                                                                                                          \
    .header = text, .model = "llama-2-7b", .device = chip, .settings = settings_, .dtype = "fp16",           \
    .weights = format, .how = "llama.cpp", .version = "backend", .bandwidth = speed, .seconds = {            \
      [figure] = expression                                                                                  \
    }                                                                                                        \
  }
#define LLAMA_PROMPT "batch=1 prompt=512 generate=1"
#define LLAMA_TOKENS "batch=1 prompt=1 generate=128"
#define APPLE                                                                                                \
  "chip,gpu_cores,bw_GBs,f16_pp512_tps,f16_tg128_tps,q8_0_pp512_tps,q8_0_tg128_tps,q4_0_pp512_tps,"          \
  "q4_0_tg128_tps"
#define APPLE_AS(column, format)                                                                             \
  LLAMA_BENCH(APPLE, "chip", "bw_GBs", LLAMA_PROMPT, format, ROOF_SERVED_TTFT, "512/" column "_pp512_tps"),  \
      LLAMA_BENCH(APPLE, "chip", "bw_GBs", LLAMA_TOKENS, format, ROOF_SERVED_TPOT, "1/" column "_tg128_tps")
#define GPUS "device,backend,bw_GBs_datasheet,pp512_tps,tg128_tps"
#define GPU_AS(settings, figure, expression)                                                                 \
  LLAMA_BENCH(GPUS, "device", "bw_GBs_datasheet", settings, "q4_0", figure, expression)

/* ai-dynamo/aiconfigurator: ten requests for each that runs at once, as InferenceX sends them; batches are those of one
 * replica of the attention. ggml-org/llama.cpp discussions 4167 and 15013: prompts of 512 tokens, and 128 tokens after an empty one. The last is a table of one's own, whose
 * settings are words: "train batch=512 prompt=2048 tp=8 recompute=full". */
static const layout layouts[] = {
    LEFT_OUT("mode!=agg", "prefill and decoding on devices of their own"),
    /* Its scripts know no data parallel attention: the table has its devices twice, or four times. */
    {SERVING_RUN("batch_size*attention_dp_size", "tp_size", "1", "moe_ep_size/attention_dp_size",
                 .where = MINIMAX ";attention_dp_size!=", .weights = "gemm_quant_mode",
                 .experts = "moe_quant_mode")},
    LEFT_OUT("tp_size=64", TWICE),
    LEFT_OUT("tp_size=16", TWICE),
    LEFT_OUT("attention_dp_size=64", TWICE),
    LEFT_OUT("attention_dp_size=16", TWICE),
    LEFT_OUT("moe_ep_size=16", TWICE),
    LEFT_OUT(R1 ";backend=trtllm;backend_version=1.2.0rc6.post3", DRAFTED),
    LEFT_OUT(R1 ";backend=trtllm;backend_version=1.1.0rc2.post2", DRAFTED),
    LEFT_OUT(R1 ";backend=sglang;system=b200_sxm;gemm_quant_mode=fp8;backend_version=0.5.9", DRAFTED),
    {SERVING_AS("batch_size", .where = "attention_dp_size=;model_path!=openai/gpt-oss-120b",
                .weights = "gemm_quant_mode", .experts = "moe_quant_mode")},
    {SERVING_AS("batch_size*attention_dp_size",
                .where =
                    "attention_dp_size!=;model_path!=openai/gpt-oss-120b;model_path!=MiniMaxAI/MiniMax-M2.5",
                .weights = "gemm_quant_mode", .experts = "moe_quant_mode")},
    {SERVING_AS("batch_size", .where = "attention_dp_size=;model_path=openai/gpt-oss-120b")},
    {SERVING_AS("batch_size*attention_dp_size",
                .where = "attention_dp_size!=;model_path=openai/gpt-oss-120b")},
    APPLE_AS("f16", "fp16"),
    APPLE_AS("q8_0", "q8_0"),
    APPLE_AS("q4_0", "q4_0"),
    GPU_AS(LLAMA_PROMPT, ROOF_SERVED_TTFT, "512/pp512_tps"),
    GPU_AS(LLAMA_TOKENS, ROOF_SERVED_TPOT, "1/tg128_tps"),
    {.header = "model,device,settings,dtype,weights,ttft_seconds,tpot_seconds,step_seconds,how",
     .model = "model",
     .device = "device",
     .settings = "settings",
     .dtype = "dtype",
     .weights = "weights",
     .how = "how",
     .seconds = {"ttft_seconds", "tpot_seconds", "step_seconds"}},
};

enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

/** What the tables call formats of weights. */
static const struct {
  const char *name, *format;
} formats[] = {{"fp8_block", "fp8-block"}, {"int4_wo", "w4a16"}, {"int8_wo", "w8a16"}, {"mxfp4", "mxfp4"}};

/** What the scripts that made the serving points say (SemiAnalysisAI/InferenceX, benchmarks/, whose lengths are powers of
 * two; else the checkpoint's own file): the format of the cache; whose kernels the experts' are, where TensorRT-LLM takes
 * those of its own for Blackwell, which vLLM has from FlashInfer, and vLLM for MiniMax on Hopper those of Triton, which
 * SGLang took over; how many steps a new request is held back to go with others (batch_wait_timeout_iters), or until the
 * engine looks for it (half of --scheduler-recv-interval). */
static const struct {
  const char *where, *kv, *experts;
  double held;
} scripts[] = {
    {MINIMAX ";system=h200_sxm", .experts = "sglang"},
    {R1 ";backend=trtllm", .kv = "fp8"},
    {V3 ";backend=trtllm", .kv = "fp8"},
    {R1 ";backend=trtllm;system=b200_sxm", .experts = "vllm"},
    {V3 ";backend=trtllm;system=b200_sxm", .experts = "vllm"},
    {R1 ";backend=sglang;system=b200_sxm", .kv = "fp8", .held = 15},
    {V3 ";backend=sglang;system=b200_sxm", .kv = "fp8", .held = 15},
    {R1 ";backend=sglang;system=b200_sxm;batch_size=4", .held = 5},
    {V3 ";backend=sglang;system=b200_sxm;batch_size=4", .held = 5},
    {R1 ";backend=sglang;system=b200_sxm;batch_size=8", .held = 5},
    {V3 ";backend=sglang;system=b200_sxm;batch_size=8", .held = 5},
    {GPT_OSS ";backend=trtllm;system=b200_sxm", .kv = "fp8", .experts = "vllm"},
    {GPT_OSS ";backend=vllm;system=b200_sxm;backend_version!=", .kv = "fp8"},
    {"model_path=meta-llama/Llama-3.1-70B", .kv = "fp8"},
    {"model_path=meta-llama/Llama-3.1-70B;backend=trtllm;isl=1024;osl=1024;tp_size!=8", .held = 20},
    {"model_path=nvidia/Llama-3.1-8B-Instruct-FP8", .kv = "fp8"}};

/** Fills in what is said of the row; of several that fit the last counts. */
static void follow_scripts(const rf_table *t, roof_served *run) {
  for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
    if (rf_table_is(t, scripts[i].where)) {
      run->kv = scripts[i].kv != NULL ? scripts[i].kv : run->kv;
      run->experts = scripts[i].experts != NULL ? scripts[i].experts : run->experts;
      run->held = scripts[i].held > 0 ? scripts[i].held : run->held;
    }
  }
}

/** The shortest prompt and answer over the longest: InferenceX draws each evenly from there on (RANDOM_RANGE_RATIO in
 * .github/workflows/benchmark-tmpl.yml). NaN: not known. */
static double shortest_share(const rf_table *t, const layout *l) {
  return l->scripted && (rf_table_is(t, "isl=1024") || rf_table_is(t, "isl=8192")) ? 0.8 : NAN;
}

/** Of the longest prompt or answer, the mean. */
static double mean_share(const rf_table *t, const layout *l) {
  double shortest = shortest_share(t, l);
  return isnan(shortest) ? 1 : (1 + shortest) / 2;
}

static bool is_length(const char *setting) {
  return strncmp(setting, "prompt=", strlen("prompt=")) == 0 ||
         strncmp(setting, "generate=", strlen("generate=")) == 0;
}

static int detect(const char *text, size_t size) {
  (void)size;
  for (int i = 0; i < LAYOUTS; i++) {
    if (rf_table_begins(text, layouts[i].header)) {
      return 95;
    }
  }
  return 0;
}

/** Whose fp8 weights have a scale for each block of 128 x 128 (`weight_block_size` of their config.json), which the tables
 * call fp8 all the same. */
static const char *const scaled_in_blocks[] = {"deepseek-ai/DeepSeek-", "MiniMaxAI/MiniMax-M2",
                                               "Qwen/Qwen3-"};

/** Whose checkpoints in nvfp4 leave attention in bf16 (`exclude_modules` of their hf_quant_config.json). */
static const char *const bare_attention[] = {"deepseek-ai/DeepSeek-", "nvidia/DeepSeek-"};

static bool begins_as_one(const char *model, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strncmp(model, list[i], strlen(list[i])) == 0) {
      return true;
    }
  }
  return false;
}
#define IS_ONE_OF(model, list) begins_as_one(model, list, sizeof list / sizeof list[0])

static const char *format_of(const rf_table *t, const layout *l, const char *column) {
  const char *name = rf_table_word(t, column);
  if (strcmp(name, "fp8") == 0 && IS_ONE_OF(rf_table_word(t, l->model), scaled_in_blocks)) {
    return "fp8-block";
  }
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    if (strcmp(name, formats[i].name) == 0) {
      return formats[i].format;
    }
  }
  return name;
}

/** "fp8,experts=fp8-block". */
static const char *weights_of(const rf_table *t, const layout *l) {
  const char *weights = format_of(t, l, l->weights), *experts = format_of(t, l, l->experts);
  bool bare = strcmp(weights, "nvfp4") == 0 && IS_ONE_OF(rf_table_word(t, l->model), bare_attention);
  return experts[0] == '\0' || weights[0] == '\0'
             ? roof_profile_text(t->profile, weights)
             : rf_import_textf(t->profile, "%s,%sexperts=%s", weights, bare ? "mixer=bf16," : "", experts);
}

/** Without the format of the weights that it ends in, which a column gives. */
static const char *model_of(const rf_table *t, const layout *l) {
  static const char *const endings[] = {"-FP8", "-NVFP4"};
  const char *name = rf_table_word(t, l->model);
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof endings / sizeof endings[0] && l->weights != NULL; i++) {
    size_t tail = strlen(endings[i]);
    if (length > tail && strcmp(name + length - tail, endings[i]) == 0) {
      return rf_import_textf(t->profile, "%.*s", (int)(length - tail), name);
    }
  }
  return roof_profile_text(t->profile, name);
}

static const char *settings_of(const rf_table *t, const layout *l) {
  roof_text words = {0};
  char list[256], *rest = NULL;
  snprintf(list, sizeof list, "%s", l->settings);
  for (char *word = strtok_r(list, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    char *expression = strchr(word, '=');
    double value = expression != NULL ? rf_table_evaluate(t, NAN, expression + 1) : NAN;
    value *= is_length(word) ? mean_share(t, l) : 1;
    int name = (int)strcspn(word, "=");
    roof_text_add(&words, words.length > 0 && (expression == NULL || !isnan(value)) ? " " : "");
    if (expression == NULL) {
      roof_text_add(&words, rf_table_word(t, word));
    } else if (!isnan(value)) {
      roof_text_addf(&words, "%.*s=%.0f", name, word, value);
    }
  }
  const char *kept = roof_profile_text(t->profile, words.data != NULL ? words.data : "");
  roof_text_done(&words);
  return kept;
}

static roof_status take(rf_table *t, const layout *l, roof_error *error) {
  const char *version = rf_table_word(t, l->version);
  roof_served run = {.model = model_of(t, l),
                     .settings = settings_of(t, l),
                     .dtype = roof_profile_text(t->profile, rf_table_word(t, l->dtype)),
                     .weights = weights_of(t, l),
                     .device = roof_profile_text(t->profile, rf_table_word(t, l->device)),
                     .device_bytes_per_second =
                         l->bandwidth != NULL ? 1e9 * rf_table_evaluate(t, NAN, l->bandwidth) : NAN};
  bool timed = false;
  if (l->scripted) {
    follow_scripts(t, &run);
  }
  run.spread = (1 - shortest_share(t, l)) / mean_share(t, l);
  run.requests = l->requests != NULL ? rf_table_evaluate(t, NAN, l->requests) : NAN;
  run.how =
      rf_import_textf(t->profile, "%s%s%s", rf_table_word(t, l->how), version[0] != '\0' ? "/" : "", version);
  for (int i = 0; i < ROOF_SERVED_FIGURE_COUNT; i++) {
    double seconds = l->seconds[i] != NULL ? rf_table_evaluate(t, NAN, l->seconds[i]) : NAN;
    run.seconds[i] = seconds > 0 && isfinite(seconds) ? seconds : NAN;
    timed = timed || !isnan(run.seconds[i]);
  }
  if (!timed) {
    rf_import_skip(t->profile, "a run", "its row gives no time");
    return ROOF_OK;
  }
  rf_import_device(t->profile, run.device);
  const char *name =
      rf_import_textf(t->profile, "%s %s%s%s (%s, %s), row %d", run.model, run.settings,
                      run.weights[0] != '\0' ? " " : "", run.weights, run.device, run.how, t->row.line);
  return rf_import_run(t->profile, name, &run, error);
}

/** A row may hold several runs, or be left out. */
static roof_status take_row(rf_table *t, const char *header, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < LAYOUTS && status == ROOF_OK; i++) {
    const layout *l = &layouts[i];
    bool is = strcmp(l->header, header) == 0 && rf_table_is(t, l->where);
    if (is && l->why != NULL) {
      rf_import_skip(t->profile, "a run", l->why);
      return ROOF_OK;
    }
    status = is ? take(t, l, error) : status;
  }
  return status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  return rf_table_read(source, profile, take_row, "no run of a model with a time", error);
}

const roof_format rf_format_model_runs = {
    .name = "model-runs",
    .title = "tables of whole models as they ran (aiconfigurator, llama.cpp, your own)",
    .gives = "TTFT, TPOT or training step of a model with its batch, prompts, formats and plan",
    .detect = detect,
    .read = read,
};
