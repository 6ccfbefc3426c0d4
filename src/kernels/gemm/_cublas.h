/** Where NVIDIA's cuBLASLt is. */
#ifndef KERNELS_GEMM_CUBLAS_H
#define KERNELS_GEMM_CUBLAS_H

/** A library of NVIDIA's by its soname: in the folder that ROOFLINE_CUDA_LIBRARIES names, else where the
 *  loader looks.
 *  Units: none.
 *  Ownership: a handle of dlopen.
 *  Errors: NULL when there is none. */
void *rf_cuda_library(const char *soname);

/** cuBLASLt, loaded once.
 *  Units: none. Ownership: a handle of dlopen that stays open. Errors: NULL when there is none. */
void *rf_cublas(void);

/** Its name and version, or NULL; and why there is none, or NULL.
 *  Units: none. Ownership: static text. Errors: none. */
const char *rf_cublas_version(void);
const char *rf_cublas_disabled_reason(void);

#endif
