/* A model over lists and ranges of its settings, precisions and machines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/model/model.h"

enum { BESIDE_MAX = 64, COLUMNS = 6 };

static int compare;
const struct poptOption cli_model_sweep_options[] = {
    {"compare", '\0', POPT_ARG_NONE, &compare, 0, "machines side by side, one row per value", NULL},
    POPT_TABLEEND};

bool cli_model_sweeps(const roof_model_axes *axes, const char *precisions) {
  return compare || axes->count > 0 || (precisions != NULL && strchr(precisions, '/') != NULL);
}

/** The runs, for the page. */
static void add_rows(cli_grid *grid, const roof_model_sweep *s) {
  static const roof_run_figure figures[] = {ROOF_RUN_TTFT, ROOF_RUN_TPOT, ROOF_RUN_DEVICE_RATE};
  static const char *const heads[COLUMNS] = {
      "machine", "values", "TTFT (s)", "TPOT (s)", "tokens/s per device", "memory"};
  for (int i = 0; i < COLUMNS; i++) {
    cli_grid_add(grid, "%s", heads[i]);
  }
  for (size_t i = 0; i < s->count; i++) {
    const roof_model_run *run = &s->runs[i];
    bool possible = run->why[0] == '\0';
    roof_text words = {0};
    roof_model_sweep_add_words(&words, s, run, -1);
    cli_grid_add(grid, "%s", s->machines[run->machine]->name);
    cli_grid_add(grid, "%s", words.data != NULL ? words.data : "");
    for (int f = 0; f < 3; f++) {
      double value = run->figures[figures[f]];
      cli_grid_add(grid, possible && !isnan(value) ? "%.4g" : "", value);
    }
    cli_grid_add(grid, "%s", !possible ? run->why : run->fits ? "fits" : "does not fit");
    roof_text_done(&words);
  }
}

static roof_status draw(const roof_model_sweep *s, const char *path, roof_error *error) {
  cli_grid grid = {0};
  roof_error why = {0};
  roof_curves *chart = calloc(1, sizeof *chart);
  if (chart == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "model: out of memory");
  }
  roof_status status = roof_model_sweep_chart(s, chart, &why);
  if (status != ROOF_OK) {
    roof_error_set(error, status, "--to %s: %s", path, why.message);
  } else {
    add_rows(&grid, s);
    status = cli_chart_write_curves(path, chart, "Runs", &grid, COLUMNS, error);
  }
  cli_grid_done(&grid);
  free(chart);
  return status;
}

static roof_status print(const cli_args *args, const roof_model_sweep *s, roof_error *error) {
  if (args->json || args->csv) {
    return cli_answer_print(args, rf_model_sweep_json(s), error);
  }
  roof_text out = {0};
  cli_model_sweep_text(&out, s, compare != 0);
  roof_status status = cli_print(&out, error);
  roof_text_done(&out);
  return status;
}

roof_status cli_model_sweep(const cli_args *args, const roof_model *model, roof_machine *const *machines,
                            int count, const roof_model_settings *settings, const roof_model_axes *axes,
                            const char *precisions, roof_error *error) {
  roof_model_precisions choices;
  roof_model_sweep s;
  roof_status status = args->to != NULL ? cli_chart_check(args->to, error) : ROOF_OK;
  status = status == ROOF_OK ? roof_model_precisions_parse(precisions, &settings->precision, &choices, error)
                             : status;
  if (status == ROOF_OK && compare && count > BESIDE_MAX) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--compare: at most %d machines", BESIDE_MAX);
  }
  status = status == ROOF_OK
               ? roof_model_sweep_of(model, machines, count, settings, axes, &choices, &s, error)
               : status;
  if (status == ROOF_OK) {
    status = args->to != NULL ? draw(&s, args->to, error) : print(args, &s, error);
    roof_model_sweep_done(&s);
  }
  return status;
}
