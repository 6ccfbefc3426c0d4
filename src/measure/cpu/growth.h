/** Ceilings on 1, 2, 4 ... cores, and of loops that read memory and compute. */
#ifndef MEASURE_CPU_GROWTH_H
#define MEASURE_CPU_GROWTH_H

#include "measure/cpu/cpu.h"

/** Work per second of the first `threads` threads in one window. */
typedef double rf_growth_rate(void *user, int threads);

/** Fills in 1, 2, 4 ... `most` cores, their rates and how many saturate what they share: the fastest of `tries` windows
 *  each, the counts in turns. Where a count does more than as many times one core, all are tried again, as often at most:
 *  one core was disturbed.
 *  Units: as the rate's.
 *  Ownership: fills the lists of *scaling.
 *  Errors: none. */
void rf_growth_measure(roof_scaling *scaling, int most, int tries, rf_growth_rate *rate, void *user);

/** The fp64 peak's window on the first `threads` threads, by the instructions that were fastest on all of them; NaN
 *  where no peak was measured. `name`, of ROOF_NAME_MAX bytes, becomes "fp64 vector AVX-512".
 *  Units: FLOP/s. Ownership: fills `name`. Errors: NaN. */
double rf_cpu_peak_on(rf_bench *bench, int threads, char *name);

/** Measures how the read bandwidth of each level and the fp64 peak grow with the cores. Needs what rf_cpu_plan_levels and
 *  rf_cpu_plan_peaks left, and one thread per core.
 *  Units: bytes/s, FLOP/s. Ownership: none. Errors: none. */
void rf_cpu_measure_growth(rf_bench *bench, const roof_level *plain, int count);

/** Measures what all cores reach that read memory and compute in fp64, at growing intensity.
 *  Units: FLOP/s. Ownership: needs what rf_cpu_plan_levels left. Errors: none. */
void rf_cpu_measure_intensities(rf_bench *bench);

#endif
