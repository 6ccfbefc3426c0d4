/* BLAS 1: vectors updated, and sums over vectors. */
#include <math.h>
#include <omp.h>

#include "kernels/_map.h"

static const double factor = 0.75;

/* Repeated, -1 leaves the magnitude as it is; any other factor ends in zeros or infinities. */
static void scal_part(const rf_operands *o, const void *a, const void *b, void *out, size_t count) {
  (void)a;
  (void)b;
  o->loops->scale[0](out, out, -1, count);
}

static double scal_reference(double a, double x, double *magnitude) {
  (void)a;
  (void)magnitude;
  return -x;
}

static void axpy_part(const rf_operands *o, const void *x, const void *b, void *y, size_t count) {
  (void)b;
  o->loops->axpy[o->stream](factor, x, y, count);
}

/** One rounding when fused, two when not. */
static double axpy_reference(double x, double y, double *magnitude) {
  *magnitude = fabs(y) + fabs(factor * x);
  return y + factor * x;
}

static const rf_map scal = {0, true, scal_part, scal_reference, 0};
static const rf_map axpy = {1, true, axpy_part, axpy_reference, 2};

/** A sum over vectors, the `detail` of its row. */
typedef struct sum {
  int inputs;
  double (*part)(const rf_operands *operands, const void *x, const void *y, size_t count);
  double (*term)(double x, double y);
  double (*finish)(double total); /**< NULL: the sum is the result */
} sum;

static double dot_part(const rf_operands *o, const void *x, const void *y, size_t count) {
  return o->loops->dot[o->stream](x, y, count);
}

static double dot_term(double x, double y) {
  return x * y;
}

static double nrm2_part(const rf_operands *o, const void *x, const void *y, size_t count) {
  (void)y;
  return o->loops->dot[o->stream](x, x, count);
}

static double nrm2_term(double x, double y) {
  (void)y;
  return x * x;
}

static double asum_part(const rf_operands *o, const void *x, const void *y, size_t count) {
  (void)y;
  return o->loops->asum[o->stream](x, count);
}

static double asum_term(double x, double y) {
  (void)y;
  return fabs(x);
}

static double reduce_part(const rf_operands *o, const void *x, const void *y, size_t count) {
  (void)y;
  return o->loops->sum[o->stream](x, count);
}

static double reduce_term(double x, double y) {
  (void)y;
  return x;
}

static const sum dot = {2, dot_part, dot_term, NULL};
static const sum nrm2 = {1, nrm2_part, nrm2_term, sqrt};
static const sum asum = {1, asum_part, asum_term, NULL};
static const sum reduce = {1, reduce_part, reduce_term, NULL};

static roof_status sum_prepare(roof_kernel_run *run, roof_error *error) {
  const sum *s = run->kernel->detail;
  double n = run->values[0];
  return rf_operands_prepare(run, n, s->inputs > 1 ? n : 0, 1, 0, error);
}

/** The sum of a thread's terms joins those of the others in *run->state. */
static void sum_part(const roof_kernel_run *run, int thread, int threads) {
  const sum *s = run->kernel->detail;
  rf_operands *o = run->state;
  rf_share share = rf_share_of((size_t)run->values[0], thread, threads);
  double part = s->part(o, rf_element(run, o->in[0], share.begin), rf_element(run, o->in[1], share.begin),
                        share.end - share.begin);
#pragma omp atomic
  o->total += part;
}

static void sum_execute(roof_kernel_run *run) {
  const sum *s = run->kernel->detail;
  rf_operands *o = run->state;
  o->total = 0;
  rf_kernel_in_parts(run, sum_part);
  double total = o->total;
  rf_data_set(o->out, run->dtype, 0, s->finish != NULL ? s->finish(total) : total);
}

/** The sum of a share of the terms, and of their magnitudes. */
static void sum_share(const roof_kernel_run *run, rf_share share, double *total, double *magnitude) {
  const sum *s = run->kernel->detail;
  const rf_operands *o = run->state;
  rf_total exact = {0};
  for (size_t i = share.begin; i < share.end; i++) {
    double y = s->inputs > 1 ? rf_data_at(o->in[1], run->dtype, i) : 0;
    double term = s->term(rf_data_at(o->in[0], run->dtype, i), y);
    rf_total_add(&exact, term);
    *magnitude += fabs(term);
  }
  *total = exact.sum;
}

/** Sums of 4096 terms, whose rounding is bounded by 64 epsilon of the magnitudes (observed under 1), are
 * added one after another: an error that grows as the square root of their number. */
static roof_status sum_check(roof_kernel_run *run, roof_error *error) {
  const sum *s = run->kernel->detail;
  double total = 0, magnitude = 0, n = run->values[0];
#pragma omp parallel num_threads(rf_kernel_setup_threads(run)) reduction(+ : total, magnitude)
  sum_share(run, rf_share_of((size_t)n, omp_get_thread_num(), omp_get_num_threads()), &total, &magnitude);
  double value = rf_data_at(((const rf_operands *)run->state)->out, run->dtype, 0);
  double expected = s->finish != NULL ? s->finish(total) : total;
  double tolerance = (64 * rf_kernel_epsilon(run->dtype) + sqrt(n / 4096) * 0x1p-52) *
                     (s->finish != NULL ? s->finish(magnitude) : magnitude);
  return fabs(value - expected) <= tolerance ? ROOF_OK
                                             : rf_kernel_wrong(run, 0, value, expected, tolerance, error);
}

#define SUM(row) RF_NATIVE, .detail = row, .prepare = sum_prepare, .execute = sum_execute, .check = sum_check

static const roof_kernel kernels[] = {
    {.name = "scal",
     .op = "scal",
     .variant = "",
     .summary = "x = a x in place",
     .sizes = "n=402653184",
     .quick_sizes = "n=201326592",
     RF_MAP(&scal)},
    {.name = "axpy",
     .op = "axpy",
     .variant = "",
     .summary = "y = y + a x",
     .sizes = "n=201326592",
     .quick_sizes = "n=100663296",
     .in_loop = true,
     RF_MAP(&axpy)},
    {.name = "dot",
     .op = "dot",
     .variant = "",
     .summary = "sum of x y",
     .sizes = "n=201326592",
     .quick_sizes = "n=100663296",
     .in_loop = true,
     SUM(&dot)},
    {.name = "nrm2",
     .op = "nrm2",
     .variant = "",
     .summary = "square root of the sum of squares",
     .sizes = "n=402653184",
     .quick_sizes = "n=201326592",
     SUM(&nrm2)},
    {.name = "asum",
     .op = "asum",
     .variant = "",
     .summary = "sum of magnitudes",
     .sizes = "n=402653184",
     .quick_sizes = "n=201326592",
     SUM(&asum)},
    {.name = "reduce",
     .op = "reduce",
     .variant = "",
     .summary = "sum of elements",
     .sizes = "n=402653184",
     .quick_sizes = "n=201326592",
     SUM(&reduce)},
};

const rf_kernel_family rf_kernels_blas1 = {kernels, sizeof kernels / sizeof kernels[0]};
