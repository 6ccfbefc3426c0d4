/** What kernels share that compute tiles of a product in registers (`tile` of rf_loops). */
#ifndef KERNELS_TILE_H
#define KERNELS_TILE_H

#include "kernels/kernels.h"

static inline size_t rf_smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static inline size_t rf_round_up(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/** A matrix as `tile` takes it apart: element (p, r) is `depth_stride` p + `wide_stride` r elements from
 *  `data`; at most `wide` of r are there. */
typedef struct rf_slices {
  const void *data;
  size_t depth, depth_stride;
  size_t wide, wide_stride;
} rf_slices;

/** Packs `slices` into depth x `width` elements, zero beyond what is there.
 *  Units: elements. Ownership: fills the caller's `to`. Errors: none. */
void rf_tile_pack(roof_dtype dtype, rf_slices slices, size_t width, void *to);

/** Rows of the next tile where so many are left: the last two are about equal, since a low tile has too few sums in
 *  flight to keep the processor busy.
 *  Units: rows. Ownership: none. Errors: none. */
size_t rf_tile_height(const rf_loops *loops, size_t rows);

/** c (rows x columns) = or += a b: a in row order, b in panels of a tile's columns. Strides in elements. */
typedef struct rf_tiles {
  const rf_loops *loops;
  size_t element; /**< bytes */
  size_t rows, columns, depth;
  const void *a;
  size_t a_stride;
  const void *b; /**< whole registers may be loaded */
  size_t b_stride;
  size_t b_panel; /**< from panel to panel: where b lies in row order, tile_columns */
  void *c;
  size_t c_stride;
  bool add;
} rf_tiles;

/** Multiplies them tile by tile.
 *  Units: elements. Ownership: writes the caller's `c`. Errors: none. */
void rf_tiles_multiply(const rf_tiles *tiles);

#endif
