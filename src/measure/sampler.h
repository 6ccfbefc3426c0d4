/** Takes samples until the median is known well enough. */
#ifndef MEASURE_SAMPLER_H
#define MEASURE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>

#include "host/clock.h"
#include "roofline/stats.h"

/** Does the work of one sample and returns how long it took, in seconds. */
typedef double rf_timed(void *user);

/** When to stop: the 95 % interval of the median within `precision` of it to either side, after `least`
 *  samples; or `budget` seconds of samples; or `most` samples. */
typedef struct rf_sampling {
  double calls; /**< in one sample: samples are seconds per call */
  double budget;
  double span; /**< s of samples at least, of the budget */
  size_t least;
  size_t most;
  double precision;  /**< 0.01: within 1 % */
  rf_timed *width;   /**< of the narrowest core that works, just now (rf_clock_width); NULL: nobody knows */
  rf_widest *widest; /**< that such cores ever were; less wide ones are shared */
  bool whole_only;   /**< samples with whole cores count alone, where there are enough */
} rf_sampling;

typedef struct rf_samples {
  double *seconds; /**< a call, in the order taken, without the warm-up */
  size_t count;
  size_t warm_up;   /**< samples dropped before them */
  double shared;    /**< share of those taken while something shared a core; NaN: nobody looked */
  double disturbed; /**< the same of those that count */
  bool settled;     /**< the warm-up ended because times no longer changed, not because its time was spent */
  size_t outliers;  /**< more than RF_OUTLIER deviations by MAD from the median; kept */
  roof_stats stats;
  char stopped[32]; /**< why: "interval within 1 %", "time spent", "samples enough" */
} rf_samples;

#define RF_OUTLIER 5.0

/** Runs until the median of a stretch of times, three and 5 ms at least, is within 2 % of that of the stretch before, or
 *  `most` seconds are spent, once at least. Times that are not positive count as `most`.
 *  Units: s.
 *  Ownership: *settled may be NULL.
 *  Errors: none; returns how often it ran. */
size_t rf_warm_up(rf_timed *timed, void *user, double most, bool *settled);

/** Warms up for a fifth of the budget at most, then samples. With `whole_only` those samples count
 *  that had the widest cores before and after them, if they are `least`; it looks for them until the
 *  budget is spent while they are under a tenth.
 *  Units: s. Ownership: *samples on success only, freed by rf_samples_done. Errors: ROOF_E_MEMORY,
 *  ROOF_E_UNSUPPORTED for a time that is not a positive number. */
roof_status rf_sample(rf_timed *timed, void *user, const rf_sampling *sampling, rf_samples *samples,
                      roof_error *error);

/** Builds samples from `count` interleaved timings in seconds per call; warm-up and stop reason are taken
 *  from `like`.
 *  Units: s. Ownership: *samples on success only, freed by rf_samples_done. Errors: ROOF_E_MEMORY,
 *  ROOF_E_UNSUPPORTED for a time that is not a positive number. */
roof_status rf_samples_like(const rf_samples *like, const double *seconds, size_t count, rf_samples *samples,
                            roof_error *error);

/** Says why sampling ended when the interval was tight enough: "interval within 1 %".
 *  Units: a share. Ownership: fills `text` (32 bytes). Errors: none. */
void rf_sampling_say(char *text, double precision);

/** Fills in what the samples say.
 *  Units: none. Ownership: none. Errors: none. */
void rf_samples_conditions(const rf_samples *samples, double precision, roof_conditions *conditions);

/** True when the samples fall into two groups apart from each other, a fifth of them at least in each; then
 *  the medians of the groups.
 *  Units: s.
 *  Ownership: none.
 *  Errors: false, too, when out of memory. */
bool rf_samples_modes(const rf_samples *samples, double *fast, double *slow);

/** Frees the samples.
 *  Units: none. Ownership: releases samples->seconds. Errors: none. */
void rf_samples_done(rf_samples *samples);

#endif
