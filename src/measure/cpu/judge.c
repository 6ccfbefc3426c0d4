/* Plausibility checks of the figures: impossible ones, and ones that contradict each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/cpu/cpu.h"

/** A figure may exceed its limit by the change of the clock between two windows. */
static const double tolerance = 1.02;

static const char *cores_of(int cores) {
  return cores == 1 ? "one core" : "all cores";
}

static void judge_limit(rf_bench *bench, const char *what, int cores, double value, double limit) {
  if (value > tolerance * limit) {
    rf_bench_note(bench, "%s on %s: %.0f %% of its physical limit is impossible: measure again", what,
                  cores_of(cores), 100 * value / limit);
  }
}

/** In a virtual machine all threads may share one physical core of the host and together do one core's work.
 * The peak that scales worst shows it. */
static void judge_scaling(rf_bench *bench) {
  const roof_machine *m = bench->machine;
  int threads = bench->team.topology.core_count;
  double worst = 0.75 * threads;
  const roof_peak *slow = NULL;
  bool mixed = bench->team.topology.kind_count > 1;
  for (int i = 1; i < m->peak_count && !mixed; i++) {
    const roof_peak *one = &m->peaks[i - 1], *all = &m->peaks[i];
    double factor = all->flops_per_second / one->flops_per_second;
    if (one->cores == 1 && all->cores == 0 && all->threads_per_core == 0 && one->dtype == all->dtype &&
        factor < worst) {
      worst = factor;
      slow = all;
    }
  }
  if (slow != NULL) {
    rf_bench_note(
        bench,
        "%s: %d cores together did %.2f times the work of one: they share a physical core or a power limit",
        roof_dtype_name(slow->dtype), threads, worst);
  }
}

/** The best all-core rate of a format, with one thread per core or with several. */
static double best_peak(const roof_machine *m, roof_dtype dtype, bool several) {
  double best = NAN;
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *peak = &m->peaks[i];
    if (peak->cores == 0 && peak->dtype == dtype && !peak->mixed && (peak->threads_per_core > 1) == several) {
      best = fmax(best, peak->flops_per_second);
    }
  }
  return best;
}

/** The memory read bandwidth of all cores, with one thread per core or with several. */
static double memory_read(const roof_machine *m, bool several) {
  double rate = NAN;
  for (int i = 0; i < m->level_count; i++) {
    const roof_level *level = &m->levels[i];
    if (level->level == ROOF_MEMORY && level->cores == 0 && (level->threads_per_core > 1) == several) {
      rate = level->read_bytes_per_second;
    }
  }
  return rate;
}

void rf_cpu_note_siblings(rf_bench *bench) {
  const roof_machine *m = bench->machine;
  rf_bench_note(bench,
                "hardware threads: all %d of the %d cores compared with one per core: fp64 %+.1f %%, fp32 "
                "%+.1f %%, memory read %+.1f %%; predictions use the faster",
                bench->team.topology.thread_count, bench->team.topology.core_count,
                100 * (best_peak(m, ROOF_FP64, true) / best_peak(m, ROOF_FP64, false) - 1),
                100 * (best_peak(m, ROOF_FP32, true) / best_peak(m, ROOF_FP32, false) - 1),
                100 * (memory_read(m, true) / memory_read(m, false) - 1));
}

/** An outer level cannot read faster than the one inside it: one of the two measurements is wrong. */
static void judge_order(rf_bench *bench, const roof_level *inner, const roof_level *outer) {
  if (inner->cores == outer->cores && inner->threads_per_core == outer->threads_per_core &&
      strcmp(inner->core_kind, outer->core_kind) == 0 && outer->level > inner->level &&
      outer->read_bytes_per_second > tolerance * inner->read_bytes_per_second) {
    rf_bench_note(bench, "%s on %s reads faster than %s: one of the two was disturbed; measure again",
                  outer->name, cores_of(outer->cores), inner->name);
  }
}

static const roof_cost *cost_named(const roof_machine *m, const char *name) {
  for (int i = 0; i < m->report->cost_count; i++) {
    if (strcmp(m->report->costs[i].name, name) == 0) {
      return &m->report->costs[i];
    }
  }
  return NULL;
}

/** Pairs of costs of which the first must not be lower than the second. */
static void judge_costs(rf_bench *bench) {
  static const char *const pairs[][2] = {{"atomic add, shared line", "atomic add, own line"},
                                         {"compare and swap, shared line", "compare and swap, own line"}};
  const roof_machine *m = bench->machine;
  const roof_level *l1 = roof_machine_level(m, ROOF_L1, ROOF_MEASURED);
  for (int i = 0; i < m->level_count; i++) { /* the row of one core has the latency */
    l1 = m->levels[i].level == ROOF_L1 && !isnan(m->levels[i].latency_seconds) ? &m->levels[i] : l1;
  }
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    const roof_cost *contended = cost_named(m, pairs[i][0]), *alone = cost_named(m, pairs[i][1]);
    if (contended != NULL && alone != NULL && tolerance * contended->seconds < alone->seconds) {
      rf_bench_note(bench, "%s: %.0f %% of %s is impossible: measure again", contended->name,
                    100 * contended->seconds / alone->seconds, alone->name);
    }
  }
  for (int i = 0; i < m->report->cost_count && l1 != NULL; i++) {
    const roof_cost *cost = &m->report->costs[i];
    if (strncmp(cost->name, "hand-off", 8) == 0 && cost->least_seconds < l1->latency_seconds) {
      rf_bench_note(bench, "%s: faster than a load from %s is impossible: measure again", cost->name,
                    l1->name);
    }
  }
}

static void judge_level(rf_bench *bench, const roof_level *level) {
  const struct {
    const char *pattern;
    double rate, limit;
  } rates[] = {{"read", level->read_bytes_per_second, level->limit_bytes_per_second},
               {"write", level->write_bytes_per_second, level->write_limit_bytes_per_second},
               {"copy", level->copy_bytes_per_second, level->copy_limit_bytes_per_second},
               {"update", level->update_bytes_per_second, level->update_limit_bytes_per_second},
               {"triad", level->triad_bytes_per_second, level->triad_limit_bytes_per_second}};
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
    char what[96];
    snprintf(what, sizeof what, "%s %s", level->name, rates[i].pattern);
    judge_limit(bench, what, level->cores, rates[i].rate, rates[i].limit);
  }
}

void rf_cpu_judge(rf_bench *bench) {
  judge_costs(bench);
  const roof_machine *m = bench->machine;
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *peak = &m->peaks[i];
    judge_limit(bench, roof_dtype_name(peak->dtype), peak->cores, peak->flops_per_second,
                peak->limit_flops_per_second);
  }
  judge_scaling(bench);
  for (int i = 0; i < m->level_count; i++) {
    const roof_level *level = &m->levels[i];
    judge_level(bench, level);
    for (int j = 0; j < i; j++) {
      judge_order(bench, &m->levels[j], level);
    }
  }
}
