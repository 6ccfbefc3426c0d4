/** What the files that measure accelerators share. */
#ifndef MEASURE_DEVICE_BENCH_H
#define MEASURE_DEVICE_BENCH_H

#include "measure/device.h"

enum { ROOF_DEVICE_BUFFERS = 3 };

/** How a kernel is laid out, found by trying. */
typedef struct roof_device_layout {
  int width;  /**< elements of a load, or numbers of a vector */
  int chains; /**< that do not wait for each other */
  int lanes;  /**< of a group */
  int groups; /**< in all */
} roof_device_layout;

/** A run of all ceilings of one device. */
typedef struct roof_device_bench {
  roof_device *device;
  const roof_measure_options *options;
  roof_machine *machine;
  double budget; /**< s a figure */
  int steps_done;
  void *memory;                       /**< the program `memory` */
  void *buffers[ROOF_DEVICE_BUFFERS]; /**< of random numbers */
  double bytes;                       /**< of each */
  roof_device_layout reading;         /**< the best way to read memory */
  double read_rate;                   /**< bytes/s */
  roof_telemetry load;                /**< the highest power and temperature, the lowest clock under load */
} roof_device_bench;

/** What was measured of one figure. */
typedef struct roof_device_result {
  double seconds; /**< median a call */
  double spread;
  roof_conditions conditions;
} roof_device_result;

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

/** Finds the launch's kernel in a program.
 *  Units: none. Ownership: sets launch->function. Errors: as the driver's. */
roof_status roof_device_find(roof_device_bench *bench, void *program, roof_device_launch *launch,
                             roof_error *error);

/** Seconds of one launch, the better of two after one that is not counted.
 *  Units: s. Ownership: none. Errors: as the driver's. */
roof_status roof_device_try(roof_device_bench *bench, const roof_device_launch *launch, double *seconds,
                            roof_error *error);

/** Samples one launch; hands the samples to whoever keeps them and looks at the sensors.
 *  Units: `work` a call, s. Ownership: *result on success only. Errors: as the driver's. */
roof_status roof_device_figure(roof_device_bench *bench, const char *name, const roof_device_launch *launch,
                               double work, roof_device_result *result, roof_error *error);

/** Hands samples in seconds to whoever keeps them.
 *  Units: s. Ownership: none. Errors: none. */
void roof_device_keep(const roof_device_bench *bench, const char *name, double work, const double *seconds,
                      size_t count);

/** The parts of a run, in this order; each adds its figures to the machine.
 *  Units: SI. Ownership: none. Errors: as the driver's. */
roof_status roof_device_memory(roof_device_bench *bench, roof_error *error);
roof_status roof_device_caches(roof_device_bench *bench, roof_error *error);
roof_status roof_device_peaks(roof_device_bench *bench, roof_error *error);
roof_status roof_device_latency(roof_device_bench *bench, roof_error *error);
roof_status roof_device_links(roof_device_bench *bench, roof_error *error);
roof_status roof_device_launches(roof_device_bench *bench, roof_error *error);
roof_status roof_device_curve(roof_device_bench *bench, roof_error *error);

/** A launch that reads `bytes` of a buffer in the layout, `passes` times; *bytes becomes what it really
 * reads. Units: bytes. Ownership: by value. Errors: none. */
roof_device_launch roof_device_reader(const roof_device_bench *bench, const roof_device_layout *layout,
                                      double *bytes, int passes);

/** The line of latency and bandwidth, t = latency + bytes / bandwidth, that fits points best in relation to
 * their times. Units: bytes, s. Ownership: writes all results. Errors: NaN with fewer than two sizes. */
void roof_device_fit(const double *bytes, const double *seconds, int count, double *latency,
                     double *bandwidth, double *worst);

/** The size at which growing times first reach `reach`, in proportion between points.
 *  Units: bytes, s. Ownership: none. Errors: NaN when it never does. */
double roof_device_reach(const double *bytes, const double *seconds, int count, double reach);

#endif
