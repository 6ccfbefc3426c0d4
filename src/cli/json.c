#include "cli/cli.h"

void cli_json_add_lines(roof_text *out, json_t *object) {
  rf_json_add(object, JSON_INDENT(2), out);
  roof_text_add(out, "\n");
}

roof_status cli_json_print(json_t *object, roof_error *error) {
  roof_text text = {0};
  cli_json_add_lines(&text, object);
  roof_status status = cli_print(&text, error);
  roof_text_done(&text);
  return status;
}

void cli_json_add_placed(json_t *object, const roof_placed *at, double calls) {
  bool bound = at->regime < ROOF_REGIME_COUNT;
  json_object_set_new(object, "ceiling_seconds", rf_json_number(at->ceiling_seconds / calls));
  json_object_set_new(object, "fraction_of_ceiling", rf_json_number(at->share));
  json_object_set_new(object, "lost_seconds", rf_json_number(at->lost_seconds));
  json_object_set_new(object, "regime", bound ? json_string(roof_regime_name(at->regime)) : json_null());
  json_object_set_new(object, "binding", bound ? json_string(at->binding) : json_null());
  json_object_set_new(object, "basis", bound ? json_string(roof_basis_name(at->basis)) : json_null());
  json_object_set_new(object, "verdict", at->verdict != NULL ? json_string(at->verdict->name) : json_null());
  json_object_set_new(object, "why", at->why[0] != '\0' ? json_string(at->why) : json_null());
}
