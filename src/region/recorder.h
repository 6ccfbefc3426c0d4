/** The calls recorded so far, over all threads. */
#ifndef REGION_RECORDER_H
#define REGION_RECORDER_H

#include "region/tally.h"
#include "roofline/region.h"

struct roof_region {
  size_t index;
  roof_region *next; /**< made after this one */
  rf_tally *ended;   /**< by threads that are gone; may be NULL */
  rf_tally *merged;  /**< what a document is written from */
  uint64_t open;     /**< calls begun and not yet ended, on all threads */
  char name[];
};

typedef struct rf_recorder {
  roof_region *first; /**< in the order they were made */
  const char *clock;  /**< its name, NULL for the system's */
  double tick_seconds;
  const char *uncounted; /**< why FLOPs are not counted although that was asked for, or NULL */
  bool starved;          /**< memory was out: something is missing */
} rf_recorder;

/** Starts the clocks and, when asked, the counting of FLOPs; false when the system has no room for a thread's
 *  data. */
bool rf_recorder_start(const char *counters);

/** Gives what is recorded, each region with `merged` and `open` filled, while nothing can be added, to
 *  `write`. */
roof_status rf_recorder_visit(roof_status (*write)(const rf_recorder *recorder, roof_error *error),
                              roof_error *error);

#endif
