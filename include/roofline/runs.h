/** Built-in kernels run: each at one or several sizes, checked, timed, and set against what this machine reaches.
 *
 *  roof_runs_init, roof_runs_select or roof_runs_add for each kernel, roof_runs_measure for each run, then
 *  roof_runs_place.
 *
 *  Example:
 *    extern const roof_backend *cpu; // by roof_backend_find
 *    const char *sizes[] = {"n=4096,65536"};
 *    const roof_kernel *triad;
 *    roof_measure_options how = roof_measure_options_default();
 *    roof_runs runs;
 *    roof_runs_init(&runs, cpu, ROOF_FP64, &how);
 *    if (roof_runs_find(&runs, "triad", &triad, NULL) == ROOF_OK &&
 *        roof_runs_add(&runs, triad, sizes, 1, NULL) == ROOF_OK) {
 *      for (size_t i = 0; i < runs.count; i++) {
 *        roof_runs_measure(&runs, i, NULL);
 *      }
 *    }
 *    roof_runs_done(&runs); */
#ifndef ROOFLINE_RUNS_H
#define ROOFLINE_RUNS_H

#include "roofline/measure.h"
#include "roofline/place.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One kernel at one size. */
typedef struct roof_run {
  roof_measurement measurement; /**< its bytes are through the level that the data are in */
  const roof_kernel *kernel;
  roof_dtype dtype;
  double values[ROOF_PARAM_MAX];
  char point[64];            /**< what makes it differ from the kernel's other sizes, "n=4096", or "" */
  roof_measurement baseline; /**< of the kernel that took turns with it */
  double working_set;        /**< bytes */
  const roof_level *level;   /**< that holds the data; NULL: unknown */
  roof_placed at;            /**< under the machine's ceilings, the data in that level */
  roof_counts counts;        /**< what a profiler counted of one run, where `counted` */
  bool counted;
  char skipped[512]; /**< why it did not run, or "" */
} roof_run;

/** Do not copy. */
typedef struct roof_runs {
  const roof_backend *backend;
  const roof_kernel *baseline; /**< timed in turns with each, or NULL */
  roof_dtype dtype;            /**< ROOF_DTYPE_COUNT: fp32, or what a kernel is written for */
  bool skip;                   /**< what cannot run here is skipped with the reason */
  roof_measure_options how;
  roof_run *list;
  size_t count;
  roof_machine *machine; /**< whose ceilings they are under; NULL: unknown */
  roof_machine *one;     /**< one core of it, for kernels of one thread */
  double taken;          /**< s since 1970 when measuring began */
} roof_runs;

/** No run yet.
 *  Units: none.
 *  Ownership: the caller's; release with roof_runs_done.
 *  Errors: none. */
ROOF_API void roof_runs_init(roof_runs *runs, const roof_backend *backend, roof_dtype dtype,
                             const roof_measure_options *how);

/** Finds a kernel by name, which the backend must run.
 *  Units: none.
 *  Ownership: writes *kernel on success only.
 *  Errors: ROOF_E_NAME. */
ROOF_API roof_status roof_runs_find(const roof_runs *runs, const char *name, const roof_kernel **kernel,
                                    roof_error *error);

/** Adds a run for each size of a kernel: its default shape there under `count` words key=value[,value...].
 *  Units: the parameters'.
 *  Ownership: keeps nothing of the words.
 *  Errors: as roof_shape_parse and roof_shape_point, ROOF_E_ARGUMENT beyond 1000 sizes, ROOF_E_MEMORY. */
ROOF_API roof_status roof_runs_add(roof_runs *runs, const roof_kernel *kernel, const char *const *words,
                                   int count, roof_error *error);

/** Adds the kernels that `words` name, or `all` that the backend runs, those that cannot run being skipped; words
 *  key=value are the sizes of each.
 *  Units: the parameters'.
 *  Ownership: keeps nothing of the words.
 *  Errors: as roof_runs_find and roof_runs_add, ROOF_E_ARGUMENT where no word names a kernel. */
ROOF_API roof_status roof_runs_select(roof_runs *runs, const char *const *words, int count,
                                      roof_error *error);

/** The kernel that takes turns with each of them.
 *  Units: none.
 *  Ownership: none.
 *  Errors: as roof_runs_find, ROOF_E_UNSUPPORTED where the backend times one kernel after the other. */
ROOF_API roof_status roof_runs_baseline(roof_runs *runs, const char *name, roof_error *error);

/** Checks and times one of them, in turns with the baseline where there is one. What cannot run here is skipped where
 *  the runs say so; a wrong result never is.
 *  Units: s.
 *  Ownership: the run keeps its samples.
 *  Errors: as the backend's `run`. */
ROOF_API roof_status roof_runs_measure(roof_runs *runs, size_t index, roof_error *error);

/** Sets what ran under the ceilings of a machine, on as many cores as it ran; NULL: they are unknown.
 *  Units: s.
 *  Ownership: takes `machine` over.
 *  Errors: none. */
ROOF_API void roof_runs_place(roof_runs *runs, roof_machine *machine);

/** The answer in one sentence: which of what ran is furthest from its ceiling.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: out->failed. */
ROOF_API void roof_runs_sentence(const roof_runs *runs, roof_text *out);

/** Appends the roofline.measurements/1 document of what ran, and why the others did not.
 *  Units: s, FLOP, bytes.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_runs_write(const roof_runs *runs, roof_text *out, roof_error *error);

/** Releases what the runs hold.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none. */
ROOF_API void roof_runs_done(roof_runs *runs);

#ifdef __cplusplus
}
#endif
#endif
