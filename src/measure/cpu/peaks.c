/* The clock, the cost of a parallel region, and the FLOP/s of multiply-adds on registers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/figures.h"
#include "core/number.h"
#include "host/clock.h"
#include "measure/cpu/growth.h"
#include "measure/cpu/trial.h"
#include "roofline/units.h"

enum { REGIONS = 100, PACED_LOADS = 100000 };

/** Latency of the first cache, a whole number of cycles. */
static double load_cycles(void) {
  enum { WINDOWS = 5 };
  double adds = INFINITY, loads = INFINITY;
  for (int i = 0; i < WINDOWS; i++) {
    adds = fmin(adds, rf_clock_chain());
    loads = fmin(loads, rf_clock_load_chain());
  }
  return round(loads / adds);
}

static double clock_window(void *user, double *clock_hz) {
  (void)user;
  double seconds = rf_clock_chain();
  *clock_hz = RF_CLOCK_CHAIN / seconds;
  return seconds;
}

static void describe_clock(rf_bench *bench, rf_trial *t) {
  char fastest[32];
  bench->machine->clock_hz = t->rate;
  rf_origin_set(&bench->machine->clock_origin, ROOF_MEASURED,
                "a chain of dependent additions: upper quartile of windows", bench->machine->date);
  rf_bench_note(bench, "clock: %d dependent additions, %zu windows, spread %.1f %%; fastest window %s",
                RF_CLOCK_CHAIN, t->count, 100 * t->conditions->spread,
                roof_quantity_format(fastest, sizeof fastest, t->work / rf_trial_quantile(t, 0), "Hz"));
}

static double regions_window(void *user, double *clock_hz) {
  const rf_bench *bench = user;
  *clock_hz = RF_CLOCK_CHAIN / rf_clock_chain();
  return rf_team_empty_regions(&bench->team, REGIONS);
}

static void describe_regions(rf_bench *bench, rf_trial *t) {
  static const char how[] = "an empty OpenMP parallel region of all threads: median, windows of 100";
  static const char alone[] = "one thread, which runs kernels without a parallel region";
  roof_machine *m = bench->machine;
  bool one = bench->team.threads == 1;
  m->launch_seconds = m->overhead_cutoff_seconds = one ? 0 : 1 / t->rate;
  rf_origin_set(&m->launch_origin, ROOF_MEASURED, one ? alone : how, m->date);
  rf_origin_set(&m->overhead_origin, ROOF_MEASURED, one ? alone : how, m->date);
  const roof_stats stats = {.count = t->count, .median = 1 / t->rate, .spread = t->conditions->spread};
  rf_cpu_add_cost(bench, "parallel region", bench->team.threads, &stats,
                  "an empty OpenMP parallel region of all threads: median, windows of 100");
}

static roof_status plan_chain(rf_bench *bench, roof_error *error) {
  rf_trial *clock = NULL;
  roof_status status = rf_trial_add(bench, &clock, error);
  if (status == ROOF_OK) {
    *clock = (rf_trial){.figure = "clock",
                        .window = clock_window,
                        .describe = describe_clock,
                        .work = RF_CLOCK_CHAIN,
                        .cores = 1,
                        .estimate = RF_TYPICAL,
                        .conditions = &bench->machine->report->clock};
  }
  return status;
}

roof_status rf_cpu_plan_clock(rf_bench *bench, roof_error *error) {
  rf_trial *regions = NULL;
  roof_status status = ROOF_OK;
  if (isnan(rf_clock_chain())) {
    rf_bench_note(bench, "clock: unknown: there is no chain of additions for this architecture");
  } else {
    for (int i = 0; i < bench->team.topology.kind_count; i++) {
      rf_core_set set = {.kind = i};
      rf_core_set_enter(bench, &set);
      bench->load_cycles[i] = load_cycles();
      rf_core_set_leave(bench, &set);
    }
    status = plan_chain(bench, error);
  }
  if (status == ROOF_OK) {
    status = rf_trial_add(bench, &regions, error);
  }
  if (status == ROOF_OK) {
    *regions = (rf_trial){.figure = "parallel region",
                          .window = regions_window,
                          .describe = describe_regions,
                          .user = bench,
                          .work = REGIONS,
                          .cores = bench->team.threads,
                          .estimate = RF_TYPICAL,
                          .conditions = &bench->machine->report->launch};
  }
  return status;
}

/** One peak kernel on some cores. */
typedef struct load {
  const rf_bench *bench;
  const rf_peak_kernel *kernel;
  const rf_peak_kernel_way *way;
  rf_core_set set;
  size_t rounds; /**< of a thread on a core of the first kind */
  roof_peak *peak;
  _Alignas(64) char seeds[3 * RF_PEAK_BYTES];
} load;

static void start(const load *l, rf_peak_kernel_run *run, size_t rounds) {
  _Alignas(64) char result[2 * RF_PEAK_BYTES];
  run(rounds, l->seeds, result);
}

static void compute(void *user, int thread, int threads) {
  const load *l = user;
  (void)threads;
  start(l, l->way->run, (size_t)((double)l->rounds * rf_core_set_weight(l->bench, &l->set, thread)));
}

static void compute_paced(void *user, int thread, int threads) {
  const load *l = user;
  (void)thread, (void)threads;
  start(l, l->kernel->paced, (size_t)(PACED_LOADS / l->kernel->loads));
}

static double window_of(load *l) {
  return rf_team_time(&l->bench->team, l->set.threads, compute, l);
}

/** A window of the peak kernel, and a shorter one of the same instructions with dependent loads that show the
 * clock. */
static double load_window(void *user, double *clock_hz) {
  load *l = user;
  if (l->set.per_core == 1 && !rf_core_set_is_mixed(l->bench, &l->set)) {
    double loads = PACED_LOADS / l->kernel->loads * l->kernel->loads;
    double cycles = l->bench->load_cycles[l->set.kind < 0 ? 0 : l->set.kind] * loads;
    *clock_hz = cycles / rf_team_time(&l->bench->team, l->set.threads, compute_paced, l);
  }
  return window_of(l);
}

/** Rounds that take about `seconds`. */
static size_t calibrate(load *l, double seconds) {
  l->rounds = 500;
  double spent = fmin(window_of(l), window_of(l));
  return (size_t)((double)l->rounds * fmax(1, seconds / fmax(spent, 1e-7)));
}

/** Length of a window while variants are tried. */
static const double brief = 150e-6;

/** A window with the clock just before it. */
static double way_window(void *user, double *clock_hz) {
  *clock_hz = RF_CLOCK_CHAIN / rf_clock_chain();
  return window_of(user);
}

/** The total number of steps is the same for any number of chains. */
static double select_way(void *user, int index) {
  load *l = user;
  double steps = (double)l->rounds * l->way->chains;
  l->way = &l->kernel->ways[index];
  l->rounds = (size_t)fmax(1, round(steps / l->way->chains));
  return (double)l->rounds * l->way->chains;
}

/** Windows of half a millisecond. */
static double ready(void *user) {
  static const double window = 0.5e-3;
  load *l = user;
  l->rounds = calibrate(l, window);
  return l->kernel->operations * l->way->chains * (double)l->rounds * rf_core_set_work(l->bench, &l->set);
}

/** Chooses among all numbers of chains. */
static rf_choice choice_of(const rf_peak_kernel *kernel) {
  enum { TRIES = 4 };
  int count = 0;
  while (count < RF_PEAK_WAYS && kernel->ways[count].run != NULL) {
    count++;
  }
  return (rf_choice){way_window, select_way, ready, count, TRIES, 0, 0, {0}};
}

const rf_peak_kernel_way *rf_cpu_choose_way(const rf_bench *bench, const rf_peak_kernel *kernel) {
  load l = {.bench = bench, .kernel = kernel, .set = {.threads = 1, .weights = {1}}};
  rf_peak_kernel_seeds(kernel, l.seeds);
  l.way = &kernel->ways[0];
  l.rounds = calibrate(&l, brief);
  rf_choice choice = choice_of(kernel);
  rf_choice_try(&choice, &l);
  return l.way;
}

/** The figure of another core set for the same peak kernel; NULL if there is none. */
static const roof_peak *peak_of(const rf_bench *bench, const rf_peak_kernel *kernel, const rf_core_set *set) {
  roof_peak like = {.dtype = kernel->dtype};
  rf_core_set_sign(bench, set, &like.cores, like.core_kind, &like.threads_per_core);
  for (int i = 0; i < bench->machine->peak_count; i++) {
    const roof_peak *peak = &bench->machine->peaks[i];
    if (peak->dtype == like.dtype && peak->cores == like.cores && strcmp(peak->isa, kernel->isa) == 0 &&
        peak->threads_per_core == like.threads_per_core && strcmp(peak->core_kind, like.core_kind) == 0) {
      return peak;
    }
  }
  return NULL;
}

/** Divides the work so that all kinds of core take the same time. */
static void weigh(load *l) {
  for (int k = 1; k < l->bench->team.topology.kind_count && l->set.kind < 0; k++) {
    const roof_peak *first = peak_of(l->bench, l->kernel, &(rf_core_set){.kind = 0});
    const roof_peak *other = peak_of(l->bench, l->kernel, &(rf_core_set){.kind = k});
    if (first != NULL && other != NULL) {
      l->set.weights[k] = other->flops_per_second / first->flops_per_second;
    }
  }
}

/** With all hardware threads the clock is taken from the run with one thread per core: next to a busy sibling
 * a chain of loads does not show it. */
static double clock_of(const load *l, double seen) {
  const roof_peak *single = peak_of(l->bench, l->kernel, &(rf_core_set){.kind = -1});
  return l->set.per_core == 1 ? seen : single != NULL ? single->clock_hz : NAN;
}

static void finish_peak(rf_bench *bench, rf_trial *t) {
  const load *l = t->user;
  roof_peak *peak = l->peak;
  rf_core_limits limits = rf_core_set_limits(bench, &l->set, l->kernel->bits);
  char clock[32];
  peak->flops_per_second = t->rate;
  peak->spread = t->conditions->spread;
  peak->clock_hz = clock_of(l, t->conditions->clock_hz);
  t->conditions->per_cycle = t->rate / l->set.cores / peak->clock_hz;
  int used = snprintf(peak->source, sizeof peak->source,
                      "%d independent chain%s (the best number tried), fast end of %zu windows of 0.5 ms",
                      l->way->chains, l->way->chains == 1 ? "" : "s", t->count);
  peak->flops_per_cycle = rf_cpu_peak_kernel_limit(&limits, l->kernel);
  peak->limit_flops_per_second = l->set.cores * peak->flops_per_cycle * peak->clock_hz;
  if (!isnan(peak->clock_hz)) {
    used +=
        rf_format(peak->source + used, sizeof peak->source - (size_t)used, " at %s; %.4g FLOP/cycle per core",
                  roof_quantity_format(clock, sizeof clock, peak->clock_hz, "Hz"), t->conditions->per_cycle);
  }
  if (isfinite(peak->limit_flops_per_second)) {
    rf_format(peak->source + used, sizeof peak->source - (size_t)used, ", limit %g (%s)",
              peak->flops_per_cycle, limits.source);
  }
}

static roof_status plan_peak(rf_bench *bench, load *l, roof_error *error) {
  const rf_peak_kernel *kernel = l->kernel;
  rf_trial *trial = NULL;
  char who[64];
  roof_status status = rf_trial_add(bench, &trial, error);
  if (status != ROOF_OK) {
    return status;
  }
  rf_peak_kernel_seeds(kernel, l->seeds);
  weigh(l);
  l->way = &kernel->ways[0];
  double work = ready(l), seconds = window_of(l);
  l->rounds = calibrate(l, brief);
  roof_peak *peak = l->peak = roof_machine_add_peak(bench->machine);
  if (roof_peak_make_conditions(peak) == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "peaks: out of memory");
  }
  peak->dtype = kernel->dtype;
  peak->unit = kernel->form == RF_PEAK_TILE ? ROOF_MATRIX : ROOF_VECTOR;
  peak->kind = ROOF_MEASURED;
  peak->mixed = kernel->form == RF_PEAK_FMA_ADD;
  rf_core_set_sign(bench, &l->set, &peak->cores, peak->core_kind, &peak->threads_per_core);
  snprintf(peak->isa, sizeof peak->isa, "%s", kernel->isa);
  snprintf(peak->date, sizeof peak->date, "%s", bench->machine->date);
  *trial = (rf_trial){.window = load_window,
                      .finish = finish_peak,
                      .user = l,
                      .choice = choice_of(kernel),
                      .set = &l->set,
                      .cores = l->set.cores,
                      .estimate = RF_FASTEST,
                      .conditions = peak->conditions};
  peak->flops_per_second = work / seconds; /* until it is measured, to weigh core sets by */
  snprintf(trial->figure, sizeof trial->figure, "%s %s %s, %s", roof_dtype_name(kernel->dtype),
           roof_unit_name(peak->unit), kernel->isa, rf_core_set_name(bench, &l->set, who, sizeof who));
  return ROOF_OK;
}

double rf_cpu_peak_on(rf_bench *bench, int threads, char *name) {
  const load *loads = bench->loads, *best = NULL;
  for (int i = 0; i < bench->load_count; i++) {
    const roof_peak *p = loads[i].peak;
    bool whole = loads[i].set.kind < 0 && p->dtype == ROOF_FP64 && !p->mixed;
    best = whole && (best == NULL || p->flops_per_second > best->peak->flops_per_second) ? &loads[i] : best;
  }
  if (best == NULL) {
    return NAN;
  }
  load l = *best;
  l.set.threads = threads;
  snprintf(name, ROOF_NAME_MAX, "%s %s %.30s", roof_dtype_name(ROOF_FP64), roof_unit_name(best->peak->unit),
           best->kernel->isa);
  return l.kernel->operations * l.way->chains * (double)l.rounds * rf_core_set_work(bench, &l.set) /
         window_of(&l);
}

/** The load under which the clock is lowest, if that is more than 2 % below the clock without load. */
void rf_cpu_note_pace(rf_bench *bench) {
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
    rf_bench_note(bench,
                  "clock: under %s %s%s %s, without load %s; each limit uses the clock under its own load",
                  slowest->isa, roof_dtype_name(slowest->dtype), slowest->cores == 1 ? " on one core" : "",
                  roof_quantity_format(low, sizeof low, slowest->clock_hz, "Hz"),
                  roof_quantity_format(high, sizeof high, between, "Hz"));
  }
}

/** NULL after the last peak kernel that the processor and the system allow; notes what the system refuses. */
static const rf_peak_kernel *next_peak_kernel(rf_bench *bench, int *index) {
  const rf_peak_kernel *kernel = NULL;
  while ((kernel = rf_peak_kernel_at((*index)++)) != NULL) {
    const char *reason = kernel->available() && kernel->refused != NULL ? kernel->refused() : NULL;
    if (kernel->available() && reason == NULL) {
      return kernel;
    }
    if (reason != NULL) {
      rf_bench_note(bench, "%s %s: %s", kernel->isa, roof_dtype_name(kernel->dtype), reason);
    }
  }
  return NULL;
}

int rf_cpu_peak_kernel_count(void) {
  int count = 0;
  for (int i = 0; rf_peak_kernel_at(i) != NULL; i++) {
    count += rf_peak_kernel_at(i)->available();
  }
  return count;
}

roof_status rf_cpu_plan_peaks(rf_bench *bench, roof_error *error) {
  roof_status status = ROOF_OK;
  const rf_peak_kernel *kernel = NULL;
  load *loads = bench->loads = aligned_alloc(64, ROOF_PEAK_MAX * sizeof *loads);
  bench->load_count = 0;
  if (loads == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "peaks: out of memory");
  }
  for (int i = 0; status == ROOF_OK && (kernel = next_peak_kernel(bench, &i)) != NULL;) {
    char step[96];
    snprintf(step, sizeof step, "%s peak, %s", roof_dtype_name(kernel->dtype), kernel->isa);
    rf_bench_step(bench, step);
    for (int c = 0; c < rf_core_set_count(bench) && bench->machine->peak_count < ROOF_PEAK_MAX; c++) {
      load *l = &loads[bench->load_count++];
      *l = (load){.bench = bench, .kernel = kernel, .set = rf_core_set_at(bench, c)};
      rf_core_set_enter(bench, &l->set);
      status = status == ROOF_OK ? plan_peak(bench, l, error) : status;
      rf_core_set_leave(bench, &l->set);
    }
  }
  return status;
}
