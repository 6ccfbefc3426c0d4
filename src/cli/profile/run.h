/** Running a profiler. */
#ifndef CLI_PROFILE_RUN_H
#define CLI_PROFILE_RUN_H

#include "region/program.h"
#include "roofline/profiler.h"

/** Runs the words of a step to their end, input and output untouched. Errors: as rf_program_run. */
roof_status cli_profiler_run(const char *const *words, roof_error *error);

/** The same for who holds the signals longer, to clean up after it. */
roof_status cli_profiler_run_held(const char *const *words, rf_program_hold *hold, roof_error *error);

#endif
