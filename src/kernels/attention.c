/* Attention: softmax(Q K' / sqrt(head_dim)) V for every sequence and head; in[0] is Q, in[1] K and then V. */
#include <math.h>
#include <omp.h>

#include "kernels/_tile.h"

enum { BATCH, HEADS, Q_LEN, KV_LEN, HEAD_DIM, KV_HEADS, CAUSAL, ALGORITHM, PASSES };
enum { FLASH, STANDARD };

/** One head of one sequence. */
typedef struct head {
  const void *q, *k, *v;
  void *out;
  size_t q_len, kv_len, dim;
} head;

static head head_of(const roof_kernel_run *run, size_t index) {
  const rf_operands *o = run->state;
  size_t heads = (size_t)run->values[HEADS], shared = (size_t)run->values[KV_HEADS];
  head h = {.q_len = (size_t)run->values[Q_LEN],
            .kv_len = (size_t)run->values[KV_LEN],
            .dim = (size_t)run->values[HEAD_DIM]};
  size_t stored = index / heads * shared + index % heads / (heads / shared);
  size_t all = (size_t)run->values[BATCH] * shared;
  h.q = rf_element(run, o->in[0], index * h.q_len * h.dim);
  h.out = rf_element(run, o->out, index * h.q_len * h.dim);
  h.k = rf_element(run, o->in[1], stored * h.kv_len * h.dim);
  h.v = rf_element(run, o->in[1], (all + stored) * h.kv_len * h.dim);
  return h;
}

/** Keys that query `row` may see: the last query sees all. */
static size_t visible(const roof_kernel_run *run, const head *h, size_t row) {
  return run->values[CAUSAL] != 0 ? h->kv_len - h->q_len + row + 1 : h->kv_len;
}

static roof_status prepare(roof_kernel_run *run, double algorithm, double scratch, roof_error *error) {
  const double *v = run->values;
  if (v[ALGORITHM] != algorithm || v[PASSES] != 2) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: computes algorithm=%s with passes=2",
                          run->kernel->name, algorithm == FLASH ? "flash" : "standard");
  }
  if (v[CAUSAL] != 0 && v[Q_LEN] > v[KV_LEN]) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "%s: causal with q_len above kv_len: a query sees no key", run->kernel->name);
  }
  double queries = v[BATCH] * v[HEADS] * v[Q_LEN] * v[HEAD_DIM];
  double stored = 2 * v[BATCH] * v[KV_HEADS] * v[KV_LEN] * v[HEAD_DIM];
  return rf_operands_prepare(run, queries, stored, queries, scratch, error);
}

static double score(const roof_kernel_run *run, const head *h, size_t row, size_t key) {
  double total = 0;
  for (size_t p = 0; p < h->dim; p++) {
    total += rf_data_at(h->q, run->dtype, row * h->dim + p) * rf_data_at(h->k, run->dtype, key * h->dim + p);
  }
  return total / sqrt((double)h->dim);
}

/** Scores are at most sqrt(head_dim), values at most 1. Narrow formats are summed in fp32, but weights and
 * result are rounded to them: the weights' errors, up to half an epsilon of each, add up as those of chance
 * do. */
static double reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  size_t dim = (size_t)run->values[HEAD_DIM], q_len = (size_t)run->values[Q_LEN];
  size_t row = i / dim % q_len, column = i % dim;
  head h = head_of(run, i / dim / q_len);
  double total = 0, value = 0, squares = 0, narrow = 0;
  for (size_t key = 0; key < visible(run, &h, row); key++) {
    double weight = exp(score(run, &h, row, key) - sqrt((double)dim));
    double term = weight * rf_data_at(h.v, run->dtype, key * dim + column);
    total += weight;
    value += term;
    squares += term * term;
  }
  roof_dtype sums = rf_kernel_is_native(run->dtype) ? run->dtype : ROOF_FP32;
  if (sums != run->dtype) {
    narrow = rf_kernel_epsilon(run->dtype) * (fabs(value) / 2 + 4 * sqrt(squares)) / total;
  }
  *tolerance = (8 + sqrt((double)dim) + sqrt((double)h.kv_len)) * rf_kernel_epsilon(sums) + narrow;
  return value / total;
}

static roof_status check(roof_kernel_run *run, roof_error *error) {
  const double *v = run->values;
  return rf_kernel_compare(run, (size_t)(v[BATCH] * v[HEADS] * v[Q_LEN] * v[HEAD_DIM]), 256, reference,
                           error);
}

/* Both ways take blocks of queries against blocks of keys, in tiles. Flash (Dao et al. 2022) keeps each
 * block's scores in the cache and scales what was summed when a larger maximum turns up; standard writes the
 * softmax of all scores to memory, and reads it back to multiply it with V. */
enum { TILES = 16, KEYS = 192 };

/** A thread's part of the scratch. */
typedef struct workspace {
  void *q;      /**< a block's queries / sqrt(head_dim) */
  void *k;      /**< a block's keys, in panels of columns */
  void *v;      /**< a block's values, where head_dim is no multiple of a register */
  void *scores; /**< block rows x keys */
  void *sums;   /**< block rows x width */
  double *maxima, *totals;
  size_t rows, keys, width; /**< of a block; width is head_dim in whole registers */
} workspace;

static void *take(uintptr_t *end, size_t bytes) {
  uintptr_t taken = *end;
  *end += rf_round_up(bytes, 64);
  return (void *)taken;
}

/** Lays the workspace out from `memory`; returns its size. */
static size_t lay_out(const roof_kernel_run *run, const rf_loops *loops, void *memory, workspace *w) {
  size_t element = (size_t)roof_dtype_bytes(run->dtype), dim = (size_t)run->values[HEAD_DIM];
  uintptr_t end = (uintptr_t)memory;
  w->rows = TILES * (size_t)loops->tile_rows;
  w->keys = rf_round_up(KEYS, (size_t)loops->tile_columns);
  w->width = rf_round_up(dim, (size_t)loops->lanes);
  w->q = take(&end, w->rows * dim * element);
  w->k = take(&end, w->keys * dim * element);
  w->v = take(&end, w->keys * w->width * element);
  w->scores = take(&end, w->rows * w->keys * element);
  w->sums = take(&end, w->rows * w->width * element);
  w->maxima = take(&end, w->rows * sizeof(double));
  w->totals = take(&end, w->rows * sizeof(double));
  return end - (uintptr_t)memory;
}

/** The calling thread's, of those from `memory` on. */
static workspace own_workspace(const roof_kernel_run *run, void *memory) {
  const rf_loops *loops = ((const rf_operands *)run->state)->loops;
  workspace w;
  size_t bytes = lay_out(run, loops, NULL, &w);
  lay_out(run, loops, (char *)memory + (size_t)omp_get_thread_num() * bytes, &w);
  return w;
}

static double workspaces_bytes(const roof_kernel_run *run) {
  workspace w;
  return (double)lay_out(run, rf_lanes_loops(rf_lanes_best(), run->dtype), NULL, &w) * run->threads;
}

/** A block's scores, rows of `stride` elements: queries in w->q times the keys from `key` on. */
static void score_block(const roof_kernel_run *run, const head *h, const workspace *w, size_t rows,
                        size_t key, size_t keys, void *scores, size_t stride) {
  const rf_loops *loops = ((const rf_operands *)run->state)->loops;
  size_t wide = (size_t)loops->tile_columns;
  for (size_t j = 0; j < keys; j += wide) {
    loops->turn[0](rf_element(run, h->k, (key + j) * h->dim), h->dim, rf_smaller(wide, keys - j), h->dim,
                   rf_element(run, w->k, j * h->dim), wide);
  }
  rf_tiles_multiply(&(rf_tiles){.loops = loops,
                                .element = (size_t)roof_dtype_bytes(run->dtype),
                                .rows = rows,
                                .columns = keys,
                                .depth = h->dim,
                                .a = w->q,
                                .a_stride = h->dim,
                                .b = w->k,
                                .b_stride = wide,
                                .b_panel = wide * h->dim,
                                .c = scores,
                                .c_stride = stride});
}

/** The values from `key` on, in rows of w->width elements. */
static const void *values_of(const roof_kernel_run *run, const head *h, const workspace *w, size_t key,
                             size_t keys) {
  const rf_loops *loops = ((const rf_operands *)run->state)->loops;
  const void *v = rf_element(run, h->v, key * h->dim);
  for (size_t i = 0; i < keys && w->width != h->dim; i++) {
    const void *row = rf_element(run, v, i * h->dim);
    loops->copy[0](rf_element(run, w->v, i * w->width), row, row, h->dim);
  }
  return w->width == h->dim ? v : w->v;
}

/** sums (rows of w->width elements) = or += weights (rows of `stride` elements) times values. */
static void sum_block(const roof_kernel_run *run, const workspace *w, size_t rows, size_t keys,
                      const void *weights, size_t stride, const void *values, bool add) {
  const rf_loops *loops = ((const rf_operands *)run->state)->loops;
  rf_tiles_multiply(&(rf_tiles){.loops = loops,
                                .element = (size_t)roof_dtype_bytes(run->dtype),
                                .rows = rows,
                                .columns = w->width,
                                .depth = keys,
                                .a = weights,
                                .a_stride = stride,
                                .b = values,
                                .b_stride = w->width,
                                .b_panel = (size_t)loops->tile_columns,
                                .c = w->sums,
                                .c_stride = w->width,
                                .add = add});
}

static void scale_queries(const roof_kernel_run *run, const head *h, const workspace *w, size_t first,
                          size_t rows) {
  const rf_loops *loops = ((const rf_operands *)run->state)->loops;
  loops->scale[0](w->q, rf_element(run, h->q, first * h->dim), 1 / sqrt((double)h->dim), rows * h->dim);
}

/** Sums times 1 / total of each row, or as they are. */
static void store_rows(const roof_kernel_run *run, const head *h, const workspace *w, size_t first,
                       size_t rows, const double *totals) {
  const rf_loops *loops = ((const rf_operands *)run->state)->loops;
  for (size_t i = 0; i < rows; i++) {
    loops->scale[0](rf_element(run, h->out, (first + i) * h->dim), rf_element(run, w->sums, i * w->width),
                    totals != NULL ? 1 / totals[i] : 1, h->dim);
  }
}

/** Where the scores of query 0 of a head are, of all scores. */
static void *scores_of(const roof_kernel_run *run, const head *h, size_t index) {
  return rf_element(run, ((const rf_operands *)run->state)->scratch, index * h->q_len * h->kv_len);
}

/** The end of all scores, and of what keeps them apart from the workspaces. */
static double scores_bytes(const roof_kernel_run *run) {
  const double *v = run->values;
  double bytes = v[BATCH] * v[HEADS] * v[Q_LEN] * v[KV_LEN] * roof_dtype_bytes(run->dtype);
  return ceil(bytes / 64) * 64;
}

static roof_status standard_prepare(roof_kernel_run *run, roof_error *error) {
  return prepare(run, STANDARD, scores_bytes(run) + workspaces_bytes(run), error);
}

/** The softmax of a block's scores, to memory; zeros up to the keys that its last query sees. */
static void weigh_queries(const roof_kernel_run *run, const head *h, const workspace *w, size_t first,
                          void *all) {
  const rf_loops *loops = ((const rf_operands *)run->state)->loops;
  size_t rows = rf_smaller(w->rows, h->q_len - first), end = visible(run, h, first + rows - 1);
  scale_queries(run, h, w, first, rows);
  for (size_t key = 0; key < end; key += w->keys) {
    score_block(run, h, w, rows, key, rf_smaller(w->keys, end - key),
                rf_element(run, all, first * h->kv_len + key), h->kv_len);
  }
  for (size_t i = 0; i < rows; i++) {
    size_t seen = visible(run, h, first + i);
    void *row = rf_element(run, all, (first + i) * h->kv_len);
    double total = loops->exponentials(row, row, loops->maximum(row, seen), seen);
    loops->scale[0](row, row, 1 / total, seen);
    loops->fill[0](rf_element(run, row, seen), 0, end - seen);
  }
}

static void weigh_values(const roof_kernel_run *run, const head *h, const workspace *w, size_t first,
                         const void *all) {
  size_t rows = rf_smaller(w->rows, h->q_len - first), end = visible(run, h, first + rows - 1);
  for (size_t key = 0; key < end; key += w->keys) {
    size_t keys = rf_smaller(w->keys, end - key);
    sum_block(run, w, rows, keys, rf_element(run, all, first * h->kv_len + key), h->kv_len,
              values_of(run, h, w, key, keys), key > 0);
  }
  store_rows(run, h, w, first, rows, NULL);
}

static void standard_part(const roof_kernel_run *run, int thread, int threads) {
  const rf_operands *o = run->state;
  size_t heads = (size_t)(run->values[BATCH] * run->values[HEADS]), q_len = (size_t)run->values[Q_LEN];
  workspace w = own_workspace(run, (char *)o->scratch + (size_t)scores_bytes(run));
  size_t blocks = (q_len + w.rows - 1) / w.rows;
  (void)thread;
  (void)threads;
#pragma omp for schedule(dynamic)
  for (size_t i = 0; i < heads * blocks; i++) {
    head h = head_of(run, i / blocks);
    weigh_queries(run, &h, &w, i % blocks * w.rows, scores_of(run, &h, i / blocks));
  }
#pragma omp for schedule(dynamic)
  for (size_t i = 0; i < heads * blocks; i++) {
    head h = head_of(run, i / blocks);
    weigh_values(run, &h, &w, i % blocks * w.rows, scores_of(run, &h, i / blocks));
  }
}

static void standard_execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, standard_part);
}

static roof_status flash_prepare(roof_kernel_run *run, roof_error *error) {
  return prepare(run, FLASH, workspaces_bytes(run), error);
}

/** Scores to weights in one row, `keys` of which `seen` are visible; scales the row's sums. */
static void weigh_row(const roof_kernel_run *run, const workspace *w, size_t row, size_t keys, size_t seen,
                      bool first) {
  const rf_loops *loops = ((const rf_operands *)run->state)->loops;
  void *scores = rf_element(run, w->scores, row * w->keys);
  void *sums = rf_element(run, w->sums, row * w->width);
  double before = first ? -INFINITY : w->maxima[row];
  if (seen > 0) {
    w->maxima[row] = fmax(before, loops->maximum(scores, seen));
    double kept = exp(before - w->maxima[row]);
    w->totals[row] =
        (first ? 0 : w->totals[row] * kept) + loops->exponentials(scores, scores, w->maxima[row], seen);
    if (!first && kept != 1) {
      loops->scale[0](sums, sums, kept, w->width);
    }
  }
  loops->fill[0](rf_element(run, scores, seen), 0, keys - seen);
}

/** One block of queries of one head against all the keys it may see. */
static void flash_block(const roof_kernel_run *run, const head *h, size_t first, const workspace *w) {
  size_t rows = rf_smaller(w->rows, h->q_len - first), end = visible(run, h, first + rows - 1);
  scale_queries(run, h, w, first, rows);
  for (size_t key = 0; key < end; key += w->keys) {
    size_t keys = rf_smaller(w->keys, end - key);
    score_block(run, h, w, rows, key, keys, w->scores, w->keys);
    for (size_t i = 0; i < rows; i++) {
      size_t limit = visible(run, h, first + i);
      weigh_row(run, w, i, keys, limit > key ? rf_smaller(limit - key, keys) : 0, key == 0);
    }
    sum_block(run, w, rows, keys, w->scores, w->keys, values_of(run, h, w, key, keys), key > 0);
  }
  store_rows(run, h, w, first, rows, w->totals);
}

static void flash_part(const roof_kernel_run *run, int thread, int threads) {
  size_t heads = (size_t)(run->values[BATCH] * run->values[HEADS]), q_len = (size_t)run->values[Q_LEN];
  workspace w = own_workspace(run, ((const rf_operands *)run->state)->scratch);
  size_t blocks = (q_len + w.rows - 1) / w.rows;
  (void)thread;
  (void)threads;
#pragma omp for schedule(dynamic)
  for (size_t i = 0; i < heads * blocks; i++) {
    head h = head_of(run, i / blocks);
    flash_block(run, &h, i % blocks * w.rows, &w);
  }
}

static void flash_execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, flash_part);
}

static const roof_kernel kernels[] = {
    {.name = "attention-naive",
     .op = "attention",
     .rung = 1,
     .variant = "standard",
     .summary = "softmax(Q K') V with all weights in memory",
     .sizes = "batch=1 heads=16 q_len=1024 kv_len=1024 head_dim=128 algorithm=standard",
     .quick_sizes = "batch=1 heads=4 q_len=1024 kv_len=1024 head_dim=128 algorithm=standard",
     RF_NATIVE,
     .prepare = standard_prepare,
     .execute = standard_execute,
     .check = check},
    {.name = "attention-flash",
     .op = "attention",
     .rung = 2,
     .variant = "flash",
     .summary = "softmax(Q K') V, scores in the cache, tiles in registers",
     .sizes = "batch=1 heads=16 q_len=2048 kv_len=2048 head_dim=128",
     .quick_sizes = "batch=1 heads=8 q_len=1024 kv_len=1024 head_dim=128",
     RF_NATIVE,
     .prepare = flash_prepare,
     .execute = flash_execute,
     .check = check},
};

const rf_kernel_family rf_kernels_attention = {kernels, sizeof kernels / sizeof kernels[0]};
