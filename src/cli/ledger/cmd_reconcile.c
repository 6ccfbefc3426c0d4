/* What was sealed compared with what was measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/accuracy/fits.h"
#include "cli/chart.h"
#include "cli/ledger/seal.h"
#include "core/number.h"

enum { RAN_MAX = ROOF_NAME_MAX + ROOF_PARAMETERS_MAX + 24 };

static char *ledger_path;
static int calibrated, latest, strict;

static const struct poptOption options[] = {
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "default " CLI_DEFAULT_LEDGER, "FILE"},
    {"calibrate", '\0', POPT_ARG_NONE, &calibrated, 0,
     "also fit the constants of the effects to what was measured, and show what would change", NULL},
    {"latest", '\0', POPT_ARG_NONE, &latest, 0, "the last prediction of a label counts, not the first", NULL},
    {"strict", '\0', POPT_ARG_NONE, &strict, 0,
     "exit 1 also for what a sceptic asks about: predicted again, by hand, another machine, a clock that was "
     "set",
     NULL},
    POPT_TABLEEND};

/** An entry, what the columns with a header say, and why. */
typedef struct row {
  roof_reconciled of; /**< first, so that an entry alone is a row to those columns */
  char because[sizeof((roof_why *)0)->sentence];
  char causes[512]; /**< their names */
} row;

/** "memory (L2)". */
CLI_WORD(regime_of, roof_reconciled, cli_column_say(scratch, "%s (%s)", r->regime, r->binding))

/** "memory (L2), 82.9 %": what the counters say, with the share of that roof, or of the time. */
static const char *seen_of(const void *at, char scratch[CLI_SCRATCH]) {
  const roof_seen *seen = &((const roof_reconciled *)at)->seen;
  const char *regime = roof_regime_name(seen->regime);
  if (seen->resource == NULL) {
    return "not counted";
  }
  bool other = strcmp(seen->resource, regime) != 0;
  rf_format(scratch, CLI_SCRATCH, "%s%s%s%s, %.1f %%", regime, other ? " (" : "", other ? seen->resource : "",
            other ? ")" : "", 100 * seen->share);
  return scratch;
}

CLI_WORD(gap_of, roof_reconciled,
         cli_column_say(scratch, fabs(r->gap_points) < 1e6 ? "%.1f %s" : "%.3g %s", fabs(r->gap_points),
                        r->gap_points >= 0 ? "below" : "above"))

static const char *result_of(const void *at, char scratch[CLI_SCRATCH]) {
  const roof_reconciled *r = at;
  const char *result = r->impossible[0] != '\0' ? "error" : r->done ? "done" : r->verdict;
  snprintf(scratch, CLI_SCRATCH, "%s%s%s%s%s%s", result, r->unsealed ? ", unsealed" : "",
           r->superseded > 0 ? ", re-predicted" : "",
           strcmp(r->origin, roof_sealing_origin_name(ROOF_SEALING_HAND)) == 0 ? ", by hand" : "",
           r->differs[0] != '\0' ? ", other " : "", r->differs);
  return scratch;
}

CLI_WORD(measured_regime_of, roof_reconciled,
         r->seen.resource != NULL ? roof_regime_name(r->seen.regime) : NULL)
CLI_VALUE(measured_share_of, roof_reconciled, r->seen.resource != NULL ? r->seen.share : NAN)

#define NUMBER(name, member)                                                                                 \
  { .key = (name), CLI_FIELD(NUMBER, row, of.member) }
static const cli_column columns[] = {
    {.key = "label", .header = "kernel", .name = true, CLI_FIELD(NAME, row, of.label)},
    {.key = "prediction", CLI_FIELD(SIZE, row, of.prediction)},
    {.key = "measurement", CLI_FIELD(SIZE, row, of.measurement)},
    {.key = "unsealed", CLI_FIELD(FLAG, row, of.unsealed)},
    {.key = "origin", CLI_FIELD(NAME, row, of.origin)},
    {.key = "differs", CLI_FIELD(NAME, row, of.differs)},
    {.key = "options", CLI_FIELD(NAME, row, of.typed)},
    {.key = "superseded", CLI_FIELD(SIZE, row, of.superseded)},
    {.key = "after_measurement", CLI_FIELD(SIZE, row, of.after_measurement)},
    {.key = "predicted_seconds",
     .header = "predicted",
     .unit = "s",
     CLI_FIELD(NUMBER, row, of.predicted_seconds)},
    {.key = "measured_seconds",
     .header = "measured",
     .unit = "s",
     CLI_FIELD(NUMBER, row, of.measured_seconds)},
    {.key = "taken_from", .header = "time from", .rank = 7, .none = "", CLI_FIELD(NAME, row, of.taken_from)},
    NUMBER("mine_seconds", mine_seconds),
    NUMBER("mine_error", mine_error),
    {.key = "guesses", CLI_FIELD(SIZE, row, of.guesses)},
    {.key = "machine_changed", CLI_FIELD(FLAG, row, of.machine_changed)},
    NUMBER("lower_seconds", lower_seconds),
    NUMBER("upper_seconds", upper_seconds),
    {.key = "regime", CLI_FIELD(NAME, row, of.regime)},
    {.header = "regime", .rank = 5, .text = regime_of},
    {.key = "binding", CLI_FIELD(NAME, row, of.binding)},
    {.key = "measured_regime", .text = measured_regime_of},
    {.header = "counted", .rank = 6, .text = seen_of},
    {.key = "measured_fraction", .number = measured_share_of},
    NUMBER("fraction_of_ceiling", fraction_of_ceiling),
    NUMBER("expected_fraction", expected_fraction),
    {.key = "theoretical_fraction",
     .header = "theoretical",
     .rank = 4,
     CLI_PERCENT(1),
     CLI_FIELD(NUMBER, row, of.share[ROOF_THEORETICAL])},
    {.key = "achieved_fraction",
     .header = "achieved",
     .rank = 3,
     CLI_PERCENT(1),
     CLI_FIELD(NUMBER, row, of.share[ROOF_ACHIEVED])},
    {.header = "to expected", .rank = 2, .right = true, .text = gap_of},
    {.key = "headroom",
     .header = "headroom",
     .rank = 1,
     .unit = "x",
     .digits = 2,
     .fixed = true,
     CLI_FIELD(NUMBER, row, of.headroom)},
    NUMBER("gap", gap_points),
    NUMBER("overlap", overlap),
    NUMBER("intensity", intensity),
    NUMBER("operational_intensity", operational_intensity),
    {.key = "traffic", CLI_FIELD(TEXT, row, of.traffic)},
    NUMBER("flops_per_second", flops_per_second),
    NUMBER("roof_flops_per_second", roof_flops_per_second),
    {.header = "verdict", .verdict = true, .text = result_of},
    {.key = "verdict", CLI_FIELD(TEXT, row, of.verdict)},
    {.key = "because", CLI_FIELD(NAME, row, because)},
    {.key = "done", CLI_FIELD(FLAG, row, of.done)},
    {.key = "next", CLI_FIELD(TEXT, row, of.next)},
    {.key = "error", CLI_FIELD(NAME, row, of.impossible)},
    {.key = "causes", CLI_FIELD(NAME, row, causes)},
    {0}};

static void add_unmatched(roof_text *out, const char *what, char (*labels)[ROOF_LABEL_MAX], size_t count) {
  for (size_t i = 0; i < count; i++) {
    roof_text_addf(out, "  %s: %s\n", what, labels[i]);
  }
}

static void add_text(roof_text *out, const cli_args *args, roof_reconcile *all, roof_why *why) {
  roof_reconcile_sentence(all, out);
  roof_text_add(out, "\n");
  if (all->count > 0) {
    roof_text_add(out, "\n");
    cli_columns_add_text(out, CLI_ROWS(columns, all->entries, all->count));
  }
  roof_text_add(out, "\n");
  rf_answer_add_part(out, ROOF_PAGE_NEXT);
  for (size_t i = 0; i < all->count && !args->quiet; i++) {
    roof_reconcile_why(all, i, why);
    roof_reconciled_remarks(&all->entries[i], why, out);
  }
  rf_answer_add_part(out, ROOF_PAGE_MEASURED);
  add_unmatched(out, "predicted, never measured", all->unmatched_predictions,
                all->unmatched_prediction_count);
  add_unmatched(out, "measured, never predicted", all->unmatched_measurements,
                all->unmatched_measurement_count);
  rf_answer_add_part(out, ROOF_PAGE_MACHINE);
  roof_reconcile_remarks(all, out);
}

static void fill_row(roof_reconcile *all, size_t index, roof_why *why, row *out) {
  size_t length = 0;
  out->causes[0] = '\0';
  roof_reconcile_why(all, index, why);
  out->of = all->entries[index];
  memcpy(out->because, why->sentence, sizeof out->because);
  for (size_t i = 0; i < why->count; i++) {
    length += (size_t)snprintf(out->causes + length, sizeof out->causes - length, "%s%s", i > 0 ? ";" : "",
                               why->causes[i].name);
  }
}

static void add_csv(roof_text *out, roof_reconcile *all, roof_why *why) {
  row r = {0};
  cli_columns_add_csv(out, CLI_ROWS(columns, &r, 0));
  for (size_t i = 0; i < all->count; i++) {
    fill_row(all, i, why, &r);
    cli_columns_add_csv_row(out, columns, &r);
  }
}

static roof_status print_rows(const cli_args *args, roof_reconcile *all, roof_error *error) {
  roof_text text = {0};
  roof_why *why = malloc(sizeof *why);
  if (why == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "reconcile: out of memory");
  }
  if (args->csv) {
    add_csv(&text, all, why);
  } else {
    add_text(&text, args, all, why);
  }
  free(why);
  return cli_print_end(&text, ROOF_OK, error);
}

roof_status cli_reconcile_print(const cli_args *args, const char *ledger, roof_error *error) {
  roof_reconcile all = {0};
  roof_status status = roof_ledger_reconcile(ledger, false, &all, error);
  status = status == ROOF_OK ? print_rows(args, &all, error) : status;
  roof_reconcile_done(&all);
  return status;
}

/** What ran, in the words of a label that was made of it; "" where its formats are more than those words say, NULL where nothing
 * but the label is known (version 0.1). */
static const char *ran_of(const roof_reconciled *r, char words[RAN_MAX]) {
  static const char phase[] = "phase=", *const formats[] = {
#define OPTION(name) "--" #name " ",
                                            ROOF_FORMATS_MAP(OPTION)
#undef OPTION
                                        };
  bool run = strncmp(r->parameters, phase, sizeof phase - 1) == 0;
  if (r->op[0] == '\0' || r->parameters[0] == '\0') {
    return NULL;
  }
  snprintf(words, RAN_MAX, "%s %s%s%s", r->op, r->parameters + (run ? sizeof phase - 1 : 0), run ? "" : " ",
           run ? "" : r->dtype);
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    words[0] = strstr(r->typed, formats[i]) != NULL ? '\0' : words[0];
  }
  return words;
}

static roof_status fit(const roof_reconcile *all, roof_calibration *calibration, roof_error *error) {
  roof_profile profile = {0};
  roof_calibrate_options how = roof_calibrate_options_default();
  roof_options model = roof_options_default();
  roof_status status = roof_profile_init(&profile, error);
  for (size_t i = 0; i < all->count && status == ROOF_OK; i++) {
    const roof_reconciled *r = &all->entries[i];
    char words[RAN_MAX];
    status = roof_profile_add(&profile, r->label, ran_of(r, words), r->machine, r->measured_seconds, error);
  }
  how.source = "the ledger";
  status = status == ROOF_OK ? roof_calibrate(&profile, &how, &model, calibration, error) : status;
  roof_profile_done(&profile);
  return status;
}

/** What could explain runs of whole models, where there are some, after the answer itself. */
static roof_status print_runs(const roof_reconcile *all, roof_error *error) {
  roof_calibration calibration = {0};
  roof_error why = {0};
  roof_text out = {0};
  roof_status status = fit(all, &calibration, &why);
  if (status == ROOF_OK && calibration.run_count > 0) {
    roof_text_add(&out, "\n");
    cli_runs_add(&calibration, &out);
  }
  status = status == ROOF_E_MEMORY ? roof_error_set(error, status, "%s", why.message) : ROOF_OK;
  roof_calibration_done(&calibration);
  return cli_print_end(&out, status, error);
}

/** What constants fitted to the measurements would change, after the answer itself. */
static roof_status print_calibration(const cli_args *args, const roof_reconcile *all, roof_error *error) {
  roof_calibration calibration = {0};
  roof_error why = {0};
  roof_text out = {0};
  roof_status status = fit(all, &calibration, &why);
  if (status == ROOF_OK && args->json) {
    status = roof_calibration_write(&calibration, &out, error);
  } else if (status == ROOF_OK) {
    roof_text_add(&out, calibration.count > 0 ? "\nWith constants fitted to these measurements:\n" : "\n");
    cli_fits_add(&calibration, &out);
  } else {
    status = roof_error_set(error, status, "--calibrate: %s", why.message);
  }
  roof_calibration_done(&calibration);
  return cli_print_end(&out, status, error);
}

static roof_status print_json(roof_reconcile *all, const char *ledger, roof_error *error) {
  roof_text text = {0};
  return cli_print_end(&text, roof_reconcile_write(all, ledger, &text, error), error);
}

/** Measured against predicted. */
static roof_status draw(const cli_args *args, const roof_reconcile *all, roof_error *error) {
  roof_pair *pairs = calloc(all->count + 1, sizeof *pairs);
  roof_curves *chart = cli_chart_room();
  roof_status status =
      pairs != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "reconcile: out of memory");
  for (size_t i = 0; i < all->count && status == ROOF_OK; i++) {
    const roof_reconciled *r = &all->entries[i];
    pairs[i] = (roof_pair){r->label, r->predicted_seconds, r->measured_seconds};
  }
  status = status == ROOF_OK ? roof_pairs_chart(pairs, all->count, chart, error) : status;
  status = status == ROOF_OK ? cli_chart_write_curves(args, chart, "", NULL, error) : status;
  free(pairs);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  const char *ledger = cli_ledger_name(ledger_path);
  roof_reconcile all = {0};
  roof_status status = cli_args_limit_words(args, 0, error);
  status = status == ROOF_OK ? roof_ledger_reconcile(ledger, latest != 0, &all, error) : status;
  if (status == ROOF_OK && cli_chart_is_wanted(args)) {
    status = cli_chart_or_none(args, draw(args, &all, error));
  }
  if (status == ROOF_OK && args->file == NULL) {
    status = calibrated && args->json ? ROOF_OK
             : args->json             ? print_json(&all, ledger, error)
                                      : print_rows(args, &all, error);
  }
  if (status == ROOF_OK && !calibrated && args->file == NULL && !args->json && !args->csv && !args->quiet) {
    status = print_runs(&all, error);
  }
  status = status == ROOF_OK && calibrated ? print_calibration(args, &all, error) : status;
  status = status == ROOF_OK ? roof_reconcile_check(&all, ledger, strict != 0, error) : status;
  roof_reconcile_done(&all);
  free(ledger_path);
  return status;
}

static const cli_effect effects[] = {{.options = "csv", .with = "calibrate"}, {0}};

const cli_command cli_cmd_reconcile = {
    .name = "reconcile",
    .task = CLI_TASK_RECORD,
    .arguments = "",
    .summary = "compare what was measured with what was sealed; exit 1 when any is missing",
    .examples =
        "  roofline reconcile\n"
        "  roofline reconcile --ledger today.ledger --json | jq '.entries[] | {label, verdict, gap}'\n"
        "  roofline reconcile --calibrate\n"
        "\n"
        "  --calibrate --json answers with the constants alone, as `calibrate` does.\n",
    .writes = "txt json csv svg png pdf html",
    .groups = CLI_ARGS_PAGE,
    .options = options,
    .effects = effects,
    .run = run,
};
