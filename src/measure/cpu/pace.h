/** The clock behind a figure, from clocks read next to its windows. */
#ifndef MEASURE_CPU_PACE_H
#define MEASURE_CPU_PACE_H

#include <stddef.h>

/** A clock with its uncertainty; NaN: unknown. */
typedef struct rf_pace {
  double clock_hz;
  double spread; /**< half of what lies between the 10th and the 90th percentile, as a share of the clock */
} rf_pace;

/** The clock of the windows that are as fast as the figure: `seconds` of each, `clocks` read just before each,
 *  the first window of each round after `ends[round - 1]`. A reading that an interruption disturbed is too low,
 *  so the larger of the two next to a window counts; the median of them, because single ones mislead.
 *  Units: s, Hz.
 *  Ownership: none.
 *  Errors: NaN without a known clock. */
rf_pace rf_pace_of(const double *seconds, const double *clocks, const size_t *ends, int rounds,
                   double figure_seconds);

#endif
