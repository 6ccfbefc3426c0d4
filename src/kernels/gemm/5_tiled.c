/* Tiles of C in registers, by the widest SIMD this processor has. A tile of 8 rows and 3 registers loads 11
 * operands for 24 multiply-adds; a product element by element loads two for each. */
#include "kernels/gemm/_blocks.h"

static void multiply(const rf_block *block, rf_packing *next) {
  (void)next;
  rf_gemm_multiply_tiles(block, NULL);
}

static void execute(roof_kernel_run *run) {
  rf_gemm_product(run, multiply);
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
     .supports = rf_kernel_is_native,
     .algorithm = rf_gemm_tiles_algorithm,
     .prepare = rf_gemm_prepare_blocks,
     .execute = execute,
     .check = rf_gemm_check,
     .release = rf_operands_release},
};

const rf_kernel_family rf_kernels_gemm_5_tiled = {kernels, sizeof kernels / sizeof kernels[0]};
