/** The time line of a process: its calls as Chrome trace events. */
#ifndef REGION_TIMELINE_H
#define REGION_TIMELINE_H

#include "region/recorder.h"
#include "roofline/text.h"

/** What the document says of its process. */
typedef struct rf_timeline_of {
  const char *program;
  const char *taken;
  const char *rank; /**< a number; NULL: it has none */
} rf_timeline_of;

/** Appends the roofline.timeline/1 document of the calls that were kept, by the system's clock (CLOCK_MONOTONIC). */
void rf_timeline_add(roof_text *out, const rf_recorder *recorder, const rf_timeline_of *of);

#endif
