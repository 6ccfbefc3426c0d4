#include "measure/device.h"

#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "measure/device_bench.h"
#include "measure/run.h"

void roof_device_info_init(roof_device_info *info) {
  *info = (roof_device_info){.units = NAN,
                             .clock_hz = NAN,
                             .max_clock_hz = NAN,
                             .memory_clock_hz = NAN,
                             .memory_bytes = NAN,
                             .allocation_bytes = NAN,
                             .cache_bytes = NAN,
                             .line_bytes = NAN,
                             .local_bytes = NAN,
                             .group_lanes = NAN,
                             .wave_lanes = NAN,
                             .power_limit_watts = NAN};
}

roof_telemetry roof_device_telemetry(roof_device *device) {
  roof_telemetry now = {NAN, NAN, NAN, NAN, ""};
  if (device->driver->telemetry != NULL) {
    device->driver->telemetry(device, &now);
  }
  return now;
}

int roof_device_host_threads(void) {
  return omp_get_max_threads();
}

void roof_device_step(roof_device_bench *bench, const char *step) {
  if (bench->options->progress != NULL) {
    bench->options->progress(bench->options->user, step, bench->steps_done, bench->steps);
  }
  bench->steps_done++;
}

void roof_device_note(roof_device_bench *bench, const char *format, ...) {
  roof_machine *machine = bench->machine;
  va_list arguments;
  if (machine->note_count < ROOF_NOTE_MAX) {
    va_start(arguments, format);
    vsnprintf(machine->notes[machine->note_count++], sizeof machine->notes[0], format, arguments);
    va_end(arguments);
  }
}

/** Who the device is, from what it says of itself. */
static void identify(roof_device_bench *bench) {
  const roof_device_info *info = &bench->device->info;
  roof_machine *m = bench->machine;
  snprintf(m->name, sizeof m->name, "%s", ROOF_DEVICE_MACHINE);
  snprintf(m->title, sizeof m->title, "%s", info->name);
  snprintf(m->vendor, sizeof m->vendor, "%s", info->vendor);
  snprintf(m->architecture, sizeof m->architecture, "%s", info->architecture);
  snprintf(m->device_class, sizeof m->device_class, "%s", info->device_class);
  snprintf(m->unit_kind, sizeof m->unit_kind, "%s", info->unit_kind);
  m->kind = ROOF_MEASURED;
  m->unit_count = info->units;
  m->clock_hz = !isnan(info->clock_hz) ? info->clock_hz : info->max_clock_hz;
  roof_device_note(bench, "%s, driver %s", info->platform, info->driver);
}

roof_status roof_device_measure(const roof_device_driver *driver, const roof_measure_options *options,
                                roof_machine *machine, roof_error *error) {
  static const double quick_budget = 0.03;
  roof_machine result;
  roof_machine_init(&result);
  roof_device_bench bench = {.options = options,
                             .machine = &result,
                             .budget = options->quick ? fmin(options->seconds_per_item, quick_budget)
                                                      : options->seconds_per_item};
  roof_status status = driver->open(0, &bench.device, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_run_date(result.date);
  identify(&bench);
  if (status == ROOF_OK) {
    *machine = result;
  }
  driver->close(bench.device);
  return status;
}
