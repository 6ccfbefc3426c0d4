/** `roofline run KERNEL --strong|--weak`, by every rank of a job. */
#ifndef CLI_RUN_SCALING_H
#define CLI_RUN_SCALING_H

#include "cli/cli.h"

/** What was asked for. */
typedef struct cli_scaling {
  const cli_args *args; /**< words: the kernel, then key=value */
  bool weak, quick;
  const char *dtype; /**< as typed; NULL: the kernel's */
  double patience;   /**< s for one number of ranks; 0: a minute over what it should take */
  const char *ledger;
  const char *key; /**< NULL: nothing is signed */
} cli_scaling;

/** Predicts 1, 2, 4 ... ranks of the job, seals that, measures each, and shows on the first rank what came of it. */
roof_status cli_scaling_run(const cli_scaling *asked, roof_error *error);

#endif
