#include "kernels/_tile.h"

#define PACK(type)                                                                                           \
  static void pack_##type(rf_slices s, size_t width, type *to) {                                             \
    const type *from = s.data;                                                                               \
    for (size_t p = 0; p < s.depth; p++) {                                                                   \
      for (size_t r = 0; r < width; r++) {                                                                   \
        *to++ = r < s.wide ? from[p * s.depth_stride + r * s.wide_stride] : 0;                               \
      }                                                                                                      \
    }                                                                                                        \
  }
PACK(double)
PACK(float)

void rf_tile_pack(roof_dtype dtype, rf_slices slices, size_t width, void *to) {
  slices.wide = rf_smaller(slices.wide, width);
  if (dtype == ROOF_FP64) {
    pack_double(slices, width, to);
  } else {
    pack_float(slices, width, to);
  }
}

size_t rf_tile_height(const rf_loops *loops, size_t rows) {
  size_t tall = (size_t)loops->tile_rows;
  return rows <= tall ? rows : rows < 2 * tall ? (rows + 1) / 2 : tall;
}

/** A strip of rows, from left to right. */
static void multiply_strip(const rf_tiles *t, size_t row, size_t height) {
  size_t wide = (size_t)t->loops->tile_columns, lanes = (size_t)t->loops->lanes;
  rf_tile tile = {.depth = t->depth,
                  .a = (const char *)t->a + row * t->a_stride * t->element,
                  .a_stride = t->a_stride,
                  .a_step = 1,
                  .b_stride = t->b_stride,
                  .c_stride = t->c_stride,
                  .add = t->add};
  for (size_t j = 0; j < t->columns; j += wide) {
    size_t registers = (rf_smaller(wide, t->columns - j) + lanes - 1) / lanes;
    tile.b = (const char *)t->b + j / wide * t->b_panel * t->element;
    tile.c = (char *)t->c + (row * t->c_stride + j) * t->element;
    tile.last = rf_smaller(lanes, t->columns - j - (registers - 1) * lanes);
    t->loops->tile[height - 1][registers - 1](&tile);
  }
}

void rf_tiles_multiply(const rf_tiles *t) {
  for (size_t row = 0, height = 0; row < t->rows; row += height) {
    height = rf_tile_height(t->loops, t->rows - row);
    multiply_strip(t, row, height);
  }
}
