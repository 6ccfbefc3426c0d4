/* Two ranks at a distance, alone on the network: messages of all sizes, and what is fitted to them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/fabric_series.h"
#include "cluster/fit.h"
#include "core/stats.h"
#include "host/clock.h"

enum {
  LARGEST = 1 << 22,
  PILOTS = 1,
  LEAST = 5,
  MOST = 100,
  FEWEST_IN_TRAIN = 4,
  SERIES = 3,
  WORTH_HIDING = 1 << 12,
  FITTED = 3
};

/** What one size needs room for. */
typedef struct series {
  double one[MOST], half[MOST], gaps[MOST];
  rf_sized ones, halves, further;
} series;

static int between(double value, int low, int high) {
  return value > high ? high : value < low ? low : (int)value;
}

static double quiet(const double *samples, size_t count) {
  double scratch[MOST];
  return rf_quiet(samples, count, scratch);
}

/** A message there and one back. */
static bool take_one(const rf_exchange *with, int bytes, double budget, series *s) {
  rf_train train = {.bytes = bytes, .answer = bytes, .messages = 1, .repeats = PILOTS};
  bool done = rf_exchange_lead(with, &train, s->one);
  double pilot = done ? quiet(s->one, PILOTS) : (double)NAN;
  train.repeats = between(budget / pilot, LEAST, MOST);
  done = done && rf_exchange_lead(with, &train, s->one);
  for (int i = 0; i < train.repeats && done; i++) {
    s->half[i] = s->one[i] / 2;
  }
  size_t count = (size_t)train.repeats;
  s->ones = (rf_sized){bytes, s->one, count};
  s->halves = (rf_sized){bytes, s->half, count};
  return done;
}

/** A train of messages: what each after the first adds. */
static bool take_gaps(const rf_exchange *with, int bytes, double budget, double one, series *s) {
  rf_train train = {.bytes = bytes,
                    .answer = bytes,
                    .messages = between((double)LARGEST / bytes, FEWEST_IN_TRAIN, RF_TRAIN_MAX),
                    .repeats = between(budget / (2 * one), LEAST, MOST)};
  bool done = rf_exchange_lead(with, &train, s->gaps);
  for (int i = 0; i < train.repeats && done; i++) {
    s->gaps[i] = (s->gaps[i] - one) / (train.messages - 1);
  }
  s->further = (rf_sized){bytes, s->gaps, (size_t)train.repeats};
  return done;
}

/** What of a transfer hides behind a computation that takes as long. */
static bool take_overlap(const rf_exchange *with, int bytes, double budget, double one, double *overlap) {
  double both[MOST];
  rf_train train = {.bytes = bytes, .answer = bytes, .messages = 1, .busy = one};
  train.repeats = between(budget / (2 * one), LEAST, MOST);
  bool done = rf_exchange_lead(with, &train, both);
  *overlap = done ? fmin(fmax(2 - quiet(both, (size_t)train.repeats) / one, 0), 1) : NAN;
  return done;
}

/** A send's own time: trains with a computation longer than a round trip before each further one. */
static bool take_overhead(const rf_exchange *with, int bytes, double one, double *samples, rf_sized *of) {
  enum { MESSAGES = 8, REPEATS = 5 };
  rf_train train = {
      .bytes = bytes, .answer = bytes, .messages = MESSAGES, .repeats = REPEATS, .delay = 1.5 * one};
  bool done = rf_exchange_lead(with, &train, samples);
  for (int i = 0; i < REPEATS && done; i++) {
    samples[i] = (samples[i] - one) / (MESSAGES - 1) - train.delay;
  }
  *of = (rf_sized){bytes, samples, REPEATS};
  return done;
}

static roof_message_time summary(const series *s, double overlap) {
  double sorted[MOST], each = quiet(s->gaps, s->further.count);
  memcpy(sorted, s->half, s->halves.count * sizeof *sorted);
  rf_stats_sort(sorted, s->halves.count);
  return (roof_message_time){.bytes = s->halves.bytes,
                             .seconds = roof_stats_quantile(sorted, s->halves.count, 0.5),
                             .seconds_low = roof_stats_quantile(sorted, s->halves.count, 0.25),
                             .seconds_high = roof_stats_quantile(sorted, s->halves.count, 0.75),
                             .windowed_seconds = each > 0 ? each : (double)NAN,
                             .overlap = overlap};
}

/** Sizes until the time is spent, as many as a fit takes in any case. */
static bool take_sizes(const rf_exchange *with, const rf_fabric_plan *plan, series *all,
                       roof_distance_fit *out) {
  int sizes = 1;
  for (int bytes = 1; bytes < LARGEST; bytes *= plan->factor) {
    sizes++;
  }
  double budget = plan->seconds / (SERIES * sizes), end = rf_clock_seconds() + plan->seconds;
  bool done = take_one(with, 1, budget, &all[0]); /* makes connections, and each rank finds its processor */
  for (int bytes = 1; bytes <= LARGEST && out->time_count < ROOF_FABRIC_SIZES &&
                      (rf_clock_seconds() < end || out->time_count < FITTED) && done;
       bytes *= plan->factor) {
    series *s = &all[out->time_count];
    double overlap = NAN;
    done = take_one(with, bytes, budget, s);
    double one = done ? quiet(s->one, s->ones.count) : NAN;
    done = done && take_gaps(with, bytes, budget, one, s) &&
           (bytes < WORTH_HIDING || take_overlap(with, bytes, budget, one, &overlap));
    if (done) {
      out->times[out->time_count++] = summary(s, overlap);
    }
  }
  return done;
}

static void fit(const series *all, const rf_sized *overhead, roof_distance_fit *out) {
  rf_sized ones[ROOF_FABRIC_SIZES], halves[ROOF_FABRIC_SIZES], further[ROOF_FABRIC_SIZES];
  const roof_estimate unknown = {NAN, NAN, NAN};
  size_t count = (size_t)out->time_count;
  for (size_t i = 0; i < count; i++) {
    ones[i] = all[i].ones, halves[i] = all[i].halves, further[i] = all[i].further;
  }
  rf_fit_alpha_beta(halves, count, &out->fit);
  out->loggp = (roof_loggp){unknown, unknown, unknown, unknown};
  rf_fit_loggp(&(rf_loggp_data){ones, further, count, *overhead}, &out->loggp);
  out->messages_per_second = 1 / out->times[0].windowed_seconds;
}

bool rf_distance_lead(const rf_exchange *with, const rf_fabric_plan *plan, roof_distance_fit *out) {
  double samples[MOST];
  rf_sized overhead;
  series *all = calloc(ROOF_FABRIC_SIZES, sizeof *all);
  bool done = all != NULL && take_sizes(with, plan, all, out) &&
              take_overhead(with, 1, 2 * out->times[0].seconds, samples, &overhead);
  done = rf_exchange_release(with) && done;
  if (done) {
    fit(all, &overhead, out);
  }
  free(all);
  return done;
}
