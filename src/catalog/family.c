#include "catalog/family.h"

#include <stdio.h>
#include <string.h>

#include "catalog/builtin.h"
#include "roofline/documents.h"

static const rf_builtin *find_family(const char *name) {
  for (unsigned i = 0; i < rf_builtin_constant_count; i++) {
    if (strcmp(rf_builtin_constants[i].name, name) == 0) {
      return &rf_builtin_constants[i];
    }
  }
  return NULL;
}

static bool has(const roof_machine *machine, const roof_constants *wanted) {
  for (int i = 0; i < machine->constants_count; i++) {
    const roof_constants *own = &machine->constants[i];
    if (own->kernel == wanted->kernel && own->dtype == wanted->dtype) {
      return true;
    }
  }
  return false;
}

roof_status rf_catalog_inherit(roof_machine *machine, roof_error *error) {
  const rf_builtin *builtin = find_family(machine->family);
  roof_machine *family = NULL;
  if (builtin == NULL) {
    return ROOF_OK;
  }
  roof_status status =
      roof_machine_read(builtin->text, (size_t)(builtin->end - builtin->text), builtin->name, &family, error);
  for (int i = 0; status == ROOF_OK && i < family->constants_count; i++) {
    const roof_constants *theirs = &family->constants[i];
    roof_constants *added = has(machine, theirs) ? NULL : roof_machine_add_constants(machine);
    if (added != NULL) {
      *added = *theirs;
      added->kind = ROOF_ASSUMED;
    }
  }
  roof_machine_free(family);
  return status;
}
