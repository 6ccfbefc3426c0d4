/** What the files that measure accelerators share. */
#ifndef MEASURE_DEVICE_BENCH_H
#define MEASURE_DEVICE_BENCH_H

#include "measure/device.h"

/** The name that the first accelerator's ceilings are kept under. */
#define ROOF_DEVICE_MACHINE "host-gpu0"

/** A run of all ceilings of one device. */
typedef struct roof_device_bench {
  roof_device *device;
  const roof_measure_options *options;
  roof_machine *machine;
  double budget; /**< s a figure */
  int steps, steps_done;
} roof_device_bench;

/** What the sensors say now; unknown without sensors.
 *  Units: SI, degrees Celsius. Ownership: by value. Errors: none. */
roof_telemetry roof_device_telemetry(roof_device *device);

/** Processor threads that fill and check operands.
 *  Units: count. Ownership: none. Errors: none. */
int roof_device_host_threads(void);

/** Says what is measured next.
 *  Units: none. Ownership: none. Errors: none. */
void roof_device_step(roof_device_bench *bench, const char *step);

/** Adds a note to the machine, if there is room.
 *  Units: none. Ownership: copies. Errors: none. */
void roof_device_note(roof_device_bench *bench, const char *format, ...) ROOF_PRINTF(2, 3);

#endif
