/** How the rates of events change from one interval to the next. */
#ifndef IMPORT_INTERVALS_H
#define IMPORT_INTERVALS_H

#include "import/_events.h"

/** What names of these counters begin with. */
#define RF_INTERVAL "interval_"

enum { INTERVAL_RATES = 4096 };

/** The rates of one event of one region: all of them, or an even choice of INTERVAL_RATES. */
typedef struct interval_series {
  const char *region, *event;
  double stamp, before, sum; /**< s at the interval's end and beginning; what was counted in it */
  double *rates;             /**< counts per second */
  size_t count, stride;      /**< every how many intervals one is kept */
  uint64_t intervals;
} interval_series;

/** Start from zeros. */
typedef struct interval_list {
  interval_series *list;
  size_t count;
  double stamp,
      before;    /**< s at the end and the beginning of the interval at hand, whoever was counted in it */
  events events; /**< of the interval at hand, of all regions */
  double instructions, cycles; /**< the same */
  roof_interval *done;         /**< the intervals before it */
  size_t done_count, done_room;
} interval_list;

/** Adds `value` (NaN: it was not counted) to the interval that ends at `stamp` seconds; texts are the profile's; `bytes` as that
 *  of rf_event_region_add. False when out of memory. */
bool rf_intervals_add(interval_list *all, const char *region, const char *event, double stamp, double value,
                      double bytes);

/** Least, median and most rate of each event: counters of its region's record; a fact where there is one region. */
void rf_intervals_settle(interval_list *all, roof_profile *profile);

/** Whether a counter is such a rate. */
bool rf_interval_is(const char *counter);

void rf_intervals_done(interval_list *all);

#endif
