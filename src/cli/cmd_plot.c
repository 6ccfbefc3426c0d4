/* Rooflines of machines with operations placed on them: in the terminal, as SVG or as HTML. */
#include "cli/chart.h"
#include "cli/whole/whole.h"

#include "roofline/graphs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/** A scene being filled: the machines' ceilings resolved. */
typedef struct chart {
  const cli_args *args;
  roof_machine **machines;
  roof_target *targets;
  int count;        /**< machines */
  int target_count; /**< and their formats */
  roof_scene *scene;
} chart;

/** Measured kernels of a file, on the first machine. */
static roof_status place_file(const chart *c, const char *file, roof_error *error) {
  roof_measurements all = {0};
  roof_status status = roof_measurements_read(file, &all, error);
  if (status == ROOF_OK) {
    status = roof_scene_add_measurements(c->scene, c->machines[0], 0, all.list, all.count, file, arrows != 0,
                                         error);
  }
  roof_measurements_done(&all);
  return status;
}

/** Places one operation, `words[0]` with its key=value words, on every machine of the chart. */
static roof_status place_op(const chart *c, const char *const *words, int count, roof_error *error) {
  const roof_op *op = NULL;
  roof_shape shape;
  roof_status status = cli_select_op(c->args, words[0], &op, error);
  status = status == ROOF_OK ? roof_shape_parse(&shape, op, words + 1, count - 1, NULL, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  for (int i = 0; i < c->target_count && status == ROOF_OK; i++) {
    status = roof_scene_add_shape(c->scene, &c->targets[i], i, &shape, arrows != 0, error);
  }
  roof_shape_done(&shape);
  return status;
}

/** "resnet50 batch=64": how a workload is distinguished from the same at other sizes. */
static void name_workload(const roof_workload *w, const char *const *words, int count, char *name,
                          size_t size) {
  roof_text text = {0};
  roof_text_add(&text, w->name);
  for (int i = 1; i < count; i++) {
    roof_text_addf(&text, " %s", words[i]);
  }
  snprintf(name, size, "%s", text.data != NULL ? text.data : "");
  roof_text_done(&text);
}

/** The operations of a graph or a list, `words[0]` with the sizes that it leaves open, on the first machine. */
static roof_status place_workload(const chart *c, const char *const *words, int count, roof_error *error) {
  static roof_dimensions sizes;
  char name[64];
  roof_workload w = {0};
  roof_workload_answer a;
  roof_workload_settings s = roof_workload_settings_default();
  roof_workload_reading reading = {.types = c->targets[0].types, .floats = ROOF_DTYPE_COUNT};
  roof_status status = roof_dimensions_parse(words + 1, count - 1, &sizes, error);
  reading.floats = c->args->formats.dtype != NULL ? reading.types.compute : reading.floats;
  reading.dimensions = sizes.list;
  reading.dimension_count = sizes.count;
  status = status == ROOF_OK ? roof_workload_load(words[0], &reading, &w, error) : status;
  status = status == ROOF_OK ? roof_workload_answer_of(&w, c->machines[0], &s, &a, error) : status;
  if (status == ROOF_OK) {
    name_workload(&w, words, count, name, sizeof name);
    status = roof_scene_add_workload(c->scene, c->machines[0], name, &w, &a, arrows != 0, error);
    roof_workload_answer_done(&a);
  }
  roof_workload_done(&w);
  return status;
}

/** A model's run: its settings among the words, and what is asked of them. */
typedef struct run_of_model {
  roof_model model;
  roof_model_settings settings;
  roof_model_target target;
  roof_model_answer answer;
} run_of_model;

static roof_status answer_model(const chart *c, const char *const *words, int count, run_of_model *r,
                                roof_error *error) {
  roof_dtype dtype = c->targets[0].types.compute;
  roof_status status = roof_model_load(words[0], &r->model, error);
  if (status != ROOF_OK) {
    return status;
  }
  r->settings = roof_model_settings_default(&r->model);
  if (c->args->formats.dtype != NULL) {
    roof_model_precision_retype(&r->settings.precision, dtype);
  }
  status = roof_model_settings_read(words + 1, count - 1, &r->settings, NULL, error);
  status = status == ROOF_OK
               ? roof_model_target_init(&r->target, &r->model, c->machines[0], &r->settings, error)
               : status;
  if (status == ROOF_OK) {
    roof_model_answer_of(&r->target, &r->answer);
  }
  return status;
}

/** The phases of a model, `words[0]` with its settings, on the first machine. */
static roof_status place_model(const chart *c, const char *const *words, int count, roof_error *error) {
  run_of_model *r = calloc(1, sizeof *r);
  roof_text name = {0};
  roof_status status = r != NULL ? answer_model(c, words, count, r, error)
                                 : roof_error_set(error, ROOF_E_MEMORY, "plot: out of memory");
  for (int i = 0; i < count; i++) {
    roof_text_addf(&name, "%s%s", i > 0 ? " " : "", words[i]);
  }
  status = status == ROOF_OK ? roof_scene_add_model(c->scene, name.data, &r->answer, error) : status;
  roof_text_done(&name);
  free(r);
  return status;
}

/** A word without `=` begins the next operation, or is a file of measurements, a graph or a list. */
static roof_status place_words(const chart *c, roof_error *error) {
  const cli_args *args = c->args;
  roof_status status = ROOF_OK;
  for (int start = 0, end = 0; start < args->word_count && status == ROOF_OK; start = end) {
    const char *word = args->words[start];
    end = start + 1;
    if (strcmp(word, "-") == 0 || roof_text_ends_with(word, ".json")) {
      status = place_file(c, word, error);
      continue;
    }
    while (end < args->word_count && strchr(args->words[end], '=') != NULL) {
      end++;
    }
    cli_args one = *args;
    one.words = &args->words[start];
    one.word_count = 1;
    status = (roof_workload_is(word) ? place_workload
              : cli_whole_is(&one)   ? place_model
                                     : place_op)(c, args->words + start, end - start, error);
  }
  return status;
}

/** One format of a list: what the machine does not compute in are weights of its usual format. */
static roof_status read_format(const cli_args *args, const roof_machine *machine, const char *name,
                               roof_types *types, roof_error *error) {
  cli_args one = *args;
  one.formats.dtype = name;
  roof_status status = cli_select_types(&one, machine, types, error);
  roof_dtype dtype = types->compute;
  bool native =
      status == ROOF_OK && (roof_machine_peak(machine, dtype, ROOF_MATRIX, false, ROOF_DATASHEET) != NULL ||
                            roof_machine_peak(machine, dtype, ROOF_VECTOR, false, ROOF_DATASHEET) != NULL);
  if (status == ROOF_OK && !native) {
    one.formats.dtype = NULL;
    one.formats.weights = name;
    status = cli_select_types(&one, machine, types, error);
  }
  return status;
}

static roof_status read_formats(const chart *c, roof_types types[ROOF_SCENE_SERIES], roof_error *error) {
  roof_status status = c->args->dtype_count <= ROOF_SCENE_SERIES
                           ? ROOF_OK
                           : roof_error_set(error, ROOF_E_ARGUMENT,
                                            "--dtype: a chart holds at most %d formats", ROOF_SCENE_SERIES);
  for (int i = 0; i < c->args->dtype_count && status == ROOF_OK; i++) {
    status = read_format(c->args, c->machines[0], c->args->dtypes[i], &types[i], error);
  }
  return status;
}

/** Several formats of one machine: a target for each. */
static roof_status fill_formats(chart *c, roof_error *error) {
  roof_types types[ROOF_SCENE_SERIES];
  roof_options o = roof_options_default();
  int count = c->args->dtype_count;
  roof_status status =
      c->count > 1 ? roof_error_set(error, ROOF_E_ARGUMENT, "--dtype: several formats are of one machine")
                   : read_formats(c, types, error);
  roof_target *targets = status == ROOF_OK ? realloc(c->targets, (size_t)count * sizeof *targets) : NULL;
  if (status != ROOF_OK || targets == NULL) {
    return status != ROOF_OK ? status : roof_error_set(error, ROOF_E_MEMORY, "plot: out of memory");
  }
  c->targets = targets;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = roof_target_init(&c->targets[i], c->machines[0], &types[i], &o, error);
  }
  c->target_count = count;
  return status == ROOF_OK ? roof_scene_add_formats(c->scene, c->machines[0], types, count, error) : status;
}

static roof_status fill_machines(chart *c, roof_error *error) {
  roof_types types;
  roof_options o = roof_options_default();
  roof_status status = cli_select_types(c->args, c->machines[0], &types, error);
  for (int i = 0; i < c->count && status == ROOF_OK; i++) {
    status = roof_target_init(&c->targets[i], c->machines[i], &types, &o, error);
  }
  c->target_count = c->count;
  return status == ROOF_OK ? roof_scene_add_machines(c->scene, c->machines, c->count, types.compute, error)
                           : status;
}

static roof_status fill_scene(chart *c, roof_error *error) {
  roof_scene_init(c->scene);
  roof_status status = c->args->dtype_count > 1 ? fill_formats(c, error) : fill_machines(c, error);
  return status == ROOF_OK ? place_words(c, error) : status;
}

/** A roof or a dot: a record of CSV, a dot a row of the page's table too. */
typedef struct record {
  const char *what, *machine, *label, *operation, *limit, *verdict;
  double intensity, flops_per_second, bytes_per_second, ceiling, share;
} record;

static const cli_column columns[] = {
    {.header = "operation", CLI_FIELD(TEXT, record, operation)},
    {.key = "what", CLI_FIELD(TEXT, record, what)},
    {.key = "machine", .header = "machine", CLI_FIELD(TEXT, record, machine)},
    {.key = "label", CLI_FIELD(TEXT, record, label)},
    {.key = "intensity",
     .header = "intensity (FLOP/byte)",
     .digits = 4,
     .csv_digits = 12,
     CLI_FIELD(NUMBER, record, intensity)},
    {.key = "flops_per_second",
     .header = "rate",
     .unit = "FLOP/s",
     .csv_digits = 12,
     CLI_FIELD(NUMBER, record, flops_per_second)},
    {.key = "bytes_per_second", .csv_digits = 12, CLI_FIELD(NUMBER, record, bytes_per_second)},
    {.key = "ceiling_flops_per_second",
     .header = "ceiling",
     .unit = "FLOP/s",
     .csv_digits = 12,
     CLI_FIELD(NUMBER, record, ceiling)},
    {.header = "of ceiling",
     .unit = " %",
     .scale = 100,
     .digits = 1,
     .fixed = true,
     CLI_FIELD(NUMBER, record, share)},
    {.key = "verdict", .header = "verdict", .verdict = true, CLI_FIELD(TEXT, record, verdict)},
    {.header = "limit", CLI_FIELD(TEXT, record, limit)},
    {0},
};

/** All roofs, then all dots; free() them. NULL when out of memory. */
static record *make_records(const roof_scene *scene) {
  record *records = calloc((size_t)(scene->roof_count + scene->dot_count) + 1, sizeof *records);
  for (int i = 0; i < scene->roof_count && records != NULL; i++) {
    const roof_scene_roof *roof = &scene->roofs[i];
    records[i] = (record){.what = roof->style == ROOF_DASHED ? "measured roof" : "roof",
                          .machine = scene->series[roof->series],
                          .label = roof->label,
                          .verdict = "",
                          .intensity = NAN,
                          .ceiling = NAN,
                          .share = NAN,
                          .flops_per_second = roof->flops_per_second,
                          .bytes_per_second = roof->bytes_per_second};
  }
  for (int i = 0; i < scene->dot_count && records != NULL; i++) {
    const roof_scene_dot *dot = &scene->dots[i];
    double ceiling = dot->ceiling_flops_per_second > 0 ? dot->ceiling_flops_per_second : (double)NAN;
    records[scene->roof_count + i] =
        (record){.what = dot->predicted ? "predicted" : "measured",
                 .machine = scene->series[dot->series],
                 .label = dot->label,
                 .operation = scene->subtitle[0] != '\0' ? scene->subtitle : dot->label,
                 .limit = dot->detail,
                 .verdict = dot->predicted         ? "predicted"
                            : dot->verdict != NULL ? dot->verdict
                                                   : "",
                 .ceiling = ceiling,
                 .share = dot->flops_per_second / ceiling,
                 .intensity = dot->intensity,
                 .flops_per_second = dot->flops_per_second,
                 .bytes_per_second = NAN};
  }
  return records;
}

static roof_status answer(const chart *c, roof_error *error) {
  roof_text out = {0};
  record *records = make_records(c->scene);
  roof_status status = ROOF_OK;
  if (records == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "plot: out of memory");
  } else if (c->args->file != NULL) {
    const record *dots = records + c->scene->roof_count;
    status = (linear ? cli_chart_write_linear : cli_chart_write_rows)(
        c->args, c->scene, "Operations", CLI_ROWS(columns, dots, (size_t)c->scene->dot_count), error);
  } else if (c->args->json) {
    status = roof_scene_write(c->scene, &out, error);
  } else if (c->args->csv) {
    cli_columns_add_csv(&out,
                        CLI_ROWS(columns, records, (size_t)(c->scene->roof_count + c->scene->dot_count)));
  } else {
    status = cli_chart_print(c->scene, width, height, ascii, error);
  }
  status = cli_print_end(&out, status, error);
  free(records);
  return status;
}

/** The shares of the kernels of one file. */
static roof_status make_shares(const cli_args *args, const roof_machine *machine, roof_bars *bars,
                               roof_error *error) {
  roof_measurements all = {0};
  if (args->word_count != 2) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "plot shares: of which file of measurements?");
  }
  roof_status status = roof_measurements_read(args->words[1], &all, error);
  status = status == ROOF_OK ? roof_shares_chart(machine, all.list, all.count, bars, error) : status;
  roof_measurements_done(&all);
  return status;
}

static roof_status make_losses(const cli_args *args, roof_bars *bars, roof_error *error) {
  roof_losses losses;
  roof_status status = roof_losses_read(args->words + 1, args->word_count - 1, &losses, error);
  if (status == ROOF_OK) {
    roof_losses_chart(&losses, bars);
  }
  return status;
}

static bool is_bars(const cli_args *args, const char *name) {
  return args->word_count > 0 && strcmp(args->words[0], name) == 0;
}

/** The charts that are bars; their names are no operations. */
static roof_status run_bars(const cli_args *args, roof_error *error) {
  roof_machine **machines = NULL;
  int count = 0;
  bool losses = is_bars(args, "losses");
  roof_bars *bars = calloc(1, sizeof *bars);
  roof_status status =
      bars == NULL ? roof_error_set(error, ROOF_E_MEMORY, "plot: out of memory")
      : losses     ? make_losses(args, bars, error)
      : is_bars(args, "peaks") && args->word_count > 1
          ? roof_error_set(error, ROOF_E_ARGUMENT, "plot peaks: `%s`: it takes no more words", args->words[1])
          : cli_select_machines(args, &machines, &count, error);
  if (status == ROOF_OK && !losses) {
    status = is_bars(args, "peaks") ? roof_peaks_chart(machines, count, bars, error)
                                    : make_shares(args, machines[0], bars, error);
  }
  status = status == ROOF_OK ? cli_chart_bars(args, bars, width, ascii != 0, error) : status;
  cli_machines_free(machines, count);
  free(bars);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  if (is_bars(args, "peaks") || is_bars(args, "shares") || is_bars(args, "losses")) {
    return run_bars(args, error);
  }
  chart c = {.args = args};
  roof_status status = cli_select_machines(args, &c.machines, &c.count, error);
  if (status == ROOF_OK && linear && args->file == NULL) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--linear: of a drawing: --to FILE.svg, .png or .html");
  }
  if (status == ROOF_OK) {
    c.scene = malloc(sizeof *c.scene);
    c.targets = calloc((size_t)c.count, sizeof *c.targets);
    status = c.scene != NULL && c.targets != NULL
                 ? fill_scene(&c, error)
                 : roof_error_set(error, ROOF_E_MEMORY, "plot: out of memory");
  }
  if (status == ROOF_OK && args->file != NULL) {
    roof_scene_label_by_machine(c.scene);
  }
  status = status == ROOF_OK ? answer(&c, error) : status;
  free(c.scene);
  free(c.targets);
  cli_machines_free(c.machines, c.count);
  return status;
}

/** What bars do not use. */
#define ROOFLINES "arrows linear height dtype weights group accumulate output kv ops"

static const cli_effect effects[] = {{.options = "width height ascii", .with = "to"},
                                     {.options = "width height ascii", .with = "json"},
                                     {.options = "width height ascii", .with = "csv"},
                                     {.options = ROOFLINES, .with = "peaks"},
                                     {.options = ROOFLINES, .with = "shares"},
                                     {.options = ROOFLINES " machine", .with = "losses"},
                                     {0}};

const cli_command cli_cmd_plot = {
    .name = "plot",
    .task = CLI_TASK_ASK,
    .arguments = "[OP key=value ... | FILE.json | GRAPH [batch=N] | MODEL [key=value ...] | -] ... | peaks | "
                 "shares FILE | losses "
                 "CAUSE=RATE ...",
    .summary =
        "rooflines of machines, with operations and measurements on them; bars of peaks, shares, losses",
    .examples =
        "  roofline plot --machine h100 --machine a100 --dtype fp16\n"
        "  roofline plot gemm m=1,16,256,4096 n=4096 k=4096 --machine h100 --to roofline.svg\n"
        "  roofline plot attention batch=1 heads=32 q_len=2048 kv_len=2048 head_dim=128 \\\n"
        "    algorithm=standard,flash --arrows --machine h100 --to flash.svg\n"
        "  roofline plot results.json --machine host --to results.svg\n"
        "  roofline plot softmax rows=8192 cols=8192 layernorm rows=8192 cols=8192 --machine h100\n"
        "  roofline plot resnet50.onnx batch=1 resnet50.onnx batch=64 --arrows --machine a100 --to net.svg\n"
        "  roofline plot peaks --machine a100 --machine h100 --to peaks.svg\n"
        "  roofline plot shares results.json --machine host\n"
        "  roofline plot losses HBM=2039GB/s ECC=1905GB/s kernel=1750GB/s\n",
    .writes = "svg png html json csv txt",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_FORMATS,
    .options = options,
    .effects = effects,
    .run = run,
};
