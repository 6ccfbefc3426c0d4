/* A device, as all drivers have it. */
#include "measure/device/device.h"

#include <math.h>
#include <omp.h>

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
