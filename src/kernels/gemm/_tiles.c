#include "kernels/gemm/_blocks.h"

#include "kernels/_tile.h"

/** Packs a part of the next block, which the tile before has fetched, and lets this tile fetch the part after it, if
 * there is one. */
static bool pack_ahead(const rf_block *b, rf_packing *next, rf_tile *tile) {
  size_t line = RF_LINE / b->element;
  if (!rf_gemm_packed(next)) {
    rf_gemm_pack(next);
  }
  if (rf_gemm_packed(next)) {
    return false;
  }
  tile->ahead = rf_gemm_next(next);
  tile->ahead_stride = b->panels.widest * line;
  tile->ahead_apart = line;
  return true;
}

/** Lets a tile fetch rows of A from one on. */
static void fetch_rows(const rf_block *b, size_t row, rf_tile *tile) {
  tile->ahead = b->a + row * b->a_stride * b->element;
  tile->ahead_stride = RF_LINE / b->element;
  tile->ahead_apart = b->a_stride;
}

/** Lets a tile fetch its part of a packed panel: as many of them as a register has elements fetch all of it. */
static void fetch_part(const rf_block *b, const rf_panel *after, size_t part, rf_tile *tile) {
  size_t line = RF_LINE / b->element, columns = b->panels.widest;
  tile->ahead = after->b + rf_smaller(part, b->panels.lanes - 1) * columns * b->depth * b->element;
  tile->ahead_stride = columns * line;
  tile->ahead_apart = line;
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

static rf_tile tile_of(const rf_block *b) {
  return (rf_tile){.depth = b->depth,
                   .a_stride = b->a_stride,
                   .a_step = 1,
                   .c_stride = b->c_stride,
                   .add = b->add,
                   .past = b->past};
}

static void multiply_tile(const rf_block *b, size_t row, size_t height, const rf_panel *p, rf_tile *tile) {
  size_t lanes = b->panels.lanes;
  tile->a = b->a + row * b->a_stride * b->element;
  tile->b = p->b;
  tile->b_stride = p->stride;
  tile->c = b->c + (row * b->c_stride + p->begin) * b->element;
  tile->last = lanes - (p->wide - p->columns);
  b->loops->tile[height - 1][(p->wide == b->panels.wide ? b->panels.widest : p->wide / lanes) - 1](tile);
}

/** The tiles of some rows, from the left of the block to the right: C is passed row by row. */
static void multiply_strip(const rf_block *b, size_t row, size_t height, rf_packing *next) {
  size_t tall = (size_t)b->loops->tile_rows, fetched = 0;
  rf_tile tile = tile_of(b);
  for (size_t panel = b->first; panel < b->last; panel++) {
    rf_panel p = rf_gemm_panel(b, panel);
    if (next != NULL && b->packed == NULL) {
      fetch_panel(b, &p);
    } else if (next != NULL && !pack_ahead(b, next, &tile)) {
      fetch_rows(b, row + height + fetched % tall, &tile);
      fetched += RF_TILE_AHEAD(tall, b->panels.widest, p.wide / b->panels.lanes);
    }
    multiply_tile(b, row, height, &p, &tile);
  }
}

/** What tiles of a panel fetch: the first ones the next panel; the others, of the last panels, rows of A that are copied
 * next. */
typedef struct fetching {
  rf_panel after;
  const rf_block *beneath;
  size_t begin; /**< rows beneath that tiles of panels after this one fetch */
} fetching;

static void fetch_next(const rf_block *b, const fetching *f, size_t number, rf_tile *tile) {
  size_t parts = b->panels.lanes, row = f->begin + (number - parts) * b->panels.widest;
  if (number >= parts && row < b->rows) {
    fetch_rows(f->beneath, row, tile);
  } else {
    fetch_part(b, &f->after, number, tile);
  }
}

/** The tiles of a panel, from the top of the block down; nothing is fetched without `next`. */
static void multiply_panel(const rf_block *b, const fetching *f, size_t panel, rf_packing *next) {
  rf_panel p = rf_gemm_panel(b, panel);
  rf_tile tile = tile_of(b);
  for (size_t row = 0, height = 0, number = 0; row < b->rows; row += height, number++) {
    height = rf_tile_height(b->loops, b->rows - row);
    if (next != NULL && !pack_ahead(b, next, &tile)) {
      fetch_next(b, f, number, &tile);
    }
    multiply_tile(b, row, height, &p, &tile);
  }
}

void rf_gemm_multiply_tiles(const rf_block *block, rf_packing *next) {
  bool inside = next == NULL && block->packed == NULL; /* B is in a cache: each panel is found once */
  for (size_t panel = block->first; inside && panel < block->last; panel++) {
    multiply_panel(block, NULL, panel, NULL);
  }
  for (size_t row = 0, height = 0; !inside && row < block->rows; row += height) {
    height = rf_tile_height(block->loops, block->rows - row);
    multiply_strip(block, row, height, next);
  }
}

/** Some rows of A, copied, and of C. */
static rf_block copy_rows(const rf_block *block, size_t row, size_t rows) {
  rf_block b = *block;
  const char *from = block->a + row * block->a_stride * block->element;
  size_t bytes = block->a_stride * block->element, apart = block->depth * block->element + RF_LINE;
  b.rows = rows;
  b.a = block->copy;
  b.a_stride = apart / block->element;
  b.c += row * block->c_stride * block->element;
  for (size_t i = 0; i < rows; i++, from += bytes) {
    block->loops->copy[0](block->copy + i * apart, from, from + bytes, block->depth);
  }
  return b;
}

/** Some rows times all panels; `beneath` begins with the rows that follow. */
static void multiply_rows(const rf_block *b, const rf_block *beneath, rf_packing *next) {
  size_t tall = (size_t)b->loops->tile_rows, strips = (b->rows + tall - 1) / tall, parts = b->panels.lanes;
  size_t others = strips > parts ? (strips - parts) * b->panels.widest : 0;
  for (size_t panel = b->first; panel < b->last; panel++) {
    fetching f = {rf_gemm_panel(b, panel + 1 < b->last ? panel + 1 : b->first), beneath,
                  (b->last - 1 - panel) * others};
    multiply_panel(b, &f, panel, next);
  }
}

void rf_gemm_multiply_panels(const rf_block *block, rf_packing *next) {
  if (block->copy == NULL) {
    rf_gemm_multiply_tiles(block, next);
    return;
  }
  for (size_t row = 0; row < block->rows; row += block->height) {
    rf_block rows = copy_rows(block, row, rf_smaller(block->height, block->rows - row)), beneath = *block;
    beneath.a += (row + block->height) * block->a_stride * block->element;
    multiply_rows(&rows, &beneath, next);
  }
}
