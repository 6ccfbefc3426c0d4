/* Layers of a network that are a matrix product or a table look-up. */
#include "ops/check.h"
#include "ops/row.h"
#include "ops/values.h"

enum { INDEX_BYTES = 4 };

static void linear(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  product_work(v[RF_LINEAR_BATCH], v[RF_LINEAR_OUT], v[RF_LINEAR_IN], 1, t, w);
}

static void linear_act(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  double gated = v[RF_LINEAR_GATED], results = v[RF_LINEAR_BATCH] * v[RF_LINEAR_OUT] / (1 + gated);
  linear(op, v, t, w);
  w->flops += results * (v[RF_LINEAR_ACTIVATION] + gated);
  w->write_bytes = results * roof_dtype_bytes(t->output);
  w->working_set = w->read_bytes + w->write_bytes;
}

static roof_status check_act(const roof_op *op, const double *v, roof_error *error) {
  return rf_check_halves(op, v, RF_LINEAR_OUT, RF_LINEAR_GATED, error);
}

static void look_up(double tokens, double hidden, double tables, const roof_types *t, roof_work *w) {
  w->flops = tokens * hidden * (tables - 1);
  w->read_bytes = tokens * (hidden * tables * roof_types_weight_bytes(t, 1) + INDEX_BYTES);
  w->write_bytes = tokens * hidden * roof_dtype_bytes(t->output);
  w->working_set = w->read_bytes + w->write_bytes;
}

static void embedding(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  look_up(v[RF_EMBEDDING_TOKENS], v[RF_EMBEDDING_HIDDEN], 1, t, w);
}

static void embedding_sum(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  look_up(v[RF_EMBEDDING_TOKENS], v[RF_EMBEDDING_HIDDEN], v[RF_EMBEDDING_TABLES], t, w);
}

static const roof_op ops[] = {
    {.name = "linear",
     .family = "linear",
     .summary = "y = x W: a fully connected layer",
     .unit = ROOF_MATRIX,
     .flops = "2 * batch * in * out",
     .bytes = "batch * in * a + in * out * w + batch * out * o",
     .flops_per_element = NAN,
     .source = "a gemm with m = batch, n = out, k = in; an FMA is 2 FLOP",
     .work = linear,
     .batch = "batch",
     .params = PARAMS([RF_LINEAR_BATCH] = COUNT("batch", "rows of x: samples or tokens"),
                      [RF_LINEAR_IN] = COUNT("in", "input features"),
                      [RF_LINEAR_OUT] = COUNT("out", "output features"))},
    {.name = "linear_act",
     .family = "linear",
     .summary = "y = f(x W): a fully connected layer and its activation, gated or not, in one kernel",
     .unit = ROOF_MATRIX,
     .flops = FLOPS_OF_RESULTS,
     .bytes = "batch * in * a + in * out * w + batch * out / (1 + gated) * o",
     .flops_per_element = NAN,
     .source = "as linear; Shazeer 2020 (gated units)",
     .work = linear_act,
     .check = check_act,
     .batch = "batch",
     .params = PARAMS([RF_LINEAR_BATCH] = COUNT("batch", "rows of x: samples or tokens"),
                      [RF_LINEAR_IN] = COUNT("in", "input features"),
                      [RF_LINEAR_OUT] = COUNT("out", "output features, of both halves where gated"),
                      [RF_LINEAR_ACTIVATION] = ACTIVATION_OF_RESULTS, [RF_LINEAR_GATED] = GATED_RESULTS)},
    {.name = "embedding",
     .family = "linear",
     .summary = "gathers one row of a table per token, by a 4-byte index",
     .unit = ROOF_VECTOR,
     .flops = "0",
     .bytes = "tokens * (hidden * (w + o) + 4)",
     .flops_per_element = 0,
     .source = "Mikolov et al. 2013, embedding look-up: a copy; rows are taken as distinct",
     .work = embedding,
     .params = PARAMS([RF_EMBEDDING_TOKENS] = COUNT("tokens", "rows gathered"), [RF_EMBEDDING_HIDDEN] = COUNT(
                                                                                    "hidden",
                                                                                    "elements of a row"))},
    {.name = "embedding_sum",
     .family = "linear",
     .summary = "the same from several tables (tokens, positions, segments), added",
     .unit = ROOF_VECTOR,
     .flops = "tokens * hidden * (tables - 1)",
     .bytes = "tokens * (hidden * (tables * w + o) + 4)",
     .flops_per_element = NAN,
     .source = "Devlin et al. 2019, section 3: the sum of the embeddings; positions need no index",
     .work = embedding_sum,
     .params = PARAMS([RF_EMBEDDING_TOKENS] = COUNT("tokens", "rows gathered from each table"),
                      [RF_EMBEDDING_HIDDEN] = COUNT("hidden", "elements of a row"),
                      [RF_EMBEDDING_TABLES] = COUNT("tables", "tables"))},
};

FAMILY(linear);
