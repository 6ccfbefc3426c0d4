/* The blocks copied before they are multiplied: what belongs together lies together, so that no two lines
 * want the same place in a cache, few pages are open, and four rows of B are one stream: C is touched once
 * for them. */
#include "kernels/gemm/_blocks.h"

enum { TOGETHER = 4 };

#define MULTIPLY(type)                                                                                       \
  static void multiply_##type(const rf_block *block, size_t panel) {                                         \
    rf_panel b = rf_gemm_panel(block, panel);                                                                \
    for (size_t i = 0; i < block->rows; i++) {                                                               \
      type *restrict c = (type *)(void *)block->c + i * block->c_stride + b.begin;                           \
      const type *a = (const type *)(const void *)block->a + i * block->a_stride;                            \
      for (size_t j = 0; j < b.columns && !block->add; j++) {                                                \
        c[j] = 0;                                                                                            \
      }                                                                                                      \
      size_t p = 0;                                                                                          \
      for (; p + TOGETHER <= block->depth; p += TOGETHER) {                                                  \
        const type *r = (const type *)(const void *)b.b + p * b.stride;                                      \
        for (size_t j = 0; j < b.columns; j++, r++) {                                                        \
          c[j] += a[p] * r[0] + a[p + 1] * r[b.stride] + a[p + 2] * r[2 * b.stride] +                        \
                  a[p + 3] * r[3 * b.stride];                                                                \
        }                                                                                                    \
      }                                                                                                      \
      for (; p < block->depth; p++) {                                                                        \
        const type *r = (const type *)(const void *)b.b + p * b.stride;                                      \
        for (size_t j = 0; j < b.columns; j++) {                                                             \
          c[j] += a[p] * r[j];                                                                               \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
  }
MULTIPLY(double)
MULTIPLY(float)

static void multiply(const rf_block *block, rf_packing *next) {
  (void)next;
  for (size_t panel = block->first; panel < block->last; panel++) {
    if (block->element == sizeof(double)) {
      multiply_double(block, panel);
    } else {
      multiply_float(block, panel);
    }
  }
}

static void execute(roof_kernel_run *run) {
  rf_gemm_product(run, multiply);
}

/** A panel that stays together with a row of A is used by all rows of a strip, else read for each. */
static rf_gemm_passes passes(const roof_kernel_run *run, double bytes, bool first) {
  (void)first;
  rf_blocks blocks = rf_gemm_blocks(run);
  double panel = rf_lanes_loops(rf_lanes_best(), run->dtype)->tile_columns;
  double height = (double)blocks.height;
  bool stays = (panel + 1) * (double)blocks.depth * roof_dtype_bytes(run->dtype) <= bytes;
  return rf_gemm_block_passes(run, bytes, stays ? height : 1, height);
}

/** Four rows of B for a load and a store of C. */
static void algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  rf_gemm_moves(run, cores, (TOGETHER + 2.0) / TOGETHER, passes, out);
  out->flops_per_cycle = rf_gemm_compiled_rate(run);
}

static const roof_kernel kernels[] = {
    {.name = "gemm-packed",
     .op = "gemm",
     .variant = "packed",
     .rung = 4,
     .serial = true,
     .summary = "blocks copied into panels: no cache conflicts, few pages, C touched a quarter as often",
     .sizes = "m=1024 n=1024 k=1024",
     .quick_sizes = "m=512 n=512 k=512",
     .supports = rf_kernel_is_native,
     .algorithm = algorithm,
     .prepare = rf_gemm_prepare_blocks,
     .execute = execute,
     .check = rf_gemm_check,
     .release = rf_operands_release},
};

const rf_kernel_family rf_kernels_gemm_4_packed = {kernels, sizeof kernels / sizeof kernels[0]};
