/* The findings of several machines, or of the whole catalogue. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/family.h"
#include "documents/json.h"
#include "roofline/catalog.h"

/** Appends a machine with what was found; false when memory is out. */
static bool add_machine(roof_lint *lint, const char *name, const roof_finding *findings, size_t count) {
  char **machines = realloc(lint->machines, (lint->machine_count + 1) * sizeof *machines);
  lint->machines = machines != NULL ? machines : lint->machines;
  roof_lint_finding *all = realloc(lint->findings, (lint->count + count + 1) * sizeof *all);
  lint->findings = all != NULL ? all : lint->findings;
  char *copy = strdup(name);
  if (machines == NULL || all == NULL || copy == NULL) {
    free(copy);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    all[lint->count++] = (roof_lint_finding){copy, findings[i]};
    findings[i].error ? lint->errors++ : lint->warnings++;
  }
  machines[lint->machine_count++] = copy;
  return true;
}

static roof_status lint_machine(roof_lint *lint, const roof_machine *machine) {
  size_t count = roof_machine_lint(machine, NULL, 0);
  roof_finding *findings = calloc(count + 1, sizeof *findings);
  bool added = false;
  if (findings != NULL) {
    roof_machine_lint(machine, findings, count);
    added = add_machine(lint, machine->name, findings, count);
  }
  free(findings);
  return added ? ROOF_OK : ROOF_E_MEMORY;
}

static roof_status lint_named(roof_lint *lint, const char *name, rf_families *families, roof_error *error) {
  roof_machine *machine = NULL;
  roof_status status = rf_catalog_load(name, families, &machine, error);
  if (status == ROOF_OK && lint_machine(lint, machine) != ROOF_OK) {
    status = roof_error_set(error, ROOF_E_MEMORY, "machine lint: out of memory");
  }
  roof_machine_free(machine);
  return status;
}

/** A file that does not even read is a finding of its machine: the others are linted all the same. */
static roof_status lint_listed(roof_lint *lint, const roof_catalog_entry *entry, rf_families *families,
                               roof_error *error) {
  roof_error why = {0};
  roof_status status = lint_named(lint, entry->name, families, &why);
  if (status == ROOF_E_PARSE || status == ROOF_E_ARGUMENT || status == ROOF_E_NAME ||
      status == ROOF_E_INPUT) {
    roof_finding unreadable = {.error = true};
    snprintf(unreadable.where, sizeof unreadable.where, "line %d, column %d", why.line, why.column);
    snprintf(unreadable.message, sizeof unreadable.message, "%.255s", why.message);
    status = add_machine(lint, entry->origin, &unreadable, 1) ? ROOF_OK : ROOF_E_MEMORY;
  }
  return status == ROOF_OK ? ROOF_OK : roof_error_set(error, status, "%s", why.message);
}

static roof_status lint_catalog(roof_lint *lint, rf_families *families, roof_error *error) {
  roof_catalog_list list;
  roof_status status = roof_catalog_list_all(&list, error);
  if (status != ROOF_OK) {
    return status;
  }
  for (size_t i = 0; i < list.count && status == ROOF_OK; i++) {
    status = lint_listed(lint, &list.entries[i], families, error);
  }
  roof_catalog_list_done(&list);
  return status;
}

roof_status roof_catalog_lint(const char *const *names, int count, roof_lint *lint, roof_error *error) {
  roof_lint all = {0};
  rf_families families = {0};
  roof_status status = count == 0 ? lint_catalog(&all, &families, error) : ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = lint_named(&all, names[i], &families, error);
  }
  rf_families_done(&families);
  if (status != ROOF_OK) {
    roof_lint_done(&all);
    return status;
  }
  *lint = all;
  return ROOF_OK;
}

void roof_lint_done(roof_lint *lint) {
  for (size_t i = 0; i < lint->machine_count; i++) {
    free(lint->machines[i]);
  }
  free(lint->machines);
  free(lint->findings);
  *lint = (roof_lint){0};
}

roof_status roof_lint_write(const roof_lint *lint, roof_text *out, roof_error *error) {
  json_t *machines = json_array();
  size_t next = 0;
  for (size_t i = 0; i < lint->machine_count; i++) {
    json_t *list = json_array();
    for (; next < lint->count && lint->findings[next].machine == lint->machines[i]; next++) {
      const roof_finding *f = &lint->findings[next].finding;
      rf_json_append(list, json_pack("{s:s, s:s, s:s}", "severity", f->error ? "error" : "warning", "where",
                                     f->where, "message", f->message));
    }
    rf_json_append(machines, json_pack("{s:s, s:o}", "name", lint->machines[i], "findings", list));
  }
  return rf_json_write(json_pack("{s:s, s:i, s:i, s:o}", "schema", "roofline.lint/1", "errors", lint->errors,
                                 "warnings", lint->warnings, "machines", machines),
                       "machine lint", out, error);
}
