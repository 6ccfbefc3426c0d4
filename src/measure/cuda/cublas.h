/** One product of matrices by cuBLASLt. */
#ifndef MEASURE_CUDA_CUBLAS_H
#define MEASURE_CUDA_CUBLAS_H

#include <math.h>

#include "measure/cuda/cuda.h"

/* cublasLt.h, library_types.h and cublas_api.h */
enum { LT_TRANSPOSE_A = 3, LT_MAX_WORKSPACE = 1, LT_TRANSPOSED = 1 };
enum { LT_SCALES_A = 17, LT_SCALES_B = 18, LT_FAST_SUMS = 25, LT_SCALES_OF_A = 31, LT_SCALES_OF_B = 32 };
enum { LT_SCALES_16_UE4M3 = 1 };
enum { R_32F = 0, R_64F = 1, R_16F = 2, R_8I = 3, R_32I = 10, R_16BF = 14, R_8F_E4M3 = 28, R_4F_E2M1 = 33 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32I = 72, COMPUTE_32F_TF32 = 77 };

typedef struct lt_algorithm {
  uint64_t data[8];
} lt_algorithm;

/** cublasLtMatmulHeuristicResult_t */
typedef struct lt_choice {
  lt_algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
} lt_choice;

/** C = A B in row order; for fp8, fp4 and int8 k runs along the rows of B too, the only layout that the
 * library supports. fp4 has a scale in ue4m3 for each 16 numbers of a row, in tiles of 128 rows and 4
 * scales. */
typedef struct cublas_gemm {
  roof_dtype dtype;
  double m, n, k;
  void *a, *b, *c;           /**< on the device */
  void *scales_a, *scales_b; /**< of fp4, or nullable of fp8: one fp32 each; NULL for the others */
  int choice; /**< which of the algorithms that the library suggests, below CUBLAS_CHOICES; 0: its own choice */
} cublas_gemm;

enum { CUBLAS_CHOICES = 8 };

/** Runs it `repeats` times by one of the algorithms that the library suggests.
 *  Units: s.
 *  Ownership: none.
 *  Errors: ROOF_E_UNSUPPORTED without the library, a way to do it or so many suggestions, ROOF_E_INTERNAL. */
roof_status rf_cublas_time(cuda_open *o, const cublas_gemm *g, int repeats, double *seconds,
                           roof_error *error);

/** Bytes of an element of C.
 *  Units: bytes. Ownership: none. Errors: NaN for a format that the library does not support. */
double rf_cublas_product_bytes(roof_dtype dtype);

/** Bytes of the scales of a factor with so many rows of k numbers; 0 for a format without.
 *  Units: bytes. Ownership: none. Errors: none. */
double rf_cublas_scale_bytes(roof_dtype dtype, double rows, double k);

#endif
