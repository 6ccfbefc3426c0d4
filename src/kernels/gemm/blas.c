/* The system's BLAS, found at run time. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "kernels/gemm/_gemm.h"

/* The Fortran interface: matrices in column order, every argument by address, two hidden string lengths. */
typedef void gemm_function(const char *, const char *, const int *, const int *, const int *, const void *,
                           const void *, const int *, const void *, const int *, const void *, void *,
                           const int *, size_t, size_t);

static struct {
  gemm_function *gemm[2]; /**< fp64, fp32 */
  void (*set_threads)(int);
  char name[128];
  const char *reason;
} blas;

static const char *const sonames[] = {"libopenblas.so.0", "libblis.so.4", "libblas.so.3"};

static void find(void *handle, const char *soname) {
  char *(*config)(void) = NULL;
  *(void **)&blas.gemm[0] = dlsym(handle, "dgemm_");
  *(void **)&blas.gemm[1] = dlsym(handle, "sgemm_");
  *(void **)&blas.set_threads = dlsym(handle, "openblas_set_num_threads");
  *(void **)&config = dlsym(handle, "openblas_get_config");
  if (blas.set_threads == NULL) {
    *(void **)&blas.set_threads = dlsym(handle, "bli_thread_set_num_threads");
  }
  snprintf(blas.name, sizeof blas.name, "%s", config != NULL ? config() : soname);
  for (char *end = blas.name + strlen(blas.name); end > blas.name && end[-1] == ' ';) {
    *--end = '\0';
  }
}

static void load(void) {
  blas.reason = "no BLAS: none of libopenblas.so.0, libblis.so.4 and libblas.so.3 can be loaded; on Debian: "
                "apt install libopenblas0-pthread";
  for (size_t i = 0; i < sizeof sonames / sizeof sonames[0] && blas.reason != NULL; i++) {
    void *handle = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL) {
      find(handle, sonames[i]);
      blas.reason = blas.gemm[0] != NULL && blas.gemm[1] != NULL ? NULL : "no BLAS: it has no dgemm_, sgemm_";
    }
  }
}

static const char *disabled_reason(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return blas.reason;
}

static const char *library(void) {
  return disabled_reason() == NULL ? blas.name : NULL;
}

/** The cores that the team's threads are bound to, all together. */
static cpu_set_t team_cores(int threads) {
  cpu_set_t team;
  CPU_ZERO(&team);
#pragma omp parallel num_threads(threads)
  {
    cpu_set_t bound;
    if (sched_getaffinity(0, sizeof bound, &bound) == 0) {
#pragma omp critical
      CPU_OR(&team, &team, &bound);
    }
  }
  return team;
}

/** Loads the library and starts its threads. They inherit this thread's binding, which may be one core, so it
 * is widened to the team's cores meanwhile. */
static const char *start(int threads) {
  cpu_set_t mine, team = team_cores(threads);
  bool bound = sched_getaffinity(0, sizeof mine, &mine) == 0;
  sched_setaffinity(0, sizeof team, &team);
  const char *reason = disabled_reason();
  if (reason == NULL && blas.set_threads != NULL) {
    blas.set_threads(threads);
  }
  if (bound) {
    sched_setaffinity(0, sizeof mine, &mine);
  }
  return reason;
}

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  roof_shape s = roof_gemm_shape(run);
  const char *reason = start(run->threads);
  if (reason != NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %s", run->kernel->name, reason);
  }
  if (s.m > INT_MAX || s.n > INT_MAX || s.k > INT_MAX) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: sizes above %d do not fit its 32-bit interface",
                          run->kernel->name, INT_MAX);
  }
  return roof_gemm_prepare(run, 0, error);
}

/** C = A B in row order is C' = B' A' in column order. */
static void execute(roof_kernel_run *run) {
  static const double one = 1, zero = 0;
  static const float onef = 1, zerof = 0;
  const roof_operands *o = run->state;
  roof_shape s = roof_gemm_shape(run);
  int m = (int)s.m, n = (int)s.n, k = (int)s.k;
  bool wide = run->dtype == ROOF_FP64;
  blas.gemm[!wide]("N", "N", &n, &m, &k, wide ? (const void *)&one : &onef, o->in[1], &n, o->in[0], &k,
                   wide ? (const void *)&zero : &zerof, o->out, &n, 1, 1);
}

static const roof_kernel kernels[] = {
    {.name = "gemm-blas",
     .op = "gemm",
     .variant = "library",
     .summary = "C = A B by the system's BLAS",
     .sizes = "m=4096 n=4096 k=4096",
     .quick_sizes = "m=1536 n=1536 k=1536",
     .in_loop = true,
     .supports = roof_kernel_is_native,
     .disabled_reason = disabled_reason,
     .library = library,
     .prepare = prepare,
     .execute = execute,
     .check = roof_gemm_check,
     .release = roof_operands_release},
};

const roof_kernel_family roof_kernels_gemm_blas = {kernels, sizeof kernels / sizeof kernels[0]};
