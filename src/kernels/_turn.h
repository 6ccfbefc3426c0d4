/** Rows to columns. */
#ifndef KERNELS_TURN_H
#define KERNELS_TURN_H

#include "kernels/kernels.h"

/** to[j * wide + i] = from[i * stride + j] for `rows` of i and `columns` of j, in fp64 or fp32.
 *  Units: elements. Ownership: fills the caller's `to`. Errors: none. */
void roof_turn(roof_dtype dtype, const void *from, size_t stride, size_t rows, size_t columns, void *to,
               size_t wide);

#endif
