/** The rate of memory right now, to know the mode in which a kernel was measured. */
#ifndef MEASURE_CPU_MEMORY_RATE_H
#define MEASURE_CPU_MEMORY_RATE_H

#include "measure/cpu/cpu.h"

/** Data beyond the last cache, a part for each thread of the team. */
typedef struct rf_memory_probe {
  const rf_team *team;
  void *data;
  size_t each; /**< bytes of a thread, a power of two */
  rf_way way;  /**< the faster to read them */
} rf_memory_probe;

/** Fills the data.
 *  Units: none. Ownership: released by rf_memory_probe_done; the team must outlive it.
 *  Errors: false where there is no room for it. */
bool rf_memory_probe_init(rf_memory_probe *probe, const rf_team *team);

/** The best of a few passes over all of it, in milliseconds.
 *  Units: bytes/s. Ownership: none. Errors: none. */
double rf_memory_probe_rate(const rf_memory_probe *probe);

/** Frees the data.
 *  Units: none. Ownership: releases. Errors: none. */
void rf_memory_probe_done(rf_memory_probe *probe);

#endif
