#include "core/stats.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void rf_stats_sort(double *values, size_t count) {
  qsort(values, count, sizeof *values, ascending);
}

double roof_stats_quantile(const double *sorted, size_t count, double fraction) {
  if (count == 0 || isnan(fraction)) {
    return NAN;
  }
  double position = fmin(fmax(fraction, 0), 1) * (double)(count - 1);
  size_t below = (size_t)position;
  if (below + 1 >= count) {
    return sorted[count - 1];
  }
  return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

double rf_stats_quantile(double *values, size_t count, double fraction) {
  rf_stats_sort(values, count);
  return roof_stats_quantile(values, count, fraction);
}

static roof_status sort_samples(double *samples, size_t count, roof_error *error) {
  if (count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "statistics: no samples");
  }
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(samples[i])) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "statistics: sample %zu is not finite", i + 1);
    }
  }
  rf_stats_sort(samples, count);
  return ROOF_OK;
}

roof_status roof_stats_of(double *samples, size_t count, roof_stats *stats, roof_error *error) {
  roof_status status = sort_samples(samples, count, error);
  if (status != ROOF_OK) {
    return status;
  }
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

/** The median distance from `center`, walking outwards from it on both sides of the sorted samples. */
static double median_distance(const double *sorted, size_t count, double center) {
  size_t above = 0;
  while (above < count && sorted[above] < center) {
    above++;
  }
  double distance = 0;
  for (size_t below = above, taken = 0; taken <= count / 2; taken++) {
    double down = below > 0 ? center - sorted[below - 1] : INFINITY;
    double up = above < count ? sorted[above] - center : INFINITY;
    distance = fmin(down, up);
    below -= down <= up;
    above += up < down;
  }
  return distance;
}

size_t roof_stats_outliers(const double *sorted, size_t count, double factor) {
  if (count == 0) {
    return 0;
  }
  double center = roof_stats_quantile(sorted, count, 0.5);
  double most = factor * 1.4826 * median_distance(sorted, count, center);
  size_t outliers = 0;
  for (size_t i = 0; i < count; i++) {
    outliers += most > 0 && fabs(sorted[i] - center) > most;
  }
  return outliers;
}

enum { EXACT_MAX = 20 };

/** Walks both sorted lists together. `ties` is the sum of t^3 - t over the groups of equal values. */
static double count_pairs(const double *a, size_t n, const double *b, size_t m, double *ties) {
  double u = 0;
  *ties = 0;
  for (size_t i = 0, j = 0; i < n || j < m;) {
    double value = j >= m || (i < n && a[i] <= b[j]) ? a[i] : b[j];
    size_t in_a = 0, in_b = 0, below = j;
    for (; i < n && a[i] == value; i++) {
      in_a++;
    }
    for (; j < m && b[j] == value; j++) {
      in_b++;
    }
    double group = (double)(in_a + in_b);
    u += (double)in_a * ((double)below + (double)in_b / 2);
    *ties += group * group * group - group;
  }
  return u;
}

/** Share of the orders of n and m distinct values with U of at least `u`: the coefficients of the Gaussian
 * binomial, the product of (1 - q^(m+i)) / (1 - q^i) for i = 1..n. */
static double exact_tail(size_t n, size_t m, double u) {
  double orders[EXACT_MAX * EXACT_MAX + 1] = {1};
  size_t last = n * m;
  for (size_t i = 1; i <= n; i++) {
    for (size_t k = last; k >= m + i; k--) {
      orders[k] -= orders[k - m - i];
    }
    for (size_t k = i; k <= last; k++) {
      orders[k] += orders[k - i];
    }
  }
  double all = 0, tail = 0;
  for (size_t k = 0; k <= last; k++) {
    all += orders[k];
    tail += (double)k >= u ? orders[k] : 0;
  }
  return tail / all;
}

/** The same from the normal curve, with continuity and tie corrections; 1 where all values are equal. */
static double normal_tail(double n, double m, double u, double ties) {
  double all = n + m;
  double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
  return variance > 0 ? 0.5 * erfc((u - 0.5 - n * m / 2) / sqrt(2 * variance)) : 1;
}

roof_status roof_stats_mann_whitney(double *a, size_t count_a, double *b, size_t count_b,
                                    roof_rank_test *test, roof_error *error) {
  roof_status status = sort_samples(a, count_a, error);
  if (status == ROOF_OK) {
    status = sort_samples(b, count_b, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  double n = (double)count_a, m = (double)count_b, ties;
  roof_rank_test result = {.u = count_pairs(a, count_a, b, count_b, &ties)};
  result.exact = ties == 0 && count_a <= EXACT_MAX && count_b <= EXACT_MAX;
  double far = fmax(result.u, n * m - result.u);
  double tail = result.exact ? exact_tail(count_a, count_b, far) : normal_tail(n, m, far, ties);
  result.p_greater =
      result.exact ? exact_tail(count_a, count_b, result.u) : normal_tail(n, m, result.u, ties);
  result.p = fmin(1, 2 * tail);
  result.least = exp(lgamma(n + 1) + lgamma(m + 1) - lgamma(n + m + 1));
  *test = result;
  return ROOF_OK;
}
