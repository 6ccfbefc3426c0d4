/** Tiles of products of narrow numbers, summed in 32 bits: once per instruction set, chosen at run time. */
#ifndef KERNELS_LANES_NARROW_H
#define KERNELS_LANES_NARROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roofline/dtype.h"

/** Rows of the largest tile, columns of every one, and the bytes of a row of A that lie together. */
enum { RF_NARROW_ROWS = 32, RF_NARROW_COLUMNS = 48, RF_NARROW_LINE = 64 };

/** What a tile's sums are turned into. */
typedef struct rf_narrow_out {
  float scale;           /**< int8: of the sums */
  const int32_t *excess; /**< int8: subtracted from each row's sums */
  void *c;               /**< the tile's first element */
  size_t stride;         /**< elements from row to row of c */
  size_t rows, columns;  /**< of the tile, that are inside c */
} rf_narrow_out;

/** Of bf16 two, of int8 four neighbours of a row of A, and of a column of B, fill 32 bits: a group. A is packed line by line for
 *  the tile's rows, B group by group for its columns. */
typedef struct rf_narrow {
  const char *isa; /**< "AMX", "AVX512-BF16", "AVX2", "scalar" */
  roof_dtype dtype;
  size_t rows;  /**< of a tile */
  uint8_t flip; /**< what bytes of B are combined with: 0x80 (128 is added) where they are unsigned */
  bool (*available)(void);
  void (*begin)(void); /**< nullable, as `end`: before a thread's first tile, and after its last */
  void (*end)(void);
  /** sums (rows x columns of float or int32_t) = A B, of so many lines of each row of A. */
  void (*tile)(size_t lines, const void *a, const void *b, void *sums);
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
