/* Settings as words: batch=8 prompt=4k tp=2 of a model's run, devices=512 tokens=4M of a cluster. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/step.h"
#include "roofline/model_sweep.h"
#include "roofline/plan.h"
#include "roofline/units.h"

/** A setting by name, and where it lies. */
typedef struct setting {
  const char *name;
  size_t offset;
  const char *unit;
  bool whole;         /**< a range of it has whole values */
  double least, most; /**< of a cluster's */
  const char *range;  /**< the two in words */
  /** Nullable: of a choice by its name, which reads that. */
  roof_status (*choose)(const char *text, roof_model_settings *settings, roof_error *error);
} setting;

enum { SETTING_MAX = 38 };

static roof_status choose_recompute(const char *text, roof_model_settings *settings, roof_error *error) {
  return roof_recompute_parse(text, &settings->recompute, error);
}

static roof_status choose_fusion(const char *text, roof_model_settings *settings, roof_error *error) {
  return roof_fusion_parse(text, &settings->fusion, error);
}

#define COUNT(name)                                                                                          \
  { #name, offsetof(roof_model_settings, name), "", true, 0, 0, NULL, NULL }
#define AMOUNT(name, unit)                                                                                   \
  { #name, offsetof(roof_model_settings, name), unit, false, 0, 0, NULL, NULL }
static const setting of_models[SETTING_MAX] = {
    COUNT(batch),
    COUNT(prompt),
    COUNT(generate),
    AMOUNT(prefix, "%"),
    COUNT(sharers),
    AMOUNT(offload, "%"),
    AMOUNT(offload_kv, "%"),
    AMOUNT(offload_optimizer, "%"),
    COUNT(chunk),
    COUNT(draft),
    AMOUNT(accept, "%"),
    COUNT(tp),
    COUNT(pp),
    COUNT(dp),
    COUNT(ep),
    COUNT(cp),
    AMOUNT(expert_skew, ""),
    COUNT(redundant_experts),
    COUNT(microbatches),
    COUNT(node),
    COUNT(page),
    AMOUNT(workspace, "B"),
    AMOUNT(memory_share, "%"),
    AMOUNT(price, ""),
    COUNT(zero),
    COUNT(interleave),
    COUNT(lora),
    COUNT(tokens),
    COUNT(images),
    COUNT(size),
    COUNT(steps),
    COUNT(guidance),
    COUNT(text),
    {"recompute", offsetof(roof_model_settings, recompute), "", false, 0, 0, NULL, choose_recompute},
    {"fuse", offsetof(roof_model_settings, fusion), "", false, 0, 0, NULL, choose_fusion},
    {"users", offsetof(roof_model_settings, batch), "", true, 0, 0, NULL, NULL},
    {"context", offsetof(roof_model_settings, prompt), "", true, 0, 0, NULL, NULL},
};

#define INPUT(name, member, unit, whole, least, most)                                                        \
  { name, offsetof(roof_cluster_settings, member), unit, whole, least, most, #least " to " #most, NULL }
static const setting of_clusters[SETTING_MAX] = {
    INPUT("devices", devices, "", true, 1, 1e18),
    INPUT("node", node, "", true, 1, 1e18),
    INPUT("params", parameters, "", false, 1, 1e18),
    INPUT("active", active_parameters, "", false, 1, 1e18),
    INPUT("tokens", tokens, "", false, 1, 1e18),
    INPUT("size", buffer_bytes, "B", false, 1, 1e18),
    INPUT("bytes", gradient_bytes, "B", false, 0.125, 8),
    INPUT("stages", stages, "", true, 1, 1e18),
    INPUT("microbatches", microbatches, "", true, 1, 1e18),
};

#define TOKENS "tokens in are prompt=, tokens out generate="

/** What other programs call a setting, and what is none of a model: where to look. */
static const struct {
  const char *name, *hint;
} elsewhere[] = {
    {"input", TOKENS},
    {"output", TOKENS},
    {"isl", TOKENS},
    {"osl", TOKENS},
    {"input_len", TOKENS},
    {"output_len", TOKENS},
    {"max_tokens", TOKENS},
    {"seq", TOKENS},
    {"seqlen", TOKENS},
    {"measured",
     "a measured time is of one operation; a model's is judged by `roofline claim MODEL tpot=TIME`"},
};

/** Where to look for `name`, a setting of no model. */
static const char *hint_of(const char *name) {
  const char *hint = "`roofline model --help` shows all";
  for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
    hint = strcmp(elsewhere[i].name, name) == 0 ? elsewhere[i].hint : hint;
  }
  return hint;
}

/** The setting that `word` names before its `=`, or NULL with the nearest name in the error. */
static const setting *find(const setting *table, const char *word, roof_error *error) {
  const char *names[SETTING_MAX] = {NULL};
  char name[64];
  size_t length = strcspn(word, "=");
  snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), word);
  for (int i = 0; table[i].name != NULL; i++) {
    names[i] = table[i].name;
    if (strcmp(table[i].name, name) == 0 && word[length] == '=') {
      return &table[i];
    }
  }
  roof_error_unknown(error, "setting", name, names,
                     table == of_models ? hint_of(name) : "`roofline cluster --help` shows all");
  return NULL;
}

static double *place_of(const setting *s, void *settings) {
  return (double *)(void *)((char *)settings + s->offset);
}

static roof_status read_setting(const void *context, const char *text, double *value, roof_error *error) {
  const setting *s = context;
  roof_error why = {0};
  roof_status status = roof_quantity_parse_unit(text, s->unit, value, &why);
  if (status == ROOF_OK && strcmp(s->name, "prefix") == 0 && strchr(text, '%') != NULL && *value >= 1) {
    status = roof_error_set(&why, ROOF_E_ARGUMENT, "%s is not under 100 %%", text);
  }
  return status == ROOF_OK ? ROOF_OK : roof_error_set(error, status, "%s: %s", s->name, why.message);
}

static bool is_list(const char *text) {
  return strchr(text, ',') != NULL || strstr(text, "..") != NULL;
}

/** Reads a list or range; the setting itself gets the first value. */
static roof_status read_list(const setting *s, const char *list, roof_model_settings *settings,
                             roof_model_axes *axes, roof_error *error) {
  char copy[256];
  if (axes == NULL || axes->count == ROOF_MODEL_AXIS_MAX || strlen(list) >= sizeof copy) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s=%.60s: %s", s->name, list,
                          axes == NULL ? "one value here" : "too many lists, or a long one");
  }
  roof_model_axis *axis = &axes->list[axes->count++];
  *axis = (roof_model_axis){.name = s->name, .offset = s->offset};
  snprintf(copy, sizeof copy, "%s", list);
  roof_status status = roof_axis_read(&axis->values, s->name, s->whole, read_setting, s, copy, error);
  if (status == ROOF_OK) {
    *place_of(s, settings) = axis->values.values[0];
  }
  return status;
}

unsigned long long rf_model_setting_bit(const char *name) {
  unsigned long long bit = 0;
  for (int i = 0; of_models[i].name != NULL && bit == 0; i++) {
    bit = strcmp(of_models[i].name, name) == 0 ? 1ull << i : 0;
  }
  return bit;
}

bool rf_model_typed(const roof_model_settings *settings, const char *name) {
  return (settings->typed & rf_model_setting_bit(name)) != 0;
}

/** The setting, or another name of it, that was typed before; NULL: none. */
static const setting *given(const setting *s, unsigned long long typed_before) {
  for (int i = 0; of_models[i].name != NULL; i++) {
    if (of_models[i].offset == s->offset && (typed_before >> i & 1) != 0) {
      return &of_models[i];
    }
  }
  return NULL;
}

static roof_status given_twice(const setting *s, roof_error *error) {
  return roof_error_set(error, ROOF_E_ARGUMENT, "`%s`: given twice", s->name);
}

static roof_status read_word(const char *word, roof_model_settings *settings, roof_model_axes *axes,
                             roof_error *error) {
  const char *equals = strchr(word, '=');
  if (equals == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "`%.60s`: settings are key=value, for instance batch=8",
                          word);
  }
  const setting *s = find(of_models, word, error);
  if (s == NULL) {
    return ROOF_E_NAME;
  }
  const setting *earlier = given(s, settings->typed);
  if (earlier != NULL) {
    return earlier == s ? given_twice(s, error)
                        : roof_error_set(error, ROOF_E_ARGUMENT, "`%s` and `%s`: they say the same; give one",
                                         earlier->name, s->name);
  }
  settings->typed |= 1ull << (s - of_models);
  if (s->choose != NULL) {
    return s->choose(equals + 1, settings, error);
  }
  if (is_list(equals)) {
    return read_list(s, equals + 1, settings, axes, error);
  }
  return read_setting(s, equals + 1, place_of(s, settings), error);
}

static void release(roof_model_axes *axes, int from) {
  while (axes != NULL && axes->count > from) {
    free(axes->list[--axes->count].values.values);
  }
}

roof_status roof_model_settings_read(const char *const *words, int count, roof_model_settings *settings,
                                     roof_model_axes *axes, roof_error *error) {
  roof_model_settings read = *settings;
  int before = axes != NULL ? axes->count : 0;
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = read_word(words[i], &read, axes, error);
  }
  if (status != ROOF_OK) {
    release(axes, before);
    return status;
  }
  *settings = read;
  return ROOF_OK;
}

void roof_model_axes_done(roof_model_axes *axes) {
  release(axes, 0);
}

roof_cluster_settings roof_cluster_settings_default(void) {
  return (roof_cluster_settings){.devices = 64,
                                 .node = NAN,
                                 .parameters = 8e9,
                                 .active_parameters = NAN,
                                 .tokens = 4e6,
                                 .gradient_bytes = 2,
                                 .buffer_bytes = NAN,
                                 .stages = 4,
                                 .microbatches = 16};
}

static roof_status check_value(const setting *s, double value, roof_error *error) {
  bool right = value >= s->least && value <= s->most && (!s->whole || value == floor(value));
  return right ? ROOF_OK
               : roof_error_set(error, ROOF_E_ARGUMENT, "%s=%g: must be %s from %s", s->name, value,
                                s->whole ? "a whole number" : "a number", s->range);
}

roof_status rf_cluster_settings_check(const roof_cluster_settings *settings, roof_error *error) {
  roof_cluster_settings given = *settings, usual = roof_cluster_settings_default();
  roof_status status = ROOF_OK;
  for (const setting *s = of_clusters; s->name != NULL && status == ROOF_OK; s++) {
    double value = *place_of(s, &given);
    bool left = isnan(value) && isnan(*place_of(s, &usual));
    status = left ? ROOF_OK : check_value(s, value, error);
  }
  if (status == ROOF_OK && given.active_parameters > given.parameters) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "active=%g: is more than params=%g, of which they are",
                          given.active_parameters, given.parameters);
  }
  return status;
}

roof_status roof_cluster_settings_read(const char *word, roof_cluster_settings *settings, roof_error *error) {
  const setting *s = find(of_clusters, word, error);
  unsigned bit = s == NULL ? 0 : 1u << (s - of_clusters);
  double value = 0;
  roof_status status = s == NULL                      ? ROOF_E_NAME
                       : (settings->typed & bit) != 0 ? given_twice(s, error)
                       : is_list(strchr(word, '=') + 1)
                           ? read_list(s, strchr(word, '=') + 1, NULL, NULL, error)
                           : read_setting(s, strchr(word, '=') + 1, &value, error);
  status = status == ROOF_OK ? check_value(s, value, error) : status;
  if (status == ROOF_OK) {
    *place_of(s, settings) = value;
    settings->typed |= bit;
  }
  return status;
}
