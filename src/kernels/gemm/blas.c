/* Libraries of the system, found at run time: its BLAS, BLIS and libxsmm. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/library.h"
#include "kernels/_library.h"
#include "kernels/gemm/_gemm.h"

/* The Fortran interface: matrices in column order, every argument by address, two hidden string lengths. */
typedef void gemm_function(const char *, const char *, const int *, const int *, const int *, const void *,
                           const void *, const int *, const void *, const int *, const void *, void *,
                           const int *, size_t, size_t);

typedef struct library {
  rf_library file;           /**< its names, and why there is none */
  const char *gemm_names[2]; /**< fp64, fp32 */
  const char *version_name;  /**< of a function that returns text, or NULL */
  const char *prefix;        /**< of what it returns */
  const char *threads_name;  /**< or NULL */
  const char *bind_name;     /**< of a function that binds one of the threads that it keeps, or NULL */
  bool spawns;               /**< starts its threads in every call */
  double most;               /**< of m n k, else another library would compute it; 0: any */
  pthread_once_t once;
  gemm_function *gemm[2];    /**< fp64, fp32 */
  void (*set_threads)(long); /**< OpenBLAS reads an int of it */
  int (*bind)(int thread, size_t size, cpu_set_t *cores);
  char name[128], lacks[96];
  rf_loaded loaded;
  rf_lesser lesser;
  const char *reason;
  cpu_set_t cores; /**< of the team it runs for */
} library;

#define FORTRAN                                                                                              \
  { "dgemm_", "sgemm_" }

static library openblas = {
    .file = {.what = "BLAS",
             .hint = "; on Debian: apt install libopenblas0-pthread",
             .sonames = {"libopenblas.so.0", "libblas.so.3"},
             .core_setting = "OPENBLAS_CORETYPE",
             .core_name = "openblas_get_corename"},
    .gemm_names = FORTRAN,
    .version_name = "openblas_get_config",
    .prefix = "",
    .threads_name = "openblas_set_num_threads",
    .bind_name = "openblas_setaffinity",
    .once = PTHREAD_ONCE_INIT,
};

static library blis = {
    .file = {.what = "BLIS",
             .hint = "; on Debian: apt install libblis4-pthread",
             .sonames = {"libblis.so.4"},
             .core_setting = "BLIS_ARCH_TYPE"},
    .gemm_names = FORTRAN,
    .version_name = "bli_info_get_version_str",
    .prefix = "BLIS ",
    .threads_name = "bli_thread_set_num_threads",
    .spawns = true,
    .once = PTHREAD_ONCE_INIT,
};

/* Its functions are made at run time for products up to 64 x 64 x 64 (LIBXSMM_CONFIG_MAX_MNK). */
static library xsmm = {
    .file = {.what = "libxsmm", .hint = " (Debian has it as an archive only)", .sonames = {"libxsmm.so.1"}},
    .gemm_names = {"libxsmm_dgemm", "libxsmm_sgemm"},
    .version_name = "libxsmm_get_target_arch",
    .prefix = "libxsmm 1 for ",
    .most = 64.0 * 64 * 64,
    .once = PTHREAD_ONCE_INIT,
};

/** What not every BLAS has: its name and version, who chose its core type or what that lacks, how many threads it starts and on which cores. */
static void find_more(library *l) {
  const char *(*version)(void) = NULL;
  const rf_symbol of_version = {l->version_name, &version}, of_threads = {l->threads_name, &l->set_threads},
                  of_bind = {l->bind_name, &l->bind};
  rf_library_find(l->loaded.handle, &of_version, l->version_name != NULL, NULL);
  rf_library_find(l->loaded.handle, &of_threads, l->threads_name != NULL, NULL);
  rf_library_find(l->loaded.handle, &of_bind, l->bind_name != NULL, NULL);
  snprintf(l->name, sizeof l->name, "%s%s", version != NULL ? l->prefix : "",
           version != NULL ? version() : l->loaded.soname);
  for (char *end = l->name + strlen(l->name); end > l->name && end[-1] == ' ';) {
    *--end = '\0';
  }
  size_t used = strlen(l->name);
  l->lesser = rf_library_lesser(&l->file, &l->loaded);
  const char *lacks = l->lesser.lacks;
  bool named = l->file.core_setting != NULL && secure_getenv(l->file.core_setting) != NULL;
  if (named && (lacks != NULL || l->file.core_name == NULL)) {
    snprintf(l->name + used, sizeof l->name - used, ", core type by %s", l->file.core_setting);
  } else if (lacks != NULL) {
    snprintf(l->name + used, sizeof l->name - used, ", core type without %s", lacks);
  }
}

static void load(library *l) {
  const rf_symbol symbols[] = {{l->gemm_names[0], &l->gemm[0]}, {l->gemm_names[1], &l->gemm[1]}};
  rf_library file = l->file;
  file.symbols = symbols;
  file.count = sizeof symbols / sizeof symbols[0];
  if (rf_library_load(&file, &l->loaded)) {
    find_more(l);
  } else if (l->loaded.soname != NULL) {
    snprintf(l->lacks, sizeof l->lacks, "%s has no %s and %s", l->loaded.soname, l->gemm_names[0],
             l->gemm_names[1]);
    l->reason = l->lacks;
  } else {
    l->reason = l->loaded.reason;
  }
}

#define ACCESS(library_)                                                                                     \
  static void load_##library_(void) {                                                                        \
    load(&library_);                                                                                         \
  }                                                                                                          \
  static const char *library_##_reason(void) {                                                               \
    pthread_once(&library_.once, load_##library_);                                                           \
    return library_.reason;                                                                                  \
  }                                                                                                          \
  static const char *library_##_name(void) {                                                                 \
    return library_##_reason() == NULL ? library_.name : NULL;                                               \
  }
ACCESS(openblas)
ACCESS(blis)
ACCESS(xsmm)

static library *library_of(const roof_kernel_run *run) {
  return *(library *const *)run->kernel->detail;
}

/** Each thread that the library keeps on a core of its own: they wait by yielding, so a scheduler may leave two on one for long. */
static void bind(const library *l, const cpu_set_t *mine, int threads) {
  int worker = 0;
  for (size_t core = 0; core < CPU_SETSIZE && worker < threads - 1; core++) {
    if (CPU_ISSET(core, &l->cores) && !CPU_ISSET(core, mine)) {
      cpu_set_t own;
      CPU_ZERO(&own);
      CPU_SET(core, &own);
      l->bind(worker++, sizeof own, &own);
    }
  }
}

/** Loads the library and starts its threads. They inherit this thread's binding, which may be one core, so it
 * is widened to the team's cores meanwhile. */
static const char *start(const roof_kernel_run *run) {
  library *l = library_of(run);
  l->cores = rf_library_cores(run->threads);
  cpu_set_t mine = rf_library_bind(l->cores);
  const char *reason = run->kernel->disabled_reason();
  if (reason == NULL && l->set_threads != NULL) {
    l->set_threads(run->threads);
  }
  rf_library_bind(mine);
  if (reason == NULL && l->bind != NULL) {
    bind(l, &mine, run->threads);
  }
  return reason;
}

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  const char *reason = start(run);
  if (reason != NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %s", run->kernel->name, reason);
  }
  if (s.m > INT_MAX || s.n > INT_MAX || s.k > INT_MAX) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: sizes above %d do not fit its 32-bit interface",
                          run->kernel->name, INT_MAX);
  }
  double most = library_of(run)->most;
  if (most > 0 && (double)s.m * (double)s.n * (double)s.k > most) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "%s: products larger than m n k = %.0f it leaves to another library",
                          run->kernel->name, most);
  }
  return rf_gemm_prepare(run, 0, error);
}

/** C = A B in row order is C' = B' A' in column order. */
static void execute(roof_kernel_run *run) {
  static const double one = 1, zero = 0;
  static const float onef = 1, zerof = 0;
  const rf_operands *o = run->state;
  rf_gemm_sizes s = rf_gemm_shape(run);
  int m = (int)s.m, n = (int)s.n, k = (int)s.k;
  bool wide = run->dtype == ROOF_FP64;
  library *l = library_of(run);
  bool widen = l->spawns && run->threads > 1;
  cpu_set_t mine = widen ? rf_library_bind(l->cores) : l->cores;
  l->gemm[!wide]("N", "N", &n, &m, &k, wide ? (const void *)&one : &onef, o->in[1], &n, o->in[0], &k,
                 wide ? (const void *)&zero : &zerof, o->out, &n, 1, 1);
  if (widen) {
    rf_library_bind(mine);
  }
}

/** A library of a lesser core type reaches what its registers do. */
static void algorithm(const roof_kernel_run *run, const roof_target *cores, roof_algorithm *out) {
  bool there = run->kernel->disabled_reason() == NULL;
  const char *reaches = there ? library_of(run)->lesser.reaches : NULL;
  const roof_machine *machine = cores->machine;
  const roof_peak *peak = cores->peak[ROOF_VECTOR];
  for (int i = 0; i < machine->peak_count && reaches != NULL && peak != NULL; i++) {
    const roof_peak *p = &machine->peaks[i];
    if (p->dtype == peak->dtype && p->cores == peak->cores && strcmp(p->isa, reaches) == 0) {
      out->flops_per_cycle = p->flops_per_second / machine->clock_hz;
    }
  }
}

static library *const openblas_detail = &openblas, *const blis_detail = &blis, *const xsmm_detail = &xsmm;

#define ROW(kernel_name, title, stem, full, quick, ...)                                                      \
  {                                                                                                          \
    .name = kernel_name, .op = "gemm", .variant = title, .summary = "C = A B by a library", .sizes = full,   \
    .quick_sizes = quick, .supports = rf_kernel_is_native, .disabled_reason = stem##_reason,                 \
    .library = stem##_name, .detail = &stem##_detail, .prepare = prepare, .execute = execute,                \
    .check = rf_gemm_check, .release = rf_operands_release, .algorithm = algorithm, __VA_ARGS__              \
  }

static const roof_kernel kernels[] = {
    ROW("gemm-blas", "OpenBLAS", openblas, "m=4096 n=4096 k=4096", "m=1536 n=1536 k=1536", .in_loop = true,
        .serial_flops = RF_GEMM_SERIAL_FLOPS),
    ROW("gemm-blis", "BLIS", blis, "m=4096 n=4096 k=4096", "m=1536 n=1536 k=1536", .in_loop = false),
    ROW("gemm-xsmm", "libxsmm", xsmm, "m=64 n=64 k=64", "m=64 n=64 k=64", .serial = true),
};

const rf_kernel_family rf_kernels_gemm_blas = {kernels, sizeof kernels / sizeof kernels[0]};
