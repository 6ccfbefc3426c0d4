#include "measure/sampler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"

static double middle(const double *three) {
  return fmax(fmin(three[0], three[1]), fmin(fmax(three[0], three[1]), three[2]));
}

size_t rf_warm_up(rf_timed *timed, void *user, double most, bool *settled) {
  static const double steady = 0.02;
  double last[6] = {0}, spent = 0;
  bool still = false;
  size_t count = 0;
  while (!still && spent < most) {
    double seconds = timed(user);
    spent += seconds > 0 ? seconds : most;
    last[count++ % 6] = seconds;
    if (count % 3 == 0 && count >= 6) {
      double one = middle(last), other = middle(last + 3);
      still = fabs(one - other) <= steady * fmin(one, other);
    }
  }
  if (settled != NULL) {
    *settled = still;
  }
  return count;
}

/** Statistics without disturbing the order of `seconds`. */
static roof_status summarise(rf_samples *s, roof_error *error) {
  double *sorted = malloc(s->count * sizeof *sorted);
  if (sorted == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "samples: out of memory");
  }
  memcpy(sorted, s->seconds, s->count * sizeof *sorted);
  roof_status status = roof_stats_of(sorted, s->count, &s->stats, error);
  s->outliers = roof_stats_outliers(sorted, s->count, RF_OUTLIER);
  free(sorted);
  return status;
}

void rf_sampling_say(char *text, double precision) {
  rf_format(text, 32, "interval within %.3g %%", 100 * precision);
}

/** Fills in `stopped` when it is time to. */
static void decide(const rf_sampling *sampling, double spent, rf_samples *s) {
  const roof_stats *stats = &s->stats;
  double half = fmax(stats->ci_high - stats->median, stats->median - stats->ci_low);
  if (stats->count >= sampling->least && half <= sampling->precision * stats->median) {
    rf_sampling_say(s->stopped, sampling->precision);
  } else if (spent >= sampling->budget || stats->count >= sampling->most) {
    strcpy(s->stopped, spent >= sampling->budget ? "time spent" : "samples enough");
  }
}

/** Refuses what no clock can give. */
static roof_status check_time(size_t number, double seconds, roof_error *error) {
  return seconds > 0 && !isinf(seconds)
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED,
                              "sample %zu: took %g s by this machine's clock, which is not possible", number,
                              seconds);
}

/** More samples until `next` are there or the time is spent. */
static roof_status take(rf_timed *timed, void *user, const rf_sampling *sampling, size_t next, rf_samples *s,
                        double *spent, roof_error *error) {
  while (s->count < next && s->count < sampling->most && (s->count == 0 || *spent < sampling->budget)) {
    double seconds = timed(user);
    roof_status status = check_time(s->count + 1, seconds, error);
    if (status != ROOF_OK) {
      return status;
    }
    s->seconds[s->count++] = seconds / sampling->calls;
    *spent += seconds;
  }
  return ROOF_OK;
}

roof_status rf_sample(rf_timed *timed, void *user, const rf_sampling *sampling, rf_samples *samples,
                      roof_error *error) {
  rf_samples s = {.seconds = malloc(sampling->most * sizeof *s.seconds)};
  if (s.seconds == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "samples: out of memory");
  }
  roof_status status = ROOF_OK;
  double spent = 0;
  s.warm_up = rf_warm_up(timed, user, sampling->budget / 5, &s.settled);
  while (s.stopped[0] == '\0' && status == ROOF_OK) {
    size_t next = s.count + s.count / 8 + 1; /* sorting at every sample would cost more than the samples */
    status = take(timed, user, sampling, next, &s, &spent, error);
    if (status == ROOF_OK) {
      status = summarise(&s, error);
    }
    if (status == ROOF_OK) {
      decide(sampling, spent, &s);
    }
  }
  if (status != ROOF_OK) {
    free(s.seconds);
    return status;
  }
  *samples = s;
  return ROOF_OK;
}

roof_status rf_samples_like(const rf_samples *like, const double *seconds, size_t count, rf_samples *samples,
                            roof_error *error) {
  rf_samples s = *like;
  s.count = count;
  s.seconds = malloc(count * sizeof *s.seconds);
  roof_status status =
      s.seconds != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "samples: out of memory");
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    s.seconds[i] = seconds[i];
    status = check_time(i + 1, seconds[i], error);
  }
  status = status == ROOF_OK ? summarise(&s, error) : status;
  if (status != ROOF_OK) {
    free(s.seconds);
    return status;
  }
  *samples = s;
  return ROOF_OK;
}

void rf_samples_conditions(const rf_samples *samples, double precision, roof_conditions *conditions) {
  const roof_stats *stats = &samples->stats;
  double half = fmax(stats->ci_high - stats->median, stats->median - stats->ci_low) / stats->median, fast,
         slow;
  conditions->samples = (double)samples->count;
  conditions->warm_up_samples = (double)samples->warm_up;
  conditions->spread = stats->spread;
  conditions->outliers = (double)samples->outliers;
  strcpy(conditions->stopped, samples->stopped);
  if (rf_samples_modes(samples, &fast, &slow)) {
    snprintf(conditions->noisy, sizeof conditions->noisy, "two modes, %.0f %% apart",
             100 * (slow / fast - 1));
  } else if (half > precision) {
    rf_format(conditions->noisy, sizeof conditions->noisy,
              "the median's 95 %% interval is %.1f %% of it to a side", 100 * half);
  }
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

bool rf_samples_modes(const rf_samples *samples, double *fast, double *slow) {
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
    if (two) {
      *fast = roof_stats_quantile(sorted, step, 0.5);
      *slow = roof_stats_quantile(sorted + step, count - step, 0.5);
    }
  }
  free(sorted);
  return two;
}

void rf_samples_done(rf_samples *samples) {
  free(samples->seconds);
  *samples = (rf_samples){0};
}
