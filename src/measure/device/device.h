/** Accelerators: what a driver (OpenCL, CUDA, HIP) must do, in one struct of functions. Everything above it, the
 *  ceilings and the running of kernels, is common to all (device_*.c). */
#ifndef MEASURE_DEVICE_DEVICE_H
#define MEASURE_DEVICE_DEVICE_H

#include "kernels/device/_device.h"
#include "measure/sampler.h"
#include "roofline/measure.h"

/** The name that the first accelerator's ceilings are kept under. */
#define RF_DEVICE_MACHINE "host-gpu0" /* of the first device */

enum { RF_DEVICE_PEERS = 16 };

typedef struct rf_device_driver rf_device_driver;

/** What a device reports. Unknown numbers are NaN, unknown texts "". */
typedef struct rf_device_info {
  char name[96];
  char vendor[ROOF_NAME_MAX];
  char architecture[ROOF_NAME_MAX]; /**< "sm_90" */
  char driver[ROOF_NAME_MAX];       /**< its version */
  char platform[96];                /**< "OpenCL 3.0 PoCL 3.1", "CUDA 13.0" */
  char device_class[32];            /**< gpu, cpu, accelerator */
  char unit_kind[16];               /**< SM, CU */
  double units;
  double clock_hz; /**< now */
  double max_clock_hz;
  double memory_clock_hz;
  double memory_bytes;
  double allocation_bytes; /**< the most that one buffer may have */
  double cache_bytes;      /**< the last cache before memory */
  double line_bytes;
  double local_bytes;      /**< shared or local memory that one work-group may have */
  double unit_local_bytes; /**< that all work-groups of a compute unit have together */
  double group_items;      /**< the most work-items of a work-group */
  double subgroup_items;   /**< work-items in lockstep: warp, wavefront */
  double power_limit_watts;
  char ecc[8];         /**< "on", "off", "" unknown */
  unsigned formats;    /**< bit `1u << dtype` for each format its programs may compute with */
  unsigned arithmetic; /**< likewise, for each that the program `arithmetic` multiplies and adds in */
  bool dot4;           /**< four products of bytes and their sum are one instruction */
  int peers;           /**< other devices of the same driver that it can copy to */
  int peer_at[RF_DEVICE_PEERS]; /**< the number of each */
} rf_device_info;

/** An open device. A driver puts it first in a struct of its own. */
typedef struct rf_device {
  const rf_device_driver *driver;
  rf_device_info info;
} rf_device;

/** How empty kernels follow each other. */
typedef enum rf_launch_mode {
  RF_LAUNCH_BACK_TO_BACK, /**< enqueued, then one wait for all */
  RF_LAUNCH_SYNCHRONISED, /**< a wait after each */
  RF_LAUNCH_GRAPH,        /**< captured once, replayed */
  RF_LAUNCH_DEPENDENT,    /**< each depends on the one before by an event */
  RF_LAUNCH_MODE_COUNT
} rf_launch_mode;

typedef enum rf_device_way {
  RF_HOST_TO_DEVICE,
  RF_DEVICE_TO_HOST,
  RF_BOTH_WAYS, /**< half the bytes each way, at once */
  RF_DEVICE_WAYS
} rf_device_way;

/** What the sensors read now; NaN where there is none. */
typedef struct rf_telemetry {
  double watts;
  double clock_hz;
  double memory_clock_hz;
  double celsius;
  bool
      at_power_cap; /**< the clock is what the power limit leaves: under a heavy load that is its normal state */
  char throttled[64]; /**< why else the clock is lowered, "" when it is not */
} rf_telemetry;

/** One kind of accelerator. Functions return ROOF_E_UNSUPPORTED for what this device or runtime cannot do now
 *  (its memory is full, it is lost), with one line that names the call and what the driver said. A handle is
 *  freed once; freeing NULL is fine. Nullable functions say so. */
struct rf_device_driver {
  const char *name; /**< of its backend */

  /** NULL when there is a device to use, else why not (static text). */
  const char *(*disabled_reason)(void);
  /** Devices there are, accelerators first; 0 when disabled. */
  int (*count)(void);
  roof_status (*open)(int index, rf_device **device, roof_error *error);
  void (*close)(rf_device *device);

  roof_status (*allocate)(rf_device *device, double bytes, void **buffer, roof_error *error);
  void (*release)(rf_device *device, void *buffer);
  /** Blocking copies from and to ordinary (pageable) memory. */
  roof_status (*write)(rf_device *device, void *buffer, const void *from, double bytes, roof_error *error);
  roof_status (*read)(rf_device *device, void *to, void *buffer, double bytes, roof_error *error);
  /** Seconds by the host's clock of one transfer between pinned memory, which the driver allocates and keeps
   * until `close`, and `buffer`. */
  roof_status (*transfer)(rf_device *device, rf_device_way way, void *buffer, double bytes, double *seconds,
                          roof_error *error);
  /** Nullable: seconds to copy `bytes` to the peer `index` (0 to info.peers - 1). */
  roof_status (*to_peer)(rf_device *device, int index, double bytes, double *seconds, roof_error *error);

  /** Builds the text for a format, or loads what was built from it. The error names the program and the
   * first line of the compiler's log. */
  roof_status (*build)(rf_device *device, const rf_device_text *text, roof_dtype dtype, void **program,
                       roof_error *error);
  void (*unload)(rf_device *device, void *program);
  /** The kernel of that name; lives as long as the program. */
  roof_status (*find)(rf_device *device, void *program, const char *entry, void **function,
                      roof_error *error);

  /** Runs `count` launches one after the other, all of that `repeats` times, and waits; *seconds by the
   * device's clock, from the start of the first to the end of the last. */
  roof_status (*time)(rf_device *device, const rf_device_launch *launches, int count, int repeats,
                      double *seconds, roof_error *error);
  /** Runs one launch `count` times; *seconds by the host's clock until all are done. */
  roof_status (*empty)(rf_device *device, rf_launch_mode mode, const rf_device_launch *launch, int count,
                       double *seconds, roof_error *error);
  /** Nullable: runs a kernel without a plan (a vendor's library) `repeats` times, as `time` does. */
  roof_status (*call)(rf_device *device, const roof_kernel_run *run, const rf_device_operands *operands,
                      int repeats, double *seconds, roof_error *error);
  /** Nullable: power, clock and temperature now. */
  void (*telemetry)(rf_device *device, rf_telemetry *now);
  /** Nullable: adds figures of the driver's own (matrix units, libraries) to a machine being measured. */
  roof_status (*extras)(rf_device *device, const roof_measure_options *options, roof_machine *machine,
                        roof_error *error);
};

/** Sets every number to NaN or 0, every text to "".
 *  Units: none. Ownership: the caller's storage. Errors: none. */
void rf_device_info_init(rf_device_info *info);

/** Fails with the line of a compiler's log that has `error` first, else with its first line. Changes `log`.
 *  Units: none. Ownership: none. Errors: ROOF_E_UNSUPPORTED. */
roof_status rf_device_build_error(const char *driver, const char *program, char *log, roof_error *error);

/** "-DTYPE_FP32", by which a program of the common dialect is built for a format.
 *  Units: none. Ownership: fills the caller's text. Errors: none. */
void rf_device_define(roof_dtype dtype, char *define, size_t size);

/** A figure that a driver cannot give, and why. */
typedef struct rf_device_gap {
  const char *what, *why;
  bool missing; /**< on this device */
} rf_device_gap;

/** Notes those that are missing.
 *  Units: none. Ownership: adds notes. Errors: none; as long as there is room. */
void rf_device_note_gaps(roof_machine *machine, const rf_device_gap *gaps, size_t count);

/** Opens the device of that number, or the first whose name has `text` in it; NULL: the first. ROOF_E_ARGUMENT,
 *  ROOF_E_NAME with the names there are. */
roof_status rf_device_open(const rf_device_driver *driver, const char *text, int *index, rf_device **device,
                           roof_error *error);

/** `measure` of a backend: the ceilings of the driver's first device, as the machine `host-gpu0`.
 *  Units: SI. Ownership: fills *machine on success only. Errors: as the driver's. */
roof_status rf_device_measure(const rf_device_driver *driver, const roof_measure_options *options,
                              roof_machine **machine, roof_error *error);

/** `run` of a backend: operands to the device, one run, back, checked against the reference, then timed.
 *  Units: s. Ownership: *out on success only, released by roof_measurement_done. Errors: as the driver's;
 *  ROOF_E_INTERNAL for a wrong result. */
roof_status rf_device_run(const rf_device_driver *driver, const roof_kernel *kernel, roof_dtype dtype,
                          const double *values, const roof_measure_options *options, roof_measurement *out,
                          roof_error *error);

/** `run_in_turns` of a backend.
 *  Units: s. Ownership: both of `out` on success only, released by roof_measurement_done. Errors: as
 *  rf_device_run; ROOF_E_ARGUMENT for kernels of two operations. */
roof_status rf_device_run_in_turns(const rf_device_driver *driver, const roof_kernel *const kernels[2],
                                   roof_dtype dtype, const double *values,
                                   const roof_measure_options *options, roof_measurement out[2],
                                   roof_error *error);

/** Samples of launches that stand for each other (the same work on different data), in turn, each of as many
 *  calls as the clock needs.
 *  Units: s per call.
 *  Ownership: *samples on success only, released by rf_samples_done.
 *  Errors: as the driver's. */
roof_status rf_device_sample(rf_device *device, const rf_device_launch *launches, int count, double budget,
                             double precision, rf_samples *samples, roof_error *error);

#endif
