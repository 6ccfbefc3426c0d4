/** A whole model where a command takes an operation: MODEL [train] key=value ... */
#ifndef CLI_WHOLE_WHOLE_H
#define CLI_WHOLE_WHOLE_H

#include "cli/cli.h"
#include "roofline/charts.h"
#include "roofline/joules.h"
#include "roofline/sealing.h"

/** Whether the first word names a model, not an operation. */
bool cli_whole_is(const cli_args *args);

/** Answers of the commands for a model. `sp`: as if that word stood there. */
roof_status cli_whole_claim(const cli_args *args, bool sp, roof_error *error);
/** Fills *chart instead of printing where it is not NULL. */
roof_status cli_whole_energy(const cli_args *args, const roof_energy_given *given, roof_bars *chart,
                             roof_error *error);
roof_status cli_whole_advise(const cli_args *args, roof_error *error);
/** Appends a prediction for each phase on each machine. */
roof_status cli_whole_collect(const cli_args *args, roof_sealings *sealings, roof_error *error);

#endif
