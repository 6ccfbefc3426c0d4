/** The sub-command model: what its files share. */
#ifndef CLI_MODEL_MODEL_H
#define CLI_MODEL_MODEL_H

#include "cli/cli.h"
#include "roofline/model_sweep.h"

/* run.c: how a model is stored and launched, for `plan` as well */
extern const struct poptOption cli_model_run_options[];
/** Loads the model of the first word, its formats as --quantization says. */
roof_status cli_model_run_load(const cli_args *args, roof_model *model, roof_error *error);
/** The settings without those of words; `choices`: of --precision with several formats none is taken. */
roof_status cli_model_run_settings(const cli_args *args, const roof_model *model, bool choices,
                                   roof_model_settings *settings, roof_error *error);
/** Says which weights --dtype does not reach. */
void cli_model_run_note(roof_model *model, const roof_model_precision *precision);
/** What was typed; NULL: nothing. */
const char *cli_model_run_precision(void);
char *cli_model_run_dtype(void);
const char *cli_model_run_mode(void);
/** The first of these options that was typed and is of a model's layers, or NULL. */
const char *cli_model_run_typed(void);
void cli_model_run_done(void);

/* plan.c */
/** Options that say the same as the words tp= pp= dp= ep= cp= microbatches= node=, and --network. */
extern const struct poptOption cli_model_plan_options[];
roof_status cli_model_plan_settings(roof_model_settings *settings, roof_model_axes *axes, roof_error *error);
/** The network of --network for a machine. */
roof_status cli_model_plan_network(const roof_machine *machine, roof_model_settings *settings,
                                   roof_error *error);
void cli_model_plan_options_done(void);

/** --network as typed, or NULL. */
const char *cli_model_network(void);

/** The prices of --price machine=price,... or of the file; NULL where one price or none was typed. */
const char *cli_model_prices(void);

/** The first of these options that was typed, or NULL. */
const char *cli_model_plan_typed(void);

/* workload.c */
/** Answers an ONNX graph or a list of operations on every machine named; words are sizes of dimensions.
 *  `dtype`, `mode`: as typed, or NULL. */
roof_status cli_model_workload(const cli_args *args, char *dtype, const char *mode, roof_text *text,
                               json_t *json, roof_error *error);

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
/** Prints every value on every machine, of `prices` where settings has 1 (NULL: its own): a table, --csv, --json, or --to FILE a drawing. */
roof_status cli_model_sweep(const cli_args *args, const roof_model *model, roof_machine *const *machines,
                            const roof_listed_price *prices, int count, const roof_model_settings *settings,
                            const roof_model_axes *axes, const char *precisions, roof_error *error);

/* sweep_text.c */
/** Whether a run fits: "fits", "does not fit", "unknown", "-" where there is no such run. */
const char *cli_model_run_memory(const roof_model_run *run);
/** The answer, one row per run or with `compare` the machines side by side, and where a line turns. */
void cli_model_sweep_text(roof_text *out, const roof_model_sweep *sweep, bool compare);

/* report.c */
/** The seven steps of an analysis, filled in. */
roof_status cli_model_report(roof_text *out, const roof_model_target *target, const roof_model_answer *answer,
                             roof_error *error);

#endif
