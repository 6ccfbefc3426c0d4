/* Tiles of C in registers, by the widest SIMD this processor has. A tile of 8 rows and 3 registers loads 11
 * operands for 24 multiply-adds; a product element by element loads two for each. */
#include "kernels/gemm/_blocks.h"

static void multiply(const roof_block *block, roof_packing *next) {
  (void)next;
  roof_gemm_multiply_tiles(block, NULL);
}

static void execute(roof_kernel_run *run) {
  roof_gemm_product(run, multiply);
}

static const roof_kernel kernels[] = {
    {.name = "gemm-tiled",
     .op = "gemm",
     .variant = "tiled",
     .rung = 5,
     .serial = true,
     .summary = "tiles of C in SIMD registers: loads no longer bind, the dot climbs to the compute roof",
     .sizes = "m=2048 n=2048 k=2048",
     .quick_sizes = "m=768 n=768 k=768",
     .supports = roof_kernel_is_native,
     .prepare = roof_gemm_prepare_blocks,
     .execute = execute,
     .check = roof_gemm_check,
     .release = roof_operands_release},
};

const roof_kernel_family roof_kernels_gemm_5_tiled = {kernels, sizeof kernels / sizeof kernels[0]};
