/* Rows normalised; a row stays in the cache between its passes. Gain and shift follow each other in in[1]. */
#include <math.h>

#include "kernels/kernels.h"

/** The `detail` of a row: whether the mean is taken out and a shift added. */
static const bool centred = true, plain = false;

static bool is_centred(const roof_kernel_run *run) {
  return *(const bool *)run->kernel->detail;
}

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  double rows = run->values[0], columns = run->values[1];
  return rf_operands_prepare(run, rows * columns, (is_centred(run) ? 2 : 1) * columns, rows * columns, 0,
                             error);
}

static void normalise(const roof_kernel_run *run, size_t begin, size_t end) {
  const rf_operands *o = run->state;
  size_t columns = (size_t)run->values[1];
  const void *x = rf_element(run, o->in[0], begin * columns);
  void *y = rf_element(run, o->out, begin * columns);
  if (is_centred(run)) {
    o->loops->layernorm[o->stream](x, y, o->in[1], rf_element(run, o->in[1], columns), end - begin, columns);
  } else {
    o->loops->rmsnorm[o->stream](x, y, o->in[1], end - begin, columns);
  }
}

static void rows_part(const roof_kernel_run *run, int thread, int threads) {
  rf_share rows = rf_share_rows((size_t)run->values[0], thread, threads);
  if (rows.begin < rows.end) {
    normalise(run, rows.begin, rows.end);
  }
  ((const rf_operands *)run->state)->loops->fence();
}

static void execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, rows_part);
}

/** Sums of `columns` terms, a square root, a division and three more roundings. */
static double reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const rf_operands *o = run->state;
  size_t columns = (size_t)run->values[1], column = i % columns, first = i - column;
  double mean = 0, square = 0;
  for (size_t j = 0; j < columns && is_centred(run); j++) {
    mean += rf_data_at(o->in[0], run->dtype, first + j);
  }
  mean /= (double)columns;
  for (size_t j = 0; j < columns; j++) {
    double x = rf_data_at(o->in[0], run->dtype, first + j) - mean;
    square += x * x;
  }
  double factor = rf_data_at(o->in[1], run->dtype, column) / sqrt(square / (double)columns + RF_NORM_EPSILON);
  double shift = is_centred(run) ? rf_data_at(o->in[1], run->dtype, columns + column) : 0;
  double x = rf_data_at(o->in[0], run->dtype, i);
  *tolerance = (8 + sqrt((double)columns)) * rf_kernel_epsilon(run->dtype) *
               ((fabs(x) + fabs(mean)) * fabs(factor) + fabs(shift));
  return (x - mean) * factor + shift;
}

static roof_status check(roof_kernel_run *run, roof_error *error) {
  return rf_kernel_compare(run, (size_t)(run->values[0] * run->values[1]), 4096, reference, error);
}

/* x once or twice for its moments and once more to scale it, while the next row is added up; the gain, the shift, the result. */
static void algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  (void)cores;
  double rows = run->values[0], bytes = rows * run->values[1] * roof_dtype_bytes(run->dtype);
  out->level_bytes[ROOF_L1] = bytes * (is_centred(run) ? 6 : 4);
  out->rows = rows * (is_centred(run) ? 2 : 1);
}

static const roof_kernel kernels[] = {
    {.name = "layernorm",
     .op = "layernorm",
     .variant = "",
     .summary = "each row: (x - mean) / deviation, scaled and shifted",
     .sizes = "rows=49152 cols=4096",
     .quick_sizes = "rows=24576 cols=4096",
     RF_NATIVE,
     .detail = &centred,
     .algorithm = algorithm,
     .prepare = prepare,
     .execute = execute,
     .check = check},
    {.name = "rmsnorm",
     .op = "rmsnorm",
     .variant = "",
     .summary = "each row: x / root mean square, scaled",
     .sizes = "rows=49152 cols=4096",
     .quick_sizes = "rows=24576 cols=4096",
     RF_NATIVE,
     .detail = &plain,
     .algorithm = algorithm,
     .prepare = prepare,
     .execute = execute,
     .check = check},
};

const rf_kernel_family rf_kernels_norm = {kernels, sizeof kernels / sizeof kernels[0]};
