/** What hardware counts of a program while it runs. */
#ifndef REGION_COUNTING_H
#define REGION_COUNTING_H

#include "region/counters.h"
#include "region/uncore.h"

/** What is counted, and why the rest is not. */
typedef struct rf_counting {
  bool flops;
  bool memory;
  rf_uncore uncore;
  rf_counters counters;    /**< of the run that goes on */
  char flops_reason[256];  /**< "" while they are counted */
  char memory_reason[256]; /**< the same for bytes from and to memory */
} rf_counting;

/** Of one run. NaN: not counted. */
typedef struct rf_counts {
  double flops[RF_COUNTER_MAX]; /**< in the formats of rf_counters_dtype */
  double memory_bytes;          /**< of the whole machine meanwhile */
} rf_counts;

/** Finds what can be counted here.
 *  Units: none. Ownership: the caller's storage. Errors: the reasons. */
void rf_counting_init(rf_counting *counting);

/** Starts counting a process that waits to execute a program.
 *  Units: none. Ownership: rf_counting_stop ends it. Errors: the reasons, for what is counted no longer. */
void rf_counting_start(rf_counting *counting, pid_t process);

/** Stops and reads.
 *  Units: FLOP, bytes. Ownership: fills *counts. Errors: NaN. */
void rf_counting_stop(rf_counting *counting, rf_counts *counts);

#endif
