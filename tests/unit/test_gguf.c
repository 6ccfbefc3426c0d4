/* GGUF files: one built here byte by byte, and the samples. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/weights.h"
#include "weights/config.h"

enum { SIZE = 1 << 20, F32 = 0, Q4_0 = 2, U32 = 4, TEXT = 8 };
static unsigned char file[SIZE];
static size_t used;

static void put(uint64_t value, size_t size) {
  for (size_t i = 0; i < size; i++) {
    file[used++] = (unsigned char)(value >> (8 * i));
  }
}

static void put_text(const char *text) {
  put(strlen(text), 8);
  memcpy(file + used, text, strlen(text));
  used += strlen(text);
}

static void put_number(const char *key, uint64_t value) {
  put_text(key);
  put(U32, 4);
  put(value, 4);
}

static uint64_t offset;

static void put_tensor(const char *name, uint64_t columns, uint64_t rows, uint64_t type) {
  put_text(name);
  put(2, 4);
  put(columns, 8);
  put(rows, 8);
  put(type, 4);
  put(offset, 8);
  offset += columns * rows * (type == F32 ? 128 : 18) / 32;
}

/** A llama of one layer, 64 wide, with 4 heads on 2, an MLP of 128 and 96 tokens. */
static void build(const char *architecture) {
  memset(file, 0, sizeof file);
  used = 0;
  offset = 0;
  memcpy(file, "GGUF", 4);
  used = 4;
  put(3, 4);
  put(9, 8);
  put(8, 8);
  put_text("general.architecture");
  put(TEXT, 4);
  put_text(architecture);
  put_number("llama.block_count", 1);
  put_number("llama.embedding_length", 64);
  put_number("llama.feed_forward_length", 128);
  put_number("llama.attention.head_count", 4);
  put_number("llama.attention.head_count_kv", 2);
  put_number("llama.context_length", 512);
  put_number("llama.vocab_size", 96);
  put_tensor("token_embd.weight", 64, 96, Q4_0);
  put_tensor("output.weight", 64, 96, F32);
  put_tensor("blk.0.attn_q.weight", 64, 64, Q4_0);
  put_tensor("blk.0.attn_k.weight", 64, 32, Q4_0);
  put_tensor("blk.0.attn_v.weight", 64, 32, Q4_0);
  put_tensor("blk.0.attn_output.weight", 64, 64, Q4_0);
  put_tensor("blk.0.ffn_gate.weight", 64, 128, Q4_0);
  put_tensor("blk.0.ffn_up.weight", 64, 128, Q4_0);
  put_tensor("blk.0.ffn_down.weight", 128, 64, Q4_0);
  used = (used + 31) / 32 * 32 + (size_t)offset;
}

/** A file of metadata alone: "key=5" without the architecture, "key=1,0,2" a number per layer. */
static size_t build_metadata(const char *architecture, const char *entries) {
  char copy[4096], key[160], *rest = NULL;
  uint64_t count = 1;
  memset(file, 0, sizeof file);
  memcpy(file, "GGUF", 4);
  used = 4;
  put(3, 4);
  put(0, 8);
  put(0, 8);
  put_text("general.architecture");
  put(TEXT, 4);
  put_text(architecture);
  snprintf(copy, sizeof copy, "%s", entries);
  for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest), count++) {
    char *value = strchr(word, '=');
    *value++ = '\0';
    snprintf(key, sizeof key, "%s.%s", architecture, word);
    if (strchr(value, ',') == NULL) {
      put_number(key, strtoull(value, NULL, 10));
      continue;
    }
    put_text(key);
    put(9, 4);
    put(U32, 4);
    size_t length = used;
    uint64_t elements = 0;
    put(0, 8);
    for (char *end = value; *end != '\0'; end += *end == ',', elements++) {
      put(strtoull(end, &end, 10), 4);
    }
    memcpy(file + length, &elements, sizeof elements);
  }
  file[16] = (unsigned char)count;
  return used;
}

static void reads(void **state) {
  (void)state;
  roof_model m;
  roof_error error = {0};
  build("llama");
  if (roof_model_read_gguf(file, used, "dir/tiny.gguf", &m, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  assert_string_equal(m.name, "tiny");
  assert_string_equal(m.architecture, "llama");
  assert_true(m.hidden == 64 && m.vocab == 96 && m.context == 512 && m.layer_count == 1 && !m.tied);
  assert_true(m.blocks[0].heads == 4 && m.blocks[0].kv_heads == 2 && m.blocks[0].width == 128);
  assert_true(roof_weight_format_bytes(&m.precision.weights[ROOF_PART_MLP]) == 18.0 / 32);
  assert_true(roof_weight_format_bytes(&m.precision.weights[ROOF_PART_HEAD]) == 4);
  assert_string_equal(m.precision.weights[ROOF_PART_MLP].label, "Q4_0");
  assert_true(m.precision.table_bytes == 18.0 / 32);
  assert_int_equal(m.stored_count, 2);
  assert_true(m.stored[0].bytes + m.stored[1].bytes == (double)offset);
}

/** Decoding moves the bytes of the file: every matrix once. */
static void true_bytes(void **state) {
  (void)state;
  owned roof_machine *machine = NULL;
  static roof_model_answer answer;
  roof_model m;
  roof_model_target target;
  build("llama");
  assert_int_equal(roof_model_read_gguf(file, used, "tiny.gguf", &m, NULL), ROOF_OK);
  assert_int_equal(roof_catalog_load("h100", &machine, NULL), ROOF_OK);
  roof_model_settings settings = roof_model_settings_default(&m);
  assert_int_equal(roof_model_target_init(&target, &m, machine, &settings, NULL), ROOF_OK);
  roof_model_answer_of(&target, &answer);
  double table = 64 * 96 * 18.0 / 32, norms = 0; /* the file has no norms: nothing is known of them */
  for (int i = 0; i < answer.phases[ROOF_PHASE_DECODE].count; i++) {
    const roof_model_operation *o = &answer.phases[ROOF_PHASE_DECODE].operations[i];
    norms += o->part == ROOF_PART_COUNT ? o->count * o->bytes[ROOF_BYTES_WEIGHTS] : 0;
  }
  assert_near(answer.phases[ROOF_PHASE_DECODE].bytes[ROOF_BYTES_WEIGHTS] - norms, (double)offset - table,
              1e-9);
}

static void refuse_with(const char *words) {
  roof_model m;
  roof_error error = {0};
  assert_int_not_equal(roof_model_read_gguf(file, used, "bad.gguf", &m, &error), ROOF_OK);
  if (strstr(error.message, words) == NULL) {
    fail_msg("no `%s` in: %s", words, error.message);
  }
  assert_string_equal(error.file, "bad.gguf");
}

static void refuses(void **state) {
  (void)state;
  build("llama");
  used -= 1;
  refuse_with("truncated");
  used = 40;
  refuse_with("byte ");
  build("llama");
  file[0] = 'g';
  refuse_with("not a GGUF file");
  build("llama");
  file[4] = 9;
  refuse_with("byte 4: a version");
  build("lama");
  refuse_with("did you mean `llama`?");
  build("grok");
  refuse_with("llama.cpp has it, this version does not describe it");
  used = build_metadata("llama", "block_count=2 embedding_length=64 attention.head_count=4,2 vocab_size=96");
  refuse_with("llama.attention.head_count: differs from layer to layer");
  build("llama");
  file[8] = 200; /* tensors that are not there */
  refuse_with("byte ");
}

static void expect_same(const char *what, roof_model *m, roof_model *wanted) {
  m->tied = wanted->tied; /* without tensors nobody knows */
  roof_model_parameters a = roof_model_count(m), b = roof_model_count(wanted);
  if (a.total != b.total || a.active != b.active || a.kv_elements_per_token != b.kv_elements_per_token ||
      a.state_elements != b.state_elements || m->layer_count != wanted->layer_count) {
    fail_msg("%s: %.0f parameters, %.0f active, %.0f KV, %.0f state; not %.0f, %.0f, %.0f, %.0f", what,
             a.total, a.active, a.kv_elements_per_token, a.state_elements, b.total, b.active,
             b.kv_elements_per_token, b.state_elements);
  }
}

/** What llama.cpp's converters write, and the model it is of: a built-in one, or a config. */
static void architectures(void **state) {
  (void)state;
  static const struct {
    const char *architecture, *entries, *model;
  } rows[] = {
      {"llama4",
       "block_count=48 embedding_length=5120 feed_forward_length=16384 expert_feed_forward_length=8192 "
       "attention.head_count=40 attention.head_count_kv=8 attention.key_length=128 vocab_size=202048 "
       "expert_count=128 expert_used_count=1 interleave_moe_layer_step=2 context_length=1048576",
       "llama-4-maverick"},
      {"mamba2",
       "block_count=64 embedding_length=2560 feed_forward_length=0 attention.head_count=0 vocab_size=50288 "
       "ssm.conv_kernel=4 ssm.inner_size=5120 ssm.state_size=128 ssm.time_step_rank=80 ssm.group_count=1",
       "mamba2-2.7b"},
      {"nemotron_h",
       "block_count=4 embedding_length=64 feed_forward_length=0,256,0,256 attention.head_count=4 "
       "attention.head_count_kv=0,0,2,0 attention.key_length=16 vocab_size=96 ssm.conv_kernel=4 "
       "ssm.inner_size=128 "
       "ssm.state_size=16 ssm.time_step_rank=8 ssm.group_count=2",
       "{\"model_type\": \"nemotron_h\", \"hidden_size\": 64, \"intermediate_size\": 256, "
       "\"num_attention_heads\": 4, "
       "\"num_key_value_heads\": 2, \"head_dim\": 16, \"num_hidden_layers\": 4, \"vocab_size\": 96, "
       "\"hybrid_override_pattern\": \"M-*-\", \"ssm_state_size\": 16, \"conv_kernel\": 4, \"expand\": 2, "
       "\"mamba_num_heads\": 8, \"mamba_head_dim\": 16, \"n_groups\": 2, \"torch_dtype\": \"float16\"}"},
      {"deci",
       "block_count=3 embedding_length=512 feed_forward_length=1024,0,512 attention.head_count=8,8,0 "
       "attention.head_count_kv=4,2,0 attention.key_length=64 vocab_size=96",
       "{\"model_type\": \"nemotron-nas\", \"hidden_size\": 512, \"num_attention_heads\": 8, "
       "\"num_hidden_layers\": 3, "
       "\"head_dim\": 64, \"vocab_size\": 96, \"torch_dtype\": \"float16\", \"block_configs\": ["
       "{\"attention\": {\"no_op\": false, \"replace_with_linear\": false, \"n_heads_in_group\": 2}, "
       "\"ffn\": {\"no_op\": false, \"replace_with_linear\": false, \"ffn_mult\": 3.0}}, "
       "{\"attention\": {\"no_op\": false, \"replace_with_linear\": false, \"n_heads_in_group\": 4}, "
       "\"ffn\": {\"no_op\": true, \"replace_with_linear\": false, \"ffn_mult\": null}}, "
       "{\"attention\": {\"no_op\": true, \"replace_with_linear\": false, \"n_heads_in_group\": null}, "
       "\"ffn\": {\"no_op\": false, \"replace_with_linear\": false, \"ffn_mult\": 1.5}}]}"},
      {"qwen3next",
       "block_count=8 embedding_length=512 feed_forward_length=1536 attention.head_count=8 "
       "attention.head_count_kv=8 "
       "attention.key_length=128 expert_count=8 expert_used_count=2 expert_feed_forward_length=256 "
       "expert_shared_feed_forward_length=256 full_attention_interval=4 vocab_size=49152 ssm.conv_kernel=4 "
       "ssm.state_size=128 ssm.group_count=8 ssm.time_step_rank=8 ssm.inner_size=1024",
       "{\"model_type\": \"qwen3_next\", \"hidden_size\": 512, \"intermediate_size\": 1536, "
       "\"num_attention_heads\": 8, "
       "\"num_key_value_heads\": 8, \"head_dim\": 128, \"num_experts\": 8, \"num_experts_per_tok\": 2, "
       "\"moe_intermediate_size\": 256, \"shared_expert_intermediate_size\": 256, \"num_hidden_layers\": 8, "
       "\"vocab_size\": 49152, \"linear_conv_kernel_dim\": 4, \"linear_key_head_dim\": 128, "
       "\"linear_num_key_heads\": 8, \"linear_num_value_heads\": 8, \"linear_value_head_dim\": 128, "
       "\"full_attention_interval\": 4, \"torch_dtype\": \"float16\"}"},
      {"jamba",
       "block_count=8 embedding_length=64 feed_forward_length=128 attention.head_count=4 "
       "attention.head_count_kv=0,0,0,0,2,0,0,0 vocab_size=96 ssm.conv_kernel=4 ssm.inner_size=128 "
       "ssm.state_size=16 "
       "ssm.time_step_rank=4 expert_count=4 expert_used_count=2",
       "{\"model_type\": \"jamba\", \"hidden_size\": 64, \"intermediate_size\": 128, "
       "\"num_attention_heads\": 4, "
       "\"num_key_value_heads\": 2, \"num_hidden_layers\": 8, \"vocab_size\": 96, \"mamba_d_state\": 16, "
       "\"mamba_d_conv\": 4, \"mamba_expand\": 2, \"mamba_dt_rank\": 4, \"num_experts\": 4, "
       "\"num_experts_per_tok\": 2, \"attn_layer_period\": 8, \"attn_layer_offset\": 4, \"torch_dtype\": "
       "\"float16\"}"},
      {"glm4moe", /* 46 layers and one that predicts a further token */
       "block_count=47 embedding_length=4096 feed_forward_length=10944 attention.head_count=96 "
       "attention.head_count_kv=8 attention.key_length=128 expert_count=128 expert_used_count=8 "
       "expert_shared_count=1 "
       "expert_feed_forward_length=1408 leading_dense_block_count=1 nextn_predict_layers=1 vocab_size=151552",
       "glm-4.5-air"},
      {"command-r",
       "block_count=40 embedding_length=8192 feed_forward_length=22528 attention.head_count=64 "
       "attention.head_count_kv=64 vocab_size=256000 context_length=8192",
       "command-r-35b"},
#define CONFIG(type, more)                                                                                   \
  "{\"model_type\": \"" type                                                                                 \
  "\", \"hidden_size\": 512, \"intermediate_size\": 1024, \"num_attention_heads\": 8, "                      \
  "\"num_key_value_heads\": 2, \"num_hidden_layers\": 8, \"vocab_size\": 4096, \"torch_dtype\": "            \
  "\"float16\"" more "}"
#define ENTRIES                                                                                              \
  "block_count=8 embedding_length=512 feed_forward_length=1024 attention.head_count=8 "                      \
  "attention.head_count_kv=2 vocab_size=4096"
#define EXPERTS_ENTRIES ENTRIES " expert_count=16 expert_used_count=4"
      {"cohere2", ENTRIES " attention.sliding_window=64", CONFIG("cohere2", ", \"sliding_window\": 64")},
      {"granite", ENTRIES, CONFIG("granite", "")},
      {"granitemoe", EXPERTS_ENTRIES " expert_shared_feed_forward_length=256",
       CONFIG("granitemoe",
              ", \"num_local_experts\": 16, \"num_experts_per_tok\": 4, \"shared_intermediate_size\": 256")},
      {"olmoe", EXPERTS_ENTRIES, CONFIG("olmoe", ", \"num_experts\": 16, \"num_experts_per_tok\": 4")},
      {"smollm3", ENTRIES, CONFIG("smollm3", "")},
      {"ernie4_5", ENTRIES " attention.key_length=128", CONFIG("ernie4_5", ", \"head_dim\": 128")},
      {"exaone4", ENTRIES " attention.key_length=64 attention.sliding_window=32",
       CONFIG("exaone4", ", \"head_dim\": 64, \"sliding_window\": 32")},
      {"seed_oss", ENTRIES " attention.key_length=128", CONFIG("seed_oss", ", \"head_dim\": 128")},
      {"glm4", ENTRIES " attention.key_length=64", CONFIG("glm4", ", \"head_dim\": 64")},
      {"falcon-h1",
       ENTRIES " attention.key_length=32 ssm.conv_kernel=4 ssm.state_size=64 ssm.inner_size=768 "
               "ssm.time_step_rank=24 ssm.group_count=2",
       CONFIG("falcon_h1",
              ", \"head_dim\": 32, \"mamba_d_conv\": 4, \"mamba_d_state\": 64, \"mamba_d_ssm\": 768, "
              "\"mamba_n_heads\": 24, \"mamba_d_head\": 32, \"mamba_n_groups\": 2, \"mamba_expand\": 2")},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_model m, wanted;
    roof_error error = {0};
    const char *model = rows[i].model;
    size_t length = build_metadata(rows[i].architecture, rows[i].entries);
    if (roof_model_read_gguf(file, length, "x.gguf", &m, &error) != ROOF_OK ||
        (model[0] == '{' ? roof_model_read(model, strlen(model), "x.json", &wanted, &error)
                         : roof_model_load(model, &wanted, &error)) != ROOF_OK) {
      fail_msg("%s: %s", rows[i].architecture, error.message);
    }
    for (int b = 0; b < m.block_count && strcmp(rows[i].architecture, "glm4moe") == 0; b++) {
      m.blocks[b].qkv_bias = true; /* a tensor says so */
    }
    expect_same(rows[i].architecture, &m, &wanted);
  }
}

/** Command R+ has norms of Q and K, which its tensors say and no key of GGUF. */
static void tensors_say_norms(void **state) {
  (void)state;
  for (int norm = 0; norm < 2; norm++) {
    roof_model m;
    roof_error error = {0};
    build_metadata("command-r",
                   "block_count=1 embedding_length=64 feed_forward_length=128 attention.head_count=4 "
                   "attention.head_count_kv=4 vocab_size=96");
    file[8] = 1;
    offset = 0;
    put_tensor(norm ? "blk.0.attn_q_norm.weight" : "blk.0.attn_q.weight", 64, 64, F32);
    used = (used + 31) / 32 * 32 + (size_t)offset;
    if (roof_model_read_gguf(file, used, "x.gguf", &m, &error) != ROOF_OK) {
      fail_msg("%s", error.message);
    }
    assert_int_equal(m.blocks[0].qk_norm > 0, norm);
  }
}

/** No architecture that a config.json describes is called one that this version does not describe. */
static void names_of_configs_are_described(void **state) {
  (void)state;
  for (const char *const *name = rf_config_arch_names(); *name != NULL; name++) {
    char spelled[2][ROOF_NAME_MAX];
    snprintf(spelled[0], sizeof spelled[0], "%s", *name);
    snprintf(spelled[1], sizeof spelled[1], "%s", *name);
    for (char *at = spelled[1]; (at = strchr(at, '_')) != NULL; *at = '-') {
    }
    for (int i = 0; i < 2; i++) {
      roof_model m;
      roof_error error = {0};
      size_t length = build_metadata(spelled[i], "block_count=1");
      assert_int_not_equal(roof_model_read_gguf(file, length, "x.gguf", &m, &error), ROOF_OK);
      bool projector = strcmp(spelled[i], "clip") == 0; /* llama.cpp's name for that of any model */
      if (!projector && strstr(error.message, "does not describe it") != NULL) {
        fail_msg("%s", error.message);
      }
    }
  }
  build("gemma4");
  refuse_with("general.architecture `gemma4`: read from a config.json, not yet from GGUF");
}

static bool load_sample(const char *name, roof_model *m, roof_error *error) {
  char path[512];
  const char *shared = getenv("ROOFLINE_SHARED");
  snprintf(path, sizeof path, "%s/profiler-samples/gguf/%s", shared != NULL ? shared : "../shared", name);
  FILE *there = fopen(path, "rb");
  if (there == NULL) {
    print_message("skipped: no %s\n", path);
    skip();
  }
  fclose(there);
  return roof_model_load(path, m, error) == ROOF_OK;
}

static void samples(void **state) {
  (void)state;
  roof_model m;
  roof_error error = {0};
  double tensors = 0, elements = 0, bytes = 0;
  assert_true(load_sample("GENERATED_tiny_llama_q4k.gguf", &m, &error));
  for (int i = 0; i < m.stored_count; i++) {
    tensors += m.stored[i].tensors;
    elements += m.stored[i].elements;
    bytes += m.stored[i].bytes;
  }
  assert_true(tensors == 11 && elements == 1102336 && bytes == 730064);
  assert_true(load_sample("ggml-vocab-llama-spm.gguf", &m, &error));
  assert_non_null(strstr(m.notes[0], "no tensors"));
  assert_true(load_sample("ggml-vocab-phi-3.gguf", &m, &error));
  assert_non_null(strstr(m.notes[0], "no tensors"));
  assert_false(load_sample("CORRUPT_utf8-mangled_ggml-vocab-bert-bge.gguf", &m, &error));
  assert_non_null(strstr(error.message, "byte "));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads),
                                     cmocka_unit_test(true_bytes),
                                     cmocka_unit_test(refuses),
                                     cmocka_unit_test(architectures),
                                     cmocka_unit_test(tensors_say_norms),
                                     cmocka_unit_test(names_of_configs_are_described),
                                     cmocka_unit_test(samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
