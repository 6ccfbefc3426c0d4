#include "kernels/gemm/_blocks.h"

/** What to fetch while a panel is multiplied: the rows of the next one. */
typedef struct next {
  const char *b;
  size_t stride, rows;
} next;

static next next_panel(const roof_block *b, const roof_panel *p, size_t panel) {
  bool packed = panel + 1 < b->last && b->packed != NULL;
  return packed ? (next){p->b + p->wide * b->depth * b->element, p->wide, b->depth}
                : (next){b->b + (p->begin + p->wide) * b->element, b->b_stride, b->depth};
}

/** The tiles of one panel, from the top of the block down. */
static void multiply_panel(const roof_block *b, size_t panel, bool fetch) {
  const roof_loops *loops = b->loops;
  roof_panel p = roof_gemm_panel(b, panel);
  next n = next_panel(b, &p, panel);
  size_t lanes = (size_t)loops->lanes, fetched = 0;
  roof_tile tile = {.depth = b->depth,
                    .a_stride = b->a_stride,
                    .a_step = 1,
                    .b = p.b,
                    .b_stride = p.stride,
                    .c_stride = b->c_stride,
                    .last = lanes - (p.wide - p.columns),
                    .add = b->add};
  int height = 0;
  for (size_t i = 0; i < b->rows; i += (size_t)loops->tile_heights[height]) {
    while (b->rows - i < (size_t)loops->tile_heights[height]) {
      height++;
    }
    tile.a = b->a + i * b->a_stride * b->element;
    tile.c = b->c + (i * b->c_stride + p.begin) * b->element;
    bool done = fetched >= n.rows;
    tile.ahead = !fetch ? NULL : done ? p.b : n.b + fetched * n.stride * b->element;
    tile.ahead_stride = done ? 0 : n.stride;
    loops->tile[height][p.wide / lanes - 1](&tile);
    fetched += b->depth * b->element / 64;
  }
}

void roof_gemm_multiply_tiles(const roof_block *block, bool fetch) {
  for (size_t panel = block->first; panel < block->last; panel++) {
    multiply_panel(block, panel, fetch);
  }
}
