/* The reordered loops over blocks: a block of B that fits the second cache is used by all rows of A before
 * the next one is read, and a piece of a row of C stays in the first. */
#include <math.h>

#include "kernels/gemm/_blocks.h"

#define PRODUCT(type)                                                                                        \
  static void product_##type(rf_gemm_sizes s, size_t block, const type *a, const type *b,                    \
                             type *restrict c) {                                                             \
    for (size_t i = 0; i < s.m * s.n; i++) {                                                                 \
      c[i] = 0;                                                                                              \
    }                                                                                                        \
    for (size_t q = 0; q < s.k; q += block) {                                                                \
      size_t depth = q + block < s.k ? q + block : s.k;                                                      \
      for (size_t from = 0; from < s.n; from += block) {                                                     \
        size_t width = from + block < s.n ? from + block : s.n;                                              \
        for (size_t i = 0; i < s.m; i++) {                                                                   \
          for (size_t p = q; p < depth; p++) {                                                               \
            for (size_t j = from; j < width; j++) {                                                          \
              c[i * s.n + j] += a[i * s.k + p] * b[p * s.n + j];                                             \
            }                                                                                                \
          }                                                                                                  \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
  }
PRODUCT(double)
PRODUCT(float)

static void execute(roof_kernel_run *run) {
  const rf_operands *o = run->state;
  size_t block = rf_gemm_square(run);
  if (run->dtype == ROOF_FP64) {
    product_double(rf_gemm_shape(run), block, o->in[0], o->in[1], o->out);
  } else {
    product_float(rf_gemm_shape(run), block, o->in[0], o->in[1], o->out);
  }
}

/** B once where a block of it stays, else for each row of A; A for each column of blocks; C for each row of
 * them. */
static rf_gemm_passes passes(const roof_kernel_run *run, double bytes, bool first) {
  (void)first;
  rf_gemm_sizes s = rf_gemm_shape(run);
  double element = roof_dtype_bytes(run->dtype), side = (double)rf_gemm_square(run);
  double deep = fmin(side, (double)s.k), wide = fmin(side, (double)s.n);
  bool block = deep * wide * element <= bytes;
  double turns = ceil((double)s.k / side);
  return (rf_gemm_passes){ceil((double)s.n / side), block ? 1 : (double)s.m,
                          2 * wide * element <= bytes ? 2 * turns - 1 : 2 * (double)s.k};
}

/** As reordered. */
static void algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  rf_gemm_moves(run, cores, 3, passes, out);
  out->flops_per_cycle = rf_gemm_compiled_rate(run);
}

static const roof_kernel kernels[] = {
    {.name = "gemm-cached",
     .op = "gemm",
     .variant = "cached",
     .rung = 3,
     .serial = true,
     .summary =
         "blocks that fit the caches: memory traffic falls by the block's side, its ramp no longer binds",
     .sizes = "m=1024 n=1024 k=1024",
     .quick_sizes = "m=512 n=512 k=512",
     .supports = rf_kernel_is_native,
     .algorithm = algorithm,
     .prepare = rf_gemm_prepare_plain,
     .execute = execute,
     .check = rf_gemm_check,
     .release = rf_operands_release},
};

const rf_kernel_family rf_kernels_gemm_3_cached = {kernels, sizeof kernels / sizeof kernels[0]};
