/* Matrix times vector: y = A x, A of m rows and n columns in row order; each thread has some rows. */
#include <math.h>

#include "kernels/kernels.h"

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  double m = run->values[0], n = run->values[1];
  return rf_operands_prepare(run, m * n, n, m, 0, error);
}

/** The rows from `first` on that are computed together, fewer at the end. */
static void multiply_rows(const roof_kernel_run *run, size_t first) {
  const rf_operands *o = run->state;
  size_t m = (size_t)run->values[0], n = (size_t)run->values[1];
  const void *a = rf_element(run, o->in[0], first * n);
  double results[RF_DOTS];
  size_t rows = m - first < RF_DOTS ? m - first : RF_DOTS;
  if (rows == RF_DOTS) {
    o->loops->dots[o->stream](a, n, o->in[1], n, results);
  } else {
    for (size_t i = 0; i < rows; i++) {
      results[i] = o->loops->dot[o->stream](rf_element(run, a, i * n), o->in[1], n);
    }
  }
  for (size_t i = 0; i < rows; i++) {
    rf_data_set(o->out, run->dtype, first + i, results[i]);
  }
}

static void multiply_part(const roof_kernel_run *run, int thread, int threads) {
  size_t m = (size_t)run->values[0];
  rf_share share = rf_share_rows((m + RF_DOTS - 1) / RF_DOTS, thread, threads);
  for (size_t i = share.begin; i < share.end; i++) {
    multiply_rows(run, i * RF_DOTS);
  }
}

static void execute(roof_kernel_run *run) {
  rf_kernel_in_parts(run, multiply_part);
}

static void algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  (void)cores;
  out->rows = run->values[0];
}

static double reference(const roof_kernel_run *run, size_t row, double *tolerance) {
  const rf_operands *o = run->state;
  size_t n = (size_t)run->values[1];
  double total = 0, magnitude = 0;
  for (size_t j = 0; j < n; j++) {
    double product = rf_data_at(o->in[0], run->dtype, row * n + j) * rf_data_at(o->in[1], run->dtype, j);
    total += product;
    magnitude += fabs(product);
  }
  *tolerance = 64 * rf_kernel_epsilon(run->dtype) * magnitude;
  return total;
}

static roof_status check(roof_kernel_run *run, roof_error *error) {
  return rf_kernel_compare(run, (size_t)run->values[0], 256, reference, error);
}

static const roof_kernel kernels[] = {
    {.name = "gemv",
     .op = "gemv",
     .variant = "",
     .summary = "y = A x, some dot products at a time",
     .sizes = "m=16384 n=24576",
     .quick_sizes = "m=16384 n=12288",
     .in_loop = true,
     RF_NATIVE,
     .algorithm = algorithm,
     .prepare = prepare,
     .execute = execute,
     .check = check},
};

const rf_kernel_family rf_kernels_gemv = {kernels, sizeof kernels / sizeof kernels[0]};
