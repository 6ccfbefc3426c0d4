/* How many keys the queries of a sequence see. Positions count from 0; the query at position p sees at most p
 * + 1 keys, itself included: min(p + 1, W) with a window of W that slides (Beltagy et al. 2020, Longformer;
 * Jiang et al. 2023, Mistral 7B), (p mod C) + 1 in chunks of C (Meta 2025, Llama 4: attention_chunk_size). */
#include <math.h>

#include "models/step.h"

/** The same in chunks: full ones of C (C + 1) / 2, and a rest. */
static double chunked_sum(double n, double chunk) {
  double full = floor(n / chunk), rest = n - full * chunk;
  return full * chunk * (chunk + 1) / 2 + rest * (rest + 1) / 2;
}

static double seen(double n, double window, bool chunked) {
  return window <= 0 ? n * (n + 1) / 2 : chunked ? chunked_sum(n, window) : rf_keys_seen(n, window);
}

/** Sum of rf_keys_seen(m) for m = 1 .. n: tetrahedral numbers up to the window, then a line's sum. */
static double sliding_sum_of_sums(double n, double window) {
  double w = fmin(n, window), rest = n - w;
  return w * (w + 1) * (w + 2) / 6 + rest * w * (w + 1) / 2 + window * rest * (rest + 1) / 2;
}

static double chunked_sum_of_sums(double n, double chunk) {
  double k = floor(n / chunk), rest = n - k * chunk, triangle = chunk * (chunk + 1) / 2;
  return chunk * triangle * k * (k - 1) / 2 + k * triangle * (chunk + 2) / 3 + rest * k * triangle +
         rest * (rest + 1) * (rest + 2) / 6;
}

static double seen_sum(double n, double window, bool chunked) {
  return window <= 0 ? n * (n + 1) * (n + 2) / 6
         : chunked   ? chunked_sum_of_sums(n, window)
                     : sliding_sum_of_sums(n, window);
}

static bool consecutive(const model_group *g) {
  return g->stride <= 1 && g->past_last > g->past_first;
}

double rf_model_pairs(const model_group *g, double window, bool chunked) {
  double q = g->queries, a = g->past_first, b = g->past_last;
  if (!g->causal) {
    return q * (window > 0 ? fmin(window, q) : q);
  }
  if (!consecutive(g)) { /* the chunks of a prompt join: their sums telescope */
    double chunks = g->stride > 0 ? (b - a) / g->stride + 1 : 1;
    return (seen(b + q, window, chunked) - seen(a, window, chunked)) / chunks;
  }
  double more = seen_sum(b + q, window, chunked) - seen_sum(a + q - 1, window, chunked);
  double less = seen_sum(b, window, chunked) - (a >= 1 ? seen_sum(a - 1, window, chunked) : 0);
  return (more - less) / (b - a + 1);
}

/** Keys from the first that the oldest query sees to the newest query. */
static double keys_at(const roof_model_block *b, double past, double queries) {
  if (b->window <= 0) {
    return past + queries;
  }
  return b->chunked ? fmod(past, b->window) + queries : fmin(past + queries, b->window - 1 + queries);
}

/** The mean of min(past + q, most) over consecutive pasts. */
static double mean_keys(const model_group *g, double most) {
  double a = g->past_first + g->queries, b = g->past_last + g->queries;
  return (rf_keys_seen(b, most) - rf_keys_seen(a - 1, most)) / (b - a + 1);
}

/** The mean of (past mod C) + q over consecutive pasts. */
static double mean_chunked_keys(const model_group *g, double chunk) {
  double n = g->past_last - g->past_first + 1;
  double sum = chunked_sum(g->past_last + 1, chunk) - chunked_sum(g->past_first, chunk);
  return sum / n - 1 + g->queries;
}

double rf_model_keys(const model_group *g, const roof_model_block *b) {
  double most = b->window > 0 ? b->window - 1 + g->queries : INFINITY;
  most = b->index_keys > 0 ? fmin(most, b->index_keys * g->queries) : most;
  if (consecutive(g)) {
    return b->window > 0 && b->chunked ? mean_chunked_keys(g, b->window)
           : isinf(most)               ? (g->past_first + g->past_last) / 2 + g->queries
                                       : mean_keys(g, most);
  }
  double sum = 0, n = 0;
  double stride = g->stride > 0 ? g->stride : 1;
  for (double past = g->past_first; past <= g->past_last + stride / 4; past += stride, n++) {
    sum += fmin(keys_at(b, past, g->queries), b->index_keys > 0 ? most : INFINITY);
  }
  return sum / n;
}
