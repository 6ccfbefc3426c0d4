/** How far predictions are from what others measured.
 *
 *  Example:
 *    extern const roof_profile *timings; // by roof_import, of a file that gives shapes
 *    roof_options options = roof_options_default();
 *    roof_accuracy accuracy;
 *    if (roof_accuracy_of(timings, NULL, &options, &accuracy, NULL) == ROOF_OK) {
 *      printf("%zu timings, median error %.1f %%\n", accuracy.all.count, 100 * accuracy.all.median);
 *      roof_accuracy_done(&accuracy);
 *    } */
#ifndef ROOFLINE_ACCURACY_H
#define ROOFLINE_ACCURACY_H

#include "roofline/draw.h"
#include "roofline/import.h"
#include "roofline/predict.h"
#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, key, title): what timings are taken together by. */
#define ROOF_ACCURACY_MAP(X)                                                                                 \
  X(ROOF_ACCURACY_DEVICE, "device", "device")                                                                \
  X(ROOF_ACCURACY_KERNEL, "kernel", "kind of kernel")                                                        \
  X(ROOF_ACCURACY_OPERATION, "operation", "operation")                                                       \
  X(ROOF_ACCURACY_FORMAT, "format", "format")                                                                \
  X(ROOF_ACCURACY_DURATION, "duration", "measured time")                                                     \
  X(ROOF_ACCURACY_HOW, "how", "run by")                                                                      \
  X(ROOF_ACCURACY_MODEL, "model", "model")

typedef enum roof_accuracy_by {
#define ROOF_ACCURACY_ENUM(symbol, key, title) symbol,
  ROOF_ACCURACY_MAP(ROOF_ACCURACY_ENUM)
#undef ROOF_ACCURACY_ENUM
      ROOF_ACCURACY_COUNT
} roof_accuracy_by;

/** Errors of some timings. An error is predicted / measured - 1, a share; without its sign unless said. */
typedef struct roof_accuracy_line {
  char name[ROOF_NAME_MAX];
  size_t count;
  double median;
  double mean;
  double p90;
  double bias;         /**< median of the errors with their sign */
  double bound_median; /**< of the lower bound alone, the bare roofline, taken as a prediction */
  double inside;       /**< share of the timings within expected_low to expected_high */
  double below;        /**< share of the timings faster than 98 % of the lower bound */
} roof_accuracy_line;

/** Timings that could not be judged, and why. */
typedef struct roof_accuracy_gap {
  char why[512];
  size_t count;
} roof_accuracy_gap;

/** One timing, and what was predicted. */
typedef struct roof_accuracy_point {
  const char *what; /**< a kind of kernel, or a figure of a whole model: static */
  double expected;  /**< s */
  double measured;  /**< s */
} roof_accuracy_point;

typedef struct roof_accuracy {
  roof_accuracy_line all;
  roof_accuracy_line *lines[ROOF_ACCURACY_COUNT]; /**< most timings first; durations ascend */
  size_t line_count[ROOF_ACCURACY_COUNT];
  roof_accuracy_point *points; /**< all.count of them */
  roof_accuracy_gap *gaps;
  size_t gap_count;
} roof_accuracy;

/** The key of a grouping, as in JSON: "device".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_accuracy_key(roof_accuracy_by by);

/** What a grouping is called in a table's header: "measured time".
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: "?" for a value out of range. */
ROOF_API const char *roof_accuracy_title(roof_accuracy_by by);

/** Predicts every timing of a profile whose shape is known, and every run of a whole model, on `machine`, or where that is
 *  NULL on the catalogue's machine of the timing's own device, and compares. A run's TTFT and TPOT are those of requests
 *  one after another (roof_model_continuous), and where both are timed of a closed loop there is their sum, a request.
 *  Units: shares.
 *  Ownership: fills *accuracy on success only; release with roof_accuracy_done.
 *  Errors: ROOF_E_ARGUMENT when no timing can be judged, with the first reason; ROOF_E_MEMORY; as
 *  roof_target_init for the options. */
ROOF_API roof_status roof_accuracy_of(const roof_profile *profile, const roof_machine *machine,
                                      const roof_options *options, roof_accuracy *accuracy,
                                      roof_error *error);

/** The same with the runs of closed loops simulated event by event (roof_service_run): TTFT and TPOT at 50 %, and the mean time of a
 *  request, the inverse of the throughput that so many requests at once get. Some milliseconds to a second for each run.
 *  Units: shares.
 *  Ownership: as roof_accuracy_of.
 *  Errors: as roof_accuracy_of. */
ROOF_API roof_status roof_accuracy_simulated(const roof_profile *profile, const roof_machine *machine,
                                             const roof_options *options, roof_accuracy *accuracy,
                                             roof_error *error);

/** Releases what roof_accuracy_of filled.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none; one full of zeros is fine. */
ROOF_API void roof_accuracy_done(roof_accuracy *accuracy);

/** Writes it as roofline.accuracy/1. `machine` may be NULL, as for roof_accuracy_of.
 *  Units: shares.
 *  Ownership: appends to `out`.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_accuracy_write(const roof_accuracy *accuracy, const roof_machine *machine,
                                         roof_text *out, roof_error *error);

/** Measured over predicted times: the median of each kind of kernel next to the line of those that are as predicted, and
 *  beneath it how many times the expected one tenth, half and nine tenths of the timings took. Some hundred kilobytes:
 *  best allocated.
 *  Units: s.
 *  Ownership: fills *chart on success only.
 *  Errors: ROOF_E_ARGUMENT when fewer than two lengths of time are known; ROOF_E_MEMORY. */
ROOF_API roof_status roof_accuracy_chart(const roof_accuracy *accuracy, roof_curves *chart,
                                         roof_error *error);

/** Whether it has runs of whole models.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_profile_has_runs(const roof_profile *profile);

/** TTFT and TPOT of the runs in a serving benchmark's result as measurements of what was sealed of them (roof_model_served_sealings):
 *  each of the one label that is of its model, plan and requests at once, and of its tokens within a tenth, of the first
 *  `open` ones; the others have a measurement. What has none is skipped, with the reason. The profile keeps texts.
 *  Units: s.
 *  Ownership: appends to *all; release it in any case.
 *  Errors: ROOF_E_GATE where no run has a label, with the first reason; ROOF_E_ARGUMENT without a run; ROOF_E_MEMORY. */
ROOF_API roof_status roof_served_measurements(roof_profile *profile, char (*labels)[ROOF_LABEL_MAX],
                                              size_t count, size_t open, roof_measurements *all,
                                              roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
