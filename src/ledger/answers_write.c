/* What was done to a ledger and whether it holds, as documents. */
#include <math.h>

#include "documents/json.h"
#include "roofline/ledger.h"
#include "roofline/time.h"

roof_status roof_ledger_write_sealed(const char *ledger, const roof_sealings *sealings, bool is_signed,
                                     roof_text *out, roof_error *error) {
  const char *labels = sealings->count > 0 ? sealings->list[0].label : NULL;
  return rf_json_write(json_pack("{s:s, s:s, s:b, s:o}", "schema", "roofline.sealed/1", "ledger", ledger,
                                 "signed", (int)is_signed, "labels",
                                 rf_json_texts(labels, sizeof *sealings->list, (int)sealings->count)),
                       "seal", out, error);
}

roof_status roof_ledger_write_recorded(const char *ledger, const roof_measurements *all, roof_text *out,
                                       roof_error *error) {
  static const char *const sources[] = {
      [ROOF_TAKEN_NOW] = "now", [ROOF_TAKEN_SAID] = "document", [ROOF_TAKEN_FILE] = "file date"};
  char when[ROOF_TIME_MAX];
  double taken = all->count > 0 ? all->list[0].taken : NAN;
  const char *labels = all->count > 0 ? all->list[0].label : NULL;
  return rf_json_write(json_pack("{s:s, s:s, s:o, s:s?, s:s}", "schema", "roofline.recorded/1", "ledger",
                                 ledger, "labels", rf_json_texts(labels, sizeof *all->list, (int)all->count),
                                 "taken", isnan(taken) ? NULL : roof_time_write(taken, when), "taken_from",
                                 sources[all->taken]),
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
  roof_text_addf(out, "%s is intact: %zu entries, %zu predictions, %zu measurements", ledger, s->entries,
                 s->predictions, s->measurements);
  if (s->unsealed > 0) {
    roof_text_addf(out, ", %zu of them unsealed", s->unsealed);
  }
  if (s->superseded > 0) {
    roof_text_addf(out, ", %zu predictions of a label that had one", s->superseded);
  }
  if (s->after_measurement > 0) {
    roof_text_addf(out, ", %zu sealed after a measurement of it", s->after_measurement);
  }
  if (s->signatures > 0) {
    roof_text_addf(out, "; %zu signatures match%s", s->signatures,
                   s->keyed ? "" : " the keys in them, which may be anyone's: --key PUB says whose");
  }
  roof_text_addf(out, "\nhead %zu:%s", s->entries, s->head);
  if (s->keyed) {
    add_cover(s, out);
  }
}

roof_status roof_ledger_write_summary(const char *ledger, const roof_ledger_summary *summary, roof_text *out,
                                      roof_error *error) {
  const roof_ledger_summary *s = summary;
  return rf_json_write(json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:o, s:o}", "schema",
                                 "roofline.verification/1", "ledger", ledger, "entries",
                                 (json_int_t)s->entries, "predictions", (json_int_t)s->predictions,
                                 "measurements", (json_int_t)s->measurements, "unsealed",
                                 (json_int_t)s->unsealed, "signatures", (json_int_t)s->signatures,
                                 "superseded", (json_int_t)s->superseded, "after_measurement",
                                 (json_int_t)s->after_measurement, "head", s->head, "own_signatures",
                                 s->keyed ? json_integer((json_int_t)s->own_signatures) : json_null(),
                                 "covered", s->keyed ? json_integer((json_int_t)s->covered) : json_null()),
                       "verify", out, error);
}
