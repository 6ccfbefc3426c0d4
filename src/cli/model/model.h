/** The sub-command model: what its files share. */
#ifndef CLI_MODEL_MODEL_H
#define CLI_MODEL_MODEL_H

#include "cli/cli.h"
#include "roofline/choice.h"
#include "roofline/model_sweep.h"

/* plan.c */
/** Options that say the same as the words tp= pp= dp= ep= cp= microbatches= node=, and --network. */
extern const struct poptOption cli_model_plan_options[];
roof_status cli_model_plan_settings(const roof_machine *machine, roof_model_settings *settings,
                                    roof_model_axes *axes, roof_error *error);
void cli_model_plan_options_done(void);

/** The prices of --price machine=price,...; NULL where one price or none was typed. */
const char *cli_model_prices(void);

/** The first of these options that was typed, or NULL. */
const char *cli_model_plan_typed(void);

/* workload.c */
/** Answers an ONNX graph or a list of operations on every machine named; words are sizes of dimensions.
 *  `dtype`, `mode`: as typed, or NULL. */
roof_status cli_model_workload(const cli_args *args, char *dtype, const char *mode, roof_text *text,
                               json_t *json, roof_error *error);

/* search.c */
extern const struct poptOption cli_model_search_options[];
bool cli_model_searches(void);
/** Adds the answer of --search to `text`, or with --json to the array `json`; draws --to FILE. `precisions`:
 *  names separated by commas, or NULL. */
roof_status cli_model_search(const cli_args *args, const roof_model *model, const roof_machine *machine,
                             const roof_model_settings *settings, const char *precisions, roof_text *text,
                             json_t *json, roof_error *error);
void cli_model_search_options_done(void);
/** What --users and --context say, as the settings of their names. */
roof_status cli_model_search_settings(roof_model_settings *settings, roof_model_axes *axes,
                                      roof_error *error);
/** Compares machines by --search; the price of each is in `prices`. Adds the answer as cli_model_search does. */
roof_status cli_model_choose(const cli_args *args, const roof_model *model, roof_machine *const *machines,
                             int count, const roof_model_settings *settings, double users,
                             const double *prices, const char *precisions, roof_text *text, json_t *json,
                             roof_error *error);
/** Whether a search found nothing within its limits: the command then exits 1. */
bool cli_model_search_missed(void);

/* choice.c */
/** The answer of cli_model_choose as tables and commands. */
void cli_model_choices_text(roof_text *out, const roof_choice_question *question, const roof_choices *choices,
                            const char *served);

/* search_train.c */
/** Adds the answer of --search --train over `devices` to `text`, or with --json to the array `json`. */
roof_status cli_model_search_train(const cli_args *args, const roof_model *model, const roof_machine *machine,
                                   const roof_model_settings *settings, double devices, roof_text *text,
                                   json_t *json, bool *missed, roof_error *error);

/* text.c */
/** The answer as one table per phase, then what the figures mean. */
void cli_model_text(roof_text *out, const roof_model_target *target, const roof_model_answer *answer);

/* operations.c */
/** The operations of a phase as a table. */
void cli_model_add_operations(roof_text *out, const roof_model_target *target, const roof_model_phase *phase);
/** A record per operation of a phase; the first call adds the columns' names. Figures of one call; `count` calls
 *  make the phase, `share` is of them all. */
void cli_model_csv(roof_text *out, const roof_model_target *target, const roof_model_answer *answer);
/** The operations of a workload as a table, or as records of CSV, the names of the columns first where `out` is empty. */
roof_status cli_model_add_workload(roof_text *out, const roof_workload *workload, const roof_machine *machine,
                                   const roof_workload_answer *answer, bool csv, roof_error *error);

/* sweep.c */
extern const struct poptOption cli_model_sweep_options[];
/** Several values of a setting, several precisions, or --compare were asked for. */
bool cli_model_sweeps(const roof_model_axes *axes, const char *precisions);
/** Prints every value on every machine: a table, --csv, --json, or --to FILE a drawing. */
roof_status cli_model_sweep(const cli_args *args, const roof_model *model, roof_machine *const *machines,
                            int count, const roof_model_settings *settings, const roof_model_axes *axes,
                            const char *precisions, roof_error *error);

/* sweep_text.c */
/** The answer, one row per run or with `compare` the machines side by side, and where a line turns. */
void cli_model_sweep_text(roof_text *out, const roof_model_sweep *sweep, bool compare);

/* report.c */
/** The seven steps of an analysis, filled in. */
roof_status cli_model_report(roof_text *out, const roof_model_target *target, const roof_model_answer *answer,
                             roof_error *error);

#endif
