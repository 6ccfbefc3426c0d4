/** What warps wait for, as Nsight Compute has it. */
#ifndef IMPORT_STALLS_H
#define IMPORT_STALLS_H

#include "import/import.h"
#include "roofline/text.h"

/** What names of these counters begin with. */
#define RF_STALL "stall_"

/** The reason that a metric counts ("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"), or ROOF_STALL_COUNT. */
roof_stall rf_stall_of(const char *metric);

/** The reason whose samples a metric counts ("smsp__pcsamp_warps_issue_stalled_wait"), or ROOF_STALL_COUNT. */
roof_stall rf_stall_sampled(const char *metric);

/** Gives a record the share of each reason, from cycles per issued instruction or from samples. */
void rf_stalls_add(roof_profile *profile, roof_record *record, const double cycles[ROOF_STALL_COUNT],
                   double seconds);

/** A reason's name with blanks: "long scoreboard", in `words`. */
const char *rf_stall_words(roof_stall reason, char *words, size_t size);

/** Whether a counter is such a share. */
bool rf_stall_is(const char *counter);

#endif
