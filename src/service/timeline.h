/** What a run looks like over time, in constant memory: bins twice as wide whenever they are full. */
#ifndef SERVICE_TIMELINE_H
#define SERVICE_TIMELINE_H

#include "roofline/service.h"

/** Starts an empty one. */
void rf_timeline_start(roof_service_timeline *timeline);

/** Adds what one replica was like from `start` on, for `seconds`. */
void rf_timeline_add(roof_service_timeline *timeline, double start, double seconds,
                     const roof_service_bin *state);

/** Counts preemptions at a time. */
void rf_timeline_preempt(roof_service_timeline *timeline, double seconds);

/** What has been added up becomes means over each bin's time. */
void rf_timeline_end(roof_service_timeline *timeline, double blocks);

#endif
