/* The clock, the cost of a parallel region, and the FLOP/s of registers full of multiply-adds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/clock.h"
#include "measure/cpu/cpu.h"
#include "measure/sampler.h"
#include "roofline/units.h"

enum { REGIONS = 100, WINDOWS_LEAST = 20, WINDOWS_MOST = 100, WINDOWS_QUICK = 20, PACED_LOADS = 100000 };

static double chain(void *user) {
  (void)user;
  return roof_clock_chain();
}

static double regions(void *user) {
  const roof_bench *bench = user;
  return roof_team_empty_regions(&bench->team, REGIONS);
}

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

roof_status roof_cpu_measure_clock(roof_bench *bench, roof_error *error) {
  roof_sampling sampling = {REGIONS, bench->budget, WINDOWS_LEAST, WINDOWS_MOST};
  roof_samples samples;
  roof_bench_step(bench, "cost of a parallel region");
  roof_status status = roof_sample(regions, bench, &sampling, &samples, error);
  if (status != ROOF_OK) {
    return status;
  }
  bench->machine->launch_seconds = samples.stats.median;
  bench->machine->overhead_cutoff_seconds = bench->machine->launch_seconds;
  roof_cpu_add_cost(bench, "parallel region", bench->team.threads, &samples.stats,
                    "an empty OpenMP parallel region of all threads, as `launch`: median, windows of 100");
  roof_samples_done(&samples);
  roof_bench_step(bench, "core clock");
  if (isnan(roof_clock_chain())) {
    roof_bench_note(bench, "clock: unknown: no chain of additions is written for this architecture");
    return ROOF_OK;
  }
  sampling.calls = ROOF_CLOCK_CHAIN;
  status = roof_sample(chain, bench, &sampling, &samples, error);
  if (status != ROOF_OK) {
    return status;
  }
  bench->machine->clock_hz = bench->machine->costs[0].clock_hz = 1 / samples.stats.median;
  bench->cycle_seconds = samples.stats.minimum;
  for (int i = 0; i < bench->team.topology.kind_count; i++) {
    roof_crew crew = {.kind = i};
    roof_crew_enter(bench, &crew);
    bench->load_cycles[i] = load_cycles();
    roof_crew_leave(bench, &crew);
  }
  char fastest[32];
  roof_bench_note(bench,
                  "clock: %d dependent additions, median of %zu windows, spread %.1f %%; fastest window %s",
                  ROOF_CLOCK_CHAIN, samples.stats.count, 100 * samples.stats.spread,
                  roof_quantity_format(fastest, sizeof fastest, 1 / bench->cycle_seconds, "Hz"));
  roof_samples_done(&samples);
  return ROOF_OK;
}

/** One burst on some cores. */
typedef struct load {
  const roof_bench *bench;
  const roof_burst *burst;
  const roof_burst_way *way;
  roof_crew crew;
  size_t rounds; /**< of a thread on a core of the first kind */
  double clock;  /**< Hz, the highest under this load; 0 until known */
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
static double timed_load(void *user) {
  load *l = user;
  if (l->crew.per_core == 1 && !roof_crew_is_mixed(l->bench, &l->crew)) {
    double loads = PACED_LOADS / l->burst->loads * l->burst->loads;
    double cycles = l->bench->load_cycles[l->crew.kind < 0 ? 0 : l->crew.kind] * loads;
    l->clock = fmax(l->clock, cycles / roof_team_time(&l->bench->team, l->crew.threads, compute_paced, l));
  }
  return window_of(l);
}

/** Rounds that take about `seconds`. */
static size_t calibrate(load *l, double seconds) {
  l->rounds = 500;
  double spent = fmin(window_of(l), window_of(l));
  return (size_t)((double)l->rounds * fmax(1, seconds / fmax(spent, 1e-7)));
}

/** Steps of a chain per second, the best of a few short windows. */
static double try_way(load *l, const roof_burst_way *way) {
  enum { TRIES = 6 };
  static const double window = 150e-6;
  double best = INFINITY;
  l->way = way;
  l->rounds = calibrate(l, window);
  for (int i = 0; i < TRIES; i++) {
    best = fmin(best, window_of(l));
  }
  return way->chains * (double)l->rounds / best;
}

/** Tries every number of chains on one core; the fastest counts, and of equals the one with fewer chains. */
static const roof_burst_way *choose_way(const roof_bench *bench, const roof_burst *burst) {
  static const double better = 1.002;
  load l = {.bench = bench, .burst = burst, .crew = {.threads = 1, .weights = {1}}};
  const roof_burst_way *best = NULL;
  roof_burst_seeds(burst, l.seeds);
  double best_rate = 0;
  for (int i = 0; i < ROOF_BURST_WAYS && burst->ways[i].run != NULL; i++) {
    double rate = try_way(&l, &burst->ways[i]);
    if (rate > better * best_rate) {
      best = &burst->ways[i];
      best_rate = rate;
    }
  }
  return best;
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

/** Gives each kind of core as much work as it does in the same time, and all hardware threads the clock that
 * one a core had: beside a sibling no chain of loads tells it. */
static void prepare(load *l) {
  for (int k = 1; k < l->bench->team.topology.kind_count && l->crew.kind < 0; k++) {
    const roof_peak *first = peak_of(l->bench, l->burst, &(roof_crew){.kind = 0});
    const roof_peak *other = peak_of(l->bench, l->burst, &(roof_crew){.kind = k});
    if (first != NULL && other != NULL) {
      l->crew.weights[k] = other->flops_per_second / first->flops_per_second;
    }
  }
  const roof_peak *single = peak_of(l->bench, l->burst, &(roof_crew){.kind = -1});
  if (l->crew.per_core > 1) {
    l->clock = single != NULL ? single->clock_hz : NAN;
  } else if (roof_crew_is_mixed(l->bench, &l->crew)) {
    l->clock = NAN;
  }
}

static void describe(const load *l, const roof_samples *samples, roof_peak *peak) {
  roof_core_limits limits = roof_crew_limits(l->bench, &l->crew, l->burst->bits);
  char clock[32];
  int used = snprintf(peak->source, sizeof peak->source,
                      "%d independent chain%s (the best number tried), best of %zu windows of 0.5 ms",
                      l->way->chains, l->way->chains == 1 ? "" : "s", samples->count);
  peak->clock_hz = l->clock;
  peak->flops_per_cycle = roof_cpu_burst_limit(&limits, l->burst);
  peak->limit_flops_per_second = l->crew.cores * peak->flops_per_cycle * l->clock;
  if (!isnan(l->clock)) {
    used +=
        snprintf(peak->source + used, sizeof peak->source - (size_t)used, " at %s; %.4g FLOP/cycle a core",
                 roof_quantity_format(clock, sizeof clock, l->clock, "Hz"),
                 peak->flops_per_second / l->crew.cores / l->clock);
  }
  if (isfinite(peak->limit_flops_per_second)) {
    snprintf(peak->source + used, sizeof peak->source - (size_t)used, ", limit %g (%s)",
             peak->flops_per_cycle, limits.source);
  }
}

static roof_status measure_peak(roof_bench *bench, const roof_burst *burst, const roof_burst_way *way,
                                const roof_crew *crew, roof_error *error) {
  static const double window = 0.5e-3, budget = 0.08;
  if (bench->machine->peak_count == ROOF_PEAK_MAX) {
    return ROOF_OK;
  }
  load l = {.bench = bench, .burst = burst, .way = way, .crew = *crew};
  prepare(&l);
  roof_burst_seeds(burst, l.seeds);
  l.rounds = calibrate(&l, window);
  roof_samples samples;
  roof_sampling sampling = {1, budget, WINDOWS_LEAST, bench->options->quick ? WINDOWS_QUICK : WINDOWS_MOST};
  roof_status status = roof_sample(timed_load, &l, &sampling, &samples, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_peak *peak = &bench->machine->peaks[bench->machine->peak_count++];
  peak->dtype = burst->dtype;
  peak->unit = burst->form == ROOF_BURST_TILE ? ROOF_MATRIX : ROOF_VECTOR;
  peak->kind = ROOF_MEASURED;
  peak->mixed = burst->form == ROOF_BURST_FMA_ADD;
  roof_crew_sign(bench, crew, &peak->cores, peak->core_kind, &peak->threads_per_core);
  peak->flops_per_second = burst->operations * way->chains * (double)l.rounds *
                           roof_crew_work(bench, &l.crew) / samples.stats.minimum;
  peak->spread = samples.stats.spread;
  snprintf(peak->isa, sizeof peak->isa, "%s", burst->isa);
  snprintf(peak->date, sizeof peak->date, "%s", bench->machine->date);
  describe(&l, &samples, peak);
  roof_samples_done(&samples);
  return ROOF_OK;
}

/** The load under which the clock is lowest, when that is more than 2 % under what it is between loads. */
static void note_pace(roof_bench *bench) {
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

roof_status roof_cpu_measure_peaks(roof_bench *bench, roof_error *error) {
  roof_status status = ROOF_OK;
  const roof_burst *burst = NULL;
  for (int i = 0; status == ROOF_OK && (burst = next_burst(bench, &i)) != NULL;) {
    char step[96];
    snprintf(step, sizeof step, "%s peak, %s", roof_dtype_name(burst->dtype), burst->isa);
    roof_bench_step(bench, step);
    const roof_burst_way *way = choose_way(bench, burst);
    for (int c = 0; c < roof_crew_count(bench) && status == ROOF_OK; c++) {
      roof_crew crew = roof_crew_at(bench, c);
      roof_crew_enter(bench, &crew);
      status = measure_peak(bench, burst, way, &crew, error);
      roof_crew_leave(bench, &crew);
    }
  }
  if (status == ROOF_OK && !bench->siblings) {
    note_pace(bench);
  }
  return status;
}
