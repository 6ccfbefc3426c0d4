/* The clock behind a figure. */
#include "measure/cpu/pace.h"

#include <math.h>
#include <stdlib.h>

#include "core/stats.h"

/** Windows within this share of the figure were as fast as it. */
static const double same = 0.01;

enum { LEAST = 5 };

/** The clock next to window `i` of a round that ends before `end`. */
static double clock_near(const double *clocks, size_t i, size_t end) {
  return i + 1 < end ? fmax(clocks[i], clocks[i + 1]) : clocks[i];
}

/** The clocks next to windows of at most `most` seconds; returns how many are known. */
static size_t gather(const double *seconds, const double *clocks, const size_t *ends, int rounds, double most,
                     double *gathered) {
  size_t count = 0, i = 0;
  for (int r = 0; r < rounds; r++) {
    for (; i < ends[r]; i++) {
      gathered[count] = clock_near(clocks, i, ends[r]);
      count += seconds[i] <= most && !isnan(gathered[count]);
    }
  }
  return count;
}

rf_pace rf_pace_of(const double *seconds, const double *clocks, const size_t *ends, int rounds,
                   double figure_seconds) {
  rf_pace pace = {NAN, NAN};
  size_t windows = rounds > 0 ? ends[rounds - 1] : 0;
  double *sorted = malloc((windows + 1) * sizeof *sorted);
  if (sorted == NULL) {
    return pace;
  }
  size_t count = gather(seconds, clocks, ends, rounds, (1 + same) * figure_seconds, sorted);
  count = count < LEAST ? gather(seconds, clocks, ends, rounds, INFINITY, sorted) : count;
  if (count > 0) {
    rf_stats_sort(sorted, count);
    pace.clock_hz = roof_stats_quantile(sorted, count, 0.5);
    pace.spread = (roof_stats_quantile(sorted, count, 0.9) - roof_stats_quantile(sorted, count, 0.1)) / 2 /
                  pace.clock_hz;
  }
  free(sorted);
  return pace;
}
