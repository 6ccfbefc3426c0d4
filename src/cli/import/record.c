/* `import --ledger`: the kernels that a prediction was sealed for, into the ledger. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/import/import.h"
#include "cli/ledger/seal.h"
#include "roofline/documents.h"

/** The labels predicted in the ledger as the keys of an object; empty where there is no ledger yet. */
static roof_status predicted(const char *ledger, json_t **labels, roof_error *error) {
  roof_reconcile all = {0};
  *labels = json_object();
  roof_status status = access(ledger, F_OK) == 0 ? roof_ledger_reconcile(ledger, &all, error) : ROOF_OK;
  for (size_t i = 0; i < all.count; i++) {
    json_object_set_new(*labels, all.entries[i].label, json_true());
  }
  for (size_t i = 0; i < all.unmatched_prediction_count; i++) {
    json_object_set_new(*labels, all.unmatched_predictions[i], json_true());
  }
  roof_reconcile_done(&all);
  return status;
}

/** Why a kernel cannot be recorded, or NULL. */
static const char *obstacle(const import_placed *row, json_t *labels, bool unsealed) {
  bool sealed = json_object_get(labels, row->record->name) != NULL;
  return !sealed && !unsealed ? "no prediction of it is sealed"
         : strlen(row->record->name) >= ROOF_LABEL_MAX
             ? "its name is too long for a label: --group 'REGEX=NAME'"
         : !(row->at.seconds > 0 && isfinite(row->at.seconds)) ? "the file gives no time of it"
                                                               : NULL;
}

/** Parts the rows into those to record, which `chosen` gets, and what is left out with the reason. */
static void choose(const import_answer *answer, json_t *labels, bool unsealed, import_answer *chosen,
                   json_t *left_out) {
  for (size_t i = 0; i < answer->count; i++) {
    const import_placed *row = &answer->rows[i];
    const char *why = obstacle(row, labels, unsealed);
    if (why == NULL) {
      chosen->rows[chosen->count++] = *row;
    } else {
      json_array_append_new(left_out, json_pack("{s:s, s:s}", "what", row->record->name, "why", why));
    }
  }
}

static roof_status append(const char *ledger, const import_answer *chosen, bool unsealed, roof_error *error) {
  roof_measurement *list = calloc(chosen->count, sizeof *list);
  size_t count = 0;
  char commit[ROOF_DIGEST_MAX];
  cli_commit(commit);
  roof_ledger_options how = {.commit = commit[0] != '\0' ? commit : NULL, .unsealed = unsealed};
  roof_status status = list != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  for (size_t i = 0; i < chosen->count && status == ROOF_OK; i++) {
    status = roof_record_measurement(chosen->rows[i].record, &list[i], error);
    count += status == ROOF_OK;
  }
  for (size_t i = 0; i < count; i++) {
    const roof_machine *machine = chosen->ceilings->machine;
    list[i].taken = chosen->profile->taken;
    snprintf(list[i].machine, sizeof list[i].machine, "%s", machine != NULL ? machine->name : "");
  }
  if (status == ROOF_OK) {
    status = roof_ledger_record(ledger, list, count, &how, error);
  }
  for (size_t i = 0; i < count; i++) {
    roof_measurement_done(&list[i]);
  }
  free(list);
  return status;
}

static roof_status refuse(const char *ledger, json_t *labels, roof_error *error) {
  const char *label = json_object_iter_key(json_object_iter(labels));
  return roof_error_set(
      error, ROOF_E_GATE,
      "%s: no prediction of any of these kernels is sealed%s%s%s; --group 'REGEX=LABEL' names "
      "kernels, --unsealed takes them and marks them so",
      ledger, label != NULL ? " (but of `" : "", label != NULL ? label : "", label != NULL ? "`)" : "");
}

roof_status cli_import_to_ledger(import_answer *answer, const char *ledger, bool unsealed,
                                 roof_error *error) {
  json_t *labels = NULL, *left_out = json_array(), *names = json_array();
  import_answer chosen = *answer;
  chosen.rows = calloc(answer->count + 1, sizeof *chosen.rows);
  chosen.count = 0;
  roof_status status = chosen.rows != NULL ? predicted(ledger, &labels, error)
                                           : roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  if (status == ROOF_OK) {
    choose(answer, labels, unsealed, &chosen, left_out);
    status = chosen.count > 0 ? append(ledger, &chosen, unsealed, error) : refuse(ledger, labels, error);
  }
  if (status == ROOF_OK) {
    for (size_t i = 0; i < chosen.count; i++) {
      json_array_append_new(names, json_string(chosen.rows[i].record->name));
    }
    answer->recorded = json_pack("{s:s, s:O, s:O}", "ledger", ledger, "labels", names, "left_out", left_out);
  }
  json_decref(names);
  json_decref(left_out);
  json_decref(labels);
  free(chosen.rows);
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
