/** FLOPs counted by the processor through PAPI, if PAPI is installed and permitted. */
#ifndef REGION_COUNTERS_H
#define REGION_COUNTERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "roofline/dtype.h"

enum { RF_COUNTER_MAX = 2 };

/** The counters of one thread. */
typedef struct rf_counters {
  int set;
  bool running;
} rf_counters;

/** Loads the library and finds what it can count. NULL when it can, else why not. */
const char *rf_counters_open(void);

/** How many formats are counted, 0 before rf_counters_open succeeds; their names and formats. */
int rf_counters_count(void);
const char *rf_counters_name(int index);
roof_dtype rf_counters_dtype(int index);

/** Starts this thread's counters. NULL when they run, else why not. */
const char *rf_counters_start(rf_counters *counters);

/** The same for a process that waits to execute a program, with all threads and children it will have. */
const char *rf_counters_attach(rf_counters *counters, pid_t process);
void rf_counters_stop(rf_counters *counters);

/** FLOPs since the start; false when they cannot be read. */
bool rf_counters_read(const rf_counters *counters, long long flops[RF_COUNTER_MAX]);

#endif
