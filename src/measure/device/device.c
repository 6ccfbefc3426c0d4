/* A device, as all drivers have it. */
#include "measure/device/device.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "core/figures.h"
#include "measure/device/bench.h"

void rf_device_info_init(rf_device_info *info) {
  *info = (rf_device_info){.units = NAN,
                           .clock_hz = NAN,
                           .max_clock_hz = NAN,
                           .memory_clock_hz = NAN,
                           .memory_bytes = NAN,
                           .allocation_bytes = NAN,
                           .cache_bytes = NAN,
                           .line_bytes = NAN,
                           .local_bytes = NAN,
                           .unit_local_bytes = NAN,
                           .group_items = NAN,
                           .subgroup_items = NAN,
                           .power_limit_watts = NAN};
}

rf_telemetry rf_device_telemetry(rf_device *device) {
  rf_telemetry now = {.watts = NAN, .clock_hz = NAN, .memory_clock_hz = NAN, .celsius = NAN};
  if (device->driver->telemetry != NULL) {
    device->driver->telemetry(device, &now);
  }
  return now;
}

int rf_device_host_threads(void) {
  return omp_get_max_threads();
}

roof_status rf_device_build_error(const char *driver, const char *program, char *log, roof_error *error) {
  char *line = strstr(log, "error");
  while (line != NULL && line > log && line[-1] != '\n') {
    line--;
  }
  line = line != NULL ? line : log;
  line[strcspn(line, "\n")] = '\0';
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: program %s does not build: %.200s", driver, program,
                        line[0] != '\0' ? line : "the compiler says nothing");
}

void rf_device_define(roof_dtype dtype, char *define, size_t size) {
  size_t used = (size_t)snprintf(define, size, "-DTYPE_");
  for (const char *c = roof_dtype_name(dtype); *c != '\0' && used + 1 < size; c++) {
    define[used++] = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
  }
  define[used] = '\0';
}

void rf_device_note_gaps(roof_machine *machine, const rf_device_gap *gaps, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (gaps[i].missing && machine->note_count < ROOF_NOTE_MAX) {
      snprintf(roof_machine_add_note(machine), ROOF_SOURCE_MAX, "%s: not measured: %s", gaps[i].what,
               gaps[i].why);
    }
  }
}
