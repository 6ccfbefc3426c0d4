/** What is not known, where it counts for nothing. */
#ifndef CORE_KNOWN_H
#define CORE_KNOWN_H

#include <math.h>

/** 0 for NaN. */
static inline double rf_known(double value) {
  return isnan(value) ? 0 : value;
}

#endif
