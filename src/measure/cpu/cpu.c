/* The processor this program runs on. */
#include "measure/cpu/cpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "host/clock.h"
#include "host/memory.h"
#include "host/noise.h"
#include "measure/cpu/energy.h"
#include "measure/cpu/memory_rate.h"
#include "measure/cpu/numa.h"
#include "measure/cpu/trial.h"
#include "measure/run.h"
#include "measure/sampler.h"

/** True if figures with all hardware threads are measured too, after those with one thread per core. */
static bool has_siblings(const rf_bench *bench) {
  const rf_topology *t = &bench->team.topology;
  return bench->options->threads == 0 && t->thread_count > t->core_count;
}

/** Steps of a whole run: data, curve, rounds, small pages, synchronisation, latency, peaks, then each level
 * with each core set, the libraries, energy; with all hardware threads peaks, data, rounds and levels
 * again. */
static int count_steps(const rf_bench *bench, int levels) {
  int steps = 5 + !bench->options->quick + ROOF_ROUND_MAX + rf_cpu_peak_kernel_count() +
              rf_cpu_library_count() + levels * rf_core_set_count(bench);
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
  if (status == ROOF_OK) {
    status = rf_trials_run(bench, error);
  }
  if (status == ROOF_OK && !bench->siblings) {
    rf_cpu_try_pages(bench);
  }
  rf_trials_done(bench);
  free(bench->data);
  free(bench->flows);
  free(bench->loads);
  bench->data = bench->flows = bench->loads = NULL;
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

/** "2 threads bound; interval within 1 %; OpenBLAS 0.3.21; noise: ..." */
static void describe(const roof_kernel_run *run, const char *stopped, const rf_noise *before,
                     roof_measurement *out) {
  char noise[80];
  const char *library = run->kernel->library != NULL ? run->kernel->library() : "";
  rf_noise_since(before, run->threads, noise, sizeof noise);
  snprintf(out->note, sizeof out->note, "%d threads bound; %s%s%s%s%.60s", run->threads, stopped,
           noise[0] != '\0' ? "; " : "", noise, library[0] != '\0' ? "; " : "", library);
}

static double clock_now(void) {
  return RF_CLOCK_CHAIN / rf_clock_chain();
}

/** The clock cannot be read while a kernel runs on all cores; it is read before and after. */
static void fill_conditions(const roof_kernel_run *run, const rf_samples *samples, const rf_noise *before,
                            double precision, roof_measurement *out) {
  roof_conditions *c = &out->conditions;
  c->clock_after_hz = clock_now();
  c->clock_hz = (c->clock_before_hz + c->clock_after_hz) / 2;
  c->clock_drift = fabs(c->clock_after_hz - c->clock_before_hz) / c->clock_hz;
  c->per_cycle = out->flops / out->seconds / run->threads / c->clock_hz;
  rf_samples_conditions(samples, precision, c);
  rf_noise_add(before, c);
}

static roof_status sample(roof_kernel_run *run, const roof_measure_options *options, roof_measurement *out,
                          roof_error *error) {
  static const double quick_budget = 0.3;
  double budget = options->quick ? fmin(options->seconds_per_item, quick_budget) : options->seconds_per_item;
  rf_samples samples;
  out->conditions.clock_before_hz = clock_now();
  rf_noise before = rf_noise_now();
  rf_meter meter;
  rf_meter_start(&meter, "");
  double start = rf_clock_seconds();
  roof_status status = rf_cpu_sample(run, budget, options->precision, &samples, error);
  if (status != ROOF_OK) {
    return status;
  }
  out->samples = samples.seconds;
  out->sample_count = samples.count;
  out->stats = samples.stats;
  out->seconds = samples.stats.median;
  rf_meter_fill(&meter, rf_clock_seconds() - start, out);
  fill_conditions(run, &samples, &before, options->precision, out);
  describe(run, samples.stopped, &before, out);
  return ROOF_OK;
}

/** Samples between two probes of memory, where the kernel moves more than the caches hold. */
static roof_status sample_probed(roof_kernel_run *run, const rf_team *team,
                                 const roof_measure_options *options, roof_measurement *out,
                                 roof_error *error) {
  rf_memory_probe probe;
  bool probed = out->bytes > (double)rf_cache_bytes(3) && rf_memory_probe_init(&probe, team);
  double before = probed ? rf_memory_probe_rate(&probe) : NAN;
  roof_status status = sample(run, options, out, error);
  if (probed) {
    out->memory_bytes_per_second = rf_memory_rate(before, rf_memory_probe_rate(&probe));
    rf_memory_probe_done(&probe);
  }
  return status;
}

static roof_status run(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                       const roof_measure_options *options, roof_measurement *out, roof_error *error) {
  roof_measurement result;
  rf_team team;
  roof_status status = rf_run_describe(kernel, dtype, values, &result, error);
  if (status == ROOF_OK) {
    status = rf_team_init(&team, options->threads, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  roof_kernel_run prepared = {.kernel = kernel, .dtype = dtype, .threads = team.threads};
  memcpy(prepared.values, values, sizeof prepared.values);
  status = kernel->prepare(&prepared, error);
  if (status == ROOF_OK) {
    kernel->execute(&prepared);
    status = kernel->check(&prepared, error);
  }
  if (status == ROOF_OK) {
    status = sample_probed(&prepared, &team, options, &result, error);
  }
  kernel->release(&prepared);
  rf_team_done(&team);
  if (status == ROOF_OK) {
    snprintf(result.machine, sizeof result.machine, "host");
    *out = result;
  }
  return status;
}

const roof_backend rf_backend_cpu = {.name = "cpu",
                                     .summary = "this machine's processor: OpenMP threads bound to cores",
                                     .machine = "host",
                                     .disabled_reason = never_disabled,
                                     .measure = measure,
                                     .run = run};
