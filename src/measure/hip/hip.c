/* HIP: AMD's devices, by the runtime of ROCm. */
#include "measure/hip/hip.h"

static const char *disabled_reason(void) {
  const char *reason;
  rf_hip_load(&reason);
  return reason;
}

/** Notes for each figure that is not measured why. */
static roof_status note_missing(rf_device *device, const roof_measure_options *options, roof_machine *machine,
                                roof_error *error) {
  (void)device, (void)options, (void)error;
  static const rf_device_gap gaps[] = {
      {"fp16 and bf16 vector", "the common dialect computes in fp32", true},
      {"matrix units and a vendor's library", "no kernel of HIP's own has been written", true},
      {"power, clock and temperature under load", "ROCm SMI is not loaded", true},
  };
  rf_device_note_gaps(machine, gaps, sizeof gaps / sizeof gaps[0]);
  return ROOF_OK;
}

static roof_status open_device(int index, rf_device **device, roof_error *error) {
  roof_status status = rf_hip_open_device(index, device, error);
  if (status == ROOF_OK) {
    (*device)->driver = &rf_hip_driver;
  }
  return status;
}

const rf_device_driver rf_hip_driver = {.name = "hip",
                                        .disabled_reason = disabled_reason,
                                        .count = rf_hip_count,
                                        .open = open_device,
                                        .close = rf_hip_close,
                                        RF_STREAMS_DRIVER,
                                        .build = rf_hip_build,
                                        .extras = note_missing};

static roof_status measure(const roof_measure_options *options, roof_machine **machine, roof_error *error) {
  return rf_device_measure(&rf_hip_driver, options, machine, error);
}

static roof_status run(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                       const roof_measure_options *options, roof_measurement *out, roof_error *error) {
  return rf_device_run(&rf_hip_driver, kernel, dtype, values, options, out, error);
}

static roof_status run_in_turns(const roof_kernel *const kernels[2], roof_dtype dtype, const double *values,
                                const roof_measure_options *options, roof_measurement out[2],
                                roof_error *error) {
  return rf_device_run_in_turns(&rf_hip_driver, kernels, dtype, values, options, out, error);
}

const roof_backend rf_backend_hip = {.name = "hip",
                                     .machine = RF_DEVICE_MACHINE,
                                     .summary = "AMD's devices, by the HIP runtime of ROCm",
                                     .disabled_reason = disabled_reason,
                                     .device_count = rf_hip_count,
                                     .measure = measure,
                                     .run = run,
                                     .run_in_turns = run_in_turns};
