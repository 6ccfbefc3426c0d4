/* A model over lists and ranges of its settings, precisions and machines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/model/model.h"

enum { MACHINES_MAX = 64 };

static int side_by_side;
const struct poptOption cli_model_sweep_options[] = {
    {"side-by-side", '\0', POPT_ARG_NONE, &side_by_side, 0, "machines side by side, one row per value", NULL},
    POPT_TABLEEND};

bool cli_model_sweeps(const roof_model_axes *axes, const char *precisions) {
  return side_by_side || axes->count > 0 || (precisions != NULL && strchr(precisions, '/') != NULL);
}

/** A run, for the page and as a record. NULL and NaN: it cannot be. */
typedef struct run_row {
  const char *machine, *precision, *fits, *memory, *regime, *why;
  char words[ROOF_RUN_WORDS_MAX];
  double figures[ROOF_RUN_FIGURE_COUNT];
} run_row;

#define FIGURE(name, index)                                                                                  \
  { .key = name, CLI_FIELD(NUMBER, run_row, figures[index]) }
#define SHOWN(name, head, index)                                                                             \
  { .key = name, .header = head, .digits = 4, .none = "", CLI_FIELD(NUMBER, run_row, figures[index]) }
static const cli_column run_columns[] = {
    {.key = "machine", .header = "machine", CLI_FIELD(TEXT, run_row, machine)},
    {.key = "precision", CLI_FIELD(TEXT, run_row, precision)},
    {.key = "values", .header = "values", .none = "", CLI_FIELD(NAME, run_row, words)},
    SHOWN("ttft_seconds", "TTFT (s)", ROOF_RUN_TTFT),
    SHOWN("tpot_seconds", "TPOT (s)", ROOF_RUN_TPOT),
    SHOWN("step_seconds", "step (s)", ROOF_RUN_STEP),
    FIGURE("tokens_per_second", ROOF_RUN_RATE),
    FIGURE("batch_tokens_per_second", ROOF_RUN_BATCH_RATE),
    SHOWN("device_tokens_per_second", "tokens/s per device", ROOF_RUN_DEVICE_RATE),
    FIGURE("prompt_tokens_per_second", ROOF_RUN_PROMPT_RATE),
    FIGURE("joules_per_token", ROOF_RUN_ENERGY),
    FIGURE("price_per_million_tokens", ROOF_RUN_PRICE),
    FIGURE("total_bytes", ROOF_RUN_TOTAL_BYTES),
    FIGURE("spare_bytes", ROOF_RUN_SPARE_BYTES),
    {.key = "fits", CLI_FIELD(TEXT, run_row, fits)},
    {.header = "memory", CLI_FIELD(TEXT, run_row, memory)},
    {.key = "regime", CLI_FIELD(TEXT, run_row, regime)},
    FIGURE("intensity", ROOF_RUN_INTENSITY),
    FIGURE("mfu", ROOF_RUN_MFU),
    FIGURE("mbu", ROOF_RUN_MBU),
    {.key = "why", CLI_FIELD(TEXT, run_row, why)},
    {0}};

static run_row row_of(const roof_model_sweep *s, const roof_model_run *run) {
  bool possible = run->why[0] == '\0';
  run_row row = {.machine = s->machines[run->machine]->name,
                 .precision = s->precisions.names[run->precision]};
  roof_model_run_words(s, run, -1, row.words, sizeof row.words);
  for (int i = 0; i < ROOF_RUN_FIGURE_COUNT; i++) {
    row.figures[i] = possible ? run->figures[i] : NAN;
  }
  if (possible) {
    bool known = !isnan(run->figures[ROOF_RUN_SPARE_BYTES]);
    row.fits = !known ? NULL : run->fits ? "true" : "false";
    row.memory = cli_model_run_memory(run);
    row.regime = roof_regime_name(run->regime);
  } else {
    row.memory = row.why = run->why;
  }
  return row;
}

static void add_csv(roof_text *out, const roof_model_sweep *s) {
  run_row row;
  cli_columns_add_csv(out, CLI_ROWS(run_columns, &row, 0)); /* the header */
  for (size_t i = 0; i < s->count; i++) {
    row = row_of(s, &s->runs[i]);
    cli_columns_add_csv_row(out, run_columns, &row);
  }
}

static roof_status draw(const cli_args *args, const roof_model_sweep *s, roof_error *error) {
  roof_error why = {0};
  roof_curves *chart = cli_chart_room();
  run_row *page = calloc(s->count, sizeof *page);
  roof_status status = page != NULL ? roof_model_sweep_chart(s, chart, &why)
                                    : roof_error_set(&why, ROOF_E_MEMORY, "out of memory");
  if (status != ROOF_OK) {
    roof_error_set(error, status, "--to %s: %s", args->to, why.message);
  } else {
    for (size_t i = 0; i < s->count; i++) {
      page[i] = row_of(s, &s->runs[i]);
    }
    status = cli_chart_write_curves(args, chart, "Runs", &CLI_ROWS(run_columns, page, s->count), error);
  }
  free(page);
  return status;
}

static roof_status print(const cli_args *args, const roof_model_sweep *s, roof_error *error) {
  roof_text out = {0};
  roof_status status = ROOF_OK;
  if (args->csv) {
    add_csv(&out, s);
  } else if (args->json) {
    status = roof_model_sweep_write(s, &out, error);
  } else {
    cli_model_sweep_text(&out, s, side_by_side != 0);
  }
  return cli_print_end(&out, status, error);
}

/** Each machine's price in place of 1. */
static void set_prices(roof_model_sweep *s, const roof_listed_price *prices) {
  for (size_t i = 0; prices != NULL && i < s->count; i++) {
    s->runs[i].figures[ROOF_RUN_PRICE] *= prices[s->runs[i].machine].value;
  }
}

roof_status cli_model_sweep(const cli_args *args, const roof_model *model, roof_machine *const *machines,
                            const roof_listed_price *prices, int count, const roof_model_settings *settings,
                            const roof_model_axes *axes, const char *precisions, roof_error *error) {
  roof_model_precisions choices;
  roof_model_sweep s;
  roof_status status = roof_model_precisions_parse(precisions, &settings->precision, &choices, error);
  if (status == ROOF_OK && side_by_side && count > MACHINES_MAX) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "--side-by-side: at most %d machines", MACHINES_MAX);
  }
  status = status == ROOF_OK
               ? roof_model_sweep_of(model, machines, count, settings, axes, &choices, &s, error)
               : status;
  if (status == ROOF_OK) {
    set_prices(&s, prices);
    status = cli_chart_is_wanted(args) ? cli_chart_or_none(args, draw(args, &s, error)) : ROOF_OK;
    status = status == ROOF_OK && args->file == NULL ? print(args, &s, error) : status;
    roof_model_sweep_done(&s);
  }
  return status;
}
