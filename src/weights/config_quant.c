/* How a config says that its weights are stored: quantization_config of transformers (the methods
 * below) and the hf_quant_config.json of NVIDIA's Model Optimizer. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/letters.h"
#include "core/number.h"
#include "documents/locate.h"
#include "roofline/text.h"
#include "weights/config.h"

#define MIXED "MIXED_PRECISION"

/** ROOF_E_ARGUMENT at a key of the quantization, or at the whole where it lacks that key. */
ROOF_PRINTF(3, 4)
static roof_status fail(const config *c, const char *key, const char *format, ...) {
  const json_t *q = c->items[ITEM_QUANTIZATION];
  size_t steps[CONFIG_DEPTH + 1], depth = c->place_depth;
  int line = 0, column = 0;
  char why[256];
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(why, sizeof why, format, arguments);
  va_end(arguments);
  memcpy(steps, c->place, sizeof c->place);
  if (json_object_get(q, key) != NULL) {
    steps[depth++] = rf_config_member(q, key);
  }
  rf_json_locate(c->text, c->length, steps, depth, true, &line, &column);
  roof_error_set(c->error, ROOF_E_ARGUMENT, "%s", why);
  return roof_error_at(c->error, c->file, line, column);
}

/** The formats that configs name, as PyTorch does. */
static roof_status read_dtype(const config *c, const char *text, roof_dtype *dtype) {
  static const struct {
    const char *name;
    roof_dtype dtype;
  } names[] = {{"float32", ROOF_FP32},  {"float", ROOF_FP32}, {"float16", ROOF_FP16}, {"half", ROOF_FP16},
               {"bfloat16", ROOF_BF16}, {"auto", ROOF_BF16},  {"fp8", ROOF_BF16}};
  text += strncmp(text, "torch.", 6) == 0 ? 6 : 0;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(names[i].name, text) == 0) {
      *dtype = names[i].dtype;
      return ROOF_OK;
    }
  }
  return rf_config_fail(c, "dtype: `%.40s` is not a known format", text);
}

static double number_of(const json_t *object, const char *key, double fallback) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) && json_number_value(value) > 0 ? json_number_value(value) : fallback;
}

static roof_weight_format preset(const char *name) {
  roof_weight_format format = roof_weight_format_of(ROOF_BF16);
  roof_weight_format_parse(name, &format, NULL);
  return format;
}

/** Blocks of weights that share an fp32 scale, or one scale per tensor. */
static roof_weight_format read_fp8(const json_t *q) {
  const json_t *block = json_object_get(q, "weight_block_size");
  double rows = json_number_value(json_array_get(block, 0)),
         columns = json_number_value(json_array_get(block, 1));
  roof_weight_format format = preset("fp8");
  if (rows * columns >= 1) {
    format.group = rows * columns;
    format.scale_bits = 32;
  }
  return format;
}

/** Integers with a scale (and for gptq and awq a zero point of as many bits) for a group of weights. */
static roof_weight_format integer(double bits, double group, bool weight_only, bool zero_points) {
  roof_weight_format format = preset(bits == 8 ? (weight_only ? "w8a16" : "w8a8") : "w4a16");
  format.group = group;
  format.scale_bits = group > 0 ? 16 + (zero_points ? bits : 0) : 0;
  return format;
}

/** gptq and awq: a scale and a zero point in each group. */
static roof_status read_integer(const config *c, const json_t *q, roof_weight_format *format) {
  double bits = number_of(q, "bits", 4);
  if (bits != 4 && bits != 8) {
    return fail(c, "bits", "quantization_config: bits=%g: not computed by this version, which has 4 and 8",
                bits);
  }
  *format = integer(bits, number_of(q, "group_size", 0), true, true);
  return ROOF_OK;
}

/** 8 bits, or 4 with the largest of each 64 as their scale (fp32), whose scales may have 8 bits and one of their own for
 * 256 (Dettmers et al. 2023, QLoRA, section 3). */
static roof_weight_format read_bitsandbytes(const json_t *q) {
  if (json_is_true(json_object_get(q, "load_in_8bit"))) {
    return integer(8, 0, true, false);
  }
  roof_weight_format format = preset("nf4"); /* bitsandbytes' fp4 has as many bits and scales */
  if (json_is_true(json_object_get(q, "bnb_4bit_use_double_quant"))) {
    format.scale_bits = 8 + 32.0 / 256;
    snprintf(format.label, sizeof format.label, "nf4");
  }
  return format;
}

/** The format of one of the groups of compressed-tensors. */
static roof_status read_group(const config *c, const json_t *group, roof_weight_format *format) {
  const json_t *weights = json_object_get(group, "weights");
  const char *type = json_string_value(json_object_get(weights, "type"));
  bool only = !json_is_object(json_object_get(group, "input_activations"));
  double bits = number_of(weights, "num_bits", 0), size = number_of(weights, "group_size", 0);
  if (type != NULL && strcmp(type, "int") == 0 && (bits == 4 || bits == 8)) {
    *format = integer(bits, size, only, false);
    return ROOF_OK;
  }
  if (type != NULL && strcmp(type, "float") == 0 && (bits == 4 || bits == 8)) {
    *format = preset(bits == 8 ? "fp8" : size == 32 ? "mxfp4" : "nvfp4"); /* groups of 16 are NVIDIA's */
    format->weight_only = only;
    return ROOF_OK;
  }
  return fail(c, "config_groups", "quantization_config: unknown compressed-tensors format");
}

static bool are_alike(const roof_weight_format *a, const roof_weight_format *b) {
  return a->stored == b->stored && a->weight_only == b->weight_only && a->group == b->group &&
         a->scale_bits == b->scale_bits;
}

/** The format of the first group, and whether another one has a different one. */
static roof_status read_tensors(const config *c, const json_t *q, roof_weight_format *format, bool *differ) {
  const char *name = NULL;
  json_t *group = NULL;
  int count = 0;
  json_object_foreach(json_object_get(q, "config_groups"), name, group) {
    roof_weight_format own;
    roof_status status = read_group(c, group, &own);
    if (status != ROOF_OK) {
      return status;
    }
    *format = count++ == 0 ? own : *format;
    *differ = *differ || !are_alike(&own, format);
  }
  return count > 0 ? ROOF_OK
                   : fail(c, "config_groups", "quantization_config: unknown compressed-tensors format");
}

enum { EVERY = 1u << ROOF_PART_MIXER | 1u << ROOF_PART_MLP | 1u << ROOF_PART_EXPERTS };

/** Parts that a group of compressed-tensors names, whole; 0: some of their layers or matrices, or what is not known. */
static unsigned parts_of(const char *target) {
  static const struct {
    const char *text;
    unsigned parts;
  } names[] = {{"Linear", EVERY},
               {"attn", 1u << ROOF_PART_MIXER},
               {"shared_expert", 1u << ROOF_PART_MLP},
               {"experts", 1u << ROOF_PART_EXPERTS},
               {"lm_head", 1u << ROOF_PART_HEAD},
               {"(gate|up", 1u << ROOF_PART_MLP},
               {"mlp", 1u << ROOF_PART_MLP | 1u << ROOF_PART_EXPERTS}};
  const char *matrix = strstr(target, "_proj");
  if (strstr(target, "layers") != NULL || (matrix != NULL && (matrix == target || matrix[-1] != ')'))) {
    return 0;
  }
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strstr(target, names[i].text) != NULL) {
      return names[i].parts;
    }
  }
  return 0;
}

/** The parts that a group names: with every matrix, or by themselves. */
static roof_status named_parts(const config *c, const json_t *group, bool every, unsigned *named) {
  const json_t *targets = json_object_get(group, "targets");
  for (size_t i = 0; i < json_array_size(targets); i++) {
    const char *target = json_string_value(json_array_get(targets, i));
    unsigned parts = target != NULL ? parts_of(target) : 0;
    if (parts == 0) {
      return fail(
          c, "config_groups",
          "quantization_config: groups differ in format, and `%.60s` is not known as whole parts of layers",
          target != NULL ? target : "");
    }
    *named |= (parts == EVERY) == every ? parts : 0;
  }
  return ROOF_OK;
}

/** Stores the parts that a group names in its format; `taken` are those that another one has already. */
static roof_status take_group(config *c, const json_t *group, bool every, unsigned *taken) {
  roof_weight_format format, *weights = c->model->precision.weights;
  unsigned named = 0;
  roof_status status = read_group(c, group, &format);
  status = status == ROOF_OK ? named_parts(c, group, every, &named) : status;
  for (int part = 0; part < ROOF_PART_COUNT && status == ROOF_OK; part++) {
    unsigned bit = 1u << part;
    if ((named & *taken & bit) != 0 && !are_alike(&weights[part], &format)) {
      return fail(c, "config_groups",
                  "quantization_config: groups store %s in two formats: not computed by this version",
                  roof_model_part_name((roof_model_part)part));
    }
    weights[part] = (named & bit) != 0 ? format : weights[part];
  }
  *taken |= named;
  return status;
}

/** Groups of several formats: what names a part goes before what names every matrix, and what none names is as
 * activations are. */
static roof_status take_groups(config *c, const json_t *q) {
  json_t *groups = json_object_get(q, "config_groups");
  roof_weight_format plain = roof_weight_format_of(c->model->precision.activations);
  roof_status status = ROOF_OK;
  roof_model_precision_quantize(&c->model->precision, &plain);
  for (int every = 1; every >= 0; every--) {
    const char *name = NULL;
    json_t *group = NULL;
    unsigned taken = 0;
    json_object_foreach(groups, name, group) {
      status = status == ROOF_OK ? take_group(c, group, every, &taken) : status;
    }
  }
  return status;
}

/* Methods and algorithms by name; without a preset they have figures of their own. */
static const struct {
  const char *name, *preset;
} methods[] = {{"fp8", NULL},
               {"gptq", NULL},
               {"awq", NULL},
               {"auto-round", NULL},
               {"compressed-tensors", NULL},
               {"bitsandbytes", NULL},
               {MIXED, NULL},
               {"fbgemm_fp8", "fp8"},
               {"mxfp4", "mxfp4"},
               {"FP8", "fp8"},
               {"FP8_PB_WO", "fp8-block"},
               {"NVFP4", "nvfp4"},
               {"MXFP8", "mxfp8"},
               {"W4A16_AWQ", "w4a16"},
               {"W4A16", "w4a16"},
               {"INT4_AWQ", "w4a16"},
               {"W8A16", "w8a16"},
               {"W8A8_SQ_PER_CHANNEL", "w8a8"}};
enum { METHODS = sizeof methods / sizeof methods[0] };

static bool read_preset(const char *name, roof_weight_format *format) {
  for (int i = 0; i < METHODS; i++) {
    if (methods[i].preset != NULL && rf_letters_compare(methods[i].name, name) == 0) {
      *format = preset(methods[i].preset);
      return true;
    }
  }
  return false;
}

static roof_status fail_method(const config *c, const char *key, const char *name) {
  roof_text known = {0};
  for (int i = 0; i < METHODS; i++) {
    roof_text_addf(&known, "%s%s", i > 0 ? ", " : "", methods[i].name);
  }
  roof_status status = fail(c, key, "quantization: `%.40s` is not a known method; known: %s", name,
                            known.failed ? "" : known.data);
  roof_text_done(&known);
  return status;
}

static const char *algorithm_of(const json_t *q) {
  return json_string_value(json_object_get(q, "quant_algo"));
}

static roof_status read_method(const config *c, const json_t *q, roof_weight_format *format, bool *differ) {
  const char *key = algorithm_of(q) != NULL ? "quant_algo" : "quant_method";
  const char *name = json_string_value(json_object_get(q, key));
  const char *type = json_string_value(json_object_get(q, "data_type"));
  if (name == NULL) {
    return fail(c, key, "quantization: neither `quant_method` nor `quant_algo`");
  }
  if (strcmp(name, "fp8") == 0) {
    *format = read_fp8(q);
    return ROOF_OK;
  }
  if (strcmp(name, "auto-round") == 0 && type != NULL && strcmp(type, "int") != 0) {
    return fail(c, "data_type",
                "quantization_config: data_type `%.40s`: not computed by this version, which "
                "has `int` of auto-round",
                type);
  }
  if (strcmp(name, "gptq") == 0 || strcmp(name, "awq") == 0 || strcmp(name, "auto-round") == 0) {
    return read_integer(c, q, format);
  }
  if (strcmp(name, "compressed-tensors") == 0) {
    return read_tensors(c, q, format, differ);
  }
  if (strcmp(name, "bitsandbytes") == 0) {
    *format = read_bitsandbytes(q);
    return ROOF_OK;
  }
  return read_preset(name, format) ? ROOF_OK : fail_method(c, key, name);
}

/** A format of Model Optimizer's list of layers, and how many elements of each part have it. */
typedef struct share {
  roof_weight_format format;
  double elements[ROOF_PART_COUNT];
} share;

enum { SHARES = 8 };

/** Adds one of `quantized_layers`; the first share is that of no format. */
static roof_status take_layer(const config *c, const char *module, const json_t *layer, share *shares,
                              int *count) {
  const char *name = algorithm_of(layer);
  roof_weight_format format;
  int at = 1;
  if (name == NULL || !read_preset(name, &format)) {
    return fail_method(c, "quantized_layers", name != NULL ? name : "");
  }
  while (at < *count && !are_alike(&shares[at].format, &format)) {
    at++;
  }
  if (at == SHARES) {
    return fail(c, "quantized_layers", "quantization: quantized_layers: more than %d formats", SHARES - 1);
  }
  shares[at].format = format;
  *count = at == *count ? at + 1 : *count;
  return rf_config_count_module(c, module, shares[at].elements)
             ? ROOF_OK
             : fail(c, "quantized_layers",
                    "quantization: quantized_layers: `%.80s` is not known as a matrix of a layer", module);
}

/** Model Optimizer's list of every matrix with its format: a part has the mean of its matrices. */
static roof_status take_mixed(config *c, const json_t *q) {
  roof_model_precision *p = &c->model->precision;
  const roof_model_parameters all = roof_model_count(c->model);
  share shares[SHARES] = {{.format = roof_weight_format_of(p->activations)}};
  const char *module = NULL;
  json_t *layer = NULL;
  int count = 1;
  roof_status status = ROOF_OK;
  json_object_foreach(json_object_get(q, "quantized_layers"), module, layer) {
    status = status == ROOF_OK ? take_layer(c, module, layer, shares, &count) : status;
  }
  if (status == ROOF_OK && count == 1) {
    return fail(c, "quant_algo",
                "quantization: `" MIXED "` without `quantized_layers`: which matrix has which format "
                "is not said");
  }
  for (int part = 0; part < ROOF_PART_COUNT && status == ROOF_OK; part++) {
    roof_weight_format formats[SHARES];
    double of[SHARES] = {1};
    for (int i = 0; i < count; i++) {
      formats[i] = shares[i].format;
      of[i] = i > 0 && all.parts[part] > 0 ? shares[i].elements[part] / all.parts[part] : of[i];
      of[0] -= i > 0 ? of[i] : 0;
    }
    p->weights[part] = rf_config_mean(formats, of, count);
  }
  return status;
}

static bool read_cache_name(const char *name, roof_dtype *kv) {
  static const struct {
    const char *name;
    roof_dtype dtype;
  } names[] = {{"FP8", ROOF_FP8}, {"INT8", ROOF_INT8}, {"NVFP4", ROOF_NVFP4}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (rf_letters_compare(names[i].name, name) == 0) {
      *kv = names[i].dtype;
      return true;
    }
  }
  return false;
}

/** The format of keys and values: a name of Model Optimizer's, or bits and type as of weights. */
static roof_status read_cache(const config *c, const json_t *q, roof_dtype *kv) {
  const char *name = json_string_value(json_object_get(q, "kv_cache_quant_algo"));
  const json_t *scheme = json_object_get(q, "kv_cache_scheme");
  const char *type = json_string_value(json_object_get(scheme, "type"));
  bool known = type != NULL && number_of(scheme, "num_bits", 0) == 8;
  if (name != NULL && !read_cache_name(name, kv)) {
    return fail(c, "kv_cache_quant_algo",
                "quantization: kv_cache_quant_algo: `%.40s` is none of FP8, INT8, NVFP4", name);
  }
  if (json_is_object(scheme) && !(known && (strcmp(type, "float") == 0 || strcmp(type, "int") == 0))) {
    return fail(c, "kv_cache_scheme",
                "quantization_config: kv_cache_scheme: neither 8-bit `float` nor 8-bit `int`");
  }
  if (json_is_object(scheme)) {
    *kv = strcmp(type, "float") == 0 ? ROOF_FP8 : ROOF_INT8;
  }
  return ROOF_OK;
}

roof_status rf_config_quantize(config *c) {
  static const char *const lists[] = {"modules_to_not_convert", "ignore", "exclude_modules", "ignored_layers",
                                      "llm_int8_skip_modules"};
  const json_t *q = c->items[ITEM_QUANTIZATION];
  roof_weight_format format;
  roof_model_precision *p = &c->model->precision;
  bool differ = false;
  if (algorithm_of(q) != NULL && strcmp(algorithm_of(q), MIXED) == 0) {
    roof_status read = read_cache(c, q, &p->kv);
    return read == ROOF_OK ? take_mixed(c, q) : read;
  }
  roof_status status = read_method(c, q, &format, &differ);
  status = status == ROOF_OK ? read_cache(c, q, &p->kv) : status;
  if (status != ROOF_OK) {
    return status;
  }
  roof_model_precision_quantize(p, &format);
  if (json_is_true(json_object_get(q, "lm_head"))) { /* gptq leaves it as it is otherwise */
    p->weights[ROOF_PART_HEAD] = format;
  }
  status = differ ? take_groups(c, q) : ROOF_OK;
  size_t extra = json_object_size(json_object_get(q, "extra_config"));
  if (extra > 0) {
    roof_model_note(c->model, "extra_config: %zu modules with bits of their own are counted as the others",
                    extra);
  }
  for (size_t i = 0; i < sizeof lists / sizeof lists[0] && status == ROOF_OK; i++) {
    status = rf_config_leave_modules(c, lists[i], json_object_get(q, lists[i]));
  }
  return status;
}

roof_status rf_config_quantization(config *c) {
  roof_dtype dtype = ROOF_BF16;
  const char *text = json_string_value(c->items[ITEM_DTYPE]);
  const json_t *q = c->items[ITEM_QUANTIZATION];
  roof_status status = text != NULL ? read_dtype(c, text, &dtype) : ROOF_OK;
  if (status != ROOF_OK) {
    return status;
  }
  c->model->precision = roof_model_precision_of(dtype);
  if (text != NULL && strcmp(text, "fp8") == 0) { /* DeepSeek's own files name the weights' format */
    roof_weight_format format = preset("fp8-block");
    roof_model_precision_quantize(&c->model->precision, &format);
  }
  return json_is_object(q) ? rf_config_quantize(c) : ROOF_OK;
}
