/** Percentiles in constant memory: bins 1 % wide, so that what is read from one is within 0.5 %. */
#ifndef SERVICE_HISTOGRAM_H
#define SERVICE_HISTOGRAM_H

#include "roofline/service.h"

enum { SERVICE_BINS = 2800 };

typedef struct service_histogram {
  double count, sum, least, most;
  double zeros; /**< values of 0 */
  double bins[SERVICE_BINS];
} service_histogram;

void rf_histogram_start(service_histogram *histogram);

/** Adds `weight` values of `value`, which is not negative. */
void rf_histogram_add(service_histogram *histogram, double value, double weight);

/** Adds `weight` values spread evenly from `low` to `high`. */
void rf_histogram_spread(service_histogram *histogram, double low, double high, double weight);

/** NaN everywhere but in the count of an empty one. `share`: of what is asked for; 0: nothing. */
roof_service_times rf_histogram_times(const service_histogram *histogram, double share);

#endif
