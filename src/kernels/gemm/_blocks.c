#include "kernels/gemm/_blocks.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "host/memory.h"
#include "kernels/_tile.h"

enum { STEP = 16, THIN = 12, SHALLOW = 32, STRIPS = 4 };

/** The length of equal parts of `whole`, multiples of `step`, each at most `most`. */
static size_t equal_parts(size_t whole, size_t most, size_t step) {
  size_t parts = (whole + most - 1) / most;
  return rf_round_up((whole + parts - 1) / parts, step);
}

static size_t at_least(double value, size_t step) {
  return value < (double)step ? step : (size_t)value / step * step;
}

rf_blocks rf_gemm_blocks(const roof_kernel_run *run) {
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), run->dtype);
  rf_gemm_sizes s = rf_gemm_shape(run);
  size_t tall = (size_t)loops->tile_rows, wide = (size_t)loops->tile_columns;
  double element = roof_dtype_bytes(run->dtype);
  rf_blocks b = {.height = STRIPS * tall, .direct = s.m <= THIN && s.n % (size_t)loops->lanes == 0};
  size_t depth = at_least(8.0 / 3 * rf_cache_bytes(1) / ((double)(tall + wide) * element), STEP);
  b.depth = equal_parts(s.k, b.direct ? SHALLOW : depth, STEP);
  double share = 0.4 * rf_cache_bytes(2) / ((double)b.depth * element);
  b.width = b.direct ? s.n : equal_parts(s.n, at_least(share, wide), wide);
  return b;
}

size_t rf_gemm_square(const roof_kernel_run *run) {
  return at_least(sqrt(rf_cache_bytes(2) / 2 / roof_dtype_bytes(run->dtype)), STEP);
}

rf_gemm_passes rf_gemm_block_passes(const roof_kernel_run *run, double bytes, double rows, double strip) {
  rf_blocks blocks = rf_gemm_blocks(run);
  rf_gemm_sizes s = rf_gemm_shape(run);
  double element = roof_dtype_bytes(run->dtype), m = (double)s.m, n = (double)s.n;
  double depth = (double)blocks.depth, width = fmin((double)blocks.width, n), read = blocks.direct ? 1 : 2;
  double panel = rf_lanes_loops(rf_lanes_best(), run->dtype)->tile_columns;
  bool whole = width * depth * element <= bytes, stays = strip * depth * element <= bytes;
  return (rf_gemm_passes){.a = ceil(n / (whole || stays ? width : panel)),
                          .b = whole ? read : fmax(read, ceil(m / rows)),
                          .c = 2 * ceil((double)s.k / depth) - 1};
}

static rf_gemm_passes tile_passes(const roof_kernel_run *run, double bytes, bool first) {
  (void)first;
  double tall = rf_lanes_loops(rf_lanes_best(), run->dtype)->tile_rows;
  return rf_gemm_block_passes(run, bytes, tall, tall);
}

/* A step in depth of a tile loads a column of A and a row of B for rows x columns multiply-adds. */
void rf_gemm_tiles_algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), run->dtype);
  rf_gemm_moves(run, cores, 1.0 / loops->tile_rows + 1.0 / loops->tile_columns, tile_passes, out);
}

static size_t packed_bytes(const roof_kernel_run *run, const rf_blocks *b) {
  return b->direct ? 0 : b->width * b->depth * (size_t)roof_dtype_bytes(run->dtype);
}

roof_status rf_gemm_prepare_blocks(roof_kernel_run *run, roof_error *error) {
  rf_blocks b = rf_gemm_blocks(run);
  return rf_gemm_prepare(run, 2 * (double)packed_bytes(run, &b), error);
}

size_t rf_panel_count(const rf_loops *loops, size_t columns) {
  size_t lanes = (size_t)loops->lanes, widest = (size_t)loops->tile_columns / lanes;
  return ((columns + lanes - 1) / lanes + widest - 1) / widest;
}

size_t rf_panel_begin(const rf_loops *loops, size_t columns, size_t panel) {
  size_t lanes = (size_t)loops->lanes, widest = (size_t)loops->tile_columns / lanes;
  size_t registers = (columns + lanes - 1) / lanes, count = (registers + widest - 1) / widest;
  if (panel >= count) {
    return registers * lanes;
  }
  bool narrow = widest > 2 && registers % widest == 1 && panel > 0 && panel == count - 1;
  return (panel * widest - narrow) * lanes;
}

rf_panel rf_gemm_panel(const rf_block *b, size_t panel) {
  size_t begin = rf_panel_begin(b->loops, b->columns, panel);
  size_t wide = rf_panel_begin(b->loops, b->columns, panel + 1) - begin;
  rf_panel p = {begin, rf_smaller(wide, b->columns - begin), wide, b->b + begin * b->element, b->b_stride};
  if (b->packed != NULL) {
    p.b = b->packed + begin * b->depth * b->element;
    p.stride = wide;
  }
  return p;
}

/** With zeros where B ends. */
void rf_gemm_pack(rf_packing *packing, size_t rows) {
  const rf_block *b = &packing->block;
  rf_panel p = rf_gemm_panel(b, packing->panel);
  size_t here = p.columns * b->element, wide = p.wide * b->element;
  rows = rf_smaller(rows, b->depth - packing->row);
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

static void pack_rest(rf_packing *packing) {
  while (packing->panel < packing->last) {
    rf_gemm_pack(packing, packing->block.depth);
  }
}

/** The panels that are the calling thread's. */
static void own_panels(const rf_block *b, size_t *first, size_t *last) {
  size_t panels = rf_panel_count(b->loops, b->columns);
  size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
  *first = panels * thread / threads;
  *last = panels * (thread + 1) / threads;
}

static rf_packing pack_own(const rf_block *b, char *to) {
  rf_packing p = {.block = *b, .to = to};
  own_panels(b, &p.panel, &p.last);
  return p;
}

/** Columns j to j + width, depth p to p + depth; of no columns past the end. */
static rf_block slice_at(const roof_kernel_run *run, const rf_blocks *blocks, size_t j, size_t p) {
  const rf_operands *o = run->state;
  rf_gemm_sizes s = rf_gemm_shape(run);
  size_t element = (size_t)roof_dtype_bytes(run->dtype);
  rf_block b = {.loops = o->loops, .element = element, .rows = s.m, .add = p > 0};
  b.columns = j < s.n ? rf_smaller(blocks->width, s.n - j) : 0;
  b.depth = rf_smaller(blocks->depth, s.k - p);
  b.a = (const char *)o->in[0] + p * element;
  b.a_stride = s.k;
  b.b = (const char *)o->in[1] + (p * s.n + j) * element;
  b.b_stride = s.n;
  b.c = (char *)o->out + j * element;
  b.c_stride = s.n;
  b.last = rf_panel_count(o->loops, b.columns);
  return b;
}

/** Some rows at a time, as threads get free. */
static void multiply_rows(const rf_block *all, size_t height, rf_gemm_multiply *multiply, rf_packing *next) {
#pragma omp for schedule(dynamic) nowait
  for (size_t i = 0; i < all->rows; i += height) {
    rf_block b = *all;
    b.rows = rf_smaller(height, all->rows - i);
    b.a += i * b.a_stride * b.element;
    b.c += i * b.c_stride * b.element;
    multiply(&b, next);
  }
}

/** A few rows times B where it lies. */
static void multiply_direct(const roof_kernel_run *run, const rf_blocks *blocks, rf_gemm_multiply *multiply) {
  for (size_t p = 0; p < rf_gemm_shape(run).k; p += blocks->depth) {
    rf_block slice = slice_at(run, blocks, 0, p);
    rf_packing none = {.block = slice};
    own_panels(&slice, &slice.first, &slice.last);
    multiply(&slice, &none);
  }
}

/** While one block is multiplied, the next is packed into the other buffer. */
static void multiply_packed(const roof_kernel_run *run, const rf_blocks *blocks, rf_gemm_multiply *multiply) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  char *buffers[2] = {((const rf_operands *)run->state)->scratch};
  buffers[1] = buffers[0] + packed_bytes(run, blocks);
  rf_block slice = slice_at(run, blocks, 0, 0);
  rf_packing next = pack_own(&slice, buffers[0]);
  for (size_t j = 0, turn = 0; j < s.n; j += blocks->width) {
    for (size_t p = 0; p < s.k; p += blocks->depth, turn = 1 - turn) {
      pack_rest(&next);
#pragma omp barrier
      slice = next.block;
      slice.packed = buffers[turn];
      bool deeper = p + blocks->depth < s.k;
      rf_block after = slice_at(run, blocks, deeper ? j : j + blocks->width, deeper ? p + blocks->depth : 0);
      next = pack_own(&after, buffers[1 - turn]);
      multiply_rows(&slice, blocks->height, multiply, &next);
    }
  }
}

void rf_gemm_product(const roof_kernel_run *run, rf_gemm_multiply *multiply) {
  rf_blocks blocks = rf_gemm_blocks(run);
  if (blocks.direct) {
    multiply_direct(run, &blocks, multiply);
  } else {
    multiply_packed(run, &blocks, multiply);
  }
}
