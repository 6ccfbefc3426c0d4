/** `run --timeline FILE -- PROGRAM`: the time lines of its processes, or of the ranks of a job, as one by the clock of rank 0. */
#ifndef CLI_RUN_TIMELINE_H
#define CLI_RUN_TIMELINE_H

#include <limits.h>

#include "cli/cli.h"
#include "cluster/gather.h"
#include "cluster/gather_clock.h"
#include "roofline/program.h"
#include "roofline/timeline.h"

/** One that is made. Start from zeros and `file`, NULL: none is asked for, and what follows does nothing. */
typedef struct cli_timeline {
  const char *file;
  char folder[PATH_MAX];           /**< where the processes of a program without a job write */
  char pattern[2 * PATH_MAX + 64]; /**< what ROOFLINE_TIMELINE is */
  rf_clock_server *server;         /**< of the first rank of a job */
  rf_clock_readings readings;      /**< of the others */
  roof_profile all;                /**< of rank 0, once something came */
} cli_timeline;

/** Fails where the file could not be written, or is asked for with what it does not go with. */
roof_status cli_timeline_check(const cli_timeline *timeline, int repeats, roof_error *error);

/** Says where the processes of a program write, in a folder of their own. */
roof_status cli_timeline_begin(cli_timeline *timeline, roof_program_options *how, roof_error *error);

/** Reads what they wrote, and writes the file. */
roof_status cli_timeline_end(cli_timeline *timeline, const cli_args *args, const char *program,
                             roof_error *error);

/** Of a job, by each rank: where its program writes; its clock is compared with that of the first. */
roof_status cli_timeline_meet(cli_timeline *timeline, const rf_gather *gather, double patience,
                              roof_program_options *how, roof_error *error);

/** By each rank, after its program and before its answer: what it wrote, and by which clock. */
roof_status cli_timeline_give(cli_timeline *timeline, const rf_gather *gather, double patience,
                              roof_error *error);

/** By the first, with the answer of a rank. */
roof_status cli_timeline_take(cli_timeline *timeline, const rf_gather *gather, int rank, const char *node,
                              roof_error *error);

/** By the first, once no rank is missing: writes the file. */
roof_status cli_timeline_write(cli_timeline *timeline, const cli_args *args, const char *program,
                               roof_error *error);

/** Releases it, and its folder. */
void cli_timeline_done(cli_timeline *timeline);

#endif
