#include "kernels/_tile.h"

#include <string.h>

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

void rf_tile_whole(const rf_loops *loops, size_t depth, const void *a, const void *b, void *c, size_t stride,
                   bool add) {
  rf_tile tile = {.depth = depth,
                  .a = a,
                  .a_stride = 1,
                  .a_step = (size_t)loops->tile_rows,
                  .b = b,
                  .b_stride = (size_t)loops->tile_columns,
                  .c = c,
                  .c_stride = stride,
                  .last = (size_t)loops->lanes,
                  .add = add};
  loops->tile[loops->tile_rows - 1][loops->tile_columns / loops->lanes - 1](&tile);
}

void rf_tile_multiply(const rf_loops *loops, roof_dtype dtype, size_t depth, const void *a, const void *b,
                      rf_tile_part part) {
  size_t tall = (size_t)loops->tile_rows, wide = (size_t)loops->tile_columns;
  size_t element = (size_t)roof_dtype_bytes(dtype);
  if (part.rows >= tall && part.columns >= wide) {
    rf_tile_whole(loops, depth, a, b, part.c, part.stride, part.add);
    return;
  }
  _Alignas(64) char whole[RF_TILE_ELEMENTS * sizeof(double)] = {0};
  size_t rows = rf_smaller(part.rows, tall), columns = rf_smaller(part.columns, wide);
  for (size_t i = 0; i < rows && part.add; i++) {
    memcpy(whole + i * wide * element, (char *)part.c + i * part.stride * element, columns * element);
  }
  rf_tile_whole(loops, depth, a, b, whole, wide, part.add);
  for (size_t i = 0; i < rows; i++) {
    memcpy((char *)part.c + i * part.stride * element, whole + i * wide * element, columns * element);
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
