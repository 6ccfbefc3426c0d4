/* While a tile is multiplied, the next data are prefetched into the caches: the rows of B that are packed
 * after it, rows of A beneath, the tile's own rows of C. Loads that miss no longer stop the multiply-adds. */
#include "kernels/gemm/_blocks.h"

static void multiply(const rf_block *block, rf_packing *next) {
  rf_gemm_multiply_tiles(block, next);
}

static void execute(roof_kernel_run *run) {
  rf_gemm_product(run, multiply);
}

static const roof_kernel kernels[] = {
    {.name = "gemm-prefetched",
     .op = "gemm",
     .variant = "prefetched",
     .rung = 6,
     .serial = true,
     .summary =
         "the next tile fetched meanwhile: misses hide behind arithmetic, the last points under the roof",
     .sizes = "m=2048 n=2048 k=2048",
     .quick_sizes = "m=768 n=768 k=768",
     .supports = rf_kernel_is_native,
     .algorithm = rf_gemm_tiles_algorithm,
     .prepare = rf_gemm_prepare_blocks,
     .execute = execute,
     .check = rf_gemm_check,
     .release = rf_operands_release},
};

const rf_kernel_family rf_kernels_gemm_6_prefetched = {kernels, sizeof kernels / sizeof kernels[0]};
