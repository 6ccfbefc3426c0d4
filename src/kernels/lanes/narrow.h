/** Tiles of products of narrow numbers, summed in 32 bits: once per instruction set, chosen at run time. */
#ifndef KERNELS_LANES_NARROW_H
#define KERNELS_LANES_NARROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roofline/dtype.h"

enum { RF_NARROW_ROWS = 8, RF_NARROW_COLUMNS = 48 };

/** What a tile's sums are turned into. */
typedef struct rf_narrow_out {
  float scale;           /**< int8: of the sums */
  const int32_t *excess; /**< int8: subtracted from each row's sums */
  void *c;               /**< the tile's first element */
  size_t stride;         /**< elements from row to row of c */
  size_t rows, columns;  /**< of the tile, that are inside c */
} rf_narrow_out;

/** Of bf16 two, of int8 four neighbours of a row of A, and of a column of B, fill 32 bits: a group. A is in
 *  row order, B packed group by group for the tile's columns. The bytes of B are unsigned: int8 plus 128. */
typedef struct rf_narrow {
  const char *isa; /**< "AVX512-BF16", "AVX512-VNNI", "scalar" */
  roof_dtype dtype;
  bool (*available)(void);
  /** sums (rows x columns of float or int32_t) = A B; rows of A are `stride` bytes apart. */
  void (*tile)(size_t groups, const void *a, size_t stride, const void *b, void *sums);
  /** c = sums, rounded to the format: bf16, or int8 within -127 and 127. */
  void (*round)(const void *sums, const rf_narrow_out *out);
} rf_narrow;

/** The variants compiled in, best first.
 *  Units: none. Ownership: static. Errors: NULL past the last. */
const rf_narrow *rf_narrow_at(int index);

/** The best variant for bf16 or int8 that this processor has.
 *  Units: none. Ownership: static. Errors: NULL for other formats. */
const rf_narrow *rf_narrow_best(roof_dtype dtype);

#endif
