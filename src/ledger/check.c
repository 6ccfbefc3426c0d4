/* What entries say of themselves and of each other: times in order, the prediction that a measurement is of, its mark. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "documents/measurements.h"
#include "ledger/entry.h"

bool rf_ledger_is_early(const roof_ledger_entry *prediction, const char *taken) {
  return taken[0] != '\0' && strcmp(taken, prediction->time) < 0;
}

double rf_ledger_lead(const roof_ledger_entry *prediction, const roof_ledger_entry *m) {
  double taken;
  bool known = prediction->boot[0] != '\0' && strcmp(prediction->boot, m->boot) == 0 && m->taken[0] != '\0' &&
               roof_time_parse(m->taken, &taken, NULL) == ROOF_OK;
  double sealed = m->at - (m->uptime - prediction->uptime);
  return known && sealed > taken ? sealed - taken : 0;
}

const char *rf_ledger_contradiction(const roof_sealing *s) {
  return rf_is_above(s->lower_seconds, s->expected_seconds) ? "its lower bound is above the expected time"
         : rf_is_above(s->lower_seconds, s->upper_seconds)  ? "its lower bound is above the upper one"
         : rf_is_above(s->expected_low_seconds, s->expected_seconds)
             ? "`expected_low` is above the expected time"
         : rf_is_above(s->expected_seconds, s->expected_high_seconds)
             ? "`expected_high` is below the expected time"
             : NULL;
}

/** A moment that was: not before that of the entry before it, not later than now. */
static const char *check_time(const roof_ledger_entry *e, const roof_ledger_entry *before, double now) {
  double taken = 0;
  if (before != NULL && e->at < before->at - RF_LEDGER_SKEW_SECONDS) {
    return "its time is before that of the entry before it";
  }
  if (e->at > now + RF_LEDGER_SKEW_SECONDS) {
    return "its time is later than now";
  }
  (void)roof_time_parse(e->taken, &taken, NULL);
  return taken > e->at + RF_LEDGER_SKEW_SECONDS ? "it was measured later than it was recorded" : NULL;
}

/** The prediction that a measurement is of, and whether it was there first. */
static const char *check_reference(const roof_ledger_entries *all, const roof_ledger_entry *e,
                                   bool predicted) {
  if (isnan(e->prediction)) {
    return predicted      ? "it is of no prediction, but its label has one"
           : !e->unsealed ? "it is of no prediction, and not marked as unsealed"
                          : NULL;
  }
  bool earlier = e->prediction >= 1 && e->prediction < e->sequence && e->prediction == floor(e->prediction);
  const roof_ledger_entry *of = earlier ? &all->entries[(size_t)e->prediction - 1] : NULL;
  if (of == NULL || of->measured || strcmp(of->of.label, e->of.label) != 0) {
    return "the prediction that it is of is no earlier one of its label";
  }
  double lead = rf_ledger_lead(of, e); /* what record rounded otherwise is left to it */
  bool early = rf_ledger_is_early(of, e->taken);
  bool wrong = e->unsealed ? !early && lead <= 0 : early || lead > 2 * RF_LEDGER_SKEW_SECONDS;
  return wrong ? "its mark `unsealed` is wrong" : NULL;
}

roof_status rf_ledger_check(const roof_ledger_entries *all, const char *file, roof_error *error) {
  ledger_labels labels;
  bool *predicted = calloc(all->count + 1, sizeof *predicted);
  bool room = rf_ledger_labels_init(&labels, all->count) && predicted != NULL;
  roof_status status = room ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", file);
  double now = roof_time_now();
  for (size_t i = 0; i < all->count && status == ROOF_OK; i++) {
    const roof_ledger_entry *e = &all->entries[i];
    bool *has = &predicted[rf_ledger_label_index(&labels, e->of.label)];
    const char *why = check_time(e, i > 0 ? e - 1 : NULL, now);
    if (why == NULL) {
      why = e->measured ? check_reference(all, e, *has) : rf_ledger_contradiction(&e->of);
    }
    *has |= !e->measured;
    if (why != NULL) {
      status = roof_error_set(error, ROOF_E_GATE, "entry %zu: %s", i + 1, why);
      roof_error_at(error, file, (int)(i + 1), 0);
    }
  }
  free(predicted);
  rf_ledger_labels_done(&labels);
  return status;
}
