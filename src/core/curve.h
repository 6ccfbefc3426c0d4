/** Bandwidth over working sets, as one core reads them. */
#ifndef CORE_CURVE_H
#define CORE_CURVE_H

#include "roofline/report.h"

/** What most of the outermost octaves are read at: by memory. */
double rf_curve_memory_rate(const roof_curve_point *curve, int count);

/** Share of a working set that the memory supplies each time it is read: the time of its bytes by the memory alone, over what
 * they took. 1: all of it, or the curve has no points. */
double rf_curve_memory_share(const roof_curve_point *curve, int count, double bytes);

#endif
