/* The clock, the cost of a parallel region, and the FLOP/s of registers full of multiply-adds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/clock.h"
#include "measure/cpu/trial.h"
#include "roofline/units.h"

enum { REGIONS = 100, PACED_LOADS = 100000 };

/** Latency of the first cache, a whole number of cycles. */
static double load_cycles(void) {
  enum { WINDOWS = 5 };
  double adds = INFINITY, loads = INFINITY;
  for (int i = 0; i < WINDOWS; i++) {
    adds = fmin(adds, roof_clock_chain());
    loads = fmin(loads, roof_clock_load_chain());
  }
  return round(loads / adds);
}

static double clock_window(void *user, double *clock_hz) {
  (void)user;
  double seconds = roof_clock_chain();
  *clock_hz = ROOF_CLOCK_CHAIN / seconds;
  return seconds;
}

static void finish_clock(roof_bench *bench, roof_trial *t) {
  char fastest[32];
  bench->machine->clock_hz = t->rate;
  roof_bench_note(bench, "clock: %d dependent additions, %zu windows, spread %.1f %%; fastest window %s",
                  ROOF_CLOCK_CHAIN, t->count, 100 * t->conditions->spread,
                  roof_quantity_format(fastest, sizeof fastest, t->work / roof_trial_quantile(t, 0), "Hz"));
}

static double regions_window(void *user, double *clock_hz) {
  const roof_bench *bench = user;
  *clock_hz = ROOF_CLOCK_CHAIN / roof_clock_chain();
  return roof_team_empty_regions(&bench->team, REGIONS);
}

static void finish_regions(roof_bench *bench, roof_trial *t) {
  bench->machine->launch_seconds = bench->machine->overhead_cutoff_seconds = 1 / t->rate;
  const roof_stats stats = {.count = t->count, .median = 1 / t->rate, .spread = t->conditions->spread};
  roof_cpu_add_cost(bench, "parallel region", bench->team.threads, &stats,
                    "an empty OpenMP parallel region of all threads, as `launch`: median, windows of 100");
}

static roof_status plan_chain(roof_bench *bench, roof_error *error) {
  roof_trial *clock = NULL;
  roof_status status = roof_trial_add(bench, &clock, error);
  if (status == ROOF_OK) {
    *clock = (roof_trial){.figure = "clock",
                          .window = clock_window,
                          .finish = finish_clock,
                          .work = ROOF_CLOCK_CHAIN,
                          .cores = 1,
                          .estimate = ROOF_TYPICAL,
                          .conditions = &bench->machine->clock};
  }
  return status;
}

roof_status roof_cpu_plan_clock(roof_bench *bench, roof_error *error) {
  roof_trial *regions = NULL;
  roof_status status = ROOF_OK;
  if (isnan(roof_clock_chain())) {
    roof_bench_note(bench, "clock: unknown: no chain of additions is written for this architecture");
  } else {
    for (int i = 0; i < bench->team.topology.kind_count; i++) {
      roof_crew crew = {.kind = i};
      roof_crew_enter(bench, &crew);
      bench->load_cycles[i] = load_cycles();
      roof_crew_leave(bench, &crew);
    }
    status = plan_chain(bench, error);
  }
  if (status == ROOF_OK) {
    status = roof_trial_add(bench, &regions, error);
  }
  if (status == ROOF_OK) {
    *regions = (roof_trial){.figure = "parallel region",
                            .window = regions_window,
                            .finish = finish_regions,
                            .user = bench,
                            .work = REGIONS,
                            .cores = bench->team.threads,
                            .estimate = ROOF_TYPICAL,
                            .conditions = &bench->machine->launch};
  }
  return status;
}

/** One burst on some cores. */
typedef struct load {
  const roof_bench *bench;
  const roof_burst *burst;
  const roof_burst_way *way;
  roof_crew crew;
  size_t rounds; /**< of a thread on a core of the first kind */
  roof_peak *peak;
  _Alignas(64) char seeds[3 * ROOF_BURST_BYTES];
} load;

static void start(const load *l, roof_burst_run *run, size_t rounds) {
  _Alignas(64) char result[2 * ROOF_BURST_BYTES];
  run(rounds, l->seeds, result);
}

static void compute(void *user, int thread, int threads) {
  const load *l = user;
  (void)threads;
  start(l, l->way->run, (size_t)((double)l->rounds * roof_crew_weight(l->bench, &l->crew, thread)));
}

static void compute_paced(void *user, int thread, int threads) {
  const load *l = user;
  (void)thread, (void)threads;
  start(l, l->burst->paced, (size_t)(PACED_LOADS / l->burst->loads));
}

static double window_of(load *l) {
  return roof_team_time(&l->bench->team, l->crew.threads, compute, l);
}

/** A window of the burst, and a shorter one of the same instructions with loads that tell the clock. */
static double load_window(void *user, double *clock_hz) {
  load *l = user;
  if (l->crew.per_core == 1 && !roof_crew_is_mixed(l->bench, &l->crew)) {
    double loads = PACED_LOADS / l->burst->loads * l->burst->loads;
    double cycles = l->bench->load_cycles[l->crew.kind < 0 ? 0 : l->crew.kind] * loads;
    *clock_hz = cycles / roof_team_time(&l->bench->team, l->crew.threads, compute_paced, l);
  }
  return window_of(l);
}

/** Rounds that take about `seconds`. */
static size_t calibrate(load *l, double seconds) {
  l->rounds = 500;
  double spent = fmin(window_of(l), window_of(l));
  return (size_t)((double)l->rounds * fmax(1, seconds / fmax(spent, 1e-7)));
}

/** Length of a window while ways are tried. */
static const double brief = 150e-6;

/** A window with the clock just before it. */
static double way_window(void *user, double *clock_hz) {
  *clock_hz = ROOF_CLOCK_CHAIN / roof_clock_chain();
  return window_of(user);
}

/** As many steps in all, whatever the number of chains. */
static double select_way(void *user, int index) {
  load *l = user;
  double steps = (double)l->rounds * l->way->chains;
  l->way = &l->burst->ways[index];
  l->rounds = (size_t)fmax(1, round(steps / l->way->chains));
  return (double)l->rounds * l->way->chains;
}

/** Windows of half a millisecond. */
static double ready(void *user) {
  static const double window = 0.5e-3;
  load *l = user;
  l->rounds = calibrate(l, window);
  return l->burst->operations * l->way->chains * (double)l->rounds * roof_crew_work(l->bench, &l->crew);
}

/** Between all numbers of chains. */
static roof_choice choice_of(const roof_burst *burst) {
  enum { TRIES = 4 };
  int count = 0;
  while (count < ROOF_BURST_WAYS && burst->ways[count].run != NULL) {
    count++;
  }
  return (roof_choice){way_window, select_way, ready, count, TRIES, 0, 0, {0}};
}

const roof_burst_way *roof_cpu_choose_way(const roof_bench *bench, const roof_burst *burst) {
  load l = {.bench = bench, .burst = burst, .crew = {.threads = 1, .weights = {1}}};
  roof_burst_seeds(burst, l.seeds);
  l.way = &burst->ways[0];
  l.rounds = calibrate(&l, brief);
  roof_choice choice = choice_of(burst);
  roof_choice_try(&choice, &l);
  return l.way;
}

/** The figure of another crew for the same burst, NULL where there is none. */
static const roof_peak *peak_of(const roof_bench *bench, const roof_burst *burst, const roof_crew *crew) {
  roof_peak like = {.dtype = burst->dtype};
  roof_crew_sign(bench, crew, &like.cores, like.core_kind, &like.threads_per_core);
  for (int i = 0; i < bench->machine->peak_count; i++) {
    const roof_peak *peak = &bench->machine->peaks[i];
    if (peak->dtype == like.dtype && peak->cores == like.cores && strcmp(peak->isa, burst->isa) == 0 &&
        peak->threads_per_core == like.threads_per_core && strcmp(peak->core_kind, like.core_kind) == 0) {
      return peak;
    }
  }
  return NULL;
}

/** Gives each kind of core as much work as it does in the same time. */
static void weigh(load *l) {
  for (int k = 1; k < l->bench->team.topology.kind_count && l->crew.kind < 0; k++) {
    const roof_peak *first = peak_of(l->bench, l->burst, &(roof_crew){.kind = 0});
    const roof_peak *other = peak_of(l->bench, l->burst, &(roof_crew){.kind = k});
    if (first != NULL && other != NULL) {
      l->crew.weights[k] = other->flops_per_second / first->flops_per_second;
    }
  }
}

/** All hardware threads have the clock that one a core had: beside a sibling no chain of loads tells it. */
static double clock_of(const load *l, double seen) {
  const roof_peak *single = peak_of(l->bench, l->burst, &(roof_crew){.kind = -1});
  return l->crew.per_core == 1 ? seen : single != NULL ? single->clock_hz : NAN;
}

static void finish_peak(roof_bench *bench, roof_trial *t) {
  const load *l = t->user;
  roof_peak *peak = l->peak;
  roof_core_limits limits = roof_crew_limits(bench, &l->crew, l->burst->bits);
  char clock[32];
  peak->flops_per_second = t->rate;
  peak->spread = t->conditions->spread;
  peak->clock_hz = clock_of(l, t->conditions->clock_hz);
  t->conditions->per_cycle = t->rate / l->crew.cores / peak->clock_hz;
  int used = snprintf(peak->source, sizeof peak->source,
                      "%d independent chain%s (the best number tried), fast end of %zu windows of 0.5 ms",
                      l->way->chains, l->way->chains == 1 ? "" : "s", t->count);
  peak->flops_per_cycle = roof_cpu_burst_limit(&limits, l->burst);
  peak->limit_flops_per_second = l->crew.cores * peak->flops_per_cycle * peak->clock_hz;
  if (!isnan(peak->clock_hz)) {
    used +=
        snprintf(peak->source + used, sizeof peak->source - (size_t)used, " at %s; %.4g FLOP/cycle a core",
                 roof_quantity_format(clock, sizeof clock, peak->clock_hz, "Hz"), t->conditions->per_cycle);
  }
  if (isfinite(peak->limit_flops_per_second)) {
    snprintf(peak->source + used, sizeof peak->source - (size_t)used, ", limit %g (%s)",
             peak->flops_per_cycle, limits.source);
  }
}

static roof_status plan_peak(roof_bench *bench, load *l, roof_error *error) {
  const roof_burst *burst = l->burst;
  roof_trial *trial = NULL;
  char who[64];
  roof_status status = roof_trial_add(bench, &trial, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_burst_seeds(burst, l->seeds);
  weigh(l);
  l->way = &burst->ways[0];
  double work = ready(l), seconds = window_of(l);
  l->rounds = calibrate(l, brief);
  roof_peak *peak = l->peak = &bench->machine->peaks[bench->machine->peak_count++];
  peak->dtype = burst->dtype;
  peak->unit = burst->form == ROOF_BURST_TILE ? ROOF_MATRIX : ROOF_VECTOR;
  peak->kind = ROOF_MEASURED;
  peak->mixed = burst->form == ROOF_BURST_FMA_ADD;
  roof_crew_sign(bench, &l->crew, &peak->cores, peak->core_kind, &peak->threads_per_core);
  snprintf(peak->isa, sizeof peak->isa, "%s", burst->isa);
  snprintf(peak->date, sizeof peak->date, "%s", bench->machine->date);
  *trial = (roof_trial){.window = load_window,
                        .finish = finish_peak,
                        .user = l,
                        .choice = choice_of(burst),
                        .crew = &l->crew,
                        .cores = l->crew.cores,
                        .estimate = ROOF_FASTEST,
                        .conditions = &peak->conditions};
  peak->flops_per_second = work / seconds; /* until it is measured, to weigh crews by */
  snprintf(trial->figure, sizeof trial->figure, "%s %s %s, %s", roof_dtype_name(burst->dtype),
           roof_unit_name(peak->unit), burst->isa, roof_crew_name(bench, &l->crew, who, sizeof who));
  return ROOF_OK;
}

/** The load under which the clock is lowest, when that is more than 2 % under what it is between loads. */
void roof_cpu_note_pace(roof_bench *bench) {
  const roof_machine *machine = bench->machine;
  const roof_peak *slowest = NULL;
  double between = machine->clock_hz;
  char low[32], high[32];
  for (int i = 0; i < machine->peak_count; i++) {
    if (slowest == NULL || machine->peaks[i].clock_hz < slowest->clock_hz) {
      slowest = &machine->peaks[i];
    }
  }
  if (slowest != NULL && slowest->clock_hz < 0.98 * between) {
    roof_bench_note(bench,
                    "clock: under %s %s%s %s, without load %s; each limit is for the clock under its load",
                    slowest->isa, roof_dtype_name(slowest->dtype), slowest->cores == 1 ? " on one core" : "",
                    roof_quantity_format(low, sizeof low, slowest->clock_hz, "Hz"),
                    roof_quantity_format(high, sizeof high, between, "Hz"));
  }
}

/** NULL past the last burst that this processor and its system let run; notes what the system refuses. */
static const roof_burst *next_burst(roof_bench *bench, int *index) {
  const roof_burst *burst = NULL;
  while ((burst = roof_burst_at((*index)++)) != NULL) {
    const char *reason = burst->available() && burst->refused != NULL ? burst->refused() : NULL;
    if (burst->available() && reason == NULL) {
      return burst;
    }
    if (reason != NULL) {
      roof_bench_note(bench, "%s %s: %s", burst->isa, roof_dtype_name(burst->dtype), reason);
    }
  }
  return NULL;
}

int roof_cpu_burst_count(void) {
  int count = 0;
  for (int i = 0; roof_burst_at(i) != NULL; i++) {
    count += roof_burst_at(i)->available();
  }
  return count;
}

roof_status roof_cpu_plan_peaks(roof_bench *bench, roof_error *error) {
  roof_status status = ROOF_OK;
  const roof_burst *burst = NULL;
  load *loads = bench->loads = aligned_alloc(64, ROOF_PEAK_MAX * sizeof *loads);
  if (loads == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "peaks: out of memory");
  }
  for (int i = 0; status == ROOF_OK && (burst = next_burst(bench, &i)) != NULL;) {
    char step[96];
    snprintf(step, sizeof step, "%s peak, %s", roof_dtype_name(burst->dtype), burst->isa);
    roof_bench_step(bench, step);
    for (int c = 0; c < roof_crew_count(bench) && bench->machine->peak_count < ROOF_PEAK_MAX; c++) {
      load *l = &loads[bench->machine->peak_count];
      *l = (load){.bench = bench, .burst = burst, .crew = roof_crew_at(bench, c)};
      roof_crew_enter(bench, &l->crew);
      status = status == ROOF_OK ? plan_peak(bench, l, error) : status;
      roof_crew_leave(bench, &l->crew);
    }
  }
  return status;
}
