#include "measure/cuda/cuda.h"

#include "measure/clock.h"

static const char *disabled_reason(void) {
  const char *reason;
  cuda_load(&reason);
  return reason;
}

/** What was seen during the last work, as long as that is recent: an idle device says nothing of it. */
static void telemetry(roof_device *device, roof_telemetry *now) {
  static const double recent = 0.5;
  cuda_open *o = cuda_of(device);
  if (o->seen_at > 0 && roof_clock_seconds() - o->seen_at < recent) {
    *now = o->seen;
  } else {
    nvml_read(o->sensors, now);
  }
}

const roof_device_driver roof_cuda_driver = {.name = "cuda",
                                             .disabled_reason = disabled_reason,
                                             .count = cuda_count,
                                             .open = cuda_open_device,
                                             .close = cuda_close,
                                             .allocate = cuda_allocate,
                                             .release = cuda_release,
                                             .write = cuda_write,
                                             .read = cuda_read,
                                             .transfer = cuda_transfer,
                                             .to_peer = cuda_to_peer,
                                             .build = cuda_build,
                                             .unload = cuda_unload,
                                             .find = cuda_find,
                                             .time = cuda_time,
                                             .empty = cuda_empty,
                                             .call = cuda_call,
                                             .telemetry = telemetry,
                                             .extras = cuda_extras};

static roof_status measure(const roof_measure_options *options, roof_machine *machine, roof_error *error) {
  return roof_device_measure(&roof_cuda_driver, options, machine, error);
}

static roof_status run(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                       const roof_measure_options *options, roof_measurement *out, roof_error *error) {
  return roof_device_run(&roof_cuda_driver, kernel, dtype, values, options, out, error);
}

static roof_status run_in_turns(const roof_kernel *const kernels[2], roof_dtype dtype, const double *values,
                                const roof_measure_options *options, roof_measurement out[2],
                                roof_error *error) {
  return roof_device_run_in_turns(&roof_cuda_driver, kernels, dtype, values, options, out, error);
}

const roof_backend roof_backend_cuda = {.name = "cuda",
                                        .machine = ROOF_DEVICE_MACHINE,
                                        .summary =
                                            "NVIDIA's devices, by the CUDA driver (NVML and cuBLASLt where "
                                            "they are installed)",
                                        .disabled_reason = disabled_reason,
                                        .measure = measure,
                                        .run = run,
                                        .run_in_turns = run_in_turns};
