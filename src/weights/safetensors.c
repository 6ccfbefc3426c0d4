#include "weights/safetensors.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "roofline/model.h"

enum { PREFIX = 8, HEADER_MAX = 100 << 20 };

/* Integers pack other formats or are no weights: the config says which. */
static const weights_type types[] = {
    {"F64", 0, 1, 8, ROOF_FP64, false},           {"F32", 1, 1, 4, ROOF_FP32, false},
    {"F16", 2, 1, 2, ROOF_FP16, false},           {"BF16", 3, 1, 2, ROOF_BF16, false},
    {"F8_E4M3", 4, 1, 1, ROOF_FP8, false},        {"F8_E5M2", 5, 1, 1, ROOF_FP8, false},
    {"F8_E8M0", 6, 1, 1, ROOF_DTYPE_COUNT, true}, {"F6_E2M3", 7, 4, 3, ROOF_FP6, false},
    {"F6_E3M2", 8, 4, 3, ROOF_FP6, false},        {"F4", 9, 2, 1, ROOF_FP4, false},
    {"BOOL", 10, 1, 1, ROOF_DTYPE_COUNT, true},   {"U8", 11, 1, 1, ROOF_DTYPE_COUNT, true},
    {"I8", 12, 1, 1, ROOF_DTYPE_COUNT, true},     {"I16", 13, 1, 2, ROOF_DTYPE_COUNT, true},
    {"U16", 14, 1, 2, ROOF_DTYPE_COUNT, true},    {"I32", 15, 1, 4, ROOF_DTYPE_COUNT, true},
    {"U32", 16, 1, 4, ROOF_DTYPE_COUNT, true},    {"I64", 17, 1, 8, ROOF_DTYPE_COUNT, true},
    {"U64", 18, 1, 8, ROOF_DTYPE_COUNT, true}};

static roof_status fail(roof_error *error, const char *file, size_t at, const char *what, const char *why) {
  roof_error_set(error, ROOF_E_PARSE, "byte %zu: %.100s%s%s", at, what, what[0] != '\0' ? ": " : "", why);
  return roof_error_at(error, file, 0, 0);
}

static const weights_type *find_type(const char *name) {
  for (size_t i = 0; i < sizeof types / sizeof types[0] && name != NULL; i++) {
    if (strcmp(types[i].name, name) == 0) {
      return &types[i];
    }
  }
  return NULL;
}

/** Elements of a shape, one where it is empty; NaN: no shape. */
static double elements_of(const json_t *shape) {
  double elements = json_is_array(shape) ? 1 : NAN;
  for (size_t i = 0; i < json_array_size(shape); i++) {
    const json_t *size = json_array_get(shape, i);
    double value = json_is_integer(size) ? (double)json_integer_value(size) : NAN;
    elements *= value >= 0 && value <= 1e15 ? value : NAN;
  }
  return elements;
}

/** Adds a tensor, or returns why it makes no sense. */
static const char *add_tensor(weights *w, const char *name, const json_t *tensor, double data_bytes) {
  const json_t *shape = json_object_get(tensor, "shape"), *place = json_object_get(tensor, "data_offsets");
  const weights_type *type = find_type(json_string_value(json_object_get(tensor, "dtype")));
  double elements = elements_of(shape);
  double begin = (double)json_integer_value(json_array_get(place, 0));
  double end = (double)json_integer_value(json_array_get(place, 1));
  if (type == NULL) {
    return "unknown dtype";
  }
  double bytes = elements / type->block * type->bytes;
  if (!(bytes <= 1e15)) {
    return "no shape";
  }
  if (json_array_size(place) != 2 || begin < 0 || end - begin != bytes) {
    return "data_offsets: not as many bytes as its shape and dtype have";
  }
  if (end > data_bytes) {
    return "truncated: its data lie beyond the end of the file";
  }
  rf_weights_add(w, type, rf_weights_kind_of(name, (int)json_array_size(shape)), elements, bytes);
  return NULL;
}

static roof_status add_tensors(weights *w, json_t *root, size_t header, size_t length, const char *file,
                               roof_error *error) {
  const char *name = NULL;
  json_t *tensor = NULL;
  json_object_foreach(root, name, tensor) {
    const char *why = NULL;
    if (strcmp(name, "__metadata__") != 0) {
      why = add_tensor(w, name, tensor, (double)(length - PREFIX - header));
    }
    if (why != NULL) {
      return fail(error, file, PREFIX, name, why);
    }
  }
  return ROOF_OK;
}

roof_status rf_safetensors_add(weights *w, const void *data, size_t length, const char *file,
                               roof_error *error) {
  const unsigned char *bytes = data;
  uint64_t header = 0;
  json_error_t syntax;
  for (size_t i = 0; i < PREFIX && length >= PREFIX; i++) {
    header |= (uint64_t)bytes[i] << (8 * i);
  }
  if (length <= PREFIX || header == 0 || bytes[PREFIX] != '{') {
    return fail(error, file, 0, "", "not a safetensors file");
  }
  if (header > HEADER_MAX || header > length - PREFIX) {
    return fail(error, file, 0, "", "a header longer than the file or 100 MiB");
  }
  json_t *root = rf_json_load((const char *)bytes + PREFIX, (size_t)header, JSON_REJECT_DUPLICATES, &syntax);
  if (root == NULL && json_error_code(&syntax) == json_error_out_of_memory) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", file);
  }
  if (!json_is_object(root)) {
    size_t at = PREFIX + (size_t)(syntax.position > 0 ? syntax.position : 0);
    return fail(error, file, at, "header", syntax.text);
  }
  roof_status status = add_tensors(w, root, (size_t)header, length, file, error);
  json_decref(root);
  return status;
}
