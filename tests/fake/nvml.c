/* NVML: devices of 700 W at 1980 MHz. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

ENTRY(int, nvmlInit_v2, void) {
  fake_cuda_live++;
  return 0;
}

ENTRY(int, nvmlShutdown, void) {
  fake_cuda_live--;
  return 0;
}

ENTRY(int, nvmlDeviceGetHandleByPciBusId_v2, const char *bus, void **device) {
  static int handles[DEVICES_MAX];
  unsigned number = 0;
  int known = sscanf(bus, "0000:%02X:00.0", &number) == 1 && number >= 1 && number <= DEVICES_MAX;
  *device = known ? &handles[number - 1] : NULL;
  return known ? 0 : 6;
}

ENTRY(int, nvmlSystemGetDriverVersion, char *version, unsigned size) {
  snprintf(version, size, "580.1.2");
  return 0;
}

ENTRY(int, nvmlDeviceGetPowerUsage, void *device, unsigned *milliwatts) {
  (void)device;
  *milliwatts = 650500;
  return 0;
}

ENTRY(int, nvmlDeviceGetEnforcedPowerLimit, void *device, unsigned *milliwatts) {
  (void)device;
  *milliwatts = 700000;
  return 0;
}

ENTRY(int, nvmlDeviceGetClockInfo, void *device, int type, unsigned *mhz) {
  (void)device;
  *mhz = (unsigned)(type == 1 ? fake_number("mhz=", 1755) : 3201);
  return 0;
}

ENTRY(int, nvmlDeviceGetMaxClockInfo, void *device, int type, unsigned *mhz) {
  (void)device;
  *mhz = type == 1 ? 1980 : 3201;
  return 0;
}

ENTRY(int, nvmlDeviceGetTemperature, void *device, int sensor, unsigned *celsius) {
  (void)device, (void)sensor;
  *celsius = 61;
  return 0;
}

ENTRY(int, nvmlDeviceGetCurrentClocksThrottleReasons, void *device, unsigned long long *reasons) {
  (void)device;
  *reasons = (unsigned long long)fake_number("throttled=", 0);
  return 0;
}
