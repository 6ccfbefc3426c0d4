/* Matrix times vector: y = A x, A of m rows and n columns in row order; each thread has some rows. */
#include <math.h>
#include <omp.h>

#include "kernels/kernels.h"

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  double m = run->values[0], n = run->values[1];
  return roof_operands_prepare(run, m * n, n, m, 0, error);
}

static void store(const roof_kernel_run *run, size_t row, double value) {
  const roof_operands *o = run->state;
  if (run->dtype == ROOF_FP64) {
    ((double *)o->out)[row] = value;
  } else {
    ((float *)o->out)[row] = (float)value;
  }
}

/** The rows from `first` on that are computed together, fewer at the end. */
static void multiply_rows(const roof_kernel_run *run, size_t first) {
  const roof_operands *o = run->state;
  size_t m = (size_t)run->values[0], n = (size_t)run->values[1];
  size_t row_bytes = n * (size_t)roof_dtype_bytes(run->dtype);
  const char *a = (const char *)o->in[0] + first * row_bytes;
  double results[ROOF_DOTS];
  size_t rows = m - first < ROOF_DOTS ? m - first : ROOF_DOTS;
  if (rows == ROOF_DOTS) {
    o->loops->dots[o->stream](a, n, o->in[1], n, results);
  } else {
    for (size_t i = 0; i < rows; i++) {
      results[i] = o->loops->dot[o->stream](a + i * row_bytes, o->in[1], n);
    }
  }
  for (size_t i = 0; i < rows; i++) {
    store(run, first + i, results[i]);
  }
}

static void execute(roof_kernel_run *run) {
  size_t m = (size_t)run->values[0];
#pragma omp parallel for schedule(static) num_threads(run->threads)
  for (size_t i = 0; i < m; i += ROOF_DOTS) {
    multiply_rows(run, i);
  }
}

static double reference(const roof_kernel_run *run, size_t row, double *tolerance) {
  const roof_operands *o = run->state;
  size_t n = (size_t)run->values[1];
  double total = 0, magnitude = 0;
  for (size_t j = 0; j < n; j++) {
    double product = roof_data_at(o->in[0], run->dtype, row * n + j) * roof_data_at(o->in[1], run->dtype, j);
    total += product;
    magnitude += fabs(product);
  }
  *tolerance = 64 * roof_kernel_epsilon(run->dtype) * magnitude;
  return total;
}

/** Every element must be a number; 256 rows spread over the matrix are compared (all when there are fewer).
 */
static roof_status check(roof_kernel_run *run, roof_error *error) {
  const roof_operands *o = run->state;
  size_t m = (size_t)run->values[0], step = m / 256 + 1;
  for (size_t i = 0; i < m; i++) {
    double value = roof_data_at(o->out, run->dtype, i), tolerance = INFINITY;
    double expected = i % step == 0 || i + 1 == m ? reference(run, i, &tolerance) : 0;
    if (!(fabs(value - expected) <= tolerance)) {
      return roof_kernel_wrong(run, i, value, expected, tolerance, error);
    }
  }
  return ROOF_OK;
}

static const roof_kernel kernels[] = {
    {.name = "gemv",
     .op = "gemv",
     .variant = "",
     .summary = "y = A x, some dot products at a time",
     .sizes = "m=16384 n=24576",
     .quick_sizes = "m=16384 n=12288",
     .in_loop = true,
     .supports = roof_kernel_is_native,
     .prepare = prepare,
     .execute = execute,
     .check = check,
     .release = roof_operands_release},
};

const roof_kernel_family roof_kernels_gemv = {kernels, sizeof kernels / sizeof kernels[0]};
