/* Attention over a stored K and V, and what goes with it: the rotation of Q and K, the store into a cache,
 * the choice of keys. A score costs 2 FLOP per element of the key, 5 for the softmax, and 2 per element of
 * the value. */
#include "ops/check.h"
#include "ops/row.h"
#include "ops/values.h"

/** What scores and values cost, of whichever pairs of a query and a key are scored. */
typedef struct scores {
  double rows;   /**< queries of all heads and sequences */
  double square; /**< scores of a whole square, masked or not */
  double pairs;  /**< scored */
  double stored; /**< elements of K and V that are read */
  double key_dim, value_dim;
  double sequences;
  double parts, group; /**< sequences x KV heads, and the query heads of each */
  double queries, keys;
  double unseen; /**< keys before those that a window leaves; less than 0: that it has room for besides */
  double passes; /**< over the square in memory; 0: the scores stay on chip */
} scores;

/** Fewer queries than this of a sequence do not fill a tile of their own: their keys are read by several units. A short
 * prompt, without keys of its own from before, is read as a long one is. */
enum { FEW_QUERIES = 16 };

static roof_kernel_kind kind_of(const scores *s) {
  bool whole = s->queries >= s->keys;
  bool few = s->queries < FEW_QUERIES && (!whole || s->queries <= 1);
  return s->key_dim == s->value_dim ? (few ? ROOF_KERNEL_DECODE : ROOF_KERNEL_PREFILL)
                                    : (few ? ROOF_KERNEL_MLA_DECODE : ROOF_KERNEL_MLA_PREFILL);
}

static void scores_work(const scores *s, const roof_types *t, roof_work *w) {
  double a = roof_dtype_bytes(t->compute), kv = roof_dtype_bytes(t->kv),
         moved = s->passes / 2 * s->square * a;
  w->flops = s->pairs * (2 * s->key_dim + 2 * s->value_dim + 5);
  w->cache_bytes = s->stored * kv;
  w->read_bytes = s->rows * s->key_dim * a + w->cache_bytes + moved;
  w->write_bytes = s->rows * s->value_dim * roof_dtype_bytes(t->output) + moved;
  w->working_set = w->read_bytes + w->write_bytes - 2 * moved + (s->passes > 0 ? s->square * a : 0);
  w->no_reuse_bytes = s->passes > 0 ? NAN : s->pairs * (s->key_dim + s->value_dim) * kv;
  w->kernel = (roof_kernel_shape){.kind = kind_of(s),
                                  .count = s->parts,
                                  .rows = s->queries,
                                  .columns = s->keys,
                                  .depth = (s->key_dim + s->value_dim) / 2,
                                  .group = s->group,
                                  .routed = s->unseen,
                                  .sequences = s->sequences};
}

enum { HEAD_DIM = RF_ATTEND_KV_LEN + 1, KV_HEADS, CAUSAL, ALGORITHM, PASSES, WINDOW };

/** Pairs of a query and a key that it sees when the last query sees the last key and each the `window` keys up to its
 * own: q (kv - q) + q (q + 1) / 2 without a window. Queries before the first key see none. */
static double causal_pairs(double q_len, double kv_len, double window) {
  return rf_keys_seen(kv_len, window) - rf_keys_seen(fmax(0, kv_len - q_len), window);
}

/** Queries that see a key. */
static double seeing(double causal, double q_len, double kv_len) {
  return causal != 0 ? fmin(q_len, kv_len) : q_len;
}

static void attention(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double units = v[RF_ATTEND_BATCH] * v[RF_ATTEND_HEADS], q_len = v[RF_ATTEND_Q_LEN];
  double kv_len = v[RF_ATTEND_KV_LEN], window = fmin(v[WINDOW], kv_len);
  double keys = fmin(kv_len, window + q_len - 1);
  double pairs = v[CAUSAL] != 0 ? causal_pairs(q_len, kv_len, window) : q_len * window;
  scores s = {.rows = units * q_len, .square = units * q_len * keys, .pairs = units * pairs};
  s.sequences = v[RF_ATTEND_BATCH];
  s.key_dim = s.value_dim = v[HEAD_DIM];
  s.stored = 2 * v[RF_ATTEND_BATCH] * v[KV_HEADS] * keys * v[HEAD_DIM];
  s.parts = v[RF_ATTEND_BATCH] * v[KV_HEADS];
  s.group = v[RF_ATTEND_HEADS] / v[KV_HEADS];
  s.queries = seeing(v[CAUSAL], q_len, kv_len);
  s.keys = window;
  s.unseen = kv_len - (v[WINDOW] > kv_len ? v[WINDOW] : keys);
  s.passes = v[ALGORITHM] * v[PASSES];
  scores_work(&s, t, w);
}

enum {
  MLA_CAUSAL = RF_ATTEND_KV_LEN + 1,
  MLA_ALGORITHM,
  MLA_KV_RANK,
  MLA_ROPE_DIM,
  MLA_HEAD_DIM,
  MLA_VALUE_DIM
};
enum { ABSORBED, EXPANDED };

/** The queries multiplied into the latent: its keys are the latent and the rotated part, its values the latent again,
 * read once for all heads. */
static void absorbed(const double *v, const scores *pairs, const roof_types *t, roof_work *w) {
  double latent = v[MLA_KV_RANK] + v[MLA_ROPE_DIM];
  scores s = *pairs;
  s.parts = v[RF_ATTEND_BATCH];
  s.group = v[RF_ATTEND_HEADS];
  s.key_dim = latent;
  s.value_dim = v[MLA_KV_RANK];
  s.stored = v[RF_ATTEND_BATCH] * v[RF_ATTEND_KV_LEN] * latent;
  scores_work(&s, t, w);
}

/** The latent expanded to the keys and values of all heads, which are activations; the rotated part is shared. */
static void expanded(const double *v, const scores *pairs, const roof_types *t, roof_work *w) {
  roof_types own = *t;
  scores s = *pairs;
  own.kv = t->compute;
  s.parts = v[RF_ATTEND_BATCH] * v[RF_ATTEND_HEADS];
  s.group = 1;
  s.key_dim = v[MLA_HEAD_DIM] + v[MLA_ROPE_DIM];
  s.value_dim = v[MLA_VALUE_DIM];
  s.stored = v[RF_ATTEND_BATCH] * v[RF_ATTEND_KV_LEN] *
             (v[RF_ATTEND_HEADS] * (v[MLA_HEAD_DIM] + v[MLA_VALUE_DIM]) + v[MLA_ROPE_DIM]);
  scores_work(&s, &own, w);
  w->cache_bytes = 0;
}

static void mla(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double units = v[RF_ATTEND_BATCH] * v[RF_ATTEND_HEADS], q_len = v[RF_ATTEND_Q_LEN];
  double kv_len = v[RF_ATTEND_KV_LEN], square = q_len * kv_len;
  double pairs = v[MLA_CAUSAL] != 0 ? causal_pairs(q_len, kv_len, kv_len) : square;
  scores s = {.rows = units * q_len, .square = units * square, .pairs = units * pairs};
  s.queries = seeing(v[MLA_CAUSAL], q_len, kv_len);
  s.keys = kv_len;
  (v[MLA_ALGORITHM] == EXPANDED ? expanded : absorbed)(v, &s, t, w);
}

static void attend(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double batch = v[RF_ATTEND_BATCH], rows = batch * v[RF_ATTEND_Q_LEN] * v[RF_ATTEND_HEADS];
  double kv_heads = fmax(1, round(v[RF_ATTEND_STORED] / (v[RF_ATTEND_KEY_DIM] + v[RF_ATTEND_VALUE_DIM])));
  scores s = {.rows = rows,
              .square = rows * v[RF_ATTEND_KV_LEN],
              .pairs = batch * v[RF_ATTEND_PAIRS] * v[RF_ATTEND_HEADS],
              .stored = batch * v[RF_ATTEND_KV_LEN] * v[RF_ATTEND_STORED],
              .key_dim = v[RF_ATTEND_KEY_DIM],
              .value_dim = v[RF_ATTEND_VALUE_DIM],
              .sequences = batch,
              .parts = batch * kv_heads,
              .group = v[RF_ATTEND_HEADS] / kv_heads,
              .queries = v[RF_ATTEND_Q_LEN],
              .keys = v[RF_ATTEND_KV_LEN],
              .passes = v[RF_ATTEND_PASSES]};
  scores_work(&s, t, w);
}

static void indexer(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  enum { POSITION_BYTES = 4 };
  (void)op;
  double tokens = v[RF_INDEXER_BATCH] * v[RF_INDEXER_Q_LEN], heads = v[RF_INDEXER_HEADS];
  w->flops = v[RF_INDEXER_BATCH] * v[RF_INDEXER_PAIRS] * heads * (2 * v[RF_INDEXER_DIM] + 3);
  w->cache_bytes = v[RF_INDEXER_BATCH] * v[RF_INDEXER_KV_LEN] * v[RF_INDEXER_DIM] * roof_dtype_bytes(t->kv);
  w->read_bytes = tokens * heads * (v[RF_INDEXER_DIM] + 1) * roof_dtype_bytes(t->compute) + w->cache_bytes;
  w->write_bytes = tokens * v[RF_INDEXER_KEEP] * POSITION_BYTES;
  w->working_set = w->read_bytes + w->write_bytes;
}

static void rope(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double a = roof_dtype_bytes(t->compute), o = roof_dtype_bytes(t->output), tokens = v[RF_ROPE_TOKENS];
  double queries = v[RF_ROPE_QUERIES], stored = v[RF_ROPE_STORED];
  double turned = queries + v[RF_ROPE_KEYS], written = stored > 0 ? queries : turned;
  w->flops = tokens * turned * (3 * v[RF_ROPE_ROTARY] + 5 * v[RF_ROPE_NORM]);
  w->cache_bytes = tokens * stored * roof_dtype_bytes(t->kv);
  w->read_bytes = tokens * (written + stored) * a;
  w->write_bytes = tokens * written * o + w->cache_bytes;
  w->working_set = w->read_bytes + w->write_bytes;
}

static void store_kv(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  w->read_bytes = v[RF_ELEMENTS] * roof_dtype_bytes(t->compute);
  w->write_bytes = w->cache_bytes = v[RF_ELEMENTS] * roof_dtype_bytes(t->kv);
  w->working_set = w->read_bytes + w->write_bytes;
}

static roof_status check(const roof_op *op, const double *v, roof_error *error) {
  return rf_check_divides(op, v, KV_HEADS, RF_ATTEND_HEADS, error);
}

/** Fewer pairs than keys are those that some query sees: every key has one. Of attend and indexer, which begin alike. */
static roof_status check_pairs(const roof_op *op, const double *v, roof_error *error) {
  return v[RF_ATTEND_PAIRS] <= v[RF_ATTEND_Q_LEN] * v[RF_ATTEND_KV_LEN]
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: pairs=%.0f is more than q_len x kv_len", op->name,
                              v[RF_ATTEND_PAIRS]);
}

static roof_status check_indexer(const roof_op *op, const double *v, roof_error *error) {
  roof_status status = rf_check_at_most(op, v, RF_INDEXER_KEEP, RF_INDEXER_KV_LEN, error);
  return status == ROOF_OK ? check_pairs(op, v, error) : status;
}

#define SEEING "min(q_len, kv_len)"
#define CAUSAL_TEXT "(causal == 0 ? q_len * kv_len : " SEEING " * (kv_len - (" SEEING " - 1) / 2))"
#define SEEN "min(window, kv_len)"
#define RAMP                                                                                                 \
  "(" SEEN " + " SEEING " - kv_len)" /* one more than queries whose window begins before the first key */

static const roof_op ops[] = {
    {.name = "attention",
     .family = "attention",
     .summary = "softmax(Q K') V; flash keeps the scores on chip, standard moves them `passes` times",
     .unit = ROOF_MATRIX,
     .flops = "batch * heads * (4 * head_dim + 5) * (causal == 0 ? q_len * " SEEN " : " SEEING " * " SEEN
              " - max(0, " RAMP ") * (" RAMP " - 1) / 2)",
     .bytes =
         "batch * heads * q_len * head_dim * (a + o) + (2 * batch * kv_heads * head_dim * kv + (algorithm == "
         "standard) * passes * batch * heads * q_len * a) * min(window + q_len - 1, kv_len)",
     .flops_per_element = NAN,
     .source = "Vaswani et al. 2017; Dao et al. 2022 (flash: Q, K, V, O once); softmax 5 FLOP per score; "
               "Beltagy et "
               "al. 2020 (window)",
     .work = attention,
     .check = check,
     .batch = "q_len",
     .params = PARAMS(
         [RF_ATTEND_BATCH] = COUNT("batch", "sequences"), [RF_ATTEND_HEADS] = COUNT("heads", "query heads"),
         [RF_ATTEND_Q_LEN] = COUNT("q_len", "query positions (1 in decode)"),
         [RF_ATTEND_KV_LEN] = COUNT("kv_len", "key positions"),
         [HEAD_DIM] = COUNT("head_dim", "elements of a head"),
         [KV_HEADS] = {.name = "kv_heads",
                       .kind = ROOF_PARAM_COUNT,
                       .fallback = NAN,
                       .same_as = "heads",
                       .text = "key and value heads (GQA, MQA: fewer)"},
         [CAUSAL] = {.name = "causal",
                     .kind = ROOF_PARAM_FLAG,
                     .fallback = 0,
                     .text = "1: a query sees no later key; the last one sees all"},
         [ALGORITHM] = {.name = "algorithm",
                        .kind = ROOF_PARAM_CHOICE,
                        .fallback = 0,
                        .choices = {"flash", "standard"},
                        .text = "standard writes and reads the scores"},
         [PASSES] = COUNT_OR("passes", 2, "passes over the scores (standard): 2 at least, 4 unfused"),
         [WINDOW] = {.name = "window",
                     .kind = ROOF_PARAM_COUNT,
                     .fallback = NAN,
                     .same_as = "kv_len",
                     .text = "keys that a query sees at most, the newest"})},
    {.name = "mla",
     .family = "attention",
     .summary =
         "attention over a latent that all heads share: absorbed works on it (decode), expanded on the keys "
         "and values made of it (prefill)",
     .unit = ROOF_MATRIX,
     .flops =
         "batch * heads * " CAUSAL_TEXT " * (algorithm == absorbed ? 4 * kv_rank + 2 * rope_dim + 5 : 2 * "
         "(head_dim + rope_dim + value_dim) + 5)",
     .bytes =
         "algorithm == absorbed ? batch * heads * q_len * ((kv_rank + rope_dim) * a + kv_rank * o) + batch * "
         "kv_len * (kv_rank + rope_dim) * kv : batch * heads * q_len * ((head_dim + rope_dim) * a + "
         "value_dim * "
         "o) + batch * kv_len * (heads * (head_dim + value_dim) + rope_dim) * a",
     .flops_per_element = NAN,
     .source =
         "DeepSeek-V2 2024, section 2.1.2 and appendix C; sizes of DeepSeek-V3 where none is given; the "
         "products into and out of the latent are operations of their own (gemm, batch=heads)",
     .work = mla,
     .batch = "q_len",
     .params = PARAMS(
         [RF_ATTEND_BATCH] = COUNT("batch", "sequences"), [RF_ATTEND_HEADS] = COUNT("heads", "query heads"),
         [RF_ATTEND_Q_LEN] = COUNT("q_len", "query positions (1 in decode)"),
         [RF_ATTEND_KV_LEN] = COUNT("kv_len", "key positions"),
         [MLA_CAUSAL] = {.name = "causal",
                         .kind = ROOF_PARAM_FLAG,
                         .fallback = 0,
                         .text = "1: a query sees no later key; the last one sees all"},
         [MLA_ALGORITHM] = {.name = "algorithm",
                            .kind = ROOF_PARAM_CHOICE,
                            .fallback = ABSORBED,
                            .choices = {"absorbed", "expanded"},
                            .text = "absorbed: on the latent itself; expanded: on full heads"},
         [MLA_KV_RANK] = COUNT_OR("kv_rank", 512, "elements of the latent"),
         [MLA_ROPE_DIM] = COUNT_OR("rope_dim", 64, "rotated elements of a key, shared by the heads"),
         [MLA_HEAD_DIM] = COUNT_OR("head_dim", 128, "other elements of a key of one head (expanded)"),
         [MLA_VALUE_DIM] = COUNT_OR("value_dim", 128, "elements of a value of one head (expanded)"))},
    {.name = "attend",
     .family = "attention",
     .summary =
         "attention of the pairs that a mask, a window or a cache leaves, as the layers of a model do it",
     .unit = ROOF_MATRIX,
     .flops = "batch * heads * pairs * (2 * key_dim + 2 * value_dim + 5)",
     .bytes = "batch * heads * q_len * (key_dim * a + value_dim * o) + batch * kv_len * stored * kv + "
              "passes * batch * heads * q_len * kv_len * a",
     .flops_per_element = NAN,
     .source = "as attention; DeepSeek-V2 2024, section 2.1.2 (a latent stored for K and V)",
     .work = attend,
     .check = check_pairs,
     .params = PARAMS(
         [RF_ATTEND_BATCH] = COUNT("batch", "sequences"), [RF_ATTEND_HEADS] = COUNT("heads", "query heads"),
         [RF_ATTEND_Q_LEN] = COUNT("q_len", "query positions of a sequence"),
         [RF_ATTEND_KV_LEN] = COUNT("kv_len", "key positions that at least one of them sees"),
         [RF_ATTEND_PAIRS] = COUNT("pairs", "pairs of a query and a key that it sees, of a sequence"),
         [RF_ATTEND_KEY_DIM] = COUNT("key_dim", "elements of a key of one head"),
         [RF_ATTEND_VALUE_DIM] = COUNT("value_dim", "elements of a value of one head"),
         [RF_ATTEND_STORED] = COUNT("stored", "elements of K and V per position, all heads"),
         [RF_ATTEND_PASSES] = {.name = "passes",
                               .kind = ROOF_PARAM_AMOUNT,
                               .fallback = 0,
                               .text = "passes over the scores in memory; 0: they stay on chip"})},
    {.name = "indexer",
     .family = "attention",
     .summary = "scores of every key by narrow heads; the positions of the best are kept (sparse attention)",
     .unit = ROOF_MATRIX,
     .flops = "batch * pairs * heads * (2 * dim + 3)",
     .bytes = "batch * (q_len * (heads * (dim + 1) * a + 4 * keep) + kv_len * dim * kv)",
     .flops_per_element = NAN,
     .source =
         "DeepSeek-V3.2 2025, lightning indexer; product 2 dim, relu, weight, add; positions of 4 bytes",
     .work = indexer,
     .check = check_indexer,
     .params =
         PARAMS([RF_INDEXER_BATCH] = COUNT("batch", "sequences"),
                [RF_INDEXER_HEADS] = COUNT("heads", "heads of the indexer"),
                [RF_INDEXER_Q_LEN] = COUNT("q_len", "query positions of a sequence"),
                [RF_INDEXER_KV_LEN] = COUNT("kv_len", "key positions"),
                [RF_INDEXER_PAIRS] = COUNT("pairs", "pairs of a query and a key that it sees, of a sequence"),
                [RF_INDEXER_DIM] = COUNT("dim", "elements of a head"),
                [RF_INDEXER_KEEP] = COUNT("keep", "positions kept a query"))},
    {.name = "rope",
     .family = "attention",
     .summary =
         "rotation of Q and K by their position; with `stored`, K and V go to the cache in the same pass",
     .unit = ROOF_VECTOR,
     .flops = "tokens * (queries + keys) * (3 * rotary + 5 * norm)",
     .bytes = "tokens * (queries * (a + o) + (stored > 0 ? stored * (a + kv) : keys * (a + o)))",
     .flops_per_element = NAN,
     .source = "Su et al. 2021; a pair turns by 4 products and 2 adds: 3 FLOP per element; norm as rmsnorm",
     .work = rope,
     .params = PARAMS([RF_ROPE_TOKENS] = COUNT("tokens", "tokens"),
                      [RF_ROPE_QUERIES] = COUNT("queries", "elements of Q of a token, all heads"),
                      [RF_ROPE_KEYS] = COUNT("keys", "elements of K of a token, all heads"),
                      [RF_ROPE_STORED] = {.name = "stored",
                                          .kind = ROOF_PARAM_AMOUNT,
                                          .fallback = 0,
                                          .text = "elements of K and V that are stored, 0: none"},
                      [RF_ROPE_ROTARY] = {.name = "rotary",
                                          .kind = ROOF_PARAM_FLAG,
                                          .fallback = 1,
                                          .text = "0: norms alone"},
                      [RF_ROPE_NORM] = {.name = "norm",
                                        .kind = ROOF_PARAM_FLAG,
                                        .fallback = 0,
                                        .text = "1: norms of Q and K in the same pass"})},
    {.name = "store_kv",
     .family = "attention",
     .summary = "keys and values into the cache, in its format",
     .unit = ROOF_VECTOR,
     .flops = "0",
     .bytes = "n * (a + kv)",
     .flops_per_element = 0,
     .source = "a copy: every element read once and written once",
     .work = store_kv,
     .params = PARAMS([RF_ELEMENTS] = COUNT("n", "elements"))},
};

FAMILY(attention);
