/** The sub-command model: what its files share. */
#ifndef CLI_MODEL_MODEL_H
#define CLI_MODEL_MODEL_H

#include "cli/cli.h"
#include "roofline/model.h"

enum { CLI_MODEL_AXES = 8, CLI_MODEL_CHOICES = 8, CLI_MODEL_CHOICE_SIZE = 48 };

/** A setting with several values. */
typedef struct cli_model_axis {
  const char *name;
  size_t offset; /**< in the settings */
  roof_axis values;
} cli_model_axis;

/** Settings with several values, in the order typed. Start from `{0}`. */
typedef struct cli_model_axes {
  cli_model_axis list[CLI_MODEL_AXES];
  int count;
} cli_model_axes;

/* model_settings.c */
/** Reads `key=value` words into settings: batch, prompt, generate, chunk, draft, accept, tp, pp, dp, ep,
 *  page, workspace, price. Lists and ranges become axes; where `axes` is NULL they are refused. */
roof_status cli_model_words(const char *const *words, int count, roof_model_settings *settings,
                            cli_model_axes *axes, roof_error *error);
void cli_model_axes_done(cli_model_axes *axes);
/** The settings' own precision, or each of the formats between slashes in `text` (NULL: none). */
roof_status cli_model_choices(const char *text, const roof_model_settings *settings,
                              roof_model_precision precisions[CLI_MODEL_CHOICES],
                              char names[CLI_MODEL_CHOICES][CLI_MODEL_CHOICE_SIZE], int *count,
                              roof_error *error);

/* model_plan.c */
/** Options that say the same as the words tp= pp= dp= ep= cp= microbatches= node=, and --network. */
extern const struct poptOption cli_model_plan_options[];
roof_status cli_model_plan_settings(const roof_machine *machine, roof_model_settings *settings,
                                    cli_model_axes *axes, roof_error *error);
void cli_model_plan_options_done(void);
/** The plan as lines; nothing for one device. */
void cli_model_plan_text(roof_text *out, const roof_model_target *target, const roof_model_answer *answer);
json_t *cli_model_plan_json(const roof_model_target *target, const roof_model_answer *answer);

/** The first of these options that was typed, or NULL. */
const char *cli_model_plan_typed(void);

/* model_workload.c */
/** Answers an ONNX graph or a list of operations on every machine named; words are sizes of dimensions.
 *  `dtype`, `mode`: as typed, or NULL. */
roof_status cli_model_workload(const cli_args *args, char *dtype, const char *mode, roof_text *text,
                               json_t *json, roof_error *error);

/* model_search.c */
extern const struct poptOption cli_model_search_options[];
bool cli_model_searches(void);
/** Adds the answer of --search to `text`, or with --json to the array `json`; draws --to FILE. `precisions`:
 *  names separated by commas, or NULL. */
roof_status cli_model_search(const cli_args *args, const roof_model *model, const roof_machine *machine,
                             const roof_model_settings *settings, const char *precisions, roof_text *text,
                             json_t *json, roof_error *error);
void cli_model_search_options_done(void);

/* model_search_train.c */
/** Adds the answer of --search --train over `devices` to `text`, or with --json to the array `json`. */
roof_status cli_model_search_train(const cli_args *args, const roof_model *model, const roof_machine *machine,
                                   const roof_model_settings *settings, double devices, roof_text *text,
                                   json_t *json, roof_error *error);

/* model_text.c */
/** The answer as a table a phase, then what the figures mean. */
void cli_model_text(roof_text *out, const roof_model_target *target, const roof_model_answer *answer,
                    bool color);

/* model_csv.c */
/** A row an operation of a phase; the first call adds the columns' names. Figures of one call; `count` calls
 *  make the phase, `share` is of them all. */
void cli_model_csv(roof_text *out, const roof_model_target *target, const roof_model_answer *answer);

/* model_sweep.c */
extern const struct poptOption cli_model_sweep_options[];
/** Several values of a setting, several precisions, or --compare were asked for. */
bool cli_model_sweeps(const cli_model_axes *axes, const char *precisions);
/** Prints every value on every machine: a table, --csv, --json, or --to FILE a drawing. */
roof_status cli_model_sweep(const cli_args *args, const roof_model *model, roof_machine *const *machines,
                            int count, const roof_model_settings *settings, const cli_model_axes *axes,
                            const char *precisions, roof_error *error);

/* model_report.c */
/** The seven steps of an analysis, filled in. */
roof_status cli_model_report(roof_text *out, const roof_model_target *target, const roof_model_answer *answer,
                             roof_error *error);

/* model_json.c */
json_t *cli_model_json(const roof_model_target *target, const roof_model_answer *answer);

#endif
