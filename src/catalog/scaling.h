/** Constants of one machine's kernels as another's, whose clock, units and caches differ. */
#ifndef CATALOG_SCALING_H
#define CATALOG_SCALING_H

#include "roofline/predict.h"

/** From one machine to another: factors of constants that are times or multiples of a bandwidth. */
typedef struct rf_scaling {
  double factors[ROOF_CONSTANT_COUNT];
  double gain_of_none; /**< cache_gain that stays as it is: 1 where only what is beyond it grows */
  roof_dtype dtype;    /**< of the constants */
  /** Of one unit at its peak in each format: FLOPs per clock over those of the machine that the constants are of. */
  double clocks[ROOF_SCALED_END];
} rf_scaling;

/** Times of kernels that are launched one at a time are their host's as much as the machine's, and stay as they are. */
bool rf_scaling_is_of_a_host(const roof_constants *of);

/** What turns constants of `from` for the kernels, format and framework of `of` into those of `to`. What is not known of
 * either stays. `apart`: their interval is one of machines that were not fitted, and needs not be wider on another. */
rf_scaling rf_scaling_of(const roof_constants *of, const roof_machine *from, const roof_machine *to,
                         bool apart);
/** Writes the other machine's constants to `own`, which may be `values`. */
void rf_scaling_apply(const rf_scaling *scaling, const double values[ROOF_CONSTANT_COUNT],
                      double own[ROOF_CONSTANT_COUNT]);
/** To four digits, as constants are written. */
double rf_scaling_rounded(double value);

#endif
