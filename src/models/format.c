/* How weights are stored. A format is a row: adding one needs no other change. */
#include <stdio.h>
#include <string.h>

#include "core/letters.h"
#include "roofline/model.h"
#include "roofline/text.h"

#define PLAIN(label, dtype)                                                                                  \
  {                                                                                                          \
    label, {                                                                                                 \
      .stored = dtype, .compute = dtype                                                                      \
    }                                                                                                        \
  }

#define MIXED(label, dtype, bits)                                                                            \
  {                                                                                                          \
    label, {                                                                                                 \
      .stored = dtype, .compute = dtype, .weight_only = true, .bytes = (bits) / 8                            \
    }                                                                                                        \
  }

/* Scales: GPTQ and AWQ (Frantar et al. 2023; Lin et al. 2024) keep an fp16 scale and a 4-bit zero point for
 * 128 weights; DeepSeek-V3 (2024, section 3.3) an fp32 scale per block of 128 x 128; the OCP microscaling
 * formats (v1.0, 2023) an 8-bit exponent for 32 elements; NVFP4 (NVIDIA, 2025) an fp8 scale for 16; NF4 an fp32 scale for 64
 * (Dettmers et al. 2023, without double quantisation). The scales of a whole tensor or channel (fp8, w8a8, w8a16) are
 * negligible against the weights. llama.cpp: q4_0 and q8_0
 * have an fp16 scale for 32 weights; the mixed ones the bits of a weight that it gives of Llama 2 7B as a whole
 * (examples/quantize/README.md @b8c1476e; 13B and 70B: 0.2 to 1.5 % fewer). */
static const struct {
  const char *name;
  roof_weight_format format;
} presets[] = {
    PLAIN("fp32", ROOF_FP32),
    PLAIN("fp16", ROOF_FP16),
    PLAIN("bf16", ROOF_BF16),
    PLAIN("fp8", ROOF_FP8),
    {"fp8-block", {.stored = ROOF_FP8, .compute = ROOF_FP8, .group = 128 * 128, .scale_bits = 32}},
    {"mxfp8", {.stored = ROOF_FP8, .compute = ROOF_FP8, .group = 32, .scale_bits = 8}},
    PLAIN("w8a8", ROOF_INT8),
    {"w8a16", {.stored = ROOF_INT8, .compute = ROOF_INT8, .weight_only = true}},
    {"w4a16",
     {.stored = ROOF_INT4, .compute = ROOF_INT4, .weight_only = true, .group = 128, .scale_bits = 20}},
    MIXED("q8_0", ROOF_INT8, 8.5),
    MIXED("q4_0", ROOF_INT4, 4.5),
    MIXED("q6_k", ROOF_INT8, 6.56),
    MIXED("q5_k_m", ROOF_INT8, 5.68),
    MIXED("q4_k_m", ROOF_INT4, 4.84),
    MIXED("q3_k_m", ROOF_INT4, 3.91),
    {"nvfp4", {.stored = ROOF_FP4, .compute = ROOF_FP4, .group = 16, .scale_bits = 8}},
    {"mxfp4", {.stored = ROOF_FP4, .compute = ROOF_FP4, .group = 32, .scale_bits = 8}},
    {"nf4", {.stored = ROOF_FP4, .compute = ROOF_FP4, .weight_only = true, .group = 64, .scale_bits = 32}},
    {"fp8a16", {.stored = ROOF_FP8, .compute = ROOF_FP8, .weight_only = true}},
    {"nvfp4a16",
     {.stored = ROOF_FP4, .compute = ROOF_FP4, .weight_only = true, .group = 16, .scale_bits = 8}},
    {"mxfp4a16",
     {.stored = ROOF_FP4, .compute = ROOF_FP4, .weight_only = true, .group = 32, .scale_bits = 8}},
};
enum { PRESET_COUNT = sizeof presets / sizeof presets[0] };

/** What else they are called: by their quantiser or by the width of the weights alone. Other names of a
 * format are those of roof_dtype_parse. */
static const struct {
  const char *name, *preset;
} synonyms[] = {
    {"int4", "w4a16"}, {"awq", "w4a16"}, {"gptq", "w4a16"}, {"int8", "w8a16"}, {"smoothquant", "w8a8"},
};
enum { SYNONYM_COUNT = sizeof synonyms / sizeof synonyms[0] };

static const char *preset_name(const char *text) {
  roof_dtype dtype;
  text = roof_dtype_parse_scaled(text, &dtype, NULL) == ROOF_OK ? roof_dtype_name(dtype) : text;
  for (int i = 0; i < SYNONYM_COUNT; i++) {
    if (rf_letters_compare(synonyms[i].name, text) == 0) {
      return synonyms[i].preset;
    }
  }
  return text;
}

roof_weight_format roof_weight_format_of(roof_dtype dtype) {
  return (roof_weight_format){.stored = dtype, .compute = dtype};
}

/** The nearest name, where none is near all of them. */
static roof_status suggest(const char *text, const char *const *names, roof_error *error) {
  roof_text all = {0};
  for (int i = 0; names[i] != NULL; i++) {
    roof_text_addf(&all, "%s%s", i > 0 ? ", " : "known: ", names[i]);
  }
  const char *hint = roof_suggest(text, names) == NULL && !all.failed ? all.data : NULL;
  roof_status status = roof_error_unknown(error, "precision", text, names, hint);
  roof_text_done(&all);
  return status;
}

roof_status roof_weight_format_parse(const char *text, roof_weight_format *format, roof_error *error) {
  const char *names[PRESET_COUNT + SYNONYM_COUNT + 1] = {NULL};
  for (int i = 0; i < PRESET_COUNT; i++) {
    if (rf_letters_compare(presets[i].name, preset_name(text)) == 0) {
      *format = presets[i].format;
      return ROOF_OK;
    }
    names[i] = presets[i].name;
  }
  for (int i = 0; i < SYNONYM_COUNT; i++) {
    names[PRESET_COUNT + i] = synonyms[i].name;
  }
  return suggest(text, names, error);
}

static bool same(const roof_weight_format *a, const roof_weight_format *b) {
  return a->stored == b->stored && a->compute == b->compute && a->weight_only == b->weight_only &&
         a->group == b->group && a->scale_bits == b->scale_bits && a->bytes == b->bytes;
}

char *roof_weight_format_name(const roof_weight_format *format, char *buffer, size_t size) {
  if (format->label[0] != '\0') {
    snprintf(buffer, size, "%s", format->label);
    return buffer;
  }
  for (int i = 0; i < PRESET_COUNT; i++) {
    if (same(format, &presets[i].format)) {
      snprintf(buffer, size, "%s", presets[i].name);
      return buffer;
    }
  }
  int used = snprintf(buffer, size, "%s", roof_dtype_name(format->stored));
  if (format->group > 0 && used > 0 && (size_t)used < size) {
    snprintf(buffer + used, size - (size_t)used, " group %.0f", format->group);
  }
  return buffer;
}

double roof_weight_format_bytes(const roof_weight_format *format) {
  double scales = format->group > 0 ? format->scale_bits / 8 / format->group : 0;
  return format->bytes > 0 ? format->bytes : roof_dtype_bytes(format->stored) + scales;
}

roof_model_precision roof_model_precision_of(roof_dtype dtype) {
  roof_model_precision precision = {.activations = dtype, .kv = dtype, .state = ROOF_FP32};
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    precision.weights[part] = roof_weight_format_of(dtype);
  }
  return precision;
}

/** Stored as activations were: no format of its own. */
static bool is_plain(const roof_weight_format *format, roof_dtype activations) {
  return format->stored == activations && format->group == 0 &&
         (format->bytes == 0 || format->bytes == roof_dtype_bytes(activations));
}

void roof_model_precision_retype(roof_model_precision *precision, roof_dtype dtype) {
  roof_dtype before = precision->activations;
  bool kept = false;
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    roof_weight_format *format = &precision->weights[part];
    if (is_plain(format, before)) {
      *format = roof_weight_format_of(dtype);
    } else {
      kept = true;
    }
  }
  precision->activations = dtype;
  precision->kv = precision->kv == before ? dtype : precision->kv;
  precision->table_bytes = kept ? precision->table_bytes : 0;
  precision->vector_bytes = kept ? precision->vector_bytes : 0;
}

roof_status roof_model_precision_read(const char *dtype, roof_model_precision *precision, roof_error *error) {
  roof_dtype plain = ROOF_BF16;
  roof_status status = roof_dtype_parse_scaled(dtype, &plain, error);
  if (status == ROOF_OK && roof_dtype_bytes(plain) < 2) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--dtype %s: of activations; --precision %s is of weights",
                          dtype, dtype);
  }
  if (status == ROOF_OK) {
    roof_model_precision_retype(precision, plain);
  }
  return status;
}

void roof_model_precision_quantize(roof_model_precision *precision, const roof_weight_format *format) {
  bool whole = format->bytes > 0; /* what a file has per weight, its tables and head included */
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    bool matrix = part != ROOF_PART_ROUTER && (whole || part != ROOF_PART_HEAD);
    precision->weights[part] = matrix ? *format : roof_weight_format_of(precision->activations);
  }
  precision->table_bytes = whole ? format->bytes : precision->table_bytes;
}

/** One of a list: `FORMAT`, which stands first, or `PART=FORMAT`, which is cut at the sign. */
static roof_status take_format(char *word, bool first, roof_model_precision *p, roof_error *error) {
  roof_weight_format format;
  roof_model_part part = ROOF_PART_MIXER;
  char *equals = strchr(word, '=');
  roof_status status = ROOF_OK;
  if (equals != NULL) {
    *equals = '\0';
    status = roof_model_part_parse(word, &part, error);
  }
  status = status == ROOF_OK ? roof_weight_format_parse(equals != NULL ? equals + 1 : word, &format, error)
                             : status;
  if (status == ROOF_OK && equals == NULL && !first) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "precision `%.60s`: of all matrices, so it stands first and once, before parts "
                          "(fp8,experts=nvfp4); `fp8/bf16` compares formats",
                          word);
  }
  if (status == ROOF_OK && equals != NULL) {
    p->weights[part] = format;
  } else if (status == ROOF_OK) {
    roof_model_precision_quantize(p, &format);
  }
  return status;
}

roof_status roof_model_precision_parse(const char *text, roof_model_precision *precision, roof_error *error) {
  char copy[256];
  char *rest = NULL;
  roof_model_precision changed = *precision;
  roof_status status = ROOF_OK;
  if (strlen(text) >= sizeof copy) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "precision `%.60s...`: too long", text);
  }
  snprintf(copy, sizeof copy, "%s", text);
  for (char *word = strtok_r(copy, ",", &rest); word != NULL && status == ROOF_OK;
       word = strtok_r(NULL, ",", &rest)) {
    status = take_format(word, word == copy, &changed, error);
  }
  if (status == ROOF_OK) {
    *precision = changed;
  }
  return status;
}

roof_status roof_model_precisions_parse(const char *text, const roof_model_precision *base,
                                        roof_model_precisions *precisions, roof_error *error) {
  roof_model_precisions read = {.list = {*base}, .names = {"as stored"}, .count = text == NULL};
  roof_status status = ROOF_OK;
  while (text != NULL && status == ROOF_OK) {
    size_t length = strcspn(text, "/");
    if (read.count == ROOF_PRECISION_MAX || length >= sizeof read.names[0]) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "precision `%.60s`: more than %d choices, or a long one",
                            text, ROOF_PRECISION_MAX);
    }
    char *name = read.names[read.count];
    snprintf(name, sizeof read.names[0], "%.*s", (int)length, text);
    read.list[read.count] = *base;
    status = roof_model_precision_parse(name, &read.list[read.count++], error);
    text = text[length] == '/' ? text + length + 1 : NULL;
  }
  if (status == ROOF_OK) {
    *precisions = read;
  }
  return status;
}
