#include "cli/advise/causes.h"

#include <stdlib.h>
#include <string.h>

/** The machine that was predicted for, while the catalogue has it. */
static void find_machine(cli_why *why, const char *name) {
  if (strcmp(why->name, name) != 0) {
    snprintf(why->name, sizeof why->name, "%s", name);
    roof_machine_free(why->machine);
    why->machine = NULL;
    roof_catalog_load(name, &why->machine, NULL);
  }
}

void cli_why_free(cli_why *why) {
  if (why != NULL) {
    roof_machine_free(why->machine);
  }
  free(why);
}

void cli_why_of(cli_why *why, const roof_reconciled *r) {
  find_machine(why, r->machine);
  roof_why_of(&why->of, r, why->machine);
}

json_t *cli_json_cause(const roof_cause *c) {
  return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:s}", "name", c->name, "certainty",
                   c->certainty == ROOF_SHOWN ? "shown" : "possible", "figure", roof_clue_name(c->clue),
                   "value", rf_json_number(c->value), "threshold", rf_json_number(c->threshold), "sentence",
                   c->sentence, "measurement", c->measurement, "action", c->action, "source", c->source);
}

json_t *cli_why_json(const cli_why *why) {
  json_t *array = json_array();
  for (size_t i = 0; i < why->of.count; i++) {
    json_array_append_new(array, cli_json_cause(&why->of.causes[i]));
  }
  return array;
}
