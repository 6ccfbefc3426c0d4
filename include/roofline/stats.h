/** Order statistics of samples. */
#ifndef ROOFLINE_STATS_H
#define ROOFLINE_STATS_H

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
 *  Units: the samples'. Ownership: writes *stats on success only.
 *  Errors: ROOF_E_ARGUMENT without samples or with one that is not finite. */
ROOF_API roof_status roof_stats_of(double *samples, size_t count, roof_stats *stats, roof_error *error);

/** The `fraction` quantile (0 to 1) of sorted samples, linearly interpolated.
 *  Units: the samples'. Ownership: none. Errors: NaN without samples. */
ROOF_API double roof_stats_quantile(const double *sorted, size_t count, double fraction);

#ifdef __cplusplus
}
#endif
#endif
