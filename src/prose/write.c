/* The claims of texts: a sentence, roofline.claims/1, annotations of GitHub. */
#include "documents/annotation.h"
#include "documents/json.h"
#include "roofline/prose.h"

void roof_prose_sentence(const roof_prose *prose, roof_text *out) {
  size_t possible = prose->count - prose->impossible - prose->unknown;
  if (prose->count == 0) {
    roof_text_add(out, "no claims found: none is a speed of a machine that its sentence names");
    return;
  }
  roof_text_addf(out, "%zu of %zu claims %s impossible", prose->impossible, prose->count,
                 prose->impossible == 1 ? "is" : "are");
  if (prose->unknown > 0) {
    roof_text_addf(out, ", %zu unknown, %zu possible", prose->unknown, possible);
  }
}

static json_t *claim_json(const roof_prose_claim *c) {
  return json_pack("{s:s, s:i, s:i, s:s, s:s, s:s, s:b, s:o, s:s?, s:s?, s:s?, s:o, s:s, s:o, s:o, s:s}",
                   "file", c->file, "line", c->line, "column", c->column, "text", c->text, "quantity",
                   roof_prose_kind_name(c->kind), "unit", roof_prose_kind_unit(c->kind), "per_user",
                   c->per_user, "claimed", rf_json_number(c->claimed), "machine",
                   c->machine[0] != '\0' ? c->machine : NULL, "model", c->model[0] != '\0' ? c->model : NULL,
                   "dtype", c->dtype[0] != '\0' ? c->dtype : NULL, "devices", rf_json_number(c->devices),
                   "state", roof_prose_state_name(c->state), "limit", rf_json_number(c->limit), "fraction",
                   rf_json_number(c->fraction), "because", c->because);
}

roof_status roof_prose_write(const roof_prose *prose, roof_text *out, roof_error *error) {
  json_t *claims = json_array();
  for (size_t i = 0; i < prose->count; i++) {
    rf_json_append(claims, claim_json(&prose->claims[i]));
  }
  return rf_json_write(json_pack("{s:s, s:b, s:I, s:I, s:o}", "schema", "roofline.claims/1", "possible",
                                 prose->impossible == 0, "impossible", (json_int_t)prose->impossible,
                                 "unknown", (json_int_t)prose->unknown, "claims", claims),
                       "claim", out, error);
}

roof_status roof_prose_write_github(const roof_prose *prose, roof_text *out, roof_error *error) {
  for (size_t i = 0; i < prose->count; i++) {
    const roof_prose_claim *c = &prose->claims[i];
    if (c->state == ROOF_PROSE_IMPOSSIBLE) {
      rf_annotation note = {"error", c->file, c->line, c->column, c->text, c->because};
      rf_annotation_add(&note, out);
    }
  }
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "claim: out of memory") : ROOF_OK;
}
