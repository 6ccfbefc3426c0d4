/* Attention over a stored K and V. */
#include "ops/row.h"

enum { BATCH, HEADS, Q_LEN, KV_LEN, HEAD_DIM, KV_HEADS, CAUSAL, ALGORITHM, PASSES };

static void attention(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double a = roof_dtype_bytes(t->compute), kv = roof_dtype_bytes(t->kv);
  double rows = v[BATCH] * v[HEADS] * v[Q_LEN], scores = rows * v[KV_LEN];
  double share = v[CAUSAL] != 0 && v[Q_LEN] == v[KV_LEN] ? 0.5 : 1;
  double stored = 2 * v[BATCH] * v[KV_HEADS] * v[KV_LEN] * v[HEAD_DIM] * kv;
  double standard = v[ALGORITHM], moved = standard * v[PASSES] / 2 * scores * a;
  w->flops = scores * (4 * v[HEAD_DIM] + 5) * share;
  w->read_bytes = rows * v[HEAD_DIM] * a + stored + moved;
  w->write_bytes = rows * v[HEAD_DIM] * roof_dtype_bytes(t->output) + moved;
  w->working_set = w->read_bytes + w->write_bytes - 2 * moved + standard * scores * a;
  w->no_reuse_bytes = standard != 0 ? NAN : 2 * scores * v[HEAD_DIM] * kv * share;
}

static roof_status check(const roof_op *op, const double *v, roof_error *error) {
  if (fmod(v[HEADS], v[KV_HEADS]) != 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: kv_heads=%.0f must divide heads=%.0f", op->name,
                          v[KV_HEADS], v[HEADS]);
  }
  return ROOF_OK;
}

static const roof_op ops[] = {
    {.name = "attention",
     .family = "attention",
     .summary = "softmax(Q K') V; flash keeps the scores on chip, standard moves them `passes` times",
     .unit = ROOF_MATRIX,
     .flops = "batch * heads * q_len * kv_len * (4 * head_dim + 5) * "
              "(causal != 0 && q_len == kv_len ? 0.5 : 1)",
     .bytes = "batch * heads * q_len * head_dim * (a + o) + 2 * batch * kv_heads * kv_len * head_dim * kv + "
              "(algorithm == standard) * passes * batch * heads * q_len * kv_len * a",
     .flops_per_element = NAN,
     .source = "Vaswani et al. 2017; Dao et al. 2022 (flash: Q, K, V, O once); softmax 5 FLOP per score",
     .work = attention,
     .check = check,
     .batch = "q_len",
     .params = {[BATCH] = COUNT("batch", "sequences"),
                [HEADS] = COUNT("heads", "query heads"),
                [Q_LEN] = COUNT("q_len", "query positions (1 in decode)"),
                [KV_LEN] = COUNT("kv_len", "key positions"),
                [HEAD_DIM] = COUNT("head_dim", "elements of a head"),
                [KV_HEADS] = {.name = "kv_heads",
                              .kind = ROOF_PARAM_COUNT,
                              .fallback = NAN,
                              .same_as = "heads",
                              .text = "key and value heads (GQA, MQA: fewer)"},
                [CAUSAL] = {.name = "causal",
                            .kind = ROOF_PARAM_FLAG,
                            .fallback = 0,
                            .text = "1: later keys are masked, half the FLOPs when q_len = kv_len"},
                [ALGORITHM] = {.name = "algorithm",
                               .kind = ROOF_PARAM_CHOICE,
                               .fallback = 0,
                               .choices = {"flash", "standard"},
                               .text = "standard writes and reads the scores"},
                [PASSES] = COUNT_OR("passes", 2, "passes over the scores (standard)")}},
};

FAMILY(attention);
