/* Matrices moved: A = A + x y', and B = A'. */
#include <math.h>
#include <omp.h>

#include "kernels/kernels.h"

static roof_status ger_prepare(roof_kernel_run *run, roof_error *error) {
  double m = run->values[0], n = run->values[1];
  roof_status status = rf_operands_prepare(run, m, n, m * n, 0, error);
  if (status == ROOF_OK) {
    rf_operands_start(run, (size_t)(m * n));
  }
  return status;
}

static void ger_execute(roof_kernel_run *run) {
  const rf_operands *o = run->state;
  size_t m = (size_t)run->values[0], n = (size_t)run->values[1];
#pragma omp parallel for schedule(static) num_threads(run->threads)
  for (size_t i = 0; i < m; i++) {
    o->loops->axpy[o->stream](rf_data_at(o->in[0], run->dtype, i), o->in[1], rf_element(run, o->out, i * n),
                              n);
  }
}

static void ger_algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  (void)cores;
  out->rows = run->values[0];
}

/** One rounding when fused, two when not. */
static double ger_reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const rf_operands *o = run->state;
  size_t n = (size_t)run->values[1];
  double product = rf_data_at(o->in[0], run->dtype, i / n) * rf_data_at(o->in[1], run->dtype, i % n);
  double a = rf_operands_started(run, i);
  *tolerance = 2 * rf_kernel_epsilon(run->dtype) * (fabs(a) + fabs(product));
  return a + product;
}

static size_t elements(const roof_kernel_run *run) {
  return (size_t)(run->values[0] * run->values[1]);
}

static roof_status ger_check(roof_kernel_run *run, roof_error *error) {
  return rf_kernel_compare(run, elements(run), elements(run), ger_reference, error);
}

static roof_status transpose_prepare(roof_kernel_run *run, roof_error *error) {
  double count = run->values[0] * run->values[1];
  return rf_operands_prepare(run, count, 0, count, 0, error);
}

/* Blocks of TALL rows and WIDE columns: read in rows, turned in the first cache, stored in rows. */
enum { TALL = 32, WIDE = 64, STEP = 16 };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/** The next block's rows from i on, fetched while this one is turned. */
static void fetch_rows(const roof_kernel_run *run, size_t i, size_t count, size_t first, size_t wide) {
  const rf_operands *o = run->state;
  for (size_t j = i; j < i + count; j++) {
    const char *row = rf_element(run, o->in[0], j * (size_t)run->values[1] + first);
    for (size_t byte = 0; byte < wide * (size_t)roof_dtype_bytes(run->dtype); byte += 64) {
      __builtin_prefetch(row + byte, 0, 2);
    }
  }
}

/** The rows of B from `first` on, WIDE of them. */
static void transpose_rows(const roof_kernel_run *run, size_t first) {
  const rf_operands *o = run->state;
  size_t rows = (size_t)run->values[0], columns = (size_t)run->values[1];
  size_t wide = smaller(WIDE, columns - first);
  _Alignas(64) double turned[WIDE * TALL];
  for (size_t i = 0; i < rows; i += TALL) {
    size_t tall = smaller(TALL, rows - i);
    for (size_t j = 0; j < tall; j += STEP) {
      fetch_rows(run, i + TALL + j, STEP, first, i + 2 * TALL <= rows ? wide : 0);
      o->loops->turn[0](rf_element(run, o->in[0], (i + j) * columns + first), columns,
                        smaller(STEP, tall - j), wide, rf_element(run, turned, j), TALL);
    }
    for (size_t j = 0; j < wide; j++) {
      o->loops->copy[o->stream](rf_element(run, o->out, (first + j) * rows + i),
                                rf_element(run, turned, j * TALL), tall);
    }
  }
}

static void transpose_execute(roof_kernel_run *run) {
  const rf_operands *o = run->state;
#pragma omp parallel num_threads(run->threads)
  {
#pragma omp for schedule(static) nowait
    for (size_t j = 0; j < (size_t)run->values[1]; j += WIDE) {
      transpose_rows(run, j);
    }
    o->loops->fence();
  }
}

static double transpose_reference(const roof_kernel_run *run, size_t i, double *tolerance) {
  const rf_operands *o = run->state;
  size_t rows = (size_t)run->values[0], columns = (size_t)run->values[1];
  *tolerance = 0;
  return rf_data_at(o->in[0], run->dtype, i % rows * columns + i / rows);
}

static roof_status transpose_check(roof_kernel_run *run, roof_error *error) {
  return rf_kernel_compare(run, elements(run), elements(run), transpose_reference, error);
}

static const roof_kernel kernels[] = {
    {.name = "ger",
     .op = "ger",
     .variant = "",
     .summary = "A = A + x y', one row at a time",
     .sizes = "m=16384 n=24576",
     .quick_sizes = "m=16384 n=12288",
     RF_NATIVE,
     .algorithm = ger_algorithm,
     .prepare = ger_prepare,
     .execute = ger_execute,
     .check = ger_check},
    {.name = "transpose",
     .op = "transpose",
     .variant = "",
     .summary = "B = A', in blocks turned in the cache",
     .sizes = "rows=16384 cols=12288",
     .quick_sizes = "rows=8192 cols=12288",
     RF_NATIVE,
     .prepare = transpose_prepare,
     .execute = transpose_execute,
     .check = transpose_check},
};

const rf_kernel_family rf_kernels_matrix = {kernels, sizeof kernels / sizeof kernels[0]};
