/* Alpha, beta and LogGP of samples: lines through the times of sizes, and how far they move when the samples are drawn again. */
#include "cluster/fit.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats.h"

enum { LEAST = 3, ENOUGH = 5, DRAWS = 200, ROUNDS = 20, FIGURES = 4 };

static const double huber =
    1.345;                       /* 95 % as efficient as least squares where errors are normal (Huber 1981) */
static const double quiet = 0.1; /* the quantile that figures are of: what interferes only adds */
static const double indifferent = 0.01; /* relative distance that is no sign of another protocol */

typedef struct line {
  double alpha, beta;
} line;

/** What a time for each size gives: figures in `out`. */
typedef void figures_of(const void *context, const double *times, double *out);

double rf_median(const double *samples, size_t count, double *scratch) {
  memcpy(scratch, samples, count * sizeof *scratch);
  return rf_stats_quantile(scratch, count, 0.5);
}

double rf_quiet(const double *samples, size_t count, double *scratch) {
  memcpy(scratch, samples, count * sizeof *scratch);
  return rf_stats_quantile(scratch, count, quiet);
}

static double distance(const line *of, double bytes, double seconds) {
  return (seconds - of->alpha - of->beta * bytes) / seconds;
}

/** Least squares of the relative distances, each with its weight; times do not fall with size, and the first size takes some. */
static line weighted(const double *bytes, const double *seconds, const double *weights, size_t count) {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < count; i++) {
    double each = weights[i] / (seconds[i] * seconds[i]);
    w += each, x += each * bytes[i], y += each * seconds[i];
    xx += each * bytes[i] * bytes[i], xy += each * bytes[i] * seconds[i];
  }
  double determinant = w * xx - x * x;
  double beta = determinant > 0 ? fmax((w * xy - x * y) / determinant, 0) : 0;
  double alpha = (y - beta * x) / w;
  return alpha + beta * bytes[0] > 0 ? (line){alpha, beta} : (line){y / w, 0};
}

/** Huber's weights of the distances from a line, whose scale is their median. */
static void weigh(const line *of, const double *bytes, const double *seconds, double *weights, size_t count) {
  double far[RF_FIT_SIZES], sorted[RF_FIT_SIZES];
  for (size_t i = 0; i < count; i++) {
    far[i] = fabs(distance(of, bytes[i], seconds[i]));
  }
  double bound = huber * fmax(1.4826 * rf_median(far, count, sorted), 1e-9);
  for (size_t i = 0; i < count; i++) {
    weights[i] = far[i] > bound ? bound / far[i] : 1;
  }
}

static line robust(const double *bytes, const double *seconds, size_t count) {
  double weights[RF_FIT_SIZES];
  for (size_t i = 0; i < count; i++) {
    weights[i] = 1;
  }
  line of = weighted(bytes, seconds, weights, count);
  for (int round = 0; round < ROUNDS; round++) {
    weigh(&of, bytes, seconds, weights, count);
    of = weighted(bytes, seconds, weights, count);
  }
  return of;
}

static double misfit(const line *of, const double *bytes, const double *seconds, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += fabs(distance(of, bytes[i], seconds[i]));
  }
  return sum;
}

static double misfit_of(const double *bytes, const double *seconds, size_t count) {
  line of = robust(bytes, seconds, count);
  return misfit(&of, bytes, seconds, count);
}

/** Schwarz 1978: how unlikely distances of Laplace's distribution are, which a few far ones change little, and what parameters cost. */
static double information(double sum, size_t count, int parameters) {
  double n = (double)count;
  return 2 * n * log(sum / n + indifferent) + parameters * log(n);
}

/** The first size of the second protocol; `count` where one explains all. */
static size_t change(const double *bytes, const double *seconds, size_t count) {
  size_t best = count;
  double least = information(misfit_of(bytes, seconds, count), count, 2);
  for (size_t at = LEAST; at + LEAST <= count; at++) {
    double sum = misfit_of(bytes, seconds, at) + misfit_of(bytes + at, seconds + at, count - at);
    double here = information(sum, count, 5);
    if (here < least) {
      least = here, best = at;
    }
  }
  return best;
}

static size_t drawn(uint64_t *state, size_t count) {
  *state = *state * 6364136223846793005u + 1442695040888963407u; /* Knuth, MMIX */
  return (size_t)((*state >> 33) % count);
}

static void draw(const rf_sized *of, uint64_t *state, double *into) {
  for (size_t i = 0; i < of->count; i++) {
    into[i] = of->samples[drawn(state, of->count)];
  }
}

/** Figures, their interval the 2.5th to the 97.5th percentile of what samples drawn again give. */
static bool estimate(const rf_sized *sizes, size_t count, figures_of *of, const void *context, int figures,
                     roof_estimate *out) {
  double each_size[2 * RF_FIT_SIZES + 1], each[FIGURES], again[FIGURES][DRAWS];
  size_t most = 0, fewest = SIZE_MAX;
  uint64_t state = 1;
  for (size_t i = 0; i < count; i++) {
    most = sizes[i].count > most ? sizes[i].count : most;
    fewest = sizes[i].count < fewest ? sizes[i].count : fewest;
  }
  double *scratch = fewest == 0 ? NULL : malloc(most * sizeof *scratch);
  if (scratch == NULL) {
    return false;
  }
  for (int k = 0; k <= DRAWS; k++) { /* the last with the samples as they are */
    for (size_t i = 0; i < count; i++) {
      if (k < DRAWS) {
        draw(&sizes[i], &state, scratch);
      } else {
        memcpy(scratch, sizes[i].samples, sizes[i].count * sizeof *scratch);
      }
      each_size[i] = rf_stats_quantile(scratch, sizes[i].count, quiet);
    }
    of(context, each_size, each);
    for (int f = 0; f < figures && k < DRAWS; f++) {
      again[f][k] = each[f];
    }
  }
  free(scratch);
  for (int f = 0; f < figures; f++) {
    rf_stats_sort(again[f], DRAWS);
    bool known = fewest >= ENOUGH;
    out[f] = (roof_estimate){each[f], known ? fmin(each[f], again[f][DRAWS / 40]) : NAN,
                             known ? fmax(each[f], again[f][DRAWS - 1 - DRAWS / 40]) : NAN};
  }
  return true;
}

/** Sizes of one protocol. */
typedef struct part {
  double bytes[RF_FIT_SIZES];
  size_t count;
} part;

static void line_of(const void *context, const double *times, double *out) {
  const part *p = context;
  line of = robust(p->bytes, times, p->count);
  out[0] = of.alpha, out[1] = of.beta;
}

static bool fit_protocol(const rf_sized *sizes, size_t count, roof_protocol *out) {
  part p = {.count = count};
  roof_estimate both[2];
  for (size_t i = 0; i < count; i++) {
    p.bytes[i] = sizes[i].bytes;
  }
  bool done = estimate(sizes, count, line_of, &p, 2, both);
  *out = (roof_protocol){sizes[0].bytes, sizes[count - 1].bytes, both[0], both[1]};
  return done;
}

static bool times_of(const rf_sized *sizes, size_t count, double *bytes, double *seconds) {
  bool done = count >= LEAST && count <= RF_FIT_SIZES;
  for (size_t i = 0; i < count && done; i++) {
    double *scratch = malloc((sizes[i].count + 1) * sizeof *scratch);
    bytes[i] = sizes[i].bytes;
    seconds[i] = scratch == NULL ? NAN : rf_quiet(sizes[i].samples, sizes[i].count, scratch);
    done = seconds[i] > 0;
    free(scratch);
  }
  return done;
}

double roof_message_seconds(const roof_alpha_beta *fit, double bytes) {
  const roof_protocol *of = &fit->of[fit->count == 2 && bytes >= fit->of[1].from_bytes];
  return fit->count == 0 ? (double)NAN : of->alpha.value + of->beta.value * bytes;
}

bool rf_fit_alpha_beta(const rf_sized *sizes, size_t count, roof_alpha_beta *fit) {
  double bytes[RF_FIT_SIZES], seconds[RF_FIT_SIZES], far[RF_FIT_SIZES], sorted[RF_FIT_SIZES];
  roof_alpha_beta of = {0};
  if (!times_of(sizes, count, bytes, seconds)) {
    return false;
  }
  size_t at = change(bytes, seconds, count);
  of.count = at < count ? 2 : 1;
  if (!fit_protocol(sizes, at, &of.of[0]) ||
      (of.count == 2 && !fit_protocol(sizes + at, count - at, &of.of[1]))) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    far[i] = fabs(roof_message_seconds(&of, bytes[i]) / seconds[i] - 1);
  }
  of.error = rf_median(far, count, sorted);
  *fit = of;
  return true;
}

/** Times come as those of `one`, then of `gaps`, then of `overhead`. */
static void loggp_of(const void *context, const double *times, double *out) {
  const rf_loggp_data *d = context;
  double bytes[RF_FIT_SIZES], each[RF_FIT_SIZES];
  size_t count = 0;
  for (size_t i = 0; i < d->count; i++) {
    if (times[d->count + i] > 0) { /* else the round trip that was taken off was a slow one */
      bytes[count] = d->one[i].bytes - 1;
      each[count++] = times[d->count + i];
    }
  }
  line gaps = count < LEAST ? (line){NAN, NAN} : robust(bytes, each, count);
  out[1] = fmax(times[2 * d->count], 0);
  out[0] = fmax(times[0] / 2 - 2 * out[1], 0);
  out[2] = isnan(gaps.alpha) ? NAN : fmax(gaps.alpha, 0), out[3] = gaps.beta;
}

bool rf_fit_loggp(const rf_loggp_data *data, roof_loggp *fit) {
  rf_sized all[2 * RF_FIT_SIZES + 1];
  roof_estimate of[FIGURES];
  if (data->count < LEAST || data->count > RF_FIT_SIZES) {
    return false;
  }
  memcpy(all, data->one, data->count * sizeof *all);
  memcpy(all + data->count, data->gaps, data->count * sizeof *all);
  all[2 * data->count] = data->overhead;
  if (!estimate(all, 2 * data->count + 1, loggp_of, data, FIGURES, of)) {
    return false;
  }
  *fit = (roof_loggp){of[0], of[1], of[2], of[3]};
  return true;
}
