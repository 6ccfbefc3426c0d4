/** What the files that measure accelerators share. */
#ifndef MEASURE_DEVICE_BENCH_H
#define MEASURE_DEVICE_BENCH_H

#include "measure/device/device.h"
#include "roofline/report.h"

enum { RF_DEVICE_BUFFERS = 3, RF_DEVICE_PIECES = 16 };

/** A buffer of `rf_random_at(RF_DEVICE_SEED, index)` as fp32. */
enum { RF_DEVICE_SEED = 1 };

/** How a kernel is laid out, found by trying. */
typedef struct rf_device_layout {
  int width;  /**< elements of a load, or numbers of a vector */
  int chains; /**< that do not wait for each other */
  int items;  /**< of a work-group */
  int groups; /**< in all */
} rf_device_layout;

/** What is done to memory. */
typedef enum rf_device_pattern {
  RF_DEVICE_READ,
  RF_DEVICE_WRITE,
  RF_DEVICE_COPY,
  RF_DEVICE_TRIAD,
  RF_DEVICE_PATTERNS
} rf_device_pattern;

/** A run of all ceilings of one device. */
typedef struct rf_device_bench {
  rf_device *device;
  int index; /**< its number */
  const roof_measure_options *options;
  roof_machine *machine;
  double budget; /**< s per figure */
  int steps, steps_done;
  void *memory;                     /**< the program `memory` */
  void *buffers[RF_DEVICE_BUFFERS]; /**< of random numbers */
  double bytes;                     /**< of each */
  void *results;                    /**< where checks find the work-items' sums */
  double result_bytes;
  rf_device_layout reading; /**< the best way to read memory */
  double read_rate;         /**< bytes/s of memory */
  double memory_rate;       /**< bytes/s of its fastest pattern */
  double cache_rate;        /**< bytes/s of the last cache, NaN unknown */
  rf_telemetry load;        /**< the highest power and temperature, the lowest clock under load */
} rf_device_bench;

/** What was measured of one figure. */
typedef struct rf_device_result {
  double seconds; /**< median per call */
  double spread;
  roof_conditions conditions;
} rf_device_result;

/** How many layouts or variants were tried. */
typedef struct rf_device_trials {
  int tried;
  int wrong; /**< left out because their results were */
} rf_device_trials;

/** What the sensors read now; unknown without sensors.
 *  Units: SI, degrees Celsius. Ownership: by value. Errors: none. */
rf_telemetry rf_device_telemetry(rf_device *device);

/** Processor threads that fill and check operands.
 *  Units: count. Ownership: none. Errors: none. */
int rf_device_host_threads(void);

/** Reports what is measured next.
 *  Units: none. Ownership: none. Errors: none. */
void rf_device_step(rf_device_bench *bench, const char *step);

/** Adds a note to the machine, if there is room.
 *  Units: none. Ownership: copies. Errors: none. */
void rf_device_note(rf_device_bench *bench, const char *format, ...) ROOF_PRINTF(2, 3);

/** The compute units of the device, 1 if unknown.
 *  Units: count. Ownership: none. Errors: none. */
double rf_device_units(const rf_device_bench *bench);

/** Finds the launch's kernel in a program.
 *  Units: none. Ownership: sets launch->function. Errors: as the driver's. */
roof_status rf_device_find(rf_device_bench *bench, void *program, rf_device_launch *launch,
                           roof_error *error);

/** Seconds of the fastest of `tries` launches after one that is not counted.
 *  Units: s. Ownership: none. Errors: as the driver's. */
roof_status rf_device_try(rf_device_bench *bench, const rf_device_launch *launch, int tries, double *seconds,
                          roof_error *error);

/** Samples of `count` launches that do the same on different data, in turn, one per call; hands the samples
 *  to the caller's `keep` and reads the sensors.
 *  Units: `work` per call, s.
 *  Ownership: *result on success only.
 *  Errors: as the driver's. */
roof_status rf_device_figure(rf_device_bench *bench, const char *name, const rf_device_launch *launches,
                             int count, double work, rf_device_result *result, roof_error *error);

/** The conditions of a figure, from its samples; fewer than five mark it.
 *  Units: none. Ownership: fills *conditions. Errors: none. */
void rf_device_conditions(const rf_samples *samples, double precision, roof_conditions *conditions);

/** Hands samples in seconds to the caller's `keep`.
 *  Units: s. Ownership: none. Errors: none. */
void rf_device_keep(const rf_device_bench *bench, const char *name, double work, const double *seconds,
                    size_t count);

/** Bytes of each buffer: several times the last cache, where memory allows, and so many that starting and ending do not
 *  show; a quick run takes less. `available`: the host's memory.
 *  Units: bytes. Ownership: none. Errors: none. */
double rf_device_buffer_bytes(const rf_device_info *info, bool is_quick, double available);

/** The parts of a run; each adds its figures to the machine.
 *  Units: SI. Ownership: none. Errors: as the driver's. */
roof_status rf_device_reads(rf_device_bench *bench, roof_error *error);
roof_status rf_device_memory(rf_device_bench *bench, roof_error *error);
roof_status rf_device_caches(rf_device_bench *bench, roof_error *error);
roof_status rf_device_peaks(rf_device_bench *bench, roof_error *error);
roof_status rf_device_latency(rf_device_bench *bench, roof_error *error);
roof_status rf_device_links(rf_device_bench *bench, roof_error *error);
roof_status rf_device_launches(rf_device_bench *bench, roof_error *error);
roof_status rf_device_curve(rf_device_bench *bench, roof_error *error);
roof_status rf_device_variants(rf_device_bench *bench, roof_error *error);

/** Tries the variants of a kernel at one shape, each in turns with the kernel as it is, and keeps in the machine which is
 *  fastest: the best one, if it is faster once more and by more than chance.
 *  Units: none.
 *  Ownership: adds one entry of blocks, as long as there is room.
 *  Errors: as rf_device_run; a variant that the device cannot run is passed over. */
roof_status rf_device_vary(rf_device_bench *bench, const roof_kernel *kernel, roof_dtype dtype,
                           const char *shape, roof_error *error);

/** Keeps how a figure of a level was measured, `offset` in its report.
 *  Units: none. Ownership: none. Errors: none; nothing is kept when out of memory. */
void rf_device_keep_conditions(roof_level *level, size_t offset, const rf_device_result *result);

/** Adds a measured level.
 *  Units: bytes. Ownership: points into the machine. Errors: none. */
roof_level *rf_device_add_level(rf_device_bench *bench, const char *name, roof_level_kind kind, double bytes);

/** Elements of the layout's width in `bytes`: a whole number per work-item, one round at least.
 *  Units: bytes. Ownership: none. Errors: none. */
double rf_device_elements(const rf_device_layout *layout, double bytes);

/** A launch that does the pattern to `bytes` from byte `from` on; *bytes becomes what it really moves.
 *  Units: bytes. Ownership: by value. Errors: none. */
rf_device_launch rf_device_mover(const rf_device_bench *bench, rf_device_pattern pattern,
                                 const rf_device_layout *layout, double from, double *bytes);

/** A launch that reads the first `bytes` `passes` times; *bytes becomes what it really reads.
 *  Units: bytes. Ownership: by value. Errors: none. */
rf_device_launch rf_device_reader(const rf_device_bench *bench, const rf_device_layout *layout, double *bytes,
                                  int passes);

/** "memory read" and the like.
 *  Units: none. Ownership: static. Errors: none. */
const char *rf_device_pattern_name(rf_device_pattern pattern);

/** Whether the pattern's kernel does what it should in that layout, checked on a few work-groups.
 *  Units: none. Ownership: none. Errors: as the driver's; a wrong result is none. */
roof_status rf_device_check_pattern(rf_device_bench *bench, rf_device_pattern pattern,
                                    const rf_device_layout *layout, bool *right, roof_error *error);

/** Runs a launch whose work-items store their sums in bench->results and reads `count` of them back.
 *  Units: none. Ownership: fills the caller's `sums` (4 bytes each). Errors: as the driver's. */
roof_status rf_device_sums(rf_device_bench *bench, const rf_device_launch *launch, void *sums, size_t count,
                           roof_error *error);

/** How many times as long a launch takes when its argument `which`, a count, is twice what it is: near 2 for
 *  one that does its work. The fastest of several of each.
 *  Units: none.
 *  Ownership: none.
 *  Errors: as the driver's. */
roof_status rf_device_growth(rf_device_bench *bench, const rf_device_launch *launch, int which, double *ratio,
                             roof_error *error);

/** Multiplies the count in argument `which` so that a launch that takes `seconds` takes a millisecond, and so
 *  that starting it does not show; returns the factor.
 *  Units: s.
 *  Ownership: changes *launch.
 *  Errors: none. */
double rf_device_lengthen(rf_device_launch *launch, int which, double seconds);

/** The line of latency and bandwidth, t = latency + bytes / bandwidth, that fits points best in relation to
 *  their times.
 *  Units: bytes, s.
 *  Ownership: writes all results.
 *  Errors: NaN with fewer than two sizes. */
void rf_device_fit(const double *bytes, const double *seconds, int count, double *latency, double *bandwidth,
                   double *worst);

/** The part of a curve that a line describes. */
typedef struct rf_device_ramp {
  int first, count; /**< points */
  int missed;       /**< of them, that it does not describe: a sixth at most */
  double latency, bandwidth;
  double worst; /**< the largest deviation of a point, relative */
} rf_device_ramp;

/** The widest range of growing sizes, five at least and a factor of sixteen, that a line describes within a
 *  quarter, one in six of them apart; count 0 when there is none.
 *  Units: bytes, s.
 *  Ownership: by value.
 *  Errors: none. */
rf_device_ramp rf_device_ramp_of(const double *bytes, const double *seconds, int count);

/** The size at which growing times first reach `reach`, in proportion between points.
 *  Units: bytes, s. Ownership: none. Errors: NaN when it never does. */
double rf_device_reach(const double *bytes, const double *seconds, int count, double reach);

#endif
