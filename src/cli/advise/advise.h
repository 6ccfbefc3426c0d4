/** What `advise` knows and how it shows it. */
#ifndef CLI_ADVISE_ADVISE_H
#define CLI_ADVISE_ADVISE_H

#include "cli/columns.h"
#include "roofline/advise.h"
#include "roofline/losses.h"

/** One operation on one machine, and the other machines. */
typedef struct cli_advice {
  const roof_target *target;
  const roof_op *op;
  double values[ROOF_PARAM_MAX];
  roof_advice advice;
  roof_ranked_machine *machines; /**< by time */
  int machine_count;
  bool all_machines;
} cli_advice;

/* answer.c */
void cli_advise_text(const cli_advice *advice, roof_text *out);
/** The levers as a table. */
cli_rows cli_advise_levers(const cli_advice *advice);

/* set.c: before and after a change; `sets` are KEY=VALUE, NULL-terminated */
roof_status cli_advise_set(const cli_args *args, const roof_shape *shape, const char *const *sets,
                           roof_error *error);

/* mix.c: shares of time, each bound by something, on another machine */
roof_status cli_advise_mix(const cli_args *args, const char *mix, roof_error *error);

#endif
