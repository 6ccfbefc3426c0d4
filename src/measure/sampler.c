#include "measure/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double precision = 0.01;

static void warm_up(roof_timed *timed, void *user, double budget) {
  double spent = 0;
  do {
    double seconds = timed(user);
    spent += seconds > 0 ? seconds : budget;
  } while (spent < budget / 10);
}

/** Statistics without disturbing the order of `seconds`. */
static roof_status summarise(const double *seconds, size_t count, roof_stats *stats, roof_error *error) {
  double *sorted = malloc(count * sizeof *sorted);
  if (sorted == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "samples: out of memory");
  }
  memcpy(sorted, seconds, count * sizeof *sorted);
  roof_status status = roof_stats_of(sorted, count, stats, error);
  free(sorted);
  return status;
}

static const char *why_stop(const roof_sampling *sampling, const roof_stats *stats, double spent) {
  double half = fmax(stats->ci_high - stats->median, stats->median - stats->ci_low);
  if (stats->count >= sampling->least && half <= precision * stats->median) {
    return "interval within 1 %";
  }
  if (spent >= sampling->budget) {
    return "time spent";
  }
  return stats->count >= sampling->most ? "samples enough" : NULL;
}

roof_status roof_sample(roof_timed *timed, void *user, const roof_sampling *sampling, roof_samples *samples,
                        roof_error *error) {
  roof_samples s = {.seconds = malloc(sampling->most * sizeof *s.seconds)};
  if (s.seconds == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "samples: out of memory");
  }
  roof_status status = ROOF_OK;
  double spent = 0;
  warm_up(timed, user, sampling->budget);
  while (s.stopped == NULL && status == ROOF_OK) {
    size_t next = s.count + s.count / 8 + 1; /* sorting at every sample would cost more than the samples */
    while (s.count < next && s.count < sampling->most && (s.count == 0 || spent < sampling->budget)) {
      double seconds = timed(user);
      s.seconds[s.count++] = seconds / sampling->calls;
      spent += seconds;
    }
    status = summarise(s.seconds, s.count, &s.stats, error);
    s.stopped = status == ROOF_OK ? why_stop(sampling, &s.stats, spent) : NULL;
  }
  if (status != ROOF_OK) {
    free(s.seconds);
    return status;
  }
  *samples = s;
  return ROOF_OK;
}

/** The widest step between neighbours of `sorted` that leaves `least` on either side. */
static size_t widest_step(const double *sorted, size_t count, size_t least) {
  size_t widest = least;
  for (size_t i = least; i + least <= count; i++) {
    if (sorted[i] / sorted[i - 1] > sorted[widest] / sorted[widest - 1]) {
      widest = i;
    }
  }
  return widest;
}

bool roof_samples_modes(const roof_samples *samples, double *fast, double *slow) {
  static const double apart = 1.15;
  size_t count = samples->count, least = count / 5 + 1;
  double *sorted = malloc(count * sizeof *sorted);
  if (sorted == NULL || 2 * least > count) {
    free(sorted);
    return false;
  }
  memcpy(sorted, samples->seconds, count * sizeof *sorted);
  roof_stats stats;
  bool two = false;
  if (roof_stats_of(sorted, count, &stats, NULL) == ROOF_OK) {
    size_t step = widest_step(sorted, count, least);
    /* Windows that were interrupted are slow in all degrees: that is no mode. */
    double slow_spread = roof_stats_quantile(sorted + step, count - step, 0.75) /
                         roof_stats_quantile(sorted + step, count - step, 0.25);
    two = sorted[step] > apart * sorted[step - 1] && slow_spread < apart;
    *fast = two ? roof_stats_quantile(sorted, step, 0.5) : *fast;
    *slow = two ? roof_stats_quantile(sorted + step, count - step, 0.5) : *slow;
  }
  free(sorted);
  return two;
}

void roof_samples_done(roof_samples *samples) {
  free(samples->seconds);
  *samples = (roof_samples){0};
}
