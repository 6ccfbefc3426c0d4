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

/** S(symbol, name, what is multiplied, elements that share a scale of 8 bits). Formats with scales: they are stored and
 *  moved with them, and have the peak of what is multiplied where they have none of their own. NVFP4 (NVIDIA, 2025); OCP
 *  microscaling (v1.0, 2023). */
#define ROOF_SCALED_MAP(S)                                                                                   \
  S(ROOF_NVFP4, "nvfp4", ROOF_FP4, 16)                                                                       \
  S(ROOF_MXFP4, "mxfp4", ROOF_FP4, 32)                                                                       \
  S(ROOF_MXFP8, "mxfp8", ROOF_FP8, 32)

/** Formats of numbers, then ROOF_DTYPE_COUNT, then those with scales: a figure by format is of the former. */
typedef enum roof_dtype {
#define ROOF_DTYPE_ENUM(symbol, name, bits) symbol,
#define ROOF_SCALED_ENUM(symbol, name, multiplied, group) symbol,
  ROOF_DTYPE_MAP(ROOF_DTYPE_ENUM) ROOF_DTYPE_COUNT,
  ROOF_SCALED_MAP(ROOF_SCALED_ENUM) ROOF_SCALED_END
#undef ROOF_DTYPE_ENUM
#undef ROOF_SCALED_ENUM
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

/** Bytes one stored element takes, its share of a scale included; sub-byte formats give fractions (int4: 0.5,
 *  nvfp4: 0.5625).
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: 0 for a value out of range. */
ROOF_API double roof_dtype_bytes(roof_dtype dtype);

/** Finds a format by name (any case).
 *  Units: none.
 *  Ownership: writes *dtype on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_dtype_parse(const char *text, roof_dtype *dtype, roof_error *error);

/** As roof_dtype_parse, and the formats with scales: nvfp4, mxfp4, mxfp8.
 *  Units: none.
 *  Ownership: writes *dtype on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_dtype_parse_scaled(const char *text, roof_dtype *dtype, roof_error *error);

/** The format of the numbers that are multiplied: fp4 of nvfp4, any other itself.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API roof_dtype roof_dtype_multiplied(roof_dtype dtype);

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

/** Whether arithmetic in a narrow format has a scale for each block of operands (fp8 in blocks, nvfp4): other kernels than
 *  those with one for a matrix.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_types_in_blocks(const roof_types *types);

#ifdef __cplusplus
}
#endif
#endif
