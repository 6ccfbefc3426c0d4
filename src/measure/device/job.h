/** A kernel on an open device: what running it and looking for its variants share. */
#ifndef MEASURE_DEVICE_JOB_H
#define MEASURE_DEVICE_JOB_H

#include "measure/device/device.h"

/** A kernel with its operands on the device. */
typedef struct rf_device_job {
  rf_device *device;
  roof_kernel_run run;
  const rf_device_kernel *kernel;
  const rf_device_variant *variant; /**< nullable: in place of the kernel's own plan */
  rf_device_operands operands;
  void *program;
  rf_device_launch launches[RF_DEVICE_LAUNCHES];
  int count; /**< of launches; 0: the driver's own call */
} rf_device_job;

/** What is to be run, not yet on a device, and the measurement that it fills.
 *  Units: as the operation's.
 *  Ownership: fills *job and *result, which own nothing yet.
 *  Errors: ROOF_E_UNSUPPORTED for a kernel that is not the driver's, and as rf_run_describe. */
roof_status rf_device_job_describe(const rf_device_driver *driver, const roof_kernel *kernel,
                                   roof_dtype dtype, const double *values, rf_device_job *job,
                                   roof_measurement *result, roof_error *error);

/** Everything up to the first checked run, on the job's device.
 *  Units: none.
 *  Ownership: the job's, which rf_device_job_finish releases, also after a failure.
 *  Errors: as rf_device_run. */
roof_status rf_device_job_begin(rf_device_job *job, roof_error *error);

/** The same operands by another variant, run once and checked; a copy of a job that has begun.
 *  Units: none.
 *  Ownership: what the copy has is the other job's.
 *  Errors: as rf_device_run. */
roof_status rf_device_job_vary(rf_device_job *copy, const rf_device_variant *variant, roof_error *error);

/** Samples of both in turns.
 *  Units: s per call.
 *  Ownership: the samples of both of `out` on success only, released by roof_measurement_done.
 *  Errors: as the driver's. */
roof_status rf_device_job_compare(const rf_device_job jobs[2], const roof_measure_options *options,
                                  roof_measurement out[2], roof_error *error);

/** Releases what a job has on the device and the host.
 *  Units: none. Ownership: the job's. Errors: none. */
void rf_device_job_finish(rf_device_job *job);

/** The variant of a kernel that a machine's file has for this shape, or else for the nearest one none of whose sizes is
 *  more than twice as large or as small; of a machine of that name alone.
 *  Units: none.
 *  Ownership: *found is static; NULL: the kernel as it is.
 *  Errors: ROOF_E_NAME for a variant that the kernel has not, ROOF_E_PARSE and others for a shape that is none. */
roof_status rf_device_variant_kept(const roof_machine *machine, const char *name, const roof_kernel_run *run,
                                   const rf_device_variant **found, roof_error *error);

#endif
