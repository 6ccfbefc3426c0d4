/** The sub-command plan: what its files share. */
#ifndef CLI_PLAN_PLAN_H
#define CLI_PLAN_PLAN_H

#include "cli/cli.h"
#include "roofline/apart.h"
#include "roofline/failures.h"
#include "roofline/hybrid.h"

/* text.c */
/** The answer as tables. */
void cli_plan_text(roof_text *out, const roof_choice_question *question, const roof_choices *choices,
                   const roof_apart *apart);
/** A record for each machine and precision. */
void cli_plan_csv(roof_text *out, const roof_choice_question *question, const roof_choices *choices);
/** A command over several lines, none of them wide. */
void cli_plan_add_command(roof_text *out, const char *command);

/* train.c */
/** Adds the answer of --train over `devices` to `text`, or with --json to the array `json`. */
roof_status cli_plan_train(const cli_args *args, const roof_model *model, const roof_machine *machine,
                           const roof_model_settings *settings, double devices,
                           const roof_failure_settings *failures, roof_text *text, json_t *json, bool *missed,
                           roof_error *error);

/* hybrid.c */
/** Prints how each device shares a model with the host of the question; `precision`: its name. *missed: none fits. */
roof_status cli_plan_hybrid(const cli_args *args, const roof_hybrid_question *question,
                            roof_machine *const *devices, int count, const char *precision, bool *missed,
                            roof_error *error);

#endif
