/* Softmax of each row: e^(x - maximum) / their sum; a row stays in the cache between its passes. */
#include <math.h>

#include "kernels/kernels.h"

/** Bytes of one row, rounded up so that the threads' scratch rows share no cache line. */
static size_t scratch_bytes(const roof_kernel_run *run) {
  size_t bytes = (size_t)run->values[1] * (size_t)roof_dtype_bytes(run->dtype);
  return (bytes + 255) / 256 * 256;
}

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  double elements = run->values[0] * run->values[1];
  double scratch = (run->values[1] * roof_dtype_bytes(run->dtype) + 256) * run->threads;
  return rf_operands_prepare(run, elements, 0, elements, scratch, error);
}

static void rows_part(const roof_kernel_run *run, int thread, int threads) {
  const rf_operands *o = run->state;
  size_t columns = (size_t)run->values[1];
  rf_share rows = rf_share_rows((size_t)run->values[0], thread, threads);
  if (rows.begin < rows.end) {
    o->loops->softmax[o->stream](
        rf_element(run, o->in[0], rows.begin * columns), rf_element(run, o->out, rows.begin * columns),
        (char *)o->scratch + (size_t)thread * scratch_bytes(run), rows.end - rows.begin, columns);
  }
  o->loops->fence();
}

static void execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, rows_part);
}

/* The maximum, the difference to it, the sum and the scaling; read, read, stored, read and stored, in one loop. */
static void algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  (void)cores;
  rf_exponentials_algorithm(run, run->values[0] * run->values[1], 4, 5, run->values[0], out);
}

/** Compares one row: `columns` roundings in the sum, 4 in exp and the scaling. */
static roof_status check_row(roof_kernel_run *run, size_t row, roof_error *error) {
  const rf_operands *o = run->state;
  size_t columns = (size_t)run->values[1], first = row * columns;
  double maximum = -INFINITY, total = 0;
  for (size_t j = 0; j < columns; j++) {
    maximum = fmax(maximum, rf_data_at(o->in[0], run->dtype, first + j));
  }
  for (size_t j = 0; j < columns; j++) {
    total += exp(rf_data_at(o->in[0], run->dtype, first + j) - maximum);
  }
  double relative = (4 + sqrt((double)columns)) * 2 * rf_kernel_epsilon(run->dtype);
  for (size_t j = 0; j < columns; j++) {
    double expected = exp(rf_data_at(o->in[0], run->dtype, first + j) - maximum) / total;
    double value = rf_data_at(o->out, run->dtype, first + j);
    if (!(fabs(value - expected) <= relative * expected)) {
      return rf_kernel_wrong(run, first + j, value, expected, relative * expected, error);
    }
  }
  return ROOF_OK;
}

/** Every row must sum to 1; 64 rows spread over the matrix are compared element by element (all when there
 * are fewer). */
static roof_status check(roof_kernel_run *run, roof_error *error) {
  const rf_operands *o = run->state;
  size_t rows = (size_t)run->values[0], columns = (size_t)run->values[1], step = rows / 64 + 1;
  double tolerance = (4 + sqrt((double)columns)) * 2 * rf_kernel_epsilon(run->dtype);
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < rows && status == ROOF_OK; i += step) {
    status = check_row(run, i, error);
  }
  size_t wrong = rows;
#pragma omp parallel for schedule(static) num_threads(rf_kernel_setup_threads(run)) reduction(min : wrong)
  for (size_t i = 0; i < rows; i++) {
    double total = 0;
    for (size_t j = 0; j < columns; j++) {
      total += rf_data_at(o->out, run->dtype, i * columns + j);
    }
    if (!(fabs(total - 1) <= tolerance) && i < wrong) {
      wrong = i;
    }
  }
  if (status == ROOF_OK && wrong < rows) {
    double value = rf_data_at(o->out, run->dtype, wrong * columns);
    status = rf_kernel_wrong(run, wrong * columns, value, NAN, tolerance, error);
  }
  return status;
}

static const roof_kernel kernels[] = {
    {.name = "softmax",
     .op = "softmax",
     .variant = "",
     .summary = "softmax of each row, its exponentials kept in the cache",
     .sizes = "rows=49152 cols=4096",
     .quick_sizes = "rows=24576 cols=4096",
     .in_loop = true,
     RF_NATIVE,
     .algorithm = algorithm,
     .prepare = prepare,
     .execute = execute,
     .check = check},
};

const rf_kernel_family rf_kernels_softmax = {kernels, sizeof kernels / sizeof kernels[0]};
