/** What the products of matrices share: C = A B, all in row order. */
#ifndef KERNELS_GEMM_GEMM_H
#define KERNELS_GEMM_GEMM_H

#include "kernels/kernels.h"

/** Rows of A and C, columns of B and C, columns of A. */
typedef struct rf_gemm_sizes {
  size_t m;
  size_t n;
  size_t k;
} rf_gemm_sizes;

/** The shape of a run.
 *  Units: elements. Ownership: by value. Errors: none. */
rf_gemm_sizes rf_gemm_shape(const roof_kernel_run *run);

/** Operands A, B and C with `scratch` bytes.
 *  Units: bytes. Ownership: released by rf_operands_release, also after a failure.
 *  Errors: ROOF_E_UNSUPPORTED for a batch, a beta or what does not fit the memory, ROOF_E_MEMORY. */
roof_status rf_gemm_prepare(roof_kernel_run *run, double scratch, roof_error *error);

/** The same without scratch: a kernel's `prepare`.
 *  Units: none. Ownership: as rf_gemm_prepare. Errors: as rf_gemm_prepare. */
roof_status rf_gemm_prepare_plain(roof_kernel_run *run, roof_error *error);

/** Compares C with a scalar product: every element must be a number, 4096 spread over C are compared.
 *  Units: none. Ownership: none. Errors: ROOF_E_INTERNAL naming the first wrong element. */
roof_status rf_gemm_check(roof_kernel_run *run, roof_error *error);

/** What sums of random int8 are multiplied by to stay within int8.
 *  Units: none. Ownership: none. Errors: none. */
double rf_gemm_int8_scale(const roof_kernel_run *run);

#endif
