/** What the backends share when they fill in a measurement. */
#ifndef MEASURE_RUN_H
#define MEASURE_RUN_H

#include <math.h>

#include "roofline/measure.h"

/** Checks that the kernel can run `dtype` and fills label, dtype, flops and bytes from the operation's
 *  formula.
 *  Units: FLOP, bytes.
 *  Ownership: *out holds no samples yet.
 *  Errors: ROOF_E_UNSUPPORTED, ROOF_E_NAME. */
roof_status rf_run_describe(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                            roof_measurement *out, roof_error *error);

/** Whether two kernels do the same, so that turns compare them.
 *  Units: none. Ownership: none. Errors: ROOF_E_ARGUMENT that names both. */
roof_status rf_run_same_operation(const roof_kernel *const kernels[2], roof_error *error);

/** Takes samples of a kernel, and fills the measurement in. */
typedef roof_status rf_run_samples(void *user, roof_measurement *out, roof_error *error);

/** Takes samples, and once more where something shared the core during nearly all of them: the less shared ones count, the first
 *  where the second cannot be taken.
 *  Units: s. Ownership: *out is described and has no samples yet; on success it has. Errors: those of the first. */
roof_status rf_run_unshared(rf_run_samples *take, void *user, roof_measurement *out, roof_error *error);

/** Counts how many threads shared a core on average while those samples were taken that count, where somebody looked: for the
 *  causes of a gap, as a profiler's counter is (ROOF_CLUE_SMT). Where memory binds it says little.
 *  Units: threads. Ownership: adds to its counters. Errors: none; without room nothing is added. */
void rf_run_sharing(roof_measurement *measurement);

/** The rate of memory while something ran between two probes of it; NaN where it changed meanwhile.
 *  Units: bytes/s. Ownership: none. Errors: NaN. */
double rf_memory_rate(double before, double after);

/** Appends to the note in which mode memory was, where that is another than that of the ceiling.
 *  Units: none. Ownership: none. Errors: cut to the note. */
void rf_memory_pace_note(roof_measurement *measurement);

/** Kernels that were measured while memory was in another mode than its ceiling's. */
typedef struct rf_paces {
  int count;
  double least, most;
} rf_paces;

#define RF_NO_PACES ((rf_paces){.least = INFINITY})

/** Counts a kernel; one without a pace does not count.
 *  Units: shares of the ceiling. Ownership: none. Errors: none. */
void rf_paces_add(rf_paces *paces, double pace);

/** "memory ran at 50 to 60 % of its ceiling for 5 kernels: shares of that", where `what` is "kernel"; "" for none.
 *  Units: none. Ownership: writes to and returns `buffer`. Errors: cut to `size`. */
char *rf_paces_say(const rf_paces *paces, const char *what, char *buffer, size_t size);

/** ", after 3 s of work" where the options ask for the rate that lasts, else "".
 *  Units: none. Ownership: fills and returns `text` (40 bytes). Errors: none. */
const char *rf_run_sustained(char *text, const roof_measure_options *options);

/** Today as ISO 8601.
 *  Units: none. Ownership: fills `date` (16 bytes). Errors: none. */
void rf_run_date(char *date);

#endif
