#include "measure/cuda/nvml.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "host/cublas.h"
#include "host/library.h"

/* nvml.h: NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU */
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, SENSOR_GPU = 0 };

#define NVML_FUNCTIONS(X)                                                                                    \
  X(init, nvmlInit_v2, (void))                                                                               \
  X(shutdown, nvmlShutdown, (void))                                                                          \
  X(find, nvmlDeviceGetHandleByPciBusId_v2, (const char *bus, nvml_device *device))                          \
  X(driver, nvmlSystemGetDriverVersion, (char *version, unsigned size))                                      \
  X(power, nvmlDeviceGetPowerUsage, (nvml_device device, unsigned *milliwatts))                              \
  X(power_limit, nvmlDeviceGetEnforcedPowerLimit, (nvml_device device, unsigned *milliwatts))                \
  X(clock, nvmlDeviceGetClockInfo, (nvml_device device, int type, unsigned *mhz))                            \
  X(max_clock, nvmlDeviceGetMaxClockInfo, (nvml_device device, int type, unsigned *mhz))                     \
  X(temperature, nvmlDeviceGetTemperature, (nvml_device device, int sensor, unsigned *celsius))              \
  X(throttled, nvmlDeviceGetCurrentClocksThrottleReasons, (nvml_device device, unsigned long long *reasons))

static struct {
  rf_loaded loaded;
#define NVML_MEMBER(member, symbol, parameters) int(*member) parameters;
  NVML_FUNCTIONS(NVML_MEMBER)
#undef NVML_MEMBER
} nvml;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of loading it and letting it go */

#define NVML_SYMBOL(member, symbol, parameters) {#symbol, &nvml.member},
static const rf_symbol symbols[] = {NVML_FUNCTIONS(NVML_SYMBOL)};
#undef NVML_SYMBOL

static const rf_library library = {.what = "NVML",
                                   .folder = RF_CUDA_FOLDER,
                                   .sonames = {"libnvidia-ml.so.1"},
                                   .symbols = symbols,
                                   .count = sizeof symbols / sizeof symbols[0]};

static bool start(void) {
  return (nvml.loaded.handle != NULL || rf_library_load(&library, &nvml.loaded)) && nvml.init() == 0;
}

nvml_device rf_nvml_find(const char *bus) {
  nvml_device device = NULL;
  pthread_mutex_lock(&mutex);
  if (!start() || nvml.find(bus, &device) != 0) {
    device = NULL;
  }
  pthread_mutex_unlock(&mutex);
  return device;
}

void rf_nvml_done(void) {
  pthread_mutex_lock(&mutex);
  if (nvml.loaded.handle != NULL) {
    nvml.shutdown();
  }
  rf_library_close(&nvml.loaded);
  memset(&nvml, 0, sizeof nvml);
  pthread_mutex_unlock(&mutex);
}

/** The value of `read` times `unit`, or NaN if it fails. */
#define SENSOR(call, value, unit) ((call) == 0 ? (double)(value) * (unit) : (double)NAN)

enum { POWER_CAP = 0x04 };

/** Names the reasons for a lowered clock, other than an idle device, a clock set by the user and the power cap. */
static void name_reasons(unsigned long long reasons, char *text, size_t size) {
  static const struct {
    unsigned long long bit;
    const char *name;
  } known[] = {{0x08, "hardware slowdown"},
               {0x10, "sync boost"},
               {0x20, "temperature"},
               {0x40, "hardware temperature"},
               {0x80, "power brake"}};
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if ((reasons & known[i].bit) != 0 && used < size) {
      used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", known[i].name);
    }
  }
}

void rf_nvml_read(nvml_device device, rf_telemetry *now) {
  unsigned value = 0;
  unsigned long long reasons = 0;
  *now = (rf_telemetry){.watts = NAN, .clock_hz = NAN, .memory_clock_hz = NAN, .celsius = NAN};
  if (device == NULL) {
    return;
  }
  now->watts = SENSOR(nvml.power(device, &value), value, 1e-3);
  now->clock_hz = SENSOR(nvml.clock(device, CLOCK_SM, &value), value, 1e6);
  now->memory_clock_hz = SENSOR(nvml.clock(device, CLOCK_MEMORY, &value), value, 1e6);
  now->celsius = SENSOR(nvml.temperature(device, SENSOR_GPU, &value), value, 1);
  if (nvml.throttled(device, &reasons) == 0) {
    now->at_power_cap = (reasons & POWER_CAP) != 0;
    name_reasons(reasons, now->throttled, sizeof now->throttled);
  }
}

void rf_nvml_describe(nvml_device device, rf_device_info *info) {
  unsigned value = 0;
  if (device == NULL) {
    return;
  }
  info->power_limit_watts = SENSOR(nvml.power_limit(device, &value), value, 1e-3);
  info->max_clock_hz = SENSOR(nvml.max_clock(device, CLOCK_SM, &value), value, 1e6);
  info->clock_hz = SENSOR(nvml.clock(device, CLOCK_SM, &value), value, 1e6);
  nvml.driver(info->driver, sizeof info->driver);
}
