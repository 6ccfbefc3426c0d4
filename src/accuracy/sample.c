#include "accuracy/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy/fit.h"
#include "catalog/scaling.h"

enum { SAMPLE = 2400, FEW = 500, SCARCE = 300, STARTS = 6, RESAMPLES = 8, REFINING = 200 /* evaluations */ };

/** A timing ready to be asked what other constants would give. */
typedef struct timing {
  const roof_target *target;
  roof_prediction p;
  double seconds;
  rf_scaling scaling; /**< from the machine whose constants are fitted */
} timing;

typedef struct sample {
  timing *timings;
  double *weights;
  size_t count; /**< of them that count now */
  roof_constant fitted[RF_FIT_MOST];
  int constants;
} sample;

/** Where a fit begins, and where it stays when the timings do not say: what is common on GPUs. */
static const double typical[ROOF_CONSTANT_COUNT] = {
    [ROOF_LATENCY_SECONDS] = 4e-6,
    [ROOF_WAVE_SECONDS] = 1e-6,
    [ROOF_EFFICIENCY] = 0.7,
    [ROOF_BANDWIDTH] = 0.8,
    [ROOF_CACHE_GAIN] = 2,
    [ROOF_UNIT_BANDWIDTH] = 3,
    [ROOF_CORNER] = 2,
    [ROOF_SPLIT_SECONDS] = 1e-6,
    [ROOF_GROUP_MOST] = 512, /* all, unless a library is seen to stop */
    [ROOF_RESIDENTS] = 1.5,
    [ROOF_STORE_PASSES] = 1,
    [ROOF_TILE_QUERIES] = 90, /* half-way: a step tries both sizes */
    [ROOF_QUANTISE_PASSES] = 2,
    [ROOF_ROUTING_PASSES] = 1.5,
    [ROOF_SHARING] = 2,
    [ROOF_ROW_PASSES] = 0.5,
    [ROOF_ROW_SECONDS] = 1e-7,
    [ROOF_HOST_SECONDS] = 30e-6,
};

static const double pull = 2e-3;

/* Choosing */

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/** Of an operation and its sizes. */
static uint64_t hash_shape(const rf_case *c) {
  const roof_ran *ran = c->record->ran;
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (const char *letter = ran->op->name; *letter != '\0'; letter++) {
    hash = mix(hash + (unsigned char)*letter);
  }
  for (int i = 0; i < ROOF_PARAM_MAX && ran->op->params[i].name != NULL; i++) {
    uint64_t bits;
    memcpy(&bits, &ran->values[i], sizeof bits);
    hash = mix(hash + bits);
  }
  return hash;
}

/** Of a timing's shape and time. */
static uint64_t hash_timing(const rf_case *c) {
  uint64_t bits;
  memcpy(&bits, &c->seconds, sizeof bits);
  return mix(hash_shape(c) ^ bits);
}

size_t rf_hold_out(rf_case *all, size_t count, rf_held by, unsigned salt) {
  size_t fitted = count;
  for (size_t i = 0; i < fitted;) {
    uint64_t hash = by == RF_BY_SHAPE ? hash_shape(&all[i]) : hash_timing(&all[i]);
    if (mix(hash + salt) % 5 == 0) {
      rf_case held = all[i];
      all[i] = all[--fitted];
      all[fitted] = held;
    } else {
      i++;
    }
  }
  return count - fitted;
}

typedef struct ranked {
  uint64_t rank;
  const rf_case *of;
} ranked;

static int by_rank(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

/** How many timings are of the machine of one. */
static size_t count_alike(const rf_case *all, size_t count, const rf_case *one) {
  size_t alike = 0;
  for (size_t i = 0; i < count; i++) {
    alike += all[i].at->device == one->at->device;
  }
  return alike;
}

/** Ranks timings by their hashes: the same ones each time, in no order of size, and as many of every machine. */
static void rank(const rf_case *all, size_t count, ranked *order) {
  const rf_accuracy_device *devices[RF_DEVICES];
  size_t alike[RF_DEVICES], known = 0;
  for (size_t i = 0; i < count; i++) {
    size_t d = 0;
    while (d < known && devices[d] != all[i].at->device) {
      d++;
    }
    if (d == known) {
      devices[known] = all[i].at->device;
      alike[known++] = count_alike(all, count, &all[i]);
    }
    order[i] = (ranked){(hash_timing(&all[i]) >> 20) * alike[d], &all[i]};
  }
}

static roof_status take(sample *s, const roof_constants *of, const roof_machine *own, const rf_case *all,
                        size_t count, roof_error *error) {
  ranked *order = malloc(count * sizeof *order);
  s->count = count < SAMPLE ? count : SAMPLE;
  s->timings = malloc(s->count * sizeof *s->timings);
  s->weights = malloc(s->count * sizeof *s->weights);
  bool enough = order != NULL && s->timings != NULL && s->weights != NULL;
  if (enough) {
    rank(all, count, order);
    qsort(order, count, sizeof *order, by_rank);
  }
  for (size_t i = 0; i < s->count && enough; i++) {
    const rf_case *c = order[i].of;
    s->timings[i] = (timing){.target = &c->at->target, .seconds = c->seconds};
    rf_case_predict(c, &c->at->target, &s->timings[i].p);
    s->timings[i].scaling = rf_scaling_of(of, own, c->at->device->machine, true);
    s->weights[i] = 1;
  }
  free(order);
  return enough ? ROOF_OK : rf_accuracy_no_memory(error);
}

/* Constants as numbers from 0 to 1 */

static double lowest(const roof_constant_row *row) {
  return row->least > 0 ? row->least : row->most * 1e-6;
}

/** Even steps are even factors; the first hundredth is 0 where a constant may be. A tile is one of two sizes, and
 * heads are whole ones: 47.999 of them must not be rounded to 48. */
static double value_at(roof_constant constant, double at) {
  const roof_constant_row *row = roof_constant_row_of(constant);
  if (constant == ROOF_TILE_QUERIES) {
    return at < 0.5 ? row->least : row->most;
  }
  double value = at < 0.01 && row->least <= 0 ? 0 : lowest(row) * pow(row->most / lowest(row), at);
  return constant == ROOF_GROUP_MOST ? floor(value) : value;
}

static double at_value(roof_constant constant, double value) {
  const roof_constant_row *row = roof_constant_row_of(constant);
  double at = log(fmax(value, lowest(row)) / lowest(row)) / log(row->most / lowest(row));
  return at > 1 ? 1 : at;
}

static void spell(const sample *s, const double *at, double values[ROOF_CONSTANT_COUNT]) {
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    values[i] = roof_constant_row_of((roof_constant)i)->neutral;
  }
  for (int i = 0; i < s->constants; i++) {
    values[s->fitted[i]] = value_at(s->fitted[i], at[i]);
  }
}

/** Mean |ln(measured / expected)|. */
static double error_of(const sample *s, const double *values) {
  double sum = 0, weights = 0;
  for (size_t i = 0; i < s->count; i++) {
    const timing *t = &s->timings[i];
    double own[ROOF_CONSTANT_COUNT];
    rf_scaling_apply(&t->scaling, values, own);
    double expected = fmax(roof_effects_seconds(t->target, &t->p, own), t->p.lower_seconds);
    sum += s->weights[i] * fabs(log(t->seconds / expected));
    weights += s->weights[i];
  }
  return sum / weights;
}

static double loss(const void *context, const double *at) {
  const sample *s = context;
  double values[ROOF_CONSTANT_COUNT], away = 0;
  spell(s, at, values);
  for (int i = 0; i < s->constants; i++) {
    double by = at[i] - at_value(s->fitted[i], typical[s->fitted[i]]);
    away += by * by;
  }
  return error_of(s, values) + pull * away;
}

/* Fitting */

/** Several beginnings on few timings, the best of them on all. */
static void search(sample *s, double *best) {
  size_t all = s->count;
  double least = INFINITY;
  uint64_t random = 1;
  s->count = all < FEW ? all : FEW;
  for (int start = 0; start < STARTS; start++) {
    double at[RF_FIT_MOST];
    for (int i = 0; i < s->constants; i++) {
      random = mix(random + 0x9e3779b97f4a7c15u);
      double by = start == 0 ? 0 : 1.2 * ((double)(random >> 11) / 9007199254740992.0 - 0.5);
      at[i] = fmin(fmax(at_value(s->fitted[i], typical[s->fitted[i]]) + by, 0), 1);
    }
    double value = rf_fit_descend(loss, s, at, s->constants, 400);
    if (value < least) {
      least = value;
      memcpy(best, at, sizeof at);
    }
  }
  s->count = all;
  for (int again = 0; again < 3; again++) {
    rf_fit_descend(loss, s, best, s->constants, 500);
  }
}

/** From constants that are nearly the best. */
static void refine(const sample *s, const double *near, double *best) {
  for (int i = 0; i < s->constants; i++) {
    best[i] = at_value(s->fitted[i], near[s->fitted[i]]);
  }
  rf_fit_descend(loss, s, best, s->constants, REFINING);
}

/** How far each constant moves where other timings of the same kind are drawn. */
static void resample(sample *s, const double *best, roof_fit *fit) {
  double sum[RF_FIT_MOST] = {0}, squares[RF_FIT_MOST] = {0};
  uint64_t random = 2;
  for (int r = 0; r < RESAMPLES; r++) {
    double at[RF_FIT_MOST];
    memset(s->weights, 0, s->count * sizeof *s->weights);
    for (size_t i = 0; i < s->count; i++) {
      random = mix(random + 0x9e3779b97f4a7c15u);
      s->weights[random % s->count] += 1;
    }
    memcpy(at, best, sizeof at);
    rf_fit_descend(loss, s, at, s->constants, REFINING);
    for (int i = 0; i < s->constants; i++) {
      double value = value_at(s->fitted[i], at[i]);
      sum[i] += value;
      squares[i] += value * value;
    }
  }
  for (int i = 0; i < s->constants; i++) {
    double mean = sum[i] / RESAMPLES;
    fit->spread[s->fitted[i]] = sqrt(fmax(squares[i] / RESAMPLES - mean * mean, 0));
  }
  for (size_t i = 0; i < s->count; i++) {
    s->weights[i] = 1;
  }
}

static void finish(const sample *s, const double *best, roof_fit *fit) {
  double values[ROOF_CONSTANT_COUNT];
  spell(s, best, values);
  double error = error_of(s, values);
  for (int i = 0; i < s->constants; i++) {
    roof_constant c = s->fitted[i];
    double own = values[c];
    values[c] = roof_constant_row_of(c)->neutral;
    fit->gain[c] = error_of(s, values) - error;
    values[c] = own;
    fit->constants.values[c] = rf_scaling_rounded(own);
  }
}

static void clear(roof_fit *fit) {
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    fit->constants.values[i] = fit->spread[i] = fit->gain[i] = NAN;
  }
}

/** What products in a format narrower than 16 bits have not: with scales of blocks a split, with one for a matrix a bandwidth of
 * a unit other than that of its port. */
static bool is_of_wide_products(const roof_constants *of, roof_constant constant) {
  return constant == (of->blocks ? ROOF_SPLIT_SECONDS : ROOF_UNIT_BANDWIDTH);
}

/** Whether timings say anything about a constant: the interval is no part of a fit, a host is only waited for where
 * kernels are launched one at a time, whose elementwise ones read several elements at once, and activations are only written
 * anew for narrow arithmetic. */
static bool is_fitted(const roof_fit *fit, roof_constant constant) {
  const roof_constants *of = &fit->constants;
  bool narrow = roof_dtype_bytes(roof_dtype_multiplied(of->dtype)) < 2,
       eager = strcmp(of->framework, ROOF_EAGER) == 0;
  if ((roof_constant_row_of(constant)->effect == ROOF_EFFECT_QUANTISE && !narrow) ||
      (of->kernel == ROOF_KERNEL_PRODUCT && narrow && is_of_wide_products(of, constant)) ||
      (of->kernel == ROOF_KERNEL_STREAM && constant == ROOF_UNIT_BANDWIDTH && eager)) {
    return false;
  }
  return roof_kernel_uses(of->kernel, constant) &&
         roof_constant_row_of(constant)->effect != ROOF_EFFECT_COUNT &&
         (constant != ROOF_HOST_SECONDS || eager);
}

roof_status rf_sample_fit(const roof_machine *own, const rf_case *all, size_t count, const double *near,
                          roof_fit *fit, roof_error *error) {
  sample s = {0};
  double best[RF_FIT_MOST] = {0};
  for (int i = 0; i < ROOF_CONSTANT_COUNT && s.constants < RF_FIT_MOST; i++) {
    if (is_fitted(fit, (roof_constant)i)) {
      s.fitted[s.constants++] = (roof_constant)i;
    }
  }
  clear(fit);
  roof_status status = take(&s, &fit->constants, own, all, count, error);
  if (status == ROOF_OK) {
    if (near != NULL && s.count > SCARCE) {
      refine(&s, near, best);
    } else {
      search(&s, best);
    }
    if (fit->spreads) {
      resample(&s, best, fit);
    }
    finish(&s, best, fit);
    fit->fitted = s.count;
  }
  free(s.timings);
  free(s.weights);
  return status;
}
