/** Operations that other rooms call with values of their own: the order of the values. */
#ifndef OPS_VALUES_H
#define OPS_VALUES_H

#include <math.h>

#include "core/power.h"

/* attention, attend */
enum { RF_ATTEND_BATCH, RF_ATTEND_HEADS, RF_ATTEND_Q_LEN, RF_ATTEND_KV_LEN };
enum {
  RF_ATTEND_PAIRS = RF_ATTEND_KV_LEN + 1,
  RF_ATTEND_KEY_DIM,
  RF_ATTEND_VALUE_DIM,
  RF_ATTEND_STORED,
  RF_ATTEND_PASSES
};
enum {
  RF_INDEXER_BATCH,
  RF_INDEXER_HEADS,
  RF_INDEXER_Q_LEN,
  RF_INDEXER_KV_LEN,
  RF_INDEXER_PAIRS,
  RF_INDEXER_DIM,
  RF_INDEXER_KEEP
};
enum { RF_ROPE_TOKENS, RF_ROPE_QUERIES, RF_ROPE_KEYS, RF_ROPE_STORED, RF_ROPE_ROTARY, RF_ROPE_NORM };

/* store_kv, adam */
enum { RF_ELEMENTS };
enum { RF_ACTIVATION_ELEMENTS, RF_ACTIVATION_FLOPS, RF_ACTIVATION_GATED };

enum { RF_LINEAR_BATCH, RF_LINEAR_IN, RF_LINEAR_OUT, RF_LINEAR_ACTIVATION, RF_LINEAR_GATED };
enum {
  RF_GROUPED_BATCH,
  RF_GROUPED_GROUPS,
  RF_GROUPED_IN,
  RF_GROUPED_OUT,
  RF_GROUPED_ACTIVATION,
  RF_GROUPED_GATED,
  RF_GROUPED_FEWEST
};
enum { RF_EMBEDDING_TOKENS, RF_EMBEDDING_HIDDEN, RF_EMBEDDING_TABLES };
enum { RF_COMBINE_ROWS, RF_COMBINE_TOKENS, RF_COMBINE_HIDDEN };

/* norms, topk */
enum { RF_ROWS, RF_COLS, RF_TOPK_KEPT, RF_SOFTMAX_PASSES = RF_TOPK_KEPT };

enum { RF_CONV1D_TOKENS, RF_CONV1D_CHANNELS, RF_CONV1D_KERNEL };
enum { RF_STATE_SEQUENCES, RF_STATE_TOKENS };
enum { RF_MAMBA_CHANNELS = RF_STATE_TOKENS + 1, RF_MAMBA_STATE, RF_MAMBA_KERNEL };
enum {
  RF_MAMBA2_HEADS = RF_STATE_TOKENS + 1,
  RF_MAMBA2_HEAD_DIM,
  RF_MAMBA2_STATE,
  RF_MAMBA2_GROUPS,
  RF_MAMBA2_KERNEL,
  RF_MAMBA2_SCAN
};
enum {
  RF_DELTA_HEADS = RF_STATE_TOKENS + 1,
  RF_DELTA_KEY_HEADS,
  RF_DELTA_KEY_DIM,
  RF_DELTA_VALUE_DIM,
  RF_DELTA_KERNEL,
  RF_DELTA_SCAN
};

/* collectives; sendrecv has the size alone */
enum { RF_SIZE, RF_RANKS, RF_ALGORITHM };

/** Algorithms of collectives; the last of allreduce alone. */
enum { RF_RING, RF_TREE, RF_DIRECT, RF_ONESHOT };

/** Keys that the first `n` queries of a sequence see, each itself and those before it, `window` at most: the sum of
 *  min(j, window) for j = 1 .. n. */
static inline double rf_keys_seen(double n, double window) {
  double ramp = fmin(n, window);
  return ramp * (ramp + 1) / 2 + (n > ramp ? (n - ramp) * window : 0);
}

/** Of `all` places, those that at least one of `times` draws hits, when each draws `chosen` of them independently and
 *  evenly: one draw misses a place with probability 1 - k/E, all do with its power, so E (1 - (1 - k/E)^T) are hit. */
static inline double rf_places_hit(double all, double chosen, double times) {
  return chosen < all ? all * -rf_power_less_one(1 - chosen / all, times) : all;
}

/** Ranks of `ranks` that have at least one of a token's `top_k` experts, each of which gets a copy; with a `limit` > 0
 *  no more than that. */
static inline double rf_token_copies(double ranks, double top_k, double limit) {
  double copies = rf_places_hit(ranks, 1, top_k);
  return limit > 0 ? fmin(limit, copies) : copies;
}

/** Experts of one of `ep` devices that the tokens pick at least when `touched` is expected of them: all tokens may pick the
 *  same. */
static inline double rf_fewest_experts(double touched, double top_k, double ep) {
  return fmin(touched, ceil(top_k / ep));
}

/** Bytes of Adam's state for one parameter, fp32 each: both moments, and a master copy of weights of `a` < 4
 * bytes (Micikevicius et al. 2018, section 3.1; Rajbhandari et al. 2020, section 3.1). */
static inline double rf_adam_bytes(double a) {
  return a < 4 ? 12 : 8;
}

#endif
