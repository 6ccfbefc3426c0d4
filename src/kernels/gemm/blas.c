/* Libraries of the system, found at run time: its BLAS and BLIS. */
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

typedef struct library {
  const char *const *sonames; /**< tried in this order */
  const char *missing;        /**< why there is none */
  bool spawns;                /**< starts its threads in every call */
  pthread_once_t once;
  gemm_function *gemm[2];    /**< fp64, fp32 */
  void (*set_threads)(long); /**< OpenBLAS reads an int of it */
  char name[128];
  const char *reason;
  cpu_set_t cores; /**< of the team it runs for */
} library;

static library openblas = {
    .sonames = (const char *const[]){"libopenblas.so.0", "libblas.so.3", NULL},
    .missing = "no BLAS: neither libopenblas.so.0 nor libblas.so.3 can be loaded; on Debian: apt install "
               "libopenblas0-pthread",
    .once = PTHREAD_ONCE_INIT,
};

static library blis = {
    .sonames = (const char *const[]){"libblis.so.4", NULL},
    .missing = "no BLIS: libblis.so.4 cannot be loaded; on Debian: apt install libblis4-pthread",
    .spawns = true,
    .once = PTHREAD_ONCE_INIT,
};

static void find(library *l, void *handle, const char *soname) {
  char *(*config)(void) = NULL;
  const char *(*version)(void) = NULL;
  *(void **)&l->gemm[0] = dlsym(handle, "dgemm_");
  *(void **)&l->gemm[1] = dlsym(handle, "sgemm_");
  *(void **)&l->set_threads =
      dlsym(handle, l->spawns ? "bli_thread_set_num_threads" : "openblas_set_num_threads");
  *(void **)&config = dlsym(handle, "openblas_get_config");
  *(void **)&version = dlsym(handle, "bli_info_get_version_str");
  snprintf(l->name, sizeof l->name, "%s%s", config == NULL && version != NULL ? "BLIS " : "",
           config != NULL    ? config()
           : version != NULL ? version()
                             : soname);
  for (char *end = l->name + strlen(l->name); end > l->name && end[-1] == ' ';) {
    *--end = '\0';
  }
}

static void load(library *l) {
  l->reason = l->missing;
  for (int i = 0; l->sonames[i] != NULL && l->reason != NULL; i++) {
    void *handle = dlopen(l->sonames[i], RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL) {
      find(l, handle, l->sonames[i]);
      l->reason = l->gemm[0] != NULL && l->gemm[1] != NULL ? NULL : "it has no dgemm_ and sgemm_";
    }
  }
}

static void load_openblas(void) {
  load(&openblas);
}

static void load_blis(void) {
  load(&blis);
}

static const char *openblas_reason(void) {
  pthread_once(&openblas.once, load_openblas);
  return openblas.reason;
}

static const char *blis_reason(void) {
  pthread_once(&blis.once, load_blis);
  return blis.reason;
}

static const char *openblas_name(void) {
  return openblas_reason() == NULL ? openblas.name : NULL;
}

static const char *blis_name(void) {
  return blis_reason() == NULL ? blis.name : NULL;
}

static library *library_of(const roof_kernel_run *run) {
  return run->kernel->library == blis_name ? &blis : &openblas;
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

/** Sets the cores this thread may use; returns those before. */
static cpu_set_t bind(cpu_set_t cores) {
  cpu_set_t before = cores;
  sched_getaffinity(0, sizeof before, &before);
  sched_setaffinity(0, sizeof cores, &cores);
  return before;
}

/** Loads the library and starts its threads. They inherit this thread's binding, which may be one core, so it
 * is widened to the team's cores meanwhile. */
static const char *start(const roof_kernel_run *run) {
  library *l = library_of(run);
  l->cores = team_cores(run->threads);
  cpu_set_t mine = bind(l->cores);
  const char *reason = run->kernel->disabled_reason();
  if (reason == NULL && l->set_threads != NULL) {
    l->set_threads(run->threads);
  }
  bind(mine);
  return reason;
}

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  roof_shape s = roof_gemm_shape(run);
  const char *reason = start(run);
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
  library *l = library_of(run);
  bool widen = l->spawns && run->threads > 1;
  cpu_set_t mine = widen ? bind(l->cores) : l->cores;
  l->gemm[!wide]("N", "N", &n, &m, &k, wide ? (const void *)&one : &onef, o->in[1], &n, o->in[0], &k,
                 wide ? (const void *)&zero : &zerof, o->out, &n, 1, 1);
  if (widen) {
    bind(mine);
  }
}

#define ROW(kernel_name, prefix, loop)                                                                       \
  {                                                                                                          \
    .name = kernel_name, .op = "gemm", .variant = "library", .in_loop = loop,                                \
    .summary = "C = A B by a library", .sizes = "m=4096 n=4096 k=4096",                                      \
    .quick_sizes = "m=1536 n=1536 k=1536", .supports = roof_kernel_is_native,                                \
    .disabled_reason = prefix##_reason, .library = prefix##_name, .prepare = prepare, .execute = execute,    \
    .check = roof_gemm_check, .release = roof_operands_release                                               \
  }

static const roof_kernel kernels[] = {
    ROW("gemm-blas", openblas, true),
    ROW("gemm-blis", blis, false),
};

const roof_kernel_family roof_kernels_gemm_blas = {kernels, sizeof kernels / sizeof kernels[0]};
