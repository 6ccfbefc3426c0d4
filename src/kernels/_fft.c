#include "kernels/_fft.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

void rf_fft_root(size_t index, size_t order, double *real, double *imaginary) {
  double angle = -2 * pi * (double)index / (double)order;
  *real = cos(angle);
  *imaginary = sin(angle);
}

/** The sum that defines point k: the root is exact at every 32nd point and multiplied on between. The error of a transform
 * grows as log2 n relative to its sum of n random numbers. */
static double sum_of(const roof_kernel_run *run, size_t k, bool imaginary, size_t step, size_t apart,
                     double *tolerance) {
  const rf_operands *o = run->state;
  size_t n = (size_t)run->values[0];
  double step_r, step_i, root_r = 1, root_i = 0;
  rf_total total = {0};
  rf_fft_root(k, n, &step_r, &step_i);
  for (size_t j = 0; j < n; j++) {
    if (j % 32 == 0) {
      rf_fft_root(j * k % n, n, &root_r, &root_i);
    }
    double x_r = rf_data_at(o->in[0], run->dtype, j * step),
           x_i = rf_data_at(o->in[0], run->dtype, j * step + apart);
    rf_total_add(&total, imaginary ? x_r * root_i + x_i * root_r : x_r * root_r - x_i * root_i);
    double next = root_r * step_r - root_i * step_i;
    root_i = root_r * step_i + root_i * step_r;
    root_r = next;
  }
  *tolerance = 16 * (1 + log2((double)n)) * sqrt((double)n) * rf_kernel_epsilon(run->dtype);
  return total.sum;
}

/** Parts that lie apart. */
static double apart_reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  size_t n = (size_t)run->values[0];
  return sum_of(run, i % n, i >= n, 1, n, tolerance);
}

/** Pairs of parts. */
static double paired_reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  return sum_of(run, i / 2, i % 2 == 1, 2, 1, tolerance);
}

roof_status rf_fft_check(roof_kernel_run *run, bool paired, roof_error *error) {
  double n = run->values[0];
  return rf_kernel_compare(run, (size_t)(2 * n), (size_t)fmax(8, 1e7 / n),
                           paired ? paired_reference : apart_reference, error);
}
