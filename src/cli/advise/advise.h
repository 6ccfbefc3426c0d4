/** What `advise` knows and how it says it. */
#ifndef CLI_ADVISE_ADVISE_H
#define CLI_ADVISE_ADVISE_H

#include "cli/cli.h"
#include "roofline/advise.h"

enum { CLI_ADVICE_LEVERS = 48, CLI_ADVICE_CAUSES = 32 };

/** One machine of the catalogue for the same work. */
typedef struct cli_ranked {
  char name[ROOF_NAME_MAX];
  roof_regime regime;
  double seconds; /**< expected */
  double gain;
  double watts;
  double joules; /**< seconds x watts */
  int energy_rank;
} cli_ranked;

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
  cli_ranked *machines; /**< by time */
  int machine_count;
  bool all_machines;
} cli_advice;

/* advise_machines.c */
/** As the vendor writes it, else its name. */
const char *cli_advise_title(const roof_machine *machine);

/** Every machine of the catalogue that has a path for the formats, by expected time; `*ranked` is the
 *  caller's to free(). */
roof_status cli_advise_machines(const roof_target *target, const roof_op *op, const double *values,
                                cli_ranked **ranked, int *count, roof_error *error);

/* advise_answer.c */
void cli_advise_text(const cli_advice *advice, roof_text *out);
json_t *cli_advise_json(const cli_advice *advice);

/* advise_set.c: before and after a change; `sets` are KEY=VALUE, NULL-terminated */
roof_status cli_advise_set(const cli_args *args, const roof_shape *shape, const char *const *sets,
                           roof_error *error);

/* advise_mix.c: shares of time, each bound by something, on another machine */
roof_status cli_advise_mix(const cli_args *args, const char *mix, const char *against, roof_error *error);

#endif
