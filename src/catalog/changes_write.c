/* Changes between two measurements written as roofline.change/1. */
#include "documents/json.h"
#include "roofline/changes.h"

static json_t *text_or_null(const char *text) {
  return text[0] != '\0' ? json_string(text) : json_null();
}

static json_t *change_json(const roof_figure_change *c) {
  return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:b}", "figure", c->figure,
                   "unit", c->unit, "old", rf_json_number(c->old_value), "new", rf_json_number(c->new_value),
                   "ratio", rf_json_number(c->ratio), "noise", rf_json_number(c->noise), "verdict",
                   roof_change_verdict_name(c->verdict), "ratio_per_cycle", rf_json_number(c->cycle_ratio),
                   "p", rf_json_number(c->p), "noisy_old", text_or_null(c->noisy_old), "noisy_new",
                   text_or_null(c->noisy_new), "ceiling", c->ceiling);
}

static json_t *machine_json(const roof_machine *machine) {
  return json_pack("{s:s, s:s}", "machine", machine->name, "date", machine->date);
}

roof_status roof_changes_write(const roof_changes *changes, const roof_machine *old_machine,
                               const roof_machine *new_machine, roof_text *out, roof_error *error) {
  json_t *figures = json_array();
  for (size_t i = 0; i < changes->count; i++) {
    rf_json_append(figures, change_json(&changes->list[i]));
  }
  return rf_json_write(json_pack("{s:s, s:o, s:o, s:o}", "schema", "roofline.change/1", "old",
                                 machine_json(old_machine), "new", machine_json(new_machine), "figures",
                                 figures),
                       "changes", out, error);
}
