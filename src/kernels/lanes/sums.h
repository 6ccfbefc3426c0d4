/** How long an addition waits for the one before: sums in one loop as a compiler leaves them. */
#ifndef KERNELS_LANES_SUMS_H
#define KERNELS_LANES_SUMS_H

#include "kernels/lanes/peak.h"

/** After the format: sums that wait all along, sums of which the next begins while one ends, and sums whose terms come from a
 *  line of the second cache each, since the rows of one column share few sets of the first. */
#define RF_SUM_LONG "sum of 1024"
#define RF_SUM_SHORT "sum of 64"
#define RF_SUM_DOWN "sum down 256 rows"

enum { RF_SUM_SHORT_TERMS = 64 };

/** Kernels of such sums; an operation is an addition.
 *  Units: none. Ownership: static. Errors: NULL past the last. */
const rf_rate_kernel *rf_sum_kernel_at(int index);

/** Fills the rows that the sums of a format read, none for integers; while none runs.
 *  Units: none. Ownership: copies. Errors: none. */
void rf_sum_fill(rf_rate_type type, const void *factor);

#endif
