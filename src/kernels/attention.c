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
  const roof_operands *o = run->state;
  size_t heads = (size_t)run->values[HEADS], shared = (size_t)run->values[KV_HEADS];
  head h = {.q_len = (size_t)run->values[Q_LEN],
            .kv_len = (size_t)run->values[KV_LEN],
            .dim = (size_t)run->values[HEAD_DIM]};
  size_t stored = index / heads * shared + index % heads / (heads / shared);
  size_t all = (size_t)run->values[BATCH] * shared;
  h.q = roof_element(run, o->in[0], index * h.q_len * h.dim);
  h.out = roof_element(run, o->out, index * h.q_len * h.dim);
  h.k = roof_element(run, o->in[1], stored * h.kv_len * h.dim);
  h.v = roof_element(run, o->in[1], (all + stored) * h.kv_len * h.dim);
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
  return roof_operands_prepare(run, queries, stored, queries, scratch, error);
}

static double score(const roof_kernel_run *run, const head *h, size_t row, size_t key) {
  double total = 0;
  for (size_t p = 0; p < h->dim; p++) {
    total +=
        roof_data_at(h->q, run->dtype, row * h->dim + p) * roof_data_at(h->k, run->dtype, key * h->dim + p);
  }
  return total / sqrt((double)h->dim);
}

/** Scores are at most sqrt(head_dim), values at most 1. */
static double reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  size_t dim = (size_t)run->values[HEAD_DIM], q_len = (size_t)run->values[Q_LEN];
  size_t row = i / dim % q_len, column = i % dim;
  head h = head_of(run, i / dim / q_len);
  double total = 0, value = 0;
  for (size_t key = 0; key < visible(run, &h, row); key++) {
    double weight = exp(score(run, &h, row, key) - sqrt((double)dim));
    total += weight;
    value += weight * roof_data_at(h.v, run->dtype, key * dim + column);
  }
  *tolerance = (8 + sqrt((double)dim) + sqrt((double)h.kv_len)) * roof_kernel_epsilon(run->dtype);
  return value / total;
}

static roof_status check(roof_kernel_run *run, roof_error *error) {
  const double *v = run->values;
  return roof_kernel_compare(run, (size_t)(v[BATCH] * v[HEADS] * v[Q_LEN] * v[HEAD_DIM]), 256, reference,
                             error);
}

/* Standard: the softmax of all scores goes to memory, and comes back to be multiplied with V. */

static roof_status standard_prepare(roof_kernel_run *run, roof_error *error) {
  const double *v = run->values;
  double scores = v[BATCH] * v[HEADS] * v[Q_LEN] * v[KV_LEN];
  return prepare(run, STANDARD, scores * roof_dtype_bytes(run->dtype), error);
}

static void weigh_keys(const roof_kernel_run *run, const head *h, size_t row, void *weights) {
  const roof_loops *loops = ((const roof_operands *)run->state)->loops;
  size_t keys = visible(run, h, row);
  const void *q = roof_element(run, h->q, row * h->dim);
  double results[ROOF_DOTS], scale = 1 / sqrt((double)h->dim);
  for (size_t key = 0; key < keys; key += ROOF_DOTS) {
    size_t count = roof_smaller(ROOF_DOTS, keys - key);
    if (count == ROOF_DOTS) {
      loops->dots[0](roof_element(run, h->k, key * h->dim), h->dim, q, h->dim, results);
    }
    for (size_t j = 0; j < count; j++) {
      const void *k = roof_element(run, h->k, (key + j) * h->dim);
      double dot = count == ROOF_DOTS ? results[j] : loops->dot[0](k, q, h->dim);
      roof_data_set(weights, run->dtype, key + j, scale * dot);
    }
  }
  double total = loops->exponentials(weights, weights, loops->maximum(weights, keys), keys);
  loops->scale[0](weights, weights, 1 / total, keys);
}

static void weigh_values(const roof_kernel_run *run, const head *h, size_t row, const void *weights) {
  const roof_loops *loops = ((const roof_operands *)run->state)->loops;
  void *out = roof_element(run, h->out, row * h->dim);
  loops->fill[0](out, 0, h->dim);
  for (size_t key = 0; key < visible(run, h, row); key++) {
    loops->axpy[0](roof_data_at(weights, run->dtype, key), roof_element(run, h->v, key * h->dim), out,
                   h->dim);
  }
}

static void standard_execute(roof_kernel_run *run) {
  const roof_operands *o = run->state;
  size_t q_len = (size_t)run->values[Q_LEN], kv_len = (size_t)run->values[KV_LEN];
  size_t rows = (size_t)(run->values[BATCH] * run->values[HEADS]) * q_len;
#pragma omp parallel num_threads(run->threads)
  {
#pragma omp for schedule(static)
    for (size_t i = 0; i < rows; i++) {
      head h = head_of(run, i / q_len);
      weigh_keys(run, &h, i % q_len, roof_element(run, o->scratch, i * kv_len));
    }
#pragma omp for schedule(static)
    for (size_t i = 0; i < rows; i++) {
      head h = head_of(run, i / q_len);
      weigh_values(run, &h, i % q_len, roof_element(run, o->scratch, i * kv_len));
    }
  }
}

/* Flash (Dao et al. 2022): blocks of queries against blocks of keys, each block's scores in the cache; what
 * was summed is scaled when a larger maximum turns up. */
enum { TILES = 8, KEYS = 96 };

/** A thread's part of the scratch. */
typedef struct workspace {
  void *q, *k, *v; /**< packed */
  void *scores;    /**< block rows x keys */
  void *weights;   /**< packed, of one tile's rows */
  void *sums;      /**< block rows x width */
  double *maxima, *totals;
  size_t rows, keys, width; /**< of a block; width is head_dim in whole tiles */
} workspace;

static void *take(uintptr_t *end, size_t bytes) {
  uintptr_t taken = *end;
  *end += roof_round_up(bytes, 64);
  return (void *)taken;
}

/** Lays the workspace out from `memory`; returns its size. */
static size_t lay_out(const roof_kernel_run *run, const roof_loops *loops, void *memory, workspace *w) {
  size_t element = (size_t)roof_dtype_bytes(run->dtype), dim = (size_t)run->values[HEAD_DIM];
  size_t tall = (size_t)loops->tile_rows, wide = (size_t)loops->tile_columns;
  uintptr_t end = (uintptr_t)memory;
  w->rows = TILES * tall;
  w->keys = roof_round_up(KEYS, wide);
  w->width = roof_round_up(dim, wide);
  w->q = take(&end, w->rows * dim * element);
  w->k = take(&end, w->keys * dim * element);
  w->v = take(&end, w->keys * w->width * element);
  w->scores = take(&end, w->rows * w->keys * element);
  w->weights = take(&end, w->keys * tall * element);
  w->sums = take(&end, w->rows * w->width * element);
  w->maxima = take(&end, w->rows * sizeof(double));
  w->totals = take(&end, w->rows * sizeof(double));
  return end - (uintptr_t)memory;
}

static roof_status flash_prepare(roof_kernel_run *run, roof_error *error) {
  workspace w;
  size_t bytes = lay_out(run, roof_lanes_loops(roof_lanes_best(), run->dtype), NULL, &w);
  return prepare(run, FLASH, (double)bytes * run->threads, error);
}

static void pack_queries(const roof_kernel_run *run, const head *h, size_t first, const workspace *w) {
  const roof_loops *loops = ((const roof_operands *)run->state)->loops;
  size_t tall = (size_t)loops->tile_rows;
  for (size_t i = 0; i < w->rows && first + i < h->q_len; i += tall) {
    roof_slices rows = {roof_element(run, h->q, (first + i) * h->dim), h->dim, 1, h->q_len - first - i,
                        h->dim};
    void *to = roof_element(run, w->q, i * h->dim);
    roof_tile_pack(run->dtype, rows, tall, to);
    loops->scale[0](to, to, 1 / sqrt((double)h->dim), tall * h->dim);
  }
}

static void pack_keys(const roof_kernel_run *run, const head *h, size_t first, size_t keys,
                      const workspace *w) {
  size_t wide = (size_t)((const roof_operands *)run->state)->loops->tile_columns;
  for (size_t j = 0; j < keys; j += wide) {
    roof_slices k = {roof_element(run, h->k, (first + j) * h->dim), h->dim, 1, keys - j, h->dim};
    roof_tile_pack(run->dtype, k, wide, roof_element(run, w->k, j * h->dim));
  }
  for (size_t j = 0; j < h->dim; j += wide) {
    roof_slices v = {roof_element(run, h->v, first * h->dim + j), keys, h->dim, h->dim - j, 1};
    roof_tile_pack(run->dtype, v, wide, roof_element(run, w->v, j * keys));
  }
}

/** Scores to weights in one row, `keys` of which `seen` are visible; scales the row's sums. */
static void weigh_row(const roof_kernel_run *run, const workspace *w, size_t row, size_t keys, size_t seen,
                      bool first) {
  const roof_loops *loops = ((const roof_operands *)run->state)->loops;
  void *scores = roof_element(run, w->scores, row * w->keys);
  void *sums = roof_element(run, w->sums, row * w->width);
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
  loops->fill[0](roof_element(run, scores, seen), 0, keys - seen);
}

/** One tile of queries against one block of keys. */
static void attend(const roof_kernel_run *run, const head *h, const workspace *w, size_t row, size_t query,
                   size_t key, size_t keys) {
  const roof_loops *loops = ((const roof_operands *)run->state)->loops;
  size_t tall = (size_t)loops->tile_rows, wide = (size_t)loops->tile_columns;
  size_t rows = roof_smaller(tall, h->q_len - query);
  for (size_t j = 0; j < keys; j += wide) {
    roof_tile_whole(loops, h->dim, roof_element(run, w->q, row * h->dim), roof_element(run, w->k, j * h->dim),
                    roof_element(run, w->scores, row * w->keys + j), w->keys, false);
  }
  for (size_t i = 0; i < rows; i++) {
    size_t limit = visible(run, h, query + i);
    weigh_row(run, w, row + i, keys, limit > key ? roof_smaller(limit - key, keys) : 0, key == 0);
  }
  roof_slices weights = {roof_element(run, w->scores, row * w->keys), keys, 1, rows, w->keys};
  roof_tile_pack(run->dtype, weights, tall, w->weights);
  for (size_t j = 0; j < h->dim; j += wide) {
    roof_tile_whole(loops, keys, w->weights, roof_element(run, w->v, j * keys),
                    roof_element(run, w->sums, row * w->width + j), w->width, key > 0);
  }
}

/** One block of queries of one head against all the keys it may see. */
static void flash_block(const roof_kernel_run *run, const head *h, size_t first, const workspace *w) {
  const roof_loops *loops = ((const roof_operands *)run->state)->loops;
  size_t rows = roof_smaller(w->rows, h->q_len - first), keys;
  size_t seen = visible(run, h, first + rows - 1);
  pack_queries(run, h, first, w);
  for (size_t key = 0; key < seen; key += keys) {
    keys = roof_smaller(w->keys, h->kv_len - key);
    pack_keys(run, h, key, keys, w);
    for (size_t row = 0; row < rows; row += (size_t)loops->tile_rows) {
      attend(run, h, w, row, first + row, key, keys);
    }
  }
  for (size_t i = 0; i < rows; i++) {
    loops->scale[0](roof_element(run, h->out, (first + i) * h->dim), roof_element(run, w->sums, i * w->width),
                    1 / w->totals[i], h->dim);
  }
}

static void flash_execute(roof_kernel_run *run) {
  const roof_operands *o = run->state;
  size_t heads = (size_t)(run->values[BATCH] * run->values[HEADS]), q_len = (size_t)run->values[Q_LEN];
#pragma omp parallel num_threads(run->threads)
  {
    workspace w;
    size_t bytes = lay_out(run, o->loops, NULL, &w);
    lay_out(run, o->loops, (char *)o->scratch + (size_t)omp_get_thread_num() * bytes, &w);
    size_t blocks = (q_len + w.rows - 1) / w.rows;
#pragma omp for schedule(dynamic)
    for (size_t i = 0; i < heads * blocks; i++) {
      head h = head_of(run, i / blocks);
      flash_block(run, &h, i % blocks * w.rows, &w);
    }
  }
}

static const roof_kernel kernels[] = {
    {.name = "attention-naive",
     .op = "attention",
     .variant = "standard",
     .summary = "softmax(Q K') V with all weights in memory",
     .sizes = "batch=1 heads=16 q_len=1024 kv_len=1024 head_dim=128 algorithm=standard",
     .quick_sizes = "batch=1 heads=4 q_len=1024 kv_len=1024 head_dim=128 algorithm=standard",
     ROOF_NATIVE,
     .prepare = standard_prepare,
     .execute = standard_execute,
     .check = check},
    {.name = "attention-flash",
     .op = "attention",
     .variant = "flash",
     .summary = "softmax(Q K') V, scores in the cache, tiles in registers",
     .sizes = "batch=1 heads=16 q_len=2048 kv_len=2048 head_dim=128",
     .quick_sizes = "batch=1 heads=8 q_len=1024 kv_len=1024 head_dim=128",
     ROOF_NATIVE,
     .prepare = flash_prepare,
     .execute = flash_execute,
     .check = check},
};

const roof_kernel_family roof_kernels_attention = {kernels, sizeof kernels / sizeof kernels[0]};
