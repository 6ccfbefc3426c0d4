#include "kernels/gemm/_blocks.h"

/** Packs rows of the next block, which the tile before has fetched, and says what to fetch during this tile:
 * those after them, a row for each of the tile's lines of A; once all are packed, rows of A beneath. */
static void pack_ahead(const rf_block *b, rf_packing *next, const char *beneath, size_t panel,
                       rf_tile *tile) {
  size_t line = 64 / b->element, rows = b->depth / line;
  if (next->panel < next->last) {
    rf_gemm_pack(next, rows);
  }
  if (next->panel < next->last) {
    rf_panel p = rf_gemm_panel(&next->block, next->panel);
    tile->ahead = p.b + next->row * p.stride * b->element;
    tile->ahead_stride = p.stride;
  } else {
    tile->ahead = beneath + panel % (size_t)b->loops->tile_rows * b->a_stride * b->element;
    tile->ahead_stride = line;
  }
}

/** The tiles of some rows, from the left of the block to the right: C is passed row by row. */
static void multiply_strip(const rf_block *b, size_t row, int height, rf_packing *next) {
  const rf_loops *loops = b->loops;
  size_t lanes = (size_t)loops->lanes, tall = (size_t)loops->tile_heights[height];
  rf_tile tile = {.depth = b->depth,
                  .a = b->a + row * b->a_stride * b->element,
                  .a_stride = b->a_stride,
                  .a_step = 1,
                  .c_stride = b->c_stride,
                  .add = b->add};
  for (size_t panel = b->first; panel < b->last; panel++) {
    rf_panel p = rf_gemm_panel(b, panel);
    tile.b = p.b;
    tile.b_stride = p.stride;
    tile.c = b->c + (row * b->c_stride + p.begin) * b->element;
    tile.last = lanes - (p.wide - p.columns);
    if (next != NULL) {
      pack_ahead(b, next, b->a + (row + tall) * b->a_stride * b->element, panel, &tile);
    }
    loops->tile[height][p.wide / lanes - 1](&tile);
  }
}

void rf_gemm_multiply_tiles(const rf_block *block, rf_packing *next) {
  int height = 0;
  for (size_t row = 0; row < block->rows; row += (size_t)block->loops->tile_heights[height]) {
    while (block->rows - row < (size_t)block->loops->tile_heights[height]) {
      height++;
    }
    multiply_strip(block, row, height, next);
  }
}
