/* Layers of a network that are a matrix product or a table look-up. */
#include "ops/row.h"
#include "ops/values.h"

enum { INDEX_BYTES = 4 };

static void linear(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  product_work(v[RF_LINEAR_BATCH], v[RF_LINEAR_OUT], v[RF_LINEAR_IN], 1, t, w);
}

/** `groups` matrices, each for some of the rows; the activation at the end takes no pass of its own. */
static void grouped(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double rows = v[RF_GROUPED_BATCH], in = v[RF_GROUPED_IN], out = v[RF_GROUPED_OUT];
  double gated = v[RF_GROUPED_GATED], results = rows * out / (1 + gated), a = roof_dtype_bytes(t->compute);
  w->flops = 2 * rows * in * out + results * (v[RF_GROUPED_ACTIVATION] + gated);
  w->weight_bytes = roof_types_weight_bytes(t, v[RF_GROUPED_GROUPS] * in * out);
  w->read_bytes = rows * in * a + w->weight_bytes;
  w->write_bytes = results * roof_dtype_bytes(t->output);
  w->working_set = w->read_bytes + w->write_bytes;
  w->no_reuse_bytes = rows * in * out * (a + roof_types_weight_bytes(t, 1));
  w->kernel = (roof_kernel_shape){
      .kind = ROOF_KERNEL_EXPERTS, .count = v[RF_GROUPED_GROUPS], .rows = rows, .columns = out, .depth = in};
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

static void combine(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double hidden = v[RF_COMBINE_HIDDEN];
  w->flops = 2 * v[RF_COMBINE_ROWS] * hidden;
  w->read_bytes = v[RF_COMBINE_ROWS] * hidden * roof_dtype_bytes(t->compute);
  w->write_bytes = v[RF_COMBINE_TOKENS] * hidden * roof_dtype_bytes(t->output);
  w->working_set = w->read_bytes + w->write_bytes;
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
     .params = {[RF_LINEAR_BATCH] = COUNT("batch", "rows of x: samples or tokens"),
                [RF_LINEAR_IN] = COUNT("in", "input features"),
                [RF_LINEAR_OUT] = COUNT("out", "output features")}},
    {.name = "grouped",
     .family = "linear",
     .summary = "y = f(x W), the rows shared out among `groups` matrices: a mixture's experts",
     .unit = ROOF_MATRIX,
     .flops = "2 * batch * in * out + batch * out / (1 + gated) * (activation + gated)",
     .bytes = "batch * in * a + groups * in * out * w + batch * out / (1 + gated) * o",
     .flops_per_element = NAN,
     .source = "as linear; Shazeer et al. 2017 (experts), Shazeer 2020 (gated units)",
     .work = grouped,
     .batch = "batch",
     .params = {[RF_GROUPED_BATCH] = COUNT("batch", "rows of x, of all groups together"),
                [RF_GROUPED_GROUPS] = COUNT("groups", "matrices that are read"),
                [RF_GROUPED_IN] = COUNT("in", "input features"),
                [RF_GROUPED_OUT] = COUNT("out", "output features of a matrix"),
                [RF_GROUPED_ACTIVATION] = {.name = "activation",
                                           .kind = ROOF_PARAM_AMOUNT,
                                           .fallback = 0,
                                           .text = "FLOPs of f for each result, 0: none"},
                [RF_GROUPED_GATED] = {.name = "gated",
                                      .kind = ROOF_PARAM_FLAG,
                                      .fallback = 0,
                                      .text =
                                          "1: f of one half of the result is multiplied with the other"}}},
    {.name = "combine",
     .family = "linear",
     .summary = "each token's sum of its experts' results, weighted",
     .unit = ROOF_VECTOR,
     .flops = "2 * rows * hidden",
     .bytes = "hidden * (rows * a + tokens * o)",
     .flops_per_element = NAN,
     .source = "Shazeer et al. 2017, equation 1; weight and add: 2 FLOP per element",
     .work = combine,
     .params = {[RF_COMBINE_ROWS] = COUNT("rows", "results of experts, of all tokens"),
                [RF_COMBINE_TOKENS] = COUNT("tokens", "tokens"),
                [RF_COMBINE_HIDDEN] = COUNT("hidden", "elements of a result")}},
    {.name = "embedding",
     .family = "linear",
     .summary = "gathers one row of a table per token, by a 4-byte index",
     .unit = ROOF_VECTOR,
     .flops = "0",
     .bytes = "tokens * (hidden * (w + o) + 4)",
     .flops_per_element = 0,
     .source = "Mikolov et al. 2013, embedding look-up: a copy; rows are taken as distinct",
     .work = embedding,
     .params = {[RF_EMBEDDING_TOKENS] = COUNT("tokens", "rows gathered"),
                [RF_EMBEDDING_HIDDEN] = COUNT("hidden", "elements of a row")}},
    {.name = "embedding_sum",
     .family = "linear",
     .summary = "the same from several tables (tokens, positions, segments), added",
     .unit = ROOF_VECTOR,
     .flops = "tokens * hidden * (tables - 1)",
     .bytes = "tokens * (hidden * (tables * w + o) + 4)",
     .flops_per_element = NAN,
     .source = "Devlin et al. 2019, section 3: the sum of the embeddings; positions need no index",
     .work = embedding_sum,
     .params = {[RF_EMBEDDING_TOKENS] = COUNT("tokens", "rows gathered from each table"),
                [RF_EMBEDDING_HIDDEN] = COUNT("hidden", "elements of a row"),
                [RF_EMBEDDING_TABLES] = COUNT("tables", "tables")}},
};

FAMILY(linear);
