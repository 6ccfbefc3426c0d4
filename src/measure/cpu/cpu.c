/* The processor this program runs on. */
#include "measure/cpu/cpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "host/memory.h"
#include "host/noise.h"
#include "measure/cpu/energy.h"
#include "measure/cpu/growth.h"
#include "measure/cpu/numa.h"
#include "measure/cpu/trial.h"
#include "measure/run.h"

/** True if figures with all hardware threads are measured too, after those with one thread per core. */
static bool has_siblings(const rf_bench *bench) {
  const rf_topology *t = &bench->team.topology;
  return bench->options->threads == 0 && t->thread_count > t->core_count;
}

/** Steps of a whole run: data, curve, rates, rounds, growth, intensities, small pages, synchronisation, latency, peaks, then each level
 * with each core set, the blocks of products, the libraries, energy; with all hardware threads peaks, data, rounds and levels
 * again. */
static int count_steps(const rf_bench *bench, int levels) {
  int steps = 7 + (bench->team.threads > 1) + 3 * !bench->options->quick + ROOF_ROUND_MAX +
              rf_cpu_peak_kernel_count() + rf_cpu_library_count() + levels * rf_core_set_count(bench);
  steps += bench->team.topology.node_count > 1;
  return steps + (has_siblings(bench) ? 1 + ROOF_ROUND_MAX + rf_cpu_peak_kernel_count() + levels : 0);
}

static const char *never_disabled(void) {
  return NULL;
}

/** Plans peaks and levels, measures everything planned in rounds, and forgets the plan. */
static roof_status measure_planned(rf_bench *bench, roof_level *levels, int count, roof_error *error) {
  roof_status status = rf_cpu_plan_peaks(bench, error);
  if (status == ROOF_OK) {
    status = rf_cpu_plan_levels(bench, levels, count, error);
  }
  if (status == ROOF_OK && !bench->siblings) {
    status = rf_cpu_plan_rates(bench, error);
  }
  if (status == ROOF_OK) {
    status = rf_trials_run(bench, error);
  }
  if (status == ROOF_OK && !bench->siblings) {
    rf_cpu_measure_growth(bench, levels, count);
    rf_cpu_measure_intensities(bench);
    rf_cpu_try_pages(bench);
  }
  rf_trials_done(bench);
  free(bench->data);
  free(bench->flows);
  free(bench->loads);
  free(bench->works);
  bench->data = bench->flows = bench->loads = bench->works = NULL;
  return status;
}

/** Peaks and levels again with all hardware threads of the same cores. */
static roof_status measure_siblings(rf_bench *bench, roof_level *levels, int count, roof_error *error) {
  int threads = bench->team.topology.thread_count;
  rf_team_done(&bench->team);
  roof_status status = rf_team_init(&bench->team, threads, error);
  if (status != ROOF_OK) {
    bench->team = (rf_team){0};
    return status;
  }
  bench->siblings = true;
  status = measure_planned(bench, levels, count, error);
  if (status == ROOF_OK) {
    rf_cpu_note_siblings(bench);
  }
  return status;
}

static roof_status measure_all(rf_bench *bench, roof_error *error) {
  roof_level levels[ROOF_LEVEL_KIND_COUNT];
  int count = rf_cpu_identify(bench, levels);
  bench->steps = count_steps(bench, count);
  roof_status status = rf_cpu_plan_clock(bench, error);
  if (status == ROOF_OK) {
    status = measure_planned(bench, levels, count, error);
  }
  if (status == ROOF_OK) {
    rf_cpu_note_pace(bench);
    status = rf_cpu_measure_sync(bench, error);
  }
  if (status == ROOF_OK) {
    status = rf_cpu_measure_latency(bench, error);
  }
  if (status == ROOF_OK) {
    status = rf_cpu_measure_domains(bench, error);
  }
  if (status == ROOF_OK) {
    if (!bench->options->quick) {
      rf_cpu_measure_blocks(bench, 768);
    }
    rf_cpu_measure_libraries(bench);
    rf_cpu_measure_energy(bench, "");
  }
  if (status == ROOF_OK && has_siblings(bench)) {
    status = measure_siblings(bench, levels, count, error);
  }
  return status;
}

static roof_status measure(const roof_measure_options *options, roof_machine **machine, roof_error *error) {
  static const double quick_budget = 0.1;
  roof_machine *result = roof_machine_new();
  if (result == NULL || roof_machine_make_report(result) == NULL) {
    roof_machine_free(result);
    return roof_error_set(error, ROOF_E_MEMORY, "machine: out of memory");
  }
  rf_bench bench = {.options = options,
                    .lanes = rf_lanes_best(),
                    .machine = result,
                    .budget = options->quick ? fmin(options->seconds_per_item, quick_budget)
                                             : options->seconds_per_item};
  roof_status status = rf_team_init(&bench.team, options->threads, error);
  if (status != ROOF_OK) {
    roof_machine_free(result);
    return status;
  }
  char noise[80];
  rf_noise before = rf_noise_now();
  rf_run_date(result->date);
  status = measure_all(&bench, error);
  if (status == ROOF_OK) {
    rf_cpu_judge(&bench);
    if (rf_noise_since(&before, bench.team.threads, noise, sizeof noise)[0] != '\0') {
      rf_bench_note(&bench, "%s", noise);
    }
    *machine = result;
  } else {
    roof_machine_free(result);
  }
  if (bench.team.hwloc != NULL) {
    rf_team_done(&bench.team);
  }
  return status;
}

const roof_backend rf_backend_cpu = {.name = "cpu",
                                     .summary = "this machine's processor: OpenMP threads bound to cores",
                                     .machine = "host",
                                     .disabled_reason = never_disabled,
                                     .measure = measure,
                                     .run = rf_cpu_run,
                                     .run_in_turns = rf_cpu_run_in_turns,
                                     .domain_count = rf_cpu_domain_count,
                                     .read_domain = rf_cpu_read_domain};
