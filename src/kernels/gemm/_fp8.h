/** Operands of products in fp8 (e4m3): A of m x k and B of n x k, k along the rows of both; C in bf16. */
#ifndef KERNELS_GEMM_FP8_H
#define KERNELS_GEMM_FP8_H

#include "kernels/kernels.h"

/** Where the scales of factor 0 (A) or 1 (B) begin, behind its numbers: one, or one for each block of 128 of k and rows.
 *  Units: fp32.
 *  Ownership: points into the factor.
 *  Errors: NULL for a run that is not in fp8. */
void *rf_gemm_fp8_scale(const roof_kernel_run *run, const void *factor, int which);

#endif
