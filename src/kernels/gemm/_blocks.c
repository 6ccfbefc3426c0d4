#include "kernels/gemm/_blocks.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "host/memory.h"
#include "kernels/_tile.h"

/* Rows of which a strip is direct, bytes of them at a time; strips that a thread takes at a time; rows that are few;
 * times that each thread comes by, so that all end together. */
enum { STEP = 16, THIN = 16, SHALLOW = 128, STRIPS = 4, FEW = 128, BALANCED = 4 };

/** The length of equal parts of `whole`, multiples of `step`, each at most `most`. */
static size_t equal_parts(size_t whole, size_t most, size_t step) {
  size_t parts = (whole + most - 1) / most;
  return rf_round_up((whole + parts - 1) / parts, step);
}

static size_t at_least(double value, size_t step) {
  return value < (double)step ? step : (size_t)value / step * step;
}

/** Threads that execute together. */
static size_t team_of(const roof_kernel_run *run) {
  return run->kernel->serial ? 1 : (size_t)run->threads;
}

rf_blocks rf_gemm_fitting(roof_dtype dtype, size_t rows) {
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), dtype);
  size_t tall = (size_t)loops->tile_rows, wide = (size_t)loops->tile_columns;
  double element = roof_dtype_bytes(dtype);
  double deep = rf_cache_bytes(1) / ((double)(tall + wide) * element);
  rf_blocks b = {.depth = at_least(rows > FEW ? deep : 2 * deep / 3, STEP), .height = STRIPS * tall};
  b.width = at_least(0.4 * rf_cache_bytes(2) / ((double)b.depth * element), wide);
  return b;
}

rf_blocks rf_gemm_blocks(const roof_kernel_run *run) {
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), run->dtype);
  rf_gemm_sizes s = rf_gemm_shape(run);
  rf_blocks b = rf_gemm_fitting(run->dtype, s.m);
  if (run->blocks != NULL && s.m > FEW) {
    b.depth = at_least(run->blocks->depth, STEP);
    b.width = at_least(run->blocks->width, (size_t)loops->tile_columns);
    b.height = at_least(run->blocks->height, (size_t)loops->tile_rows);
  }
  b.direct = s.m <= THIN && s.n % (size_t)loops->lanes == 0;
  b.apart = team_of(run) > 1 && s.m < BALANCED * b.height * team_of(run);
  b.depth = equal_parts(s.k, b.direct ? SHALLOW / (size_t)roof_dtype_bytes(run->dtype) : b.depth, STEP);
  size_t all = b.apart ? b.width * team_of(run) : b.width;
  b.width = b.direct ? s.n : equal_parts(s.n, all, (size_t)loops->tile_columns);
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
  width /= blocks.apart ? (double)team_of(run) : 1;
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
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), run->dtype);
  size_t block = b->width * b->depth * (size_t)roof_dtype_bytes(run->dtype);
  return b->direct ? 0 : block + rf_gemm_panels(loops, b->width).count * RF_LINE;
}

roof_status rf_gemm_prepare_blocks(roof_kernel_run *run, roof_error *error) {
  rf_blocks b = rf_gemm_blocks(run);
  return rf_gemm_prepare(run, 2 * (double)packed_bytes(run, &b), error);
}

rf_panels rf_gemm_panels(const rf_loops *loops, size_t columns) {
  size_t lanes = (size_t)loops->lanes, wide = (size_t)loops->tile_columns, widest = wide / lanes;
  size_t registers = (columns + lanes - 1) / lanes, count = (registers + widest - 1) / widest;
  bool narrow = widest > 2 && registers % widest == 1 && count > 1;
  return (rf_panels){.lanes = lanes,
                     .wide = wide,
                     .registers = registers,
                     .count = count,
                     .whole = narrow ? count - 2 : columns / wide,
                     .shorter = narrow ? lanes : 0};
}

/** The column where a panel begins, that of the end past the last. */
static size_t panel_begin(const rf_panels *p, size_t panel) {
  size_t begin = panel * p->wide - (panel + 1 == p->count ? p->shorter : 0);
  return rf_smaller(begin, p->registers * p->lanes);
}

/** Where a packed panel begins: a line after the end of the one before, so that the same rows of all panels do not
 * share a place in the first cache. */
static size_t packed_at(const rf_block *b, size_t panel) {
  return panel_begin(&b->panels, panel) * b->depth * b->element + panel * RF_LINE;
}

rf_panel rf_gemm_panel(const rf_block *b, size_t panel) {
  size_t begin = panel_begin(&b->panels, panel), wide = panel_begin(&b->panels, panel + 1) - begin;
  rf_panel p = {begin, rf_smaller(wide, b->columns - begin), wide, b->b + begin * b->element, b->b_stride};
  if (b->packed != NULL) {
    p.b = b->packed + packed_at(b, panel);
    p.stride = wide;
  }
  return p;
}

const char *rf_gemm_next(const rf_packing *packing) {
  const rf_block *b = &packing->block;
  return b->b + (packing->row * b->b_stride + panel_begin(&b->panels, packing->panel)) * b->element;
}

/** Whole panels of the row as far as they go, else one that is short, with zeros where B ends. Returns how many. */
static size_t pack_some(const rf_packing *packing, size_t most) {
  const rf_block *b = &packing->block;
  rf_panel p = rf_gemm_panel(b, packing->panel);
  char *to = packing->to + packed_at(b, packing->panel) + packing->row * p.wide * b->element;
  const char *from = rf_gemm_next(packing);
  size_t here = p.columns * b->element;
  if (packing->panel < b->panels.whole) {
    size_t count = rf_smaller(most, b->panels.whole - packing->panel);
    b->loops->pack(from, p.wide, count, p.wide / b->panels.lanes, to,
                   p.wide * b->depth + RF_LINE / b->element);
    return count;
  }
  memcpy(to, from, here);
  memset(to + here, 0, p.wide * b->element - here);
  return 1;
}

void rf_gemm_pack(rf_packing *packing) {
  size_t end = rf_smaller(packing->panel + packing->part, packing->last);
  while (packing->panel < end) {
    packing->panel += pack_some(packing, end - packing->panel);
  }
  if (packing->panel == packing->last) {
    packing->panel = packing->first;
    packing->row++;
  }
}

bool rf_gemm_packed(const rf_packing *packing) {
  return packing->first == packing->last || packing->row == packing->block.depth;
}

static void pack_rest(rf_packing *packing) {
  packing->part = packing->last - packing->first;
  while (!rf_gemm_packed(packing)) {
    rf_gemm_pack(packing);
  }
}

/** The panels that are the calling thread's. */
static void own_panels(const rf_block *b, size_t *first, size_t *last) {
  size_t panels = b->panels.count;
  size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
  *first = panels * thread / threads;
  *last = panels * (thread + 1) / threads;
}

/** A part is what a tile fetches meanwhile: see `ahead` of rf_tile. */
static rf_packing pack_own(const rf_block *b, char *to) {
  rf_packing p = {.block = *b, .to = to};
  own_panels(b, &p.first, &p.last);
  p.panel = p.first;
  size_t lines = b->depth * b->element / RF_LINE * (b->panels.wide / b->panels.lanes), own = p.last - p.first;
  size_t most = at_least((double)(lines * RF_LINE / (b->panels.wide * b->element)), 1);
  p.part = own > 0 ? equal_parts(own, most, 1) : 0;
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
  b.panels = rf_gemm_panels(o->loops, b.columns);
  b.last = b.panels.count;
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
    rf_packing none = {.block = slice}; /* nothing left to pack: only fetches */
    own_panels(&slice, &slice.first, &slice.last);
    multiply(&slice, &none);
  }
}

/** Rows shared out, for which each thread waits until all panels are packed; or its own panels times all rows. */
static void multiply_block(rf_block *slice, const rf_blocks *blocks, rf_gemm_multiply *multiply,
                           rf_packing *next) {
  if (blocks->apart) {
    own_panels(slice, &slice->first, &slice->last);
    multiply(slice, next);
  } else {
    multiply_rows(slice, blocks->height, multiply, next);
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
      if (!blocks->apart) {
#pragma omp barrier
      }
      slice = next.block;
      slice.packed = buffers[turn];
      bool deeper = p + blocks->depth < s.k;
      rf_block after = slice_at(run, blocks, deeper ? j : j + blocks->width, deeper ? p + blocks->depth : 0);
      next = pack_own(&after, buffers[1 - turn]);
      multiply_block(&slice, blocks, multiply, &next);
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
