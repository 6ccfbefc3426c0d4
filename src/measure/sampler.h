/** Takes samples until the median is known well enough. */
#ifndef MEASURE_SAMPLER_H
#define MEASURE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>

#include "roofline/stats.h"

/** Does the work of one sample and returns how long it took, in seconds. */
typedef double roof_timed(void *user);

/** When to stop: the 95 % interval of the median within 1 % of it to either side, after `least` samples; or
 *  `budget` seconds of samples; or `most` samples. */
typedef struct roof_sampling {
  double calls; /**< in one sample: samples are seconds a call */
  double budget;
  size_t least;
  size_t most;
} roof_sampling;

typedef struct roof_samples {
  double *seconds; /**< a call, in the order taken, without the warm-up */
  size_t count;
  roof_stats stats;
  const char *stopped; /**< why: "interval within 1 %", "time spent", "samples enough" */
} roof_samples;

/** Warms up for a tenth of the budget (once at least), then samples.
 *  Units: s. Ownership: *samples on success only, freed by roof_samples_done. Errors: ROOF_E_MEMORY. */
roof_status roof_sample(roof_timed *timed, void *user, const roof_sampling *sampling, roof_samples *samples,
                        roof_error *error);

/** True when the samples fall into two groups apart from each other, a fifth of them at least in each; then
 * the medians of the groups. Units: s. Ownership: none. Errors: false, too, when out of memory. */
bool roof_samples_modes(const roof_samples *samples, double *fast, double *slow);

/** Frees the samples.
 *  Units: none. Ownership: releases samples->seconds. Errors: none. */
void roof_samples_done(roof_samples *samples);

#endif
