#include "kernels/gemm/_gemm.h"

#include <math.h>

enum { M, N, K, BATCH, BETA };

rf_gemm_sizes rf_gemm_shape(const roof_kernel_run *run) {
  return (rf_gemm_sizes){(size_t)run->values[M], (size_t)run->values[N], (size_t)run->values[K]};
}

int rf_gemm_team(const roof_kernel_run *run) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  return roof_kernel_is_alone(run->kernel, 2.0 * (double)s.m * (double)s.n * (double)s.k) ? 1 : run->threads;
}

roof_status rf_gemm_single(const roof_kernel_run *run, roof_error *error) {
  return run->values[BATCH] == 1 && run->values[BETA] == 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "%s: computes one product C = A B: use batch=1 and beta=0", run->kernel->name);
}

roof_status rf_gemm_prepare(roof_kernel_run *run, double scratch, roof_error *error) {
  const double *v = run->values;
  roof_status status = rf_gemm_single(run, error);
  return status == ROOF_OK ? rf_operands_prepare(run, v[M] * v[K], v[K] * v[N], v[M] * v[N], scratch, error)
                           : status;
}

roof_status rf_gemm_prepare_plain(roof_kernel_run *run, roof_error *error) {
  return rf_gemm_prepare(run, 0, error);
}

/* Their sums deviate by 127^2 sqrt(k) / 3: the limits of int8 are 9 deviations away, so that none is -128,
 * which marks it as not written. */
double rf_gemm_int8_scale(const roof_kernel_run *run) {
  return 1 / (3 * 127 * sqrt((double)rf_gemm_shape(run).k));
}

/** All |a|, |b| <= 1: a sum of k products is off by less than k epsilon. bf16: sums in fp32, rounded to 8
 * bits once. int8: exact, but for the scale in fp32 and the rounding to whole numbers. */
static double reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const rf_operands *o = run->state;
  rf_gemm_sizes s = rf_gemm_shape(run);
  double total = 0, magnitude = 0;
  for (size_t q = 0; q < s.k; q++) {
    double product = rf_data_at(o->in[0], run->dtype, i / s.n * s.k + q) *
                     rf_data_at(o->in[1], run->dtype, q * s.n + i % s.n);
    total += product;
    magnitude += fabs(product);
  }
  if (run->dtype == ROOF_INT8) {
    *tolerance = 0.5 + INT8_MAX * 0x1p-22;
    return fmax(-INT8_MAX, fmin(INT8_MAX, rf_gemm_int8_scale(run) * total));
  }
  *tolerance = rf_kernel_is_native(run->dtype)
                   ? (double)(s.k + 1) * rf_kernel_epsilon(run->dtype)
                   : 0x1p-8 * fabs(total) + (2 + sqrt((double)s.k)) * 0x1p-23 * magnitude;
  return total;
}

roof_status rf_gemm_check(roof_kernel_run *run, roof_error *error) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  return rf_kernel_compare(run, s.m * s.n, 4096, reference, error);
}
