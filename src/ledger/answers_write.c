/* What was done to a ledger and whether it holds, as documents. */
#include <math.h>

#include "documents/json.h"
#include "ledger/anchor.h"
#include "roofline/time.h"

/** [{"label": ..., "why": ...}] of those by hand. */
static json_t *by_hand_json(const roof_sealings *sealings) {
  json_t *list = json_array();
  for (size_t i = 0; i < sealings->count; i++) {
    const roof_sealing *s = &sealings->list[i];
    if (s->origin == ROOF_SEALING_HAND) {
      rf_json_append(list, json_pack("{s:s, s:s}", "label", s->label, "why", s->doubt));
    }
  }
  return list;
}

roof_status roof_ledger_write_sealed(const char *ledger, const roof_sealings *sealings, bool is_signed,
                                     roof_text *out, roof_error *error) {
  const char *labels = sealings->count > 0 ? sealings->list[0].label : NULL;
  return rf_json_write(json_pack("{s:s, s:s, s:b, s:o, s:o}", "schema", "roofline.sealed/1", "ledger", ledger,
                                 "signed", (int)is_signed, "labels",
                                 rf_json_texts(labels, sizeof *sealings->list, (int)sealings->count),
                                 "by_hand", by_hand_json(sealings)),
                       "seal", out, error);
}

roof_status roof_ledger_write_recorded(const char *ledger, const roof_measurements *all, roof_text *out,
                                       roof_error *error) {
  char when[ROOF_TIME_MAX];
  double taken = all->count > 0 ? all->list[0].taken : NAN;
  const char *labels = all->count > 0 ? all->list[0].label : NULL;
  return rf_json_write(json_pack("{s:s, s:s, s:o, s:s?, s:s}", "schema", "roofline.recorded/1", "ledger",
                                 ledger, "labels", rf_json_texts(labels, sizeof *all->list, (int)all->count),
                                 "taken", isnan(taken) ? NULL : roof_time_write(taken, when), "taken_from",
                                 roof_taken_name(all->taken)),
                       "record", out, error);
}

/** Which entries the signatures of the key cover. */
static void add_cover(const roof_ledger_summary *s, roof_text *out) {
  if (s->covered > 0) {
    roof_text_addf(out, "\nof the key: %zu signature%s; entries 1 to %zu are covered", s->own_signatures,
                   s->own_signatures == 1 ? "" : "s", s->covered);
  } else {
    roof_text_add(out, "\nof the key: no signature");
  }
  if (s->covered < s->entries) {
    roof_text_addf(out, "\nnot covered: entries %zu to %zu, which whoever writes the file can change or drop",
                   s->covered + 1, s->entries);
  }
}

void roof_ledger_sentence(const char *ledger, const roof_ledger_summary *s, roof_text *out) {
  roof_text_addf(out, "%s is intact: %zu entr%s, %zu prediction%s, %zu measurement%s", ledger, s->entries,
                 s->entries == 1 ? "y" : "ies", s->predictions, s->predictions == 1 ? "" : "s",
                 s->measurements, s->measurements == 1 ? "" : "s");
  rf_ledger_doubts_add(&s->doubts, out);
  if (s->signatures > 0) {
    roof_text_addf(out, "; %zu signature%s match%s%s", s->signatures, s->signatures == 1 ? "" : "s",
                   s->signatures == 1 ? "es" : "",
                   s->keyed ? "" : " the keys in them, which may be anyone's: --key PUB says whose");
  }
  roof_text_addf(out, "\nhead %zu:%s", s->entries, s->head);
  if (s->torn_files > 0) {
    roof_text_addf(out, "\ntorn ends kept: %zu, in %s.torn%s", s->torn_files, ledger,
                   s->torn_files > 1 ? " and on" : "");
  }
  if (s->keyed) {
    add_cover(s, out);
  }
}

static json_t *count_of_key(const roof_ledger_summary *s, size_t count) {
  return s->keyed ? json_integer((json_int_t)count) : json_null();
}

roof_status roof_ledger_write_summary(const char *ledger, const roof_ledger_summary *summary,
                                      const roof_anchors *anchors, roof_text *out, roof_error *error) {
  const roof_ledger_summary *s = summary;
  json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:s, s:o, s:o, s:I, s:o, s:I}", "schema",
                             "roofline.verification/1", "ledger", ledger, "entries", (json_int_t)s->entries,
                             "predictions", (json_int_t)s->predictions, "measurements",
                             (json_int_t)s->measurements, "signatures", (json_int_t)s->signatures, "head",
                             s->head, "own_signatures", count_of_key(s, s->own_signatures), "covered",
                             count_of_key(s, s->covered), "anchored", (json_int_t)roof_anchors_cover(anchors),
                             "anchors", rf_anchors_json(anchors), "torn_files", (json_int_t)s->torn_files);
  return rf_ledger_doubts_write(object, &s->doubts, "verify", out, error);
}
