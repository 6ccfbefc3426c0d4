/* A sparse matrix times a vector, and a stencil. */
#include <math.h>

#include "host/memory.h"
#include "kernels/kernels.h"

/* y = A x in compressed sparse rows: in[0] the elements of A, in[1] x; `scratch` holds where each row begins,
 * then the column of each element. Columns are random in a band about the diagonal, so that x is read from
 * memory once. */
enum { BAND = 8192 };

static const uint32_t *row_starts(const roof_kernel_run *run) {
  return ((const rf_operands *)run->state)->scratch;
}

static const uint32_t *columns_of(const roof_kernel_run *run) {
  return row_starts(run) + (size_t)run->values[0] + 1;
}

/** Increasing columns of one row, each random in its part of the band. */
static void place_row(uint32_t *columns, size_t row, size_t rows, size_t count, size_t first) {
  size_t band = rows < BAND ? rows : BAND, low = row < band / 2 ? 0 : row - band / 2;
  low = low + band > rows ? rows - band : low;
  for (size_t i = 0; i < count; i++) {
    double at = ((double)i + (1 + rf_random_at(5, first + i)) / 2) / (double)count;
    size_t column = low + (size_t)(at * (double)band);
    columns[i] = (uint32_t)(column < rows ? column : rows - 1);
  }
}

static void build(roof_kernel_run *run) {
  size_t rows = (size_t)run->values[0], nnz = (size_t)run->values[1];
  uint32_t *starts = ((rf_operands *)run->state)->scratch, *columns = starts + rows + 1;
#pragma omp parallel for schedule(static) num_threads(run->threads)
  for (size_t i = 0; i < rows; i++) {
    size_t begin = nnz / rows * i + nnz % rows * i / rows;
    size_t end = nnz / rows * (i + 1) + nnz % rows * (i + 1) / rows;
    starts[i] = (uint32_t)begin;
    starts[i + 1] = (uint32_t)end;
    place_row(columns + begin, i, rows, end - begin, begin);
  }
}

static roof_status spmv_prepare(roof_kernel_run *run, roof_error *error) {
  double rows = run->values[0], nnz = run->values[1];
  if (rows > INT32_MAX || nnz > UINT32_MAX) { /* a gather takes columns as signed */
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: rows and nnz must fit 4-byte indices",
                          run->kernel->name);
  }
  roof_status status = rf_operands_prepare(run, nnz, rows, rows, (nnz + rows + 1) * sizeof(uint32_t), error);
  if (status == ROOF_OK) {
    build(run);
  }
  return status;
}

static void spmv_part(const roof_kernel_run *run, int thread, int threads) {
  const rf_operands *o = run->state;
  rf_share share = rf_share_of((size_t)run->values[0], thread, threads);
  o->loops->spmv(row_starts(run) + share.begin, columns_of(run), o->in[0], o->in[1],
                 rf_element(run, o->out, share.begin), share.end - share.begin);
}

static void spmv_execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, spmv_part);
}

static double spmv_reference(const roof_kernel_run *run, size_t row, double *tolerance) {
  const rf_operands *o = run->state;
  const uint32_t *starts = row_starts(run), *columns = columns_of(run);
  double total = 0, magnitude = 0;
  for (size_t p = starts[row]; p < starts[row + 1]; p++) {
    double product = rf_data_at(o->in[0], run->dtype, p) * rf_data_at(o->in[1], run->dtype, columns[p]);
    total += product;
    magnitude += fabs(product);
  }
  *tolerance = (2 + (double)(starts[row + 1] - starts[row])) * rf_kernel_epsilon(run->dtype) * magnitude;
  return total;
}

static roof_status spmv_check(roof_kernel_run *run, roof_error *error) {
  size_t rows = (size_t)run->values[0];
  return rf_kernel_compare(run, rows, rows, spmv_reference, error);
}

/* The 7-point stencil of the heat equation: the input has one layer of points more on each side. */
static const double centre = 0.4, side = 0.1;

/** Points along x, y and z with the layers on both sides. */
static void padded(const roof_kernel_run *run, size_t sides[3]) {
  for (int i = 0; i < 3; i++) {
    sides[i] = (size_t)run->values[i] + 2;
  }
}

static roof_status stencil_prepare(roof_kernel_run *run, roof_error *error) {
  const double *v = run->values;
  return rf_operands_prepare(run, (v[0] + 2) * (v[1] + 2) * (v[2] + 2), 0, v[0] * v[1] * v[2], 0, error);
}

static void stencil_row(const roof_kernel_run *run, size_t row) {
  const rf_operands *o = run->state;
  size_t sides[3], nx = (size_t)run->values[0], ny = (size_t)run->values[1];
  padded(run, sides);
  size_t in = ((row / ny + 1) * sides[1] + row % ny + 1) * sides[0] + 1;
  o->loops->stencil[o->stream](rf_element(run, o->out, row * nx), rf_element(run, o->in[0], in), sides[0],
                               sides[0] * sides[1], centre, side, nx);
}

/** Rows that a block takes along y: those of three planes stay in the second cache. */
static size_t stencil_height(const roof_kernel_run *run) {
  double row = (run->values[0] + 2) * roof_dtype_bytes(run->dtype);
  double rows = fmax(4, floor(rf_cache_bytes(2) / 4 / (3 * row)));
  return (size_t)fmin(rows, run->values[1]);
}

/** Blocks of rows from plane to plane, a share of the planes for each thread. */
static void stencil_part(const roof_kernel_run *run, int thread, int threads) {
  size_t ny = (size_t)run->values[1], nz = (size_t)run->values[2], height = stencil_height(run);
  rf_share share = rf_share_rows(ny * nz, thread, threads);
  for (size_t first = 0; first < ny; first += height) {
    for (size_t z = share.begin / ny; z * ny < share.end; z++) {
      for (size_t y = first; y < first + height && y < ny; y++) {
        if (z * ny + y >= share.begin && z * ny + y < share.end) {
          stencil_row(run, z * ny + y);
        }
      }
    }
  }
  ((const rf_operands *)run->state)->loops->fence();
}

static void stencil_execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, stencil_part);
}

static double stencil_reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const rf_operands *o = run->state;
  size_t sides[3], nx = (size_t)run->values[0], ny = (size_t)run->values[1];
  padded(run, sides);
  size_t at = ((i / nx / ny + 1) * sides[1] + i / nx % ny + 1) * sides[0] + i % nx + 1;
  size_t steps[3] = {1, sides[0], sides[0] * sides[1]};
  double middle = centre * rf_data_at(o->in[0], run->dtype, at), around = 0, magnitude = fabs(middle);
  for (int axis = 0; axis < 3; axis++) {
    double before = rf_data_at(o->in[0], run->dtype, at - steps[axis]);
    double after = rf_data_at(o->in[0], run->dtype, at + steps[axis]);
    around += before + after;
    magnitude += side * (fabs(before) + fabs(after));
  }
  *tolerance = 8 * rf_kernel_epsilon(run->dtype) * magnitude;
  return middle + side * around;
}

static roof_status stencil_check(roof_kernel_run *run, roof_error *error) {
  size_t count = (size_t)(run->values[0] * run->values[1] * run->values[2]);
  return rf_kernel_compare(run, count, count, stencil_reference, error);
}

static const roof_kernel kernels[] = {
    {.name = "spmv",
     .op = "spmv",
     .variant = "csr",
     .summary = "y = A x, A in compressed sparse rows with random columns in a band",
     .sizes = "rows=4194304 nnz=134217728",
     .quick_sizes = "rows=2097152 nnz=67108864",
     RF_NATIVE,
     .prepare = spmv_prepare,
     .execute = spmv_execute,
     .check = spmv_check},
    {.name = "stencil3d",
     .op = "stencil3d",
     .variant = "",
     .summary = "7 points; blocks of rows, of which three planes stay in the second cache",
     .sizes = "nx=512 ny=512 nz=768",
     .quick_sizes = "nx=512 ny=512 nz=384",
     RF_NATIVE,
     .prepare = stencil_prepare,
     .execute = stencil_execute,
     .check = stencil_check},
};

const rf_kernel_family rf_kernels_sparse = {kernels, sizeof kernels / sizeof kernels[0]};
