/** What is shown of a scaling study. */
#ifndef CLI_CLUSTER_SCALING_H
#define CLI_CLUSTER_SCALING_H

#include "cli/cli.h"
#include "cluster/scaling.h"

/** Draws it where `args` ask for a picture. */
roof_status cli_scaling_draw(const cli_args *args, const rf_scaling_study *study, roof_error *error);

/** Prints it as `args` ask; as text with the `file` that it was read from, and the `ledger` that has it, either NULL. */
roof_status cli_scaling_print(const cli_args *args, const rf_scaling_study *study, const char *file,
                              const char *ledger, roof_error *error);

#endif
