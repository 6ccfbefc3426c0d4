/** NVIDIA's management library (NVML): the sensors of a device. */
#ifndef MEASURE_CUDA_NVML_H
#define MEASURE_CUDA_NVML_H

#include "measure/device/device.h"

typedef struct nvml_device_ *nvml_device;

/** The device on a PCI bus; NULL if NVML is missing or does not know it.
 *  Units: none. Ownership: static inside the library. Errors: none. */
nvml_device rf_nvml_find(const char *bus);

/** Unloads NVML after the last device is closed.
 *  Units: none. Ownership: closes what rf_nvml_find opened. Errors: none. */
void rf_nvml_done(void);

/** The sensors' current readings; NaN if one has none.
 *  Units: W, Hz, degrees Celsius. Ownership: none. Errors: none; `device` may be NULL. */
void rf_nvml_read(nvml_device device, rf_telemetry *now);

/** Adds power limit, highest clock and the driver's version.
 *  Units: W, Hz. Ownership: none. Errors: leaves unknown what is; `device` may be NULL. */
void rf_nvml_describe(nvml_device device, rf_device_info *info);

#endif
