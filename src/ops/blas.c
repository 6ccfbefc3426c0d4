/* Dense linear algebra. Bytes are compulsory: each operand read once, each result written once; a symmetric
 * or triangular matrix is stored, and moved, as its triangle. Matrices that multiply are of the weights'
 * format, updated operands of the output's. */
#include "ops/row.h"

#define LAWN "Blackford and Dongarra, LAPACK Working Note 41, appendix C; an FMA is 2 FLOP"

static double triangle(double n) {
  return n * (n + 1) / 2;
}

/** x = f(x). */
static void scal(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  unary_work(op, v, t, w);
  w->update_bytes = fmin(w->read_bytes, w->write_bytes);
  w->working_set -= w->update_bytes;
}

static void axpy(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  binary_work(op, v, t, w);
  w->read_bytes = v[0] * (roof_dtype_bytes(t->compute) + roof_dtype_bytes(t->output));
  w->update_bytes = w->write_bytes;
  w->working_set = w->read_bytes;
}

/** A sum over the elements of `inputs` vectors. */
static void sum_work(const roof_op *op, double n, double inputs, const roof_types *t, roof_work *w) {
  w->flops = op->flops_per_element * n;
  w->read_bytes = inputs * n * roof_dtype_bytes(t->compute);
  w->write_bytes = roof_dtype_bytes(t->output);
  w->working_set = w->read_bytes + w->write_bytes;
}

static void sum(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  sum_work(op, v[0], 1, t, w);
}

static void dot(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  sum_work(op, v[0], 2, t, w);
}

/** y (rows) = A x (columns) with `stored` elements of A. */
static void matrix_vector(double flops, double stored, double rows, double columns, const roof_types *t,
                          roof_work *w) {
  w->flops = flops;
  w->weight_bytes = roof_types_weight_bytes(t, stored);
  w->read_bytes = w->weight_bytes + columns * roof_dtype_bytes(t->compute);
  w->write_bytes = rows * roof_dtype_bytes(t->output);
  w->working_set = w->read_bytes + w->write_bytes;
}

static void gemv(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  matrix_vector(2 * v[0] * v[1], v[0] * v[1], v[0], v[1], t, w);
}

static void symv(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  matrix_vector(2 * v[0] * v[0], triangle(v[0]), v[0], v[0], t, w);
}

static void trmv(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  matrix_vector(v[0] * v[0], triangle(v[0]), v[0], v[0], t, w);
  w->update_bytes = v[0] * fmin(roof_dtype_bytes(t->compute), roof_dtype_bytes(t->output));
  w->working_set -= w->update_bytes;
}

static void ger(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double m = v[0], n = v[1], o = roof_dtype_bytes(t->output);
  w->flops = 2 * m * n;
  w->read_bytes = m * n * o + (m + n) * roof_dtype_bytes(t->compute);
  w->update_bytes = w->write_bytes = m * n * o;
  w->working_set = w->read_bytes;
}

static void transpose(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  map_work(op, v[0] * v[1], 1, t, w);
}

static void gemm(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  product_work(v[0], v[1], v[2], v[3], t, w);
  if (v[4] != 0) {
    w->read_bytes += w->write_bytes;
    w->update_bytes = w->write_bytes;
  }
}

static void symm(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double m = v[0], n = v[1];
  product_work(m, n, m, 1, t, w);
  w->weight_bytes = roof_types_weight_bytes(t, triangle(m));
  w->read_bytes = w->weight_bytes + m * n * roof_dtype_bytes(t->compute);
  w->working_set = w->read_bytes + w->write_bytes;
}

static void syrk(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double n = v[0], k = v[1], a = roof_dtype_bytes(t->compute);
  w->flops = 2 * triangle(n) * k;
  w->read_bytes = n * k * a;
  w->write_bytes = triangle(n) * roof_dtype_bytes(t->output);
  w->working_set = w->read_bytes + w->write_bytes;
  w->no_reuse_bytes = 2 * triangle(n) * k * a;
}

static void trmm(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double m = v[0], n = v[1], weight = roof_types_weight_bytes(t, 1);
  w->flops = m * m * n;
  w->weight_bytes = w->read_bytes = triangle(m) * weight;
  w->write_bytes = m * n * roof_dtype_bytes(t->output);
  w->working_set = w->read_bytes + w->write_bytes;
  w->no_reuse_bytes = triangle(m) * n * (roof_dtype_bytes(t->compute) + weight);
}

/** A vector operation that counts `per_element` FLOPs for each of `n` elements. */
#define LEVEL_1(op_name, meaning, per_element, flops_text, bytes_text, function)                             \
  {                                                                                                          \
    .name = op_name, .family = "blas", .summary = meaning, .unit = ROOF_VECTOR, .flops = flops_text,         \
    .bytes = bytes_text, .flops_per_element = per_element, .source = LAWN, .work = function,                 \
    .params = PARAMS(COUNT("n", "elements of a vector"))                                                     \
  }

static const roof_op ops[] = {
    LEVEL_1("scal", "x = alpha x", 1, "n", "n * (a + o)", scal),
    LEVEL_1("axpy", "y = alpha x + y", 2, "2 * n", "n * (a + 2 * o)", axpy),
    LEVEL_1("dot", "s = x . y", 2, "2 * n", "2 * n * a + o", dot),
    LEVEL_1("nrm2", "s = sqrt(x . x)", 2, "2 * n", "n * a + o", sum),
    LEVEL_1("asum", "s = sum of |x|; the sign costs nothing", 1, "n", "n * a + o", sum),
    LEVEL_1("reduce", "s = sum, minimum or maximum of x", 1, "n", "n * a + o", sum),
    {.name = "gemv",
     .family = "blas",
     .summary = "y = A x: matrix times vector",
     .unit = ROOF_VECTOR,
     .flops = "2 * m * n",
     .bytes = "m * n * w + n * a + m * o",
     .flops_per_element = NAN,
     .source = LAWN,
     .work = gemv,
     .params = PARAMS(COUNT("m", "rows of A"), COUNT("n", "columns of A"))},
    {.name = "ger",
     .family = "blas",
     .summary = "A = x y' + A: A is read and written",
     .unit = ROOF_VECTOR,
     .flops = "2 * m * n",
     .bytes = "2 * m * n * o + (m + n) * a",
     .flops_per_element = NAN,
     .source = LAWN,
     .work = ger,
     .params = PARAMS(COUNT("m", "rows of A"), COUNT("n", "columns of A"))},
    {.name = "transpose",
     .family = "blas",
     .summary = "B = A': each element moved once",
     .unit = ROOF_VECTOR,
     .flops = "0",
     .bytes = "rows * cols * (a + o)",
     .flops_per_element = 0,
     .source = "a copy: every element read once and written once",
     .work = transpose,
     .params = PARAMS(COUNT("rows", "rows of A"), COUNT("cols", "columns of A"))},
    {.name = "symv",
     .family = "blas",
     .summary = "y = A x, A symmetric, its triangle moved",
     .unit = ROOF_VECTOR,
     .flops = "2 * n * n",
     .bytes = "n * (n + 1) / 2 * w + n * (a + o)",
     .flops_per_element = NAN,
     .source = LAWN,
     .work = symv,
     .params = PARAMS(COUNT("n", "rows and columns of A"))},
    {.name = "trmv",
     .family = "blas",
     .summary = "x = A x, A triangular",
     .unit = ROOF_VECTOR,
     .flops = "n * n",
     .bytes = "n * (n + 1) / 2 * w + n * (a + o)",
     .flops_per_element = NAN,
     .source = LAWN,
     .work = trmv,
     .params = PARAMS(COUNT("n", "rows and columns of A"))},
    {.name = "gemm",
     .family = "blas",
     .summary = "C = A B + beta C: matrix times matrix",
     .unit = ROOF_MATRIX,
     .flops = "2 * m * n * k * batch",
     .bytes = "batch * (m * k * a + k * n * w + (1 + (beta != 0)) * m * n * o)",
     .flops_per_element = NAN,
     .source = LAWN,
     .work = gemm,
     .batch = "m",
     .params =
         PARAMS(COUNT("m", "rows of A and C"), COUNT("n", "columns of B and C"),
                COUNT("k", "columns of A, rows of B"), COUNT_OR("batch", 1, "independent products"),
                {.name = "beta", .kind = ROOF_PARAM_AMOUNT, .fallback = 0, .text = "0: C is not read"})},
    {.name = "symm",
     .family = "blas",
     .summary = "C = A B, A symmetric, its triangle moved",
     .unit = ROOF_MATRIX,
     .flops = "2 * m * m * n",
     .bytes = "m * (m + 1) / 2 * w + m * n * (a + o)",
     .flops_per_element = NAN,
     .source = LAWN,
     .work = symm,
     .batch = "n",
     .params = PARAMS(COUNT("m", "rows and columns of A"), COUNT("n", "columns of B and C"))},
    {.name = "syrk",
     .family = "blas",
     .summary = "C = A A', the triangle of C",
     .unit = ROOF_MATRIX,
     .flops = "n * (n + 1) * k",
     .bytes = "n * k * a + n * (n + 1) / 2 * o",
     .flops_per_element = NAN,
     .source = LAWN,
     .work = syrk,
     .params = PARAMS(COUNT("n", "rows of A, rows and columns of C"), COUNT("k", "columns of A"))},
    {.name = "trmm",
     .family = "blas",
     .summary = "B = A B, A triangular; B, updated in place, is counted once",
     .unit = ROOF_MATRIX,
     .flops = "m * m * n",
     .bytes = "m * (m + 1) / 2 * w + m * n * o",
     .flops_per_element = NAN,
     .source = LAWN,
     .work = trmm,
     .batch = "n",
     .params = PARAMS(COUNT("m", "rows and columns of A"), COUNT("n", "columns of B"))},
};

FAMILY(blas);
