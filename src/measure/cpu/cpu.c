/* The processor this program runs on. */
#include "measure/cpu/cpu.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "measure/clock.h"
#include "measure/run.h"
#include "measure/sampler.h"

void roof_bench_step(roof_bench *bench, const char *step) {
  if (bench->options->progress != NULL) {
    bench->options->progress(bench->options->user, step, bench->steps_done, bench->steps);
  }
  bench->steps_done++;
}

void roof_bench_note(roof_bench *bench, const char *format, ...) {
  roof_machine *machine = bench->machine;
  if (machine->note_count == ROOF_NOTE_MAX) {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(machine->notes[machine->note_count++], sizeof machine->notes[0], format, arguments);
  va_end(arguments);
}

/** Steps of a whole run: region, clock, data, then each figure on one core and on all. */
static int count_steps(const roof_bench *bench) {
  enum { FORMATS = 2, MEMORY_PATTERNS = 4 };
  int caches = bench->machine->level_count - 1;
  return 3 + (FORMATS + caches + MEMORY_PATTERNS) * (bench->team.threads > 1 ? 2 : 1);
}

static void note_impossible(roof_bench *bench) {
  static const double tolerance = 1.01;
  const roof_machine *machine = bench->machine;
  for (int i = 0; i < machine->peak_count; i++) {
    const roof_peak *peak = &machine->peaks[i];
    double percent = 100 * peak->flops_per_second / peak->limit_flops_per_second;
    if (percent > 100 * tolerance) {
      roof_bench_note(bench, "%s peak, cores=%d: %.0f %% of its physical limit: not possible, measure again",
                      roof_dtype_name(peak->dtype), peak->cores, percent);
    }
  }
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level *level = &machine->levels[i];
    double percent = 100 * level->read_bytes_per_second / level->limit_bytes_per_second;
    if (percent > 100 * tolerance) {
      roof_bench_note(bench, "%s read, cores=%d: %.0f %% of its physical limit: not possible, measure again",
                      level->name, level->cores, percent);
    }
  }
}

/** Says what else ran meanwhile, when it was enough to move the figures. */
static void note_noise(roof_bench *bench, const roof_noise *before) {
  roof_noise after = roof_noise_now();
  double elapsed = after.seconds - before->seconds;
  double stolen = (after.stolen_seconds - before->stolen_seconds) / (elapsed * bench->team.cores);
  if (stolen > 0.01) {
    roof_bench_note(bench, "noise: the hypervisor took %.1f %% of the processors meanwhile", 100 * stolen);
  }
  if (before->load > 0.5) {
    roof_bench_note(bench, "noise: %.1f other tasks were runnable when the run began", before->load);
  }
}

static const char *never_disabled(void) {
  return NULL;
}

static roof_status measure(const roof_measure_options *options, roof_machine *machine, roof_error *error) {
  static const double quick_budget = 0.1;
  roof_machine result;
  roof_machine_init(&result);
  roof_bench bench = {.options = options,
                      .lanes = roof_lanes_best(),
                      .machine = &result,
                      .cycle_seconds = NAN,
                      .budget = options->quick ? fmin(options->seconds_per_item, quick_budget)
                                               : options->seconds_per_item};
  roof_status status = roof_team_init(&bench.team, options->threads, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_noise before = roof_noise_now();
  roof_run_date(result.date);
  roof_cpu_identify(&bench);
  bench.steps = count_steps(&bench);
  status = roof_cpu_measure_clock(&bench, error);
  if (status == ROOF_OK) {
    status = roof_cpu_measure_peaks(&bench, error);
  }
  if (status == ROOF_OK) {
    status = roof_cpu_measure_levels(&bench, error);
  }
  if (status == ROOF_OK) {
    note_impossible(&bench);
    note_noise(&bench, &before);
    *machine = result;
  }
  roof_team_done(&bench.team);
  return status;
}

/** Calls of one sample, so many that the clock's resolution does not show. */
typedef struct timed_run {
  roof_kernel_run run;
  int calls;
} timed_run;

static double timed_calls(void *user) {
  timed_run *t = user;
  double start = roof_clock_seconds();
  for (int i = 0; i < t->calls; i++) {
    t->run.kernel->execute(&t->run);
  }
  return (roof_clock_seconds() - start);
}

static void calibrate(timed_run *t) {
  static const double least_seconds = 50e-6;
  t->calls = 1;
  double seconds = fmin(timed_calls(t), timed_calls(t));
  t->calls = (int)fmax(1, ceil(least_seconds / fmax(seconds, 1e-8)));
}

static roof_status sample(timed_run *t, const roof_measure_options *options, roof_measurement *out,
                          roof_error *error) {
  enum { LEAST = 5, MOST = 1000 };
  static const double quick_budget = 0.3;
  double budget = options->quick ? fmin(options->seconds_per_item, quick_budget) : options->seconds_per_item;
  roof_sampling sampling = {budget, LEAST, MOST};
  roof_samples samples;
  calibrate(t);
  roof_status status = roof_sample(timed_calls, t, &sampling, &samples, error);
  if (status != ROOF_OK) {
    return status;
  }
  for (size_t i = 0; i < samples.count; i++) {
    samples.seconds[i] /= t->calls;
  }
  double *figures[] = {&samples.stats.minimum,      &samples.stats.maximum,       &samples.stats.median,
                       &samples.stats.quartile_low, &samples.stats.quartile_high, &samples.stats.ci_low,
                       &samples.stats.ci_high};
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
    *figures[i] /= t->calls;
  }
  out->samples = samples.seconds;
  out->sample_count = samples.count;
  out->stats = samples.stats;
  out->seconds = samples.stats.median;
  const char *library = t->run.kernel->library != NULL ? t->run.kernel->library() : "";
  snprintf(out->note, sizeof out->note, "%d threads bound; %s%s%.90s", t->run.threads, samples.stopped,
           library[0] != '\0' ? "; " : "", library);
  return ROOF_OK;
}

static roof_status run(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                       const roof_measure_options *options, roof_measurement *out, roof_error *error) {
  roof_measurement result;
  roof_team team;
  roof_status status = roof_run_describe(kernel, dtype, values, &result, error);
  if (status == ROOF_OK) {
    status = roof_team_init(&team, options->threads, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  timed_run t = {.run = {.kernel = kernel, .dtype = dtype, .threads = team.threads}};
  memcpy(t.run.values, values, sizeof t.run.values);
  status = kernel->prepare(&t.run, error);
  if (status == ROOF_OK) {
    kernel->execute(&t.run);
    status = kernel->check(&t.run, error);
  }
  if (status == ROOF_OK) {
    status = sample(&t, options, &result, error);
  }
  kernel->release(&t.run);
  roof_team_done(&team);
  if (status == ROOF_OK) {
    snprintf(result.machine, sizeof result.machine, "host");
    *out = result;
  }
  return status;
}

const roof_backend roof_backend_cpu = {.name = "cpu",
                                       .summary = "this machine's processor: OpenMP threads bound to cores",
                                       .disabled_reason = never_disabled,
                                       .measure = measure,
                                       .run = run};
