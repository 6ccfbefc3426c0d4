#include "kernels/gemm/_cublas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static char version[64];

void *rf_cuda_library(const char *soname) {
  const char *folder = getenv("ROOFLINE_CUDA_LIBRARIES");
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "", soname);
  return dlopen(folder != NULL ? path : soname, RTLD_NOW | RTLD_LOCAL);
}

/** 130100 is 13.1.0, and until CUDA 12 the step was 1000: 120304 is 12.3.4 in both. */
static void load(void) {
  static const char *const sonames[] = {"libcublasLt.so.13", "libcublasLt.so.12"};
  for (size_t i = 0; i < sizeof sonames / sizeof sonames[0] && library == NULL; i++) {
    library = rf_cuda_library(sonames[i]);
  }
  size_t (*get)(void) = NULL;
  *(void **)&get = library != NULL ? dlsym(library, "cublasLtGetVersion") : NULL;
  size_t number = get != NULL ? get() : 0;
  snprintf(version, sizeof version, "cuBLASLt %zu.%zu.%zu", number / 10000, number / 100 % 100, number % 100);
}

void *rf_cublas(void) {
  pthread_once(&once, load);
  return library;
}

const char *rf_cublas_version(void) {
  return rf_cublas() != NULL ? version : NULL;
}

const char *rf_cublas_disabled_reason(void) {
  return rf_cublas() != NULL ? NULL
                             : "no cuBLASLt: neither libcublasLt.so.13 nor libcublasLt.so.12 can be loaded";
}
