#include "loop/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy/fit.h"
#include "core/number.h"
#include "core/stats.h"
#include "loop/plan.h"
#include "roofline/effects.h"

/* Timings */

roof_status rf_calibration_add(rf_calibration *calibration, const roof_kernel *kernel, roof_loop_cores cores,
                               const double *values, double seconds, double doubt, roof_error *error) {
  static const double disturbed = 0.05;
  const roof_target *target = &calibration->targets[cores];
  roof_prediction best;
  rf_timing timing = {.kernel = kernel, .cores = cores, .seconds = seconds};
  timing.weight = doubt > 0 ? 1 / (1 + pow(doubt / disturbed, 2)) : 1;
  if (calibration->count == calibration->capacity) {
    size_t capacity = 2 * calibration->capacity + 16;
    rf_timing *grown = realloc(calibration->timings, capacity * sizeof *grown);
    if (grown == NULL) {
      return roof_error_set(error, ROOF_E_MEMORY, "calibration: out of memory");
    }
    calibration->timings = grown;
    calibration->capacity = capacity;
  }
  roof_status status = roof_kernel_predict(kernel, target, target, values, &best, &timing.moved, error);
  if (status == ROOF_OK) {
    calibration->timings[calibration->count++] = timing;
    calibration->fitted_count = 0;
  }
  return status;
}

void rf_calibration_free(rf_calibration *calibration) {
  if (calibration != NULL) {
    free(calibration->timings);
    free(calibration);
  }
}

/** How far a median may be off, as a share of it: where memory or a cache has two modes its many samples spread far, and tell
 * it well. What ran on shared cores may be that of other cores than those of the next timing. */
static double doubt_of(const roof_measurement *m) {
  static const double of_shared = 0.2;
  double off = (m->stats.ci_high - m->stats.ci_low) / (2 * m->stats.median);
  double disturbed = m->conditions.disturbed;
  return off + (disturbed > 0 ? of_shared * disturbed : 0);
}

/** Times a kernel at a size for a level; one that cannot run there is none. */
static roof_status time_at(roof_loop *loop, const roof_kernel *kernel, roof_loop_cores cores,
                           roof_level_kind level, roof_error *error) {
  static const double budget = 0.1;
  const roof_backend *backend = loop->options.backend;
  const char *most = roof_backend_sizes(backend, kernel, true);
  char shape[ROOF_LOOP_SHAPE];
  double values[ROOF_PARAM_MAX];
  roof_measurement m;
  roof_status status = rf_plan_shape(kernel, loop->warm, cores, level, most, shape, error);
  if (status != ROOF_OK || shape[0] == '\0') {
    return status;
  }
  status = roof_kernel_values(kernel, shape, values, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_measure_options how = loop->options.how;
  how.progress = NULL;
  how.machine = loop->machine;
  how.seconds_per_item = budget;
  how.threads = cores == ROOF_LOOP_ALONE ? 1 : how.threads;
  roof_error why = {0};
  status = backend->run(kernel, loop->options.dtype, values, &how, &m, &why);
  if (status != ROOF_OK) {
    return status == ROOF_E_MEMORY ? roof_error_set(error, status, "%s", why.message) : ROOF_OK;
  }
  status = rf_calibration_add(loop->calibration, kernel, cores, values, m.seconds, doubt_of(&m), error);
  roof_measurement_done(&m);
  return status;
}

/** A library that computes for another processor says nothing of the other kernels of this one. */
static bool runs_here(const roof_loop *loop, const roof_kernel *kernel) {
  bool on_cores = strcmp(loop->options.backend->name, "cpu") == 0;
  return !(on_cores && roof_kernel_core_type(kernel) != NULL) &&
         roof_kernel_runs_on(kernel, loop->options.backend->name) && kernel->supports(loop->options.dtype) &&
         (kernel->disabled_reason == NULL || kernel->disabled_reason() == NULL);
}

roof_status rf_calibration_measure(roof_loop *loop, roof_error *error) {
  roof_status status = ROOF_OK;
  int total = 0;
  while (rf_plan_calibrates(total) != NULL) {
    total++;
  }
  for (int cores = 0; cores < ROOF_LOOP_CORES_COUNT; cores++) {
    for (int i = 0; i < total && status == ROOF_OK; i++) {
      const roof_kernel *kernel = rf_plan_calibrates(i);
      bool other = cores == ROOF_LOOP_ALL && kernel->serial;
      if (loop->options.how.progress != NULL) {
        char step[80];
        snprintf(step, sizeof step, "calibrating: %.60s", kernel->name);
        loop->options.how.progress(loop->options.how.user, step, cores * total + i, 2 * total);
      }
      for (int level = ROOF_L1; level <= (int)ROOF_MEMORY && status == ROOF_OK && !other; level++) {
        status = runs_here(loop, kernel)
                     ? time_at(loop, kernel, (roof_loop_cores)cores, (roof_level_kind)level, error)
                     : ROOF_OK;
      }
    }
  }
  return status;
}

/* Fitting */

enum { FITTED = 6, EVALUATIONS = 700, LEAST_TIMINGS = 2, FEW_TIMINGS = 12, LEAST_RATIOS = 8 };

/** The constants that are fitted, where they begin and how far they may go: shares as they are, times by their
 * logarithms. */
static const struct {
  roof_constant constant;
  double least, most, start;
} fitted[FITTED] = {{ROOF_LATENCY_SECONDS, 1e-8, 1e-4, 5e-7},
                    {ROOF_EFFICIENCY, 0.1, 1, 0.8},
                    {ROOF_BANDWIDTH, 0.1, 1, 0.9},
                    {ROOF_CACHE_BANDWIDTH, 0.1, 1, 0.95},
                    {ROOF_CORNER, 1, 16, 4},
                    {ROOF_WAVE_SECONDS, 1e-10, 1e-6, 1e-8}};

/** What is fitted to: the timings of a kind on some cores, but those of two kernels. */
typedef struct fitting {
  const rf_calibration *calibration;
  roof_kernel_kind kind;
  roof_loop_cores cores;
  bool alone_too; /**< those of one core count for all cores */
  const roof_kernel *without[2];
} fitting;

static bool counts(const fitting *f, const rf_timing *t) {
  return t->moved.work.kernel.kind == f->kind && (t->cores == f->cores || f->alone_too) &&
         t->kernel != f->without[0] && t->kernel != f->without[1];
}

/** Whether no timing before this one, which counts, is of its kernel. */
static bool is_first(const fitting *f, const rf_timing *t) {
  for (const rf_timing *before = f->calibration->timings; before < t; before++) {
    if (counts(f, before) && before->kernel == t->kernel) {
      return false;
    }
  }
  return true;
}

static double value_at(int i, double at) {
  return fitted[i].least * pow(fitted[i].most / fitted[i].least, at);
}

static void spell(const double *at, double values[ROOF_CONSTANT_COUNT]) {
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    values[i] = roof_constant_row_of((roof_constant)i)->neutral;
  }
  for (int i = 0; i < FITTED; i++) {
    values[fitted[i].constant] = value_at(i, at[i]);
  }
}

static double expected(const fitting *f, const rf_timing *t, const double values[ROOF_CONSTANT_COUNT]) {
  double seconds = roof_effects_seconds(&f->calibration->targets[t->cores], &t->moved, values);
  return fmax(seconds, t->moved.lower_seconds);
}

/** Mean |ln(measured / expected)|, and a little pull to where the constants begin. */
static double loss(const void *context, const double *at) {
  static const double pull = 1e-2;
  const fitting *f = context;
  double values[ROOF_CONSTANT_COUNT], sum = 0, weights = 0, away = 0;
  spell(at, values);
  for (size_t i = 0; i < f->calibration->count; i++) {
    const rf_timing *t = &f->calibration->timings[i];
    if (counts(f, t)) {
      sum += t->weight * fabs(log(t->seconds / expected(f, t, values)));
      weights += t->weight;
    }
  }
  for (int i = 0; i < FITTED; i++) {
    double start = log(fitted[i].start / fitted[i].least) / log(fitted[i].most / fitted[i].least);
    away += (at[i] - start) * (at[i] - start);
  }
  return sum / weights + pull * away;
}

static size_t timings_of(const fitting *f) {
  size_t timings = 0;
  for (size_t i = 0; i < f->calibration->count; i++) {
    timings += counts(f, &f->calibration->timings[i]);
  }
  return timings;
}

/** From `at`, which becomes the least found. */
static void descend(const fitting *f, double *at, double values[ROOF_CONSTANT_COUNT]) {
  rf_fit_descend(loss, f, at, FITTED, EVALUATIONS);
  rf_fit_descend(loss, f, at, FITTED, EVALUATIONS);
  spell(at, values);
}

/** Adds measured over expected of a kernel's timings, by constants of the kernels besides it and `f->without[0]`. */
static size_t add_ratios(const fitting *f, const roof_kernel *kernel, const double *from, double *ratios) {
  fitting others = *f;
  double at[FITTED], values[ROOF_CONSTANT_COUNT];
  size_t count = 0;
  others.without[1] = kernel;
  memcpy(at, from, sizeof at);
  if (timings_of(&others) < LEAST_TIMINGS) {
    return 0;
  }
  rf_fit_descend(loss, &others, at, FITTED, EVALUATIONS);
  spell(at, values);
  for (size_t i = 0; i < f->calibration->count; i++) {
    const rf_timing *t = &f->calibration->timings[i];
    if (counts(f, t) && t->kernel == kernel) {
      ratios[count++] = t->seconds / expected(f, t, values);
    }
  }
  return count;
}

/** How many ratios at each end lie outside, for a tenth of those of the next kernel to do so: of n kernels that are like it the
 * share is 1 - 0.9 (n + 1) / n (conformal prediction, Vovk et al. 2005), for the timings of one kernel are alike. */
static size_t outside(size_t ratios, double kernels) {
  static const double tenth = 0.1;
  return (size_t)((double)ratios * fmax(0, tenth - (1 - tenth) / kernels));
}

/** The 10th and 90th percentile of the ratios, around 1; of few timings what is usual. */
static roof_status fit_interval(const fitting *f, const double *at, double values[ROOF_CONSTANT_COUNT],
                                roof_error *error) {
  static const double least_doubt = 0.03; /* of a time and the ceilings under it */
  double *ratios = calloc(f->calibration->count, sizeof *ratios);
  size_t count = 0, kernels = 0;
  if (ratios == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "calibration: out of memory");
  }
  values[ROOF_TIME_LOW] = roof_options_default().efficiency;
  values[ROOF_TIME_HIGH] = 1 / values[ROOF_TIME_LOW];
  for (size_t i = 0; i < f->calibration->count; i++) {
    const rf_timing *t = &f->calibration->timings[i];
    if (counts(f, t) && is_first(f, t)) {
      count += add_ratios(f, t->kernel, at, &ratios[count]);
      kernels++;
    }
  }
  if (count >= LEAST_RATIOS) {
    rf_stats_sort(ratios, count);
    size_t few = outside(count, (double)kernels);
    values[ROOF_TIME_LOW] = fmin(ratios[few], 1 - least_doubt);
    values[ROOF_TIME_HIGH] = fmax(ratios[count - 1 - few], 1 + least_doubt);
  }
  free(ratios);
  return ROOF_OK;
}

/** "fitted here to 44 timings of copy, add, ...". */
static void describe(const fitting *f, roof_constants *constants) {
  char names[ROOF_SOURCE_MAX - 64] = "";
  size_t used = 0;
  for (size_t i = 0; i < f->calibration->count; i++) {
    const rf_timing *t = &f->calibration->timings[i];
    if (counts(f, t) && is_first(f, t) && used < sizeof names - 40) {
      used +=
          (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", t->kernel->name);
    }
  }
  snprintf(constants->source, sizeof constants->source, "fitted to %zu timings here of %s", timings_of(f),
           names);
}

static roof_status fit(const rf_calibration *calibration, roof_kernel_kind kind, roof_loop_cores cores,
                       const roof_kernel *without, roof_constants *constants, bool *known,
                       roof_error *error) {
  fitting f = {.calibration = calibration, .kind = kind, .cores = cores, .without = {without, without}};
  const roof_target *target = &calibration->targets[cores];
  double at[FITTED];
  f.alone_too = cores == ROOF_LOOP_ALL && timings_of(&f) < FEW_TIMINGS;
  *known = false;
  if (timings_of(&f) < LEAST_TIMINGS) {
    return ROOF_OK;
  }
  roof_constants made = {.kernel = kind, .dtype = target->types.compute, .kind = ROOF_MEASURED};
  for (int i = 0; i < FITTED; i++) {
    at[i] = log(fitted[i].start / fitted[i].least) / log(fitted[i].most / fitted[i].least);
  }
  descend(&f, at, made.values);
  roof_status status = fit_interval(&f, at, made.values, error);
  if (status != ROOF_OK) {
    return status;
  }
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    bool uses = i == ROOF_TIME_LOW || i == ROOF_TIME_HIGH;
    for (int k = 0; k < FITTED; k++) {
      uses = uses || fitted[k].constant == (roof_constant)i;
    }
    made.values[i] = uses ? made.values[i] : NAN;
  }
  snprintf(made.date, sizeof made.date, "%s", target->machine->date);
  describe(&f, &made);
  *constants = made;
  *known = true;
  return ROOF_OK;
}

roof_status rf_calibration_fit(rf_calibration *calibration, roof_kernel_kind kind, roof_loop_cores cores,
                               const roof_kernel *without, roof_constants *constants, bool *known,
                               roof_error *error) {
  for (size_t i = 0; i < calibration->fitted_count; i++) {
    const rf_fitted *before = &calibration->fitted[i];
    if (before->kind == kind && before->cores == cores && before->without == without) {
      *constants = before->constants;
      *known = true;
      return ROOF_OK;
    }
  }
  roof_status status = fit(calibration, kind, cores, without, constants, known, error);
  if (status == ROOF_OK && *known && calibration->fitted_count < RF_FITTED_MAX) {
    calibration->fitted[calibration->fitted_count++] = (rf_fitted){kind, cores, without, *constants};
  }
  return status;
}
