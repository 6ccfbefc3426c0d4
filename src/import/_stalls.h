/** What warps wait for, as Nsight Compute has it. */
#ifndef IMPORT_STALLS_H
#define IMPORT_STALLS_H

#include "import/import.h"
#include "roofline/text.h"

/** X(reason, what it means): Nsight Compute, Kernel Profiling Guide, "Statistical Sampler", warp stall reasons. */
#define STALL_MAP(X)                                                                                         \
  X(barrier, "for other warps at a barrier")                                                                 \
  X(branch_resolving, "for the target of a branch")                                                          \
  X(dispatch_stall, "for the dispatcher")                                                                    \
  X(drain, "for its last writes")                                                                            \
  X(gmma, "for the tensor core")                                                                             \
  X(imc_miss, "for constants that are not in their cache")                                                   \
  X(lg_throttle, "for room in the queue of global and local memory")                                         \
  X(long_scoreboard, "for data of global or local memory")                                                   \
  X(math_pipe_throttle, "for a busy arithmetic pipe")                                                        \
  X(membar, "for a memory barrier")                                                                          \
  X(mio_throttle, "for room in the queue of shared memory")                                                  \
  X(misc, "for something else")                                                                              \
  X(no_instruction, "for instructions that are not in their cache")                                          \
  X(not_selected, "while another warp issues")                                                               \
  X(selected, "it issues")                                                                                   \
  X(short_scoreboard, "for data of shared memory")                                                           \
  X(sleeping, "in a sleep")                                                                                  \
  X(tex_throttle, "for room in the queue of the texture unit")                                               \
  X(wait, "for a fixed number of cycles")

/** What names of these counters begin with. */
#define RF_STALL "stall_"

typedef enum stall {
#define STALL_ENUM(reason, meaning) STALL_##reason,
  STALL_MAP(STALL_ENUM)
#undef STALL_ENUM
      STALLS
} stall;

/** The reason that a metric counts ("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"), or STALLS. */
stall rf_stall_of(const char *metric);

/** Gives a record the share of each reason, from the cycles per issued instruction. */
void rf_stalls_add(roof_profile *profile, roof_record *record, const double cycles[STALLS], double seconds);

/** Whether a counter is such a share. */
bool rf_stall_is(const char *counter);

#endif
