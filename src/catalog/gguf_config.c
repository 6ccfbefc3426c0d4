/* What GGUF's metadata says, said as a config.json: one reader knows what an architecture's class fixes. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/gguf.h"
#include "roofline/catalog.h"

/* Names of architectures: llama.cpp src/llama-arch.cpp. With experts `llama` is Mixtral. */
static const struct {
  const char *name, *type;
} architectures[] = {{"llama", "llama"},
                     {"qwen2", "qwen2"},
                     {"qwen2moe", "qwen2_moe"},
                     {"qwen3", "qwen3"},
                     {"qwen3moe", "qwen3_moe"},
                     {"gemma", "gemma"},
                     {"gemma2", "gemma2"},
                     {"gemma3", "gemma3_text"},
                     {"gpt2", "gpt2"},
                     {"gptneox", "gpt_neox"},
                     {"starcoder2", "starcoder2"},
                     {"bloom", "bloom"},
                     {"falcon", "falcon"},
                     {"phi2", "phi"},
                     {"phi3", "phi3"},
                     {"phimoe", "phimoe"},
                     {"deepseek2", "deepseek_v3"},
                     {"glm4moe", "glm4_moe"},
                     {"gpt-oss", "gpt_oss"},
                     {"minimax-m2", "minimax_m2"},
                     {"olmo2", "olmo2"},
                     {"mamba", "mamba"},
                     {"bert", "bert"}};
enum { ARCHITECTURES = sizeof architectures / sizeof architectures[0] };

static roof_status fail_architecture(const gguf *g, const char *file, roof_error *error) {
  const char *names[ARCHITECTURES + 1] = {NULL};
  for (int i = 0; i < ARCHITECTURES; i++) {
    names[i] = architectures[i].name;
  }
  const char *near = roof_suggest(g->architecture, names);
  roof_error_set(error, ROOF_E_NAME, "general.architecture `%.60s`: not one that is known%s%s%s",
                 g->architecture, near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
  return roof_error_at(error, file, 0, 0);
}

static const char *type_of(const gguf *g) {
  if (strcmp(g->architecture, "llama") == 0 && g->numbers[GGUF_EXPERTS] > 0) {
    return "mixtral";
  }
  for (int i = 0; i < ARCHITECTURES; i++) {
    if (strcmp(architectures[i].name, g->architecture) == 0) {
      return architectures[i].type;
    }
  }
  return NULL;
}

static double first_of(const gguf *g, gguf_number a, gguf_number b) {
  return isnan(g->numbers[a]) ? g->numbers[b] : g->numbers[a];
}

static void set_number(json_t *config, const char *key, double value) {
  if (!isnan(value)) {
    json_object_set_new(config, key, json_real(value));
  }
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

/** The format of activations: the largest part's where it is plain, else fp16, as llama.cpp computes. */
static const char *plain_type(const gguf *g) {
  int largest = 0;
  for (int part = 1; part < ROOF_PART_COUNT; part++) {
    largest = g->stored.bytes[part] > g->stored.bytes[largest] ? part : largest;
  }
  const weights_type *type = weights_main_type(&g->stored, largest);
  return type != NULL && type->stored == ROOF_BF16   ? "bfloat16"
         : type != NULL && type->stored == ROOF_FP32 ? "float32"
                                                     : "float16";
}

static json_t *config_of(const gguf *g, const char *type) {
  static const char *const keys[] = {
#define GGUF_CONFIG_KEY(symbol, key, name) name,
      GGUF_NUMBER_MAP(GGUF_CONFIG_KEY)
#undef GGUF_CONFIG_KEY
  };
  json_t *config = json_pack("{s:s, s:s}", "model_type", type, "torch_dtype", plain_type(g));
  for (int i = 0; i < GGUF_NUMBER_COUNT; i++) {
    if (keys[i] != NULL) {
      set_number(config, keys[i], g->numbers[i]);
    }
  }
  set_heads(config, g);
  if (isnan(g->numbers[GGUF_VOCAB])) {
    set_number(config, "vocab_size", g->tokens);
  }
  if (g->tensors > 0 && strcmp(type, "bert") != 0) {
    json_object_set_new(config, "tie_word_embeddings", json_boolean(!g->output));
  }
  if (g->qkv_bias) {
    json_object_set_new(config, "qkv_bias", json_true());
  }
  return config;
}

static roof_status check(const gguf *g, const char *file, roof_error *error) {
  static const gguf_number needed[] = {GGUF_LAYERS, GGUF_HIDDEN};
  roof_status status = ROOF_OK;
  for (int i = 0; i < GGUF_NUMBER_COUNT && status == ROOF_OK; i++) {
    if (g->uneven[i]) {
      status =
          roof_error_set(error, ROOF_E_ARGUMENT, "%s.%s: differs from layer to layer, which is not computed",
                         g->architecture, gguf_key((gguf_number)i));
    }
  }
  for (size_t i = 0; i < sizeof needed / sizeof needed[0] && status == ROOF_OK; i++) {
    if (!(g->numbers[needed[i]] >= 1)) {
      status = roof_error_set(error, ROOF_E_ARGUMENT, "%s.%s: missing", g->architecture, gguf_key(needed[i]));
    }
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
  char *text = json_dumps(config, 0);
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

roof_status gguf_describe(const gguf *g, const char *file, roof_model *model, roof_error *error) {
  const char *type = type_of(g);
  if (type == NULL) {
    return fail_architecture(g, file, error);
  }
  roof_status status = check(g, file, error);
  if (status != ROOF_OK) {
    return status;
  }
  json_t *config = config_of(g, type);
  status = read_config(config, file, model, error);
  json_decref(config);
  if (status == ROOF_OK && g->tensors > 0) {
    weights_apply(&g->stored, model);
  } else if (status == ROOF_OK) {
    roof_model_note(
        model, "the file has a vocabulary and no tensors: weights are counted from its metadata, in fp16");
  }
  return status;
}
