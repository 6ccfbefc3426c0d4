/* A reconciliation written as roofline.reconcile/1. */
#include <math.h>
#include <stdlib.h>

#include "documents/json.h"
#include "ledger/entry.h"
#include "roofline/ledger.h"

static json_t *text_or_null(const char *text) {
  return text != NULL && text[0] != '\0' ? json_string(text) : json_null();
}

static json_t *basis_json(const roof_reconciled *r, roof_basis basis) {
  return json_pack("{s:o, s:o}", "fraction", rf_json_number(r->share[basis]), "verdict",
                   text_or_null(r->bands[basis]));
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
      rf_json_set(object, roof_clue_name((roof_clue)i), json_real(r->clue[i]));
    }
  }
  return object;
}

/** What was predicted and measured, and what the counters say. */
static json_t *times_json(const roof_reconciled *r, bool machine_known) {
  const roof_seen *seen = &r->seen;
  const char *regime = seen->resource != NULL ? roof_regime_name(seen->regime) : NULL;
  return json_pack(
      "{s:s, s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:s, "
      "s:s, "
      "s:s?, "
      "s:o, s:o, "
      "s:o}",
      "label", r->label, "prediction", (json_int_t)r->prediction, "measurement", (json_int_t)r->measurement,
      "superseded", (json_int_t)r->superseded, "after_measurement", (json_int_t)r->after_measurement,
      "measured_again", (json_int_t)r->measured_again, "unsealed", (int)r->unsealed, "origin",
      text_or_null(r->origin), "taken_from", text_or_null(r->taken_from), "differs", text_or_null(r->differs),
      "options", text_or_null(r->typed), "predicted_seconds", rf_json_number(r->predicted_seconds),
      "measured_seconds", rf_json_number(r->measured_seconds), "mine_seconds",
      rf_json_number(r->mine_seconds), "mine_error", rf_json_number(r->mine_error), "guesses",
      (json_int_t)r->guesses, "machine_changed",
      r->machine_digest[0] != '\0' && machine_known ? json_boolean(r->machine_changed) : json_null(),
      "lower_seconds", rf_json_number(r->lower_seconds), "upper_seconds", rf_json_number(r->upper_seconds),
      "regime", r->regime, "binding", r->binding, "measured_regime", regime, "measured_fraction",
      rf_json_number(seen->resource != NULL ? seen->share : NAN), "measured_by", seen_json(seen), "counters",
      counters_json(r));
}

/** Where it stands under its ceilings. */
static json_t *figures_json(const roof_reconciled *r) {
  return json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "ceiling_seconds",
      rf_json_number(r->ceiling_seconds), "fraction_of_ceiling", rf_json_number(r->fraction_of_ceiling),
      "expected_fraction", rf_json_number(r->expected_fraction), "theoretical",
      basis_json(r, ROOF_THEORETICAL), "achieved", basis_json(r, ROOF_ACHIEVED), "headroom",
      rf_json_number(r->headroom), "gap", rf_json_number(r->gap_points), "overlap",
      rf_json_number(r->overlap), "intensity", rf_json_number(r->intensity), "operational_intensity",
      rf_json_number(r->operational_intensity), "memory_pace", rf_json_number(r->memory_pace), "traffic",
      text_or_null(r->traffic), "flops_per_second", rf_json_number(r->flops_per_second),
      "roof_flops_per_second", rf_json_number(r->roof_flops_per_second));
}

/** The verdict and why. */
static json_t *words_json(const roof_reconciled *r, const roof_why *why) {
  json_t *causes = json_array();
  for (size_t i = 0; i < why->count; i++) {
    rf_json_append(causes, rf_cause_json(&why->causes[i]));
  }
  return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "verdict", r->verdict, "because", why->sentence,
                   "done", (int)r->done, "next", text_or_null(r->next), "error", text_or_null(r->impossible),
                   "causes", causes, "measured_as", text_or_null(r->measured_as));
}

static json_t *entry_json(roof_reconcile *all, size_t index, roof_why *why) {
  const roof_reconciled *r = &all->entries[index];
  roof_reconcile_why(all, index, why);
  bool machine_known = rf_reconcile_machine(all, r->machine) != NULL;
  json_t *entry = times_json(r, machine_known), *figures = figures_json(r), *words = words_json(r, why);
  rf_json_note(json_object_update(entry, figures) == 0 && json_object_update(entry, words) == 0);
  json_decref(figures);
  json_decref(words);
  return entry;
}

/** Null without any. */
static json_t *guesses_json(const roof_guesses *g) {
  return g->count == 0 ? json_null()
                       : json_pack("{s:I, s:I, s:o, s:o}", "count", (json_int_t)g->count, "nearer",
                                   (json_int_t)g->nearer, "median_error", rf_json_number(g->median_error),
                                   "model_median_error", rf_json_number(g->model_median_error));
}

roof_status roof_reconcile_write(roof_reconcile *all, const char *ledger, roof_text *out, roof_error *error) {
  json_t *entries = json_array();
  roof_why *why = malloc(sizeof *why);
  for (size_t i = 0; i < all->count && why != NULL; i++) {
    rf_json_append(entries, entry_json(all, i, why));
  }
  json_t *document =
      json_pack("{s:s, s:s, s:s, s:o, s:o, s:{s:o, s:o}}", "schema", "roofline.reconcile/1", "ledger", ledger,
                "counts", all->latest ? "the last prediction" : "the first prediction", "guesses",
                guesses_json(&all->guesses), "entries", entries, "unmatched", "predictions",
                rf_json_texts((const char *)all->unmatched_predictions, ROOF_LABEL_MAX,
                              (int)all->unmatched_prediction_count),
                "measurements",
                rf_json_texts((const char *)all->unmatched_measurements, ROOF_LABEL_MAX,
                              (int)all->unmatched_measurement_count));
  if (json_array_size(entries) < all->count) {
    json_decref(document);
    document = NULL;
  }
  free(why);
  return rf_ledger_doubts_write(document, &all->doubts, "reconcile", out, error);
}
