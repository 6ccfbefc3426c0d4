/* Sparse matrices and stencils. */
#include "ops/row.h"

enum { INDEX_BYTES = 4 };

static void spmv(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  (void)op;
  double rows = v[0], nnz = v[1];
  w->flops = 2 * nnz;
  w->weight_bytes = roof_types_weight_bytes(t, nnz);
  w->read_bytes = w->weight_bytes + INDEX_BYTES * (nnz + rows + 1) + rows * roof_dtype_bytes(t->compute);
  w->write_bytes = rows * roof_dtype_bytes(t->output);
  w->working_set = w->read_bytes + w->write_bytes;
}

static roof_status check_stored(const roof_op *op, const double *v, roof_error *error) {
  return v[1] <= v[0] * v[0]
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "%s: nnz=%.0f is more than the %.0f elements of A",
                              op->name, v[1], v[0] * v[0]);
}

static void stencil3d(const roof_op *op, const double *v, const roof_types *t, roof_work *w) {
  map_work(op, v[0] * v[1] * v[2], 1, t, w);
}

static const roof_op ops[] = {
    {.name = "spmv",
     .family = "sparse",
     .summary = "y = A x, A square and sparse (CSR, 4-byte indices), x read once",
     .unit = ROOF_VECTOR,
     .flops = "2 * nnz",
     .bytes = "nnz * (w + 4) + (rows + 1) * 4 + rows * (a + o)",
     .flops_per_element = NAN,
     .source = "Williams et al. 2009, CSR; an FMA is 2 FLOP; perfect reuse of x",
     .work = spmv,
     .check = check_stored,
     .params = PARAMS(COUNT("rows", "rows and columns of A"), COUNT("nnz", "stored elements of A"))},
    {.name = "stencil3d",
     .family = "sparse",
     .summary = "7-point stencil: each point from itself and its six neighbours",
     .unit = ROOF_VECTOR,
     .flops = "8 * nx * ny * nz",
     .bytes = "nx * ny * nz * (a + o)",
     .flops_per_element = 8,
     .source = "Datta et al. 2008, 7-point heat equation: 6 adds, 2 multiplies; planes stay in cache",
     .work = stencil3d,
     .params =
         PARAMS(COUNT("nx", "points along x"), COUNT("ny", "points along y"), COUNT("nz", "points along z"))},
};

FAMILY(sparse);
