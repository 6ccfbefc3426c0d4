/* What would make an operation faster, by how much, and what would not. */
#include "cli/advise/advise.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "roofline/ledger.h"

static const char **counters, **sets;
static char *mix_text, *against, *ledger, *label;
static int all_machines, users = -1; /* -1: not said */

static const struct poptOption options[] = {
    {"set", '\0', POPT_ARG_ARGV, &sets, 0,
     "what if: a parameter, a format, machine=NAME, peak=2x, bandwidth=2x, cost=TIME added per call; "
     "repeatable",
     "KEY=VALUE"},
    {"counter", 'c', POPT_ARG_ARGV, &counters, 0,
     "what a profiler counted, a share: occupancy=0.3; repeatable", "NAME=VALUE"},
    {"label", '\0', POPT_ARG_STRING, &label, 0, "take the measured time of this label from the ledger",
     "LABEL"},
    {"ledger", '\0', POPT_ARG_STRING, &ledger, 0, "the ledger; default roofline.ledger", "FILE"},
    {"mix", '\0', POPT_ARG_STRING, &mix_text, 0, "shares of the time by phase: decode=0.8,prefill=0.2",
     "LIST"},
    {"against", '\0', POPT_ARG_STRING, &against, 0, "the other machine of a mix", "NAME|FILE"},
    {"users", '\0', POPT_ARG_INT, &users, 0, "requests there are at once: batching can bring no more", "N"},
    {"all", 'a', POPT_ARG_NONE, &all_machines, 0, "show every machine of the catalogue", NULL},
    POPT_TABLEEND};

enum { WORDS_MAX = 64 };

/** What was typed: the shape's words, and the times among them. */
typedef struct typed {
  const char *words[WORDS_MAX];
  int count;
  double measured, wall;
} typed;

static roof_status read_time(const char *text, double *seconds, roof_error *error) {
  roof_status status = roof_quantity_parse_unit(text, "s", seconds, error);
  return status == ROOF_OK && !(*seconds > 0)
             ? roof_error_set(error, ROOF_E_ARGUMENT, "%s: a time must be over 0", text)
             : status;
}

static roof_status sort_words(const cli_args *args, typed *t, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 1; i < args->word_count && status == ROOF_OK; i++) {
    const char *word = args->words[i];
    if (strncmp(word, "measured=", 9) == 0) {
      status = read_time(word + 9, &t->measured, error);
    } else if (strncmp(word, "wall=", 5) == 0) {
      status = read_time(word + 5, &t->wall, error);
    } else if (t->count < WORDS_MAX) {
      t->words[t->count++] = word;
    }
  }
  return status;
}

/** Fills *seconds with what the ledger says of a label. */
static roof_status read_ledger(double *seconds, roof_error *error) {
  roof_reconcile all;
  const char *path = ledger != NULL ? ledger : "roofline.ledger";
  roof_status status = roof_ledger_reconcile(path, &all, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = roof_error_set(error, ROOF_E_NAME, "--label %s: %s has no measurement of it", label, path);
  for (size_t i = 0; i < all.count; i++) {
    if (strcmp(all.entries[i].label, label) == 0) {
      *seconds = all.entries[i].measured_seconds;
      status = ROOF_OK;
    }
  }
  roof_reconcile_done(&all);
  return status;
}

/** What the options say of the operation. */
static roof_status read_question(const typed *t, roof_question *question, roof_error *error) {
  roof_status status = ROOF_OK;
  *question = roof_question_init();
  question->measured_seconds = t->measured;
  question->wall_seconds = t->wall;
  question->users = users > 0 ? users : 0;
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

static roof_status gather(cli_advice *a, const roof_shape *shape, const typed *t, roof_error *error) {
  double typed_values[ROOF_PARAM_MAX];
  roof_question question;
  roof_shape_typed(shape, 0, typed_values);
  roof_status status = roof_shape_point(shape, 0, a->values, error);
  status = status == ROOF_OK ? read_question(t, &question, error) : status;
  if (status == ROOF_OK) {
    status = roof_advise(a->target, a->op, typed_values, &question, &a->advice, error);
  }
  return status == ROOF_OK
             ? roof_catalog_rank(a->target, a->op, a->values, &a->machines, &a->machine_count, error)
             : status;
}

static roof_status print_answer(const cli_args *args, const cli_advice *a, roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
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

static roof_status advise(const cli_args *args, const roof_shape *shape, typed *t, roof_error *error) {
  cli_targets targets;
  if (users != -1 && users < 1) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--users %d: at least 1", users);
  }
  roof_status status = label != NULL ? read_ledger(&t->measured, error) : ROOF_OK;
  if (status == ROOF_OK) {
    status = cli_select_targets(args, &targets, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  cli_advice a = {.target = targets.targets, .op = shape->op, .all_machines = all_machines != 0};
  status = targets.count > 1 ? roof_error_set(error, ROOF_E_ARGUMENT, "advise: one machine at a time")
                             : gather(&a, shape, t, error);
  status = status == ROOF_OK ? print_answer(args, &a, error) : status;
  free(a.machines);
  cli_targets_done(&targets);
  return status;
}

static roof_status advise_operation(const cli_args *args, roof_error *error) {
  if (args->word_count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "advise: which operation? for instance `roofline advise gemm m=1 n=28672 k=8192 "
                          "--machine h100`, or --mix");
  }
  const roof_op *op = NULL;
  roof_shape shape;
  typed t = {.measured = NAN, .wall = NAN};
  roof_status status = cli_select_op(args, args->words[0], &op, error);
  status = status == ROOF_OK ? sort_words(args, &t, error) : status;
  status = status == ROOF_OK ? roof_shape_parse(&shape, op, t.words, t.count, NULL, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  if (shape.points > 1) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "%s: has several values; advise takes one shape",
                            op->params[shape.axes[0].param].name);
  } else {
    status = sets != NULL ? cli_advise_set(args, &shape, sets, error) : advise(args, &shape, &t, error);
  }
  roof_shape_done(&shape);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_status status =
      mix_text != NULL ? cli_advise_mix(args, mix_text, against, error) : advise_operation(args, error);
  char *texts[] = {mix_text, against, ledger, label};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    free(texts[i]);
  }
  cli_args_list_done(counters);
  cli_args_list_done(sets);
  return status;
}

const cli_command cli_cmd_advise = {
    .name = "advise",
    .arguments = "OP key=value ... [measured=TIME]",
    .summary = "what would make an operation faster, by how much, and what would not",
    .examples =
        "  roofline advise gemm m=1 n=28672 k=8192 --machine h100 --dtype fp16\n"
        "  roofline advise gemv m=8192 n=28672 measured=240us --machine h100 -c sector_use=50%\n"
        "  roofline advise linear batch=1 in=8192 out=8192 --machine h100 --set batch=64 --set weights=int4\n"
        "  roofline advise --mix decode=0.8,prefill=0.2 --machine h100 --against h200\n"
        "\n"
        "  wall=TIME, in addition to measured=TIME, is the time of the program part that ran the kernel.\n",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL,
    .options = options,
    .run = run,
};
