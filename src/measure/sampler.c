#include "measure/sampler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "core/stats.h"
#include "host/clock.h"

/* Some kernels become faster for 20 ms, so slowly that a time says nothing of the next one. */
size_t rf_warm_up(rf_timed *timed, void *user, double most, bool *settled) {
  enum { LEAST = 3, MOST = 256 };
  static const double steady = 0.02, stretch = 5e-3;
  double stretch_seconds[MOST], before = NAN, spent = 0, since = 0;
  bool still = false;
  size_t count = 0, held = 0;
  while (!still && spent < most) {
    double seconds = timed(user);
    spent += seconds > 0 ? seconds : most;
    stretch_seconds[held++] = seconds;
    count++;
    if (held == MOST || (held >= LEAST && spent - since >= fmin(stretch, most / 4))) {
      rf_stats_sort(stretch_seconds, held);
      double middle = stretch_seconds[held / 2];
      still = fabs(middle - before) <= steady * fmin(middle, before);
      before = middle;
      since = spent;
      held = 0;
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

/** What is taken, all of it. */
typedef struct taking {
  rf_timed *timed;
  void *user;
  const rf_sampling *sampling;
  double *seconds, *widths; /**< of a call; the least width next to it */
  size_t count, room;
  size_t whole;        /**< of them, those that had their cores for themselves, as far as others show */
  bool picked;         /**< only those count */
  double width, spent; /**< after the last sample; by all of them */
} taking;

static double width_now(taking *t) {
  double width = t->sampling->width != NULL ? t->sampling->width(t->user) : INFINITY;
  if (t->sampling->width != NULL) {
    rf_widest_add(t->sampling->widest, width);
  }
  return width;
}

/** Whether nothing shared the cores: between short samples, which two looks next to them may miss, before and after its
 * neighbours too. */
static bool is_whole(const taking *t, size_t i, double enough) {
  static const double brief = 1e-3;
  bool alone = t->seconds[i] * t->sampling->calls > brief;
  double before = i > 0 && !alone ? t->widths[i - 1] : enough;
  double after = i + 1 < t->count && !alone ? t->widths[i + 1] : enough;
  return t->widths[i] >= enough && before >= enough && after >= enough;
}

/** Those samples to `counted` that had their cores for themselves; the last ones where these are too few, or no better. */
static size_t choose(taking *t, double *counted) {
  size_t most = t->sampling->most, first = t->count > most ? t->count - most : 0;
  double enough = t->sampling->width != NULL ? rf_widest_whole(t->sampling->widest) : 0;
  t->whole = 0;
  for (size_t i = 0; i < t->count; i++) {
    if (is_whole(t, i, enough) && t->whole++ < most) {
      counted[t->whole - 1] = t->seconds[i];
    }
  }
  t->picked = t->sampling->whole_only && t->whole >= t->sampling->least;
  if (t->picked) {
    return t->whole < most ? t->whole : most;
  }
  memcpy(counted, t->seconds + first, (t->count - first) * sizeof *counted);
  return t->count - first;
}

void rf_sampling_say(char *text, double precision) {
  rf_format(text, 32, "interval within %.3g %%", 100 * precision);
}

/** Whether enough of those samples are there that are to count. */
static bool is_common(const taking *t) {
  static const double common = 0.1;
  return !t->sampling->whole_only || (double)t->whole >= common * (double)t->count;
}

/** Fills in `stopped` when it is time to. */
static void decide(const taking *t, rf_samples *s) {
  const rf_sampling *sampling = t->sampling;
  const roof_stats *stats = &s->stats;
  double half = fmax(stats->ci_high - stats->median, stats->median - stats->ci_low);
  if (t->spent >= sampling->span && is_common(t) && stats->count >= sampling->least &&
      half <= sampling->precision * stats->median) {
    rf_sampling_say(s->stopped, sampling->precision);
  } else if (t->spent >= sampling->budget) {
    strcpy(s->stopped, "time spent");
  } else if (t->count == t->room || (is_common(t) && t->whole >= sampling->most)) {
    strcpy(s->stopped, "samples enough");
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
static roof_status take(taking *t, size_t next, roof_error *error) {
  const rf_sampling *sampling = t->sampling;
  while (t->count < next && t->count < t->room && (t->count == 0 || t->spent < sampling->budget)) {
    double seconds = t->timed(t->user), before = t->width;
    roof_status status = check_time(t->count + 1, seconds, error);
    if (status != ROOF_OK) {
      return status;
    }
    t->width = width_now(t);
    t->widths[t->count] = fmin(before, t->width);
    t->seconds[t->count++] = seconds / sampling->calls;
    t->spent += seconds;
  }
  return ROOF_OK;
}

/** Samples until it is time to stop. */
static roof_status take_all(taking *t, rf_samples *s, roof_error *error) {
  roof_status status = ROOF_OK;
  s->warm_up = rf_warm_up(t->timed, t->user, t->sampling->budget / 5, &s->settled);
  t->width = width_now(t);
  while (s->stopped[0] == '\0' && status == ROOF_OK) {
    size_t next = t->count + t->count / 8 + 1; /* sorting at every sample would cost more than the samples */
    status = take(t, next, error);
    if (status == ROOF_OK) {
      s->count = choose(t, s->seconds);
      status = summarise(s, error);
    }
    if (status == ROOF_OK) {
      decide(t, s);
    }
  }
  s->shared = t->sampling->width != NULL ? 1 - (double)t->whole / (double)t->count : NAN;
  s->disturbed = t->picked && !isnan(s->shared) ? 0 : s->shared;
  return status;
}

roof_status rf_sample(rf_timed *timed, void *user, const rf_sampling *sampling, rf_samples *samples,
                      roof_error *error) {
  enum { LOOKED = 20 }; /* for each that counts */
  size_t room = sampling->whole_only ? LOOKED * sampling->most : sampling->most;
  rf_samples s = {.seconds = malloc(sampling->most * sizeof *s.seconds)};
  taking t = {timed, user, sampling, .seconds = malloc(2 * room * sizeof *t.seconds), .room = room};
  roof_status status = t.seconds != NULL && s.seconds != NULL
                           ? ROOF_OK
                           : roof_error_set(error, ROOF_E_MEMORY, "samples: out of memory");
  if (status == ROOF_OK) {
    t.widths = t.seconds + room;
    status = take_all(&t, &s, error);
  }
  free(t.seconds);
  if (status == ROOF_OK) {
    *samples = s;
  } else {
    free(s.seconds);
  }
  return status;
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
  conditions->shared = samples->shared;
  conditions->disturbed = samples->disturbed;
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
  static const double apart = 1.15, interrupted = 3; /* memory's modes are up to twice apart */
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
    two = sorted[step] > apart * sorted[step - 1] && sorted[step] < interrupted * sorted[step - 1] &&
          slow_spread < apart;
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
