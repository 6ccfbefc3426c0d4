#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/entry.h"

/** What a ledger holds for one label. */
typedef struct track {
  const roof_ledger_entry *prediction;  /**< the one that counts */
  const roof_ledger_entry *measurement; /**< the first after it, a sealed one where there is one */
  const roof_ledger_entry *again;       /**< the last of those that do not count */
  size_t measured_again;                /**< how many those are */
  const char *label;
  size_t predictions;
  size_t measurements;
  size_t after_measurement; /**< predictions that a measurement came before */
  size_t guesses;           /**< predictions with which a person predicted too */
  bool late;                /**< the one that counts is one of these */
  bool unsealed;            /**< measured before anything was predicted */
  size_t place;             /**< among those with both */
} track;

/** Tracks in the order their labels first appear. */
typedef struct track_table {
  track *list;
  ledger_labels labels;
} track_table;

static bool tracks_init(track_table *t, size_t most) {
  t->list = calloc(most + 1, sizeof *t->list);
  return rf_ledger_labels_init(&t->labels, most) && t->list != NULL;
}

static void tracks_done(track_table *t) {
  free(t->list);
  rf_ledger_labels_done(&t->labels);
}

static track *find_track(track_table *t, const char *label) {
  track *found = &t->list[rf_ledger_label_index(&t->labels, label)];
  found->label = label;
  return found;
}

static void follow_prediction(track *t, const roof_ledger_entry *entry, bool latest) {
  t->predictions++;
  t->after_measurement += t->measurements > 0;
  t->guesses += entry->of.mine_seconds > 0;
  if (t->prediction == NULL || latest) {
    t->prediction = entry;
    t->measurement = t->again = NULL;
    t->measured_again = 0;
    t->late = t->measurements > 0;
  }
}

static void follow_measurement(track *t, const roof_ledger_entry *entry) {
  t->measurements++;
  t->unsealed |= t->prediction == NULL;
  if (t->prediction == NULL) {
    return;
  }
  bool better = t->measurement == NULL || (t->measurement->unsealed && !entry->unsealed);
  if (t->measurement != NULL) {
    t->again = better ? t->measurement : entry;
    t->measured_again++;
  }
  t->measurement = better ? entry : t->measurement;
}

/** The first prediction of a label counts, or the last. */
static void follow(const roof_ledger_entries *ledger, bool latest, track_table *table) {
  for (size_t i = 0; i < ledger->count; i++) {
    const roof_ledger_entry *entry = &ledger->entries[i];
    track *t = find_track(table, entry->of.label);
    if (entry->measured) {
      follow_measurement(t, entry);
    } else {
      follow_prediction(t, entry, latest);
    }
  }
}

static size_t superseded_of(const track *t) {
  return t->predictions > 1 ? t->predictions - 1 : 0;
}

/** Gives each label with both its place, and lists the others. */
static void sort_out(track *tracks, size_t count, roof_reconcile *result) {
  for (size_t i = 0; i < count; i++) {
    track *t = &tracks[i];
    if (t->measurement != NULL) {
      t->place = result->count++;
      continue;
    }
    if (t->prediction != NULL) {
      snprintf(result->unmatched_predictions[result->unmatched_prediction_count++], ROOF_LABEL_MAX, "%s",
               t->label);
    }
    if (t->unsealed) {
      snprintf(result->unmatched_measurements[result->unmatched_measurement_count++], ROOF_LABEL_MAX, "%s",
               t->label);
    }
  }
}

static void judge_all(const track *tracks, size_t count, roof_reconcile *result) {
  size_t impossible = 0;
#pragma omp parallel for schedule(static) reduction(+ : impossible) if (count > 1000)
  for (size_t i = 0; i < count; i++) {
    const track *t = &tracks[i];
    if (t->measurement != NULL) {
      roof_reconciled *r = &result->entries[t->place];
      *r = rf_ledger_judge(t->prediction, t->measurement);
      r->superseded = superseded_of(t);
      r->after_measurement = t->after_measurement;
      r->late = t->late;
      r->measured_again = t->measured_again;
      r->again = t->again != NULL ? (size_t)t->again->sequence : 0;
      r->again_seconds = t->again != NULL ? t->again->seconds : NAN;
      r->guesses = t->guesses;
      impossible += r->impossible[0] != '\0';
    }
  }
  result->impossible_count = impossible;
}

roof_status rf_ledger_match(const roof_ledger_entries *ledger, bool latest, roof_reconcile *result,
                            roof_error *error) {
  roof_reconcile matched = {.latest = latest};
  track_table table;
  bool room = tracks_init(&table, ledger->count);
  if (room) {
    follow(ledger, latest, &table);
    size_t most = table.labels.count + 1;
    matched.entries = calloc(most, sizeof *matched.entries);
    matched.unmatched_predictions = calloc(most, sizeof *matched.unmatched_predictions);
    matched.unmatched_measurements = calloc(most, sizeof *matched.unmatched_measurements);
    room = matched.entries != NULL && matched.unmatched_predictions != NULL &&
           matched.unmatched_measurements != NULL;
  }
  if (room) {
    sort_out(table.list, table.labels.count, &matched);
    judge_all(table.list, table.labels.count, &matched);
    *result = matched;
  } else {
    roof_reconcile_done(&matched);
  }
  tracks_done(&table);
  return room ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "reconcile: out of memory");
}

roof_status roof_ledger_reconcile(const char *path, bool latest, roof_reconcile *result, roof_error *error) {
  roof_ledger_entries ledger;
  roof_reconcile matched;
  roof_status status = rf_ledger_load(path, false, &ledger, NULL, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = rf_ledger_match(&ledger, latest, &matched, error);
  if (status == ROOF_OK && ((status = rf_ledger_doubts_of(&ledger, &matched.doubts, error)) != ROOF_OK ||
                            (status = rf_ledger_grade(&matched, &matched.guesses, error)) != ROOF_OK ||
                            (status = rf_reconcile_machines(&matched, error)) != ROOF_OK)) {
    roof_reconcile_done(&matched);
  }
  if (status == ROOF_OK) {
    *result = matched;
  }
  free(ledger.entries);
  return status;
}

roof_status roof_ledger_measured(const char *path, const char *label, roof_reconciled *measured,
                                 roof_error *error) {
  roof_reconcile all;
  const roof_reconciled *found = NULL;
  roof_status status = roof_ledger_reconcile(path, true, &all, error);
  if (status != ROOF_OK) {
    return status;
  }
  for (size_t i = 0; i < all.count; i++) {
    found = strcmp(all.entries[i].label, label) == 0 ? &all.entries[i] : found;
  }
  if (found != NULL) {
    *measured = *found;
  } else {
    status = roof_error_set(error, ROOF_E_NAME, "--label %s: %s has no measurement of it", label, path);
  }
  roof_reconcile_done(&all);
  return status;
}

roof_status roof_reconcile_check(const roof_reconcile *all, const char *ledger, bool strict,
                                 roof_error *error) {
  size_t missing = all->unmatched_prediction_count + all->unmatched_measurement_count;
  size_t impossible = all->impossible_count;
  if (missing + all->count == 0) {
    return roof_error_set(error, ROOF_E_GATE, "%s: has no entries: there is nothing to reconcile", ledger);
  }
  if (missing > 0) {
    return roof_error_set(error, ROOF_E_GATE, "%s: %zu label%s without a counterpart", ledger, missing,
                          missing == 1 ? " is" : "s are");
  }
  if (impossible > 0) {
    return roof_error_set(error, ROOF_E_GATE, "%s: %zu kernel%s above what can be", ledger, impossible,
                          impossible == 1 ? " is" : "s are");
  }
  return strict ? rf_ledger_doubts_check(&all->doubts, ledger, error) : ROOF_OK;
}

/** The entry furthest from its ceiling of those that were not foreseen to be slow and can be; NULL: none. */
static const roof_reconciled *find_furthest(const roof_reconcile *all) {
  const roof_reconciled *furthest = NULL;
  for (size_t i = 0; i < all->count; i++) {
    const roof_reconciled *r = &all->entries[i];
    bool counts = !rf_ledger_foreseen(r) && r->impossible[0] == '\0' && r->headroom > 1;
    furthest = counts && (furthest == NULL || r->headroom > furthest->headroom) ? r : furthest;
  }
  return furthest;
}

static bool is_most(const roof_reconcile *all, const roof_reconciled *one) {
  for (size_t i = 0; i < all->count; i++) {
    if (all->entries[i].headroom > one->headroom && all->entries[i].impossible[0] == '\0') {
      return false;
    }
  }
  return true;
}

void roof_reconcile_sentence(const roof_reconcile *all, roof_text *out) {
  size_t missing = all->unmatched_prediction_count, extra = all->unmatched_measurement_count;
  roof_text_addf(out, "%zu of %zu predictions measured", all->count, all->count + missing);
  if (extra > 0) {
    roof_text_addf(out, ", %zu measurement%s without a prediction", extra, extra == 1 ? "" : "s");
  }
  if (all->impossible_count > 0) {
    roof_text_addf(out, ", %zu above %s ceiling", all->impossible_count,
                   all->impossible_count == 1 ? "its" : "their");
  }
  size_t again = 0;
  for (size_t i = 0; i < all->count; i++) {
    again += all->entries[i].measured_again > 0;
  }
  if (again > 0) {
    roof_text_addf(out, ", %zu measured again", again);
  }
  rf_ledger_doubts_add(&all->doubts, out);
  const roof_reconciled *furthest = find_furthest(all);
  if (furthest != NULL) {
    roof_text_addf(out, "; most headroom%s in %s, %.2fx from its ceiling",
                   is_most(all, furthest) ? "" : " of those not as expected", furthest->label,
                   furthest->headroom);
  }
}

void roof_reconcile_done(roof_reconcile *result) {
  for (size_t i = 0; i < result->machine_count; i++) {
    roof_machine_free(result->machines[i].machine);
  }
  free(result->machines);
  free(result->entries);
  free(result->unmatched_predictions);
  free(result->unmatched_measurements);
  *result = (roof_reconcile){0};
}
