/* Vectors: triad a = b + s c, axpy y += a x, dot x.y. Every element is checked. */
#include <math.h>
#include <omp.h>

#include "kernels/kernels.h"

static const double scalar = 0.75;
enum { INITIAL_Y = 3 };

static size_t length(const roof_kernel_run *run) {
  return (size_t)run->values[0];
}

/** The pointer to element `index` of a run's vector. */
static void *at(const roof_kernel_run *run, void *data, size_t index) {
  return (char *)data + index * (size_t)roof_dtype_bytes(run->dtype);
}

/** The least index whose output differs from `reference` by more than its tolerance, or the length. */
static size_t first_wrong(const roof_kernel_run *run,
                          double (*reference)(const roof_kernel_run *run, size_t i, double *tolerance)) {
  const roof_operands *o = run->state;
  size_t wrong = length(run);
#pragma omp parallel num_threads(run->threads) reduction(min : wrong)
  {
    roof_share share = roof_share_of(length(run), omp_get_thread_num(), omp_get_num_threads());
    for (size_t i = share.end; i-- > share.begin;) {
      double tolerance = 0, expected = reference(run, i, &tolerance);
      if (!(fabs(roof_data_at(o->out, run->dtype, i) - expected) <= tolerance)) {
        wrong = i;
      }
    }
  }
  return wrong;
}

static roof_status compare(roof_kernel_run *run,
                           double (*reference)(const roof_kernel_run *run, size_t i, double *tolerance),
                           roof_error *error) {
  const roof_operands *o = run->state;
  size_t wrong = first_wrong(run, reference);
  if (wrong == length(run)) {
    return ROOF_OK;
  }
  double tolerance = 0, expected = reference(run, wrong, &tolerance);
  return roof_kernel_wrong(run, wrong, roof_data_at(o->out, run->dtype, wrong), expected, tolerance, error);
}

static roof_status triad_prepare(roof_kernel_run *run, roof_error *error) {
  double n = run->values[0];
  return roof_operands_prepare(run, n, n, n, 0, error);
}

static void triad_execute(roof_kernel_run *run) {
  const roof_operands *o = run->state;
#pragma omp parallel num_threads(run->threads)
  {
    roof_share share = roof_share_of(length(run), omp_get_thread_num(), omp_get_num_threads());
    o->loops->triad[o->stream](at(run, o->out, share.begin), at(run, o->in[0], share.begin),
                               at(run, o->in[1], share.begin), scalar, share.end - share.begin);
  }
}

/** One rounding when fused, two when not: at most 2 epsilon of the terms. */
static double triad_reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const roof_operands *o = run->state;
  double b = roof_data_at(o->in[0], run->dtype, i), c = roof_data_at(o->in[1], run->dtype, i);
  *tolerance = 2 * roof_kernel_epsilon(run->dtype) * (fabs(b) + fabs(scalar * c));
  return b + scalar * c;
}

static roof_status triad_check(roof_kernel_run *run, roof_error *error) {
  return compare(run, triad_reference, error);
}

static roof_status axpy_prepare(roof_kernel_run *run, roof_error *error) {
  double n = run->values[0];
  roof_status status = roof_operands_prepare(run, n, 0, n, 0, error);
  if (status == ROOF_OK) {
    const roof_operands *o = run->state;
    roof_data_fill(o->out, run->dtype, length(run), INITIAL_Y, run->threads);
  }
  return status;
}

static void axpy_execute(roof_kernel_run *run) {
  const roof_operands *o = run->state;
#pragma omp parallel num_threads(run->threads)
  {
    roof_share share = roof_share_of(length(run), omp_get_thread_num(), omp_get_num_threads());
    o->loops->axpy[o->stream](scalar, at(run, o->in[0], share.begin), at(run, o->out, share.begin),
                              share.end - share.begin);
  }
}

static double axpy_reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const roof_operands *o = run->state;
  double x = roof_data_at(o->in[0], run->dtype, i), y = roof_random_at(INITIAL_Y, i);
  y = run->dtype == ROOF_FP64 ? y : (double)(float)y;
  *tolerance = 2 * roof_kernel_epsilon(run->dtype) * (fabs(y) + fabs(scalar * x));
  return y + scalar * x;
}

static roof_status axpy_check(roof_kernel_run *run, roof_error *error) {
  return compare(run, axpy_reference, error);
}

static roof_status dot_prepare(roof_kernel_run *run, roof_error *error) {
  double n = run->values[0];
  return roof_operands_prepare(run, n, n, 1, 0, error);
}

static void dot_execute(roof_kernel_run *run) {
  const roof_operands *o = run->state;
  double total = 0;
#pragma omp parallel num_threads(run->threads) reduction(+ : total)
  {
    roof_share share = roof_share_of(length(run), omp_get_thread_num(), omp_get_num_threads());
    total = o->loops->dot[o->stream](at(run, o->in[0], share.begin), at(run, o->in[1], share.begin),
                                     share.end - share.begin);
  }
  if (run->dtype == ROOF_FP64) {
    *(double *)o->out = total;
  } else {
    *(float *)o->out = (float)total;
  }
}

/** Partial sums of 4096 products: their rounding is bounded by 64 epsilon of the sum of magnitudes (observed
 * under 1). */
static roof_status dot_check(roof_kernel_run *run, roof_error *error) {
  const roof_operands *o = run->state;
  double total = 0, magnitude = 0;
#pragma omp parallel num_threads(run->threads) reduction(+ : total, magnitude)
  {
    roof_share share = roof_share_of(length(run), omp_get_thread_num(), omp_get_num_threads());
    for (size_t i = share.begin; i < share.end; i++) {
      double product = roof_data_at(o->in[0], run->dtype, i) * roof_data_at(o->in[1], run->dtype, i);
      total += product;
      magnitude += fabs(product);
    }
  }
  double value = roof_data_at(o->out, run->dtype, 0);
  double tolerance = 64 * roof_kernel_epsilon(run->dtype) * magnitude;
  return fabs(value - total) <= tolerance ? ROOF_OK
                                          : roof_kernel_wrong(run, 0, value, total, tolerance, error);
}

static const roof_kernel kernels[] = {
    {.name = "triad",
     .op = "triad",
     .variant = "",
     .summary = "a = b + s c, stored past the caches when they are too small for it",
     .sizes = "n=134217728",
     .quick_sizes = "n=67108864",
     .in_loop = true,
     .supports = roof_kernel_is_native,
     .prepare = triad_prepare,
     .execute = triad_execute,
     .check = triad_check,
     .release = roof_operands_release},
    {.name = "axpy",
     .op = "axpy",
     .variant = "",
     .summary = "y = y + a x",
     .sizes = "n=201326592",
     .quick_sizes = "n=100663296",
     .in_loop = true,
     .supports = roof_kernel_is_native,
     .prepare = axpy_prepare,
     .execute = axpy_execute,
     .check = axpy_check,
     .release = roof_operands_release},
    {.name = "dot",
     .op = "dot",
     .variant = "",
     .summary = "sum of x y",
     .sizes = "n=201326592",
     .quick_sizes = "n=100663296",
     .in_loop = true,
     .supports = roof_kernel_is_native,
     .prepare = dot_prepare,
     .execute = dot_execute,
     .check = dot_check,
     .release = roof_operands_release},
};

const roof_kernel_family roof_kernels_stream = {kernels, sizeof kernels / sizeof kernels[0]};
