/** The CUDA driver of accelerators: what its files share. */
#ifndef MEASURE_CUDA_CUDA_H
#define MEASURE_CUDA_CUDA_H

#include "measure/cuda/api.h"
#include "measure/cuda/nvml.h"
#include "measure/device/device.h"
#include "roofline/report.h"

struct cublas_;

/** An open device. */
typedef struct cuda_open {
  rf_streams streams; /* first, because the common code uses a pointer to it */
  const cuda_api *api;
  cuda_context context;
  cuda_context peers[RF_DEVICE_PEERS]; /* created on first use */
  nvml_device sensors;
  rf_telemetry seen;    /* while the device last worked */
  double seen_at;       /* s by the host's clock */
  struct cublas_ *blas; /* created on first use */
} cuda_open;

static inline cuda_open *cuda_of(rf_device *device) {
  return (cuda_open *)device;
}

int rf_cuda_count(void);
roof_status rf_cuda_open_device(int index, rf_device **device, roof_error *error);
void rf_cuda_close(rf_device *device);

roof_status rf_cuda_build(rf_device *device, const rf_device_text *text, roof_dtype dtype, void **program,
                          roof_error *error);
/** What CUDA alone has to do before a launch. */
roof_status rf_cuda_prepare(rf_streams *o, rf_ready_launch *p, roof_error *error);
/** Programmatic dependent launch. */
int rf_cuda_start_early(rf_streams *o, rf_ready_launch *p, rf_stream_handle stream);

roof_status rf_cuda_call(rf_device *device, const roof_kernel_run *run, const rf_device_operands *operands,
                         int repeats, double *seconds, roof_error *error);
void rf_cublas_close(cuda_open *o);

roof_status rf_cuda_extras(rf_device *device, const roof_measure_options *options, roof_machine *machine,
                           roof_error *error);

extern const rf_device_driver rf_cuda_driver;

#endif
