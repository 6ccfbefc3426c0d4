/** What a profiler counts while a built-in kernel runs, to compare with what its formula says. */
#ifndef CLI_RUN_COUNTERS_H
#define CLI_RUN_COUNTERS_H

#include "cli/run/measured.h"
#include "roofline/runs.h"

/** Runs this program's kernel once more under Nsight Compute (`ncu` on PATH) and keeps what it counted.
 *  Units: FLOP, bytes of one run.
 *  Ownership: run->counts on success only.
 *  Errors: as roof_profiler_count. */
roof_status cli_count_kernel(const char *backend, roof_run *run, roof_error *error);

/** Appends the table that compares counts with formulas; the rows are runs, their columns do not matter. */
void cli_counted_add(roof_text *out, cli_rows runs);

#endif
