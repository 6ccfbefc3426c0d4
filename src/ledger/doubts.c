/* What a ledger that holds may have in it and a sceptic asks about. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"
#include "ledger/entry.h"

/** What came before of one label. */
typedef struct before {
  bool predicted;
  bool measured;
} before;

static void add_entry(const roof_ledger_entry *e, before *b, roof_ledger_doubts *d) {
  d->torn += isnan(e->torn_bytes) ? 0 : 1;
  if (e->measured) {
    d->unsealed += e->unsealed;
    d->differing += e->differs[0] != '\0';
    b->measured = true;
    return;
  }
  d->superseded += b->predicted;
  d->after_measurement += b->measured;
  d->by_hand += strcmp(e->origin, roof_sealing_origin_name(ROOF_SEALING_HAND)) == 0;
  b->predicted = true;
}

/** Whether the clock was set between two entries that one start of the system wrote. Clocks are corrected by up to a
 * thousandth. */
static bool contradict(const roof_ledger_entry *earlier, const roof_ledger_entry *later) {
  static const double drift = 1e-3;
  double by_date = later->at - earlier->at, by_uptime = later->uptime - earlier->uptime;
  return fabs(by_date - by_uptime) > RF_LEDGER_SKEW_SECONDS + drift * fabs(by_uptime);
}

roof_status rf_ledger_doubts_of(const roof_ledger_entries *ledger, roof_ledger_doubts *doubts,
                                roof_error *error) {
  roof_ledger_doubts d = {0};
  ledger_labels labels, boots = {0};
  before *list = calloc(ledger->count + 1, sizeof *list);
  const roof_ledger_entry **last = calloc(ledger->count + 1, sizeof *last);
  bool room = rf_ledger_labels_init(&labels, ledger->count) && rf_ledger_labels_init(&boots, ledger->count) &&
              list != NULL && last != NULL;
  for (size_t i = 0; i < ledger->count && room; i++) {
    const roof_ledger_entry *e = &ledger->entries[i];
    add_entry(e, &list[rf_ledger_label_index(&labels, e->of.label)], &d);
    if (e->boot[0] != '\0' && e->uptime > 0) {
      const roof_ledger_entry **of_boot = &last[rf_ledger_label_index(&boots, e->boot)];
      d.clocks += *of_boot != NULL && contradict(*of_boot, e);
      *of_boot = e;
    }
  }
  if (room) {
    *doubts = d;
  }
  rf_ledger_labels_done(&labels);
  rf_ledger_labels_done(&boots);
  free(list);
  free(last);
  return room ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "ledger: out of memory");
}

/** Each with its name in documents and in words. */
static const struct {
  size_t offset;
  const char *name, *words;
} kinds[] = {
    {offsetof(roof_ledger_doubts, unsealed), "unsealed", "unsealed"},
    {offsetof(roof_ledger_doubts, superseded), "superseded", "re-predicted"},
    {offsetof(roof_ledger_doubts, after_measurement), "after_measurement", "predicted after a measurement"},
    {offsetof(roof_ledger_doubts, by_hand), "by_hand", "predicted by hand"},
    {offsetof(roof_ledger_doubts, differing), "differing", "of another machine or format than predicted"},
    {offsetof(roof_ledger_doubts, clocks), "clocks", "with a clock that was set"},
    {offsetof(roof_ledger_doubts, torn), "torn", "after a torn end that was dropped"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static size_t count_of(const roof_ledger_doubts *d, int kind) {
  return *(const size_t *)(const void *)((const char *)d + kinds[kind].offset);
}

void rf_ledger_doubts_add(const roof_ledger_doubts *d, roof_text *out) {
  for (int i = 0; i < KINDS; i++) {
    if (count_of(d, i) > 0) {
      roof_text_addf(out, ", %zu %s", count_of(d, i), kinds[i].words);
    }
  }
}

roof_status rf_ledger_doubts_check(const roof_ledger_doubts *d, const char *ledger, roof_error *error) {
  roof_text words = {0};
  rf_ledger_doubts_add(d, &words);
  roof_status status = words.failed ? roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", ledger)
                       : words.length == 0
                           ? ROOF_OK
                           : roof_error_set(error, ROOF_E_GATE, "%s: --strict: %s", ledger, words.data + 2);
  roof_text_done(&words);
  return status;
}

roof_status rf_ledger_doubts_write(json_t *object, const roof_ledger_doubts *d, const char *what,
                                   roof_text *out, roof_error *error) {
  bool kept = object != NULL;
  for (int i = 0; i < KINDS && kept; i++) {
    kept = json_object_set_new(object, kinds[i].name, json_integer((json_int_t)count_of(d, i))) == 0;
  }
  if (!kept) {
    json_decref(object);
  }
  return rf_json_write(kept ? object : NULL, what, out, error);
}
