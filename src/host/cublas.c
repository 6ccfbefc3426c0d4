#include "host/cublas.h"

#include <pthread.h>
#include <stdio.h>

#include "host/library.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static rf_loaded loaded;
static char version[64];

/** 130100 is 13.1.0, and until CUDA 12 the step was 1000: 120304 is 12.3.4 in both. */
static void load(void) {
  static const rf_library library = {
      .what = "cuBLASLt", .folder = RF_CUDA_FOLDER, .sonames = {"libcublasLt.so.13", "libcublasLt.so.12"}};
  size_t (*get)(void) = NULL;
  const rf_symbol symbol = {"cublasLtGetVersion", &get};
  bool known = rf_library_load(&library, &loaded) && rf_library_find(loaded.handle, &symbol, 1, NULL);
  size_t number = known ? get() : 0;
  snprintf(version, sizeof version, "cuBLASLt %zu.%zu.%zu", number / 10000, number / 100 % 100, number % 100);
}

void *rf_cublas(void) {
  pthread_once(&once, load);
  return loaded.handle;
}

const char *rf_cublas_version(void) {
  return rf_cublas() != NULL ? version : NULL;
}

const char *rf_cublas_disabled_reason(void) {
  return rf_cublas() != NULL ? NULL : loaded.reason;
}
