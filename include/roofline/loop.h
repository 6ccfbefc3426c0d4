/** The main job: measure a machine, seal predictions for the built-in kernels, run and record them, reconcile, report.
 *
 *  Example:
 *    roof_loop loop;
 *    roof_loop_options options = roof_loop_options_default();
 *    roof_status status = roof_backend_find("fake", &options.backend, NULL);
 *    status = status == ROOF_OK ? roof_loop_init(&loop, &options, NULL) : status;
 *    if (status == ROOF_OK && roof_loop_run(&loop, NULL) == ROOF_OK) {
 *      char line[ROOF_LOOP_LINE];
 *      puts(roof_loop_sentence(&loop, line, sizeof line));
 *    }
 *    if (status == ROOF_OK) {
 *      roof_loop_done(&loop);
 *    } */
#ifndef ROOFLINE_LOOP_H
#define ROOFLINE_LOOP_H

#include "roofline/ledger.h"
#include "roofline/measure.h"
#include "roofline/time.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ROOF_LOOP_LINE = 640 };

typedef struct roof_loop_options {
  const roof_backend *backend; /**< what measures; it must work here */
  roof_dtype dtype;
  const char *ledger;       /**< where predictions are sealed and measurements recorded */
  const char *commit;       /**< as roof_ledger_options */
  const char *key;          /**< too: signs what is sealed and recorded */
  roof_measure_options how; /**< `quick`: smaller shapes too */
} roof_loop_options;

/** Which cores run a kernel. */
typedef enum roof_loop_cores { ROOF_LOOP_ALL, ROOF_LOOP_ALONE, ROOF_LOOP_CORES_COUNT } roof_loop_cores;

enum { ROOF_LOOP_SHAPE = 96 };

/** One built-in kernel of the loop at one size on some cores. */
typedef struct roof_loop_kernel {
  const roof_kernel *kernel;
  bool shown;            /**< at its default size on the cores it is written for: one row per kernel */
  roof_loop_cores cores; /**< one core runs it, or all */
  roof_level_kind level; /**< that holds its data; of a default size what the machine says is the outermost */
  char shape[ROOF_LOOP_SHAPE]; /**< "n=33554432" */
  double values[ROOF_PARAM_MAX];
  char label[ROOF_LABEL_MAX];
  char skipped[512]; /**< why it did not run, or "" */
  roof_prediction
      prediction;      /**< the machine's bounds, the time expected of this kernel: roof_kernel_predict */
  char constants[160]; /**< where those of its expected time are from, or "" where none are known */
  double measured_seconds;
  double noise;       /**< how far that may be off, as a share of it; NaN unknown */
  double disturbed;   /**< share of its samples while something shared a core; NaN unknown */
  double memory_pace; /**< as that of the measurement */
  char how[256];      /**< samples, spread and the backend's note */
  roof_reconciled reconciled;
  roof_placed placed; /**< under the measured ceilings */
  char again[256];    /**< what the second measurement said, or "" */
} roof_loop_kernel;

/** Do not copy: the predictions point into it. */
typedef struct roof_loop {
  roof_loop_options options;
  roof_machine *machine; /**< as it was measured */
  roof_target target;
  roof_machine *one_core;                  /**< the same machine as far as one core can use it */
  roof_target alone;                       /**< of it, for kernels of one thread */
  roof_target warm[ROOF_LOOP_CORES_COUNT]; /**< with the data in the level that holds them */
  struct rf_calibration *calibration;      /**< NULL: an accelerator, which is not calibrated */
  roof_loop_kernel *kernels;
  int count;
  int done;                          /**< shown kernels that ran */
  char sealed_at[ROOF_TIME_MAX];     /**< when all predictions were sealed, "" before */
  char sealed_head[ROOF_DIGEST_MAX]; /**< of the ledger then */
} roof_loop;

/** How far the sealed expectations are from what was measured then, over kernels, levels and cores. */
typedef struct roof_loop_accuracy {
  int points;
  int levels;       /**< that hold the data of some */
  bool alone;       /**< some ran on one core of several */
  double median;    /**< of |expected / measured - 1|; NaN without points */
  double ninetieth; /**< its 90th percentile */
  double coverage;  /**< share of them inside their interval */
  int looked;       /**< points whose cores were looked at */
  int whole;        /**< of them, those most of whose samples had the cores for themselves */
  double whole_median, whole_ninetieth; /**< of these; NaN without any */
} roof_loop_accuracy;

/** No backend, fp32, the ledger `roofline.ledger`, roof_measure_options_default.
 *  Units: none.
 *  Ownership: by value.
 *  Errors: none. */
ROOF_API roof_loop_options roof_loop_options_default(void);

/** Chooses the kernels: those of the loop that the backend runs, each at its default size.
 *  Units: none.
 *  Ownership: fills *loop on success only; release with roof_loop_done. The texts of `options` must outlive it.
 *  Errors: ROOF_E_UNSUPPORTED where no kernel is written for the format, ROOF_E_MEMORY. */
ROOF_API roof_status roof_loop_init(roof_loop *loop, const roof_loop_options *options, roof_error *error);

/** Measures the machine and keeps it in the catalogue. On a processor adds each kernel at a size for each cache, on one
 *  core and on all, and calibrates: times built-in kernels and fits the constants of expected times to them, those of
 *  one kernel to the timings of the others alone; the machine keeps those fitted to all. Seals a prediction for every kernel that can run before any is
 *  measured; runs, records and reconciles them, and measures once more what came out too good, of which the second figure counts unless it confirms the
 *  first. A kernel that
 *  cannot run is skipped with its reason.
 *  Units: s.
 *  Ownership: the loop's.
 *  Errors: as the backend's `measure`, roof_catalog_save, roof_ledger_seal, roof_ledger_verify and
 *  roof_ledger_record. */
ROOF_API roof_status roof_loop_run(roof_loop *loop, roof_error *error);

/** How far the expectations were off.
 *  Units: shares.
 *  Ownership: fills *accuracy.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_loop_accuracy_of(const roof_loop *loop, roof_loop_accuracy *accuracy,
                                           roof_error *error);

/** The same in words: "off by 6.1 % (median), 17 % (90th percentile); 81 % inside"; "" where nothing ran.
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_loop_accuracy_sentence(const roof_loop_accuracy *accuracy, char *buffer, size_t size);

/** How far they were off on cores that nothing shared: "36 of 53 shared a core with something; the other 17 off by 6.1 %, 90th
 *  percentile 17 %"; "" where none did.
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_loop_sharing_sentence(const roof_loop_accuracy *accuracy, char *buffer, size_t size);

/** "L2, 1 core": where a kernel's data are and what runs it.
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_loop_place(const roof_loop *loop, const roof_loop_kernel *kernel, char *buffer,
                               size_t size);

/** The answer in one sentence.
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_loop_sentence(const roof_loop *loop, char *buffer, size_t size);

/** True for a kernel whose time may be off by more than a tenth: its verdict is of a noisy measurement.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_loop_is_noisy(const roof_loop_kernel *kernel);

/** "normal, noisy": the verdict that `reconcile` gives too, as it is shown.
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_loop_verdict(const roof_loop_kernel *kernel, char *buffer, size_t size);

/** "49.0 +-5.1 %": the share of the ceiling, and how far it may be off where that is known.
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_loop_share(const roof_loop_kernel *kernel, char *buffer, size_t size);

/** In which mode memory was where that is another than its ceiling's: "memory ran at 50 % of its ceiling for 5
 *  kernels: shares of that"; "" where it was the same.
 *  Units: none.
 *  Ownership: writes to and returns `buffer` (ROOF_LOOP_LINE is enough).
 *  Errors: cut to `size`. */
ROOF_API char *roof_loop_mode(const roof_loop *loop, char *buffer, size_t size);

/** Why the verdict, or why it was skipped.
 *  Units: none.
 *  Ownership: fills the caller's buffer, returns it.
 *  Errors: truncates to `size`. */
ROOF_API char *roof_loop_because(const roof_loop_kernel *kernel, char *buffer, size_t size);

/** Appends the kernels as one roofline.reconcile/1 object, what `loop --json` prints; `report` is the name of the
 *  report.
 *  Units: s.
 *  Ownership: appends to the caller's `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_loop_write(const roof_loop *loop, const char *report, roof_text *out,
                                     roof_error *error);

/** Appends the report: one HTML page with the roofline, the kernels, why, the ceilings and how it was measured.
 *  Units: none.
 *  Ownership: appends to the caller's `out`.
 *  Errors: as roof_draw_svg. */
ROOF_API roof_status roof_loop_write_html(const roof_loop *loop, roof_text *out, roof_error *error);

/** Releases what the loop holds.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none. */
ROOF_API void roof_loop_done(roof_loop *loop);

#ifdef __cplusplus
}
#endif
#endif
