/* A call before and after a change. */
#include <math.h>
#include <string.h>

#include "cli/advise/advise.h"
#include "core/number.h"

static const char *cell(const roof_what_if_figure *c, int side, char scratch[CLI_SCRATCH]) {
  if (strcmp(c->unit, "FLOP/B") == 0) { /* a ratio takes no prefix */
    rf_format(scratch, CLI_SCRATCH, "%.4g %s", c->value[side], c->unit);
    return scratch;
  }
  return roof_quantity_format(scratch, CLI_SCRATCH, c->value[side], c->unit);
}

CLI_WORD(before, roof_what_if_figure, cell(r, 0, scratch))
CLI_WORD(after, roof_what_if_figure, cell(r, 1, scratch))

static const char *change(const void *row, char *scratch) {
  const double *v = ((const roof_what_if_figure *)row)->value;
  if (fabs(v[1] - v[0]) <= 1e-12 * fabs(v[0])) {
    return "same";
  }
  rf_format(scratch, CLI_SCRATCH, "%.4gx", v[1] / v[0]);
  return scratch;
}

static const cli_column figures[] = {{NULL, "", CLI_FIELD(TEXT, roof_what_if_figure, name)},
                                     {NULL, "before", .right = true, .text = before},
                                     {NULL, "after", .right = true, .text = after},
                                     {NULL, "change", .right = true, .text = change},
                                     {0}};

static void add_text(roof_text *out, const roof_what_if *x) {
  char a[ROOF_NAME_MAX], b[ROOF_NAME_MAX];
  const roof_prediction *p = x->predictions;
  roof_what_if_figure list[ROOF_WHAT_IF_FIGURES];
  size_t count = roof_what_if_compare(x, list);
  roof_text_addf(out,
                 "%s-bound (%s) before, %s-bound (%s) after: %s runs %.4gx the work in the same time%s\n\n",
                 roof_regime_name(p[0].regime), roof_prediction_binding(&p[0], a, sizeof a),
                 roof_regime_name(p[1].regime), roof_prediction_binding(&p[1], b, sizeof b), x->op->name,
                 x->gain, x->gain < 1 ? ": slower" : "");
  cli_columns_add_text(out, CLI_ROWS(figures, list, count));
  roof_text_addf(out, "\n  moved  %s\n", x->moved);
}

/** The answer as one record. */
typedef struct record {
  const char *set, *moved;
  double gain, before, after;
  roof_regime regime_before, regime_after;
} record;

static const cli_column record_columns[] = {
    {.key = "set", CLI_FIELD(TEXT, record, set)},
    {.key = "before_seconds", CLI_FIELD(NUMBER, record, before)},
    {.key = "after_seconds", CLI_FIELD(NUMBER, record, after)},
    {.key = "before_regime", CLI_FIELD(REGIME, record, regime_before)},
    {.key = "after_regime", CLI_FIELD(REGIME, record, regime_after)},
    {.key = "gain", CLI_FIELD(NUMBER, record, gain)},
    {.key = "moved", CLI_FIELD(TEXT, record, moved)},
    {0}};

static void add_csv(roof_text *out, const roof_what_if *x, const char *const *sets) {
  const roof_prediction *p = x->predictions;
  roof_text set = {0};
  for (int i = 0; sets[i] != NULL; i++) {
    roof_text_addf(&set, "%s%s", i > 0 ? ";" : "", sets[i]);
  }
  const record r = {.set = set.data,
                    .before = p[0].expected_seconds,
                    .after = p[1].expected_seconds,
                    .regime_before = p[0].regime,
                    .regime_after = p[1].regime,
                    .gain = x->gain,
                    .moved = x->moved};
  cli_columns_add_csv(out, CLI_ROWS(record_columns, &r, 1));
  out->failed = out->failed || set.failed;
  roof_text_done(&set);
}

static roof_status print(const cli_args *args, const roof_what_if *x, const char *const *sets,
                         roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  if (args->csv) {
    add_csv(&out, x, sets);
  } else if (args->json) {
    status = roof_what_if_write(x, sets, &out, error);
  } else {
    add_text(&out, x);
  }
  return cli_print_end(&out, status, error);
}

/** The targets after the changes; `args` is what was typed. */
static roof_status select_changed(const cli_args *args, const roof_variation *v, roof_targets *targets,
                                  roof_error *error) {
  const char *machine[] = {v->machine, NULL};
  cli_args changed = *args;
  changed.formats = v->formats;
  changed.machines = v->machine != NULL ? machine : args->machines;
  return cli_select_target(&changed, "advise", targets, error);
}

/** Refuses a format or an option that changes nothing, neither as typed nor with the changes. */
static roof_status refuse_idle(const roof_targets *changed, const roof_target *target, const roof_op *op,
                               const double *before, const double *after, roof_error *error) {
  unsigned idle = changed->typed & ~roof_typed_used(changed->typed, target, op, before);
  idle &= ~roof_typed_used(idle, changed->targets, op, after);
  return roof_typed_refuse(idle, op->name, error);
}

static roof_status compare(const cli_args *args, const roof_shape *shape, const char *const *sets,
                           const roof_target *target, roof_variation *v, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_targets changed;
  roof_what_if x;
  roof_status status = ROOF_OK;
  for (int i = 0; sets[i] != NULL && status == ROOF_OK; i++) {
    status = roof_variation_read(v, shape->op, sets[i], error);
  }
  status = status == ROOF_OK ? roof_op_complete(shape->op, v->values, error) : status;
  status = status == ROOF_OK ? select_changed(args, v, &changed, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  status = roof_shape_point(shape, 0, values, error);
  status = status == ROOF_OK ? refuse_idle(&changed, target, shape->op, values, v->values, error) : status;
  if (status == ROOF_OK) {
    status = roof_what_if_of(target, values, changed.targets, v->values, shape->op, &v->change, &x, error);
  }
  status = status == ROOF_OK ? print(args, &x, sets, error) : status;
  roof_targets_done(&changed);
  return status;
}

roof_status cli_advise_set(const cli_args *args, const roof_shape *shape, const char *const *sets,
                           roof_error *error) {
  roof_targets targets;
  double typed[ROOF_PARAM_MAX];
  roof_status status = cli_select_target(args, "advise", &targets, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_shape_typed(shape, 0, typed);
  roof_variation v = roof_variation_init(&args->formats, typed);
  /* another machine must not change the format on the quiet */
  v.formats.dtype = roof_dtype_name(targets.targets[0].types.compute);
  status = compare(args, shape, sets, targets.targets, &v, error);
  roof_targets_done(&targets);
  return status;
}
