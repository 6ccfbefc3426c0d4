/* All cores: B packed together, strips of A and C shared out as threads get free. */
#include "kernels/gemm/_blocks.h"

static void multiply(const rf_block *block, rf_packing *next) {
  rf_gemm_multiply_panels(block, next);
}

static void execute(roof_kernel_run *run) {
  int team = rf_gemm_team(run);
  if (team == 1) { /* not a region of one: the runtime would end the other threads */
    rf_gemm_product(run, multiply);
    return;
  }
#pragma omp parallel num_threads(team)
  rf_gemm_product(run, multiply);
}

static const roof_kernel kernels[] = {
    {.name = "gemm-blocked",
     .op = "gemm",
     .variant = "blocked",
     .rung = 7,
     .serial_flops = RF_GEMM_SERIAL_FLOPS,
     .in_loop = true,
     .summary = "C = A B in packed blocks and register tiles on all cores: the compute roof itself rises",
     .sizes = "m=4096 n=4096 k=4096",
     .quick_sizes = "m=1536 n=1536 k=1536",
     .supports = rf_kernel_is_native,
     .algorithm = rf_gemm_tiles_algorithm,
     .prepare = rf_gemm_prepare_blocks,
     .execute = execute,
     .check = rf_gemm_check,
     .release = rf_operands_release},
};

const rf_kernel_family rf_kernels_gemm_7_blocked = {kernels, sizeof kernels / sizeof kernels[0]};
