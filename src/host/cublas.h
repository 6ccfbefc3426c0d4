/** Where NVIDIA's libraries are. */
#ifndef HOST_CUBLAS_H
#define HOST_CUBLAS_H

/** The environment variable that names their folder. */
#define RF_CUDA_FOLDER "ROOFLINE_CUDA_LIBRARIES"

/** cuBLASLt, loaded once.
 *  Units: none. Ownership: a handle for rf_library_find, never closed. Errors: NULL when there is none. */
void *rf_cublas(void);

/** Its name and version, or NULL; and why there is none, or NULL.
 *  Units: none. Ownership: static text. Errors: none. */
const char *rf_cublas_version(void);
const char *rf_cublas_disabled_reason(void);

#endif
