/* What GGUF's metadata says, said as a config.json: one reader knows what an architecture's class fixes. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "roofline/text.h"
#include "roofline/weights.h"
#include "weights/gguf.h"

static void set_number(json_t *config, const char *key, double value) {
  if (!isnan(value)) {
    rf_json_set(config, key, json_real(value));
  }
}

/* What the layers of an architecture are, from the keys that llama.cpp's converters write for it (its folder
 * conversion, and convert_hf_to_gguf.py before). */

static void set_mamba1(json_t *config, const gguf *g) {
  set_number(config, "mamba_d_state", g->numbers[GGUF_STATE]);
  set_number(config, "mamba_d_conv", g->numbers[GGUF_KERNEL]);
  set_number(config, "mamba_dt_rank", g->numbers[GGUF_DT_RANK]);
  set_number(config, "mamba_expand", g->numbers[GGUF_INNER] / g->numbers[GGUF_HIDDEN]);
}

/** The rank of the step is here the count of heads. */
static void set_mamba2(json_t *config, const gguf *g) {
  set_number(config, "mamba_d_state", g->numbers[GGUF_STATE]);
  set_number(config, "mamba_d_conv", g->numbers[GGUF_KERNEL]);
  set_number(config, "mamba_n_heads", g->numbers[GGUF_DT_RANK]);
  set_number(config, "mamba_d_head", g->numbers[GGUF_INNER] / g->numbers[GGUF_DT_RANK]);
  set_number(config, "mamba_n_groups", g->numbers[GGUF_GROUPS]);
  set_number(config, "mamba_expand", g->numbers[GGUF_INNER] / g->numbers[GGUF_HIDDEN]);
}

/** Gated delta net: a state is a head's keys by its values. */
static void set_delta(json_t *config, const gguf *g) {
  set_number(config, "linear_conv_kernel_dim", g->numbers[GGUF_KERNEL]);
  set_number(config, "linear_key_head_dim", g->numbers[GGUF_STATE]);
  set_number(config, "linear_num_key_heads", g->numbers[GGUF_GROUPS]);
  set_number(config, "linear_num_value_heads", g->numbers[GGUF_DT_RANK]);
  set_number(config, "linear_value_head_dim", g->numbers[GGUF_INNER] / g->numbers[GGUF_DT_RANK]);
}

/** The number of a layer in a list, or the one that all layers have. */
static double each(const gguf *g, gguf_list list, gguf_number number, int layer) {
  return layer < g->each_count[list] ? g->each[list][layer] : g->numbers[number];
}

/** Layers without keys and values are mamba. */
static void set_layer_types(json_t *config, const gguf *g) {
  json_t *types = json_array();
  for (int i = 0; i < g->numbers[GGUF_LAYERS] && i < ROOF_LAYER_MAX; i++) {
    bool attention = each(g, GGUF_EACH_KV, GGUF_KV_HEADS, i) > 0;
    rf_json_append(types, json_string(attention ? "attention" : "mamba"));
  }
  rf_json_set(config, "layer_types", types);
}

static void set_jamba(json_t *config, const gguf *g) {
  json_t *types = json_array();
  set_mamba1(config, g);
  set_layer_types(config, g);
  for (int i = 0; i < g->numbers[GGUF_LAYERS] && i < ROOF_LAYER_MAX; i++) {
    rf_json_append(types, json_string(g->router[i] ? "sparse" : "dense"));
  }
  if (g->tensors > 0) {
    rf_json_set(config, "mlp_layer_types", types);
  } else {
    json_decref(types);
  }
}

static void set_granite(json_t *config, const gguf *g) {
  set_mamba2(config, g);
  set_layer_types(config, g);
}

/** Attention and a state in every layer. */
static void set_falcon(json_t *config, const gguf *g) {
  set_mamba2(config, g);
  set_number(config, "mamba_d_ssm", g->numbers[GGUF_INNER]);
}

/** Command R+ has norms of Q and K, Command R has not. */
static void set_cohere(json_t *config, const gguf *g) {
  rf_json_set(config, "use_qk_norm", json_boolean(g->qk_norm));
}

/** A layer is attention, an MLP or, with neither, mamba. */
static void set_nemotron(json_t *config, const gguf *g) {
  char letters[ROOF_LAYER_MAX + 1] = "";
  for (int i = 0; i < g->numbers[GGUF_LAYERS] && i < ROOF_LAYER_MAX; i++) {
    bool attention = each(g, GGUF_EACH_KV, GGUF_KV_HEADS, i) > 0;
    bool mlp = each(g, GGUF_EACH_WIDTH, GGUF_WIDTH, i) > 0;
    letters[i] = attention ? '*' : !mlp ? 'M' : g->numbers[GGUF_EXPERTS] > 0 ? 'E' : '-';
  }
  set_mamba2(config, g);
  rf_json_set(config, "hybrid_override_pattern", json_string(letters));
}

/** Layers that a search found: heads, keys and width of each. */
static void set_deci(json_t *config, const gguf *g) {
  json_t *blocks = json_array();
  for (int i = 0; i < g->numbers[GGUF_LAYERS] && i < ROOF_LAYER_MAX; i++) {
    double heads = each(g, GGUF_EACH_HEADS, GGUF_HEADS, i), kv = each(g, GGUF_EACH_KV, GGUF_KV_HEADS, i);
    double width = each(g, GGUF_EACH_WIDTH, GGUF_WIDTH, i);
    json_t *attention = json_pack("{s:b, s:b}", "no_op", heads == 0 && kv == 0, "replace_with_linear",
                                  heads == 0 ? kv > 0 : kv == 0);
    set_number(attention, "n_heads_in_group", kv > 0 ? heads / kv : NAN);
    json_t *ffn = json_pack("{s:b}", "no_op", width == 0);
    set_number(ffn, "ffn_mult", 1.5 * width / g->numbers[GGUF_HIDDEN]);
    rf_json_append(blocks, json_pack("{s:o, s:o}", "attention", attention, "ffn", ffn));
  }
  rf_json_set(config, "block_configs", blocks);
}

/* Names of architectures: llama.cpp src/llama-arch.cpp. With experts `llama` is Mixtral. */
static const struct {
  const char *name, *type;
  void (*layers)(json_t *config, const gguf *g);
  bool lists; /**< one number a layer is understood */
} architectures[] = {{"llama", "llama", NULL, false},
                     {"llama4", "llama4_text", NULL, false},
                     {"mistral3", "mistral", NULL, false},
                     {"internlm2", "llama", NULL, false},
                     {"xverse", "llama", NULL, false},
                     {"deci", "nemotron-nas", set_deci, true},
                     {"qwen2", "qwen2", NULL, false},
                     {"qwen2vl", "qwen2", NULL, false},
                     {"qwen2moe", "qwen2_moe", NULL, false},
                     {"qwen3", "qwen3", NULL, false},
                     {"qwen3vl", "qwen3_vl_text", NULL, false},
                     {"qwen3moe", "qwen3_moe", NULL, false},
                     {"qwen3vlmoe", "qwen3_vl_moe_text", NULL, false},
                     {"qwen3next", "qwen3_next", set_delta, false},
                     {"qwen35", "qwen3_5_text", set_delta, false},
                     {"qwen35moe", "qwen3_5_moe_text", set_delta, false},
                     {"gemma", "gemma", NULL, false},
                     {"gemma2", "gemma2", NULL, false},
                     {"gemma3", "gemma3_text", NULL, false},
                     {"gpt2", "gpt2", NULL, false},
                     {"gptneox", "gpt_neox", NULL, false},
                     {"starcoder", "gpt_bigcode", NULL, false},
                     {"starcoder2", "starcoder2", NULL, false},
                     {"bloom", "bloom", NULL, false},
                     {"falcon", "falcon", NULL, false},
                     {"phi2", "phi", NULL, false},
                     {"phi3", "phi3", NULL, false},
                     {"phimoe", "phimoe", NULL, false},
                     {"deepseek", "deepseek_v2", NULL, false},
                     {"deepseek2", "deepseek_v3", NULL, false},
                     {"deepseek32", "deepseek_v32", NULL, false},
                     {"glm4moe", "glm4_moe", NULL, false},
                     {"glm-dsa", "glm_moe_dsa", NULL, false},
                     {"gpt-oss", "gpt_oss", NULL, false},
                     {"minimax-m2", "minimax_m2", NULL, false},
                     {"olmo2", "olmo2", NULL, false},
                     {"olmoe", "olmoe", NULL, false},
                     {"granite", "granite", NULL, false},
                     {"granitemoe", "granitemoe", NULL, false},
                     {"command-r", "cohere", set_cohere, false},
                     {"cohere2", "cohere2", NULL, false},
                     {"smollm3", "smollm3", NULL, false},
                     {"ernie4_5", "ernie4_5", NULL, false},
                     {"exaone4", "exaone4", NULL, false},
                     {"seed_oss", "seed_oss", NULL, false},
                     {"glm4", "glm4", NULL, false},
                     {"falcon-h1", "falcon_h1", set_falcon, false},
                     {"mamba", "mamba", set_mamba1, false},
                     {"mamba2", "mamba2", set_mamba2, false},
                     {"jamba", "jamba", set_jamba, true},
                     {"granitehybrid", "granitemoehybrid", set_granite, true},
                     {"nemotron_h", "nemotron_h", set_nemotron, true},
                     {"nemotron_h_moe", "nemotron_h", set_nemotron, true},
                     {"bert", "bert", NULL, false}};
enum { ARCHITECTURES = sizeof architectures / sizeof architectures[0] };

/** Those of the same file that a config.json describes and the keys of GGUF not, as far as they are read here. */
static const char as_config[] =
    " chatglm dbrx exaone gemma3n gemma4 gptj kimi-linear nemotron rwkv6 rwkv7 stablelm step35 t5 ";

/** Those of the same file that are not described here: what they compute is not known, or not covered. */
static const char others[] =
    " afmoe apertus arcee arctic arwkv7 baichuan bailingmoe bailingmoe2 bitnet chameleon clip "
    "codeshell cogvlm cohere2moe deepseek2-ocr deepseek4 dflash dots1 dream eagle3 "
    "ernie4_5-moe eurobert exaone-moe gemma-embedding gemma4-assistant grok grovemoe "
    "hunyuan-dense hunyuan-moe hunyuan_vl hy_v3 jais jais2 jina-bert-v2 jina-bert-v3 laguna lfm2 lfm2moe "
    "llada llada-moe llama-embed maincoder mellum mimo2 minicpm minicpm3 mistral4 modern-bert mpt "
    "neo-bert nomic-bert nomic-bert-moe olmo openelm orion paddleocr pangu-embedded plamo plamo2 "
    "plamo3 plm qwen refact rnd1 rwkv6qwen2 smallthinker t5encoder talkie wavtokenizer-dec ";

static roof_status fail_architecture(const gguf *g, const char *file, roof_error *error) {
  const char *names[ARCHITECTURES + 1] = {NULL};
  char word[ROOF_NAME_MAX + 2];
  for (int i = 0; i < ARCHITECTURES; i++) {
    names[i] = architectures[i].name;
  }
  snprintf(word, sizeof word, " %s ", g->architecture);
  bool named = g->architecture[0] != '\0', described = named && strstr(as_config, word) != NULL;
  if (described || (named && strstr(others, word) != NULL)) {
    roof_error_set(error, ROOF_E_NAME,
                   described
                       ? "general.architecture `%s`: read from a config.json, not yet from GGUF; give the "
                         "model's config.json"
                       : "general.architecture `%s`: llama.cpp has it, this version does not describe it",
                   g->architecture);
    return roof_error_at(error, file, 0, 0);
  }
  roof_error_unknown(error, "general.architecture", g->architecture, names, NULL);
  return roof_error_at(error, file, 0, 0);
}

/** The row of the file's architecture, -1: there is none. */
static int row_of(const gguf *g) {
  int i = 0;
  while (i < ARCHITECTURES && strcmp(architectures[i].name, g->architecture) != 0) {
    i++;
  }
  return i < ARCHITECTURES ? i : -1;
}

static double first_of(const gguf *g, gguf_number a, gguf_number b) {
  return isnan(g->numbers[a]) ? g->numbers[b] : g->numbers[a];
}

/** Sizes of heads: latent attention has three, the others one. */
static void set_heads(json_t *config, const gguf *g) {
  if (g->numbers[GGUF_KV_RANK] > 0) {
    double rope = g->numbers[GGUF_ROPE];
    set_number(config, "qk_rope_head_dim", rope);
    set_number(config, "qk_nope_head_dim", first_of(g, GGUF_LATENT_KEY, GGUF_KEY) - rope);
    set_number(config, "v_head_dim", first_of(g, GGUF_LATENT_VALUE, GGUF_VALUE));
  } else {
    set_number(config, "head_dim", g->numbers[GGUF_KEY]);
  }
}

const char *rf_gguf_key(gguf_number number) {
  static const char *const keys[] = {
#define GGUF_KEY_TEXT(symbol, key, name) key,
      GGUF_NUMBER_MAP(GGUF_KEY_TEXT)
#undef GGUF_KEY_TEXT
  };
  return keys[number];
}

/** The format of activations: the largest part's where it is plain, else fp16, as llama.cpp computes. */
static const char *plain_type(const gguf *g) {
  int largest = 0;
  for (int part = 1; part < ROOF_PART_COUNT; part++) {
    largest = g->stored.bytes[part] > g->stored.bytes[largest] ? part : largest;
  }
  const weights_type *type = rf_weights_main_type(&g->stored, largest);
  return type != NULL && type->stored == ROOF_BF16   ? "bfloat16"
         : type != NULL && type->stored == ROOF_FP32 ? "float32"
                                                     : "float16";
}

static json_t *config_of(const gguf *g, int row) {
  static const char *const keys[] = {
#define GGUF_CONFIG_KEY(symbol, key, name) name,
      GGUF_NUMBER_MAP(GGUF_CONFIG_KEY)
#undef GGUF_CONFIG_KEY
  };
  bool mixtral = strcmp(g->architecture, "llama") == 0 && g->numbers[GGUF_EXPERTS] > 0;
  const char *type = mixtral ? "mixtral" : architectures[row].type;
  json_t *config = json_pack("{s:s, s:s}", "model_type", type, "torch_dtype", plain_type(g));
  for (int i = 0; i < GGUF_NUMBER_COUNT; i++) {
    if (keys[i] != NULL) {
      set_number(config, keys[i], g->numbers[i]);
    }
  }
  set_heads(config, g);
  if (architectures[row].layers != NULL) {
    architectures[row].layers(config, g);
  }
  if (g->numbers[GGUF_NEXT] > 0) { /* llama.cpp counts the layers that predict further tokens too */
    set_number(config, "num_hidden_layers", g->numbers[GGUF_LAYERS] - g->numbers[GGUF_NEXT]);
  }
  if (isnan(g->numbers[GGUF_VOCAB])) {
    set_number(config, "vocab_size", g->tokens);
  }
  if (g->tensors > 0 && strcmp(type, "bert") != 0) {
    rf_json_set(config, "tie_word_embeddings", json_boolean(!g->output));
  }
  if (g->qkv_bias) {
    rf_json_set(config, "qkv_bias", json_true());
  }
  return config;
}

static roof_status check(const gguf *g, bool lists, const char *file, roof_error *error) {
  static const gguf_number needed[] = {GGUF_LAYERS, GGUF_HIDDEN};
  roof_status status = ROOF_OK;
  for (int i = 0; i < GGUF_NUMBER_COUNT && status == ROOF_OK; i++) {
    bool listed = lists && (i == GGUF_HEADS || i == GGUF_KV_HEADS || i == GGUF_WIDTH);
    if (g->uneven[i] && !listed) {
      status =
          roof_error_set(error, ROOF_E_ARGUMENT, "%s.%s: differs from layer to layer, which is not computed",
                         g->architecture, rf_gguf_key((gguf_number)i));
    }
  }
  for (size_t i = 0; i < sizeof needed / sizeof needed[0] && status == ROOF_OK; i++) {
    if (!(g->numbers[needed[i]] >= 1)) {
      status =
          roof_error_set(error, ROOF_E_ARGUMENT, "%s.%s: missing", g->architecture, rf_gguf_key(needed[i]));
    }
  }
  if (status == ROOF_OK && g->numbers[GGUF_MOE_LATENT] > 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "%s.%s: experts on a latent, which is not computed",
                            g->architecture, rf_gguf_key(GGUF_MOE_LATENT));
  }
  if (status == ROOF_OK && g->shards > 1) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "one of %.0f files of a split model: join them first (llama-gguf-split --merge)",
                            g->shards);
  }
  return status == ROOF_OK ? status : roof_error_at(error, file, 0, 0);
}

static roof_status read_config(const json_t *config, const char *file, roof_model *model, roof_error *error) {
  roof_error inner = {0};
  char *text = rf_json_dump(config, 0);
  if (text == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "`%s`: out of memory", file);
  }
  roof_status status = roof_model_read(text, strlen(text), file, model, &inner);
  free(text);
  if (status != ROOF_OK) {
    roof_error_set(error, status, "its metadata as a config.json: %.400s", inner.message);
    roof_error_at(error, file, 0, 0);
  }
  return status;
}

roof_status rf_gguf_describe(const gguf *g, const char *file, roof_model *model, roof_error *error) {
  int row = row_of(g);
  if (row < 0) {
    return fail_architecture(g, file, error);
  }
  roof_status status = check(g, architectures[row].lists, file, error);
  if (status != ROOF_OK) {
    return status;
  }
  json_t *config = config_of(g, row);
  status = read_config(config, file, model, error);
  json_decref(config);
  if (status == ROOF_OK && g->tensors > 0) {
    rf_weights_apply(&g->stored, model);
  } else if (status == ROOF_OK) {
    roof_model_note(
        model, "the file has a vocabulary and no tensors: weights are counted from its metadata, in fp16");
  }
  return status;
}
