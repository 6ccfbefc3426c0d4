/* The textbook product: three loops, one sum an element. Down a column of B every load is a line of its
 * own. */
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
     .prepare = rf_gemm_prepare_plain,
     .execute = execute,
     .check = rf_gemm_check,
     .release = rf_operands_release},
};

const rf_kernel_family rf_kernels_gemm_1_naive = {kernels, sizeof kernels / sizeof kernels[0]};
