/* Kernels on this processor: checked, then timed, alone or two of them in turns. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "host/clock.h"
#include "host/noise.h"
#include "measure/cpu/cpu.h"
#include "measure/cpu/energy.h"
#include "measure/cpu/memory_rate.h"
#include "measure/run.h"

/** "2 threads bound; after 3 s of work; interval within 1 %, a core was shared in 40 % of the samples; OpenBLAS 0.3.21;
 * noise: ..." */
static void describe(const roof_kernel_run *run, const rf_samples *samples, const rf_noise *before,
                     const roof_measure_options *options, roof_measurement *out) {
  char noise[80], sustained[40], shared[64] = "";
  if (samples->shared > 0) {
    rf_format(shared, sizeof shared, ", a core was shared in %.0f %% of the samples", 100 * samples->shared);
  }
  const char *library = run->kernel->library != NULL ? run->kernel->library() : "";
  rf_noise_since(before, run->threads, noise, sizeof noise);
  snprintf(out->note, sizeof out->note, "%d thread%s bound%s; %s%s%s%s%s%.112s", run->threads,
           run->threads == 1 ? "" : "s", rf_run_sustained(sustained, options), samples->stopped, shared,
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

static double budget_of(const roof_measure_options *options) {
  static const double quick_budget = 0.3;
  return options->quick ? fmin(options->seconds_per_item, quick_budget) : options->seconds_per_item;
}

/** Calls them one after the other for so long. */
static void sustain(roof_kernel_run *runs, int count, double seconds) {
  for (double end = rf_clock_seconds() + seconds; rf_clock_seconds() < end;) {
    for (int i = 0; i < count; i++) {
      runs[i].kernel->execute(&runs[i]);
    }
  }
}

/** Hands the samples over, with what they say. */
static void keep(const roof_kernel_run *run, const rf_samples *samples, const rf_noise *before,
                 const roof_measure_options *options, roof_measurement *out) {
  out->samples = samples->seconds;
  out->sample_count = samples->count;
  out->stats = samples->stats;
  out->seconds = samples->stats.median;
  fill_conditions(run, samples, before, options->precision, out);
  describe(run, samples, before, options, out);
}

/** Whether it works on one core. */
static bool is_alone(const roof_kernel_run *run, const roof_measurement *m) {
  return run->threads == 1 || roof_kernel_is_alone(run->kernel, m->flops);
}

static roof_status sample(roof_kernel_run *run, const rf_team *team, const roof_measure_options *options,
                          roof_measurement *out, roof_error *error) {
  rf_samples samples;
  out->conditions.clock_before_hz = clock_now();
  rf_noise before = rf_noise_now();
  rf_meter meter;
  rf_meter_start(&meter, "");
  double start = rf_clock_seconds();
  roof_status status =
      rf_cpu_sample(run, team, is_alone(run, out), budget_of(options), options->precision, &samples, error);
  if (status != ROOF_OK) {
    return status;
  }
  rf_meter_fill(&meter, rf_clock_seconds() - start, out);
  keep(run, &samples, &before, options, out);
  return ROOF_OK;
}

/** Both, each sample of one right after one of the other. */
static roof_status sample_in_turns(roof_kernel_run runs[2], const roof_measure_options *options,
                                   roof_measurement out[2], roof_error *error) {
  rf_samples samples[2];
  double clock = clock_now();
  rf_noise before = rf_noise_now();
  roof_status status = rf_cpu_sample_in_turns(runs, budget_of(options), options->precision, samples, error);
  for (int i = 0; i < 2 && status == ROOF_OK; i++) {
    out[i].conditions.clock_before_hz = clock;
    keep(&runs[i], &samples[i], &before, options, &out[i]);
    snprintf(out[i].power, sizeof out[i].power, "not measured: two kernels ran in turns");
    snprintf(out[i].machine, sizeof out[i].machine, "host");
  }
  return status;
}

/** What runs between two probes of memory. */
typedef struct sampling {
  roof_kernel_run *runs; /**< one, or two in turns */
  int count;
  const rf_team *team;
  const roof_measure_options *options;
  const rf_memory_probe *probe; /**< nullable: for kernels that move more than the caches hold */
  roof_measurement *out;
} sampling;

static double rate_of(const rf_memory_probe *probe) {
  return probe != NULL ? rf_memory_probe_rate(probe) : NAN;
}

static roof_status sample_probed(const sampling *s, roof_error *error) {
  sustain(s->runs, s->count, s->options->sustain_seconds);
  double before = rate_of(s->probe);
  roof_status status = s->count == 2 ? sample_in_turns(s->runs, s->options, s->out, error)
                                     : sample(s->runs, s->team, s->options, s->out, error);
  double rate = rf_memory_rate(before, rate_of(s->probe));
  for (int i = 0; i < s->count; i++) {
    s->out[i].memory_bytes_per_second = rate;
  }
  return status;
}

static roof_status sample_one(void *user, roof_measurement *out, roof_error *error) {
  sampling s = *(const sampling *)user;
  s.out = out;
  return sample_probed(&s, error);
}

static roof_status sample_all(sampling s, roof_error *error) {
  rf_memory_probe probe;
  double held = rf_topology_last_cache(&s.team->topology, s.team->threads);
  bool probed = s.out->bytes > held && rf_memory_probe_init(&probe, s.team);
  s.probe = probed ? &probe : NULL;
  bool alone = s.count == 1 && is_alone(s.runs, s.out);
  roof_status status = alone ? rf_run_unshared(sample_one, &s, s.out, error) : sample_probed(&s, error);
  if (probed) {
    rf_memory_probe_done(&probe);
  }
  return status;
}

/** Operands, one call and its check; released by the caller in any case. */
static roof_status begin(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                         const rf_team *team, const roof_machine *machine, roof_kernel_run *prepared,
                         roof_error *error) {
  *prepared = (roof_kernel_run){
      .kernel = kernel, .dtype = dtype, .threads = team->threads, .setup_threads = team->setup_threads};
  prepared->blocks = roof_machine_blocks(machine, dtype);
  memcpy(prepared->values, values, sizeof prepared->values);
  rf_team_widen(team);
  roof_status status = kernel->prepare(prepared, error);
  if (status == ROOF_OK) {
    kernel->execute(prepared);
    status = kernel->check(prepared, error);
  }
  rf_team_narrow(team);
  return status;
}

roof_status rf_cpu_run(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                       const roof_measure_options *options, roof_measurement *out, roof_error *error) {
  roof_measurement result;
  roof_kernel_run prepared;
  rf_team team;
  roof_status status = rf_run_describe(kernel, dtype, values, &result, error);
  if (status == ROOF_OK) {
    status = rf_team_init(&team, options->threads, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  status = begin(kernel, dtype, values, &team, options->machine, &prepared, error);
  if (status == ROOF_OK) {
    status = sample_all((sampling){&prepared, 1, &team, options, NULL, &result}, error);
  }
  kernel->release(&prepared);
  rf_team_done(&team);
  if (status == ROOF_OK) {
    snprintf(result.machine, sizeof result.machine, "host");
    *out = result;
  }
  return status;
}

roof_status rf_cpu_run_in_turns(const roof_kernel *const kernels[2], roof_dtype dtype, const double *values,
                                const roof_measure_options *options, roof_measurement out[2],
                                roof_error *error) {
  roof_measurement results[2];
  roof_kernel_run runs[2];
  rf_team team;
  int begun = 0;
  roof_status status = rf_run_same_operation(kernels, error);
  for (int i = 0; i < 2 && status == ROOF_OK; i++) {
    status = rf_run_describe(kernels[i], dtype, values, &results[i], error);
  }
  if (status == ROOF_OK) {
    status = rf_team_init(&team, options->threads, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  while (begun < 2 && status == ROOF_OK) {
    status = begin(kernels[begun], dtype, values, &team, options->machine, &runs[begun], error);
    begun++;
  }
  if (status == ROOF_OK) {
    status = sample_all((sampling){runs, 2, &team, options, NULL, results}, error);
  }
  for (int i = 0; i < begun; i++) {
    kernels[i]->release(&runs[i]);
  }
  rf_team_done(&team);
  if (status == ROOF_OK) {
    memcpy(out, results, sizeof results);
  }
  return status;
}
