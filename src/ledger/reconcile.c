#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/entry.h"
#include "roofline/advise.h"

/** What a ledger says about one label. */
typedef struct track {
  const ledger_entry *prediction;  /**< the last */
  const ledger_entry *measurement; /**< the first after it */
  const char *label;
  bool unsealed; /**< measured before anything was predicted */
} track;

static track *find_track(track *tracks, size_t *count, const char *label) {
  for (size_t i = 0; i < *count; i++) {
    if (strcmp(tracks[i].label, label) == 0) {
      return &tracks[i];
    }
  }
  tracks[*count] = (track){.label = label};
  return &tracks[(*count)++];
}

static size_t follow(const ledger_entries *ledger, track *tracks) {
  size_t count = 0;
  for (size_t i = 0; i < ledger->count; i++) {
    const ledger_entry *entry = &ledger->entries[i];
    track *t = find_track(tracks, &count, entry->label);
    if (!entry->measured) {
      t->prediction = entry;
      t->measurement = NULL;
    } else if (t->prediction == NULL) {
      t->unsealed = true;
    } else if (t->measurement == NULL) {
      t->measurement = entry;
    }
  }
  return count;
}

static void judge(roof_reconciled *r) {
  const roof_verdict *verdict = roof_verdict_of(r->fraction_of_ceiling);
  r->verdict = verdict->name;
  snprintf(r->because, sizeof r->because,
           "%s (%s): %.1f %% of the ceiling, %.1f points %s the expected %.1f %%; %s", r->regime, r->binding,
           100 * r->fraction_of_ceiling, fabs(r->gap_points), r->gap_points >= 0 ? "below" : "above",
           100 * r->expected_fraction, verdict->meaning);
}

static roof_reconciled reconcile(const track *t) {
  roof_reconciled r = {
      .predicted_seconds = t->prediction->expected_seconds,
      .measured_seconds = t->measurement->seconds,
      .lower_seconds = t->prediction->lower_seconds,
  };
  snprintf(r.label, sizeof r.label, "%s", t->label);
  snprintf(r.regime, sizeof r.regime, "%s", t->prediction->regime);
  snprintf(r.binding, sizeof r.binding, "%s", t->prediction->binding);
  r.fraction_of_ceiling = r.lower_seconds / r.measured_seconds;
  r.expected_fraction = r.lower_seconds / r.predicted_seconds;
  r.headroom = r.measured_seconds / r.lower_seconds;
  r.gap_points = 100 * (r.expected_fraction - r.fraction_of_ceiling);
  judge(&r);
  return r;
}

static void sort_out(const track *tracks, size_t count, roof_reconcile *result) {
  for (size_t i = 0; i < count; i++) {
    const track *t = &tracks[i];
    if (t->measurement != NULL) {
      result->entries[result->count++] = reconcile(t);
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

roof_status ledger_match(const ledger_entries *ledger, roof_reconcile *result, roof_error *error) {
  roof_reconcile matched = {0};
  track *tracks = calloc(ledger->count + 1, sizeof *tracks);
  if (tracks == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "reconcile: out of memory");
  }
  size_t count = follow(ledger, tracks);
  matched.entries = calloc(count + 1, sizeof *matched.entries);
  matched.unmatched_predictions = calloc(count + 1, sizeof *matched.unmatched_predictions);
  matched.unmatched_measurements = calloc(count + 1, sizeof *matched.unmatched_measurements);
  bool room = matched.entries != NULL && matched.unmatched_predictions != NULL &&
              matched.unmatched_measurements != NULL;
  if (room) {
    sort_out(tracks, count, &matched);
    *result = matched;
  } else {
    roof_reconcile_done(&matched);
  }
  free(tracks);
  return room ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "reconcile: out of memory");
}

roof_status roof_ledger_reconcile(const char *path, roof_reconcile *result, roof_error *error) {
  ledger_entries ledger;
  roof_status status = ledger_load(path, &ledger, error);
  if (status == ROOF_OK) {
    status = ledger_match(&ledger, result, error);
    free(ledger.entries);
  }
  return status;
}

void roof_reconcile_done(roof_reconcile *result) {
  free(result->entries);
  free(result->unmatched_predictions);
  free(result->unmatched_measurements);
  *result = (roof_reconcile){0};
}
