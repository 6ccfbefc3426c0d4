/** Statistics of a region's calls. */
#ifndef REGION_TALLY_H
#define REGION_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "region/counters.h"

enum { RF_TALLY_SAMPLES = 1024 };

/** Sums over all calls, and a uniform random choice of at most RF_TALLY_SAMPLES of their times (all of them
 * while they fit). */
typedef struct rf_tally {
  uint64_t calls;
  uint64_t ticks;
  uint64_t own;      /**< of `ticks`, those in no region inside */
  uint64_t unbegun;  /**< ends without a begin */
  uint64_t unended;  /**< begins without an end */
  uint64_t too_deep; /**< calls nested too deeply to be timed */
  uint64_t deep;     /**< of a thread: begun so, and not ended yet */
  uint64_t threads;
  double flops[ROOF_DTYPE_COUNT];
  double bytes;
  uint64_t counted_calls; /**< those whose FLOPs the processor counted */
  double counted_flops[RF_COUNTER_MAX];
  uint64_t samples[RF_TALLY_SAMPLES];
} rf_tally;

/** How many samples there are. */
size_t rf_tally_kept(const rf_tally *tally);

/** Adds one call, its FLOPs as what a format with scales multiplies, unknown in one that is none; `random` is the
 * state of a generator, never 0. */
void rf_tally_add(rf_tally *tally, uint64_t ticks, roof_dtype dtype, double flops, double bytes,
                  uint64_t *random);

/** Adds the calls of `from`: each call of both is as likely to be among the samples as any other. */
void rf_tally_merge(rf_tally *into, const rf_tally *from, uint64_t *random);

#endif
