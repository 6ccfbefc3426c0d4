#include "core/dtype.h"

#include <stdio.h>

#include "core/letters.h"
#include "roofline/text.h"

static const struct {
  const char *name;
  roof_dtype multiplied;
} dtypes[ROOF_SCALED_END] = {
#define ROW(symbol, name, bits) [symbol] = {name, symbol},
#define SCALED(symbol, name, multiplied, group) [symbol] = {name, multiplied},
    ROOF_DTYPE_MAP(ROW) ROOF_SCALED_MAP(SCALED)
#undef ROW
#undef SCALED
};

const double rf_dtype_sizes[ROOF_SCALED_END] = {
#define ROW(symbol, name, bits) [symbol] = (bits) / 8.0,
#define SCALED(symbol, name, multiplied, group)                                                              \
  [symbol] = (multiplied) == ROOF_FP8 ? 1 + 1.0 / (group) : 0.5 + 1.0 / (group),
    ROOF_DTYPE_MAP(ROW) ROOF_SCALED_MAP(SCALED)
#undef ROW
#undef SCALED
};

static const char *const dtype_names[] = {
#define NAME(symbol, name, bits) name,
    ROOF_DTYPE_MAP(NAME)
#undef NAME
        NULL};

static const char *const all_names[] = {
#define NAME(symbol, name, bits) name,
#define SCALED(symbol, name, multiplied, group) name,
    ROOF_DTYPE_MAP(NAME) ROOF_SCALED_MAP(SCALED)
#undef NAME
#undef SCALED
        NULL};

/** What other programs call a format (PyTorch, NumPy, ONNX, OCP). */
static const struct {
  const char *name;
  roof_dtype dtype;
} synonyms[] = {
    {"float64", ROOF_FP64}, {"double", ROOF_FP64},       {"f64", ROOF_FP64},        {"float32", ROOF_FP32},
    {"float", ROOF_FP32},   {"single", ROOF_FP32},       {"f32", ROOF_FP32},        {"tfloat32", ROOF_TF32},
    {"float16", ROOF_FP16}, {"half", ROOF_FP16},         {"f16", ROOF_FP16},        {"bfloat16", ROOF_BF16},
    {"float8", ROOF_FP8},   {"e4m3", ROOF_FP8},          {"e5m2", ROOF_FP8},        {"fp8_e4m3", ROOF_FP8},
    {"fp8_e5m2", ROOF_FP8}, {"float8_e4m3fn", ROOF_FP8}, {"float8_e5m2", ROOF_FP8}, {"e2m1", ROOF_FP4},
    {"float4", ROOF_FP4},   {"i8", ROOF_INT8},           {"s8", ROOF_INT8},         {"i4", ROOF_INT4},
};

static const char *const unit_names[] = {"vector", "matrix", NULL};
_Static_assert(sizeof unit_names / sizeof unit_names[0] == ROOF_UNIT_COUNT + 1, "a name per unit");

/** Index of `text` in a NULL-terminated list of names, or -1 with the error set. */
static int find_name(const char *what, const char *text, const char *const *names, roof_error *error) {
  for (int i = 0; names[i] != NULL; i++) {
    if (rf_letters_compare(text, names[i]) == 0) {
      return i;
    }
  }
  roof_error_unknown(error, what, text, names, NULL);
  return -1;
}

const char *roof_dtype_name(roof_dtype dtype) {
  return (unsigned)dtype < ROOF_SCALED_END && dtypes[dtype].name != NULL ? dtypes[dtype].name : "?";
}

double roof_dtype_bytes(roof_dtype dtype) {
  return rf_dtype_bytes(dtype);
}

roof_dtype roof_dtype_multiplied(roof_dtype dtype) {
  return (unsigned)dtype < ROOF_SCALED_END && dtype != ROOF_DTYPE_COUNT ? dtypes[dtype].multiplied : dtype;
}

/** The format that `names` have, or other programs call so. */
static roof_status parse(const char *text, const char *const *names, roof_dtype *dtype, roof_error *error) {
  for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
    if (rf_letters_compare(text, synonyms[i].name) == 0) {
      *dtype = synonyms[i].dtype;
      return ROOF_OK;
    }
  }
  int found = find_name("dtype", text, names, error);
  if (found < 0) {
    return ROOF_E_NAME;
  }
  *dtype = (roof_dtype)(found < ROOF_DTYPE_COUNT ? found : found + 1); /* after ROOF_DTYPE_COUNT itself */
  return ROOF_OK;
}

roof_status roof_dtype_parse(const char *text, roof_dtype *dtype, roof_error *error) {
  return parse(text, dtype_names, dtype, error);
}

roof_status roof_dtype_parse_scaled(const char *text, roof_dtype *dtype, roof_error *error) {
  return parse(text, all_names, dtype, error);
}

const char *roof_unit_name(roof_unit unit) {
  return (unsigned)unit < ROOF_UNIT_COUNT ? unit_names[unit] : "?";
}

roof_status roof_unit_parse(const char *text, roof_unit *unit, roof_error *error) {
  int found = find_name("unit", text, unit_names, error);
  if (found < 0) {
    return ROOF_E_NAME;
  }
  *unit = (roof_unit)found;
  return ROOF_OK;
}

roof_types roof_types_of(roof_dtype dtype) {
  roof_types types = {.compute = dtype,
                      .weights = dtype,
                      .output = dtype,
                      .accumulate = dtype == ROOF_FP64 ? ROOF_FP64 : ROOF_FP32,
                      .kv = dtype,
                      .scale = ROOF_FP16,
                      .group = 0};
  return types;
}

double roof_types_weight_bytes(const roof_types *types, double elements) {
  return rf_weight_bytes(types, elements);
}

bool roof_types_in_blocks(const roof_types *types) {
  bool scaled = roof_dtype_multiplied(types->compute) != types->compute;
  return scaled || (types->group > 0 && roof_dtype_bytes(types->compute) <= 1);
}
