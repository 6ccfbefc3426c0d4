/* The same three loops with the one over columns innermost: B and C are read along their rows, so that every
 * line is used whole and the compiler can take several columns at once. */
#include "kernels/gemm/_gemm.h"

#define PRODUCT(type)                                                                                        \
  static void product_##type(rf_gemm_sizes s, const type *a, const type *b, type *restrict c) {              \
    for (size_t i = 0; i < s.m; i++) {                                                                       \
      for (size_t j = 0; j < s.n; j++) {                                                                     \
        c[i * s.n + j] = 0;                                                                                  \
      }                                                                                                      \
      for (size_t p = 0; p < s.k; p++) {                                                                     \
        for (size_t j = 0; j < s.n; j++) {                                                                   \
          c[i * s.n + j] += a[i * s.k + p] * b[p * s.n + j];                                                 \
        }                                                                                                    \
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

/** B once for each row of A unless it fits; a row of C stays with one of B, or is read and written for each. */
static rf_gemm_passes passes(const roof_kernel_run *run, double bytes, bool first) {
  (void)first;
  rf_gemm_sizes s = rf_gemm_shape(run);
  double element = roof_dtype_bytes(run->dtype), m = (double)s.m, n = (double)s.n, k = (double)s.k;
  return (rf_gemm_passes){1, k * n * element <= bytes ? 1 : m, 2 * n * element <= bytes ? 1 : 2 * k};
}

/** Loads of B and C and a store for each multiply-add. */
static void algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  rf_gemm_moves(run, cores, 3, passes, out);
  out->flops_per_cycle = rf_gemm_compiled_rate(run);
}

static const roof_kernel kernels[] = {
    {.name = "gemm-reordered",
     .op = "gemm",
     .variant = "reordered",
     .rung = 2,
     .serial = true,
     .summary =
         "columns innermost: whole lines instead of single elements, bytes moved fall eightfold or more",
     .sizes = "m=1024 n=1024 k=1024",
     .quick_sizes = "m=512 n=512 k=512",
     .supports = rf_kernel_is_native,
     .algorithm = algorithm,
     .prepare = rf_gemm_prepare_plain,
     .execute = execute,
     .check = rf_gemm_check,
     .release = rf_operands_release},
};

const rf_kernel_family rf_kernels_gemm_2_reordered = {kernels, sizeof kernels / sizeof kernels[0]};
