/** One product of matrices by cuBLASLt. */
#ifndef MEASURE_CUDA_CUBLAS_H
#define MEASURE_CUDA_CUBLAS_H

#include <math.h>

#include "measure/cuda/cuda.h"

/** C = A B in row order; for fp8 and int8, which the library has only so, k runs along the rows of B too. */
typedef struct cublas_gemm {
  roof_dtype dtype;
  double m, n, k;
  void *a, *b, *c; /**< on the device */
} cublas_gemm;

/** Runs it `repeats` times by the library's own choice of algorithm.
 *  Units: s. Ownership: none. Errors: ROOF_E_UNSUPPORTED without the library or a way to do it,
 * ROOF_E_INTERNAL. */
roof_status cublas_time(cuda_open *o, const cublas_gemm *g, int repeats, double *seconds, roof_error *error);

/** Bytes of an element of C.
 *  Units: bytes. Ownership: none. Errors: NaN for a format that the library has not. */
double cublas_product_bytes(roof_dtype dtype);

#endif
