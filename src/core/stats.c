#include "roofline/stats.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double roof_stats_quantile(const double *sorted, size_t count, double fraction) {
  if (count == 0) {
    return NAN;
  }
  double position = fraction * (double)(count - 1);
  size_t below = (size_t)position;
  if (below + 1 >= count) {
    return sorted[count - 1];
  }
  return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

roof_status roof_stats_of(double *samples, size_t count, roof_stats *stats, roof_error *error) {
  if (count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "statistics: no samples");
  }
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(samples[i])) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "statistics: sample %zu is not finite", i + 1);
    }
  }
  qsort(samples, count, sizeof *samples, ascending);
  /* The median lies under the sample of rank r (from 0) with the chance of at most r heads in `count` tosses:
   * r for 2.5 %, in the normal approximation of the binomial with its continuity correction. */
  double rank = floor((double)count / 2 - 0.98 * sqrt((double)count) - 0.5);
  size_t outside = rank > 0 ? (size_t)rank : 0;
  roof_stats result = {
      .count = count,
      .minimum = samples[0],
      .maximum = samples[count - 1],
      .median = roof_stats_quantile(samples, count, 0.5),
      .quartile_low = roof_stats_quantile(samples, count, 0.25),
      .quartile_high = roof_stats_quantile(samples, count, 0.75),
      .ci_low = samples[outside],
      .ci_high = samples[count - 1 - outside],
  };
  result.spread = result.median != 0 ? (result.quartile_high - result.quartile_low) / result.median : 0;
  *stats = result;
  return ROOF_OK;
}
