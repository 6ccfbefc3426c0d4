/* The textbook product: three loops, one sum an element. Down a column of B every load is a line of its
 * own. */
#include <math.h>

#include "kernels/gemm/_gemm.h"

#define PRODUCT(type)                                                                                        \
  static void product_##type(rf_gemm_sizes s, const type *a, const type *b, type *c) {                       \
    for (size_t i = 0; i < s.m; i++) {                                                                       \
      for (size_t j = 0; j < s.n; j++) {                                                                     \
        type sum = 0;                                                                                        \
        for (size_t p = 0; p < s.k; p++) {                                                                   \
          sum += a[i * s.k + p] * b[p * s.n + j];                                                            \
        }                                                                                                    \
        c[i * s.n + j] = sum;                                                                                \
      }                                                                                                      \
    }                                                                                                        \
  }
PRODUCT(double)
PRODUCT(float)

static void execute(roof_kernel_run *run) {
  const rf_operands *o = run->state;
  if (run->dtype == ROOF_FP64) {
    product_double(rf_gemm_shape(run), o->in[0], o->in[1], o->out);
  } else {
    product_float(rf_gemm_shape(run), o->in[0], o->in[1], o->out);
  }
}

/* The cycles of an addition, which must end before the next one of a sum begins: 3 on Zen and Golden Cove, 4 on
 * Skylake to Ice Lake, 2 on Neoverse N1 (uops.info; Agner Fog, Instruction tables; Arm, optimization guides). */
enum { ADDITION = 3, LINE = 64, PAGE_SETS = 64 };

/* The next sum begins while the last terms of this one are added: of five instructions each, what the smallest window of
 * the same cores, 128 instructions, holds. Of short sums half of each may so hide behind another. */
static const double overlapped_terms = 24, least_cycles = 2;

static double cycles_of_sum(double terms) {
  return fmax(ADDITION * (terms - overlapped_terms), least_cycles * terms);
}

/** Lines of a column that a cache holds: in the first one, whose sets repeat with each page of 4 KiB, rows that lie a
 * multiple of a power of two apart share few of them. */
static double lines_held(const roof_kernel_run *run, double bytes, bool first) {
  size_t stride = rf_gemm_shape(run).n * (size_t)roof_dtype_bytes(run->dtype) / LINE, shared = 1;
  while (first && shared < PAGE_SETS && stride > 0 && stride % (2 * shared) == 0) {
    shared *= 2;
  }
  return bytes / LINE / (double)shared;
}

/** B by columns: once if it fits, else once for each row of A while the lines of a column stay, else a whole line for
 * each element. */
static rf_gemm_passes passes(const roof_kernel_run *run, double bytes, bool first) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  double element = roof_dtype_bytes(run->dtype), m = (double)s.m, n = (double)s.n, k = (double)s.k;
  bool whole = k * n * element <= bytes, column = k <= lines_held(run, bytes, first);
  return (rf_gemm_passes){1, whole ? 1 : column ? m : m * LINE / element, 1};
}

static void algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  rf_gemm_moves(run, cores, 2, passes, out);
  double terms = run->values[2];
  out->flops_per_cycle = 2 * terms / cycles_of_sum(terms);
  out->chained = true;
}

static const roof_kernel kernels[] = {
    {.name = "gemm-naive",
     .op = "gemm",
     .variant = "naive",
     .rung = 1,
     .serial = true,
     .in_loop = true,
     .summary = "three loops: every multiply-add waits for a load of B, far below both ceilings",
     .sizes = "m=768 n=768 k=768",
     .quick_sizes = "m=384 n=384 k=384",
     .supports = rf_kernel_is_native,
     .algorithm = algorithm,
     .prepare = rf_gemm_prepare_plain,
     .execute = execute,
     .check = rf_gemm_check,
     .release = rf_operands_release},
};

const rf_kernel_family rf_kernels_gemm_1_naive = {kernels, sizeof kernels / sizeof kernels[0]};
