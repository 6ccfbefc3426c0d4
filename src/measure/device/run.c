/* One kernel on an accelerator: its operands there, one run, the result back and checked, then timed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/device/bench.h"
#include "measure/device/job.h"
#include "measure/run.h"
#include "roofline/units.h"

/** What is sampled: launches that follow each other, or a call of the driver's own. */
typedef struct timing {
  rf_device *device;
  const rf_device_launch *launches;
  int count;
  const roof_kernel_run *run; /**< for a call */
  const rf_device_operands *operands;
  int repeats;
  int turns; /**< launches that stand for each other: each call takes the next; 0: all together */
  int turn;
  roof_status status;
  roof_error *error;
} timing;

static double timed(void *user) {
  timing *t = user;
  double seconds = NAN;
  if (t->status == ROOF_OK && t->run != NULL) {
    t->status = t->device->driver->call(t->device, t->run, t->operands, t->repeats, &seconds, t->error);
  } else if (t->status == ROOF_OK && t->turns > 0) {
    const rf_device_launch *launch = &t->launches[t->turn++ % t->turns];
    t->status = t->device->driver->time(t->device, launch, 1, t->repeats, &seconds, t->error);
  } else if (t->status == ROOF_OK) {
    t->status = t->device->driver->time(t->device, t->launches, t->count, t->repeats, &seconds, t->error);
  }
  return t->status == ROOF_OK ? seconds : NAN;
}

/** So many calls per sample, `least` seconds of them, that neither the clock's resolution shows nor the microseconds that
 * the first launch of a batch takes to reach the device; returns the seconds of one. */
static double calibrate(timing *t, double least) {
  enum { MOST = 200 };
  t->repeats = 1;
  double seconds = fmin(timed(t), timed(t));
  t->repeats = (int)fmin(MOST, fmax(1, ceil(least / fmax(seconds, 1e-8))));
  return seconds * t->repeats;
}

enum { LEAST_SAMPLES = 5 };

/** Seconds of a sample: alone, and of each of two that are compared, whose calls reach the device at different speed. */
static const double alone = 2e-3, compared = 10e-3;

/** Samples `t`, which `call` times, alone or in turns with another, for the time of `budget`; if the least
 * number of samples does not fit, until they are taken or five budgets are spent. */
static roof_status take(timing *t, rf_timed *call, void *user, double budget, double precision,
                        rf_samples *samples) {
  enum { MOST = 1000 };
  static const double patience = 5;
  double seconds = calibrate(t, call == timed ? alone : compared);
  rf_sampling sampling = {.calls = t->repeats,
                          .budget = fmax(budget, fmin(LEAST_SAMPLES * seconds, patience * budget)),
                          .least = LEAST_SAMPLES,
                          .most = MOST,
                          .precision = precision};
  roof_error said; /* unless the driver gives the reason for a failed call */
  roof_status status = t->status == ROOF_OK ? rf_sample(call, user, &sampling, samples, &said) : t->status;
  if (t->status != ROOF_OK) {
    if (status == ROOF_OK) {
      rf_samples_done(samples);
    }
    return t->status;
  }
  if (status != ROOF_OK && t->error != NULL) {
    *t->error = said;
  }
  return status;
}

roof_status rf_device_sample(rf_device *device, const rf_device_launch *launches, int count, double budget,
                             double precision, rf_samples *samples, roof_error *error) {
  timing t = {.device = device, .launches = launches, .count = count, .turns = count, .error = error};
  return take(&t, timed, &t, budget, precision, samples);
}

void rf_device_conditions(const rf_samples *samples, double precision, roof_conditions *conditions) {
  rf_samples_conditions(samples, precision, conditions);
  if (samples->count < LEAST_SAMPLES && conditions->noisy[0] == '\0') {
    snprintf(conditions->noisy, sizeof conditions->noisy, "only %zu sample%s fitted into the time",
             samples->count, samples->count == 1 ? "" : "s");
  }
}

typedef rf_device_job job;

static roof_status check_format(const job *j, roof_error *error) {
  const rf_device_info *info = &j->device->info;
  return info->formats >> j->run.dtype & 1u
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %s has no %s", j->run.kernel->name, info->name,
                              roof_dtype_name(j->run.dtype));
}

/** Whether all operands fit, each and together. */
static roof_status check_memory(const job *j, double scratch, roof_error *error) {
  const rf_operands *o = j->run.state;
  const rf_device_info *info = &j->device->info;
  double all = o->bytes[0] + o->bytes[1] + o->bytes[2] + scratch;
  double largest = fmax(fmax(o->bytes[0], o->bytes[1]), fmax(o->bytes[2], scratch));
  if (!(all > info->memory_bytes) && !(largest > info->allocation_bytes)) {
    return ROOF_OK;
  }
  char need[32], one[32], have[32], most[32];
  return roof_error_set(error, ROOF_E_UNSUPPORTED,
                        "%s: needs %s of the device's memory, %s in one buffer; it has %s and allows %s",
                        j->run.kernel->name, roof_quantity_format(need, sizeof need, all, "B"),
                        roof_quantity_format(one, sizeof one, largest, "B"),
                        roof_quantity_format(have, sizeof have, info->memory_bytes, "B"),
                        roof_quantity_format(most, sizeof most, info->allocation_bytes, "B"));
}

/** One operand on the device, with the host's content; no bytes: none. */
static roof_status upload(job *j, const void *from, double bytes, void **buffer, roof_error *error) {
  const rf_device_driver *driver = j->device->driver;
  roof_status status = ROOF_OK;
  if (bytes > 0) {
    status = driver->allocate(j->device, bytes, buffer, error);
  }
  if (status == ROOF_OK && bytes > 0 && from != NULL) {
    status = driver->write(j->device, *buffer, from, bytes, error);
  }
  return status;
}

/** What the kernel finds as 0. */
static roof_status clear(job *j, roof_error *error) {
  void *zeros = calloc(1, j->kernel->zeros);
  if (zeros == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", j->run.kernel->name);
  }
  roof_status status =
      j->device->driver->write(j->device, j->operands.scratch, zeros, (double)j->kernel->zeros, error);
  free(zeros);
  return status;
}

static roof_status upload_all(job *j, roof_error *error) {
  const rf_operands *o = j->run.state;
  double scratch = j->kernel->scratch != NULL ? j->kernel->scratch(&j->run) : 0;
  j->operands.group_items = j->device->info.group_items;
  j->operands.units = j->device->info.units;
  j->operands.unit_local_bytes = j->device->info.unit_local_bytes;
  roof_status status = check_memory(j, scratch, error);
  const struct {
    const void *from;
    double bytes;
    void **to;
  } operands[] = {{o->in[0], o->bytes[0], &j->operands.in[0]},
                  {o->in[1], o->bytes[1], &j->operands.in[1]},
                  {o->out, o->bytes[2], &j->operands.out},
                  {NULL, scratch, &j->operands.scratch}};
  for (int i = 0; i < 4 && status == ROOF_OK; i++) {
    status = upload(j, operands[i].from, operands[i].bytes, operands[i].to, error);
  }
  return status == ROOF_OK && j->kernel->zeros > 0 ? clear(j, error) : status;
}

/** Its launches, and their kernels found. */
static roof_status plan(job *j, roof_error *error) {
  rf_device_plan *way = j->variant != NULL ? j->variant->plan : j->kernel->plan;
  roof_status status = ROOF_OK;
  j->count = way(&j->run, &j->operands, j->launches);
  for (int i = 0; i < j->count && status == ROOF_OK; i++) {
    status =
        j->device->driver->find(j->device, j->program, j->launches[i].entry, &j->launches[i].function, error);
  }
  return status;
}

/** The program built, and its kernels found. */
static roof_status load(job *j, roof_error *error) {
  if (j->kernel->plan == NULL) {
    return ROOF_OK;
  }
  const rf_device_text *text = rf_device_text_find(j->kernel->program);
  const rf_device_text own = {.name = j->kernel->program}; /* what only this driver has */
  roof_status status =
      j->device->driver->build(j->device, text != NULL ? text : &own, j->run.dtype, &j->program, error);
  return status == ROOF_OK ? plan(j, error) : status;
}

static timing timing_of(const job *j, roof_error *error) {
  return (timing){.device = j->device,
                  .launches = j->launches,
                  .count = j->count,
                  .run = j->count == 0 ? &j->run : NULL,
                  .operands = &j->operands,
                  .repeats = 1,
                  .error = error};
}

/** Runs once and checks what comes back. */
static roof_status verify(job *j, roof_error *error) {
  rf_operands *o = j->run.state;
  timing once = timing_of(j, error);
  timed(&once);
  roof_status status = once.status;
  if (status == ROOF_OK) {
    status = j->device->driver->read(j->device, o->out, j->operands.out, o->bytes[2], error);
  }
  return status == ROOF_OK ? j->run.kernel->check(&j->run, error) : status;
}

void rf_device_job_finish(job *j) {
  const rf_device_driver *driver = j->device->driver;
  void *const buffers[] = {j->operands.in[0], j->operands.in[1], j->operands.out, j->operands.scratch};
  for (int i = 0; i < 4; i++) {
    driver->release(j->device, buffers[i]);
  }
  driver->unload(j->device, j->program);
  j->run.kernel->release(&j->run);
}

/** "device's clock, 20 calls per sample; interval within 1 %; band=4; NVIDIA H200" */
static void describe(const job *j, const timing *t, const rf_samples *samples, bool at_power_cap,
                     const roof_measure_options *options, roof_measurement *out) {
  char sustained[40], variant[48] = "";
  if (j->variant != NULL) {
    snprintf(variant, sizeof variant, "%.40s; ", j->variant->name);
  }
  snprintf(out->note, sizeof out->note, "device's clock, %d call%s per sample%s; %s; %s%s%.60s", t->repeats,
           t->repeats == 1 ? "" : "s", rf_run_sustained(sustained, options), samples->stopped,
           at_power_cap ? "at the power cap; " : "", variant, j->device->info.name);
}

static void fill_conditions(const rf_telemetry *before, const rf_telemetry *after, const rf_samples *samples,
                            double precision, roof_measurement *out) {
  roof_conditions *c = &out->conditions;
  c->clock_before_hz = before->clock_hz;
  c->clock_after_hz = after->clock_hz;
  rf_device_conditions(samples, precision, c);
  if (after->throttled[0] != '\0') {
    snprintf(c->noisy, sizeof c->noisy, "clock lowered: %s", after->throttled);
  }
}

/** Hands the samples over. */
static void fill(const job *j, const timing *t, const rf_telemetry *before, const rf_samples *samples,
                 const roof_measure_options *options, roof_measurement *out) {
  out->samples = samples->seconds;
  out->sample_count = samples->count;
  out->stats = samples->stats;
  out->seconds = samples->stats.median;
  rf_telemetry after = rf_device_telemetry(j->device);
  fill_conditions(before, &after, samples, options->precision, out);
  describe(j, t, samples, after.at_power_cap, options, out);
}

static double budget_of(const roof_measure_options *options) {
  static const double quick_budget = 0.3;
  return options->quick ? fmin(options->seconds_per_item, quick_budget) : options->seconds_per_item;
}

/** Samples in turns, or of one alone, that nobody looks at, for so long by the device's clock. */
static void sustain(timing *t, timing *other, double seconds) {
  static const double least = 1e-6; /* a clock that stands still ends it, too */
  while (seconds > 0 && t->status == ROOF_OK) {
    seconds -= fmax(timed(t), least);
    if (other != NULL && t->status == ROOF_OK) {
      seconds -= fmax(timed(other), least);
      t->status = other->status;
    }
  }
}

static roof_status sample(job *j, const roof_measure_options *options, roof_measurement *out,
                          roof_error *error) {
  rf_samples samples;
  timing t = timing_of(j, error);
  rf_telemetry before = rf_device_telemetry(j->device);
  if (options->sustain_seconds > 0) {
    calibrate(&t, alone);
    sustain(&t, NULL, options->sustain_seconds);
  }
  roof_status status = take(&t, timed, &t, budget_of(options), options->precision, &samples);
  if (status == ROOF_OK) {
    fill(j, &t, &before, &samples, options, out);
  }
  return status;
}

/** Two kernels in turns; the times of the second are kept separately. */
typedef struct turns {
  timing first, second;
  double *seconds; /**< of the second, per call, the warm-up included */
  size_t count, room;
} turns;

static double timed_in_turns(void *user) {
  turns *t = user;
  double seconds = timed(&t->first), other = timed(&t->second);
  if (t->count == t->room) {
    size_t room = 2 * t->room + 64;
    double *grown = realloc(t->seconds, room * sizeof *grown);
    if (grown == NULL) {
      t->first.status = roof_error_set(t->first.error, ROOF_E_MEMORY, "samples: out of memory");
      return NAN;
    }
    t->seconds = grown;
    t->room = room;
  }
  t->seconds[t->count++] = other / t->second.repeats;
  t->first.status = t->first.status == ROOF_OK ? t->second.status : t->first.status;
  return t->first.status == ROOF_OK ? seconds : NAN;
}

roof_status rf_device_job_compare(const job jobs[2], const roof_measure_options *options,
                                  roof_measurement out[2], roof_error *error) {
  rf_samples samples[2];
  turns t = {.first = timing_of(&jobs[0], error), .second = timing_of(&jobs[1], error)};
  rf_telemetry before = rf_device_telemetry(jobs[0].device);
  calibrate(&t.second, compared);
  t.first.status = t.second.status;
  sustain(&t.first, &t.second, options->sustain_seconds);
  roof_status status =
      take(&t.first, timed_in_turns, &t, budget_of(options), options->precision, &samples[0]);
  if (status == ROOF_OK) {
    size_t warm_up = t.count - samples[0].count;
    status = rf_samples_like(&samples[0], t.seconds + warm_up, samples[0].count, &samples[1], error);
    if (status != ROOF_OK) {
      rf_samples_done(&samples[0]);
    }
  }
  free(t.seconds);
  if (status == ROOF_OK) {
    fill(&jobs[0], &t.first, &before, &samples[0], options, &out[0]);
    fill(&jobs[1], &t.second, &before, &samples[1], options, &out[1]);
  }
  return status;
}

roof_status rf_device_job_begin(job *j, roof_error *error) {
  static roof_status (*const steps[])(job *, roof_error *) = {upload_all, load, verify};
  roof_status status = check_format(j, error);
  if (status == ROOF_OK) {
    status = j->run.kernel->prepare(&j->run, error);
  }
  for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == ROOF_OK; i++) {
    status = steps[i](j, error);
  }
  return status;
}

roof_status rf_device_job_vary(job *j, const rf_device_variant *variant, roof_error *error) {
  const rf_operands *o = j->run.state;
  rf_data_poison(o->out, j->run.dtype, (size_t)(o->bytes[2] / roof_dtype_bytes(j->run.dtype)),
                 j->run.threads);
  j->variant = variant;
  roof_status status = j->device->driver->write(j->device, j->operands.out, o->out, o->bytes[2], error);
  status = status == ROOF_OK ? plan(j, error) : status;
  return status == ROOF_OK ? verify(j, error) : status;
}

roof_status rf_device_job_describe(const rf_device_driver *driver, const roof_kernel *kernel,
                                   roof_dtype dtype, const double *values, job *j, roof_measurement *result,
                                   roof_error *error) {
  *j = (job){.run = {.kernel = kernel, .dtype = dtype, .threads = rf_device_host_threads()},
             .kernel = rf_device_kernel_of(kernel)};
  memcpy(j->run.values, values, sizeof j->run.values);
  roof_status status = roof_kernel_runs_on(kernel, driver->name)
                           ? rf_run_describe(kernel, dtype, values, result, error)
                           : roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: not a kernel of the backend %s",
                                            kernel->name, driver->name);
  if (status == ROOF_OK) {
    snprintf(result->machine, sizeof result->machine, "%s", RF_DEVICE_MACHINE);
  }
  return status;
}

/** Opens the device of the options, whose machine the result is then of. */
static roof_status open_device(const rf_device_driver *driver, const roof_measure_options *options,
                               rf_device **device, roof_measurement *result, roof_error *error) {
  int index = 0;
  roof_status status = rf_device_open(driver, options->device, &index, device, error);
  snprintf(result->machine, sizeof result->machine, "host-gpu%d", index);
  return status;
}

roof_status rf_device_run(const rf_device_driver *driver, const roof_kernel *kernel, roof_dtype dtype,
                          const double *values, const roof_measure_options *options, roof_measurement *out,
                          roof_error *error) {
  roof_measurement result;
  job j;
  roof_status status = rf_device_job_describe(driver, kernel, dtype, values, &j, &result, error);
  if (status == ROOF_OK) {
    status = open_device(driver, options, &j.device, &result, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  status = rf_device_variant_kept(options->machine, result.machine, &j.run, &j.variant, error);
  status = status == ROOF_OK ? rf_device_job_begin(&j, error) : status;
  if (status == ROOF_OK) {
    status = sample(&j, options, &result, error);
  }
  rf_device_job_finish(&j);
  driver->close(j.device);
  if (status == ROOF_OK) {
    *out = result;
  }
  return status;
}

roof_status rf_device_run_in_turns(const rf_device_driver *driver, const roof_kernel *const kernels[2],
                                   roof_dtype dtype, const double *values,
                                   const roof_measure_options *options, roof_measurement out[2],
                                   roof_error *error) {
  roof_measurement results[2];
  job jobs[2];
  roof_status status = rf_run_same_operation(kernels, error);
  for (int i = 0; i < 2 && status == ROOF_OK; i++) {
    status = rf_device_job_describe(driver, kernels[i], dtype, values, &jobs[i], &results[i], error);
  }
  if (status == ROOF_OK) {
    status = open_device(driver, options, &jobs[0].device, &results[0], error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  jobs[1].device = jobs[0].device;
  memcpy(results[1].machine, results[0].machine, sizeof results[1].machine);
  for (int i = 0; i < 2 && status == ROOF_OK; i++) {
    status =
        rf_device_variant_kept(options->machine, results[0].machine, &jobs[i].run, &jobs[i].variant, error);
    status = status == ROOF_OK ? rf_device_job_begin(&jobs[i], error) : status;
  }
  if (status == ROOF_OK) {
    status = rf_device_job_compare(jobs, options, results, error);
  }
  rf_device_job_finish(&jobs[0]);
  rf_device_job_finish(&jobs[1]);
  driver->close(jobs[0].device);
  if (status == ROOF_OK) {
    memcpy(out, results, sizeof results);
  }
  return status;
}
