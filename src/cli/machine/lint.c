#include "cli/machine/machine.h"

enum { FINDING_MAX = 256 };

/** Findings of all machines, in text and JSON. */
typedef struct tally {
  roof_text text;
  json_t *json;
  int machines, errors, warnings;
} tally;

static void add_findings(tally *t, const char *name, const roof_finding *findings, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count && i < FINDING_MAX; i++) {
    const roof_finding *f = &findings[i];
    const char *severity = f->error ? "error" : "warning";
    f->error ? t->errors++ : t->warnings++;
    roof_text_addf(&t->text, "%s: %s: %s: %s\n", name, severity, f->where, f->message);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s}", "severity", severity, "where", f->where, "message", f->message));
  }
  json_array_append_new(t->json, json_pack("{s:s, s:o}", "name", name, "findings", list));
  t->machines++;
}

static roof_status lint_named(tally *t, const char *name, roof_error *error) {
  roof_machine *machine = NULL;
  roof_finding findings[FINDING_MAX];
  roof_status status = roof_catalog_load(name, &machine, error);
  if (status == ROOF_OK) {
    add_findings(t, machine->name, findings, roof_machine_lint(machine, findings, FINDING_MAX));
  }
  roof_machine_free(machine);
  return status;
}

/** A file that does not even read is a finding of its machine: the others are linted all the same. */
static roof_status lint_listed(tally *t, const roof_catalog_entry *entry, roof_error *error) {
  roof_error why = {0};
  roof_status status = lint_named(t, entry->name, &why);
  if (status == ROOF_E_PARSE || status == ROOF_E_ARGUMENT || status == ROOF_E_NAME ||
      status == ROOF_E_INPUT) {
    roof_finding unreadable = {.error = true};
    snprintf(unreadable.where, sizeof unreadable.where, "line %d, column %d", why.line, why.column);
    snprintf(unreadable.message, sizeof unreadable.message, "%.255s", why.message);
    add_findings(t, entry->origin, &unreadable, 1);
    return ROOF_OK;
  }
  return status == ROOF_OK ? ROOF_OK : roof_error_set(error, status, "%s", why.message);
}

static roof_status lint_all(tally *t, roof_error *error) {
  roof_catalog_list list;
  roof_status status = roof_catalog_list_all(&list, error);
  if (status != ROOF_OK) {
    return status;
  }
  for (size_t i = 0; i < list.count && status == ROOF_OK; i++) {
    status = lint_listed(t, &list.entries[i], error);
  }
  roof_catalog_list_done(&list);
  return status;
}

static roof_status print(const cli_args *args, tally *t, roof_error *error) {
  if (args->json || args->csv) {
    return cli_answer_print(args,
                            json_pack("{s:s, s:i, s:i, s:O}", "schema", "roofline.lint/1", "errors",
                                      t->errors, "warnings", t->warnings, "machines", t->json),
                            error);
  }
  if (!args->quiet) {
    roof_text_addf(&t->text, "%d machine%s: %d error%s, %d warning%s\n", t->machines,
                   t->machines == 1 ? "" : "s", t->errors, t->errors == 1 ? "" : "s", t->warnings,
                   t->warnings == 1 ? "" : "s");
  }
  return cli_print(&t->text, error);
}

roof_status cli_machine_lint_run(const cli_args *args, roof_error *error) {
  tally t = {.json = json_array()};
  roof_status status = args->word_count < 2 ? lint_all(&t, error) : ROOF_OK;
  for (int i = 1; i < args->word_count && status == ROOF_OK; i++) {
    status = lint_named(&t, args->words[i], error);
  }
  status = status == ROOF_OK ? print(args, &t, error) : status;
  json_decref(t.json);
  roof_text_done(&t.text);
  return status == ROOF_OK && t.errors > 0 ? ROOF_E_GATE : status;
}
