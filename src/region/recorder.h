/** The calls recorded so far, over all threads. */
#ifndef REGION_RECORDER_H
#define REGION_RECORDER_H

#include "region/calls.h"
#include "region/tally.h"
#include "roofline/region.h"

struct roof_region {
  size_t index;
  roof_region *next; /**< made after this one */
  rf_tally *ended;   /**< by threads that have ended; may be NULL */
  rf_tally *merged;  /**< what a document is written from */
  uint64_t open;     /**< calls begun and not yet ended, on all threads */
  char name[];
};

typedef struct rf_recorder {
  roof_region *first; /**< in the order they were made */
  const char *clock;  /**< its name, NULL for the system's */
  double tick_seconds;
  uint64_t start_ticks, start_nanoseconds; /**< the same moment, by CLOCK_MONOTONIC too */
  const char *uncounted; /**< why FLOPs are not counted although that was asked for, or NULL */
  rf_region_calls calls; /**< one by one, where that is asked for */
  bool starved;          /**< out of memory: calls are missing */
} rf_recorder;

/** Starts the clocks and, if requested, the counting of FLOPs; false if the system has no room for
 * thread-specific data. */
bool rf_recorder_start(const char *counters);

/** Passes what is recorded to `write`, each region with `merged` and `open` filled in; recording is blocked
 * meanwhile. */
roof_status rf_recorder_visit(roof_status (*write)(const rf_recorder *recorder, roof_error *error),
                              roof_error *error);

#endif
