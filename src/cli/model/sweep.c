/* A model over lists and ranges of its settings, precisions and machines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/model/model.h"

enum { MACHINES_MAX = 64 };

static int compare;
const struct poptOption cli_model_sweep_options[] = {
    {"compare", '\0', POPT_ARG_NONE, &compare, 0, "machines side by side, one row per value", NULL},
    POPT_TABLEEND};

bool cli_model_sweeps(const roof_model_axes *axes, const char *precisions) {
  return compare || axes->count > 0 || (precisions != NULL && strchr(precisions, '/') != NULL);
}

/** A run, for the page. */
typedef struct page_row {
  const char *machine, *memory;
  char words[192];
  double ttft, tpot, rate;
} page_row;

#define FIGURE(head, member)                                                                                 \
  { .header = head, .digits = 4, .none = "", CLI_FIELD(NUMBER, page_row, member) }
static const cli_column page_columns[] = {{.header = "machine", CLI_FIELD(TEXT, page_row, machine)},
                                          {.header = "values", .none = "", CLI_FIELD(NAME, page_row, words)},
                                          FIGURE("TTFT (s)", ttft),
                                          FIGURE("TPOT (s)", tpot),
                                          FIGURE("tokens/s per device", rate),
                                          {.header = "memory", CLI_FIELD(TEXT, page_row, memory)},
                                          {0}};

static page_row row_of(const roof_model_sweep *s, const roof_model_run *run) {
  bool possible = run->why[0] == '\0';
  page_row row = {.machine = s->machines[run->machine]->name,
                  .memory = !possible   ? run->why
                            : run->fits ? "fits"
                                        : "does not fit",
                  .ttft = possible ? run->figures[ROOF_RUN_TTFT] : NAN,
                  .tpot = possible ? run->figures[ROOF_RUN_TPOT] : NAN,
                  .rate = possible ? run->figures[ROOF_RUN_DEVICE_RATE] : NAN};
  roof_text words = {0};
  roof_model_sweep_add_words(&words, s, run, -1);
  snprintf(row.words, sizeof row.words, "%s", words.data != NULL ? words.data : "");
  roof_text_done(&words);
  return row;
}

static roof_status draw(const roof_model_sweep *s, const char *path, roof_error *error) {
  roof_error why = {0};
  roof_curves *chart = calloc(1, sizeof *chart);
  page_row *page = calloc(s->count, sizeof *page);
  roof_status status = chart != NULL && page != NULL ? roof_model_sweep_chart(s, chart, &why)
                                                     : roof_error_set(&why, ROOF_E_MEMORY, "out of memory");
  if (status != ROOF_OK) {
    roof_error_set(error, status, "--to %s: %s", path, why.message);
  } else {
    for (size_t i = 0; i < s->count; i++) {
      page[i] = row_of(s, &s->runs[i]);
    }
    status = cli_chart_write_curves(path, chart, "Runs", &CLI_ROWS(page_columns, page, s->count), error);
  }
  free(page);
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
  if (status == ROOF_OK && compare && count > MACHINES_MAX) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--compare: at most %d machines", MACHINES_MAX);
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
