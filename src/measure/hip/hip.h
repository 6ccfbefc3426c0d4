/** The HIP driver of accelerators: what its files share. */
#ifndef MEASURE_HIP_HIP_H
#define MEASURE_HIP_HIP_H

#include "measure/hip/api.h"

/** An open device. */
typedef struct hip_open {
  rf_streams streams; /* first, because the common code uses a pointer to it */
  const hip_api *api;
  char target[HIP_NAME_BYTES];   /* what it is compiled for: "gfx90a:sramecc+:xnack-" */
  const char *dot4;              /* the option that names its instruction for products of bytes, or NULL */
  bool reached[RF_DEVICE_PEERS]; /* peers whose memory may be written to */
} hip_open;

static inline hip_open *hip_of(rf_device *device) {
  return (hip_open *)device;
}

int rf_hip_count(void);
roof_status rf_hip_open_device(int index, rf_device **device, roof_error *error);
void rf_hip_close(rf_device *device);

/** Compiles the text for the device. */
roof_status rf_hip_build(rf_device *device, const rf_device_text *text, roof_dtype dtype, void **program,
                         roof_error *error);

extern const rf_device_driver rf_hip_driver;

#endif
