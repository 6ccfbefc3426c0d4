/** Number formats and the units that compute with them.
 *
 *  Example:
 *    roof_dtype dtype;
 *    if (roof_dtype_parse("int4", &dtype, NULL) == ROOF_OK) {
 *      printf("%s: %g bytes per element\n", roof_dtype_name(dtype), roof_dtype_bytes(dtype));
 *    } */
#ifndef ROOFLINE_DTYPE_H
#define ROOFLINE_DTYPE_H

#include <stdbool.h>

#include "roofline/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, name, storage bits). A new format is one row. tf32 is stored in 32 bits. */
#define ROOF_DTYPE_MAP(X)                                                                                    \
  X(ROOF_FP64, "fp64", 64)                                                                                   \
  X(ROOF_FP32, "fp32", 32)                                                                                   \
  X(ROOF_TF32, "tf32", 32)                                                                                   \
  X(ROOF_FP16, "fp16", 16)                                                                                   \
  X(ROOF_BF16, "bf16", 16)                                                                                   \
  X(ROOF_FP8, "fp8", 8)                                                                                      \
  X(ROOF_FP6, "fp6", 6)                                                                                      \
  X(ROOF_FP4, "fp4", 4)                                                                                      \
  X(ROOF_FP3, "fp3", 3)                                                                                      \
  X(ROOF_INT8, "int8", 8)                                                                                    \
  X(ROOF_INT4, "int4", 4)

typedef enum roof_dtype {
#define ROOF_DTYPE_ENUM(symbol, name, bits) symbol,
  ROOF_DTYPE_MAP(ROOF_DTYPE_ENUM)
#undef ROOF_DTYPE_ENUM
      ROOF_DTYPE_COUNT
} roof_dtype;

/** `vector` lanes or `matrix` units (tensor core, MFMA, AMX). */
typedef enum roof_unit { ROOF_VECTOR, ROOF_MATRIX, ROOF_UNIT_COUNT } roof_unit;

/** The formats of an operation's parts. Weights may carry scales: one `scale` per `group` elements
 *  (group 0: no scales). `accumulate` is what products are summed in. */
typedef struct roof_types {
  roof_dtype compute; /**< activations and the multiplier's input format */
  roof_dtype weights;
  roof_dtype output;
  roof_dtype accumulate;
  roof_dtype kv; /**< stored keys and values of attention */
  roof_dtype scale;
  double group;        /**< weights per scale, 0 for none */
  double weight_bytes; /**< of one weight with its share of a scale, as a file has them; 0: by the formats */
} roof_types;

/** The name of a format, for instance "bf16".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_dtype_name(roof_dtype dtype);

/** Bytes one stored element takes; sub-byte formats give fractions (int4: 0.5).
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: 0 for a value out of range. */
ROOF_API double roof_dtype_bytes(roof_dtype dtype);

/** Finds a format by name (any case).
 *  Units: none.
 *  Ownership: writes *dtype on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_dtype_parse(const char *text, roof_dtype *dtype, roof_error *error);

/** "vector" or "matrix".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_unit_name(roof_unit unit);

/** Finds a unit by name.
 *  Units: none.
 *  Ownership: writes *unit on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_unit_parse(const char *text, roof_unit *unit, roof_error *error);

/** All parts in one format, accumulating in fp32 (fp64 for fp64), fp16 scales, no groups.
 *  Units: none.
 *  Ownership: returned by value.
 *  Errors: none. */
ROOF_API roof_types roof_types_of(roof_dtype dtype);

/** Bytes of `elements` weights with their scales.
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API double roof_types_weight_bytes(const roof_types *types, double elements);

#ifdef __cplusplus
}
#endif
#endif
