#include "kernels/gemm/_blocks.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "kernels/_tile.h"

enum { STEP = 16, THIN = 12, SHALLOW = 32, STRIPS = 4 };

/** The length of equal parts of `whole`, multiples of `step`, each at most `most`. */
static size_t equal_parts(size_t whole, size_t most, size_t step) {
  size_t parts = (whole + most - 1) / most;
  return roof_round_up((whole + parts - 1) / parts, step);
}

static size_t at_least(double value, size_t step) {
  return value < (double)step ? step : (size_t)value / step * step;
}

roof_blocks roof_gemm_blocks(const roof_kernel_run *run) {
  const roof_loops *loops = roof_lanes_loops(roof_lanes_best(), run->dtype);
  roof_shape s = roof_gemm_shape(run);
  size_t tall = (size_t)loops->tile_rows, wide = (size_t)loops->tile_columns;
  double element = roof_dtype_bytes(run->dtype);
  roof_blocks b = {.height = STRIPS * tall, .direct = s.m <= THIN && s.n % (size_t)loops->lanes == 0};
  size_t depth = at_least(8.0 / 3 * roof_cache_level(1) / ((double)(tall + wide) * element), STEP);
  b.depth = equal_parts(s.k, b.direct ? SHALLOW : depth, STEP);
  double share = 0.4 * roof_cache_level(2) / ((double)b.depth * element);
  b.width = b.direct ? s.n : equal_parts(s.n, at_least(share, wide), wide);
  return b;
}

size_t roof_gemm_square(const roof_kernel_run *run) {
  return at_least(sqrt(roof_cache_level(2) / 2 / roof_dtype_bytes(run->dtype)), STEP);
}

static size_t packed_bytes(const roof_kernel_run *run, const roof_blocks *b) {
  return b->direct ? 0 : b->width * b->depth * (size_t)roof_dtype_bytes(run->dtype);
}

roof_status roof_gemm_prepare_blocks(roof_kernel_run *run, roof_error *error) {
  roof_blocks b = roof_gemm_blocks(run);
  return roof_gemm_prepare(run, 2 * (double)packed_bytes(run, &b), error);
}

size_t roof_panel_count(const roof_loops *loops, size_t columns) {
  size_t lanes = (size_t)loops->lanes, widest = (size_t)loops->tile_columns / lanes;
  return ((columns + lanes - 1) / lanes + widest - 1) / widest;
}

size_t roof_panel_begin(const roof_loops *loops, size_t columns, size_t panel) {
  size_t lanes = (size_t)loops->lanes, widest = (size_t)loops->tile_columns / lanes;
  size_t registers = (columns + lanes - 1) / lanes, count = (registers + widest - 1) / widest;
  if (panel >= count) {
    return registers * lanes;
  }
  bool narrow = widest > 2 && registers % widest == 1 && panel > 0 && panel == count - 1;
  return (panel * widest - narrow) * lanes;
}

roof_panel roof_gemm_panel(const roof_block *b, size_t panel) {
  size_t begin = roof_panel_begin(b->loops, b->columns, panel);
  size_t wide = roof_panel_begin(b->loops, b->columns, panel + 1) - begin;
  roof_panel p = {begin, roof_smaller(wide, b->columns - begin), wide, b->b + begin * b->element,
                  b->b_stride};
  if (b->packed != NULL) {
    p.b = b->packed + begin * b->depth * b->element;
    p.stride = wide;
  }
  return p;
}

/** With zeros where B ends. */
void roof_gemm_pack(roof_packing *packing, size_t rows) {
  const roof_block *b = &packing->block;
  roof_panel p = roof_gemm_panel(b, packing->panel);
  size_t here = p.columns * b->element, wide = p.wide * b->element;
  rows = roof_smaller(rows, b->depth - packing->row);
  char *to = packing->to + p.begin * b->depth * b->element + packing->row * wide;
  const char *from = p.b + packing->row * p.stride * b->element;
  if (p.columns == p.wide) {
    b->loops->pack(from, p.stride, rows, p.wide / (size_t)b->loops->lanes, to);
  }
  for (size_t i = 0; i < rows && p.columns < p.wide; i++, to += wide, from += p.stride * b->element) {
    memcpy(to, from, here);
    memset(to + here, 0, wide - here);
  }
  packing->row += rows;
  if (packing->row == b->depth) {
    packing->row = 0;
    packing->panel++;
  }
}

static void pack_rest(roof_packing *packing) {
  while (packing->panel < packing->last) {
    roof_gemm_pack(packing, packing->block.depth);
  }
}

/** The panels that are the calling thread's. */
static void own_panels(const roof_block *b, size_t *first, size_t *last) {
  size_t panels = roof_panel_count(b->loops, b->columns);
  size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
  *first = panels * thread / threads;
  *last = panels * (thread + 1) / threads;
}

static roof_packing pack_own(const roof_block *b, char *to) {
  roof_packing p = {.block = *b, .to = to};
  own_panels(b, &p.panel, &p.last);
  return p;
}

/** Columns j to j + width, depth p to p + depth; of no columns past the end. */
static roof_block slice_at(const roof_kernel_run *run, const roof_blocks *blocks, size_t j, size_t p) {
  const roof_operands *o = run->state;
  roof_shape s = roof_gemm_shape(run);
  size_t element = (size_t)roof_dtype_bytes(run->dtype);
  roof_block b = {.loops = o->loops, .element = element, .rows = s.m, .add = p > 0};
  b.columns = j < s.n ? roof_smaller(blocks->width, s.n - j) : 0;
  b.depth = roof_smaller(blocks->depth, s.k - p);
  b.a = (const char *)o->in[0] + p * element;
  b.a_stride = s.k;
  b.b = (const char *)o->in[1] + (p * s.n + j) * element;
  b.b_stride = s.n;
  b.c = (char *)o->out + j * element;
  b.c_stride = s.n;
  b.last = roof_panel_count(o->loops, b.columns);
  return b;
}

/** Some rows at a time, as threads get free. */
static void multiply_rows(const roof_block *all, size_t height, roof_gemm_multiply *multiply,
                          roof_packing *next) {
#pragma omp for schedule(dynamic) nowait
  for (size_t i = 0; i < all->rows; i += height) {
    roof_block b = *all;
    b.rows = roof_smaller(height, all->rows - i);
    b.a += i * b.a_stride * b.element;
    b.c += i * b.c_stride * b.element;
    multiply(&b, next);
  }
}

/** A few rows times B where it lies. */
static void multiply_direct(const roof_kernel_run *run, const roof_blocks *blocks,
                            roof_gemm_multiply *multiply) {
  for (size_t p = 0; p < roof_gemm_shape(run).k; p += blocks->depth) {
    roof_block slice = slice_at(run, blocks, 0, p);
    roof_packing none = {.block = slice};
    own_panels(&slice, &slice.first, &slice.last);
    multiply(&slice, &none);
  }
}

/** While one block is multiplied, the next is packed into the other buffer. */
static void multiply_packed(const roof_kernel_run *run, const roof_blocks *blocks,
                            roof_gemm_multiply *multiply) {
  roof_shape s = roof_gemm_shape(run);
  char *buffers[2] = {((const roof_operands *)run->state)->scratch};
  buffers[1] = buffers[0] + packed_bytes(run, blocks);
  roof_block slice = slice_at(run, blocks, 0, 0);
  roof_packing next = pack_own(&slice, buffers[0]);
  for (size_t j = 0, turn = 0; j < s.n; j += blocks->width) {
    for (size_t p = 0; p < s.k; p += blocks->depth, turn = 1 - turn) {
      pack_rest(&next);
#pragma omp barrier
      slice = next.block;
      slice.packed = buffers[turn];
      bool deeper = p + blocks->depth < s.k;
      roof_block after =
          slice_at(run, blocks, deeper ? j : j + blocks->width, deeper ? p + blocks->depth : 0);
      next = pack_own(&after, buffers[1 - turn]);
      multiply_rows(&slice, blocks->height, multiply, &next);
    }
  }
}

void roof_gemm_product(const roof_kernel_run *run, roof_gemm_multiply *multiply) {
  roof_blocks blocks = roof_gemm_blocks(run);
  if (blocks.direct) {
    multiply_direct(run, &blocks, multiply);
  } else {
    multiply_packed(run, &blocks, multiply);
  }
}
