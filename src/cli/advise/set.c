#include "cli/advise/advise.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "cli/grid.h"

enum { SHORT = 48, WORD_MAX = 256, CHANGES_MAX = 16 };

/** Options that a change may name, as they are typed. */
static const struct {
  const char *key;
  size_t at;
} formats[] = {
    {"dtype", offsetof(cli_args, dtype)},   {"weights", offsetof(cli_args, weights)},
    {"group", offsetof(cli_args, group)},   {"accumulate", offsetof(cli_args, accumulate)},
    {"output", offsetof(cli_args, output)}, {"kv", offsetof(cli_args, kv)},
};

/** The case after the changes. */
typedef struct changed {
  cli_args args;
  char words[CHANGES_MAX][WORD_MAX];
  const char *machine[2];
  double values[ROOF_PARAM_MAX];
  roof_change change;
} changed;

static roof_status read_factor(const char *key, char *text, double *factor, roof_error *error) {
  size_t length = strlen(text);
  if (length > 1 && text[length - 1] == 'x') {
    text[length - 1] = '\0';
  }
  roof_status status = roof_quantity_parse(text, factor, error);
  return status == ROOF_OK && !(*factor > 0)
             ? roof_error_set(error, ROOF_E_ARGUMENT, "--set %s=%s: a factor over 0", key, text)
             : status;
}

static roof_status read_cost(const char *text, double *seconds, roof_error *error) {
  roof_error why = {0};
  roof_status status = roof_quantity_parse_unit(text, "s", seconds, &why);
  if (status != ROOF_OK) {
    return roof_error_set(error, status, "--set cost: %s", why.message);
  }
  return status == ROOF_OK && *seconds < 0
             ? roof_error_set(error, ROOF_E_ARGUMENT, "--set cost=%s: must not be negative", text)
             : status;
}

static roof_status set_parameter(const roof_op *op, const char *key, const char *value, changed *c,
                                 roof_error *error) {
  int param = roof_op_param_index(op, key);
  if (param >= 0) {
    return roof_op_value_parse(op, param, value, &c->values[param], error);
  }
  const char *names[ROOF_PARAM_MAX + 16] = {"machine", "peak", "bandwidth", "cost"};
  int count = 4;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    names[count++] = formats[i].key;
  }
  for (int i = 0; i < roof_op_param_count(op); i++) {
    names[count++] = op->params[i].name;
  }
  roof_error_set(error, ROOF_E_NAME,
                 "--set `%s`: neither a format, machine, peak, bandwidth, cost nor a parameter of %s", key,
                 op->name);
  return roof_error_suggest(error, key, names);
}

static roof_status set_one(const roof_op *op, char *word, changed *c, roof_error *error) {
  char *equals = strchr(word, '=');
  if (equals == NULL || equals == word || equals[1] == '\0') {
    return roof_error_set(error, ROOF_E_ARGUMENT, "--set %s: not key=value", word);
  }
  *equals = '\0';
  char *value = equals + 1;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    if (strcmp(word, formats[i].key) == 0) {
      *(char **)((char *)&c->args + formats[i].at) = value;
      return ROOF_OK;
    }
  }
  if (strcmp(word, "machine") == 0) {
    c->machine[0] = value;
    c->args.machines = c->machine;
    return ROOF_OK;
  }
  if (strcmp(word, "peak") == 0 || strcmp(word, "bandwidth") == 0) {
    return read_factor(word, value, strcmp(word, "peak") == 0 ? &c->change.peak : &c->change.bandwidth,
                       error);
  }
  return strcmp(word, "cost") == 0 ? read_cost(value, &c->change.seconds, error)
                                   : set_parameter(op, word, value, c, error);
}

static roof_status read_changes(const roof_shape *shape, const char *const *sets, changed *c,
                                roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; sets[i] != NULL && status == ROOF_OK; i++) {
    if (i == CHANGES_MAX || strlen(sets[i]) >= WORD_MAX) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "--set %.40s: too many changes, or too long", sets[i]);
    }
    strcpy(c->words[i], sets[i]);
    status = set_one(shape->op, c->words[i], c, error);
  }
  return status == ROOF_OK ? roof_op_complete(shape->op, c->values, error) : status;
}

static void add_row(cli_grid *grid, const char *name, const double v[2], const char *unit) {
  if (isnan(v[0]) && isnan(v[1])) {
    return;
  }
  cli_grid_add(grid, "%s", name);
  for (int i = 0; i < 2; i++) {
    char cell[SHORT];
    if (strcmp(unit, "FLOP/B") == 0) {
      cli_grid_add(grid, "%.4g %s", v[i], unit); /* a ratio takes no prefix */
    } else {
      cli_grid_add(grid, "%s", roof_quantity_format(cell, SHORT, v[i], unit));
    }
  }
  if (fabs(v[1] - v[0]) <= 1e-12 * fabs(v[0])) {
    cli_grid_add(grid, "same");
  } else {
    cli_grid_add(grid, "%.4gx", v[1] / v[0]);
  }
}

static void add_numbers(cli_grid *grid, const roof_what_if *x) {
  const roof_prediction *b = &x->predictions[0], *a = &x->predictions[1];
  const roof_target *tb = &x->targets[0], *ta = &x->targets[1];
  const struct {
    const char *name;
    double v[2];
    const char *unit;
  } rows[] = {
      {"FLOPs", {b->work.flops, a->work.flops}, "FLOP"},
      {"bytes", {b->bytes, a->bytes}, "B"},
      {"intensity", {b->intensity, a->intensity}, "FLOP/B"},
      {"peak", {1 / tb->seconds_per_flop[b->work.unit], 1 / ta->seconds_per_flop[a->work.unit]}, "FLOP/s"},
      {"bandwidth",
       {1 / tb->seconds_per_byte[tb->memory][0], 1 / ta->seconds_per_byte[ta->memory][0]},
       "B/s"},
      {"ridge", {b->ridge, a->ridge}, "FLOP/B"},
      {"compute time", {b->compute_seconds, a->compute_seconds}, "s"},
      {"memory time", {b->memory_seconds, a->memory_seconds}, "s"},
      {"at best", {b->lower_seconds, a->lower_seconds}, "s"},
      {"expected", {b->expected_seconds, a->expected_seconds}, "s"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    add_row(grid, rows[i].name, rows[i].v, rows[i].unit);
  }
}

static void write_text(const roof_what_if *x, const roof_op *op, roof_text *out) {
  char a[ROOF_NAME_MAX], b[ROOF_NAME_MAX];
  const roof_prediction *p = x->predictions;
  cli_grid grid = {0};
  roof_text_addf(out,
                 "%s-bound (%s) before, %s-bound (%s) after: %s runs %.4gx the work in the same time%s\n\n",
                 roof_regime_name(p[0].regime), roof_prediction_binding(&p[0], a, sizeof a),
                 roof_regime_name(p[1].regime), roof_prediction_binding(&p[1], b, sizeof b), op->name,
                 x->gain, x->gain < 1 ? ": slower" : "");
  const char *heads[] = {"", "before", "after", "change"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    cli_grid_add(&grid, "%s", heads[i]);
  }
  add_numbers(&grid, x);
  cli_grid_end(&grid, out, "lrrr");
  roof_text_addf(out, "\n  moved  %s\n", x->moved);
}

static roof_status tell(const cli_args *args, const roof_what_if *x, const roof_op *op, const double *before,
                        const double *after, const char *const *sets, roof_error *error) {
  if (args->json || args->csv) {
    json_t *list = json_array();
    for (int i = 0; sets[i] != NULL; i++) {
      json_array_append_new(list, json_string(sets[i]));
    }
    return cli_answer_print(
        args,
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:s}", "schema", "roofline.what_if/1", "set", list, "before",
                  rf_prediction_json(&x->targets[0], op, before, &x->predictions[0]), "after",
                  rf_prediction_json(&x->targets[1], op, after, &x->predictions[1]), "gain",
                  rf_json_number(x->gain), "moved", x->moved),
        error);
  }
  roof_text out = {0};
  write_text(x, op, &out);
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

static roof_status compare(const cli_args *args, const roof_shape *shape, const char *const *sets,
                           const cli_targets *before, const cli_targets *after, const changed *c,
                           roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_what_if x;
  roof_status status = roof_shape_point(shape, 0, values, error);
  status = status == ROOF_OK ? roof_what_if_of(before->targets, values, after->targets, c->values, shape->op,
                                               &c->change, &x, error)
                             : status;
  return status == ROOF_OK ? tell(args, &x, shape->op, values, c->values, sets, error) : status;
}

roof_status cli_advise_set(const cli_args *args, const roof_shape *shape, const char *const *sets,
                           roof_error *error) {
  changed c = {.args = *args, .change = {.peak = 1, .bandwidth = 1}};
  cli_targets before, after;
  char dtype[16];
  roof_shape_typed(shape, 0, c.values);
  roof_status status = cli_select_targets(args, &before, error);
  if (status != ROOF_OK) {
    return status;
  }
  snprintf(dtype, sizeof dtype, "%s", roof_dtype_name(before.targets[0].types.compute));
  c.args.dtype = dtype; /* another machine must not change the format on the quiet */
  status = read_changes(shape, sets, &c, error);
  if (status == ROOF_OK) {
    status = cli_select_targets(&c.args, &after, error);
  }
  if (status == ROOF_OK) {
    status = compare(args, shape, sets, &before, &after, &c, error);
    cli_targets_done(&after);
  }
  cli_targets_done(&before);
  return status;
}
