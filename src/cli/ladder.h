/** `roofline run OP --ladder`. */
#ifndef CLI_LADDER_H
#define CLI_LADDER_H

#include "cli/cli.h"
#include "roofline/measure.h"

/** What was asked for. */
typedef struct roof_climb {
  const roof_args *args; /**< words: the operation, then key=value */
  const roof_backend *backend;
  const roof_measure_options *how;
  roof_dtype dtype;
  const char *ledger;
} roof_climb;

/** Predicts every rung of the operation and the libraries, seals that in the ledger, then measures each and
 * tells. */
roof_status roof_ladder_run(const roof_climb *climb, roof_error *error);

#endif
