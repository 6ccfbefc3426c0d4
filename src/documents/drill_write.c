/* A drill written as roofline.drill/1. */
#include "documents/json.h"
#include "roofline/documents.h"

static json_t *round_json(const roof_drill_round *r) {
  return json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:{s:b, s:b, s:b}}", "question", r->question, "machine",
                   r->machine, "intensity", rf_json_number(r->intensity), "ridge", rf_json_number(r->ridge),
                   "regime", roof_regime_name(r->regime), "percent_of_peak", rf_json_number(r->percent),
                   "right", "intensity", r->intensity_right, "regime", r->regime_right, "percent_of_peak",
                   r->percent_right);
}

roof_status roof_drill_write(uint64_t seed, const roof_drill_round *rounds, int count, roof_text *out,
                             roof_error *error) {
  json_t *list = json_array();
  for (int i = 0; i < count; i++) {
    rf_json_append(list, round_json(&rounds[i]));
  }
  json_t *document =
      json_pack("{s:s, s:I, s:i, s:i, s:o}", "schema", "roofline.drill/1", "seed", (json_int_t)seed, "points",
                roof_drill_points(rounds, count), "of", 3 * count, "rounds", list);
  return rf_json_write(document, "drill", out, error);
}
