/* `import --ledger`: the kernels that a prediction was sealed for, into the ledger. */
#include <stdlib.h>

#include "cli/import/import.h"
#include "cli/ledger/seal.h"
#include "roofline/documents.h"

/** The rows as measurements, taken when the file was, on the machine whose roof they are under. */
static roof_status measurements_of(const import_answer *answer, roof_measurements *all, roof_error *error) {
  const roof_machine *machine = answer->ceilings->machine;
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < answer->ranking.count && status == ROOF_OK; i++) {
    roof_measurement *m = NULL;
    status = roof_measurements_add(all, &m, error);
    if (status == ROOF_OK) {
      status = roof_record_measurement(answer->ranking.rows[i].record, m, error);
      m->taken = answer->profile->taken;
      snprintf(m->machine, sizeof m->machine, "%s", machine != NULL ? machine->name : "");
    }
  }
  return status;
}

roof_status cli_import_to_ledger(import_answer *answer, const char *ledger, bool unsealed,
                                 roof_error *error) {
  roof_measurements all = {0};
  char commit[ROOF_DIGEST_MAX];
  const char **why = calloc(answer->ranking.count + 1, sizeof *why);
  json_t *left_out = json_array(), *names = json_array();
  cli_commit(commit);
  roof_ledger_options how = {.commit = commit[0] != '\0' ? commit : NULL, .unsealed = unsealed};
  roof_status status = why != NULL ? measurements_of(answer, &all, error)
                                   : roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  if (status == ROOF_OK) {
    status = roof_ledger_record_known(ledger, all.list, all.count, &how, why, error);
  }
  for (size_t i = 0; i < all.count && status == ROOF_OK; i++) {
    const char *name = answer->ranking.rows[i].record->name;
    json_array_append_new(why[i] == NULL ? names : left_out,
                          why[i] == NULL ? json_string(name)
                                         : json_pack("{s:s, s:s}", "what", name, "why", why[i]));
  }
  if (status == ROOF_OK) {
    answer->recorded = json_pack("{s:s, s:O, s:O}", "ledger", ledger, "labels", names, "left_out", left_out);
  }
  json_decref(names);
  json_decref(left_out);
  roof_measurements_done(&all);
  free(why);
  return status;
}

enum { SHOWN = 3 };

void cli_import_add_recorded(const import_answer *answer, roof_text *out) {
  json_t *labels = json_object_get(answer->recorded, "labels"), *label;
  json_t *left_out = json_object_get(answer->recorded, "left_out"), *one;
  const char *ledger = json_string_value(json_object_get(answer->recorded, "ledger"));
  size_t i;
  json_array_foreach(labels, i, label) {
    roof_text_addf(out, "recorded `%s` in %s\n", json_string_value(label), ledger);
  }
  json_array_foreach(left_out, i, one) {
    if (i < SHOWN) {
      roof_text_addf(out, "  not recorded: %.60s: %s\n", json_string_value(json_object_get(one, "what")),
                     json_string_value(json_object_get(one, "why")));
    }
  }
  if (json_array_size(left_out) > SHOWN) {
    roof_text_addf(out, "  and %zu more that are not recorded\n", json_array_size(left_out) - SHOWN);
  }
}
