/** What `advise` knows and how it says it. */
#ifndef CLI_ADVISE_ADVISE_H
#define CLI_ADVISE_ADVISE_H

#include "cli/cli.h"
#include "roofline/advise.h"

enum { CLI_ADVICE_LEVERS = 48, CLI_ADVICE_CAUSES = 32 };

typedef struct cli_advice {
  const cli_args *args;
  const roof_target *target;
  const roof_op *op;
  double typed[ROOF_PARAM_MAX], values[ROOF_PARAM_MAX];
  roof_prediction now;
  double measured;         /**< s, NaN: not measured */
  double achieved_seconds; /**< at best with the measured ceilings, where the machine has them */
  roof_evidence evidence;
  roof_cause causes[CLI_ADVICE_CAUSES];
  size_t cause_count;
  roof_lever levers[CLI_ADVICE_LEVERS];
  size_t lever_count;
  roof_ranked_machine *machines; /**< by time */
  int machine_count;
  bool all_machines;
} cli_advice;

/* answer.c */
void cli_advise_text(const cli_advice *advice, roof_text *out);
json_t *cli_advise_json(const cli_advice *advice);

/* set.c: before and after a change; `sets` are KEY=VALUE, NULL-terminated */
roof_status cli_advise_set(const cli_args *args, const roof_shape *shape, const char *const *sets,
                           roof_error *error);

/* mix.c: shares of time, each bound by something, on another machine */
roof_status cli_advise_mix(const cli_args *args, const char *mix, const char *against, roof_error *error);

#endif
