/* One operation over lists and ranges of its parameters. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/columns.h"
#include "cli/whole/whole.h"
#include "core/number.h"

enum { CELL = ROOF_NAME_MAX, CHUNK = 1 << 20, PROGRESS_STEP = 1 << 15, ROWS_MAX = 40, LINES_MAX = 16 };

/** A sweep, and how it is printed. */
typedef struct job {
  const cli_args *args;
  roof_sweep sweep;
} job;

static void show_progress(const job *j, size_t done) {
  size_t count = j->sweep.count;
  if (count > PROGRESS_STEP && (done % PROGRESS_STEP == 0 || done == count)) {
    cli_show_progress((void *)(uintptr_t)j->args, "points", (int)done, (int)count);
  }
}

/** Shows progress, and prints what `text` holds once it is large. */
static roof_status print_part(void *context, size_t done, roof_text *text, roof_error *error) {
  show_progress(context, done);
  if (!text->failed && text->length < CHUNK) {
    return ROOF_OK;
  }
  roof_status status = cli_print(text, error);
  text->length = 0;
  return status;
}

static roof_status add_csv(job *j, roof_text *out, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_status status = ROOF_OK;
  const roof_op *op = j->sweep.shape->op;
  roof_predictions_csv_header(op, out);
  for (size_t i = 0; i < j->sweep.count && status == ROOF_OK; i++) {
    status = roof_sweep_point(&j->sweep, i, values, &p, error);
    roof_predictions_csv_row(roof_sweep_target(&j->sweep, i), op, values, &p, out);
    status = status == ROOF_OK ? print_part(j, i + 1, out, error) : status;
  }
  return status;
}

/** A row of the table. */
typedef struct row {
  const char *machine;
  char axes[ROOF_PARAM_MAX][CELL];
  char binding[CELL];
  roof_prediction p;
  double ceiling; /**< FLOP/s at the lower bound */
} row;

static const char *intensity(const void *at, char *scratch) {
  double value = ((const row *)at)->p.intensity;
  scratch[0] = '\0';
  if (!isnan(value)) {
    rf_format(scratch, CLI_SCRATCH, value < 1000 ? "%#.4g" : "%.0f", value);
  }
  return scratch;
}

static const cli_column figures[] = {
    {NULL, "FLOP", "FLOP", .rank = 4, .none = "unknown", CLI_FIELD(NUMBER, row, p.work.flops)},
    {NULL, "bytes", "B", .rank = 3, .none = "unknown", CLI_FIELD(NUMBER, row, p.bytes)},
    {NULL, "FLOP/B", .right = true, .text = intensity},
    {NULL, "regime", .rank = 1, CLI_FIELD(REGIME, row, p.regime)},
    {NULL, "binds", CLI_FIELD(NAME, row, binding)},
    {NULL, "attainable", "FLOP/s", .none = "unknown", CLI_FIELD(NUMBER, row, ceiling)},
    {NULL, "lower", "s", .rank = 2, .none = "unknown", CLI_FIELD(NUMBER, row, p.lower_seconds)},
    {NULL, "expected", "s", .none = "unknown", CLI_FIELD(NUMBER, row, p.expected_seconds)},
    {0}};

enum { FIGURES = sizeof figures / sizeof figures[0] };

/** The machine where there are several, the axes, the figures. */
static void name_columns(const roof_sweep *s, char names[ROOF_PARAM_MAX][CELL],
                         cli_column columns[1 + ROOF_PARAM_MAX + FIGURES]) {
  int n = 0;
  if (s->target_count > 1) {
    columns[n++] = (cli_column){.header = "machine", .name = true, CLI_FIELD(TEXT, row, machine)};
  }
  for (int i = 0; i < s->shape->axis_count; i++) {
    columns[n++] = (cli_column){.header = roof_shape_axis_name(s->shape, i, names[i], CELL),
                                .right = true,
                                .kind = CLI_COLUMN_NAME,
                                .offset = offsetof(row, axes) + (size_t)i * CELL};
  }
  cli_columns_copy(figures, columns + n, FIGURES);
}

static roof_status fill_row(const roof_sweep *s, size_t index, row *r, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_status status = roof_sweep_point(s, index, values, &r->p, error);
  if (status != ROOF_OK) {
    return status;
  }
  r->machine = roof_sweep_target(s, index)->machine->name;
  for (int i = 0; i < s->shape->axis_count; i++) {
    int param = s->shape->axes[i].param;
    roof_op_value_text(s->shape->op, param, values[param], r->axes[i], CELL);
  }
  r->ceiling = roof_prediction_ceiling(&r->p);
  roof_prediction_binding(&r->p, r->binding, sizeof r->binding);
  return ROOF_OK;
}

static roof_status add_table(roof_text *out, const roof_sweep *s, roof_error *error) {
  char names[ROOF_PARAM_MAX][CELL];
  cli_column columns[1 + ROOF_PARAM_MAX + FIGURES];
  size_t chosen[ROWS_MAX], count = roof_sweep_select(s, chosen, ROWS_MAX);
  row *rows = calloc(ROWS_MAX, sizeof *rows);
  roof_status status = rows != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "sweep: out of memory");
  bool kept = false;
  for (size_t i = 0; i < count && status == ROOF_OK; i++) {
    status = fill_row(s, chosen[i], &rows[i], error);
    kept = kept || (status == ROOF_OK && roof_prediction_is_kept(&rows[i].p));
  }
  if (status == ROOF_OK) {
    name_columns(s, names, columns);
    cli_columns_add_text(out, CLI_ROWS(columns, rows, count));
    roof_text_add(
        out,
        kept ? "  attainable, lower: where the last cache holds data of a run before; --cold: none\n" : "");
  }
  free(rows);
  if (count < s->count) {
    roof_text_addf(out, "\n  %zu of %zu points; --csv has all\n", count, s->count);
  }
  return status;
}

/** What all points share, "with" where any of it has a name. */
static void add_fixed(roof_text *out, const roof_sweep *s) {
  roof_text fixed = {0};
  roof_sweep_fixed(&fixed, s);
  if (fixed.data != NULL) {
    roof_text_addf(out, "  %s%s\n\n", strncmp(fixed.data, "in ", 3) == 0 ? "" : "with ", fixed.data);
  }
  out->failed = out->failed || fixed.failed;
  roof_text_done(&fixed);
}

static roof_status add_text(job *j, roof_text *out, roof_error *error) {
  const roof_sweep *s = &j->sweep;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_text lines = {0};
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < s->count && status == ROOF_OK; i++) {
    status = roof_sweep_point(s, i, values, &p, error);
    show_progress(j, i + 1);
  }
  if (status != ROOF_OK) {
    return status;
  }
  roof_text_add(out, RF_MARK_BOLD);
  roof_sweep_sentence(out, s);
  roof_text_add(out, RF_MARK_END "\n\n");
  add_fixed(out, s);
  status = add_table(out, s, error);
  roof_text_add(&lines, "\nCrossings\n");
  size_t head = lines.length;
  bool all = roof_sweep_crossings_write(&lines, s, LINES_MAX);
  if (lines.length > head) {
    roof_text_addf(out, "%s%s", lines.data, all ? "" : "  ... --json has all\n");
  }
  roof_text_done(&lines);
  return status;
}

/** The curves of --to. */
static roof_status draw(const job *j, roof_error *error) {
  roof_error why = {0};
  roof_curves *chart = cli_chart_room();
  roof_status status = roof_sweep_chart(&j->sweep, chart, &why);
  if (status != ROOF_OK) {
    roof_error_set(error, status, "--to %s: %s", j->args->to, why.message);
  } else {
    status = cli_chart_write_curves(j->args, chart, "Points", NULL, error);
  }
  return status;
}

static roof_status sweep_shape(const cli_args *args, const roof_shape *shape, roof_error *error) {
  roof_targets machines;
  roof_text out = {0};
  job j = {.args = args};
  roof_status status = cli_select_targets(args, &machines, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = roof_targets_check(&machines, shape, error);
  status =
      status == ROOF_OK ? roof_sweep_init(&j.sweep, shape, machines.targets, machines.count, error) : status;
  if (status == ROOF_OK) {
    status = cli_chart_is_wanted(args) ? cli_chart_or_none(args, draw(&j, error)) : ROOF_OK;
    status = status != ROOF_OK || args->file != NULL ? status
             : args->csv                             ? add_csv(&j, &out, error)
             : args->json                            ? roof_sweep_write(&j.sweep, print_part, &j, &out, error)
                                                     : add_text(&j, &out, error);
    status = cli_print_end(&out, status, error);
    roof_sweep_done(&j.sweep);
  }
  roof_targets_done(&machines);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_shape shape;
  if (cli_whole_is(args)) {
    return roof_error_set(
        error, ROOF_E_ARGUMENT, "`%s` is a whole model: `roofline model %s %s` has a table of its runs",
        args->words[0], args->words[0], args->word_count > 1 ? args->words[1] : "batch=1..256*4");
  }
  roof_status status =
      cli_select_words(args, "sweep", "linear batch=1..1024*2 in=4096 out=4096", &shape, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = sweep_shape(args, &shape, error);
  roof_shape_done(&shape);
  return status;
}

const cli_command cli_cmd_sweep = {
    .name = "sweep",
    .task = CLI_TASK_ASK,
    .arguments = "OP key=values ...",
    .summary = "one operation over lists and ranges; where the limit changes, and the exact critical batch",
    .examples = "  roofline sweep linear batch=1..1024*2 in=4096 out=4096 --machine a100\n"
                "  roofline sweep gemm m=1,16,64..512+64 n=4096 k=4096 --machine h100 --machine a100\n"
                "  roofline sweep gemm m=1..1000000 n=4096 k=4096 --machine h100 --csv\n"
                "  roofline sweep linear batch=1..4096*2 in=out=1024,4096 --machine tpu-v5e --to batch.svg\n"
                "\n"
                "  Values: lists 1,8,64; ranges 1..1024*2 (times 2) and 128..4096+128 (plus 128); "
                "m=n=k=64..8192*2 varies parameters together.\n",
    .writes = "txt json csv svg png pdf html",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_MODEL | CLI_ARGS_PAGE,
    .run = run,
};
