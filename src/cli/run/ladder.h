/** `roofline run OP --ladder`. */
#ifndef CLI_RUN_LADDER_H
#define CLI_RUN_LADDER_H

#include "cli/cli.h"
#include "roofline/measure.h"

/** What was asked for. */
typedef struct cli_climb {
  const cli_args *args; /**< words: the operation, then key=value */
  const roof_backend *backend;
  const roof_measure_options *how;
  roof_dtype dtype;
  const char *ledger;
  const char *key; /**< NULL: nothing is signed */
} cli_climb;

/** Predicts every rung of the operation and the libraries, seals that in the ledger, then measures each and
 *  shows the result. */
roof_status cli_ladder_run(const cli_climb *climb, roof_error *error);

#endif
