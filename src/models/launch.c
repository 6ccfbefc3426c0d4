/* What serves a plan: commands of engines, and templates that start vLLM on a cluster. Options are those of
 *   vLLM          docs.vllm.ai/en/latest/configuration/engine_args ("Engine Arguments", "JSON CLI Arguments"),
 *                 docs.vllm.ai/en/latest/features/nixl_connector_usage.html ("NixlConnector Usage Guide"), and of its devices along a
 *                 context docs.vllm.ai/projects/ascend/en/latest/developer_guide/Design_Documents/context_parallel (PCP: more devices,
 *                 the cache split along the sequence)
 *   SGLang        docs.sglang.io/advanced_features/server_arguments ("Server Arguments"), docs.sglang.io/advanced_features/
 *                 pd_disaggregation ("PD Disaggregation")
 *   TensorRT-LLM  nvidia.github.io/TensorRT-LLM/commands/trtllm-serve ("trtllm-serve"), and of two pools
 *                 github.com/NVIDIA/TensorRT-LLM/tree/main/examples/disaggregated ("Disaggregated Serving")
 *   llama.cpp     manpages.debian.org/unstable/llama.cpp-tools/llama-server.1.en.html ("llama-server")
 * GPUs that they run on: docs.vllm.ai/en/latest/getting_started/installation/gpu (CUDA, ROCm, XPU),
 * docs.sglang.io/docs/hardware-platforms/overview, nvidia.github.io/TensorRT-LLM (NVIDIA's alone),
 * github.com/ggml-org/llama.cpp/blob/master/docs/build.md (CPU, Metal, CUDA, HIP, SYCL). */
#include "models/launch.h"

#include <math.h>
#include <string.h>

#include "models/step.h"

static const launch_engine engines[ROOF_ENGINE_COUNT] = {
    [ROOF_ENGINE_VLLM] = {.start = "vllm serve",
                          .gpus = "NVIDIA AMD Intel",
                          .tp = "--tensor-parallel-size",
                          .pp = "--pipeline-parallel-size",
                          .dp = "--data-parallel-size",
                          .cp = "--prefill-context-parallel-size",
                          .experts = "--enable-expert-parallel",
                          .context = "--max-model-len",
                          .batch = "--max-num-seqs",
                          .chunk = "--max-num-batched-tokens",
                          .memory = "--gpu-memory-utilization",
                          .kv_fp8 = "--kv-cache-dtype fp8",
                          .quantizes = true,
                          .before = "VLLM_NIXL_SIDE_CHANNEL_HOST=$(hostname -i)",
                          .roles = {"--kv-transfer-config.kv_connector NixlConnector "
                                    "--kv-transfer-config.kv_role kv_producer",
                                    "--kv-transfer-config.kv_connector NixlConnector "
                                    "--kv-transfer-config.kv_role kv_consumer"},
                          .front =
                              "# and a proxy that asks first a server of prompts, then one that generates"},
    [ROOF_ENGINE_SGLANG] = {.start = "python3 -m sglang.launch_server --model-path",
                            .gpus = "NVIDIA AMD Intel",
                            .tp = "--tp-size",
                            .pp = "--pp-size",
                            .dp = "--dp-size",
                            .cp = "--attn-cp-size",
                            .wide = true,
                            .expert_devices = "--ep-size",
                            .shared = "--enable-dp-attention",
                            .context = "--context-length",
                            .batch = "--max-running-requests",
                            .chunk = "--chunked-prefill-size",
                            .memory = "--mem-fraction-static",
                            .kv_fp8 = "--kv-cache-dtype fp8_e4m3",
                            .quantizes = true,
                            .roles = {"--disaggregation-mode prefill", "--disaggregation-mode decode"},
                            .front = "python3 -m sglang_router.launch_router --pd-disaggregation --prefill "
                                     "http://PREFILL:30000 --decode http://DECODE:30000"},
    [ROOF_ENGINE_TENSORRT_LLM] = {.start = "trtllm-serve",
                                  .gpus = "NVIDIA",
                                  .tp = "--tp_size",
                                  .pp = "--pp_size",
                                  .expert_devices = "--ep_size",
                                  .context = "--max_seq_len",
                                  .batch = "--max_batch_size",
                                  .chunk = "--max_num_tokens",
                                  .memory = "--kv_cache_free_gpu_memory_fraction",
                                  .roles = {"--extra_llm_api_options prefill.yml",
                                            "--extra_llm_api_options decode.yml"},
                                  .front = "# prefill.yml: disable_overlap_scheduler: true; both: "
                                           "cache_transceiver_config: {backend: DEFAULT}\n"
                                           "# servers.yml: context_servers and generation_servers, each with "
                                           "num_instances and urls\n"
                                           "trtllm-serve disaggregated -c servers.yml"},
    [ROOF_ENGINE_LLAMA_CPP] = {.start = "llama-server --model",
                               .gpus = "NVIDIA AMD Intel",
                               .hosts = true,
                               .mixes = true,
                               .file = ".gguf",
                               .splits = {"--split-mode row", "--split-mode layer"},
                               .context = "--ctx-size",
                               .batch = "--parallel",
                               .chunk = "--batch-size",
                               .kv_fp8 = "--cache-type-k q8_0 --cache-type-v q8_0",
                               .together = true}};

static const char *const names[ROOF_ENGINE_COUNT] = {
#define NAME(symbol, name) [symbol] = name,
    ROOF_ENGINE_MAP(NAME)
#undef NAME
};

/** Precisions that an engine makes from the weights of a 16-bit checkpoint. */
static const struct {
  const char *precision, *option;
} formats[] = {{"fp8", "--quantization fp8"}, {"bf16", "--dtype bfloat16"}, {"fp16", "--dtype float16"}};

const char *roof_engine_name(roof_engine which) {
  return (unsigned)which < ROOF_ENGINE_COUNT ? names[which] : "?";
}

const launch_engine *rf_launch_engine(roof_engine which) {
  return engines[which].start != NULL ? &engines[which] : NULL;
}

/** What is started, and how often. */
typedef struct launch {
  const roof_choice_question *question;
  const launch_engine *engine;
  const roof_machine *machine;
  const char *served;
  roof_plan_point point; /**< its precision is one of the question's */
  double chunk;          /**< tokens of a step; 0: as the engine has it */
  const char *role;      /**< NULL: of one pool */
  bool apart;            /**< each replica is started by itself */
} launch;

static void add_count(roof_text *out, const char *option, double value) {
  if (option != NULL && value > 1) {
    roof_text_addf(out, " %s %.0f", option, value);
  }
}

/** SGLang shares experts among devices of `tp`; over replicas these must share attention (its DP attention). */
static void add_plan(roof_text *out, const launch *l) {
  const launch_engine *e = l->engine;
  const roof_plan_point *p = &l->point;
  bool wide = e->expert_devices != NULL && p->ep > p->tp;
  add_count(out, e->tp, p->tp * (wide ? p->dp : 1) * (e->wide ? p->cp : 1));
  add_count(out, e->pp, p->pp);
  add_count(out, e->cp, p->cp);
  add_count(out, e->dp, l->apart ? 1 : p->dp);
  if (wide && e->shared != NULL) {
    roof_text_addf(out, " %s", e->shared);
  }
  if (p->ep > 1 && e->experts != NULL) {
    roof_text_addf(out, " %s", e->experts);
  }
  add_count(out, e->expert_devices, p->ep);
  if (e->splits[0] != NULL && p->tp * p->pp > 1) {
    roof_text_addf(out, " %s", e->splits[p->tp > 1 ? 0 : 1]);
  }
}

static void add_formats(roof_text *out, const launch *l) {
  const roof_choice_question *q = l->question;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0] && l->engine->quantizes; i++) {
    if (strcmp(q->precisions->names[l->point.precision], formats[i].precision) == 0) {
      roof_text_addf(out, " %s", formats[i].option);
    }
  }
  if (l->engine->kv_fp8 != NULL && roof_dtype_bytes(q->precisions->list[l->point.precision].kv) == 1) {
    roof_text_addf(out, " %s", l->engine->kv_fp8);
  }
}

/** The repository of a model that has a name here, or its file where the engine loads none. */
static void add_model(roof_text *out, const launch *l) {
  const char *repository = l->question->model->repository, *file = l->engine->file;
  bool named = repository[0] != '\0';
  roof_text_addf(out, "%s %s%s", l->engine->start, named && file == NULL ? repository : l->served,
                 named && file != NULL ? file : "");
}

static void add_command(roof_text *out, const launch *l) {
  const roof_choice_question *q = l->question;
  const launch_engine *e = l->engine;
  double requests = l->point.batch / l->point.dp, tokens = q->base->prompt + q->base->generate;
  add_model(out, l);
  add_plan(out, l);
  roof_text_addf(out, " %s %.0f", e->context, tokens * (e->together ? requests : 1));
  /* at a rate an engine admits what its cache holds */
  if (requests > 0 && (e->together || !(q->limits.rate > 0))) {
    roof_text_addf(out, " %s %.0f", e->batch, requests);
  }
  add_count(out, e->chunk, l->chunk);
  bool own = q->base->memory_rule == ROOF_MEMORY_SGLANG; /* reckoned by itself */
  if (e->memory != NULL && q->base->memory_share < 1 && !own) {
    roof_text_addf(out, " %s %.4g", e->memory, q->base->memory_share);
  }
  add_formats(out, l);
  if (l->role != NULL) {
    roof_text_addf(out, " %s", l->role);
  }
}

/** Devices that one process of the engine has. */
static double process_devices(const launch *l) {
  const roof_plan_point *p = &l->point;
  return p->tp * p->pp * p->cp * (l->apart ? 1 : p->dp);
}

/** Whether the engine has a command for so many devices of a machine. */
static bool runs_on(const launch_engine *e, const roof_machine *machine, double devices) {
  bool gpu = strcmp(machine->device_class, "gpu") == 0, apple = strcmp(machine->vendor, "Apple") == 0;
  bool host = strcmp(machine->device_class, "cpu") == 0 || (gpu && apple);
  return host ? e->hosts && devices == 1
              : gpu && machine->vendor[0] != '\0' && strstr(e->gpus, machine->vendor) != NULL;
}

/** Bits of a mix that has a name: one of llama.cpp's, which a checkpoint of safetensors is not. */
static bool is_of_llama_cpp(const roof_weight_format *f) {
  return f->bytes > 0 && f->label[0] == '\0';
}

static roof_status check_machine(const launch *l, const char *name, roof_error *error) {
  const roof_model_precisions *all = l->question->precisions;
  double devices = process_devices(l);
  if (!runs_on(l->engine, l->machine, devices)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "launch: no line of %s is known for %.0f x %s", name,
                          devices, l->machine->name);
  }
  return !l->engine->mixes && is_of_llama_cpp(&all->list[l->point.precision].weights[ROOF_PART_MLP])
             ? roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "launch: %s has no option for %s, which is of llama.cpp's files", name,
                              all->names[l->point.precision])
             : ROOF_OK;
}

/** Whether the engine can be asked for the plan. */
static roof_status check(const launch *l, const char *name, bool template, roof_error *error) {
  const roof_plan_point *p = &l->point;
  const launch_engine *e = l->engine;
  roof_status status = check_machine(l, name, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (e->cp == NULL && p->cp > 1) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "launch: %s has no option for cp %.0f; cp=1 searches without", name, p->cp);
  }
  if (e->dp == NULL && p->dp > 1 && p->ep > p->tp) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "launch: %s has no option for replicas that share experts", name);
  }
  if (e->splits[0] != NULL && ((p->tp > 1 && p->pp > 1) || p->ep > 1)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "launch: %s splits tensors or layers, not both, and no experts", name);
  }
  double node = l->question->base->node;
  return template && process_devices(l) > (isnan(node) ? MODEL_USUAL_NODE : node)
             ? roof_error_set(
                   error, ROOF_E_UNSUPPORTED,
                   "launch: %s: the template is of replicas within a node, this one has %.0f devices", name,
                   process_devices(l))
             : ROOF_OK;
}

static bool is_template(roof_engine which) {
  return rf_launch_engine(which) == NULL;
}

static launch launch_of(const roof_choice_question *q, const roof_plan_point *point, int offer,
                        roof_engine which, const char *served) {
  const launch_engine *engine = is_template(which) ? &engines[ROOF_ENGINE_VLLM] : &engines[which];
  launch l = {.question = q,
              .engine = engine,
              .machine = q->offers[offer].machine,
              .served = served,
              .point = *point};
  l.apart = engine->dp == NULL || (is_template(which) && !(point->ep > point->tp));
  l.chunk = point->chunk > 0 ? point->chunk : q->base->prompt; /* whole: engines cut by default */
  return l;
}

static roof_status end(roof_text *out, roof_text *commands, int count, roof_error *error) {
  for (int i = 0; i < count; i++) {
    out->failed |= commands[i].failed;
    roof_text_done(&commands[i]);
  }
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "launch: out of memory") : ROOF_OK;
}

roof_status roof_choice_launch(const roof_choice_question *q, const roof_choice *c, roof_engine which,
                               const char *served, roof_text *out, roof_error *error) {
  roof_plan_point point = c->point;
  point.precision = c->precision;
  const launch l = launch_of(q, &point, c->offer, which, served);
  roof_status status = check(&l, roof_engine_name(which), is_template(which), error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_text command = {0};
  add_command(&command, &l);
  const launch_piece piece = {.name = "vllm",
                              .copies = l.apart ? point.dp : 1,
                              .devices = process_devices(&l),
                              .machine = l.machine,
                              .command = command.data};
  if (which == ROOF_ENGINE_KUBERNETES) {
    rf_launch_kubernetes(out, &piece);
  } else if (which == ROOF_ENGINE_SLURM) {
    rf_launch_slurm(out, &piece, 1);
  } else {
    roof_text_add(out, command.data);
  }
  return end(out, &command, 1, error);
}

/** The pool that processes prompts, or the one that generates. */
static launch launch_of_pool(const roof_choice_question *q, const roof_apart *a, int role, roof_engine which,
                             const char *served) {
  const roof_pool *pool = role == 0 ? &a->prefill : &a->decode;
  const roof_plan_point point = {.tp = pool->tp,
                                 .pp = pool->pp,
                                 .dp = pool->dp,
                                 .ep = pool->ep,
                                 .cp = 1,
                                 .batch = role == 0 ? 0 : pool->batch,
                                 .precision = a->precision};
  launch l = launch_of(q, &point, pool->offer, which, served);
  l.chunk = role == 0 ? q->base->prompt : 0;
  l.role = l.engine->roles[role];
  return l;
}

static void add_pieces(roof_text *out, const launch_piece *pieces, const launch_engine *engine,
                       roof_engine which) {
  if (which == ROOF_ENGINE_SLURM) {
    rf_launch_slurm(out, pieces, 2);
    return;
  }
  for (int i = 0; i < 2; i++) {
    const launch_piece *p = &pieces[i];
    if (which == ROOF_ENGINE_KUBERNETES) {
      roof_text_add(out, i > 0 ? "---\n" : "");
      rf_launch_kubernetes(out, p);
    } else {
      roof_text_addf(out, "# %.0f x on %.0f x %s each\n%s%s%s\n", p->copies, p->devices, p->machine->name,
                     p->before != NULL ? p->before : "", p->before != NULL ? " " : "", p->command);
    }
  }
  if (which != ROOF_ENGINE_KUBERNETES) {
    roof_text_addf(out, "%s\n", engine->front);
  }
}

roof_status roof_apart_launch(const roof_choice_question *q, const roof_apart *a, roof_engine which,
                              const char *served, roof_text *out, roof_error *error) {
  static const char *const pool_names[] = {"vllm-prefill", "vllm-decode"};
  const roof_pool *const pools[] = {&a->prefill, &a->decode};
  roof_text commands[2] = {{0}, {0}};
  launch_piece pieces[2];
  roof_status status = ROOF_OK;
  const launch_engine *engine = NULL;
  for (int i = 0; i < 2 && status == ROOF_OK; i++) {
    const launch l = launch_of_pool(q, a, i, which, served);
    engine = l.engine;
    status = l.role == NULL ? roof_error_set(error, ROOF_E_UNSUPPORTED, "launch: %s has no two pools",
                                             roof_engine_name(which))
                            : check(&l, roof_engine_name(which), is_template(which), error);
    add_command(&commands[i], &l);
    double devices = process_devices(&l);
    pieces[i] = (launch_piece){.name = pool_names[i],
                               .copies = pools[i]->instances * pools[i]->devices / devices,
                               .devices = devices,
                               .machine = l.machine,
                               .command = commands[i].data,
                               .before = engine->before};
  }
  if (status == ROOF_OK) {
    add_pieces(out, pieces, engine, which);
  }
  roof_status ended = end(out, commands, 2, error);
  return status != ROOF_OK ? status : ended;
}
