/* What every ceiling of a device is measured with. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "measure/device/bench.h"

void rf_device_step(rf_device_bench *bench, const char *step) {
  if (bench->options->progress != NULL) {
    bench->options->progress(bench->options->user, step, bench->steps_done, bench->steps);
  }
  bench->steps_done++;
}

void rf_device_note(rf_device_bench *bench, const char *format, ...) {
  roof_machine *machine = bench->machine;
  va_list arguments;
  if (machine->note_count < ROOF_NOTE_MAX) {
    va_start(arguments, format);
    rf_vformat(roof_machine_add_note(machine), ROOF_SOURCE_MAX, format, arguments);
    va_end(arguments);
  }
}

roof_status rf_device_find(rf_device_bench *bench, void *program, rf_device_launch *launch,
                           roof_error *error) {
  return bench->device->driver->find(bench->device, program, launch->entry, &launch->function, error);
}

double rf_device_units(const rf_device_bench *bench) {
  double units = bench->device->info.units;
  return isnan(units) ? 1 : units;
}

roof_status rf_device_try(rf_device_bench *bench, const rf_device_launch *launch, int tries, double *seconds,
                          roof_error *error) {
  const rf_device_driver *driver = bench->device->driver;
  double now = NAN, best = INFINITY;
  roof_status status = driver->time(bench->device, launch, 1, 1, &now, error);
  for (int i = 0; i < tries && status == ROOF_OK; i++) {
    status = driver->time(bench->device, launch, 1, 1, &now, error);
    best = fmin(best, now);
  }
  if (status == ROOF_OK) {
    *seconds = fmax(best, 1e-9);
  }
  return status;
}

roof_status rf_device_growth(rf_device_bench *bench, const rf_device_launch *launch, int which, double *ratio,
                             roof_error *error) {
  static const double plain = 1.5; /* on a shared device a few of each may all have been disturbed */
  enum { ROUNDS = 3, MOST = 20 };
  rf_device_launch twice = *launch;
  double once = INFINITY, both = INFINITY, now = NAN;
  roof_status status = ROOF_OK;
  if (twice.args[which].kind == RF_ARG_INDEX) {
    twice.args[which].index *= 2;
  } else {
    twice.args[which].number *= 2;
  }
  for (int i = 0; status == ROOF_OK && (i < ROUNDS || (i < MOST && both < plain * once)); i++) {
    status = rf_device_try(bench, launch, 1, &now, error);
    once = fmin(once, now);
    if (status == ROOF_OK) {
      status = rf_device_try(bench, &twice, 1, &now, error);
      both = fmin(both, now);
    }
  }
  if (status == ROOF_OK) {
    *ratio = both / once;
  }
  return status;
}

double rf_device_lengthen(rf_device_launch *launch, int which, double seconds) {
  static const double long_enough = 1e-3, most = 1e6;
  int32_t *count = &launch->args[which].number;
  double factor = fmax(1, fmin(ceil(long_enough / seconds), floor(most / *count)));
  *count = (int32_t)(*count * factor);
  return factor;
}

void rf_device_keep(const rf_device_bench *bench, const char *name, double work, const double *seconds,
                    size_t count) {
  double *clocks = calloc(count, sizeof *clocks);
  for (size_t i = 0; clocks != NULL && i < count; i++) {
    clocks[i] = NAN;
  }
  if (bench->options->keep != NULL && clocks != NULL) {
    bench->options->keep(bench->options->keep_user, &(roof_windows){.figure = name,
                                                                    .work = work,
                                                                    .seconds = seconds,
                                                                    .clocks = clocks,
                                                                    .count = count,
                                                                    .ends = &count,
                                                                    .rounds = 1});
  }
  free(clocks);
}

/** What the sensors read right after a load. */
static void watch(rf_device_bench *bench, roof_conditions *conditions) {
  rf_telemetry now = rf_device_telemetry(bench->device), *load = &bench->load;
  load->watts = fmax(load->watts, now.watts); /* fmax and fmin pass over NaN */
  load->celsius = fmax(load->celsius, now.celsius);
  load->clock_hz = fmin(load->clock_hz, now.clock_hz);
  load->at_power_cap |= now.at_power_cap;
  conditions->clock_hz = now.clock_hz;
  if (now.throttled[0] != '\0') {
    snprintf(load->throttled, sizeof load->throttled, "%s", now.throttled);
    snprintf(conditions->noisy, sizeof conditions->noisy, "clock lowered: %s", now.throttled);
  }
}

roof_status rf_device_figure(rf_device_bench *bench, const char *name, const rf_device_launch *launches,
                             int count, double work, rf_device_result *result, roof_error *error) {
  rf_samples samples;
  roof_status status = rf_device_sample(bench->device, launches, count, bench->budget,
                                        bench->options->precision, &samples, error);
  if (status == ROOF_OK) {
    roof_conditions *conditions = &result->conditions;
    roof_conditions_init(conditions);
    rf_device_conditions(&samples, bench->options->precision, conditions);
    watch(bench, conditions);
    result->seconds = samples.stats.median;
    result->spread = samples.stats.spread;
    rf_device_keep(bench, name, work, samples.seconds, samples.count);
    rf_samples_done(&samples);
  }
  return status;
}
