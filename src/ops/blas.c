/* Dense linear algebra. Bytes are compulsory: each operand read once, each result written once. */
#include <math.h>

#include "ops/ops.h"

static void gemm(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double m = v[0], n = v[1], k = v[2], batch = v[3], beta = v[4];
  double a = roof_dtype_bytes(t->compute), o = roof_dtype_bytes(t->output);
  w->flops = 2 * m * n * k * batch;
  w->read_bytes = batch * (m * k * a + roof_types_weight_bytes(t, k * n) + (beta != 0 ? m * n * o : 0));
  w->write_bytes = batch * m * n * o;
  w->working_set = batch * (m * k * a + roof_types_weight_bytes(t, k * n) + m * n * o);
  w->no_reuse_bytes = batch * m * n * k * (a + roof_types_weight_bytes(t, 1));
}

#define COUNT(parameter, meaning)                                                                            \
  { .name = parameter, .kind = ROOF_PARAM_COUNT_OF, .fallback = NAN, .text = meaning }

static const roof_op ops[] = {
    {.name = "gemm",
     .family = "blas",
     .summary = "C = A B + beta C: matrix times matrix",
     .unit = ROOF_MATRIX,
     .flops = "2 * m * n * k * batch",
     .bytes = "batch * (m * k * a + k * n * w + (1 + (beta != 0)) * m * n * o)",
     .flops_per_element = NAN,
     .source = "BLAS level 3; an FMA is 2 FLOP",
     .work = gemm,
     .batch = "m",
     .params = {COUNT("m", "rows of A and C"),
                COUNT("n", "columns of B and C"),
                COUNT("k", "columns of A, rows of B"),
                {.name = "batch", .kind = ROOF_PARAM_COUNT_OF, .fallback = 1, .text = "independent products"},
                {.name = "beta", .kind = ROOF_PARAM_AMOUNT, .fallback = 0, .text = "0: C is not read"}}},
};

const roof_op_family roof_family_blas = {ops, sizeof ops / sizeof ops[0]};
