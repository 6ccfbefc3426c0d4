/* Rooflines of machines with operations placed on them: in the terminal, as SVG or as HTML. */
#include "cli/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grid.h"
#include "roofline/advise.h"
#include "roofline/documents.h"

static int ascii, width, height, arrows, linear;
static const struct poptOption options[] = {
    {"ascii", '\0', POPT_ARG_NONE, &ascii, 0, "only ASCII characters", NULL},
    {"width", '\0', POPT_ARG_INT, &width, 0, "columns of the terminal's chart", "N"},
    {"height", '\0', POPT_ARG_INT, &height, 0, "rows of the terminal's chart, without the legend", "N"},
    {"arrows", '\0', POPT_ARG_NONE, &arrows, 0,
     "join the values of a list, and the kernels of a file, by arrows in the order given", NULL},
    {"linear", '\0', POPT_ARG_NONE, &linear, 0, "linear axes from zero in --to FILE; default: logarithmic",
     NULL},
    POPT_TABLEEND};

/** One operation on one machine: `shape` of `target`, whose series in the chart is `series`. */
typedef struct placing {
  roof_scene *scene;
  const roof_target *target;
  const roof_shape *shape;
  int series;
} placing;

/** "gemm m=8 n=8 k=8": what was typed, or with several points what changes. */
static void name_dot(const placing *p, size_t index, const double *values, char *label, size_t size) {
  roof_text text = {0};
  const roof_op *op = p->shape->op;
  roof_text_add(&text, op->name);
  for (int i = 0; i < roof_op_param_count(op) && p->shape->points == 1; i++) {
    char value[64];
    if (p->shape->typed & 1u << i) {
      roof_text_addf(&text, " %s=%s", op->params[i].name,
                     roof_op_value_text(op, i, values[i], value, sizeof value));
    }
  }
  if (p->shape->points > 1) {
    roof_text_add(&text, " ");
    roof_shape_add_point(&text, p->shape, index, -1);
  }
  snprintf(label, size, "%s", text.data != NULL ? text.data : "");
  roof_text_done(&text);
}

/** Adds a dot, of a measured kernel as it was `placed`; with --arrows one leads to it from the dot before,
 * unless it is the `first`. */
static roof_status add_dot(roof_scene *scene, const roof_scene_dot *dot, const roof_placed *placed,
                           bool first, roof_error *error) {
  if (scene->dot_count == ROOF_SCENE_DOTS) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: a chart holds at most %d dots", dot->label,
                          ROOF_SCENE_DOTS);
  }
  int added = placed != NULL ? roof_scene_add_placed(scene, dot, placed) : roof_scene_add_dot(scene, dot);
  if (added < 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: %s gives it no attainable rate", dot->label,
                          scene->series[dot->series]);
  }
  if (arrows && !first) {
    scene->dots[added - 1].next = added;
  }
  return ROOF_OK;
}

static roof_status place_point(const placing *p, size_t index, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  roof_prediction prediction;
  roof_status status = roof_shape_point(p->shape, index, values, error);
  if (status != ROOF_OK) {
    return status;
  }
  const char *op = p->shape->op->name;
  roof_predict(p->target, p->shape->op, values, &prediction);
  if (!(prediction.work.flops > 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: it does no FLOPs, so it has no place on a roofline",
                          op);
  }
  status = roof_target_supports(p->target, prediction.work.unit, error);
  if (status != ROOF_OK) {
    return status;
  }
  char binding[ROOF_NAME_MAX];
  roof_scene_dot dot = {.intensity = prediction.intensity,
                        .flops_per_second = prediction.attainable,
                        .predicted = true,
                        .series = p->series,
                        .next = -1};
  name_dot(p, index, values, dot.label, sizeof dot.label);
  roof_prediction_binding(&prediction, binding, sizeof binding);
  snprintf(dot.detail, sizeof dot.detail, "%s-bound (%s)", roof_regime_name(prediction.regime), binding);
  /* The last list runs fastest: an arrow follows its values and ends with them. */
  int axes = p->shape->axis_count;
  bool first = axes == 0 || index % p->shape->axes[axes - 1].count == 0;
  return add_dot(p->scene, &dot, NULL, first, error);
}

/** Measured kernels of a file, on the first machine; those without FLOPs or bytes have no place. */
static roof_status place_file(const char *file, const roof_machine *machine, roof_scene *scene,
                              roof_error *error) {
  roof_measurements all = {0};
  roof_ceilings ceilings;
  int placed = 0;
  roof_status status = roof_measurements_read(file, &all, error);
  status = status == ROOF_OK ? roof_ceilings_init(&ceilings, machine, 0, NULL, error) : status;
  for (size_t i = 0; i < all.count && status == ROOF_OK; i++) {
    const roof_measurement *m = &all.list[i];
    roof_placed at;
    roof_scene_dot dot = {
        .intensity = m->flops / m->bytes, .flops_per_second = m->flops / m->seconds, .next = -1};
    if (!(m->flops > 0) || !(m->bytes > 0) || !(m->seconds > 0)) {
      continue;
    }
    snprintf(dot.label, sizeof dot.label, "%.79s", m->label);
    snprintf(dot.detail, sizeof dot.detail, "measured%s%.140s", m->note[0] != '\0' ? ": " : "", m->note);
    roof_place_measurement(&ceilings, m, &at);
    status = add_dot(scene, &dot, &at, placed++ == 0, error);
  }
  if (status == ROOF_OK && placed == 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "%s: no kernel of it has time, FLOPs and bytes", file);
  } else if (status == ROOF_OK && (size_t)placed < all.count) {
    snprintf(scene->subtitle, sizeof scene->subtitle,
             "%d of %zu kernels of %.80s: the others lack FLOPs or bytes", placed, all.count, file);
  }
  roof_measurements_done(&all);
  return status;
}

static bool is_file(const char *word) {
  size_t length = strlen(word);
  return length > 5 && strcmp(word + length - 5, ".json") == 0;
}

/** Places one operation, `words[0]` with its key=value words, on every machine of the chart. */
static roof_status place_op(const cli_args *args, const roof_target *targets, int machines,
                            const char *const *words, int count, roof_scene *scene, roof_error *error) {
  const roof_op *op = NULL;
  roof_shape shape;
  roof_status status = cli_select_op(args, words[0], &op, error);
  if (status == ROOF_OK) {
    status = roof_shape_parse(&shape, op, words + 1, count - 1, NULL, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  for (int i = 0; i < machines && status == ROOF_OK; i++) {
    placing p = {.scene = scene, .target = &targets[i], .shape = &shape, .series = i};
    for (size_t point = 0; point < shape.points && status == ROOF_OK; point++) {
      status = place_point(&p, point, error);
    }
  }
  roof_shape_done(&shape);
  return status;
}

/** A word without `=` begins the next operation, or is a file of measurements. */
static roof_status place_ops(const cli_args *args, const roof_target *targets, int machines,
                             roof_scene *scene, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int start = 0, end = 0; start < args->word_count && status == ROOF_OK; start = end) {
    end = start + 1;
    if (is_file(args->words[start])) {
      status = place_file(args->words[start], targets[0].machine, scene, error);
      continue;
    }
    while (end < args->word_count && strchr(args->words[end], '=') != NULL) {
      end++;
    }
    status = place_op(args, targets, machines, args->words + start, end - start, scene, error);
  }
  return status;
}

static void name_scene(roof_scene *scene, roof_machine *const *machines, int count, roof_dtype dtype) {
  roof_text title = {0};
  for (int i = 0; i < count; i++) {
    const char *name = machines[i]->title[0] != '\0' && count == 1 ? machines[i]->title : machines[i]->name;
    roof_text_addf(&title, "%s%s", i > 0 ? ", " : "", name);
  }
  snprintf(scene->title, sizeof scene->title, "%s: %s roofline", title.data != NULL ? title.data : "",
           roof_dtype_name(dtype));
  roof_text_done(&title);
}

static roof_status fill_scene(const cli_args *args, roof_machine *const *machines, int count,
                              roof_scene *scene, roof_error *error) {
  roof_types types;
  roof_options o = roof_options_default();
  roof_target *targets = calloc((size_t)count, sizeof *targets);
  if (targets == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "plot: out of memory");
  }
  roof_scene_init(scene);
  roof_status status = cli_select_types(args, machines[0], &types, error);
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = roof_target_init(&targets[i], machines[i], &types, &o, error);
    if (status == ROOF_OK) {
      status = roof_scene_add_machine(scene, machines[i], types.compute, error);
    }
  }
  if (count > 1) {
    roof_scene_outline(scene);
  }
  if (status == ROOF_OK) {
    name_scene(scene, machines, count, types.compute);
    status = place_ops(args, targets, count, scene, error);
  }
  free(targets);
  return status;
}

/** One operation at one point on several machines: its dots are told apart by the machine, and the subtitle
 * says once what they are. */
static void name_by_machine(roof_scene *scene) {
  bool alike = scene->dot_count > 1 && scene->series_count > 1;
  for (int i = 1; i < scene->dot_count && alike; i++) {
    alike = strcmp(scene->dots[i].label, scene->dots[0].label) == 0;
  }
  if (!alike) {
    return;
  }
  snprintf(scene->subtitle, sizeof scene->subtitle, "%s", scene->dots[0].label);
  for (int i = 0; i < scene->dot_count; i++) {
    roof_scene_dot *dot = &scene->dots[i];
    snprintf(dot->label, sizeof dot->label, "%s", scene->series[dot->series]);
  }
}

static roof_status write_linear(const char *path, const roof_scene *scene, const roof_table *table,
                                roof_error *error) {
  roof_text svg = {0};
  roof_status status = roof_draw_linear_svg(scene, &svg, error);
  status = status == ROOF_OK ? cli_chart_write_svg(path, scene->title, &svg, table, error) : status;
  roof_text_done(&svg);
  return status;
}

/** Writes the chart, with the dots as the HTML page's table. */
static roof_status write_picture(const cli_args *args, roof_scene *scene, roof_error *error) {
  static const char *const header[] = {"operation", "machine", "intensity (FLOP/byte)", "rate", "limit"};
  enum { COLUMNS = sizeof header / sizeof header[0] };
  cli_grid grid = {0};
  name_by_machine(scene);
  for (int i = 0; i < COLUMNS; i++) {
    cli_grid_add(&grid, "%s", header[i]);
  }
  for (int i = 0; i < scene->dot_count; i++) {
    const roof_scene_dot *dot = &scene->dots[i];
    char rate[32];
    cli_grid_add(&grid, "%s", scene->subtitle[0] != '\0' ? scene->subtitle : dot->label);
    cli_grid_add(&grid, "%s", scene->series[dot->series]);
    cli_grid_add(&grid, "%.4g", dot->intensity);
    cli_grid_add(&grid, "%s", roof_quantity_format(rate, sizeof rate, dot->flops_per_second, "FLOP/s"));
    cli_grid_add(&grid, "%s", dot->detail);
  }
  const char **cells = cli_grid_cells(&grid);
  const roof_table table = {"Operations", cells, COLUMNS, scene->dot_count};
  roof_status status = cells != NULL
                           ? (linear ? write_linear : cli_chart_write)(args->to, scene, &table, error)
                           : roof_error_set(error, ROOF_E_MEMORY, "plot: out of memory");
  free(cells);
  cli_grid_done(&grid);
  return status;
}

static roof_status print_json(const roof_scene *scene, roof_error *error) {
  json_t *roofs = json_array(), *dots = json_array();
  for (int i = 0; i < scene->roof_count; i++) {
    const roof_scene_roof *roof = &scene->roofs[i];
    json_array_append_new(roofs, json_pack("{s:s, s:s, s:s, s:o, s:o}", "machine",
                                           scene->series[roof->series], "label", roof->label, "kind",
                                           roof->style == ROOF_DASHED ? "measured" : "theoretical",
                                           "flops_per_second", rf_json_number(roof->flops_per_second),
                                           "bytes_per_second", rf_json_number(roof->bytes_per_second)));
  }
  for (int i = 0; i < scene->dot_count; i++) {
    const roof_scene_dot *dot = &scene->dots[i];
    json_array_append_new(dots, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "machine",
                                          scene->series[dot->series], "label", dot->label, "intensity",
                                          rf_json_number(dot->intensity), "attainable_flops_per_second",
                                          rf_json_number(dot->predicted ? dot->flops_per_second : NAN),
                                          "measured_flops_per_second",
                                          rf_json_number(dot->predicted ? NAN : dot->flops_per_second),
                                          "next", dot->next >= 0 ? json_integer(dot->next) : json_null()));
  }
  return cli_json_print(
      json_pack("{s:s, s:o, s:o}", "schema", "roofline.plot/1", "roofs", roofs, "dots", dots), error);
}

static void add_csv_row(roof_text *out, const char *what, const char *machine, const char *label,
                        const double numbers[3]) {
  roof_text_addf(out, "%s,", what);
  roof_text_add_csv(out, machine);
  roof_text_add(out, ",");
  roof_text_add_csv(out, label);
  for (int i = 0; i < 3; i++) {
    roof_text_add(out, ",");
    roof_text_add_number(out, numbers[i], 12);
  }
  roof_text_add(out, "\n");
}

static roof_status print_csv(const roof_scene *scene, roof_error *error) {
  roof_text out = {0};
  roof_text_add(&out, "what,machine,label,intensity,flops_per_second,bytes_per_second\n");
  for (int i = 0; i < scene->roof_count; i++) {
    const roof_scene_roof *roof = &scene->roofs[i];
    add_csv_row(&out, roof->style == ROOF_DASHED ? "measured roof" : "roof", scene->series[roof->series],
                roof->label, (const double[]){NAN, roof->flops_per_second, roof->bytes_per_second});
  }
  for (int i = 0; i < scene->dot_count; i++) {
    const roof_scene_dot *dot = &scene->dots[i];
    add_csv_row(&out, dot->predicted ? "predicted" : "measured", scene->series[dot->series], dot->label,
                (const double[]){dot->intensity, dot->flops_per_second, NAN});
  }
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_machine **machines = NULL;
  int count = 0;
  roof_status status = cli_select_machines(args, &machines, &count, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (linear && args->to == NULL) {
    cli_machines_free(machines, count);
    return roof_error_set(error, ROOF_E_ARGUMENT, "--linear: of a drawing: --to FILE.svg, .png or .html");
  }
  roof_scene *scene = malloc(sizeof *scene);
  status = scene != NULL ? fill_scene(args, machines, count, scene, error)
                         : roof_error_set(error, ROOF_E_MEMORY, "plot: out of memory");
  if (status == ROOF_OK) {
    status = args->to != NULL ? write_picture(args, scene, error)
             : args->json     ? print_json(scene, error)
             : args->csv      ? print_csv(scene, error)
                              : cli_chart_print(args, scene, width, height, ascii, error);
  }
  free(scene);
  cli_machines_free(machines, count);
  return status;
}

const cli_command cli_cmd_plot = {
    .name = "plot",
    .arguments = "[OP key=value ... | FILE.json] ...",
    .summary = "rooflines of machines (of several, the outline), with operations and measurements on them",
    .examples = "  roofline plot --machine h100 --machine a100 --dtype fp16\n"
                "  roofline plot gemm m=1,16,256,4096 n=4096 k=4096 --machine h100 --to roofline.svg\n"
                "  roofline plot attention batch=1 heads=32 q_len=2048 kv_len=2048 head_dim=128 \\\n"
                "    algorithm=standard,flash --arrows --machine h100 --to flash.svg\n"
                "  roofline plot results.json --machine host --to results.svg\n"
                "  roofline plot softmax rows=8192 cols=8192 layernorm rows=8192 cols=8192 --machine h100\n",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_FILE,
    .options = options,
    .run = run,
};
