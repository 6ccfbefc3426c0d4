/* Predictions against what others measured. */
#include <stdlib.h>

#include "cli/accuracy/lines.h"
#include "cli/chart.h"
#include "roofline/calibrate.h"

static char *split_name;
static int simulate;
static const struct poptOption options[] = {
    {"split", '\0', POPT_ARG_STRING, &split_name, 0,
     "fit a part of the timings and judge the rest: shape, device (each by the others) or random", "HOW"},
    {"simulate", '\0', POPT_ARG_NONE, &simulate, 0,
     "runs of serving engines event by event, as `serve` does; without it in closed form", NULL},
    POPT_TABLEEND};

/** "TPOT 7.7 % off (median of 1527 runs), TTFT 18.4 %, request 7.8 %; 81.1 % of them inside ...". */
static void add_figures(const roof_accuracy *a, roof_text *out) {
  for (size_t i = 0; i < a->line_count[ROOF_ACCURACY_OPERATION]; i++) {
    const roof_accuracy_line *l = &a->lines[ROOF_ACCURACY_OPERATION][i];
    roof_text_addf(out, "%s%s %.1f %%", i > 0 ? ", " : "", l->name, 100 * l->median);
    if (i == 0) {
      roof_text_addf(out, " off (median of %zu run%s)", l->count, l->count == 1 ? "" : "s");
    }
  }
  roof_text_addf(out, "; %.1f %% of them inside the predicted interval\n", 100 * a->all.inside);
}

static void add_text(const roof_accuracy *a, roof_text *out) {
  if (cli_accuracy_of_runs(a)) {
    add_figures(a, out);
    cli_accuracy_add(a, out);
    return;
  }
  roof_text_addf(out, "%.1f %% off (median of %zu timings), %.1f %% of them inside the predicted interval\n",
                 100 * a->all.median, a->all.count, 100 * a->all.inside);
  cli_accuracy_add(a, out);
}

static roof_status judge(const cli_args *args, const roof_profile *profile, const roof_machine *machine,
                         roof_accuracy *accuracy, roof_error *error) {
  roof_options model;
  roof_split split = ROOF_SPLIT_SHAPE;
  roof_status status = cli_select_options(args, &model, error);
  if (status == ROOF_OK && split_name != NULL) {
    status = roof_split_parse(split_name, &split, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  return split_name != NULL ? roof_accuracy_split(profile, machine, &model, split, accuracy, error)
         : simulate         ? roof_accuracy_simulated(profile, machine, &model, accuracy, error)
                            : roof_accuracy_of(profile, machine, &model, accuracy, error);
}

static roof_status draw(const cli_args *args, const roof_accuracy *accuracy, roof_error *error) {
  roof_curves *chart = cli_chart_room();
  roof_status status = roof_accuracy_chart(accuracy, chart, error);
  if (status == ROOF_OK) {
    status = cli_chart_write_curves(args, chart, "Points", NULL, error);
  }
  return status;
}

/** `machine` may be NULL. */
static roof_status print(const cli_args *args, const roof_profile *profile, const roof_machine *machine,
                         roof_error *error) {
  roof_accuracy accuracy = {0};
  roof_text out = {0};
  roof_status status = judge(args, profile, machine, &accuracy, error);
  if (status == ROOF_OK && args->file != NULL) {
    status = draw(args, &accuracy, error);
  } else if (status == ROOF_OK && args->json) {
    status = roof_accuracy_write(&accuracy, machine, &out, error);
  } else if (status == ROOF_OK) {
    (args->csv ? cli_accuracy_add_csv : add_text)(&accuracy, &out);
  }
  roof_accuracy_done(&accuracy);
  return cli_print_end(&out, status, error);
}

static roof_status run(const cli_args *args, roof_error *error) {
  roof_profile profile = {0};
  roof_machine *machine = NULL;
  roof_status status = cli_timings_import(args, &profile, error);
  if (status == ROOF_OK && args->machines != NULL) {
    status = cli_select_machine(args, "validate", &machine, error);
  }
  status = status == ROOF_OK ? print(args, &profile, machine, error) : status;
  roof_machine_free(machine);
  roof_profile_done(&profile);
  free(split_name);
  return status;
}

const cli_command cli_cmd_validate = {
    .name = "validate",
    .task = CLI_TASK_MEASURE,
    .arguments = "TIMINGS.csv ...",
    .summary =
        "how far predictions are from what others measured: error and coverage by operation, format, size",
    .examples =
        "  roofline validate gemm_h200_sxm.csv\n"
        "  roofline validate linear.csv vec.csv --json\n"
        "  roofline validate gemm_*.csv --split device\n"
        "  roofline validate gemm_*.csv --to measured.svg\n"
        "\n"
        "  A file gives a time and the shape of each operation; `roofline import --list` names the formats.\n"
        "  Each timing is predicted on the machine that the file names, or on --machine.\n",
    .writes = "txt svg png pdf html json csv",
    .groups = CLI_ARGS_MACHINE | CLI_ARGS_MODEL,
    .options = options,
    .run = run,
};
