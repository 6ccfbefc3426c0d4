/** Order statistics of samples.
 *
 *  Example:
 *    double samples[] = {3e-6, 1e-6, 2e-6};
 *    roof_stats stats;
 *    if (roof_stats_of(samples, 3, &stats, NULL) == ROOF_OK) {
 *      printf("%g s, spread %g\n", stats.median, stats.spread);
 *    } */
#ifndef ROOFLINE_STATS_H
#define ROOFLINE_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "roofline/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct roof_stats {
  size_t count;
  double minimum;
  double maximum;
  double median;
  double quartile_low;
  double quartile_high;
  double ci_low; /**< 95 % interval of the median by order statistics; the extremes of few samples */
  double ci_high;
  double spread; /**< (quartile_high - quartile_low) / median */
} roof_stats;

/** Summarises `count` samples; sorts `samples` in place.
 *  Units: the samples'.
 *  Ownership: writes *stats on success only.
 *  Errors: ROOF_E_ARGUMENT without samples or with one that is not finite. */
ROOF_API roof_status roof_stats_of(double *samples, size_t count, roof_stats *stats, roof_error *error);

/** The `fraction` quantile of sorted samples, linearly interpolated: of 0 and less the least, of 1 and more the largest.
 *  Units: the samples'.
 *  Ownership: none.
 *  Errors: NaN without samples, and for NaN. */
ROOF_API double roof_stats_quantile(const double *sorted, size_t count, double fraction);

/** Samples farther from the median than `factor` deviations, a deviation being the median of all distances
 *  from the median times 1.4826 (the standard deviation of a normal curve); 0 where more than half are equal.
 *  Units: count.
 *  Ownership: none; `sorted` ascends.
 *  Errors: none. */
ROOF_API size_t roof_stats_outliers(const double *sorted, size_t count, double factor);

enum { ROOF_ROUND_MAX = 8 };

/** How well a figure was measured: what its samples did, and the machine while they were taken. Unknown:
 *  NaN. */
typedef struct roof_conditions {
  double samples;         /**< kept */
  double warm_up_samples; /**< before them, dropped */
  double spread;          /**< (quartile_high - quartile_low) / median */
  double shared;          /**< share of those taken while something shared a core */
  double disturbed;       /**< the same of those that count */
  double outliers;        /**< samples more than 5 deviations (by MAD) from the median; all are kept */
  double per_cycle;       /**< FLOP or bytes per core and cycle */
  double clock_before_hz; /**< just before it, without the load */
  double clock_hz;        /**< while it was measured */
  double clock_after_hz;
  double clock_spread; /**< of clock_hz: half of what lies between its 10th and 90th percentile, relative */
  double clock_drift;  /**< (highest - lowest) / median of the rounds' clocks */
  double voluntary_switches;
  double involuntary_switches;   /**< another task took a processor */
  double stolen_seconds;         /**< the hypervisor took, all processors */
  double load;                   /**< tasks that wanted to run: the mean of the last minute */
  double rounds[ROOF_ROUND_MAX]; /**< the figure as each round alone would have it */
  int round_count;
  char stopped[32]; /**< why sampling ended */
  char noisy[96];   /**< why the figure is not to be relied on, "" when it is */
} roof_conditions;

/** Whether the samples of `a` tend to be larger than those of `b`: the Mann-Whitney U test. */
typedef struct roof_rank_test {
  double u;         /**< pairs in which a is larger, ties counting half */
  double p_greater; /**< chance of such a U or a larger one when there is no difference */
  double p;         /**< of one as far from the middle on either side */
  double least;     /**< the smallest p_greater that so many samples can give: 1 / C(a + b, a) */
  bool exact;       /**< all orders counted, else the normal approximation, corrected for ties */
} roof_rank_test;

/** Sets every number to NaN, every text to "".
 *  Units: none.
 *  Ownership: the caller's storage.
 *  Errors: none. */
ROOF_API void roof_conditions_init(roof_conditions *conditions);

/** Exact up to 20 samples per side without ties. Sorts both in place.
 *  Units: none.
 *  Ownership: writes *test on success only.
 *  Errors: ROOF_E_ARGUMENT without samples on a side or with one that is not finite. */
ROOF_API roof_status roof_stats_mann_whitney(double *a, size_t count_a, double *b, size_t count_b,
                                             roof_rank_test *test, roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
