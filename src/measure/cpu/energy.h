/** The energy counters of processors and memory (RAPL), as the kernel's powercap interface provides them. */
#ifndef MEASURE_CPU_ENERGY_H
#define MEASURE_CPU_ENERGY_H

#include <stdbool.h>

#include "roofline/measurement.h"

enum { RF_ZONE_MAX = 32 };

/** A counter of microjoules that wraps around to 0 beyond its range. */
typedef struct rf_zone {
  char path[ROOF_SOURCE_MAX]; /**< of its folder, below the root */
  double range;               /**< J; NaN unknown */
  double last;                /**< J */
} rf_zone;

typedef struct rf_meter {
  const char *root;
  rf_zone zones[RF_ZONE_MAX];
  int count;
  int packages, memories;       /**< that have a counter */
  double joules;                /**< since the start; NaN once a counter could not be read */
  char reason[ROOF_SOURCE_MAX]; /**< why nothing can be read, and what to do; "" if it can */
} rf_meter;

/** Finds the counters of all packages, and of their memory where it has one, below the folder `root` ("" for
 *  this machine), and starts.
 *  Units: J.
 *  Ownership: keeps `root`.
 *  Errors: as `reason`. */
void rf_meter_start(rf_meter *meter, const char *root);

/** Energy since the start; call it before a counter wraps around twice (minutes).
 *  Units: J. Ownership: none. Errors: NaN when it cannot be read. */
double rf_meter_read(rf_meter *meter);

/** Fills in the mean power since the start `seconds` ago, the energy per call at that power, and the source
 *  or the reason for its absence.
 *  Units: s, W, J.
 *  Ownership: none; out->seconds is filled in.
 *  Errors: NaN with the reason. */
void rf_meter_fill(rf_meter *meter, double seconds, roof_measurement *out);

#endif
