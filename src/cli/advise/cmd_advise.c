/* What would make an operation faster, by how much, and what would not. */
#include "cli/advise/advise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/ledger/seal.h"
#include "cli/whole/whole.h"

static const char **counters, **sets;
static char *mix_text, *ledger, *label;
static int all_machines, users = -1; /* -1: not given */

static const struct poptOption options[] = {
    {"set", '\0', POPT_ARG_ARGV, &sets, 0,
     "what if: a parameter, a format, machine=NAME, peak=2x, bandwidth=2x, cost=TIME added per call, "
     "dequant=separate (by a kernel of its own); repeatable",
     "KEY=VALUE"},
    {"counter", 'c', POPT_ARG_ARGV, &counters, 0,
     "what a profiler counted, a share: occupancy=0.3; repeatable", "NAME=VALUE"},
    {"label", '\0', POPT_ARG_STRING, &label, 0, "take what the ledger has measured of this label", "LABEL"},
    {"ledger", '\0', POPT_ARG_STRING, &ledger, 0, "the ledger; default roofline.ledger", "FILE"},
    {"mix", '\0', POPT_ARG_STRING, &mix_text, 0,
     "what a second --machine would bring, by shares of the time: decode=0.8,prefill=0.2", "LIST"},
    {"users", '\0', POPT_ARG_INT, &users, 0, "concurrent requests: no batch can be larger", "N"},
    {"all", 'a', POPT_ARG_NONE, &all_machines, 0, "show every machine of the catalogue", NULL},
    POPT_TABLEEND};

enum { WORDS_MAX = 64 };

/** The times among the words; the others, the operation first, are kept for the shape. */
static roof_status read_times(const cli_args *args, const char *words[WORDS_MAX], int *count,
                              roof_question *question, roof_error *error) {
  roof_status status = ROOF_OK;
  *count = 0;
  for (int i = 0; i < args->word_count && status == ROOF_OK; i++) {
    bool read = false;
    status = i > 0 ? roof_question_read(question, args->words[i], &read, error) : ROOF_OK;
    if (!read && *count < WORDS_MAX) {
      words[(*count)++] = args->words[i];
    }
  }
  return status;
}

/** Says that a time is meant by a word that is nearer to it than to any parameter; returns `status`, that of the shape. */
static roof_status name_time(const cli_args *args, roof_status status, roof_error *error) {
  const roof_op *op = NULL;
  const char *names[ROOF_PARAM_MAX + 3] = {"measured", "wall"};
  if (status != ROOF_E_NAME || cli_select_op(args, args->words[0], &op, NULL) != ROOF_OK) {
    return status;
  }
  for (int i = 0; i < roof_op_param_count(op); i++) {
    names[i + 2] = op->params[i].name;
  }
  for (int i = 1; i < args->word_count; i++) {
    char key[ROOF_NAME_MAX];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(args->words[i], "="), args->words[i]);
    const char *near = roof_suggest(key, names);
    if (roof_op_param_index(op, key) < 0 && (near == names[0] || near == names[1])) {
      return roof_error_set(error, ROOF_E_NAME, "`%s`: unknown; did you mean `%s`?", key, near);
    }
  }
  return status;
}

/** What the options say of the operation. */
static roof_status read_options(roof_question *question, roof_error *error) {
  if (users != -1 && users < 1) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--users %d: at least 1", users);
  }
  question->users = users > 0 ? users : 0;
  return ROOF_OK;
}

/** What version 0.1 did not seal is unknown, and no other. */
static bool is_other(const char *sealed, const char *asked) {
  return sealed[0] != '\0' && strcmp(sealed, asked) != 0;
}

static roof_status check_label(const cli_advice *a, const roof_reconciled *m, roof_error *error) {
  char parameters[ROOF_PARAMETERS_MAX];
  roof_op_write_values(a->op, a->values, parameters, sizeof parameters);
  bool other = is_other(m->op, a->op->name) || is_other(m->parameters, parameters) ||
               is_other(m->machine, a->target->machine->name) ||
               is_other(m->dtype, roof_dtype_name(a->target->types.compute));
  return other ? roof_error_set(error, ROOF_E_ARGUMENT,
                                "--label %s: of `%s %s --machine %s --dtype %s`, which is not what is asked",
                                label, m->op, m->parameters, m->machine, m->dtype)
               : ROOF_OK;
}

/** The measurement of --label: its time and what was counted. */
static roof_status read_label(const cli_advice *a, roof_question *question, roof_error *error) {
  roof_reconciled m;
  roof_status status = roof_ledger_measured(cli_ledger_name(ledger), label, &m, error);
  status = status == ROOF_OK ? check_label(a, &m, error) : status;
  if (status == ROOF_OK) {
    question->measured_seconds = m.measured_seconds;
    question->counted_bytes = m.counted_bytes;
    memcpy(question->clue, m.clue, sizeof question->clue);
  }
  return status;
}

static roof_status read_counters(roof_question *question, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; counters != NULL && counters[i] != NULL && status == ROOF_OK; i++) {
    roof_clue clue;
    double value;
    status = roof_clue_read(counters[i], &clue, &value, error);
    if (status == ROOF_OK) {
      question->clue[clue] = value;
    }
  }
  return status;
}

static roof_status gather(cli_advice *a, const roof_shape *shape, roof_question *question,
                          roof_error *error) {
  double typed[ROOF_PARAM_MAX];
  roof_shape_typed(shape, 0, typed);
  roof_status status = roof_shape_point(shape, 0, a->values, error);
  status = status == ROOF_OK && label != NULL ? read_label(a, question, error) : status;
  status = status == ROOF_OK ? read_counters(question, error) : status;
  status = status == ROOF_OK ? roof_advise(a->target, a->op, typed, question, &a->advice, error) : status;
  return status == ROOF_OK
             ? roof_catalog_rank(a->target, a->op, a->values, &a->machines, &a->machine_count, error)
             : status;
}

/** The cascade of --to. */
static roof_status draw_losses(const cli_args *args, const cli_advice *a, roof_error *error) {
  roof_losses losses;
  roof_bars *bars = cli_chart_room();
  roof_status status = roof_losses_of(&a->advice, a->target, &losses, error);
  if (status == ROOF_OK) {
    roof_losses_chart(&losses, bars);
    status = cli_chart_bars(args, bars, false, error);
  }
  return status;
}

static roof_status print_answer(const cli_args *args, const cli_advice *a, roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  if (args->file != NULL) {
    return draw_losses(args, a, error);
  }
  if (args->csv) {
    cli_columns_add_csv(&out, cli_advise_levers(a));
  } else if (args->json) {
    status = roof_advice_write(a->target, a->op, a->values, &a->advice, a->machines, a->machine_count, &out,
                               error);
  } else {
    cli_advise_text(a, &out);
  }
  return cli_print_end(&out, status, error);
}

static roof_status advise(const cli_args *args, const roof_shape *shape, roof_question *question,
                          roof_error *error) {
  roof_targets targets;
  roof_status status = read_options(question, error);
  status = status == ROOF_OK ? cli_select_target(args, "advise", &targets, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  cli_advice a = {.target = targets.targets, .op = shape->op, .all_machines = all_machines != 0};
  status = roof_targets_check(&targets, shape, error);
  status = status == ROOF_OK ? gather(&a, shape, question, error) : status;
  status = status == ROOF_OK ? print_answer(args, &a, error) : status;
  free(a.machines);
  roof_targets_done(&targets);
  return status;
}

static roof_status advise_operation(const cli_args *args, roof_error *error) {
  if (args->word_count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "advise: which operation? for instance `roofline advise gemm m=1 n=28672 k=8192 "
                          "--machine h100`, or --mix");
  }
  const char *words[WORDS_MAX];
  roof_shape shape;
  roof_question question = roof_question_init();
  cli_args rest = *args;
  rest.words = words;
  roof_status status = read_times(args, words, &rest.word_count, &question, error);
  status = status == ROOF_OK ? name_time(&rest, cli_select_words(&rest, "advise", "", &shape, error), error)
                             : status;
  if (status != ROOF_OK) {
    return status;
  }
  if (shape.points > 1) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "%s: has several values; advise takes one shape",
                            shape.op->params[shape.axes[0].param].name);
  } else {
    status =
        sets != NULL ? cli_advise_set(args, &shape, sets, error) : advise(args, &shape, &question, error);
  }
  roof_shape_done(&shape);
  return status;
}

/** A whole model has levers of its own: options of a kernel would have no effect. */
static roof_status advise_model(const cli_args *args, roof_error *error) {
  const char *other = counters != NULL ? "counter"
                      : sets != NULL   ? "set"
                      : label != NULL  ? "label"
                      : ledger != NULL ? "ledger"
                      : users != -1    ? "users"
                      : all_machines   ? "all"
                                       : NULL;
  return other != NULL
             ? roof_error_set(error, ROOF_E_ARGUMENT, "--%s: of an operation, not of a whole model", other)
             : cli_whole_advise(args, error);
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_status status = mix_text != NULL     ? cli_advise_mix(args, mix_text, error)
                       : cli_whole_is(args) ? advise_model(args, error)
                                            : advise_operation(args, error);
  char *texts[] = {mix_text, ledger, label};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free(texts[i]);
  }
  cli_args_list_done(counters);
  cli_args_list_done(sets);
  return status;
}

static const cli_effect effects[] = {{.options = "ledger", .without = "label"},
                                     {.options = "set counter label ledger users all", .with = "mix"},
                                     {.options = "counter label ledger users all", .with = "set"},
                                     {0}};

const cli_command cli_cmd_advise = {
    .name = "advise",
    .task = CLI_TASK_ASK,
    .arguments = "OP|MODEL key=value ... [measured=TIME]",
    .summary = "what would make an operation faster, by how much, and what would not",
    .examples =
        "  roofline advise gemm m=1 n=28672 k=8192 --machine h100 --dtype fp16\n"
        "  roofline advise gemv m=8192 n=28672 measured=240us --machine h100 -c sector_use=50%\n"
        "  roofline advise gemv m=8192 n=28672 measured=400us --machine h100 -c active=60% --to losses.svg\n"
        "  roofline advise linear batch=1 in=8192 out=8192 --machine h100 --set batch=64 --set weights=int4\n"
        "  roofline advise llama-3.1-70b tp=4 batch=16 prompt=4k --machine h100\n"
        "  roofline advise --mix decode=0.8,prefill=0.2 --machine h100 --machine h200\n"
        "\n"
        "  wall=TIME, in addition to measured=TIME, is the time of the program part that ran the kernel.\n",
    .writes = "txt json csv svg png pdf html",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL,
    .options = options,
    .effects = effects,
    .run = run,
};
