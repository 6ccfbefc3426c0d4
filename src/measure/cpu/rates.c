/* Operations that no peak counts: of integers, divisions, square roots, additions that wait. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "host/clock.h"
#include "measure/cpu/trial.h"

/** One kernel on some cores. */
typedef struct work {
  const rf_bench *bench;
  const rf_rate_kernel *kernel;
  rf_core_set set;
  size_t rounds; /**< of a thread on a core of the first kind */
  roof_rate *rate;
  _Alignas(64) char seeds[3 * RF_PEAK_BYTES];
} work;

static void operate(void *user, int thread, int threads) {
  const work *w = user;
  _Alignas(64) char result[2 * RF_PEAK_BYTES];
  (void)threads;
  w->kernel->run((size_t)((double)w->rounds * rf_core_set_weight(w->bench, &w->set, thread)), w->seeds,
                 result);
}

static double window_of(work *w) {
  return rf_team_time(&w->bench->team, w->set.threads, operate, w);
}

/** A window with the clock just before it. */
static double rate_window(void *user, double *clock_hz) {
  *clock_hz = RF_CLOCK_CHAIN / rf_clock_chain();
  return window_of(user);
}

/** Rounds that take half a millisecond. */
static void calibrate(work *w) {
  static const double window = 0.5e-3;
  w->rounds = 500;
  double spent = fmin(window_of(w), window_of(w));
  w->rounds = (size_t)((double)w->rounds * fmax(1, window / fmax(spent, 1e-7)));
}

static void finish_rate(rf_bench *bench, rf_trial *t) {
  const work *w = t->user;
  roof_rate *rate = w->rate;
  bool mixed = rf_core_set_is_mixed(bench, &w->set);
  rate->per_second = t->rate;
  rate->spread = t->conditions->spread;
  rate->clock_hz = mixed ? NAN : t->conditions->clock_hz;
  bool sums = strstr(rate->name, " sum ") != NULL;
  int used =
      snprintf(rate->source, sizeof rate->source, "%s, fast end of %zu windows of 0.5 ms",
               sums ? "additions that wait for the one before" : "constants into eight registers", t->count);
  if (!mixed && !isnan(t->conditions->per_cycle)) {
    rf_format(rate->source + used, sizeof rate->source - (size_t)used, "; %.4g per cycle and core",
              t->conditions->per_cycle);
  }
}

static roof_status plan_rate(rf_bench *bench, work *w, roof_error *error) {
  rf_trial *trial = NULL;
  char who[64];
  roof_status status = rf_trial_add(bench, &trial, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_rate *rate = w->rate = roof_machine_add_rate(bench->machine);
  char kind[ROOF_CORE_KIND_SIZE];
  int per_core;
  rf_rate_kernel_seeds(w->kernel, w->seeds);
  calibrate(w);
  snprintf(rate->name, sizeof rate->name, "%s", w->kernel->name);
  snprintf(rate->isa, sizeof rate->isa, "%s", w->kernel->isa);
  snprintf(rate->date, sizeof rate->date, "%s", bench->machine->date);
  rate->kind = ROOF_MEASURED;
  rf_core_set_sign(bench, &w->set, &rate->cores, kind, &per_core);
  *trial = (rf_trial){.window = rate_window,
                      .finish = finish_rate,
                      .user = w,
                      .work = w->kernel->operations * (double)w->rounds * rf_core_set_work(bench, &w->set),
                      .set = &w->set,
                      .cores = w->set.cores,
                      .estimate = RF_FASTEST,
                      .conditions = &rate->conditions};
  snprintf(trial->figure, sizeof trial->figure, "%s %s, %s", w->kernel->name, w->kernel->isa,
           rf_core_set_name(bench, &w->set, who, sizeof who));
  return ROOF_OK;
}

roof_status rf_cpu_plan_rates(rf_bench *bench, roof_error *error) {
  roof_status status = ROOF_OK;
  const rf_rate_kernel *kernel = NULL;
  work *works = bench->works = aligned_alloc(64, ROOF_RATE_MAX * sizeof *works);
  if (works == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "rates: out of memory");
  }
  rf_bench_step(bench, "integers, divisions, square roots and sums");
  for (int i = 0; status == ROOF_OK && (kernel = rf_rate_kernel_at(i)) != NULL; i++) {
    for (int last = 0; last < 2 && kernel->available() && status == ROOF_OK; last++) {
      int sets = rf_core_set_count(bench), room = bench->machine->report->rate_count;
      if ((sets == 1 && last == 0) || room == ROOF_RATE_MAX) {
        continue; /* one core is all of them */
      }
      works[room] =
          (work){.bench = bench, .kernel = kernel, .set = rf_core_set_at(bench, last == 0 ? 0 : sets - 1)};
      status = plan_rate(bench, &works[room], error);
    }
  }
  return status;
}
