/** Bytes between memory and the caches of the whole machine, as the memory controllers count them. */
#ifndef REGION_UNCORE_H
#define REGION_UNCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RF_UNCORE_MAX = 256 };

/** One counter of one memory controller, on one socket. */
typedef struct rf_uncore_event {
  uint32_t type;
  uint64_t config;
  int cpu;
  double bytes; /**< per count */
  int file;
} rf_uncore_event;

typedef struct rf_uncore {
  rf_uncore_event events[RF_UNCORE_MAX];
  int count;
} rf_uncore;

/** Finds the read and write counters that the kernel describes below `root`/sys; false when there are
 *  none. */
bool rf_uncore_find(const char *root, rf_uncore *uncore);

/** Starts them. NULL when they count, else why not, in `buffer`. */
const char *rf_uncore_start(rf_uncore *uncore, char *buffer, size_t size);

/** Ends them and returns the bytes since the start, NaN when they cannot be read. */
double rf_uncore_stop(rf_uncore *uncore);

#endif
