#include "kernels/gemm/_blocks.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "host/memory.h"
#include "kernels/_tile.h"

/* A step in depth, all that is taken at a time of B where it lies; rows to which it does, and to which they are updated: of more C
 * takes longer to pass than B; tiles of a strip; rows that are few; strips for each thread, so that all end together; panels for
 * which rows are worth a copy. */
enum { STEP = 16, THIN = 16, UPDATED = 8, STRIPS = 4, FEW = 128, BALANCED = 4, REUSED = 12 };

#define STAYING 0.4 /* of the second cache, in which a block of B stays */

/** The length of equal parts of `whole`, multiples of `step`, each at most `most`. */
static size_t equal_parts(size_t whole, size_t most, size_t step) {
  size_t parts = (whole + most - 1) / most;
  return rf_round_up((whole + parts - 1) / parts, step);
}

static size_t at_least(double value, size_t step) {
  return value < (double)step ? step : (size_t)value / step * step;
}

/** Columns of C for each thread, where it would have few strips of rows and all threads get columns; else all. */
static size_t share_of(const rf_gemm_sizes *s, size_t team, size_t height, size_t wide) {
  size_t share = equal_parts(s->n, (s->n + team - 1) / team, wide), strips = (s->m + height - 1) / height;
  bool enough = (s->n + share - 1) / share >= rf_smaller(team, strips);
  return team > 1 && strips < BALANCED * team && enough && share < s->n ? share : s->n;
}

const rf_blocking *rf_gemm_blocking(const roof_kernel *kernel, roof_dtype dtype) {
  static const rf_blocking strips = {.depth = 1, .deepens = true};
#if defined(__x86_64__)
  static const rf_blocking avx2 = {.stay = true, .update = true, .depth = 1, .height = 0.4};
  static const rf_blocking zen5 = {.stay = true, .depth = 1.5, .height = 0.16};
  int bytes = rf_lanes_loops(rf_lanes_best(), dtype)->lanes * (int)roof_dtype_bytes(dtype);
  if (!kernel->serial && bytes == 32) {
    return &avx2;
  }
  if (!kernel->serial && bytes == 64 && __builtin_cpu_is("amd")) {
    return &zen5;
  }
#endif
  (void)kernel;
  (void)dtype;
  return &strips;
}

/** Rows that each of the team takes equally often. */
static size_t even_height(const rf_gemm_sizes *s, size_t most, size_t team) {
  size_t parts = rf_round_up((s->m + most - 1) / most, team);
  return (s->m + parts - 1) / parts;
}

static rf_blocks fitting(roof_dtype dtype, size_t rows, const rf_blocking *blocking) {
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), dtype);
  size_t tall = (size_t)loops->tile_rows, wide = (size_t)loops->tile_columns;
  double element = roof_dtype_bytes(dtype);
  double deep = rf_cache_bytes(1) / ((double)(tall + wide) * element);
  rf_blocks b = {.depth = at_least(rows > FEW ? blocking->depth * deep : 2 * deep / 3, STEP),
                 .height = STRIPS * tall,
                 .stay = blocking->stay};
  double row = (double)b.depth * element, most = STAYING * rf_cache_bytes(2);
  b.width = at_least(most / row, wide);
  if (b.stay) {
    bool some = rows > THIN && rows <= FEW; /* C passes between blocks of B: both share the cache */
    b.width = at_least(fmax(most, rf_cache_bytes(3) / (some ? 32 : 16)) / row, wide);
    b.height = at_least(blocking->height * rf_cache_bytes(2) / row, tall);
  }
  return b;
}

rf_blocks rf_gemm_fitting(const roof_kernel *kernel, roof_dtype dtype, size_t rows) {
  return fitting(dtype, rows, rf_gemm_blocking(kernel, dtype));
}

rf_blocks rf_gemm_whole_blocks(roof_dtype dtype, const roof_blocks *blocks) {
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), dtype);
  return (rf_blocks){.depth = at_least(blocks->depth, STEP),
                     .width = at_least(blocks->width, (size_t)loops->tile_columns),
                     .height = at_least(blocks->height, (size_t)loops->tile_rows)};
}

/** Before they are divided equally. Few rows take B where it lies; a shallow product waits for C, which strips
 * pass row by row; copied rows that few panels use cost more than they spare. */
static rf_blocks whole_blocks(const roof_kernel_run *run, const rf_gemm_sizes *s, bool direct) {
  rf_blocks b = rf_gemm_fitting(run->kernel, run->dtype, s->m);
  if (run->blocks != NULL && s->m > FEW) {
    bool stay = b.stay;
    b = rf_gemm_whole_blocks(run->dtype, run->blocks);
    b.stay = stay;
  }
  size_t wide = (size_t)rf_lanes_loops(rf_lanes_best(), run->dtype)->tile_columns;
  bool strips = b.stay && (direct || 2 * s->k <= b.depth || s->n < REUSED * wide);
  const rf_blocking as_deep = {.depth = rf_gemm_blocking(run->kernel, run->dtype)->depth};
  return strips ? fitting(run->dtype, s->m, &as_deep) : b;
}

/** Columns of C of which all rows fill half the second cache. */
static size_t columns_that_stay(const rf_gemm_sizes *s, roof_dtype dtype, size_t wide) {
  return at_least(rf_cache_bytes(2) / 2 / ((double)s->m * roof_dtype_bytes(dtype)), wide);
}

/** Whether B is no deeper than a block, and stays in the first cache as it lies, or in the second with all the rest: there rows
 * that are further apart share places. */
static bool stays_in_place(const rf_gemm_sizes *s, roof_dtype dtype, size_t depth) {
  static const double apart = 2048;
  double m = (double)s->m, row = (double)s->n * roof_dtype_bytes(dtype), b = (double)s->k * row;
  double all = b + m * row + m * (double)s->k * roof_dtype_bytes(dtype);
  return s->k <= depth && (b <= rf_cache_bytes(1) || (all <= rf_cache_bytes(2) && row <= apart));
}

/** The depth to which all columns of B stay in the second cache, and a strip of A fills two thirds of the first. */
static size_t deepest(const rf_gemm_sizes *s, roof_dtype dtype) {
  double element = roof_dtype_bytes(dtype), tall = rf_lanes_loops(rf_lanes_best(), dtype)->tile_rows;
  double wide = STAYING * rf_cache_bytes(2) / ((double)s->n * element);
  return at_least(fmin(wide, 2 * rf_cache_bytes(1) / (3 * tall * element)), STEP);
}

rf_blocks rf_gemm_blocks(const roof_kernel_run *run) {
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), run->dtype);
  rf_gemm_sizes s = rf_gemm_shape(run);
  size_t wide = (size_t)loops->tile_columns, team = (size_t)rf_gemm_team(run);
  const rf_blocking *blocking = rf_gemm_blocking(run->kernel, run->dtype);
  bool thin = s.m <= (blocking->update ? UPDATED : THIN), update = thin && blocking->update;
  rf_blocks b = whole_blocks(run, &s, thin);
  b.small = !thin && stays_in_place(&s, run->dtype, b.depth);
  if (blocking->deepens && s.m > FEW && deepest(&s, run->dtype) > b.depth) {
    b.depth = deepest(&s, run->dtype);
  }
  b.direct = thin || b.small;
  b.stay = b.stay && !b.direct;
  b.update = update;
  b.along = blocking->stay && s.m <= FEW;
  b.share = share_of(&s, team, b.height, wide);
  if (b.stay) {
    b.height = even_height(&s, b.height, b.share < s.n ? 1 : team);
  }
  b.depth = b.update ? RF_RANK : equal_parts(s.k, thin ? STEP : b.depth, STEP);
  size_t most = b.update ? columns_that_stay(&s, run->dtype, wide) : b.width;
  b.width = b.direct && !b.update ? s.n : equal_parts(b.share, most, wide);
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
  bool whole = width * depth * element <= bytes, stays = (strip + panel) * depth * element <= bytes;
  bool kept = blocks.update && m * width * element <= bytes;
  return (rf_gemm_passes){.a = ceil(n / (whole || stays ? width : panel)),
                          .b = whole ? read : fmax(read, ceil(m / rows)),
                          .c = kept ? 1 : 2 * ceil((double)s.k / depth) - 1};
}

static rf_gemm_passes tile_passes(const roof_kernel_run *run, double bytes, bool first) {
  (void)first;
  rf_blocks blocks = rf_gemm_blocks(run);
  double tall = rf_lanes_loops(rf_lanes_best(), run->dtype)->tile_rows;
  double rows = blocks.update ? (double)rf_gemm_shape(run).m : blocks.stay ? (double)blocks.height : tall;
  return rf_gemm_block_passes(run, bytes, rows, rows);
}

/* A step in depth of a tile loads a column of A and a row of B for rows x columns multiply-adds; an update loads and stores C, loads
 * B once for all rows, and an element of A for two registers. */
void rf_gemm_tiles_algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), run->dtype);
  double tile = 1.0 / loops->tile_rows + 1.0 / loops->tile_columns;
  double update = 2.0 / RF_RANK + 1.0 / (double)rf_gemm_shape(run).m + 0.5 / loops->lanes;
  rf_gemm_moves(run, cores, rf_gemm_blocks(run).update ? update : tile, tile_passes, out);
}

static size_t packed_bytes(const roof_kernel_run *run, const rf_blocks *b) {
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), run->dtype);
  size_t block = b->width * b->depth * (size_t)roof_dtype_bytes(run->dtype);
  return b->direct ? 0 : block + rf_gemm_panels(loops, b->width).count * RF_LINE;
}

/** All buffers for packed blocks. */
static size_t buffers_bytes(const roof_kernel_run *run, const rf_blocks *b) {
  size_t n = rf_gemm_shape(run).n, shares = (n + b->share - 1) / b->share;
  return 2 * shares * packed_bytes(run, b);
}

/** Rows of A that a thread copies lie a line apart, so that they do not share a place in the caches. */
static size_t copy_bytes(const roof_kernel_run *run, const rf_blocks *b) {
  return b->stay ? b->height * (b->depth * (size_t)roof_dtype_bytes(run->dtype) + RF_LINE) : 0;
}

/* The scratch begins with the blocks, since a small product takes no longer than to find them. */
enum { BLOCKS_BYTES = 2 * RF_LINE };
_Static_assert(sizeof(rf_blocks) <= BLOCKS_BYTES, "the blocks of a run");

static char *room_of(const roof_kernel_run *run) {
  return (char *)((const rf_operands *)run->state)->scratch + BLOCKS_BYTES;
}

roof_status rf_gemm_prepare_blocks(roof_kernel_run *run, roof_error *error) {
  rf_blocks b = rf_gemm_blocks(run);
  size_t room = b.update ? rf_gemm_update_bytes(run, &b) : copy_bytes(run, &b);
  size_t copies = (size_t)rf_gemm_team(run) * room;
  roof_status status = rf_gemm_prepare(run, (double)(BLOCKS_BYTES + buffers_bytes(run, &b) + copies), error);
  if (status == ROOF_OK) {
    memcpy(((rf_operands *)run->state)->scratch, &b, sizeof b);
  }
  return status;
}

rf_panels rf_gemm_panels(const rf_loops *loops, size_t columns) {
  size_t lanes = (size_t)loops->lanes, wide = (size_t)loops->tile_columns, widest = wide / lanes;
  size_t registers = (columns + lanes - 1) / lanes, count = (registers + widest - 1) / widest;
  bool narrow = widest > 2 && registers % widest == 1 && count > 1;
  return (rf_panels){.lanes = lanes,
                     .wide = wide,
                     .registers = registers,
                     .widest = widest,
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

/** What a thread packs of a block for all, or all of one for itself. A part is what a tile fetches meanwhile: see `ahead`
 * of rf_tile. */
static rf_packing pack_own(const rf_block *b, char *to, bool alone) {
  rf_packing p = {.block = *b, .to = to, .last = b->panels.count};
  if (!alone) {
    own_panels(b, &p.first, &p.last);
  }
  p.panel = p.first;
  size_t lines = b->depth * b->element / RF_LINE * (b->panels.wide / b->panels.lanes), own = p.last - p.first;
  size_t most = at_least((double)(lines * RF_LINE / (b->panels.wide * b->element)), 1);
  p.part = own > 0 ? equal_parts(own, most, 1) : 0;
  return p;
}

/** Whether C, written once and in whole lines, is stored past the caches: that spares threads together the reading of it, while one
 * alone waits for such stores. */
static bool stored_past(const roof_kernel_run *run, const rf_gemm_sizes *s, size_t depth) {
  const rf_operands *o = run->state;
  bool lines = s->n * (size_t)roof_dtype_bytes(run->dtype) % RF_LINE == 0;
  return o->stream && rf_gemm_team(run) > 1 && depth == s->k && !o->add && lines;
}

/** Columns j to j + width but before `end`, depth p to p + depth; of no columns past the end. */
static rf_block slice_at(const roof_kernel_run *run, const rf_blocks *blocks, size_t end, size_t j,
                         size_t p) {
  const rf_operands *o = run->state;
  rf_gemm_sizes s = rf_gemm_shape(run);
  size_t element = (size_t)roof_dtype_bytes(run->dtype);
  rf_block b = {.loops = o->loops, .element = element, .rows = s.m, .add = p > 0 || o->add};
  b.columns = j < end ? rf_smaller(blocks->width, end - j) : 0;
  b.depth = rf_smaller(blocks->depth, s.k - p);
  b.past = stored_past(run, &s, b.depth);
  b.a = (const char *)o->in[0] + p * element;
  b.a_stride = s.k;
  b.b = (const char *)o->in[1] + (p * s.n + j) * element;
  b.b_stride = s.n;
  b.c = (char *)o->out + j * element;
  b.c_stride = s.n;
  b.panels = rf_gemm_panels(o->loops, b.columns);
  b.last = b.panels.count;
  b.height = blocks->height;
  if (blocks->stay) {
    b.copy = room_of(run) + buffers_bytes(run, blocks);
    b.copy += (size_t)omp_get_thread_num() * copy_bytes(run, blocks);
  }
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

/** The calling thread's rows where they make more parts than panels do, else its panels. */
static void take_own(rf_block *b) {
  size_t tall = (size_t)b->loops->tile_rows, strips = (b->rows + tall - 1) / tall;
  if (strips < b->panels.count) {
    own_panels(b, &b->first, &b->last);
    return;
  }
  rf_share own = rf_share_rows(strips, omp_get_thread_num(), omp_get_num_threads());
  size_t begin = own.begin * tall, end = rf_smaller(own.end * tall, b->rows);
  b->a += begin * b->a_stride * b->element;
  b->c += begin * b->c_stride * b->element;
  b->rows = end - begin;
}

/** B where it lies. */
static void multiply_direct(const roof_kernel_run *run, const rf_blocks *blocks, rf_gemm_multiply *multiply) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  for (size_t p = 0; p < s.k; p += blocks->depth) {
    rf_block slice = slice_at(run, blocks, s.n, 0, p);
    rf_packing none = {.block = slice}; /* nothing left to pack: only fetches */
    take_own(&slice);
    multiply(&slice, blocks->small ? NULL : &none);
  }
}

/** To the next block: down the depth, then to the right; where blocks go along, the other way round. Past the last, to the right of
 * the end. */
static void step_on(const rf_blocks *blocks, size_t depth, size_t begin, size_t end, size_t *j, size_t *p) {
  size_t right = *j + blocks->width, deeper = *p + blocks->depth;
  if (blocks->along && right < end) {
    *j = right;
  } else if (deeper < depth) {
    *j = blocks->along ? begin : *j;
    *p = deeper;
  } else {
    *j = right;
    *p = 0;
  }
}

/** A share of C, by one thread alone or by all, which then wait until all panels of a block are packed. While one block is
 * multiplied, the next is packed into the other buffer. */
static void multiply_packed(const roof_kernel_run *run, const rf_blocks *blocks, rf_gemm_multiply *multiply,
                            size_t share) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  bool alone = blocks->share < s.n;
  size_t bytes = packed_bytes(run, blocks), end = rf_smaller((share + 1) * blocks->share, s.n);
  char *first = room_of(run) + 2 * share * bytes;
  char *const buffers[2] = {first, first + bytes};
  rf_block slice = slice_at(run, blocks, end, share * blocks->share, 0);
  rf_packing next = pack_own(&slice, buffers[0], alone);
  size_t begin = share * blocks->share;
  for (size_t j = begin, p = 0, turn = 0; j < end; turn = 1 - turn) {
    pack_rest(&next);
    slice = next.block;
    slice.packed = buffers[turn];
    step_on(blocks, s.k, begin, end, &j, &p);
    rf_block after = slice_at(run, blocks, end, j, p);
    next = pack_own(&after, buffers[1 - turn], alone);
    if (alone) {
      multiply(&slice, &next);
      continue;
    }
#pragma omp barrier
    multiply_rows(&slice, blocks->height, multiply, &next);
  }
}

void rf_gemm_product(const roof_kernel_run *run, rf_gemm_multiply *multiply) {
  const rf_operands *o = run->state;
  const rf_blocks *blocks = o->scratch;
  size_t n = rf_gemm_shape(run).n;
  if (blocks->update) {
    rf_gemm_update(run, blocks, room_of(run));
  } else if (blocks->direct) {
    multiply_direct(run, blocks, multiply);
  } else if (blocks->share < n) {
    size_t share = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
    for (; share * blocks->share < n; share += threads) {
      multiply_packed(run, blocks, multiply, share);
    }
  } else {
    multiply_packed(run, blocks, multiply, 0);
  }
  if (o->stream) {
    o->loops->fence();
  }
}
