/* A judged claim written as roofline.claim/1. */
#include <math.h>

#include "documents/json.h"
#include "roofline/documents.h"

/** Keys by what is claimed. */
static const char *const keys[] = {[ROOF_CLAIM_RATE] = "flops_per_second",
                                   [ROOF_CLAIM_BANDWIDTH] = "bytes_per_second",
                                   [ROOF_CLAIM_TIME] = "seconds"};

/** The value under the key of what is claimed, null under the others. */
static json_t *quantity_json(roof_claim_kind kind, double value) {
  json_t *object = json_object();
  for (int k = 0; k <= ROOF_CLAIM_TIME; k++) {
    rf_json_set(object, keys[k], rf_json_number(k == (int)kind ? value : NAN));
  }
  return object;
}

static json_t *matches_json(const roof_claim_judged *j) {
  json_t *matches = json_array();
  for (int i = 0; i < j->match_count; i++) {
    rf_json_append(matches, json_pack("{s:s, s:s, s:o}", "name", j->matches[i].name, "quantity",
                                      keys[j->kind], "value", rf_json_number(j->matches[i].value)));
  }
  return matches;
}

/** null: its limit is assumed, and may be wrong. */
static json_t *possible_json(const roof_claim_judged *j) {
  return j->placed.state == ROOF_PLACE_UNKNOWN ? json_null() : json_boolean(j->possible);
}

roof_status roof_claim_write(const roof_target *target, const roof_claim *claim,
                             const roof_claim_judged *judged, roof_text *out, roof_error *error) {
  const roof_claim_judged *j = judged;
  json_t *claimed = quantity_json(j->kind, j->claimed), *limit = quantity_json(j->kind, j->limit);
  rf_json_set(claimed, "intensity", rf_json_number(claim->value[ROOF_CLAIM_INTENSITY]));
  rf_json_set(limit, "name", json_string(j->limit_name));
  rf_json_set(limit, "source", json_string(j->source));
  return rf_json_write(
      json_pack(
          "{s:s, s:s, s:s?, s:o, s:s, s:o, s:o, s:o, s:o, s:s, s:s, s:s?, s:o}", "schema", "roofline.claim/1",
          "machine", target->machine->name, "op", claim->op != NULL ? claim->op->name : NULL, "parameters",
          claim->op != NULL ? rf_parameters_json(claim->op, claim->values) : json_null(), "dtype",
          roof_dtype_name(j->dtype), "claimed", claimed, "limit", limit, "fraction",
          rf_json_number(j->placed.share), "possible", possible_json(j), "verdict", j->placed.verdict->name,
          "because", j->because, "algorithm", j->algorithm, "matches", matches_json(j)),
      "claim", out, error);
}
