/** Whether the kernel permits a program to count hardware events. */
#ifndef REGION_EVENTS_H
#define REGION_EVENTS_H

#include <stddef.h>

/** NULL when cycles of this thread can be counted, else why not, in `buffer`. */
const char *rf_events_reason(char *buffer, size_t size);

/** The same for an attempt that ended in the error `code` of perf_event_open. */
const char *rf_events_explain(int code, char *buffer, size_t size);

#endif
