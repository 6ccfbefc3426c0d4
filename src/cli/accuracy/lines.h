/** Errors of predictions as the commands of this folder show them, and the timings they read. */
#ifndef CLI_ACCURACY_LINES_H
#define CLI_ACCURACY_LINES_H

#include "cli/columns.h"
#include "roofline/accuracy.h"

/** The errors of all timings and of each grouping, what the columns mean, and what was left out. */
void cli_accuracy_add(const roof_accuracy *a, roof_text *out);

/** Whether all of them are runs of whole models, which are judged figure by figure. */
bool cli_accuracy_of_runs(const roof_accuracy *a);
/** What was left out alone. */
void cli_gaps_add(const roof_accuracy *a, roof_text *out);
/** The same as one table. */
void cli_accuracy_add_csv(const roof_accuracy *a, roof_text *out);
/** Reads the files that the words name; the others, "tp=2", are settings of the runs in them. Release with roof_profile_done, also on failure. */
roof_status cli_timings_import(const cli_args *args, roof_profile *profile, roof_error *error);

#endif
