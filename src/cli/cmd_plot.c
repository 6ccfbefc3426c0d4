/* Rooflines of machines with operations placed on them: in the terminal, as SVG or as HTML. */
#include "cli/chart.h"

#include <string.h>

#include "cli/effects.h"
#include "roofline/plot.h"

static int ascii, height, arrows, linear, isa;
static const struct poptOption options[] = {
    {"ascii", '\0', POPT_ARG_NONE, &ascii, 0, "only ASCII characters", NULL},
    {"height", '\0', POPT_ARG_INT, &height, 0, "rows of the terminal's chart, without the legend", "N"},
    {"arrows", '\0', POPT_ARG_NONE, &arrows, 0,
     "join the values of a list, and the kernels of a file, by arrows in the order given", NULL},
    {"isa", '\0', POPT_ARG_NONE, &isa, 0,
     "every ceiling of the format, by instructions and cores: the lesser roofs too", NULL},
    {"linear", '\0', POPT_ARG_NONE, &linear, 0, "linear axes from zero in --to FILE; default: logarithmic",
     NULL},
    POPT_TABLEEND};

static roof_status answer(const cli_args *args, roof_scene *scene, roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  if (args->file != NULL || !(args->json || args->csv)) {
    roof_scene_thin(scene);
  }
  if (args->file != NULL) {
    return cli_chart_write_scene(args, scene, linear != 0, error);
  }
  if (args->json) {
    status = roof_scene_write(scene, &out, error);
  } else if (args->csv) {
    cli_chart_add_csv(&out, scene);
  } else {
    status = cli_chart_print(scene, args->width, height, ascii, error);
  }
  return cli_print_end(&out, status, error);
}

/** The shares of the kernels of one file. */
/** The machine that a file of measurements names, where it is known; "" otherwise. */
static roof_status name_machine(const char *file, char name[ROOF_NAME_MAX], roof_error *error) {
  roof_measurements all = {0};
  roof_machine *machine = NULL;
  roof_status status = roof_measurements_read(file, &all, error);
  name[0] = '\0';
  if (status == ROOF_OK && all.count > 0 && all.list[0].machine[0] != '\0') {
    status = roof_catalog_load_known(all.list[0].machine, &machine, error);
    snprintf(name, ROOF_NAME_MAX, "%s", machine != NULL ? all.list[0].machine : "");
  }
  roof_machine_free(machine);
  roof_measurements_done(&all);
  return status;
}

/** The machines named, else the one that the files of `words` were measured on, else `host`. */
static roof_status select_machines(const cli_args *args, const char *const *words, int count,
                                   roof_machine ***machines, int *machine_count, roof_error *error) {
  char own[ROOF_NAME_MAX] = "", name[ROOF_NAME_MAX];
  const char *of = NULL;
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && args->machines == NULL && status == ROOF_OK; i++) {
    if (!roof_text_ends_with(words[i], ".json")) {
      continue; /* standard input is read once */
    }
    status = name_machine(words[i], name, error);
    if (status == ROOF_OK && name[0] != '\0' && own[0] != '\0' && strcmp(name, own) != 0) {
      status = roof_error_set(error, ROOF_E_ARGUMENT,
                              "plot: %s was measured on %s, %s on %s: under which ceilings? --machine NAME",
                              of, own, words[i], name);
    }
    if (status == ROOF_OK && name[0] != '\0' && own[0] == '\0') {
      memcpy(own, name, sizeof own);
      of = words[i];
    }
  }
  const char *const one[] = {own, NULL};
  return status != ROOF_OK ? status
         : own[0] != '\0'  ? roof_machines_load(one, machines, machine_count, error)
                           : cli_select_machines(args, machines, machine_count, error);
}

static roof_status make_shares(const cli_args *args, const roof_machine *machine, roof_bars *bars,
                               roof_error *error) {
  roof_measurements all = {0};
  if (args->word_count != 2) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "plot shares: of which file of measurements?");
  }
  roof_status status = roof_measurements_read(args->words[1], &all, error);
  if (args->machines != NULL) {
    roof_measurements_drop_ceilings(&all);
  }
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

/** Charts of what was measured of one machine: bars in the terminal, a curve in a drawing. */
static const struct growth {
  const char *name;
  roof_status (*bars)(const roof_machine *, roof_bars *, roof_error *);
  roof_status (*curves)(const roof_machine *, roof_curves *, roof_error *);
} growths[] = {{"curve", roof_working_set_bars, roof_working_set_chart},
               {"scaling", roof_scaling_bars, roof_scaling_chart},
               {"intensity", roof_intensity_bars, roof_intensity_chart}};

static const struct growth *growth_of(const cli_args *args) {
  for (size_t i = 0; args->word_count > 0 && i < sizeof growths / sizeof growths[0]; i++) {
    if (strcmp(args->words[0], growths[i].name) == 0) {
      return &growths[i];
    }
  }
  return NULL;
}

static roof_status answer_growth(const cli_args *args, const struct growth *g, const roof_machine *machine,
                                 roof_error *error) {
  if (args->file != NULL && cli_is_among("svg png pdf html", args->ending)) {
    roof_curves *curves = cli_chart_room();
    roof_status status = g->curves(machine, curves, error);
    return status == ROOF_OK ? cli_chart_write_curves(args, curves, curves->title, NULL, error) : status;
  }
  roof_bars *bars = cli_chart_room();
  roof_status status = g->bars(machine, bars, error);
  return status == ROOF_OK ? cli_chart_bars(args, bars, ascii != 0, error) : status;
}

/** "plot curve: one machine at a time". */
static roof_status select_one(const char *chart, int count, roof_error *error) {
  char command[32];
  snprintf(command, sizeof command, "plot %s", chart);
  return cli_select_one(command, count, error);
}

static roof_status run_growth(const cli_args *args, const struct growth *g, roof_error *error) {
  roof_machine **machines = NULL;
  int count = 0;
  roof_status status = cli_args_limit_words(args, 1, error);
  status = status == ROOF_OK ? cli_select_machines(args, &machines, &count, error) : status;
  status = status == ROOF_OK ? select_one(g->name, count, error) : status;
  status = status == ROOF_OK ? answer_growth(args, g, machines[0], error) : status;
  roof_machines_free(machines, count);
  return status;
}

static bool begins_with(const cli_args *args, const char *name) {
  return args->word_count > 0 && strcmp(args->words[0], name) == 0;
}

static roof_status make_peaks(const cli_args *args, roof_machine **machines, int count, roof_bars *bars,
                              roof_error *error) {
  bool peaks = begins_with(args, "peaks");
  roof_status status = peaks ? ROOF_OK : select_one(args->words[0], count, error);
  if (status != ROOF_OK) {
    return status;
  }
  if (args->word_count > 1) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "plot %s: `%s`: it takes no more words", args->words[0],
                          args->words[1]);
  }
  return peaks ? roof_peaks_chart(machines, count, bars, error)
               : roof_bandwidths_chart(machines[0], bars, error);
}

/** The charts that are bars; their names are no operations. */
static roof_status run_bars(const cli_args *args, roof_error *error) {
  roof_machine **machines = NULL;
  int count = 0;
  bool losses = begins_with(args, "losses"), shares = begins_with(args, "shares");
  roof_bars *bars = cli_chart_room();
  roof_status status = losses ? make_losses(args, bars, error)
                              : select_machines(args, args->words + 1, shares ? args->word_count - 1 : 0,
                                                &machines, &count, error);
  status = status == ROOF_OK && shares ? select_one("shares", count, error) : status;
  if (status == ROOF_OK && !losses) {
    status =
        shares ? make_shares(args, machines[0], bars, error) : make_peaks(args, machines, count, bars, error);
  }
  status = status == ROOF_OK ? cli_chart_bars(args, bars, ascii != 0, error) : status;
  roof_machines_free(machines, count);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  if (args->word_count > 0 && cli_is_among("peaks bandwidths shares losses", args->words[0])) {
    return run_bars(args, error);
  }
  if (growth_of(args) != NULL) {
    return run_growth(args, growth_of(args), error);
  }
  roof_machine **machines = NULL;
  roof_plot plot = {.formats = args->formats,
                    .dtypes = args->dtypes,
                    .dtype_count = args->dtype_count,
                    .userops = args->userops,
                    .userops_count = args->userops_count,
                    .machine_said = args->machines != NULL,
                    .arrows = arrows != 0};
  roof_status status =
      select_machines(args, args->words, args->word_count, &machines, &plot.machine_count, error);
  if (status == ROOF_OK && linear && args->file == NULL) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--linear: of a drawing: --to FILE.svg, .png or .html");
  }
  plot.machines = machines;
  roof_scene *scene = cli_chart_room();
  bool named = begins_with(args, "ceilings");
  plot.ceilings = named || isa;
  const char *const *words = named ? args->words + 1 : args->words;
  status = status == ROOF_OK ? roof_scene_read(scene, &plot, words, args->word_count - named, error) : status;
  if (status == ROOF_OK && args->file != NULL) {
    roof_scene_label_by_machine(scene);
  }
  status = status == ROOF_OK ? answer(args, scene, error) : status;
  roof_machines_free(machines, plot.machine_count);
  return status;
}

/** What bars do not use. */
#define ROOFLINES "arrows isa linear height dtype weights group accumulate output kv ops"

static const cli_effect effects[] = {{.options = "height ascii", .with = "to"},
                                     {.options = "width height ascii", .with = "json"},
                                     {.options = "width height ascii", .with = "csv"},
                                     {.options = ROOFLINES, .with = "peaks"},
                                     {.options = ROOFLINES, .with = "bandwidths"},
                                     {.options = ROOFLINES, .with = "curve"},
                                     {.options = ROOFLINES, .with = "scaling"},
                                     {.options = ROOFLINES, .with = "intensity"},
                                     {.options = ROOFLINES, .with = "shares"},
                                     {.options = ROOFLINES " machine", .with = "losses"},
                                     {0}};

const cli_command cli_cmd_plot = {
    .name = "plot",
    .task = CLI_TASK_ASK,
    .arguments = "[OP key=value ... | FILE.json | GRAPH [batch=N] | MODEL [key=value ...] | -] ... | "
                 "ceilings ... | peaks | bandwidths | curve | scaling | intensity | "
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
        "  roofline plot ceilings --machine host --dtype fp64 --to ceilings.svg\n"
        "  roofline plot gemm m=n=k=2048 --machine host --isa --to isa.svg\n"
        "  roofline plot curve --machine host\n"
        "  roofline plot scaling --machine host --to scaling.svg\n"
        "  roofline plot intensity --machine host --to ridge.svg\n"
        "  roofline plot peaks --machine a100 --machine h100 --to peaks.svg\n"
        "  roofline plot shares results.json --machine host\n"
        "  roofline plot losses HBM=2039GB/s refresh=1905GB/s kernel=1750GB/s\n",
    .writes = "svg png pdf html json csv txt",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_FORMAT | CLI_ARGS_FORMATS | CLI_ARGS_COLUMNS,
    .options = options,
    .effects = effects,
    .run = run,
};
