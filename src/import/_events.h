/** Hardware events of processors, whatever tool read them, as FLOPs by format and bytes by level. */
#ifndef IMPORT_EVENTS_H
#define IMPORT_EVENTS_H

#include "import/import.h"

/** What an event counts. */
typedef enum event_slot {
  EVENT_FP64_SCALAR,
  EVENT_FP64_128,
  EVENT_FP64_256,
  EVENT_FP64_512,
  EVENT_FP32_SCALAR,
  EVENT_FP32_128,
  EVENT_FP32_256,
  EVENT_FP32_512,
  EVENT_FP64_ALL, /**< of one format, whatever the width */
  EVENT_FP32_ALL,
  EVENT_ANY_ALL,  /**< single and double precision together */
  EVENT_ANY_PART, /**< additions, products and so on of both, without EVENT_ANY_ALL */
  EVENT_SCALABLE, /**< of 128 bits of a vector whose length is not known */
  EVENT_MEMORY_LINES,
  EVENT_MEMORY_BYTES,
  EVENT_L3_MISSES, /**< lines, prefetches not all among them: the memory's, when nothing better is known */
  EVENT_L2_FILLS,  /**< lines from L3 into L2 */
  EVENT_L2_MISSES,
  EVENT_L1_FILLS, /**< lines from L2 into L1, and written back */
  EVENT_L1_MISSES,
  EVENT_SLOT_COUNT
} event_slot;

/** The events of one region. Start from rf_events_init. */
typedef struct events {
  double value[EVENT_SLOT_COUNT]; /**< FLOP or bytes; NaN: not read */
  bool estimated;                 /**< some was multiplexed */
  bool refused[EVENT_SLOT_COUNT]; /**< asked for, but the processor or kernel does not count it */
} events;

void rf_events_init(events *e);

/** Adds a count of the event `name` ("fp_arith_inst_retired.scalar_double",
 *  "FP_ARITH_INST_RETIRED_SCALAR_DOUBLE", "PAPI_DP_OPS", any case, modifiers and PMU names around it
 *  ignored). NaN: it could not be counted. `factor` is the bytes per count if the tool gives them, NaN: the
 *  event's own. False when the event is none of those that are FLOPs or bytes. */
bool rf_events_add(events *e, const char *name, double count, double factor);

/** Writes FLOPs and bytes of the events to the record. `both` is the format that counts of both formats are
 *  taken for. */
void rf_events_settle(const events *e, roof_dtype both, roof_record *record);

/** The sums of what was added: FLOPs of all formats and bytes of the memory; NaN: not read. */
void rf_events_sums(const events *e, double *flops, double *bytes);

/** One event that is neither FLOPs nor bytes. */
typedef struct event_other {
  const char *name;
  double sum;
} event_other;

/** What becomes one record: a run, a cgroup, a thread, a marked region. */
typedef struct event_region {
  const char *name;
  events events;
  double time[3]; /**< s, NaN at first; filled in while reading */
  double seconds; /**< of the runs before the one that is being read; perf alone */
  uint64_t calls;
  uint64_t run; /**< the last one that it was seen in; perf alone */
  event_other *others;
  size_t count;
} event_region;

/** Regions in the order in which they were found. Start from zeros. */
typedef struct event_regions {
  event_region *list;
  size_t count;
} event_regions;

/** The region of that name (kept by the profile), made when it is new. NULL when out of memory. The pointer
 *  is valid until the next call. */
event_region *rf_event_region_of(event_regions *regions, const char *name);

/** Adds a count to the region: to its FLOPs and bytes, else to the event of that name (kept by the profile).
 *  `scale` is what one count of another event is. False when out of memory. */
bool rf_event_region_add(event_region *region, const char *name, double count, double bytes, double scale);

/** Adds the region's calls, time and counts to its record; `seconds` NaN: unknown. NULL when out of
 *  memory. */
roof_record *rf_event_region_settle(const event_region *region, double seconds, roof_dtype both,
                                    roof_profile *profile);

void rf_event_regions_done(event_regions *regions);

#endif
