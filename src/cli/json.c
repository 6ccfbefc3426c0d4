#include "cli/cli.h"

void cli_json_add_lines(roof_text *out, json_t *object) {
  rf_json_add(object, JSON_INDENT(2), out);
  roof_text_add(out, "\n");
}

roof_status cli_json_print(json_t *object, roof_error *error) {
  roof_text text = {0};
  cli_json_add_lines(&text, object);
  return cli_print_end(&text, ROOF_OK, error);
}
