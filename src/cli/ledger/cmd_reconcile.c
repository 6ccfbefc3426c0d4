/* What was sealed compared with what was measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/ledger/seal.h"
#include "core/number.h"

static char *ledger_path;

static const struct poptOption options[] = {
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "default " CLI_DEFAULT_LEDGER, "FILE"}, POPT_TABLEEND};

/** An entry with why. */
typedef struct row {
  roof_reconciled of;
  char because[sizeof((roof_why *)0)->sentence];
  char causes[512]; /**< their names */
} row;

/** "memory (L2)". */
static const char *regime_of(const void *at, char scratch[CLI_SCRATCH]) {
  const roof_reconciled *r = &((const row *)at)->of;
  snprintf(scratch, CLI_SCRATCH, "%s (%s)", r->regime, r->binding);
  return scratch;
}

/** "memory (L2), 82.9 %": what the counters say, with the share of that roof, or of the time. */
static const char *seen_of(const void *at, char scratch[CLI_SCRATCH]) {
  const roof_seen *seen = &((const row *)at)->of.seen;
  const char *regime = roof_regime_name(seen->regime);
  if (seen->resource == NULL) {
    return "not counted";
  }
  bool other = strcmp(seen->resource, regime) != 0;
  rf_format(scratch, CLI_SCRATCH, "%s%s%s%s, %.1f %%", regime, other ? " (" : "", other ? seen->resource : "",
            other ? ")" : "", 100 * seen->share);
  return scratch;
}

static const char *gap_of(const void *at, char scratch[CLI_SCRATCH]) {
  double gap = ((const row *)at)->of.gap_points;
  rf_format(scratch, CLI_SCRATCH, "%.1f %s", fabs(gap), gap >= 0 ? "below" : "above");
  return scratch;
}

static const char *result_of(const void *at, char scratch[CLI_SCRATCH]) {
  const roof_reconciled *r = &((const row *)at)->of;
  const char *result = r->impossible[0] != '\0' ? "error" : r->done ? "done" : r->verdict;
  snprintf(scratch, CLI_SCRATCH, "%s%s", result, r->unsealed ? ", unsealed" : "");
  return scratch;
}

static const char *measured_regime_of(const void *at, char scratch[CLI_SCRATCH]) {
  (void)scratch;
  const roof_seen *seen = &((const row *)at)->of.seen;
  return seen->resource != NULL ? roof_regime_name(seen->regime) : NULL;
}

static double measured_share_of(const void *at) {
  const roof_seen *seen = &((const row *)at)->of.seen;
  return seen->resource != NULL ? seen->share : NAN;
}

#define PERCENT .unit = " %", .scale = 100, .digits = 1, .fixed = true
#define NUMBER(name, member)                                                                                 \
  { .key = (name), CLI_FIELD(NUMBER, row, of.member) }
static const cli_column columns[] = {
    {.key = "label", .header = "kernel", .name = true, CLI_FIELD(NAME, row, of.label)},
    {.key = "prediction", CLI_FIELD(SIZE, row, of.prediction)},
    {.key = "measurement", CLI_FIELD(SIZE, row, of.measurement)},
    {.key = "unsealed", CLI_FIELD(FLAG, row, of.unsealed)},
    {.key = "predicted_seconds",
     .header = "predicted",
     .unit = "s",
     CLI_FIELD(NUMBER, row, of.predicted_seconds)},
    {.key = "measured_seconds",
     .header = "measured",
     .unit = "s",
     CLI_FIELD(NUMBER, row, of.measured_seconds)},
    NUMBER("mine_seconds", mine_seconds),
    NUMBER("mine_error", mine_error),
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
     PERCENT,
     CLI_FIELD(NUMBER, row, of.share[ROOF_THEORETICAL])},
    {.key = "achieved_fraction",
     .header = "achieved",
     .rank = 3,
     PERCENT,
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

/** The causes the figures show, then what they leave open and the one measurement that decides. */
static void add_causes(roof_text *out, const roof_why *why) {
  size_t i = 0;
  for (; i < why->count && why->causes[i].certainty == ROOF_SHOWN; i++) {
    const roof_cause *cause = &why->causes[i];
    roof_text_addf(out, "    cause: %s: %s; %s\n", cause->name, cause->sentence, cause->action);
  }
  if (i == why->count) {
    return;
  }
  const char *decisive = why->causes[i].measurement;
  roof_text_add(out, "    possible: ");
  for (size_t first = i; i < why->count; i++) {
    roof_text_addf(out, "%s%s", i > first ? ", " : "", why->causes[i].name);
  }
  roof_text_addf(out, "\n    measure first: %s\n", decisive);
}

/** What the counters say that the prediction did not. */
static void add_counted(roof_text *out, const roof_reconciled *r) {
  char regime[512];
  if (roof_reconciled_regime(r, regime, sizeof regime)[0] != '\0') {
    roof_text_addf(out, "    measured: %s\n", regime);
  }
  if (r->traffic != NULL && strcmp(r->traffic, "equal") != 0) {
    roof_text_addf(out, "    intensity: %.4g FLOP/B counted, %.4g by arithmetic; %s\n",
                   r->operational_intensity, r->intensity, roof_traffic_meaning(r->traffic));
  }
  if (!isnan(r->operational_intensity) && r->impossible[0] == '\0' && r->roof_share > 0) {
    char rate[CLI_SHORT], roof[CLI_SHORT];
    roof_text_addf(out, "    attainable: %s of %s at %.4g FLOP/B, %.1f %%\n",
                   cli_quantity(rate, r->flops_per_second, "FLOP/s"),
                   cli_quantity(roof, r->roof_flops_per_second, "FLOP/s"), r->operational_intensity,
                   100 * r->roof_share);
  }
}

/** A kernel as fast as expected needs no words, unless counters show something else than was predicted, or a
 * person's own prediction is to be graded. */
static bool is_silent(const roof_reconciled *r, const roof_why *why) {
  char regime[512];
  bool gap =
      r->fraction_of_ceiling < roof_options_default().efficiency_low && strcmp(r->verdict, "expected") != 0;
  bool odd = r->impossible[0] != '\0' || r->fraction_of_ceiling > 1 || r->done || why->count > 0 ||
             (r->traffic != NULL && strcmp(r->traffic, "equal") != 0);
  return !gap && !odd && isnan(r->mine_seconds) && isnan(r->memory_pace) &&
         roof_reconciled_regime(r, regime, sizeof regime)[0] == '\0';
}

/** The person's own prediction next to the one of the model. */
static void add_mine(roof_text *out, const roof_reconciled *r) {
  char mine[CLI_SHORT], models[CLI_SHORT];
  double error = r->predicted_seconds / r->measured_seconds - 1;
  const char *nearer = fabs(r->mine_error) < fabs(error) ? "yours was nearer" : "the model was nearer";
  roof_text_addf(out, "    yours: %s, %.1f %% %s than measured; the model's %s, %.1f %% %s: %s\n",
                 cli_quantity(mine, r->mine_seconds, "s"), 100 * fabs(r->mine_error),
                 r->mine_error < 0 ? "less" : "more", cli_quantity(models, r->predicted_seconds, "s"),
                 100 * fabs(error), error < 0 ? "less" : "more", nearer);
}

/** The lines below the table: why, for each kernel. */
static void add_remarks(roof_text *out, const roof_reconciled *r, const roof_why *why) {
  if (is_silent(r, why)) {
    return;
  }
  roof_text_addf(out, "  %s: %s\n", r->label, why->sentence);
  if (r->impossible[0] != '\0') {
    roof_text_addf(out, "    error: above its ceiling: %s\n", r->impossible);
  }
  if (!isnan(r->mine_seconds)) {
    add_mine(out, r);
  }
  if (!isnan(r->memory_pace)) {
    roof_text_addf(out, "    memory: at %.0f %% of its ceiling meanwhile; the share is of that\n",
                   100 * r->memory_pace);
  }
  add_counted(out, r);
  if (r->overlap > 0 && !r->done) {
    roof_text_addf(out, "    overlap: %.0f %% of what can be hidden behind the longest time\n",
                   100 * r->overlap);
  }
  if (!r->done) {
    add_causes(out, why);
  } else {
    roof_text_addf(out, "    done: %.1f %% of the achieved ceiling; what would raise the ceiling: %s\n",
                   100 * r->share[ROOF_ACHIEVED], r->next);
  }
}

static void add_unmatched(roof_text *out, const char *what, char (*labels)[ROOF_LABEL_MAX], size_t count) {
  for (size_t i = 0; i < count; i++) {
    roof_text_addf(out, "  %s: %s\n", what, labels[i]);
  }
}

static void add_text(roof_text *out, const cli_args *args, roof_reconcile *all, const row *rows,
                     roof_why *why) {
  roof_reconcile_sentence(all, out);
  roof_text_add(out, "\n");
  if (all->count > 0) {
    roof_text_add(out, "\n");
    cli_columns_add_text(out, CLI_ROWS(columns, rows, all->count));
  }
  roof_text_add(out, "\n");
  for (size_t i = 0; i < all->count && !args->quiet; i++) {
    roof_reconcile_why(all, i, why);
    add_remarks(out, &all->entries[i], why);
  }
  add_unmatched(out, "predicted, never measured", all->unmatched_predictions,
                all->unmatched_prediction_count);
  add_unmatched(out, "measured, never predicted", all->unmatched_measurements,
                all->unmatched_measurement_count);
}

static void fill_row(roof_reconcile *all, size_t index, roof_why *why, row *out) {
  size_t length = 0;
  roof_reconcile_why(all, index, why);
  out->of = all->entries[index];
  memcpy(out->because, why->sentence, sizeof out->because);
  for (size_t i = 0; i < why->count; i++) {
    length += (size_t)snprintf(out->causes + length, sizeof out->causes - length, "%s%s", i > 0 ? ";" : "",
                               why->causes[i].name);
  }
}

static roof_status print_rows(const cli_args *args, roof_reconcile *all, roof_error *error) {
  roof_text text = {0};
  roof_why *why = malloc(sizeof *why);
  row *rows = calloc(all->count + 1, sizeof *rows);
  bool room = why != NULL && rows != NULL;
  roof_status status = room ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "reconcile: out of memory");
  for (size_t i = 0; i < all->count && room; i++) {
    fill_row(all, i, why, &rows[i]);
  }
  if (room && args->csv) {
    cli_columns_add_csv(&text, CLI_ROWS(columns, rows, all->count));
  } else if (room) {
    add_text(&text, args, all, rows, why);
  }
  free(rows);
  free(why);
  return cli_print_end(&text, status, error);
}

roof_status cli_reconcile_print(const cli_args *args, const char *ledger, roof_error *error) {
  roof_reconcile all = {0};
  roof_status status = roof_ledger_reconcile(ledger, &all, error);
  status = status == ROOF_OK ? print_rows(args, &all, error) : status;
  roof_reconcile_done(&all);
  return status;
}

static roof_status print_json(roof_reconcile *all, const char *ledger, roof_error *error) {
  roof_text text = {0};
  return cli_print_end(&text, roof_reconcile_write(all, ledger, &text, error), error);
}

static roof_status run(const cli_args *args, roof_error *error) {
  const char *ledger = ledger_path != NULL ? ledger_path : CLI_DEFAULT_LEDGER;
  roof_reconcile all = {0};
  roof_status status = cli_args_limit_words(args, 0, error);
  status = status == ROOF_OK ? roof_ledger_reconcile(ledger, &all, error) : status;
  if (status == ROOF_OK) {
    status = args->json && !args->csv ? print_json(&all, ledger, error) : print_rows(args, &all, error);
  }
  status = status == ROOF_OK ? roof_reconcile_check(&all, ledger, error) : status;
  roof_reconcile_done(&all);
  free(ledger_path);
  return status;
}

const cli_command cli_cmd_reconcile = {
    .name = "reconcile",
    .task = CLI_TASK_RECORD,
    .arguments = "",
    .summary = "compare what was measured with what was sealed; exit 1 when any is missing",
    .examples =
        "  roofline reconcile\n"
        "  roofline reconcile --ledger today.ledger --json | jq '.entries[] | {label, verdict, gap}'\n",
    .writes = "txt json csv",
    .options = options,
    .run = run,
};
