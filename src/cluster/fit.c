/* Alpha, beta and LogGP of samples: lines through medians, and how far they move when the samples are drawn again. */
#include "cluster/fit.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 3, ENOUGH = 5, DRAWS = 200, ROUNDS = 20, FIGURES = 4 };

static const double huber =
    1.345; /* 95 % as efficient as least squares where errors are normal (Huber 1981) */
static const double indifferent = 0.01; /* relative distance that speaks for no other protocol */

typedef struct line {
  double alpha, beta;
} line;

/** What medians by size give: one figure each in `out`. */
typedef void figures_of(const void *context, const double *medians, double *out);

static int ascending(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static double sorted_median(double *values, size_t count) {
  qsort(values, count, sizeof *values, ascending);
  return count == 0 ? NAN : (values[(count - 1) / 2] + values[count / 2]) / 2;
}

double rf_median(const double *samples, size_t count, double *scratch) {
  memcpy(scratch, samples, count * sizeof *scratch);
  return sorted_median(scratch, count);
}

static double distance(const line *of, double bytes, double seconds) {
  return (seconds - of->alpha - of->beta * bytes) / seconds;
}

/** Least squares of the relative distances, each with its weight; times do not fall with size. */
static line weighted(const double *bytes, const double *seconds, const double *weights, size_t count) {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < count; i++) {
    double each = weights[i] / (seconds[i] * seconds[i]);
    w += each, x += each * bytes[i], y += each * seconds[i];
    xx += each * bytes[i] * bytes[i], xy += each * bytes[i] * seconds[i];
  }
  double determinant = w * xx - x * x;
  double beta = determinant > 0 ? fmax((w * xy - x * y) / determinant, 0) : 0;
  return (line){(y - beta * x) / w, beta};
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
    double far = distance(of, bytes[i], seconds[i]);
    sum += far * far;
  }
  return sum;
}

static double misfit_of(const double *bytes, const double *seconds, size_t count) {
  line of = robust(bytes, seconds, count);
  return misfit(&of, bytes, seconds, count);
}

/** Schwarz 1978: the misfit, and what each of the parameters costs. */
static double information(double sum, size_t count, int parameters) {
  double n = (double)count;
  return n * log(sum / n + indifferent * indifferent) + parameters * log(n);
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

/** Figures of the medians, their interval the 2.5th to the 97.5th percentile of what samples drawn again give. */
static bool estimate(const rf_sized *sizes, size_t count, figures_of *of, const void *context, int figures,
                     rf_estimate *out) {
  double medians[2 * RF_FIT_SIZES + 1], each[FIGURES], again[FIGURES][DRAWS];
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
      medians[i] = sorted_median(scratch, sizes[i].count);
    }
    of(context, medians, each);
    for (int f = 0; f < figures && k < DRAWS; f++) {
      again[f][k] = each[f];
    }
  }
  free(scratch);
  for (int f = 0; f < figures; f++) {
    qsort(again[f], DRAWS, sizeof **again, ascending);
    bool known = fewest >= ENOUGH;
    out[f] = (rf_estimate){each[f], known ? fmin(each[f], again[f][DRAWS / 40]) : NAN,
                           known ? fmax(each[f], again[f][DRAWS - 1 - DRAWS / 40]) : NAN};
  }
  return true;
}

/** Sizes of one protocol. */
typedef struct part {
  double bytes[RF_FIT_SIZES];
  size_t count;
} part;

static void line_of(const void *context, const double *medians, double *out) {
  const part *p = context;
  line of = robust(p->bytes, medians, p->count);
  out[0] = of.alpha, out[1] = of.beta;
}

static bool fit_protocol(const rf_sized *sizes, size_t count, rf_protocol *out) {
  part p = {.count = count};
  rf_estimate both[2];
  for (size_t i = 0; i < count; i++) {
    p.bytes[i] = sizes[i].bytes;
  }
  bool done = estimate(sizes, count, line_of, &p, 2, both);
  *out = (rf_protocol){sizes[0].bytes, sizes[count - 1].bytes, both[0], both[1]};
  return done;
}

static bool medians_of(const rf_sized *sizes, size_t count, double *bytes, double *seconds) {
  bool done = count >= LEAST && count <= RF_FIT_SIZES;
  for (size_t i = 0; i < count && done; i++) {
    double *scratch = malloc((sizes[i].count + 1) * sizeof *scratch);
    bytes[i] = sizes[i].bytes;
    seconds[i] = scratch == NULL ? NAN : rf_median(sizes[i].samples, sizes[i].count, scratch);
    done = seconds[i] > 0;
    free(scratch);
  }
  return done;
}

bool rf_fit_alpha_beta(const rf_sized *sizes, size_t count, rf_alpha_beta *fit) {
  double bytes[RF_FIT_SIZES], seconds[RF_FIT_SIZES], far[RF_FIT_SIZES], sorted[RF_FIT_SIZES];
  rf_alpha_beta of = {0};
  if (!medians_of(sizes, count, bytes, seconds)) {
    return false;
  }
  size_t at = change(bytes, seconds, count);
  of.count = at < count ? 2 : 1;
  if (!fit_protocol(sizes, at, &of.of[0]) ||
      (of.count == 2 && !fit_protocol(sizes + at, count - at, &of.of[1]))) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    far[i] = fabs(rf_fit_seconds(&of, bytes[i]) / seconds[i] - 1);
  }
  of.error = rf_median(far, count, sorted);
  *fit = of;
  return true;
}

double rf_fit_seconds(const rf_alpha_beta *fit, double bytes) {
  const rf_protocol *of = &fit->of[fit->count == 2 && bytes >= fit->of[1].from];
  return fit->count == 0 ? NAN : of->alpha.value + of->beta.value * bytes;
}

/** Medians come as those of `one`, then of `train`, then of `delayed`. */
static void loggp_of(const void *context, const double *medians, double *out) {
  const rf_loggp_data *d = context;
  double bytes[RF_FIT_SIZES], each[RF_FIT_SIZES];
  for (size_t i = 0; i < d->count; i++) {
    bytes[i] = d->one[i].bytes - 1;
    each[i] = fmax((medians[d->count + i] - medians[i]) / (d->messages - 1), 1e-12);
  }
  line gaps = robust(bytes, each, d->count);
  double overhead = (medians[2 * d->count] - medians[0]) / (d->messages - 1) - d->delay;
  out[1] = fmax(overhead, 0);
  out[0] = fmax(medians[0] / 2 - 2 * out[1], 0);
  out[2] = fmax(gaps.alpha, 0), out[3] = gaps.beta;
}

bool rf_fit_loggp(const rf_loggp_data *data, rf_loggp *fit) {
  rf_sized all[2 * RF_FIT_SIZES + 1];
  rf_estimate of[FIGURES];
  if (data->count < LEAST || data->count > RF_FIT_SIZES || data->messages < 2) {
    return false;
  }
  memcpy(all, data->one, data->count * sizeof *all);
  memcpy(all + data->count, data->train, data->count * sizeof *all);
  all[2 * data->count] = data->delayed;
  if (!estimate(all, 2 * data->count + 1, loggp_of, data, FIGURES, of)) {
    return false;
  }
  *fit = (rf_loggp){of[0], of[1], of[2], of[3]};
  return true;
}
