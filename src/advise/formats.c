#include "roofline/formats.h"

#include <stdio.h>
#include <string.h>

#include "core/letters.h"
#include "core/number.h"
#include "roofline/model.h"
#include "roofline/text.h"
#include "roofline/units.h"

static roof_dtype default_dtype(const roof_machine *machine) {
  bool half = roof_machine_peak(machine, ROOF_FP16, ROOF_MATRIX, false, ROOF_DATASHEET) != NULL;
  bool brain = roof_machine_peak(machine, ROOF_BF16, ROOF_MATRIX, false, ROOF_DATASHEET) != NULL;
  return half ? ROOF_FP16 : brain ? ROOF_BF16 : ROOF_FP32;
}

/** Ways of storing weights that have names: the format, and how many share a scale of which format. */
static const struct {
  const char *name;
  roof_dtype weights, scale;
  double group;
} storages[] = {
    {"nf4", ROOF_FP4, ROOF_FP32, 64},   /* bitsandbytes: blocks of 64, fp32 maxima */
    {"awq", ROOF_INT4, ROOF_FP16, 128}, /* AutoAWQ's default */
    {"gptq", ROOF_INT4, ROOF_FP16, 128},
    {"mxfp4", ROOF_FP4, ROOF_FP8, 32}, /* OCP microscaling: an 8-bit scale */
    {"mxfp8", ROOF_FP8, ROOF_FP8, 32},
    {"nvfp4", ROOF_FP4, ROOF_FP8, 16}, /* an fp8 scale */
};

/** Names what `--weights` takes: the nearest, or all. */
static roof_status refuse_weights(const char *text, roof_error *error) {
  enum { STORAGES = sizeof storages / sizeof storages[0] };
  const char *names[STORAGES + ROOF_DTYPE_COUNT + 1] = {NULL};
  roof_text all = {0};
  for (int i = 0; i < (int)STORAGES + ROOF_DTYPE_COUNT; i++) {
    names[i] = i < (int)STORAGES ? storages[i].name : roof_dtype_name((roof_dtype)(i - (int)STORAGES));
    roof_text_addf(&all, "%s%s", i > 0 ? ", " : "known: ", names[i]);
  }
  roof_text_add(&all, ", those of llama.cpp (q4_k_m)");
  const char *hint = roof_suggest(text, names) == NULL && !all.failed ? all.data : NULL;
  roof_status status = roof_error_unknown(error, "weights", text, names, hint);
  roof_text_done(&all);
  return status;
}

static roof_status read_weights(const char *text, roof_types *types, roof_error *error) {
  roof_weight_format mixed;
  for (size_t i = 0; i < sizeof storages / sizeof storages[0]; i++) {
    if (rf_letters_compare(storages[i].name, text) == 0) {
      types->weights = storages[i].weights;
      types->scale = storages[i].scale;
      types->group = storages[i].group;
      return ROOF_OK;
    }
  }
  if (roof_weight_format_parse(text, &mixed, NULL) == ROOF_OK && mixed.bytes > 0) {
    types->weights = mixed.stored;
    types->weight_bytes = mixed.bytes;
    return ROOF_OK;
  }
  return roof_dtype_parse(text, &types->weights, NULL) == ROOF_OK ? ROOF_OK : refuse_weights(text, error);
}

static roof_status read_group(const char *text, double *group, roof_error *error) {
  roof_error why = {0};
  roof_status status = roof_quantity_parse_unit(text, "", group, &why);
  if (status != ROOF_OK) {
    return roof_error_set(error, status, "--group %s", why.message);
  }
  return *group >= 1 ? ROOF_OK
                     : roof_error_set(error, ROOF_E_ARGUMENT, "--group %s: must be at least 1", text);
}

roof_status roof_formats_read(const roof_formats *formats, const roof_machine *machine, roof_types *types,
                              roof_error *error) {
  roof_dtype dtype = default_dtype(machine);
  roof_status status =
      formats->dtype != NULL ? roof_dtype_parse_scaled(formats->dtype, &dtype, error) : ROOF_OK;
  roof_types result = roof_types_of(dtype);
  const struct {
    const char *text;
    roof_dtype *part;
  } parts[] = {{formats->accumulate, &result.accumulate},
               {formats->output, &result.output},
               {formats->kv, &result.kv}};
  if (status == ROOF_OK && formats->weights != NULL) {
    status = read_weights(formats->weights, &result, error);
  }
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == ROOF_OK; i++) {
    status = parts[i].text != NULL ? roof_dtype_parse_scaled(parts[i].text, parts[i].part, error) : ROOF_OK;
  }
  if (status == ROOF_OK && formats->group != NULL) {
    status = read_group(formats->group, &result.group, error);
  }
  if (status == ROOF_OK) {
    *types = result;
  }
  return status;
}

enum { VALUE_MAX = 48 };

/** What `--weights` reads as these weights; *group is what it reads with them. */
static const char *weights_name(const roof_types *t, char name[VALUE_MAX], double *group) {
  const roof_weight_format mixed = {
      .stored = t->weights, .compute = t->weights, .weight_only = true, .bytes = t->weight_bytes};
  const char *found = NULL;
  *group = 0;
  if (t->weight_bytes > 0) {
    return roof_weight_format_name(&mixed, name, VALUE_MAX);
  }
  for (size_t i = 0; i < sizeof storages / sizeof storages[0] && t->group > 0; i++) {
    bool is = storages[i].weights == t->weights && storages[i].scale == t->scale;
    if (is && t->scale != ROOF_FP16 && (found == NULL || storages[i].group == t->group)) {
      found = storages[i].name;
      *group = storages[i].group;
    }
  }
  snprintf(name, VALUE_MAX, "%s", found != NULL ? found : roof_dtype_name(t->weights));
  return name;
}

char *roof_formats_words(const roof_types *t, bool dashes, char *buffer, size_t size) {
  const roof_types usual = roof_types_of(t->compute);
  char weights[VALUE_MAX], group[VALUE_MAX];
  double implied;
  weights_name(t, weights, &implied);
  rf_format(group, sizeof group, "%.15g", t->group);
  const struct {
    const char *name, *value;
    bool said;
  } parts[] = {{"weights", weights, t->weights != usual.weights || t->weight_bytes > 0 || implied > 0},
               {"group", group, t->group != implied},
               {"accumulate", roof_dtype_name(t->accumulate), t->accumulate != usual.accumulate},
               {"output", roof_dtype_name(t->output), t->output != usual.output},
               {"kv", roof_dtype_name(t->kv), t->kv != usual.kv}};
  buffer[0] = '\0';
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    size_t used = strlen(buffer);
    if (parts[i].said) {
      snprintf(buffer + used, size - used, dashes ? " --%s %s" : " %s=%s", parts[i].name, parts[i].value);
    }
  }
  return buffer;
}

char *roof_formats_apart(const roof_types *t, char *buffer, size_t size) {
  const roof_types usual = roof_types_of(t->compute);
  char weights[VALUE_MAX], group[VALUE_MAX];
  double implied;
  snprintf(weights, sizeof weights, "%s", roof_dtype_name(t->weights));
  if (t->weight_bytes > 0) {
    weights_name(t, weights, &implied);
  }
  rf_format(group, sizeof group, "%.15g", t->group);
  const struct {
    const char *words, *value;
    bool said;
  } parts[] = {{", weights", weights, t->weights != usual.weights || t->weight_bytes > 0},
               {" with a scale per", group, t->group > 0},
               {", keys and values", roof_dtype_name(t->kv), t->kv != usual.kv},
               {", accumulated in", roof_dtype_name(t->accumulate), t->accumulate != usual.accumulate},
               {", result", roof_dtype_name(t->output), t->output != usual.output}};
  buffer[0] = '\0';
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    size_t used = strlen(buffer);
    if (parts[i].said) {
      snprintf(buffer + used, size - used, "%s %s", parts[i].words, parts[i].value);
    }
  }
  return buffer;
}
