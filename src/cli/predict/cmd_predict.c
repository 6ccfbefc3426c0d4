/* One operation on one or more machines. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ledger/seal.h"
#include "cli/whole/whole.h"
#include "roofline/crossing.h"
#include "roofline/explain.h"

static int explain, seal;
static char *label, *ledger_path, *mine;
static const struct poptOption options[] = {
    {"explain", 'e', POPT_ARG_NONE, &explain, 0, "show the arithmetic step by step", NULL},
    {"seal", '\0', POPT_ARG_NONE, &seal, 0, "seal the prediction in the ledger, before anything is measured",
     NULL},
    {"label", '\0', POPT_ARG_STRING, &label, 0,
     "name that its measurement uses; default: operation, parameters and format", "TEXT"},
    {"mine", '\0', POPT_ARG_STRING, &mine, 0,
     "with --seal: your own prediction, a share of the ceiling (70%) or a time, graded by `reconcile`",
     "SHARE|TIME"},
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "where to seal; default " CLI_DEFAULT_LEDGER, "FILE"},
    POPT_TABLEEND};

enum { SHORT = 48, LINE = 160, BAR = 20 };

static const char *cutoff_words(const roof_target *target) {
  bool assumed = isnan(target->options.overhead_cutoff) && isnan(target->options.launch) &&
                 isnan(target->machine->overhead_cutoff_seconds);
  return assumed ? "the assumed overhead cutoff of " : "the overhead cutoff of ";
}

/** The first line: what stops it and how long it takes. For work too short to matter it says so, because
 * its time is the launch's. */
static void add_answer(roof_text *out, const roof_target *target, const roof_op *op,
                       const roof_prediction *p) {
  char binding[ROOF_NAME_MAX], expected[SHORT], limit[SHORT];
  const char *title = roof_machine_title(target->machine);
  roof_text_addf(out, RF_MARK_BOLD "%s on %s: %s-bound (%s), ", op->name, title, roof_regime_name(p->regime),
                 roof_prediction_binding(p, binding, sizeof binding));
  cli_quantity(expected, p->expected_seconds, "s");
  if (p->regime == ROOF_OVERHEAD_BOUND) {
    double launch = isnan(p->overhead_seconds) ? 0 : p->overhead_seconds, work = p->expected_seconds - launch;
    bool brief = work < target->overhead_cutoff;
    roof_text_addf(out, "about %s", expected);
    if (launch > 0) {
      roof_text_addf(out, ": %s of work", cli_quantity(expected, work, "s"));
    }
    roof_text_addf(out, ", shorter than %s", brief ? cutoff_words(target) : "its launches, ");
    roof_text_add(out, cli_quantity(limit, brief ? target->overhead_cutoff : launch, "s"));
  } else if (p->regime == ROOF_CAPACITY_BOUND) {
    roof_text_addf(out, "it does not fit; about %s if it did", expected);
  } else {
    roof_text_addf(out, "about %s, at best %s", expected, cli_quantity(limit, p->lower_seconds, "s"));
  }
  roof_text_add(out, RF_MARK_END "\n\n");
}

static void add_shape(roof_text *out, const roof_target *target, const roof_op *op, const double *values) {
  roof_text_add(out, "  shape       ");
  for (int i = 0; i < roof_op_param_count(op); i++) {
    char value[64];
    if (roof_op_uses(op, values, i, &target->types)) {
      roof_op_value_text(op, i, values[i], value, sizeof value);
      roof_text_addf(out, "%s=%s ", op->params[i].name, value);
    }
  }
  const roof_types *t = &target->types;
  roof_text_addf(out, "in %s", roof_dtype_name(t->compute));
  if (t->weights != t->compute) {
    roof_text_addf(out, ", weights %s", roof_dtype_name(t->weights));
  }
  if (t->group > 0) {
    roof_text_addf(out, " with a scale per %.0f", t->group);
  }
  if (t->output != t->compute) {
    roof_text_addf(out, ", result %s", roof_dtype_name(t->output));
  }
  roof_text_add(out, "\n");
}

static void add_work(roof_text *out, const roof_target *target, const roof_op *op, const roof_prediction *p) {
  char a[SHORT], b[SHORT], c[SHORT], d[SHORT];
  if (p->bytes > 0 || p->work.flops > 0) {
    roof_text_addf(out, "  work        %s", cli_quantity(a, p->work.flops, "FLOP"));
    if (op->flops_per_element > 0) {
      roof_text_addf(out, " (%g per element)", op->flops_per_element);
    }
    roof_text_addf(out, ", %s moved (", cli_quantity(b, p->bytes, "B"));
    if (p->work.write_bytes > 0) { /* of a user's `bytes =` the part written is unknown */
      roof_text_addf(out, "%s read + %s written, ", cli_quantity(c, p->work.read_bytes, "B"),
                     cli_quantity(d, p->work.write_bytes, "B"));
    }
    roof_text_add(out, "each byte once)\n");
  }
  if (p->work.link_bytes > 0) {
    roof_text_addf(out, "  network     %s over the busiest link in %.0f steps\n",
                   cli_quantity(a, p->work.link_bytes, "B"), p->work.link_steps);
  }
  if (!isnan(target->capacity)) {
    roof_text_addf(out, "  capacity    %s of %s%s\n", roof_bytes_format(a, SHORT, p->work.working_set),
                   roof_bytes_format(b, SHORT, target->capacity),
                   p->work.working_set > target->capacity ? ": it does not fit" : "");
  }
}

/** What becomes of a tile that the innermost level does not hold. */
static void add_tile(roof_text *out, const roof_target *target, const roof_prediction *p) {
  char size[SHORT];
  roof_tile_fit fit = roof_target_tile(target);
  const roof_block_limits *block = roof_block_limits_of(target->machine);
  double most = roof_block_tile(target->machine, &target->types);
  if (target->options.tile > most && !isnan(p->work.no_reuse_bytes)) {
    roof_text_addf(out, "  block       %s of shared memory hold three tiles up to %.0f x %.0f: choose %.0f\n",
                   roof_bytes_format(size, SHORT, block->block_shared), most, most, 32 * floor(most / 32));
  }
  if (fit.too_small == NULL || isnan(p->work.no_reuse_bytes)) {
    return;
  }
  roof_text_addf(out, "  tile        %.0f x %.0f does not fit %s (%s, at most %.0f x %.0f)",
                 target->options.tile, target->options.tile, fit.too_small->name,
                 roof_bytes_format(size, SHORT, fit.too_small->bytes), fit.largest, fit.largest);
  roof_text_addf(out, fit.keeps != NULL ? "; %s keeps it\n" : "; no level keeps it%s\n",
                 fit.keeps != NULL ? fit.keeps->name : "");
}

static void add_intensity(roof_text *out, const roof_prediction *p) {
  char a[SHORT];
  if (!isnan(p->intensity)) {
    roof_ridge_side side = roof_prediction_side(p);
    roof_text_addf(out, "  intensity   %.4g FLOP/B", side.intensity);
    if (!isnan(side.times)) {
      roof_text_addf(out, side.times < 1000 ? ", %.3gx" : ", %.0fx", side.times);
      roof_text_addf(out, " %s of the ridge%s%s (%.4g FLOP/B)", side.right ? "right" : "left",
                     side.inner != NULL ? " of " : "", side.inner != NULL ? side.inner->name : "",
                     side.ridge);
    }
    roof_text_add(out, "\n");
  }
  if (p->work.flops > 0 && p->peak != NULL) {
    roof_text_addf(out, "  attainable  %s", cli_quantity(a, p->attainable, "FLOP/s"));
    roof_text_addf(out, " of %s %s %s %s (%s)\n", cli_quantity(a, p->peak->flops_per_second, "FLOP/s"),
                   roof_dtype_name(p->peak->dtype), roof_unit_name(p->peak->unit),
                   p->peak->sparse ? "2:4 sparse" : "dense", roof_provenance_name(p->peak->kind));
  }
}

/** The rows of times, aligned: `width` fits every name. */
typedef struct bars {
  roof_text *out;
  double longest;
  int width;
} bars;

static void add_time(const bars *b, const char *name, double seconds, const char *note) {
  char text[SHORT], bar[BAR * 3 + 1] = "";
  int filled = seconds > 0 ? (int)ceil(seconds / b->longest * BAR - 1e-9) : 0;
  for (int i = 0; i < filled && i < BAR; i++) {
    strcat(bar, "\xE2\x96\x88");
  }
  cli_quantity(text, seconds, "s");
  int micro = strstr(text, "\xC2\xB5") != NULL; /* two bytes, one column */
  roof_text_addf(b->out, "    %-*s%*s  %s", b->width, name, 10 + micro, text, bar);
  if (note[0] != '\0') {
    roof_text_addf(b->out, "%*s  %s", BAR - filled, "", note);
  }
  roof_text_add(b->out, "\n");
}

static bool is_shown(const roof_level_time *t) {
  return !isnan(t->seconds) && t->bytes > 0;
}

/** Where launches take a part worth naming, the share is of the work alone. */
static void add_expected(roof_text *out, const roof_options *o, const roof_prediction *p) {
  static const double worth_naming = 0.02;
  char a[SHORT];
  bool launches = p->overhead_seconds > worth_naming * p->expected_seconds;
  roof_text_addf(out, "  expected    %s (", cli_quantity(a, p->expected_seconds, "s"));
  roof_text_addf(out,
                 launches ? "the launch, and the work at %.0f %% of its bound)" : "%.0f %% of the bound)",
                 100 * o->efficiency);
  if (o->efficiency_low < o->efficiency_high) {
    roof_text_addf(out, ", from %s (%.0f %%)", cli_quantity(a, p->expected_low_seconds, "s"),
                   100 * o->efficiency_high);
    roof_text_addf(out, " to %s (%.0f %%)", cli_quantity(a, p->expected_high_seconds, "s"),
                   100 * o->efficiency_low);
  }
  roof_text_add(out, "\n");
}

/** "HBM 3.350 TB/s"; names every level that has a bandwidth when it is not the one that binds. */
static void add_times(roof_text *out, const roof_target *target, const roof_prediction *p) {
  char note[LINE], a[SHORT], b[SHORT];
  bars rows = {out, fmax(p->lower_seconds, p->memory_seconds), 10};
  for (int i = 0; i < p->level_count; i++) {
    int length = is_shown(&p->levels[i]) ? (int)strlen(p->levels[i].level->name) : 0;
    rows.width = length > rows.width ? length : rows.width;
  }
  roof_text_add(out, "  time\n");
  if (p->work.flops > 0) {
    add_time(&rows, "compute", p->compute_seconds, p->peak ? "" : "no peak of this format is known");
  }
  for (int i = p->level_count - 1; i >= 0; i--) {
    const roof_level_time *t = &p->levels[i];
    if (is_shown(t)) {
      snprintf(note, sizeof note, "%s at %s", cli_quantity(a, t->bytes, "B"),
               cli_quantity(b, t->bytes / t->seconds, "B/s"));
      add_time(&rows, t->level->name, t->seconds, note);
    }
  }
  if (p->work.link_bytes > 0) {
    add_time(&rows, "network", p->network_seconds, p->link != NULL ? p->link->name : "no link is known");
  }
  if (!isnan(p->overhead_seconds)) {
    bool assumed = isnan(target->options.launch) && target->machine->launch_origin.kind == ROOF_ASSUMED;
    add_time(&rows, "overhead", p->overhead_seconds, assumed ? "launch (assumed)" : "launch");
  }
  roof_text_addf(out, "  bounds      %s (perfect overlap) to %s (no overlap)\n",
                 cli_quantity(a, p->lower_seconds, "s"), cli_quantity(b, p->upper_seconds, "s"));
  add_expected(out, &target->options, p);
}

/** How often it runs in a second, one call after another; what those calls do together where they are a batch. */
static void add_rate(roof_text *out, const roof_op *op, const double *values, const roof_prediction *p) {
  double often = 1 / p->expected_seconds, most = 1 / p->lower_seconds;
  double batch = op->batch != NULL ? values[roof_op_param_index(op, op->batch)] : 1;
  if (!(p->expected_seconds > 0)) {
    return;
  }
  roof_text_addf(out, "  rate        %.*f calls per second, at most %.*f", often < 100, often, most < 100,
                 most);
  if (batch > 1) {
    roof_text_addf(out, "; %.0f per second of %s", batch * often, op->batch);
  }
  roof_text_add(out, "\n");
}

static void add_rest(roof_text *out, const roof_target *target, const roof_op *op, const double *raw,
                     const roof_prediction *p) {
  char a[SHORT];
  double bytes, flops;
  if (p->regime == ROOF_OVERHEAD_BOUND) {
    roof_predict_escape(target, p->work.unit, &bytes, &flops);
    roof_text_addf(out, "  to escape   more than %s", cli_quantity(a, bytes, "B"));
    if (p->work.flops > 0 && !isnan(flops)) {
      roof_text_addf(out, " or %s", cli_quantity(a, flops, "FLOP"));
    }
    roof_text_addf(out, ": that lasts %s\n",
                   cli_quantity(a, fmax(target->overhead_cutoff, target->launch_seconds), "s"));
  }
  if (op->batch != NULL && p->work.flops > 0) {
    roof_crossing crossing;
    roof_crossing_critical(target, op, raw, roof_op_param_index(op, op->batch), &crossing);
    roof_text_add(out, "  critical    ");
    roof_crossing_write(out, op->params[crossing.param].name, &crossing);
    if (crossing.there != crossing.to) {
      roof_text_addf(out, ", still %s-bound", roof_regime_name(crossing.there));
    }
    roof_text_add(out, "\n");
  }
  if (!isnan(p->energy_joules)) {
    roof_text_addf(out, "  energy      %s %s\n", cli_quantity(a, p->energy_joules, "J"),
                   target->costs.power_only ? "at most, at the full board power"
                                            : "from energy per FLOP and byte");
  }
}

static void add_prediction(roof_text *out, const roof_target *target, const roof_shape *shape,
                           const double *values, const roof_prediction *p) {
  add_answer(out, target, shape->op, p);
  add_shape(out, target, shape->op, values);
  add_work(out, target, shape->op, p);
  add_tile(out, target, p);
  add_intensity(out, p);
  add_times(out, target, p);
  add_rate(out, shape->op, values, p);
  add_rest(out, target, shape->op, shape->values, p);
}

/** What is asked: one shape on each of the targets. */
typedef struct question {
  const cli_args *args;
  roof_shape shape;
  double values[ROOF_PARAM_MAX];
  cli_targets targets;
  roof_sealings *sealings; /**< one per target, or NULL */
} question;

static roof_status check_target(const question *q, const roof_target *target, roof_error *error) {
  roof_prediction p;
  roof_sealing s;
  roof_predict(target, q->shape.op, q->values, &p);
  roof_status status = p.work.flops > 0 ? roof_target_supports(target, p.work.unit, error) : ROOF_OK;
  status = status == ROOF_OK ? roof_tile_check(target, &p.work, error) : status;
  if (status == ROOF_OK && q->sealings != NULL) {
    status = roof_sealing_of(target, q->shape.op, q->values, &p, &s, error);
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
  status = status == ROOF_OK ? roof_shape_point(&q->shape, 0, q->values, error) : status;
  for (int i = 0; i < q->targets.count && status == ROOF_OK; i++) {
    status = check_target(q, &q->targets.targets[i], error);
  }
  return status;
}

static void end_question(question *q) {
  cli_targets_done(&q->targets);
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
    cli_csv_add_header(out, op);
  }
  for (int i = 0; i < q->targets.count; i++) {
    const roof_target *target = &q->targets.targets[i];
    roof_predict(target, op, q->values, &p);
    if (q->args->csv) {
      cli_csv_add_row(out, target, op, q->values, &p);
      continue;
    }
    roof_text_add(out, i > 0 ? "\n" : "");
    add_prediction(out, target, &q->shape, q->values, &p);
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
  return status == ROOF_OK ? cli_seal_all(ledger, all, NULL, error) : status;
}

static roof_status answer(const question *q, const char *ledger, roof_text *out, roof_error *error) {
  const roof_sealings *sealed = q->sealings;
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
  const char *ledger = ledger_path != NULL ? ledger_path : CLI_DEFAULT_LEDGER;
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
  return status;
}

static const cli_effect effects[] = {{.options = "label ledger mine", .without = "seal"}, {0}};

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
    .writes = "txt json csv",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_FORMATS | CLI_ARGS_MODEL,
    .options = options,
    .effects = effects,
    .run = run,
};
