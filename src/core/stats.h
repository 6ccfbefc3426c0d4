/** Samples sorted in place, for files that have their own statistics. */
#ifndef CORE_STATS_H
#define CORE_STATS_H

#include "roofline/stats.h"

/** Ascending; none is NaN. */
void rf_stats_sort(double *values, size_t count);

/** Sorts the values; roof_stats_quantile of them. */
double rf_stats_quantile(double *values, size_t count, double fraction);

#endif
