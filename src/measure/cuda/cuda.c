#include "measure/cuda/cuda.h"

#include "host/clock.h"

static const char *disabled_reason(void) {
  const char *reason;
  rf_cuda_load(&reason);
  return reason;
}

/** The readings taken during the last work, while they are recent: those of an idle device would not describe
 * it. */
static void telemetry(rf_device *device, rf_telemetry *now) {
  static const double recent = 0.5;
  cuda_open *o = cuda_of(device);
  if (o->seen_at > 0 && rf_clock_seconds() - o->seen_at < recent) {
    *now = o->seen;
  } else {
    rf_nvml_read(o->sensors, now);
  }
}

static roof_status open_device(int index, rf_device **device, roof_error *error) {
  roof_status status = rf_cuda_open_device(index, device, error);
  if (status == ROOF_OK) {
    (*device)->driver = &rf_cuda_driver;
  }
  return status;
}

const rf_device_driver rf_cuda_driver = {.name = "cuda",
                                         .disabled_reason = disabled_reason,
                                         .count = rf_cuda_count,
                                         .open = open_device,
                                         .close = rf_cuda_close,
                                         RF_STREAMS_DRIVER,
                                         .build = rf_cuda_build,
                                         .call = rf_cuda_call,
                                         .telemetry = telemetry,
                                         .extras = rf_cuda_extras};

static roof_status measure(const roof_measure_options *options, roof_machine **machine, roof_error *error) {
  return rf_device_measure(&rf_cuda_driver, options, machine, error);
}

static roof_status run(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                       const roof_measure_options *options, roof_measurement *out, roof_error *error) {
  return rf_device_run(&rf_cuda_driver, kernel, dtype, values, options, out, error);
}

static roof_status run_in_turns(const roof_kernel *const kernels[2], roof_dtype dtype, const double *values,
                                const roof_measure_options *options, roof_measurement out[2],
                                roof_error *error) {
  return rf_device_run_in_turns(&rf_cuda_driver, kernels, dtype, values, options, out, error);
}

const roof_backend rf_backend_cuda = {.name = "cuda",
                                      .machine = RF_DEVICE_MACHINE,
                                      .summary =
                                          "NVIDIA's devices, by the CUDA driver (NVML and cuBLASLt where "
                                          "they are installed)",
                                      .disabled_reason = disabled_reason,
                                      .device_count = rf_cuda_count,
                                      .measure = measure,
                                      .run = run,
                                      .run_in_turns = run_in_turns};
