/* Layers of a network that are a matrix product or a table look-up. */
#include "ops/row.h"

enum { INDEX_BYTES = 4 };

static void linear(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  product_work(v[0], v[2], v[1], 1, t, w);
}

static void embedding(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double tokens = v[0], hidden = v[1];
  w->read_bytes = tokens * (hidden * roof_types_weight_bytes(t, 1) + INDEX_BYTES);
  w->write_bytes = tokens * hidden * roof_dtype_bytes(t->output);
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
     .params = {COUNT("batch", "rows of x: samples or tokens"), COUNT("in", "input features"),
                COUNT("out", "output features")}},
    {.name = "embedding",
     .family = "linear",
     .summary = "gathers one row of a table per token, by a 4-byte index",
     .unit = ROOF_VECTOR,
     .flops = "0",
     .bytes = "tokens * (hidden * (w + o) + 4)",
     .flops_per_element = 0,
     .source = "Mikolov et al. 2013, embedding look-up: a copy; rows are taken as distinct",
     .work = embedding,
     .params = {COUNT("tokens", "rows gathered"), COUNT("hidden", "elements of a row")}},
};

FAMILY(linear);
