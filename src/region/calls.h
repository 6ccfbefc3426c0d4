/** The calls of regions one by one, as many as there is room for. */
#ifndef REGION_CALLS_H
#define REGION_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roofline/region.h"

enum { RF_CALLS_ROOM = 20000, RF_CALLS_MOST = 10000000 };

typedef struct rf_region_call {
  const roof_region *region;
  uint64_t start, end; /**< ticks */
  uint32_t thread;     /**< from 0, in the order in which they called the first region */
} rf_region_call;

typedef struct rf_region_calls {
  const rf_region_call *list;
  size_t count;
  uint64_t dropped; /**< calls that had no room: those that ended last */
  uint64_t whole;   /**< ticks at which the first of them began: until then all are in the list */
} rf_region_calls;

/** Makes room for so many calls; false when out of memory. */
bool rf_calls_start(size_t room);

/** Adds a call, by any thread; dropped where there is no room. */
void rf_calls_add(const rf_region_call *call);

/** What was added, while nobody adds. */
rf_region_calls rf_calls_list(void);

#endif
