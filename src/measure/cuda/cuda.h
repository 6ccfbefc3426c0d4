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
  rf_device device; /* first, because the common code uses a pointer to it */
  const cuda_api *api;
  cuda_device id;
  cuda_context context;
  cuda_stream stream, second;
  cuda_event start, stop;
  void *pinned[2];
  size_t pinned_bytes; /* of each */
  cuda_device peers[RF_DEVICE_PEERS];
  cuda_context peer_contexts[RF_DEVICE_PEERS]; /* created on first use */
  nvml_device sensors;
  rf_telemetry seen;    /* while the device last worked */
  double seen_at;       /* s by the host's clock */
  struct cublas_ *blas; /* created on first use */
} cuda_open;

/** Returns the error of a failed call, with its name. */
#define CUDA_TRY(status, o, call, what, error)                                                               \
  do {                                                                                                       \
    if ((status) == ROOF_OK) {                                                                               \
      (status) = rf_cuda_check((o)->api, (o)->api->call, what, error);                                       \
    }                                                                                                        \
  } while (0)

static inline cuda_open *cuda_of(rf_device *device) {
  return (cuda_open *)device;
}

static inline cuda_pointer cuda_address(const void *buffer) {
  return (cuda_pointer)(uintptr_t)buffer;
}

int rf_cuda_count(void);
roof_status rf_cuda_open_device(int index, rf_device **device, roof_error *error);
void rf_cuda_close(rf_device *device);

roof_status rf_cuda_allocate(rf_device *device, double bytes, void **buffer, roof_error *error);
void rf_cuda_release(rf_device *device, void *buffer);
roof_status rf_cuda_write(rf_device *device, void *buffer, const void *from, double bytes, roof_error *error);
roof_status rf_cuda_read(rf_device *device, void *to, void *buffer, double bytes, roof_error *error);
roof_status rf_cuda_transfer(rf_device *device, rf_device_way way, void *buffer, double bytes,
                             double *seconds, roof_error *error);
roof_status rf_cuda_to_peer(rf_device *device, int index, double bytes, double *seconds, roof_error *error);

roof_status rf_cuda_build(rf_device *device, const rf_device_text *text, roof_dtype dtype, void **program,
                          roof_error *error);
void rf_cuda_unload(rf_device *device, void *program);
roof_status rf_cuda_find(rf_device *device, void *program, const char *entry, void **function,
                         roof_error *error);
roof_status rf_cuda_time(rf_device *device, const rf_device_launch *launches, int count, int repeats,
                         double *seconds, roof_error *error);
roof_status rf_cuda_empty(rf_device *device, rf_launch_mode mode, const rf_device_launch *launch, int count,
                          double *seconds, roof_error *error);

/** Seconds on the stream's clock from rf_cuda_clock_start to now; `of` names the work for an error
 * message. */
roof_status rf_cuda_clock_start(cuda_open *o, roof_error *error);
roof_status rf_cuda_clock_stop(cuda_open *o, const char *of, double *seconds, roof_error *error);

roof_status rf_cuda_call(rf_device *device, const roof_kernel_run *run, const rf_device_operands *operands,
                         int repeats, double *seconds, roof_error *error);
void rf_cublas_close(cuda_open *o);

roof_status rf_cuda_extras(rf_device *device, const roof_measure_options *options, roof_machine *machine,
                           roof_error *error);

extern const rf_device_driver rf_cuda_driver;

#endif
