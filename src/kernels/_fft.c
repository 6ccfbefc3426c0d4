#include "kernels/_fft.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

void rf_fft_root(size_t index, size_t order, double *real, double *imaginary) {
  double angle = -2 * pi * (double)index / (double)order;
  *real = cos(angle);
  *imaginary = sin(angle);
}

/** Parts of points: those of one point `step` apart, real and imaginary ones `apart`. */
typedef struct parts {
  const void *data;
  roof_dtype dtype;
  size_t n, step, apart;
} parts;

static double part(const parts *x, size_t j, bool imaginary) {
  return rf_data_at(x->data, x->dtype, j * x->step + (imaginary ? x->apart : 0));
}

/** The sum that defines point k / 2: the root is exact at every 32nd point and multiplied on between. */
static double sum_of(const parts *x, size_t k, bool imaginary) {
  double step_r, step_i, root_r = 1, root_i = 0;
  rf_total total = {0};
  rf_fft_root(k, 2 * x->n, &step_r, &step_i);
  for (size_t j = 0; j < x->n; j++) {
    if (j % 32 == 0) {
      rf_fft_root(j * k % (2 * x->n), 2 * x->n, &root_r, &root_i);
    }
    double x_r = part(x, j, false), x_i = part(x, j, true);
    rf_total_add(&total, imaginary ? x_r * root_i + x_i * root_r : x_r * root_r - x_i * root_i);
    double next = root_r * step_r - root_i * step_i;
    root_i = root_r * step_i + root_i * step_r;
    root_r = next;
  }
  return total.sum;
}

/** The same of the transform of x for an odd k: a geometric series for each point of x, 2 / (1 - e^(-pi i (2 j + k) / n)). */
static double sum_of_transform(const parts *x, size_t k, bool imaginary) {
  rf_total total = {0};
  for (size_t j = 0; j < x->n; j++) {
    double turn = (double)((2 * j + k) % (2 * x->n)) / (double)x->n; /* an odd number / n, below 2 */
    double cotangent = 1 / tan(pi / 2 * (turn > 1 ? turn - 2 : turn));
    double x_r = part(x, j, false), x_i = part(x, j, true);
    rf_total_add(&total, imaginary ? x_i - x_r * cotangent : x_r + x_i * cotangent);
  }
  return total.sum;
}

/** The error of a transform grows as log2 n relative to its sum of n random numbers. */
static double tolerance_of(const roof_kernel_run *run) {
  double n = run->values[0];
  return 16 * (1 + log2(n)) * sqrt(n) * rf_kernel_epsilon(run->dtype);
}

static parts parts_of(const roof_kernel_run *run, const void *data, bool paired) {
  size_t n = (size_t)run->values[0];
  return (parts){data, run->dtype, n, paired ? 2 : 1, paired ? 1 : n};
}

static double apart_reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  parts x = parts_of(run, ((const rf_operands *)run->state)->in[0], false);
  *tolerance = tolerance_of(run);
  return sum_of(&x, 2 * (i % x.n), i >= x.n);
}

static double paired_reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  parts x = parts_of(run, ((const rf_operands *)run->state)->in[0], true);
  *tolerance = tolerance_of(run);
  return sum_of(&x, i / 2 * 2, i % 2 == 1);
}

/** A sum that all results have a part in, each turned by a large angle against the one before: exchanged ones change it, too. */
static roof_status check_sum(const roof_kernel_run *run, bool paired, roof_error *error) {
  const rf_operands *o = run->state;
  parts x = parts_of(run, o->in[0], paired), y = parts_of(run, o->out, paired);
  size_t k = 2 * (x.n * 3 / 8) + 1;
  double tolerance = tolerance_of(run) * sqrt(run->values[0]);
  for (int imaginary = 0; imaginary < 2; imaginary++) {
    double sum = sum_of(&y, k, imaginary), expected = sum_of_transform(&x, k, imaginary);
    if (!(fabs(sum - expected) <= tolerance)) {
      return roof_error_set(
          error, ROOF_E_INTERNAL,
          "%s %s: wrong result: the sum of all points is %.17g, the reference %.17g, tolerance %.2g",
          run->kernel->name, roof_dtype_name(run->dtype), sum, expected, tolerance);
    }
  }
  return ROOF_OK;
}

roof_status rf_fft_check(roof_kernel_run *run, bool paired, roof_error *error) {
  double n = run->values[0];
  roof_status status = rf_kernel_compare(run, (size_t)(2 * n), (size_t)fmax(8, 1e6 / n),
                                         paired ? paired_reference : apart_reference, error);
  return status == ROOF_OK ? check_sum(run, paired, error) : status;
}
