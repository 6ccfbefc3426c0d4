/* The discrete Fourier transform by FFTW, found at run time. A point is a pair, real and imaginary, the format its vector code is
 * written for. */
#include <limits.h>
#include <pthread.h>

#include "host/library.h"
#include "kernels/_fft.h"
#include "kernels/_library.h"

enum { FORWARD = -1, MEASURE = 0, PLAN_SECONDS = 5 }; /* of fftw3.h; the most that measuring plans takes */

/** The library of one format: `plan_dft_1d(n, in, out, sign, flags)` and so on, as fftw3.h declares them. */
typedef struct format {
  rf_library file, threads_file;
  rf_loaded loaded, threads_loaded;
  void *(*plan)(int, void *, void *, int, unsigned);
  void (*execute)(const void *);
  void (*forget)(void *);
  void (*limit)(double);
  const char *version; /**< a text, not a function */
  int (*start_threads)(void);
  void (*set_threads)(int);
} format;

/** What a prepared run has in its scratch. */
typedef struct prepared {
  void *plan;
  cpu_set_t cores;
} prepared;

static format formats[2];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t planning = PTHREAD_MUTEX_INITIALIZER; /* plans are made by one thread at a time */

#define FILES(suffix, package)                                                                               \
  .file = {.what = "FFTW",                                                                                   \
           .hint = "; on Debian: apt install " package,                                                      \
           .sonames = {"libfftw3" suffix ".so.3"}},                                                          \
  .threads_file = {.what = "FFTW's threads",                                                                 \
                   .hint = "; on Debian: apt install " package,                                              \
                   .sonames = {"libfftw3" suffix "_threads.so.3"}}

#define LOAD(format_, prefix, suffix, package)                                                               \
  static void load_##prefix(void) {                                                                          \
    format *f = &formats[format_];                                                                           \
    const rf_symbol symbols[] = {{#prefix "_plan_dft_1d", &f->plan},                                         \
                                 {#prefix "_execute", &f->execute},                                          \
                                 {#prefix "_destroy_plan", &f->forget},                                      \
                                 {#prefix "_set_timelimit", &f->limit},                                      \
                                 {#prefix "_version", &f->version}};                                         \
    const rf_symbol of_threads[] = {{#prefix "_init_threads", &f->start_threads},                            \
                                    {#prefix "_plan_with_nthreads", &f->set_threads}};                       \
    *f = (format){FILES(suffix, package)};                                                                   \
    load(f, symbols, sizeof symbols / sizeof symbols[0], of_threads);                                        \
  }

static void load(format *f, const rf_symbol *symbols, size_t count, const rf_symbol *of_threads) {
  rf_library file = f->file, threads = f->threads_file;
  file.symbols = symbols;
  file.count = count;
  threads.symbols = of_threads;
  threads.count = 2;
  if (rf_library_load(&file, &f->loaded) && rf_library_load(&threads, &f->threads_loaded)) {
    f->start_threads();
    f->limit(PLAN_SECONDS);
  }
}

LOAD(0, fftw, "", "libfftw3-double3")
LOAD(1, fftwf, "f", "libfftw3-single3")

static void load_all(void) {
  load_fftw();
  load_fftwf();
}

static const char *disabled_reason(void) {
  pthread_once(&once, load_all);
  for (int i = 0; i < 2; i++) {
    const format *f = &formats[i];
    if (f->loaded.handle == NULL || f->threads_loaded.handle == NULL) {
      return f->loaded.handle == NULL ? f->loaded.reason : f->threads_loaded.reason;
    }
  }
  return NULL;
}

static const char *library(void) {
  return disabled_reason() == NULL ? formats[0].version : NULL;
}

static const format *format_of(const roof_kernel_run *run) {
  return &formats[run->dtype == ROOF_FP32];
}

/** Plans by trying, which spoils the operands. */
static roof_status plan(roof_kernel_run *run, prepared *p, roof_error *error) {
  const format *f = format_of(run);
  const rf_operands *o = run->state;
  size_t count = (size_t)(2 * run->values[0]);
  p->cores = rf_library_cores(run->threads);
  pthread_mutex_lock(&planning);
  cpu_set_t mine = rf_library_bind(p->cores);
  f->set_threads(run->threads);
  p->plan = f->plan((int)run->values[0], o->in[0], o->out, FORWARD, MEASURE);
  rf_library_bind(mine);
  pthread_mutex_unlock(&planning);
  if (p->plan == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: FFTW has no plan for n=%.0f", run->kernel->name,
                          run->values[0]);
  }
  rf_data_fill(o->in[0], run->dtype, count, 1, rf_kernel_setup_threads(run));
  rf_data_poison(o->out, run->dtype, count, rf_kernel_setup_threads(run));
  return ROOF_OK;
}

static roof_status prepare(roof_kernel_run *run, roof_error *error) {
  double n = run->values[0];
  const char *reason = disabled_reason();
  if (reason != NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %s", run->kernel->name, reason);
  }
  if (n > INT_MAX) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: n above %d does not fit its 32-bit interface",
                          run->kernel->name, INT_MAX);
  }
  roof_status status = rf_operands_prepare(run, 2 * n, 0, 2 * n, sizeof(prepared), error);
  if (status == ROOF_OK) {
    prepared *p = ((rf_operands *)run->state)->scratch;
    *p = (prepared){0};
    status = plan(run, p, error);
  }
  return status;
}

static void execute(roof_kernel_run *run) {
  const prepared *p = ((const rf_operands *)run->state)->scratch;
  cpu_set_t mine = run->threads > 1 ? rf_library_bind(p->cores) : p->cores;
  format_of(run)->execute(p->plan);
  if (run->threads > 1) {
    rf_library_bind(mine);
  }
}

static roof_status check(roof_kernel_run *run, roof_error *error) {
  return rf_fft_check(run, true, error);
}

static void release(roof_kernel_run *run) {
  const rf_operands *o = run->state;
  const prepared *p = o != NULL ? o->scratch : NULL;
  if (p != NULL && p->plan != NULL) {
    pthread_mutex_lock(&planning);
    format_of(run)->forget(p->plan);
    pthread_mutex_unlock(&planning);
  }
  rf_operands_release(run);
}

static const roof_kernel kernels[] = {
    {.name = "fft-fftw",
     .op = "fft",
     .variant = "FFTW",
     .summary = "the transform by a library, its plan measured for up to 5 s",
     .sizes = "n=67108864",
     .quick_sizes = "n=16777216",
     .supports = rf_kernel_is_native,
     .disabled_reason = disabled_reason,
     .library = library,
     .prepare = prepare,
     .execute = execute,
     .check = check,
     .release = release},
};

const rf_kernel_family rf_kernels_fftw = {kernels, sizeof kernels / sizeof kernels[0]};
