/* Plausibility checks of the figures: impossible ones, and ones that contradict each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/cpu/cpu.h"
#include "measure/cpu/laws.h"

/** A cost may exceed another by the change of the clock between two windows. */
static const double tolerance = 1.02;

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

void rf_cpu_judge(rf_bench *bench) {
  rf_breach breaches[RF_BREACH_MAX];
  int count = rf_laws_check(bench->machine, bench->team.topology.core_count, breaches);
  for (rf_law law = 0; law < RF_LAW_COUNT; law++) {
    char text[ROOF_SOURCE_MAX];
    if (rf_laws_describe(breaches, count, law, text, sizeof text)[0] != '\0') {
      rf_bench_note(bench, "warning: %s", text);
    }
  }
  judge_costs(bench);
}
