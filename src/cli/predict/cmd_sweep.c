/* One operation over lists and ranges of its parameters. */
#include "cli/cli.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"
#include "roofline/sweep.h"

enum {
  CELL = ROOF_NAME_MAX,
  CHUNK = 1 << 20,
  PROGRESS_STEP = 1 << 15,
  ROWS_ALL = 40,
  ROWS_SOME = 32,
  LINES_MAX = 16
};

/** A sweep: every machine by every point; `index` counts points within machines. */
typedef struct sweep {
  const cli_args *args;
  const roof_shape *shape;
  const cli_targets *machines;
  unsigned char *regimes; /**< one per index */
  size_t count;
} sweep;

static const roof_target *target_of(const sweep *s, size_t index) {
  return &s->machines->targets[index / s->shape->points];
}

static roof_status predict_point(const sweep *s, size_t index, double *values, roof_prediction *p,
                                 roof_error *error) {
  roof_status status = roof_shape_point(s->shape, index % s->shape->points, values, error);
  if (status == ROOF_OK) {
    roof_predict(target_of(s, index), s->shape->op, values, p);
  }
  return status;
}

/** Every point can be predicted on every machine: found out before anything is written. */
static roof_status check_points(const sweep *s, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_status status = ROOF_OK;
  for (int i = 0; i < s->machines->count && status == ROOF_OK; i++) {
    status = predict_point(s, (size_t)i * s->shape->points, values, &p, error);
    if (status == ROOF_OK && p.work.flops > 0) {
      status = roof_target_supports(&s->machines->targets[i], p.work.unit, error);
    }
  }
  for (size_t i = 0; i < s->shape->points && status == ROOF_OK && s->shape->op->check != NULL; i++) {
    status = roof_shape_point(s->shape, i, values, error);
  }
  return status;
}

static void show_progress(const sweep *s, size_t done) {
  if (s->count > PROGRESS_STEP && (done % PROGRESS_STEP == 0 || done == s->count)) {
    cli_show_progress((void *)(uintptr_t)s->args, "points", (int)done, (int)s->count);
  }
}

/** Prints what `text` holds once it is large, or when `last`. */
static roof_status flush(roof_text *text, bool last, roof_error *error) {
  if (!text->failed && text->length < CHUNK && !last) {
    return ROOF_OK;
  }
  roof_status status = cli_print(text, error);
  text->length = 0;
  return status;
}

static roof_status print_csv(const sweep *s, roof_text *out, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_status status = ROOF_OK;
  cli_csv_add_header(out, s->shape->op);
  for (size_t i = 0; i < s->count && status == ROOF_OK; i++) {
    status = predict_point(s, i, values, &p, error);
    cli_csv_add_row(out, target_of(s, i), s->shape->op, values, &p);
    status = status == ROOF_OK ? flush(out, false, error) : status;
    show_progress(s, i + 1);
  }
  return status == ROOF_OK ? flush(out, true, error) : status;
}

static bool is_count(const sweep *s, int axis) {
  roof_param_kind kind = s->shape->op->params[s->shape->axes[axis].param].kind;
  return kind == ROOF_PARAM_COUNT || kind == ROOF_PARAM_BYTES;
}

/** What receives a crossing on the line of a machine's points that starts at `index`; false: no more
 * wanted. */
typedef bool on_crossing(void *context, const sweep *s, size_t index, const roof_crossing *crossing);

/** The walk over one machine's points. */
typedef struct walk {
  const sweep *sweep;
  size_t first; /**< index of the machine's first point */
  on_crossing *receive;
  void *context;
} walk;

static bool pass_on(void *context, size_t start, const roof_crossing *crossing) {
  const walk *w = context;
  return w->receive(w->context, w->sweep, w->first + start, crossing);
}

/** Every line of points along every axis that counts. */
static void walk_crossings(const sweep *s, on_crossing *receive, void *context) {
  bool more = true;
  for (int axis = 0; axis < s->shape->axis_count; axis++) {
    for (int i = 0; i < s->machines->count && more; i++) {
      walk w = {s, (size_t)i * s->shape->points, receive, context};
      more =
          roof_sweep_crossings(&s->machines->targets[i], s->shape, axis, s->regimes + w.first, pass_on, &w);
    }
  }
}

static json_t *line_parameters(const sweep *s, size_t index, int except) {
  double typed[ROOF_PARAM_MAX];
  roof_shape_typed(s->shape, index % s->shape->points, typed);
  json_t *all = rf_parameters_json(s->shape->op, typed);
  json_t *varying = json_object();
  for (int i = 0; i < s->shape->axis_count; i++) {
    const char *name = s->shape->op->params[s->shape->axes[i].param].name;
    if (s->shape->axes[i].param != except) {
      json_object_set(varying, name, json_object_get(all, name));
    }
  }
  json_decref(all);
  return varying;
}

static bool add_json_crossing(void *context, const sweep *s, size_t index, const roof_crossing *c) {
  roof_text *out = context;
  bool never = isnan(c->value);
  json_t *object = json_pack(
      "{s:s, s:s, s:o, s:s, s:o, s:o, s:s, s:o}", "parameter", s->shape->op->params[c->param].name, "machine",
      target_of(s, index)->machine->name, "value", rf_json_number(c->value), "from",
      roof_regime_name(c->from), "to", never ? json_null() : json_string(roof_regime_name(c->to)), "at",
      rf_json_number(c->at), "why", c->why, "parameters", line_parameters(s, index, c->param));
  roof_text_add(out, out->length > 0 && out->data[out->length - 1] == '}' ? ",\n    " : "\n    ");
  cli_json_add(out, object);
  return true;
}

static roof_status print_json(const sweep *s, roof_text *out, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_status status = ROOF_OK;
  roof_text_add(out, "{\n  \"schema\": \"roofline.sweep/1\",\n  \"points\": [");
  for (size_t i = 0; i < s->count && status == ROOF_OK; i++) {
    status = predict_point(s, i, values, &p, error);
    s->regimes[i] = (unsigned char)p.regime;
    roof_text_add(out, i > 0 ? ",\n    " : "\n    ");
    cli_json_add(out, rf_prediction_json(target_of(s, i), s->shape->op, values, &p));
    status = status == ROOF_OK ? flush(out, false, error) : status;
    show_progress(s, i + 1);
  }
  roof_text_add(out, "\n  ],\n  \"crossings\": [");
  walk_crossings(s, add_json_crossing, out);
  roof_text_add(out, "\n  ]\n}\n");
  return status == ROOF_OK ? flush(out, true, error) : status;
}

/** What the text says of the crossings. */
typedef struct summary {
  roof_text lines;
  roof_text answer; /**< of one line on one machine */
  size_t count;
} summary;

/** What the axis of `param` is called. */
static void name_axis(const roof_shape *shape, int param, char *buffer, size_t size) {
  for (int i = 0; i < shape->axis_count; i++) {
    if (shape->axes[i].param == param) {
      roof_shape_axis_name(shape, i, buffer, size);
    }
  }
}

static bool add_text_crossing(void *context, const sweep *s, size_t index, const roof_crossing *c) {
  summary *out = context;
  if (out->count++ >= LINES_MAX) {
    return false;
  }
  const roof_axis *first = &s->shape->axes[0];
  bool within = c->value >= first->values[0] && c->value <= first->values[first->count - 1];
  char axis[CELL];
  name_axis(s->shape, c->param, axis, sizeof axis);
  if (c->there == c->to) {
    roof_text_add(&out->answer, isnan(c->value) ? "; " : within ? ", " : "; beyond these values ");
    roof_crossing_write(&out->answer, axis, c);
  }
  roof_text_addf(&out->lines, "  %-12s ", axis);
  roof_crossing_write(&out->lines, axis, c);
  roof_text_addf(&out->lines, "%s%s", isnan(c->value) ? "" : ": ", isnan(c->value) ? "" : c->why);
  if (s->shape->axis_count > 1) {
    roof_text_add(&out->lines, "; with ");
    roof_shape_add_point(&out->lines, s->shape, index % s->shape->points, c->param);
  }
  if (s->machines->count > 1) {
    roof_text_addf(&out->lines, "; on %s", target_of(s, index)->machine->name);
  }
  roof_text_add(&out->lines, "\n");
  return true;
}

/** What every point shares. */
static void add_fixed(roof_text *out, const sweep *s) {
  double typed[ROOF_PARAM_MAX];
  roof_shape_typed(s->shape, 0, typed);
  for (int i = 0; i < s->shape->axis_count; i++) {
    typed[s->shape->axes[i].param] = NAN;
  }
  roof_text_add(out, "  with ");
  for (int i = 0; i < roof_op_param_count(s->shape->op); i++) {
    char value[CELL];
    if (!isnan(typed[i])) {
      roof_op_value_text(s->shape->op, i, typed[i], value, sizeof value);
      roof_text_addf(out, "%s=%s ", s->shape->op->params[i].name, value);
    }
  }
  roof_text_addf(out, "in %s\n\n", roof_dtype_name(s->machines->targets[0].types.compute));
}

/** The answer: one line's changes in order, else how many points are bound by what. */
static void add_answer(roof_text *out, const sweep *s, const summary *crossings) {
  const roof_op *op = s->shape->op;
  const roof_machine *machine = s->machines->machines[0];
  char axis[CELL];
  bool color = cli_use_color(s->args, stdout);
  roof_text_addf(out, "%s%s on ", color ? "\033[1m" : "", op->name);
  if (s->machines->count == 1) {
    roof_text_addf(out, "%s: ", roof_machine_title(machine));
  } else {
    roof_text_addf(out, "%d machines, ", s->machines->count);
  }
  if (s->machines->count == 1 && s->shape->axis_count == 1 && is_count(s, 0) &&
      crossings->count <= LINES_MAX) {
    roof_text_addf(out, "%s-bound at %s=%.15g%s", roof_regime_name(s->regimes[0]),
                   roof_shape_axis_name(s->shape, 0, axis, sizeof axis), s->shape->axes[0].values[0],
                   crossings->answer.data != NULL ? crossings->answer.data : "");
  } else {
    size_t counts[ROOF_REGIME_COUNT] = {0};
    for (size_t i = 0; i < s->count; i++) {
      counts[s->regimes[i]]++;
    }
    roof_text_addf(out, "%zu point%s", s->count, s->count == 1 ? "" : "s");
    const char *separator = ": ";
    for (int i = 0; i < ROOF_REGIME_COUNT; i++) {
      if (counts[i] > 0) {
        roof_text_addf(out, "%s%zu %s-bound", separator, counts[i], roof_regime_name((roof_regime)i));
        separator = ", ";
      }
    }
  }
  roof_text_addf(out, "%s\n\n", color ? "\033[0m" : "");
  add_fixed(out, s);
}

/** Chooses rows: all of a short sweep; of a long one the ends, both sides of changes, and some between. */
static size_t choose_rows(const sweep *s, size_t rows[ROWS_ALL]) {
  size_t chosen = 0;
  if (s->count <= ROWS_ALL) {
    while (chosen < s->count) {
      rows[chosen] = chosen;
      chosen++;
    }
    return chosen;
  }
  size_t changes = 0, step = s->count / (ROWS_SOME / 2);
  for (size_t i = 0; i < s->count; i++) {
    bool end = i < 2 || i + 2 >= s->count || i % step == 0;
    bool change = (i > 0 && s->regimes[i] != s->regimes[i - 1]) ||
                  (i + 1 < s->count && s->regimes[i] != s->regimes[i + 1]);
    changes += change;
    if (chosen < ROWS_ALL && (end || (change && changes <= ROWS_SOME / 2))) {
      rows[chosen++] = i;
    }
  }
  return chosen;
}

static void add_header(cli_grid *grid, const sweep *s) {
  static const char *const figures[] = {"FLOP",  "bytes",      "FLOP/B", "regime",
                                        "binds", "attainable", "lower",  "expected"};
  if (s->machines->count > 1) {
    cli_grid_add(grid, "machine");
  }
  for (int i = 0; i < s->shape->axis_count; i++) {
    char axis[CELL];
    cli_grid_add(grid, "%s", roof_shape_axis_name(s->shape, i, axis, sizeof axis));
  }
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
    cli_grid_add(grid, "%s", figures[i]);
  }
}

static void add_quantity(cli_grid *grid, double value, const char *unit) {
  char text[CELL];
  cli_grid_add(grid, "%s", roof_quantity_format(text, sizeof text, value, unit));
}

static void add_row(cli_grid *grid, const sweep *s, size_t index, const double *values,
                    const roof_prediction *p) {
  char text[CELL];
  if (s->machines->count > 1) {
    cli_grid_add(grid, "%s", target_of(s, index)->machine->name);
  }
  for (int i = 0; i < s->shape->axis_count; i++) {
    int param = s->shape->axes[i].param;
    roof_op_value_text(s->shape->op, param, values[param], text, sizeof text);
    cli_grid_add(grid, "%s", text);
  }
  add_quantity(grid, p->work.flops, "FLOP");
  add_quantity(grid, p->bytes, "B");
  if (isnan(p->intensity)) {
    cli_grid_add(grid, "%s", "");
  } else {
    cli_grid_add(grid, p->intensity < 1000 ? "%#.4g" : "%.0f", p->intensity);
  }
  cli_grid_add(grid, "%s", roof_regime_name(p->regime));
  cli_grid_add(grid, "%s", roof_prediction_binding(p, text, sizeof text));
  add_quantity(grid, p->attainable, "FLOP/s");
  add_quantity(grid, p->lower_seconds, "s");
  add_quantity(grid, p->expected_seconds, "s");
}

static roof_status add_table(roof_text *out, const sweep *s, roof_error *error) {
  size_t rows[ROWS_ALL];
  size_t count = choose_rows(s, rows);
  cli_grid grid = {0};
  roof_status status = ROOF_OK;
  add_header(&grid, s);
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    double values[ROOF_PARAM_MAX];
    roof_prediction p;
    status = predict_point(s, rows[i], values, &p, error);
    add_row(&grid, s, rows[i], values, &p);
  }
  char alignment[ROOF_PARAM_MAX + 16] = "";
  snprintf(alignment, sizeof alignment, "%s%.*srrrllrrr", s->machines->count > 1 ? "l" : "",
           s->shape->axis_count, "rrrrrrrrrrrr");
  cli_grid_end(&grid, out, alignment);
  if (count < s->count) {
    roof_text_addf(out, "\n  %zu of %zu points; --csv has all\n", count, s->count);
  }
  return status;
}

static roof_status print_text(const sweep *s, roof_text *out, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < s->count && status == ROOF_OK; i++) {
    status = predict_point(s, i, values, &p, error);
    s->regimes[i] = (unsigned char)p.regime;
    show_progress(s, i + 1);
  }
  if (status != ROOF_OK) {
    return status;
  }
  summary crossings = {0};
  walk_crossings(s, add_text_crossing, &crossings);
  add_answer(out, s, &crossings);
  status = add_table(out, s, error);
  if (crossings.count > 0) {
    roof_text_addf(out, "\nCrossings\n%s", crossings.lines.data != NULL ? crossings.lines.data : "");
    roof_text_add(out, crossings.count > LINES_MAX ? "  ... --json has all\n" : "");
  }
  roof_text_done(&crossings.lines);
  roof_text_done(&crossings.answer);
  return status == ROOF_OK ? cli_print(out, error) : status;
}

static roof_status sweep_shape(const cli_args *args, const roof_shape *shape, roof_error *error) {
  cli_targets machines;
  roof_status status = cli_select_targets(args, &machines, error);
  if (status != ROOF_OK) {
    return status;
  }
  sweep s = {.args = args, .shape = shape, .machines = &machines};
  s.count = shape->points * (size_t)machines.count;
  status = check_points(&s, error);
  s.regimes = status == ROOF_OK && !args->csv ? malloc(s.count) : NULL;
  if (status == ROOF_OK && !args->csv && s.regimes == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "sweep: out of memory");
  }
  roof_text out = {0};
  if (status == ROOF_OK) {
    status = args->csv    ? print_csv(&s, &out, error)
             : args->json ? print_json(&s, &out, error)
                          : print_text(&s, &out, error);
  }
  roof_text_done(&out);
  free(s.regimes);
  cli_targets_done(&machines);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  if (args->word_count == 0) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT,
        "sweep: which operation? for instance `roofline sweep linear batch=1..1024*2 in=4096 "
        "out=4096`; `roofline op list` shows all");
  }
  const roof_op *op = NULL;
  roof_shape shape;
  roof_status status = cli_select_op(args, args->words[0], &op, error);
  if (status == ROOF_OK) {
    status = roof_shape_parse(&shape, op, args->words + 1, args->word_count - 1, NULL, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  status = sweep_shape(args, &shape, error);
  roof_shape_done(&shape);
  return status;
}

const cli_command cli_cmd_sweep = {
    .name = "sweep",
    .arguments = "OP key=values ...",
    .summary = "one operation over lists and ranges; where the limit changes, and the exact critical batch",
    .examples = "  roofline sweep linear batch=1..1024*2 in=4096 out=4096 --machine a100\n"
                "  roofline sweep gemm m=1,16,64..512+64 n=4096 k=4096 --machine h100 --machine a100\n"
                "  roofline sweep gemm m=1..1000000 n=4096 k=4096 --machine h100 --csv\n"
                "\n"
                "  Values: lists 1,8,64; ranges 1..1024*2 (times 2) and 128..4096+128 (plus 128); "
                "m=n=k=64..8192*2 varies\n"
                "  parameters together.\n",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL,
    .run = run,
};
