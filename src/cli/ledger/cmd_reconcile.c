/* What was sealed compared with what was measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/advise/causes.h"
#include "cli/grid.h"
#include "cli/ledger/seal.h"

static char *ledger_path;

static const struct poptOption options[] = {
    {"ledger", '\0', POPT_ARG_STRING, &ledger_path, 0, "default " CLI_DEFAULT_LEDGER, "FILE"}, POPT_TABLEEND};

enum { SHORT = 40 };

static void add_percent(cli_grid *grid, double share) {
  if (isnan(share)) {
    cli_grid_add(grid, "-");
  } else {
    cli_grid_add(grid, "%.1f %%", 100 * share);
  }
}

/** "memory (L2), 82.9 %": what the counters say, with the share of that roof, or of the time. */
static void add_seen(cli_grid *grid, const roof_seen *seen) {
  if (seen->resource == NULL) {
    cli_grid_add(grid, "not counted");
    return;
  }
  const char *regime = roof_regime_name(seen->regime);
  bool other = strcmp(seen->resource, regime) != 0;
  cli_grid_add(grid, "%s%s%s%s, %.1f %%", regime, other ? " (" : "", other ? seen->resource : "",
               other ? ")" : "", 100 * seen->share);
}

static void add_row(cli_grid *grid, const roof_reconciled *r) {
  char predicted[SHORT], measured[SHORT];
  cli_grid_add(grid, "%s", r->label);
  cli_grid_add(grid, "%s", roof_quantity_format(predicted, SHORT, r->predicted_seconds, "s"));
  cli_grid_add(grid, "%s", roof_quantity_format(measured, SHORT, r->measured_seconds, "s"));
  cli_grid_add(grid, "%s (%s)", r->regime, r->binding);
  add_seen(grid, &r->seen);
  add_percent(grid, r->share[ROOF_THEORETICAL]);
  add_percent(grid, r->share[ROOF_ACHIEVED]);
  cli_grid_add(grid, "%.1f %s", fabs(r->gap_points), r->gap_points >= 0 ? "below" : "above");
  cli_grid_add(grid, "%.2fx", r->headroom);
  cli_grid_add(grid, "%s%s",
               r->impossible[0] != '\0' ? "error"
               : r->done                ? "done"
                                        : r->verdict,
               r->unsealed ? ", unsealed" : "");
}

/** The causes the figures show, then what they leave open and the one measurement that decides. */
static void add_causes(roof_text *out, const cli_why *why) {
  size_t i = 0;
  for (; i < why->of.count && why->of.causes[i].certainty == ROOF_SHOWN; i++) {
    const roof_cause *cause = &why->of.causes[i];
    roof_text_addf(out, "    cause: %s: %s; %s\n", cause->name, cause->sentence, cause->action);
  }
  if (i == why->of.count) {
    return;
  }
  const char *decisive = why->of.causes[i].measurement;
  roof_text_add(out, "    not ruled out: ");
  for (size_t first = i; i < why->of.count; i++) {
    roof_text_addf(out, "%s%s", i > first ? ", " : "", why->of.causes[i].name);
  }
  roof_text_addf(out, "; to tell them apart, measure first: %s\n", decisive);
}

/** True for what is nearer than the outermost memory. */
static bool is_inner(roof_clue clue) {
  return clue == ROOF_CLUE_L1 || clue == ROOF_CLUE_L2 || clue == ROOF_CLUE_L3 || clue == ROOF_CLUE_SHARED;
}

/** What decided the measured regime, where it is not the one predicted or nothing is busy. */
static void add_regime(roof_text *out, const roof_reconciled *r) {
  const roof_seen *seen = &r->seen;
  if (seen->resource == NULL) {
    return;
  }
  const char *name = roof_regime_name(seen->regime);
  if (!seen->busy) {
    roof_text_addf(
        out,
        "    measured: no resource is busy; the nearest to its peak is %s at %.1f %% (under %.0f %%: "
        "it waits on latency)\n",
        seen->resource, 100 * seen->share, 100 * seen->threshold);
  } else if (strcmp(name, r->regime) != 0) {
    roof_text_addf(out, "    measured: %s-bound, not %s-bound as predicted: %s (%.1f %%)\n", name, r->regime,
                   seen->rule, 100 * seen->share);
  } else if (is_inner(seen->clue)) {
    roof_text_addf(out, "    measured: memory-bound at %s, not at %s as predicted: %s (%.1f %%)\n",
                   seen->resource, r->binding, seen->rule, 100 * seen->share);
  }
}

/** The lines below the table: why, for each kernel. */
static void add_remarks(roof_text *out, const roof_reconciled *r, cli_why *why) {
  cli_why_of(why, r);
  roof_text_addf(out, "  %s: %s\n", r->label, why->of.sentence);
  if (r->impossible[0] != '\0') {
    roof_text_addf(out, "    error: above its ceiling: %s\n", r->impossible);
  } else if (r->roof_share > 0) {
    char rate[SHORT], roof[SHORT];
    roof_text_addf(out, "    attainable: %s of %s at %.4g FLOP/B, %.1f %%\n",
                   roof_quantity_format(rate, SHORT, r->flops_per_second, "FLOP/s"),
                   roof_quantity_format(roof, SHORT, r->roof_flops_per_second, "FLOP/s"),
                   isnan(r->operational_intensity) ? r->intensity : r->operational_intensity,
                   100 * r->roof_share);
  }
  add_regime(out, r);
  if (r->traffic != NULL) {
    roof_text_addf(out, "    intensity: %.4g FLOP/B counted, %.4g by arithmetic; %s\n",
                   r->operational_intensity, r->intensity, roof_traffic_meaning(r->traffic));
  }
  if (r->overlap > 0) {
    roof_text_addf(out, "    overlap: %.0f %% of what can be hidden behind the longest time\n",
                   100 * r->overlap);
  } else if (r->overlap == 0) {
    roof_text_add(
        out,
        "    overlap: none, and that alone does not explain it: slower than the times one after another\n");
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

static size_t count_impossible(const roof_reconcile *all) {
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++) {
    count += all->entries[i].impossible[0] != '\0';
  }
  return count;
}

/** The answer in one line. */
static void add_answer(roof_text *out, const roof_reconcile *all) {
  size_t missing = all->unmatched_prediction_count, extra = all->unmatched_measurement_count;
  size_t impossible = count_impossible(all);
  roof_text_addf(out, "%zu of %zu predictions measured", all->count, all->count + missing);
  if (extra > 0) {
    roof_text_addf(out, ", %zu measurement%s without a prediction", extra, extra == 1 ? "" : "s");
  }
  if (impossible > 0) {
    roof_text_addf(out, ", %zu above %s ceiling", impossible, impossible == 1 ? "its" : "their");
  }
  roof_text_add(out, "\n");
}

static roof_status print_text(const cli_args *args, const roof_reconcile *all, cli_why *why,
                              roof_error *error) {
  static const char *const header[] = {"kernel",      "predicted", "measured",    "regime",   "counted",
                                       "theoretical", "achieved",  "to expected", "headroom", "verdict"};
  roof_text text = {0};
  cli_grid grid = {0};
  add_answer(&text, all);
  if (all->count > 0) {
    roof_text_add(&text, "\n");
    for (size_t i = 0; i < sizeof header / sizeof header[0]; i++) {
      cli_grid_add(&grid, "%s", header[i]);
    }
    for (size_t i = 0; i < all->count; i++) {
      add_row(&grid, &all->entries[i]);
    }
    cli_grid_end(&grid, &text, "lrrllrrrrl");
  }
  roof_text_add(&text, "\n");
  for (size_t i = 0; i < all->count && !args->quiet; i++) {
    add_remarks(&text, &all->entries[i], why);
  }
  add_unmatched(&text, "predicted, never measured", all->unmatched_predictions,
                all->unmatched_prediction_count);
  add_unmatched(&text, "measured, never predicted", all->unmatched_measurements,
                all->unmatched_measurement_count);
  roof_status status = cli_print(&text, error);
  roof_text_done(&text);
  return status;
}

static json_t *text_or_null(const char *text) {
  return text != NULL && text[0] != '\0' ? json_string(text) : json_null();
}

static json_t *basis_json(const roof_reconciled *r, roof_basis basis) {
  return json_pack("{s:o, s:o}", "fraction", rf_json_number(r->share[basis]), "verdict",
                   text_or_null(r->bands[basis]));
}

static json_t *seen_name(const roof_seen *seen) {
  return seen->resource != NULL ? json_string(roof_regime_name(seen->regime)) : json_null();
}

static json_t *seen_json(const roof_seen *seen) {
  return seen->resource == NULL
             ? json_null()
             : json_pack("{s:s, s:s, s:o, s:b, s:s, s:s}", "resource", seen->resource, "figure",
                         roof_clue_name(seen->clue), "threshold", rf_json_number(seen->threshold), "busy",
                         (int)seen->busy, "rule", seen->rule, "source", seen->source);
}

static json_t *counters_json(const roof_reconciled *r) {
  json_t *object = json_object();
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    if (!isnan(r->clue[i])) {
      json_object_set_new(object, roof_clue_name((roof_clue)i), json_real(r->clue[i]));
    }
  }
  return object;
}

static json_t *entry_json(const roof_reconciled *r, cli_why *why) {
  cli_why_of(why, r);
  json_t *object =
      json_pack("{s:s, s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:o}", "label", r->label,
                "prediction", (json_int_t)r->prediction, "measurement", (json_int_t)r->measurement,
                "unsealed", (int)r->unsealed, "predicted_seconds", rf_json_number(r->predicted_seconds),
                "measured_seconds", rf_json_number(r->measured_seconds), "lower_seconds",
                rf_json_number(r->lower_seconds), "upper_seconds", rf_json_number(r->upper_seconds), "regime",
                r->regime, "binding", r->binding, "measured_regime", seen_name(&r->seen), "measured_fraction",
                rf_json_number(r->seen.resource != NULL ? r->seen.share : NAN));
  json_object_set_new(object, "measured_by", seen_json(&r->seen));
  json_object_set_new(object, "counters", counters_json(r));
  json_t *figures = json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "fraction_of_ceiling",
      rf_json_number(r->fraction_of_ceiling), "expected_fraction", rf_json_number(r->expected_fraction),
      "theoretical", basis_json(r, ROOF_THEORETICAL), "achieved", basis_json(r, ROOF_ACHIEVED), "headroom",
      rf_json_number(r->headroom), "gap", rf_json_number(r->gap_points), "overlap",
      rf_json_number(r->overlap), "intensity", rf_json_number(r->intensity), "operational_intensity",
      rf_json_number(r->operational_intensity), "traffic", text_or_null(r->traffic), "flops_per_second",
      rf_json_number(r->flops_per_second), "roof_flops_per_second", rf_json_number(r->roof_flops_per_second));
  json_t *words = json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "verdict", r->verdict, "because",
                            why->of.sentence, "done", (int)r->done, "next", text_or_null(r->next), "error",
                            text_or_null(r->impossible), "causes", cli_why_json(why));
  json_object_update(object, figures);
  json_object_update(object, words);
  json_decref(figures);
  json_decref(words);
  return object;
}

static json_t *labels_json(char (*labels)[ROOF_LABEL_MAX], size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(array, json_string(labels[i]));
  }
  return array;
}

static roof_status print_json(const cli_args *args, const char *ledger, const roof_reconcile *all,
                              cli_why *why, roof_error *error) {
  json_t *entries = json_array();
  for (size_t i = 0; i < all->count; i++) {
    json_array_append_new(entries, entry_json(&all->entries[i], why));
  }
  return cli_answer_print(
      args,
      json_pack("{s:s, s:s, s:o, s:{s:o, s:o}}", "schema", "roofline.reconcile/1", "ledger", ledger,
                "entries", entries, "unmatched", "predictions",
                labels_json(all->unmatched_predictions, all->unmatched_prediction_count), "measurements",
                labels_json(all->unmatched_measurements, all->unmatched_measurement_count)),
      error);
}

static roof_status check(const char *ledger, const roof_reconcile *all, roof_error *error) {
  size_t missing = all->unmatched_prediction_count + all->unmatched_measurement_count;
  size_t impossible = count_impossible(all);
  if (missing > 0) {
    return roof_error_set(error, ROOF_E_GATE, "%s: %zu label%s without a counterpart", ledger, missing,
                          missing == 1 ? " is" : "s are");
  }
  return impossible == 0 ? ROOF_OK
                         : roof_error_set(error, ROOF_E_GATE, "%s: %zu kernel%s above what can be", ledger,
                                          impossible, impossible == 1 ? " is" : "s are");
}

roof_status cli_reconcile_print(const cli_args *args, const char *ledger, roof_error *error) {
  roof_reconcile all = {0};
  cli_why *why = calloc(1, sizeof *why);
  roof_status status = why != NULL ? roof_ledger_reconcile(ledger, &all, error)
                                   : roof_error_set(error, ROOF_E_MEMORY, "reconcile: out of memory");
  if (status == ROOF_OK) {
    status = print_text(args, &all, why, error);
  }
  roof_reconcile_done(&all);
  cli_why_free(why);
  return status;
}

static roof_status run(const cli_args *args, roof_error *error) {
  const char *ledger = ledger_path != NULL ? ledger_path : CLI_DEFAULT_LEDGER;
  roof_reconcile all = {0};
  cli_why *why = calloc(1, sizeof *why);
  roof_status status = why != NULL ? cli_args_limit_words(args, 0, error)
                                   : roof_error_set(error, ROOF_E_MEMORY, "reconcile: out of memory");
  if (status == ROOF_OK) {
    status = roof_ledger_reconcile(ledger, &all, error);
  }
  if (status == ROOF_OK) {
    status = args->json || args->csv ? print_json(args, ledger, &all, why, error)
                                     : print_text(args, &all, why, error);
  }
  if (status == ROOF_OK) {
    status = check(ledger, &all, error);
  }
  roof_reconcile_done(&all);
  cli_why_free(why);
  free(ledger_path);
  return status;
}

const cli_command cli_cmd_reconcile = {
    .name = "reconcile",
    .arguments = "",
    .summary = "set what was measured against what was sealed; exit 1 when any is missing",
    .examples =
        "  roofline reconcile\n"
        "  roofline reconcile --ledger today.ledger --json | jq '.entries[] | {label, verdict, gap}'\n",
    .options = options,
    .run = run,
};
