/** Bytes of formats, in line where many predictions ask. */
#ifndef CORE_DTYPE_H
#define CORE_DTYPE_H

#include "roofline/dtype.h"

extern const double rf_dtype_sizes[ROOF_SCALED_END];

/** roof_dtype_bytes. */
static inline double rf_dtype_bytes(roof_dtype dtype) {
  return (unsigned)dtype < ROOF_SCALED_END ? rf_dtype_sizes[dtype] : 0;
}

/** The format of the operands: fp8 with a scale for few numbers is mxfp8, whose scales hardware may multiply. */
static inline roof_dtype rf_operand_type(const roof_types *types) {
  const double microscaled = 32; /* numbers that share a scale at most: OCP microscaling (v1.0, 2023) */
  bool scaled = types->group > 0 && types->group <= microscaled;
  return scaled && types->compute == ROOF_FP8 ? ROOF_MXFP8 : types->compute;
}

/** roof_types_weight_bytes. */
static inline double rf_weight_bytes(const roof_types *types, double elements) {
  if (types->weight_bytes > 0) {
    return elements * types->weight_bytes;
  }
  double bytes = elements * rf_dtype_bytes(types->weights);
  if (types->group > 0) {
    bytes += elements / types->group * rf_dtype_bytes(types->scale);
  }
  return bytes;
}

#endif
