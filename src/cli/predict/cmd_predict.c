/* One operation on one or more machines. */
#include "cli/chart.h"

#include <stdlib.h>

#include "cli/ledger/seal.h"
#include "cli/whole/whole.h"
#include "roofline/explain.h"
#include "roofline/plot.h"

static int explain, seal;
static char *label, *ledger_path, *key_path, *mine;
static const struct poptOption options[] = {
    {"explain", 'e', POPT_ARG_NONE, &explain, 0, "show the arithmetic step by step", NULL},
    {"seal", '\0', POPT_ARG_NONE, &seal, 0, "seal the prediction in the ledger, before anything is measured",
     NULL},
    {"label", '\0', POPT_ARG_STRING, &label, 0,
     "name that its measurement uses; default: operation, parameters and format", "TEXT"},
    {"mine", '\0', POPT_ARG_STRING, &mine, 0,
     "with --seal: your own prediction, a share of the ceiling (70%) or a time, graded by `reconcile`",
     "SHARE|TIME"},
    {"sign", '\0', POPT_ARG_STRING, &key_path, 0,
     "with --seal: sign it with this secret key (`ledger keygen`)", "KEY"},
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "where to seal; default " CLI_DEFAULT_LEDGER, "FILE"},
    POPT_TABLEEND};

/** What is asked: one shape on each of the targets. */
typedef struct question {
  const cli_args *args;
  roof_shape shape;
  double values[ROOF_PARAM_MAX];
  roof_targets targets;
  roof_sealings *sealings; /**< one per target, or NULL */
} question;

static roof_status check_target(const question *q, const roof_target *target, roof_error *error) {
  roof_prediction p;
  roof_sealing s;
  roof_predict(target, q->shape.op, q->values, &p);
  roof_status status = roof_prediction_bounds(target, &p, error);
  if (status == ROOF_OK && q->sealings != NULL) {
    status = roof_prediction_check(target, &p, error); /* what is unknown cannot be sealed */
    status = status == ROOF_OK ? roof_sealing_of(target, q->shape.op, q->values, &p, &s, error) : status;
    status = status == ROOF_OK ? roof_sealings_add(q->sealings, &s, error) : status;
  }
  return status;
}

/** Reads the words, and gathers what is sealed of each prediction. Release *q in any case. */
static roof_status read_question(question *q, roof_error *error) {
  roof_status status = cli_select_words(q->args, "predict", "gemm m=4096 n=4096 k=4096", &q->shape, error);
  if (status == ROOF_OK && q->shape.points > 1) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "%s: has several values; `roofline sweep` takes lists and ranges",
                            q->shape.op->params[q->shape.axes[0].param].name);
  }
  status = status == ROOF_OK ? cli_select_targets(q->args, &q->targets, error) : status;
  status = status == ROOF_OK ? roof_targets_check(&q->targets, &q->shape, error) : status;
  status = status == ROOF_OK ? roof_shape_point(&q->shape, 0, q->values, error) : status;
  for (int i = 0; i < q->targets.count && status == ROOF_OK; i++) {
    status = check_target(q, &q->targets.targets[i], error);
  }
  return status;
}

static void end_question(question *q) {
  roof_targets_done(&q->targets);
  roof_shape_done(&q->shape);
}

roof_status cli_predict_collect(const cli_args *args, roof_sealings *sealings, roof_error *error) {
  if (cli_whole_is(args)) {
    return cli_whole_collect(args, sealings, error);
  }
  question q = {.args = args, .sealings = sealings};
  roof_status status = read_question(&q, error);
  end_question(&q);
  return status;
}

static void add_text(const question *q, roof_text *out) {
  const roof_op *op = q->shape.op;
  roof_prediction p;
  if (q->args->csv) {
    roof_predictions_csv_header(op, out);
  }
  for (int i = 0; i < q->targets.count; i++) {
    const roof_target *target = &q->targets.targets[i];
    roof_predict(target, op, q->values, &p);
    if (q->args->csv) {
      roof_predictions_csv_row(target, op, q->values, &p, out);
      continue;
    }
    const roof_lesson lesson = {target, op, q->shape.values, q->values, p};
    roof_text_add(out, i > 0 ? "\n" RF_MARK_BOLD : RF_MARK_BOLD);
    roof_prediction_sentence(out, target, op, &p);
    roof_text_add(out, RF_MARK_END "\n\n");
    roof_prediction_describe(out, &lesson);
    if (explain) {
      roof_explain_prediction(out, target, op, q->values, &p);
    }
  }
}

static roof_status seal_all(roof_sealings *all, const char *ledger, roof_error *error) {
  roof_status status = ROOF_OK;
  if (label != NULL && all->count > 1) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--label %s: one label, but %zu predictions", label,
                          all->count);
  }
  if (label != NULL) {
    status = roof_sealing_name(&all->list[0], label, error);
  }
  roof_sealings_name_machines(all);
  status = status == ROOF_OK && mine != NULL ? roof_sealings_mine(all, mine, error) : status;
  return status == ROOF_OK ? cli_seal_all(ledger, all, key_path, error) : status;
}

static roof_status draw(const question *q, roof_error *error) {
  roof_scene *scene = cli_chart_room();
  roof_status status = roof_prediction_scene(&q->targets, &q->shape, scene, error);
  roof_scene_label_by_machine(scene);
  return status == ROOF_OK ? cli_chart_write_scene(q->args, scene, false, error) : status;
}

static roof_status answer(const question *q, const char *ledger, roof_text *out, roof_error *error) {
  const roof_sealings *sealed = q->sealings;
  roof_status drawn = cli_chart_is_wanted(q->args) ? cli_chart_or_none(q->args, draw(q, error)) : ROOF_OK;
  if (q->args->file != NULL || drawn != ROOF_OK) {
    return drawn;
  }
  if (q->args->json) {
    return roof_predictions_write(q->targets.targets, q->targets.count, q->shape.op, q->values, sealed, out,
                                  error);
  }
  add_text(q, out);
  for (size_t i = 0; sealed != NULL && i < sealed->count && !q->args->csv; i++) {
    roof_text_addf(out, "  sealed      `%s` in %s\n", sealed->list[i].label, ledger);
  }
  return ROOF_OK;
}

static roof_status run(const cli_args *args, roof_error *error) {
  const char *ledger = cli_ledger_name(ledger_path);
  roof_sealings sealings = {0};
  roof_text out = {0};
  question q = {.args = args, .sealings = seal ? &sealings : NULL};
  roof_status status = ROOF_OK;
  if (cli_whole_is(args)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "`%s` is a whole model: `roofline model` predicts it, `roofline seal` seals it",
                            args->words[0]);
  }
  status = status == ROOF_OK ? read_question(&q, error) : status;
  status = status == ROOF_OK && seal ? seal_all(&sealings, ledger, error) : status;
  status = status == ROOF_OK ? answer(&q, ledger, &out, error) : status;
  status = cli_print_end(&out, status, error);
  end_question(&q);
  roof_sealings_done(&sealings);
  free(label);
  free(mine);
  free(ledger_path);
  free(key_path);
  return status;
}

static const cli_effect effects[] = {{.options = "label ledger mine sign", .without = "seal"}, {0}};

const cli_command cli_cmd_predict = {
    .name = "predict",
    .task = CLI_TASK_ASK,
    .arguments = "OP key=value ...",
    .summary = "how fast one operation can go on a machine, and which ceiling limits it",
    .examples =
        "  roofline predict gemm m=8192 n=28672 k=8192 --machine h100 --dtype fp16\n"
        "  roofline predict gemm m=1 n=28672 k=8192 --machine h100 --weights int4 --group 128 --explain\n"
        "  roofline predict attention batch=1 heads=32 q_len=4096 kv_len=4096 head_dim=128 --machine a100\n"
        "  roofline predict gemm m=4096 n=4096 k=4096 --machine h100 --seal --label ffn\n",
    .writes = "txt json csv svg png pdf html",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_FORMATS | CLI_ARGS_MODEL | CLI_ARGS_PAGE,
    .options = options,
    .effects = effects,
    .run = run,
};
