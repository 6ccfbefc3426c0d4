/* A ranked cause as a member of documents. */
#include "documents/json.h"

json_t *rf_cause_json(const roof_cause *c) {
  return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:s}", "name", c->name, "certainty",
                   c->certainty == ROOF_SHOWN ? "shown" : "possible", "figure", roof_clue_name(c->clue),
                   "value", rf_json_number(c->value), "threshold", rf_json_number(c->threshold), "sentence",
                   c->sentence, "measurement", c->measurement, "action", c->action, "source", c->source);
}
