/* Real config.json files: every one is read, and has the parameters that were counted for it. */
#include "test.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "roofline/weights.h"
#include "weights/config.h"

static char folder[512];

/* Parameters, active ones, and elements of K and V per token: recomputed apart from this program by formulas
 * over the same files (formats.md, section 8), or by hand where the files' families are newer. */
static const struct {
  const char *file;
  double total, active, kv;
} counted[] = {
    {"Llama-2-7b-chat-hf_config.json", 6738415616, 6738415616, 262144},
    {"meta-llama--Meta-Llama-3.1-8B_config.json", 8030261248, 8030261248, 65536},
    {"meta-llama--Meta-Llama-3.1-70B_config.json", 70553706496, 70553706496, 163840},
    {"meta-llama--Meta-Llama-3.1-405B_config.json", 405853388800, 405853388800, 258048},
    {"LLM-Prof__Qwen2.5-14B_config.json", 14770033664, 14770033664, 98304},
    {"LLM-Prof__Qwen2.5-32B_config.json", 32763876352, 32763876352, 131072},
    {"Qwen--Qwen3-0.6B_config.json", 596049920, 596049920, 57344},
    {"LLM-Prof__Qwen3-4B_config.json", 4022468096, 4022468096, 73728},
    {"LLM-Prof__Qwen3-8B_config.json", 8190735360, 8190735360, 73728},
    {"LLM-Prof__Qwen3-14B_config.json", 14768307200, 14768307200, 81920},
    {"Qwen--Qwen3-32B_config.json", 32762123264, 32762123264, 131072},
    {"Qwen--Qwen3-30B-A3B_config.json", 30532122624, 3353032704, 49152},
    {"Qwen--Qwen3-235B-A22B-FP8_config.json", 235093634560, 22190763520, 96256},
    {"Qwen--Qwen3-Coder-480B-A35B-Instruct_config.json", 480154875392, 35474765312, 126976},
    {"mistralai--Mixtral-8x7B-v0.1_config.json", 46702792704, 12879925248, 65536},
    {"mistralai--Mixtral-8x22B-v0.1_config.json", 140620634112, 39152031744, 114688},
    {"deepseek-ai--DeepSeek-V3_config.json", 671026419200, 37552297472, 35136},
    {"deepseek-inference__config_16B.json", 15706484224, 2661150208, 15552},
    {"moonshotai--Kimi-K2-Instruct_config.json", 1026408232448, 32861500928, 35136},
    {"openai--gpt-oss-20b_config.json", 20914757184, 4187440704, 24576},
    {"openai--gpt-oss-120b_config.json", 116829156672, 5711982912, 36864},
    {"tt-metal__phi-4_config.json", 14659507200, 14659507200, 102400},
    {"gpt2-large_config.json", 774030080, 774030080, 92160},
    {"gpt_neox__pythia-410m_config.json", 405334016, 405334016, 49152},
    {"bloom__bloom-560m_config.json", 559214592, 559214592, 49152},
    {"falcon-7b_partial_config.json", 6921720704, 6921720704, 4096},
    {"opt-125m_config.json", 125239296, 125239296, 18432},
    {"gemma-3-4b-it_text_config_verbatim.json", 3880263168, 3880263168, 69632},
    {"nvidia--Nemotron-H-56B-Base-8K_config.json", 56324350464, 56324350464, 20480},
    {"nvidia--Llama-3_3-Nemotron-Super-49B-v1_config.json", 49867145216, 49867145216, 100352},
};
enum { COUNTED = sizeof counted / sizeof counted[0] };

static void path_of(char *path, size_t size, const char *file) {
  snprintf(path, size, "%s/%s", folder, file);
}

static int find_folder(void **state) {
  (void)state;
  const char *shared = getenv("ROOFLINE_SHARED");
  snprintf(folder, sizeof folder, "%s/profiler-samples/hf-config", shared != NULL ? shared : "../shared");
  return 0;
}

static void skip_without_samples(void) {
  DIR *directory = opendir(folder);
  if (directory == NULL) {
    print_message("skipped: no %s\n", folder);
    skip();
  }
  closedir(directory);
}

static void counts(void **state) {
  (void)state;
  skip_without_samples();
  for (int i = 0; i < COUNTED; i++) {
    char path[1024];
    roof_model model;
    roof_error error = {0};
    path_of(path, sizeof path, counted[i].file);
    if (roof_model_load(path, &model, &error) != ROOF_OK) {
      fail_msg("%s: %s", counted[i].file, error.message);
    }
    roof_model_parameters p = roof_model_count(&model);
    if (p.total != counted[i].total || fabs(p.active - counted[i].active) > 1e-6 * p.active ||
        p.kv_elements_per_token != counted[i].kv) {
      fail_msg("%s: %.0f %.0f %.0f", counted[i].file, p.total, p.active, p.kv_elements_per_token);
    }
  }
}

/** Reads any file of the folder as what it is. */
static roof_status read_any(const char *name, const char *path, roof_error *error) {
  roof_model model;
  if (strstr(name, "quant_config") != NULL) {
    roof_model_init(&model);
    return roof_model_load_quantization(path, &model, error);
  }
  return roof_model_load(path, &model, error);
}

static void every_file(void **state) {
  (void)state;
  skip_without_samples();
  DIR *directory = opendir(folder);
  int files = 0;
  for (struct dirent *file = readdir(directory); file != NULL; file = readdir(directory)) {
    char path[1024];
    roof_error error = {0};
    path_of(path, sizeof path, file->d_name);
    if (file->d_name[0] == '.' || strstr(file->d_name, "_models.json") != NULL) {
      continue;
    }
    files++;
    if (read_any(file->d_name, path, &error) != ROOF_OK) {
      fail_msg("%s:%d: %s", file->d_name, error.line, error.message);
    }
  }
  closedir(directory);
  assert_true(files > 50);
}

/** 2,980 configs of one file, reduced to sizes: each is read, or refused with the name of what is not known.
 */
static void collection(void **state) {
  (void)state;
  skip_without_samples();
  char path[1024];
  path_of(path, sizeof path, "gpu_poor__all_configs_2980_models.json");
  json_t *all = json_load_file(path, 0, NULL), *one = NULL;
  const char *name = NULL;
  int read = 0, refused = 0;
  json_object_foreach(all, name, one) {
    char *text = json_dumps(one, 0);
    roof_model model;
    roof_error error = {0};
    if (roof_model_read(text, strlen(text), name, &model, &error) == ROOF_OK) {
      assert_true(roof_model_count(&model).total > 0);
      read++;
    } else {
      assert_true(error.message[0] != '\0' && error.line >= 1);
      refused++;
    }
    free(text);
  }
  json_decref(all);
  print_message("%d read, %d refused\n", read, refused);
  assert_true(read >= 2000);
}

/** Built-in models: read, and within 1 % of what was published (Llama 4 Scout's figure has its vision tower).
 */
static void built_in(void **state) {
  (void)state;
  size_t count = 0;
  const char *source = getenv("ROOFLINE_SOURCE");
  if (source == NULL) {
    print_message("skipped: ROOFLINE_SOURCE does not name the sources\n");
    skip();
  }
  for (roof_model_entry e = roof_model_entry_at(0); e.name != NULL; e = roof_model_entry_at(++count)) {
    char path[1024];
    roof_model model;
    roof_error error = {0};
    if (roof_model_load(e.name, &model, &error) != ROOF_OK) {
      fail_msg("%s: %s", e.name, error.message);
    }
    assert_string_equal(model.name, e.name);
    snprintf(path, sizeof path, "%s/data/models/%s.json", source, e.name);
    json_t *file = json_load_file(path, 0, NULL);
    double published = json_number_value(json_object_get(file, "published_parameters"));
    assert_non_null(json_string_value(json_object_get(file, "source")));
    assert_non_null(json_string_value(json_object_get(file, "published_source")));
    assert_near(roof_model_count(&model).total, published,
                strcmp(e.name, "llama-4-scout") == 0 ? 0.012 : 0.01);
    json_decref(file);
  }
  assert_true(count >= 30);
}

static void formats(void **state) {
  (void)state;
  static const struct {
    const char *model;
    const char *mixer, *mlp, *experts, *head;
  } rows[] = {{"deepseek-v3", "fp8-block", "fp8-block", "fp8-block", "bf16"},
              {"gpt-oss-20b", "bf16", "bf16", "mxfp4", "bf16"},
              {"llama-3.1-8b", "bf16", "bf16", "bf16", "bf16"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_model model;
    char name[64];
    assert_int_equal(roof_model_load(rows[i].model, &model, NULL), ROOF_OK);
    const char *wanted[] = {rows[i].mixer, rows[i].mlp, rows[i].experts, rows[i].head};
    for (int part = 0; part < 4; part++) {
      const roof_weight_format *format = &model.precision.weights[part];
      if (i != 1 || part != 1) { /* gpt-oss has no dense MLP */
        assert_string_equal(roof_weight_format_name(format, name, sizeof name), wanted[part]);
      }
    }
  }
}

#define LATENT                                                                                               \
  "{\"model_type\": \"deepseek_v2\", \"hidden_size\": 64, \"intermediate_size\": 128, "                      \
  "\"num_attention_heads\": 4, "                                                                             \
  "\"num_hidden_layers\": 2, \"vocab_size\": 256, \"max_position_embeddings\": 512, \"torch_dtype\": "       \
  "\"bfloat16\", "                                                                                           \
  "\"kv_lora_rank\": 32, \"qk_nope_head_dim\": 16, \"qk_rope_head_dim\": 8, \"v_head_dim\": 16, "            \
  "\"n_routed_experts\": 8, \"num_experts_per_tok\": 2, \"n_shared_experts\": 1, "                           \
  "\"moe_intermediate_size\": 32, \"first_k_dense_replace\": 1, \"quantization_config\": "                   \
  "{\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\", \"exclude_modules\": ["

/** A list of modules layer by layer leaves its share of a part in the activations' format. */
static void excluded_modules_are_counted(void **state) {
  (void)state;
  /* Of a layer's mixer: q_proj 64 x 96, kv_a 64 x 40, kv_b 32 x 128, o_proj 64 x 64. */
  static const double q = 64 * 96, kv_a = 64 * 40, kv_b = 32 * 128, o = 64 * 64, bf16 = 2, nvfp4 = 0.5625;
  const double all = q + kv_a + kv_b + o;
  const struct {
    const char *modules;
    double mixer;
    const char *name;
  } rows[] = {
      {"\"lm_head\"", nvfp4, "nvfp4"},
      {"\"model.layers.0.self_attn.q_proj\", \"model.layers.1.self_attn.q_proj\"",
       (q * bf16 + (all - q) * nvfp4) / all, "nvfp4+bf16"},
      {"\"model.layers.0.self_attn.q_proj\"", (q * bf16 + (2 * all - q) * nvfp4) / (2 * all), "nvfp4+bf16"},
      {"\"model.layers.1.self_attn*\", \"model.layers.10.self_attn*\"", (bf16 + nvfp4) / 2, "nvfp4+bf16"},
      {"\"model.layers.0.self_attn*\", \"model.layers.1.self_attn.q_proj\"",
       ((all + q) * bf16 + (all - q) * nvfp4) / (2 * all), "bf16+nvfp4"},
      {"\"model.layers.0.self_attn\", \"model.layers.1*\"", bf16, "bf16"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[2048], name[64];
    roof_model model;
    roof_error error = {0};
    snprintf(text, sizeof text, LATENT "%s]}}", rows[i].modules);
    if (roof_model_read(text, strlen(text), "x.json", &model, &error) != ROOF_OK) {
      fail_msg("%s", error.message);
    }
    const roof_weight_format *format = &model.precision.weights[ROOF_PART_MIXER];
    assert_near(roof_weight_format_bytes(format), rows[i].mixer, 1e-12);
    assert_string_equal(roof_weight_format_name(format, name, sizeof name), rows[i].name);
  }
}

#define SMALL                                                                                                \
  "{\"model_type\": \"llama\", \"hidden_size\": 64, \"intermediate_size\": 128, \"num_attention_heads\": "   \
  "4, "                                                                                                      \
  "\"num_hidden_layers\": 2, \"vocab_size\": 100, "

#define QUANTIZED(text) SMALL "\"torch_dtype\": \"bfloat16\", \"quantization_config\": {" text "}}"
#define GROUPS(text) QUANTIZED("\"quant_method\": \"compressed-tensors\", \"config_groups\": {" text "}")
#define GROUP_OF(activations, name, target, bits, type, size)                                                \
  "\"" name "\": {\"targets\": [\"" target "\"], \"input_activations\": " activations                        \
  ", \"weights\": {\"num_bits\": " bits ", \"type\": \"" type "\", \"group_size\": " size "}}"
#define GROUP(name, target, bits, type) GROUP_OF("{\"num_bits\": 8}", name, target, bits, type, "16")
#define ONE_GROUP(activations, bits, type, size)                                                             \
  GROUPS(GROUP_OF(activations, "group_0", "Linear", bits, type, size))

#define MATRIX(name, format) "\"model.layers." name "\": {\"quant_algo\": \"" format "\"}"
#define MIXED_LAYER(number, mixer, mlp)                                                                      \
  MATRIX(number ".self_attn.q_proj", mixer)                                                                  \
  ", " MATRIX(number ".self_attn.k_proj", mixer) ", " MATRIX(number ".self_attn.v_proj", mixer) ", " MATRIX( \
      number ".self_attn.o_proj",                                                                            \
      mixer) ", " MATRIX(number ".mlp.gate_proj", mlp) ", " MATRIX(number ".mlp.up_proj",                    \
                                                                   mlp) ", " MATRIX(number ".mlp.down_proj", \
                                                                                    mlp)
#define MIXED(mixer, mlp)                                                                                    \
  QUANTIZED(                                                                                                 \
      "\"quant_method\": \"modelopt\", \"quant_algo\": \"MIXED_PRECISION\", \"kv_cache_quant_algo\": "       \
      "\"FP8\", \"quantized_layers\": {" MIXED_LAYER("0", mixer, mlp) ", " MIXED_LAYER("1", mixer, mlp) "}")

/** Formats by part as a config has them, and of the cache. */
static void quantized_configs(void **state) {
  (void)state;
  static const struct {
    const char *text, *mixer, *mlp;
    double bits; /**< of a weight of the MLP */
    roof_dtype kv;
  } rows[] = {
      {QUANTIZED("\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": 128"), "w4a16", "w4a16",
       4 + 20.0 / 128, ROOF_BF16},
      {QUANTIZED("\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": 128, \"lm_head\": true"), "w4a16",
       "w4a16", 4 + 20.0 / 128, ROOF_BF16},
      {QUANTIZED("\"quant_method\": \"awq\", \"bits\": 8, \"group_size\": 128"), "int8 group 128",
       "int8 group 128", 8 + 24.0 / 128, ROOF_BF16},
      {QUANTIZED("\"quant_method\": \"bitsandbytes\", \"load_in_4bit\": true"), "nf4", "nf4", 4.5, ROOF_BF16},
      {QUANTIZED("\"quant_method\": \"bitsandbytes\", \"bnb_4bit_use_double_quant\": true"), "nf4", "nf4",
       4 + (8 + 32.0 / 256) / 64, ROOF_BF16},
      {QUANTIZED("\"quant_method\": \"modelopt\", \"quant_algo\": \"FP8\", \"kv_cache_quant_algo\": \"FP8\""),
       "fp8", "fp8", 8, ROOF_FP8},
      {QUANTIZED("\"quant_algo\": \"FP8\", \"kv_cache_quant_algo\": \"INT8\""), "fp8", "fp8", 8, ROOF_INT8},
      {QUANTIZED("\"quant_algo\": \"FP8\", \"kv_cache_quant_algo\": \"NVFP4\""), "fp8", "fp8", 8, ROOF_NVFP4},
      {QUANTIZED("\"quant_algo\": \"FP8\", \"kv_cache_quant_algo\": null"), "fp8", "fp8", 8, ROOF_BF16},
      {QUANTIZED("\"quant_method\": \"fbgemm_fp8\", \"activation_scale_ub\": 1200.0"), "fp8", "fp8", 8,
       ROOF_BF16},
      {QUANTIZED(
           "\"quant_method\": \"auto-round\", \"bits\": 4, \"group_size\": 128, \"data_type\": \"int\""),
       "w4a16", "w4a16", 4 + 20.0 / 128, ROOF_BF16},
      {MIXED("FP8", "NVFP4"), "fp8", "nvfp4", 4.5, ROOF_FP8},
      {MIXED("W8A16", "FP8"), "w8a16", "fp8", 8, ROOF_FP8},
      {GROUPS(GROUP("group_0", "Linear", "8", "float")), "fp8", "fp8", 8, ROOF_BF16},
      {ONE_GROUP("null", "8", "float", "null"), "fp8a16", "fp8a16", 8, ROOF_BF16},
      {ONE_GROUP("null", "4", "float", "16"), "nvfp4a16", "nvfp4a16", 4.5, ROOF_BF16},
      {ONE_GROUP("null", "4", "float", "32"), "mxfp4a16", "mxfp4a16", 4.25, ROOF_BF16},
      {ONE_GROUP("{\"num_bits\": 4}", "4", "float", "32"), "mxfp4", "mxfp4", 4.25, ROOF_BF16},
      {QUANTIZED("\"quant_method\": \"compressed-tensors\", \"kv_cache_scheme\": {\"num_bits\": 8, \"type\": "
                 "\"float\"}, \"config_groups\": {" GROUP("group_0", "Linear", "8", "float") "}"),
       "fp8", "fp8", 8, ROOF_FP8},
      {QUANTIZED("\"quant_method\": \"compressed-tensors\", \"kv_cache_scheme\": {\"num_bits\": 8, \"type\": "
                 "\"int\"}, \"config_groups\": {" GROUP("group_0", "Linear", "8", "float") "}"),
       "fp8", "fp8", 8, ROOF_INT8},
      {GROUPS(GROUP("a", "re:.*self_attn.*", "8", "float") ", " GROUP("b", "Linear", "4", "float")), "fp8",
       "nvfp4", 4.5, ROOF_BF16},
      {GROUPS(GROUP("a", "re:.*mlp\\\\.(gate|up|down)_proj$", "4", "int") ", " GROUP("b", "re:.*self_attn.*",
                                                                                     "8", "float")),
       "fp8", "int4 group 16", 5, ROOF_BF16},
      {GROUPS(GROUP("a", "re:.*mlp.*", "8", "float") ", " GROUP(
           "b", "re:.*shared_expert.*", "8", "float") ", " GROUP("c", "re:.*lm_head", "4", "float")),
       "bf16", "fp8", 8, ROOF_BF16},
      {GROUPS(GROUP("a", "re:.*q_proj", "4", "float") ", " GROUP("b", "re:.*mlp.*", "4", "float")), "nvfp4",
       "nvfp4", 4.5, ROOF_BF16},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_model m;
    roof_error error = {0};
    char name[64];
    if (roof_model_read(rows[i].text, strlen(rows[i].text), "x", &m, &error) != ROOF_OK) {
      fail_msg("%s: %s", rows[i].text, error.message);
    }
    const roof_weight_format *mlp = &m.precision.weights[ROOF_PART_MLP];
    assert_string_equal(roof_weight_format_name(&m.precision.weights[ROOF_PART_MIXER], name, sizeof name),
                        rows[i].mixer);
    assert_string_equal(roof_weight_format_name(mlp, name, sizeof name), rows[i].mlp);
    assert_near(8 * roof_weight_format_bytes(mlp), rows[i].bits, 1e-12);
    assert_int_equal(m.precision.kv, rows[i].kv);
    bool head = strstr(rows[i].text, "lm_head") != NULL;
    assert_true(roof_dtype_bytes(m.precision.weights[ROOF_PART_HEAD].stored) == (head ? 0.5 : 2));
  }
}

/** A format that is not computed is refused, not taken for one that is. */
static void quantized_configs_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } rows[] = {
      {QUANTIZED("\"quant_method\": \"gptq\", \"bits\": 3"), "bits=3: not computed"},
      {QUANTIZED("\"quant_method\": \"awq\", \"bits\": 2"), "bits=2: not computed"},
      {QUANTIZED("\"quant_method\": \"fp8\", \"kv_cache_scheme\": {\"num_bits\": 4, \"type\": \"float\"}"),
       "kv_cache_scheme: neither"},
      {GROUPS(GROUP("a", "Linear", "4", "float") ", " GROUP("b", "re:.*self_attn.*", "3", "int")),
       "unknown compressed-tensors format"},
      {GROUPS(GROUP("a", "Linear", "4", "float") ", " GROUP("b", "re:.*mlp.down_proj", "8", "float")),
       "groups differ in format, and `re:.*mlp.down_proj`"},
      {GROUPS(GROUP("a", "Linear", "4", "float") ", " GROUP("b", "re:.*layers\\\\.(38|39)\\\\.mlp.*", "8",
                                                            "float")),
       "groups differ in format, and `re:.*layers"},
      {GROUPS(GROUP("a", "re:.*mlp.*", "4", "float") ", " GROUP("b", "re:.*mlp.*", "8", "float")),
       "groups store mlp in two formats"},
      {GROUPS(""), "unknown compressed-tensors format"},
      {QUANTIZED("\"quant_method\": \"quark\""),
       "`quark` is not a known method; known: fp8, gptq, awq, auto-round"},
      {QUANTIZED("\"quant_algo\": \"W4A8_AWQ\""), "`W4A8_AWQ` is not a known method; known: "},
      {QUANTIZED("\"quant_method\": \"auto-round\", \"data_type\": \"mx_fp\""),
       "data_type `mx_fp`: not computed"},
      {QUANTIZED("\"quant_algo\": \"FP8\", \"kv_cache_quant_algo\": \"NVFP4_ROTATE\""),
       "kv_cache_quant_algo: `NVFP4_ROTATE` is none of FP8, INT8, NVFP4"},
      {QUANTIZED("\"quant_algo\": \"MIXED_PRECISION\""), "`MIXED_PRECISION` without `quantized_layers`"},
      {MIXED("FP8", "W4A8_AWQ"), "`W4A8_AWQ` is not a known method"},
      {QUANTIZED(
           "\"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": {" MATRIX("7.mlp.up_proj", "FP8") "}"),
       "`model.layers.7.mlp.up_proj` is not known as a matrix of a layer"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    static roof_model m;
    roof_error error = {0};
    assert_true(roof_model_read(rows[i].text, strlen(rows[i].text), "x", &m, &error) != ROOF_OK);
    if (strstr(error.message, rows[i].why) == NULL) {
      fail_msg("%s: without `%s`", error.message, rows[i].why);
    }
    assert_true(error.line == 1 && error.column > 100); /* where it stands, not where the file begins */
  }
}

/** A part whose matrices have several formats has the mean of them, also of experts named one by one. */
static void mixed_parts_have_the_mean(void **state) {
  (void)state;
  static const char text[] =
      QUANTIZED("\"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": {\"lm_head\": {\"quant_algo\": "
                "\"FP8\"}, " MATRIX("0.mlp.gate_proj", "NVFP4") ", " MATRIX(
                    "0.mlp.up_proj", "NVFP4") ", " MATRIX("1.mlp.up_proj", "FP8") "}");
  static const char experts[] =
      "{\"model_type\": \"qwen3_moe\", \"hidden_size\": 64, \"intermediate_size\": 128, "
      "\"moe_intermediate_size\": 32, "
      "\"num_experts\": 2, \"num_experts_per_tok\": 1, \"num_attention_heads\": 4, \"num_hidden_layers\": 1, "
      "\"vocab_size\": 100, \"torch_dtype\": \"bfloat16\", \"quantization_config\": {\"quant_algo\": "
      "\"MIXED_PRECISION\", \"quantized_layers\": {" MATRIX("0.mlp.experts.0.up_proj", "FP8") ", " MATRIX(
          "0.mlp.experts.1.down_proj", "FP8") ", " MATRIX("0.mlp.experts.1.up_proj", "FP8") "}}}";
  static const char extra[] =
      QUANTIZED("\"quant_method\": \"auto-round\", \"bits\": 4, \"extra_config\": {\"a\": {}}");
  roof_model m;
  roof_error error = {0};
  assert_int_equal(roof_model_read(extra, strlen(extra), "x", &m, &error), ROOF_OK);
  assert_non_null(strstr(m.notes[m.note_count - 1], "1 modules with bits of their own"));
  if (roof_model_read(text, strlen(text), "x", &m, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  const roof_weight_format *mlp = &m.precision.weights[ROOF_PART_MLP];
  assert_string_equal(mlp->label, "bf16+nvfp4");
  assert_near(roof_weight_format_bytes(mlp), (3 * 2 + 2 * 0.5625 + 1) / 6, 1e-12);
  assert_int_equal(m.precision.weights[ROOF_PART_HEAD].stored, ROOF_FP8);
  assert_int_equal(m.precision.weights[ROOF_PART_MIXER].stored, ROOF_BF16);
  if (roof_model_read(experts, strlen(experts), "x", &m, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  assert_near(roof_weight_format_bytes(&m.precision.weights[ROOF_PART_EXPERTS]), 1.5, 1e-12);
}

/** Configs as published: the parameters that PyTorch counts, and the tokens that positions reach. */
static void published_counts(void **state) {
  (void)state;
#define BASE                                                                                                 \
  "\"hidden_size\": 768, \"intermediate_size\": 3072, \"num_attention_heads\": 12, \"num_hidden_layers\": "  \
  "12, "
  static const struct {
    const char *text;
    double total, context;
  } rows[] = {
      {"{\"model_type\": \"roberta\", " BASE "\"vocab_size\": 50265, \"max_position_embeddings\": 514, "
       "\"type_vocab_size\": 1, \"hidden_act\": \"gelu\"}",
       124645632, 512},
      {"{\"model_type\": \"roberta\", " BASE "\"vocab_size\": 50265, \"max_position_embeddings\": 514, "
       "\"type_vocab_size\": 1, \"hidden_act\": \"gelu\", \"model_max_length\": 128}",
       124645632, 512},
      {"{\"model_type\": \"cohere\", \"hidden_size\": 8192, \"intermediate_size\": 22528, "
       "\"num_attention_heads\": 64, \"num_key_value_heads\": 64, \"num_hidden_layers\": 40, "
       "\"vocab_size\": 256000, \"model_max_length\": 131072, \"max_position_embeddings\": 8192}",
       34980831232, 131072},
      {"{\"architectures\": [\"XLMRobertaForMaskedLM\"], \"model_type\": \"xlm-roberta\", " BASE
       "\"vocab_size\": 250002, \"max_position_embeddings\": 514, \"type_vocab_size\": 1, \"output_past\": "
       "true}",
       278043648, 512},
      {"{\"activation\": \"gelu\", \"dim\": 768, \"hidden_dim\": 3072, \"n_heads\": 12, \"n_layers\": 6, "
       "\"max_position_embeddings\": 512, \"model_type\": \"distilbert\", \"qa_dropout\": 0.1, "
       "\"seq_classif_dropout\": 0.2, \"sinusoidal_pos_embds\": true, \"tie_weights_\": true, "
       "\"vocab_size\": 30522}",
       66362880, 512},
      {"{\"model_type\": \"stablelm\", \"hidden_size\": 2048, \"intermediate_size\": 5632, "
       "\"num_attention_heads\": 32, "
       "\"num_key_value_heads\": 32, \"num_hidden_layers\": 24, \"vocab_size\": 100352, \"use_qkv_bias\": "
       "true, "
       "\"max_position_embeddings\": 4096, \"partial_rotary_factor\": 0.25, \"tie_word_embeddings\": false}",
       1644515328, 4096},
      {"{\"model_type\": \"exaone4\", \"hidden_size\": 2048, \"intermediate_size\": 4096, "
       "\"num_attention_heads\": 32, "
       "\"num_key_value_heads\": 8, \"head_dim\": 64, \"num_hidden_layers\": 30, \"vocab_size\": 102400, "
       "\"sliding_window\": null, \"sliding_window_pattern\": null, \"tie_word_embeddings\": true}",
       1279391488, 0},
      {"{\"model_type\": \"ernie4_5\", \"hidden_size\": 1024, \"intermediate_size\": 3072, "
       "\"num_attention_heads\": 16, "
       "\"num_key_value_heads\": 2, \"head_dim\": 128, \"num_hidden_layers\": 18, \"vocab_size\": 103424, "
       "\"use_bias\": false, \"tie_word_embeddings\": true}",
       360748032, 0},
      {"{\"model_type\": \"starcoder2\", \"mlp_type\": \"default\", \"norm_type\": \"layer_norm\", "
       "\"hidden_size\": 3072, "
       "\"intermediate_size\": 12288, \"num_attention_heads\": 24, \"num_key_value_heads\": 2, "
       "\"num_hidden_layers\": "
       "30, \"vocab_size\": 49152, \"sliding_window\": 4096}",
       3030371328, 0},
      {"{\"model_type\": \"starcoder2\", \"mlp_type\": \"gated\", \"hidden_size\": 64, "
       "\"intermediate_size\": 128, "
       "\"num_attention_heads\": 4, \"num_hidden_layers\": 1, \"vocab_size\": 1}",
       64 + 4 * 64 * 65 + 3 * 64 * 128 + 2 * 128 + 64 + 3 * 2 * 64, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_model m;
    roof_error error = {0};
    if (roof_model_read(rows[i].text, strlen(rows[i].text), "x", &m, &error) != ROOF_OK) {
      fail_msg("%s", error.message);
    }
    if (roof_model_count(&m).total != rows[i].total || m.context != rows[i].context) {
      fail_msg("%s: %.0f parameters, not %.0f; %.0f tokens", m.architecture, roof_model_count(&m).total,
               rows[i].total, m.context);
    }
  }
}

/** EXAONE 4: a window in three of four layers, as letters or as a number. */
static void windows_by_letters(void **state) {
  (void)state;
  static const char *const patterns[] = {"\"LLLG\"", "4", "\"LLGL\""};
  for (int i = 0; i < 3; i++) {
    char text[1024];
    roof_model m;
    roof_error error = {0};
    snprintf(text, sizeof text,
             "{\"model_type\": \"exaone4\", \"hidden_size\": 64, \"intermediate_size\": 128, "
             "\"num_attention_heads\": 4, "
             "\"num_hidden_layers\": 8, \"vocab_size\": 100, \"sliding_window\": 16, "
             "\"sliding_window_pattern\": %s}",
             patterns[i]);
    roof_status status = roof_model_read(text, strlen(text), "x", &m, &error);
    assert_int_equal(status, i < 2 ? ROOF_OK : ROOF_E_ARGUMENT);
    for (int layer = 0; i < 2 && layer < 8; layer++) {
      assert_true(m.blocks[m.layers[layer]].window == (layer % 4 == 3 ? 0 : 16));
    }
  }
}

/** What says nothing about the model is no reason to refuse it; an unknown architecture is called so first. */
static void keys_that_say_nothing(void **state) {
  (void)state;
  static const char *const read[] = {SMALL "\"new\": null}",
                                     SMALL "\"new\": false, \"other\": 0}",
                                     SMALL
                                     "\"mm_tokens_per_image\": 256, \"mamba_ssm_cache_dtype\": \"float32\"}",
                                     SMALL "\"cache_implementation\": \"hybrid\", \"rms_norm\": true}",
                                     SMALL "\"full_attn_mod\": 1, \"mlp_expansion_factor\": 8}",
                                     SMALL "\"attn_scale\": 0.1, \"floor_scale\": 8192, "
                                           "\"attn_temperature_tuning\": true}",
                                     SMALL "\"mlp_intermediate_size\": 8192, \"downsample_ratio\": 0.5, "
                                           "\"select_layer\": -1, \"template\": \"internvl2_5\", "
                                           "\"use_thumbnail\": true, \"max_dynamic_patch\": 12}"};
  static roof_model m;
  roof_error error = {0};
  for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
    assert_int_equal(roof_model_read(read[i], strlen(read[i]), "x", &m, &error), ROOF_OK);
  }
  static const char adapter[] = SMALL "\"use_llm_lora\": 16}";
  assert_true(roof_model_read(adapter, strlen(adapter), "x", &m, &error) != ROOF_OK);
  static const char set[] = SMALL "\"new\": 3}", unknown[] = "{\"attn_config\": {}, \"model_type\": \"mpt\"}";
  assert_true(roof_model_read(set, strlen(set), "x", &m, &error) != ROOF_OK);
  assert_non_null(strstr(error.message, "new: unknown key"));
  assert_true(roof_model_read(unknown, strlen(unknown), "x", &m, &error) != ROOF_OK);
  assert_non_null(strstr(error.message, "not a known architecture"));
}

/** Read leniently, what is not known is named, once and in the first note; more than can be named is refused. */
static void unknown_keys_are_named(void **state) {
  (void)state;
  static const char text[] = SMALL "\"new\": 3, \"other\": {\"a\": 1}, \"text_config\": {\"new\": 4}, "
                                   "\"n_embd\": 65}";
  static roof_model m;
  roof_error error = {0};
  char many[2000] = SMALL;
  assert_int_equal(rf_config_read_lenient(text, strlen(text), "x", &m, &error), ROOF_OK);
  assert_int_equal(m.ignored_count, 2);
  assert_string_equal(m.ignored[0], "new");
  assert_string_equal(m.ignored[1], "other");
  assert_non_null(strstr(m.notes[0], "2 unknown keys ignored (new, other)"));
  assert_true(m.note_count == 2 && strstr(m.notes[1], "hidden_size says") != NULL);
  for (int i = 0; i <= ROOF_MODEL_IGNORED_MAX; i++) {
    snprintf(many + strlen(many), 20, "\"key%d\": 1%s", i, i < ROOF_MODEL_IGNORED_MAX ? ", " : "}");
  }
  assert_int_equal(rf_config_read_lenient(many, strlen(many), "x", &m, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "key32: one unknown key more than can be ignored"));
}

/** The architecture is what is refused, wherever it stands and whatever keys come before it. */
static void an_unknown_architecture_comes_first(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } refused[] = {
      {"{\"new\": 3, \"model_type\": \"zork\", \"text_config\": {\"model_type\": \"zork_text\"}}",
       "model_type `zork`: not a known architecture"},
      {"{\"new\": 3, \"text_config\": {\"hidden_size\": 3}, \"architectures\": [\"ZorkForCausalLM\"]}",
       "model_type `Zork`: not a known architecture"},
      {"{\"_class_name\": \"AutoencoderKL\", \"_diffusers_version\": \"0.30.0\", \"num_layers\": 19}",
       "_class_name `AutoencoderKL`: a part of a diffusion model"},
      {"{\"model_type\": \"led\", \"d_model\": 384}",
       "model_type `led`: not computed by this version: how its encoder"},
  };
  static roof_model m;
  roof_error error = {0};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    assert_true(roof_model_read(refused[i].text, strlen(refused[i].text), "x", &m, &error) != ROOF_OK);
    assert_non_null(strstr(error.message, refused[i].why));
  }
  static const char inner[] = "{\"model_type\": \"zork\", \"text_config\": " SMALL "\"head_dim\": 16}}";
  assert_int_equal(roof_model_read(inner, strlen(inner), "x", &m, &error), ROOF_OK);
}

/** SigLIP's tower of images: 27 x 27 patches of 3 x 14 x 14, no token of a class. */
static void an_image_is_patches(void **state) {
  (void)state;
  static const char text[] =
      "{\"model_type\": \"siglip_vision_model\", \"hidden_size\": 1152, \"intermediate_size\": 4304, "
      "\"num_attention_heads\": 16, \"num_hidden_layers\": 27, \"image_size\": 384, \"patch_size\": 14}";
  static const char small[] =
      "{\"model_type\": \"vit\", \"hidden_size\": 64, \"image_size\": 8, \"patch_size\": 16}";
  static roof_model m;
  roof_error error = {0};
  const double h = 1152, width = 4304, norm = 2 * h;
  const double layer = 4 * (h * h + h) + 2 * h * width + width + h + 2 * norm;
  assert_int_equal(roof_model_read(text, strlen(text), "x", &m, &error), ROOF_OK);
  assert_true(m.encoder && m.patch == 588 && m.positions == 729 && m.context == 729 && m.vocab == 0);
  assert_true(roof_model_count(&m).total == 27 * layer + norm + 588 * h + h + 729 * h);
  assert_true(roof_model_read(small, strlen(small), "x", &m, &error) != ROOF_OK);
  assert_non_null(strstr(error.message, "no patch fits into the image"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(keys_that_say_nothing),
                                     cmocka_unit_test(an_image_is_patches),
                                     cmocka_unit_test(unknown_keys_are_named),
                                     cmocka_unit_test(an_unknown_architecture_comes_first),
                                     cmocka_unit_test(excluded_modules_are_counted),
                                     cmocka_unit_test(quantized_configs),
                                     cmocka_unit_test(quantized_configs_refused),
                                     cmocka_unit_test(mixed_parts_have_the_mean),
                                     cmocka_unit_test(published_counts),
                                     cmocka_unit_test(windows_by_letters),
                                     cmocka_unit_test(counts),
                                     cmocka_unit_test(every_file),
                                     cmocka_unit_test(collection),
                                     cmocka_unit_test(built_in),
                                     cmocka_unit_test(formats)};
  return cmocka_run_group_tests(tests, find_folder, NULL);
}
