/** FLOPs counted by the processor, through PAPI where it is installed and allowed. */
#ifndef REGION_COUNTERS_H
#define REGION_COUNTERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "roofline/dtype.h"

enum { ROOF_COUNTER_MAX = 2 };

/** The counters of one thread. */
typedef struct roof_counters {
  int set;
  bool running;
} roof_counters;

/** Loads the library and finds what it can count. NULL when it can, else why not. */
const char *roof_counters_open(void);

/** How many formats are counted, 0 before roof_counters_open succeeds; their names and formats. */
int roof_counters_count(void);
const char *roof_counters_name(int index);
roof_dtype roof_counters_dtype(int index);

/** Starts this thread's counters. NULL when they run, else why not. */
const char *roof_counters_start(roof_counters *counters);

/** The same for a process that waits to execute a program, with all threads and children it will have. */
const char *roof_counters_attach(roof_counters *counters, pid_t process);
void roof_counters_stop(roof_counters *counters);

/** FLOPs since the start; false when they cannot be read. */
bool roof_counters_read(const roof_counters *counters, long long flops[ROOF_COUNTER_MAX]);

#endif
