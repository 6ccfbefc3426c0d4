/** The time line of a process: its calls as Chrome trace events. */
#ifndef REGION_TIMELINE_H
#define REGION_TIMELINE_H

#include "region/recorder.h"
#include "roofline/text.h"

/** What the document says of its process. */
typedef struct rf_calls_of {
  const char *program;
  const char *taken;
  const char *rank; /**< a number; NULL: it has none */
} rf_calls_of;

/** Appends the roofline.timeline/1 document of the calls that were kept, by the system's clock (CLOCK_MONOTONIC). */
void rf_calls_document(roof_text *out, const rf_recorder *recorder, const rf_calls_of *of);

#endif
