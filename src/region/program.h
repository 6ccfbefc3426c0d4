/** Runs a program and measures it as a whole; its marked regions are recorded by the program itself. */
#ifndef REGION_PROGRAM_H
#define REGION_PROGRAM_H

#include <signal.h>

#include "region/counters.h"
#include "region/uncore.h"
#include "roofline/status.h"

/** What is counted of a program, and why the rest is not. */
typedef struct rf_program_counting {
  bool flops;
  bool memory;
  rf_uncore uncore;
  char flops_reason[256];  /**< "" while they are counted */
  char memory_reason[256]; /**< the same for bytes from and to memory */
} rf_program_counting;

/** One run, with the children it waited for. Unknown is NaN. */
typedef struct rf_program_usage {
  double seconds;
  double user_seconds;
  double system_seconds;
  double peak_bytes; /**< resident, of its largest process */
  double voluntary_switches;
  double involuntary_switches;
  double flops[RF_COUNTER_MAX]; /**< in the formats of rf_counters_dtype */
  double memory_bytes;          /**< of the whole machine meanwhile */
} rf_program_usage;

/** Blocks the signals that would end this process between rf_program_begin and rf_program_end, so that
 * everything begun is cleaned up; rf_program_run forwards them to the program. */
typedef struct rf_program_hold {
  sigset_t before;
  int caught; /**< the signal that ended a run, or 0 */
} rf_program_hold;

void rf_program_begin(rf_program_hold *hold);

/** Unblocks the signals: one that was blocked or caught ends this process now. */
void rf_program_end(rf_program_hold *hold);

/** Finds what can be counted here.
 *  Units: none. Ownership: the caller's storage. Errors: the reasons. */
void rf_program_counting_init(rf_program_counting *counting);

/** Runs `argv` to its end, its input and output untouched, with ROOFLINE_REGIONS set to `regions`.
 *  Units: s, bytes, FLOP.
 *  Ownership: writes *usage on success only.
 *  Errors: ROOF_E_UNSUPPORTED when it cannot be executed, fails, or a signal ends it or `hold` catches
 *  one. */
roof_status rf_program_run(const char *const *argv, const char *regions, rf_program_counting *counting,
                           rf_program_hold *hold, rf_program_usage *usage, roof_error *error);

#endif
