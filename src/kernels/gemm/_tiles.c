#include "kernels/gemm/_blocks.h"

#include "kernels/_tile.h"

/** Packs a part of the next block, which the tile before has fetched, and says what to fetch during this tile: the
 * part after it; once all is packed, rows of A beneath. */
static void pack_ahead(const rf_block *b, rf_packing *next, const char *beneath, size_t panel,
                       rf_tile *tile) {
  size_t line = RF_LINE / b->element, columns = b->panels.wide / b->panels.lanes;
  if (!rf_gemm_packed(next)) {
    rf_gemm_pack(next);
  }
  if (!rf_gemm_packed(next)) {
    tile->ahead = rf_gemm_next(next);
    tile->ahead_stride = columns * line;
    tile->ahead_apart = line;
  } else {
    tile->ahead = beneath + panel * columns % (size_t)b->loops->tile_rows * b->a_stride * b->element;
    tile->ahead_stride = line;
    tile->ahead_apart = b->a_stride;
  }
}

/** Asks for a panel of B that lies in place some panels before its turn: each of its rows is a stream of its own, more than
 * processors follow. */
static void fetch_panel(const rf_block *b, const rf_panel *p) {
  enum { PANELS_AHEAD = 3 };
  size_t bytes = p->wide * b->element, stride = p->stride * b->element;
  const char *from = p->b + PANELS_AHEAD * bytes;
  for (size_t row = 0; row < b->depth; row++, from += stride) {
    for (size_t at = 0; at < bytes; at += RF_LINE) {
      __builtin_prefetch(from + at, 0, 3);
    }
  }
}

/** The tiles of some rows, from the left of the block to the right: C is passed row by row. */
static void multiply_strip(const rf_block *b, size_t row, size_t height, rf_packing *next) {
  size_t lanes = b->panels.lanes, widest = b->panels.wide / lanes;
  void (*const *tiles)(const rf_tile *) = b->loops->tile[height - 1];
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
    if (next != NULL && b->packed == NULL) {
      fetch_panel(b, &p);
    } else if (next != NULL) {
      pack_ahead(b, next, b->a + (row + height) * b->a_stride * b->element, panel, &tile);
    }
    tiles[(p.wide == b->panels.wide ? widest : p.wide / lanes) - 1](&tile);
  }
}

void rf_gemm_multiply_tiles(const rf_block *block, rf_packing *next) {
  for (size_t row = 0, height = 0; row < block->rows; row += height) {
    height = rf_tile_height(block->loops, block->rows - row);
    multiply_strip(block, row, height, next);
  }
}
