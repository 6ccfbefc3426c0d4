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
  /* Ranks of the median's 95 % interval: n/2 -+ 1.96 sqrt(n)/2 (normal approximation of the binomial). */
  double half = 0.98 * sqrt((double)count);
  double low = floor((double)count / 2 - half), high = ceil((double)count / 2 + half);
  size_t low_rank = low < 0 || count < 6 ? 0 : (size_t)low;
  size_t high_rank = high > (double)(count - 1) || count < 6 ? count - 1 : (size_t)high;
  roof_stats result = {
      .count = count,
      .minimum = samples[0],
      .maximum = samples[count - 1],
      .median = roof_stats_quantile(samples, count, 0.5),
      .quartile_low = roof_stats_quantile(samples, count, 0.25),
      .quartile_high = roof_stats_quantile(samples, count, 0.75),
      .ci_low = samples[low_rank],
      .ci_high = samples[high_rank],
  };
  result.spread = result.median != 0 ? (result.quartile_high - result.quartile_low) / result.median : 0;
  *stats = result;
  return ROOF_OK;
}
