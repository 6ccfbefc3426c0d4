/** What a machine really does: backends, ceilings, and timing of kernels.
 *
 *  Example:
 *    const roof_backend *cpu;
 *    roof_machine *machine;
 *    roof_measure_options how = roof_measure_options_default();
 *    if (roof_backend_find("cpu", &cpu, NULL) == ROOF_OK && cpu->disabled_reason() == NULL &&
 *        cpu->measure(&how, &machine, NULL) == ROOF_OK) {
 *      puts(roof_machine_title(machine));
 *      roof_machine_free(machine);
 *    } */
#ifndef ROOFLINE_MEASURE_H
#define ROOFLINE_MEASURE_H

#include "roofline/kernels.h"
#include "roofline/measurement.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Called as work goes on; `done` of `total` steps.
 *  Units: steps.
 *  Ownership: `user` is that of the options; `step` is gone afterwards.
 *  Errors: none. */
typedef void roof_progress(void *user, const char *step, int done, int total);

/** All samples of one ceiling. */
typedef struct roof_windows {
  const char *figure;    /**< "fp64 vector AVX-512, 1 core", "DRAM read" */
  double work;           /**< of a window: FLOP, bytes, cycles or regions */
  const double *seconds; /**< of each window, in the order taken */
  const double *clocks;  /**< Hz read next to each window, NaN: unknown */
  size_t count;
  const size_t *ends; /**< where each round ends */
  int rounds;
} roof_windows;

/** Called once a ceiling.
 *  Units: s, Hz.
 *  Ownership: `user` is keep_user of the options; what `windows` points to is gone afterwards.
 *  Errors: none. */
typedef void roof_windows_sink(void *user, const roof_windows *windows);

/** A sink that appends to the roof_text `user`, empty at first, what becomes a roofline.samples/1 document.
 *  Units: s, Hz.
 *  Ownership: the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_windows_write(void *user, const roof_windows *windows);

/** Completes that document.
 *  Units: none.
 *  Ownership: the caller's text.
 *  Errors: ROOF_E_MEMORY, from here or from before. */
ROOF_API roof_status roof_windows_finish(roof_text *out, roof_error *error);

/** Called with what has been measured, before a part that may not come to its end.
 *  Units: those of roof_machine.
 *  Ownership: `user` is that of the options; `machine` changes afterwards.
 *  Errors: none. */
typedef void roof_machine_sink(void *user, const roof_machine *machine);

typedef struct roof_measure_options {
  bool quick;
  int threads;             /**< 0: one per core allowed */
  const char *device;      /**< number or a part of the name of an accelerator; NULL: the first */
  double seconds_per_item; /**< time budget of one figure; a quick run takes less */
  double precision;        /**< sampling stops when the median's 95 % interval is within this share of it */
  double
      sustain_seconds; /**< `run` keeps a kernel busy for that long before it times it: the clock that lasts, not the
                              first burst; 0: not */
  roof_windows_sink *keep; /**< nullable: takes all samples of each ceiling */
  void *keep_user;
  roof_progress *progress;   /**< nullable */
  roof_machine_sink *so_far; /**< nullable */
  void *user;
  const roof_machine
      *machine; /**< nullable: what was measured of this machine before, for the blocks of its kernels */
} roof_measure_options;

/** What the cores of one domain of memory read of it. NaN: unknown. */
typedef struct roof_domain_read {
  char name[32]; /**< "node 1" */
  double cores;
  double bytes_per_second; /**< of all its cores together: the median of the windows */
  double spread;           /**< their interquartile range over it */
} roof_domain_read;

/** Called once before the windows that count: processes that read several domains at once wait there for each other.
 *  Units: none.
 *  Ownership: `user` is the caller's.
 *  Errors: none. */
typedef void roof_domain_begin(void *user);

/** A way to measure one kind of device: one const struct in a folder of src/measure. */
typedef struct roof_backend {
  const char *name;
  const char *summary;
  const char *machine; /**< what its ceilings are kept under */
  /** NULL when it works here, else why not (static text). */
  const char *(*disabled_reason)(void);
  bool (*on_processor)(void); /**< nullable: true where its accelerator is a processor (PoCL) */
  int (*device_count)(void);  /**< nullable: of its accelerators; NULL: it has no devices to choose from */
  /** Measures the ceilings. Measure and run from one thread of the process at a time.
   *  Units: FLOP/s, bytes/s, s.
   *  Ownership: *machine, set on success only, is the caller's: release with roof_machine_free.
   *  Errors: ROOF_E_UNSUPPORTED with the reason where it cannot work here, ROOF_E_MEMORY. */
  roof_status (*measure)(const roof_measure_options *options, roof_machine **machine, roof_error *error);
  /** Prepares a kernel at completed `values` (roof_kernel_values), checks its result, then times it.
   *  Units: s per call.
   *  Ownership: *out, written on success only, is not initialised by the caller and released with
   *  roof_measurement_done.
   *  Errors: ROOF_E_UNSUPPORTED with the reason where it cannot run here, for one that the data do not fit the memory;
   *  ROOF_E_INTERNAL for a wrong result; ROOF_E_MEMORY. */
  roof_status (*run)(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                     const roof_measure_options *options, roof_measurement *out, roof_error *error);
  /** Nullable: runs two kernels of one operation, each checked first, then timed in turns: out[0].samples[i]
   *  and out[1].samples[i] follow each other.
   *  Units: s per call.
   *  Ownership: as `run`, both.
   *  Errors: as `run`. */
  roof_status (*run_in_turns)(const roof_kernel *const kernels[2], roof_dtype dtype, const double *values,
                              const roof_measure_options *options, roof_measurement out[2],
                              roof_error *error);
  /** Nullable: how many domains of memory have cores that this process may use.
   *  Units: count.
   *  Ownership: none.
   *  Errors: 0 where that is unknown. */
  int (*domain_count)(void);
  /** Nullable: reads the memory of domain `index` with its cores, for about `seconds` behind `begin`.
   *  Units: bytes/s.
   *  Ownership: writes *out on success only.
   *  Errors: ROOF_E_UNSUPPORTED where memory cannot be bound, ROOF_E_MEMORY. `begin` may not have been called then. */
  roof_status (*read_domain)(int index, double seconds, roof_domain_begin *begin, void *user,
                             roof_domain_read *out, roof_error *error);
} roof_backend;

/** Number of backends compiled in.
 *  Units: count.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API int roof_backend_count(void);

/** The backend at `index`.
 *  Units: none.
 *  Ownership: static.
 *  Errors: NULL when out of range. */
ROOF_API const roof_backend *roof_backend_at(int index);

/** Finds a backend by name.
 *  Units: none.
 *  Ownership: writes *backend on success only.
 *  Errors: ROOF_E_NAME with the nearest name. */
ROOF_API roof_status roof_backend_find(const char *name, const roof_backend **backend, roof_error *error);

/** How fast `own` is as a share of `other` that was timed in turns with it: the median over the turns, so
 *  that a clock that drifts does not count.
 *  Units: none.
 *  Ownership: none.
 *  Errors: NaN without samples, or memory. */
ROOF_API double roof_share_in_turns(const roof_measurement *own, const roof_measurement *other);

/** How fast memory was while a kernel was measured, as a share of the rate at which the machine's ceiling was:
 *  some machines have a fast and a slow mode for seconds. A faster mode counts only for what outran the ceiling:
 *  a kernel that stayed under it may be limited otherwise.
 *  Units: none.
 *  Ownership: none.
 *  Errors: NaN where it was the same mode, or the measurement or the machine does not say. */
ROOF_API double roof_memory_pace(const roof_measurement *measurement, const roof_machine *machine);

/** Multiplies the measured rates of a machine's memory by `pace`: its ceilings in another mode.
 *  Units: none.
 *  Ownership: changes the caller's machine.
 *  Errors: none. */
ROOF_API void roof_machine_pace_memory(roof_machine *machine, double pace);

/** The default shape of a kernel on that backend's device here.
 *  Units: none.
 *  Ownership: static.
 *  Errors: none. */
ROOF_API const char *roof_backend_sizes(const roof_backend *backend, const roof_kernel *kernel, bool quick);

/** A kernel that a backend runs, as it is shown. */
typedef struct roof_listed {
  const roof_kernel *kernel;
  const char *name;
  const char *family; /**< of its operation `op` */
  const char *op;
  const char *sizes; /**< its default shape on the backend's device here */
  const char *quick_sizes;
  const char *summary;
  const char *library;  /**< behind it, with its version; NULL: none */
  const char *disabled; /**< why it does not work here; NULL: it does */
} roof_listed;

/** The kernels that a backend runs, by the family of their operation.
 *  Units: none.
 *  Ownership: fills at most `capacity`; roof_kernel_count is enough. Returns how many there are.
 *  Errors: none. */
ROOF_API int roof_backend_kernels(const roof_backend *backend, roof_listed *out, int capacity);

/** Appends them as one roofline.kernels/1 object, what `run --list --json` prints.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_kernels_write(const roof_backend *backend, roof_text *out, roof_error *error);

/** The defaults: not quick, all cores, 0.4 s a figure, to 1 %, silent.
 *  Units: s.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_measure_options roof_measure_options_default(void);

#ifdef __cplusplus
}
#endif
#endif
