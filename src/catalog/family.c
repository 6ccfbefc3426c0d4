#include "catalog/family.h"

#include <string.h>

#include "catalog/builtin.h"
#include "roofline/documents.h"

static bool has(const roof_machine *machine, const roof_constants *wanted) {
  for (int i = 0; i < machine->constants_count; i++) {
    const roof_constants *own = &machine->constants[i];
    if (own->kernel == wanted->kernel && own->dtype == wanted->dtype && own->blocks == wanted->blocks &&
        own->narrow == wanted->narrow && strcmp(own->framework, wanted->framework) == 0) {
      return true;
    }
  }
  return false;
}

static void take_missing(roof_machine *machine, const roof_machine *family) {
  for (int i = 0; i < family->constants_count; i++) {
    const roof_constants *theirs = &family->constants[i];
    roof_constants *added = has(machine, theirs) ? NULL : roof_machine_add_constants(machine);
    if (added != NULL) {
      *added = *theirs;
      added->kind = ROOF_ASSUMED;
    }
  }
}

/** Takes what the files FAMILY.KIND.json have. */
static roof_status inherit_from(roof_machine *machine, const char *name, roof_error *error) {
  size_t length = strlen(name);
  roof_status status = ROOF_OK;
  for (unsigned i = 0; i < rf_builtin_constant_count && length > 0 && status == ROOF_OK; i++) {
    const rf_builtin *b = &rf_builtin_constants[i];
    roof_machine *family = NULL;
    if (strncmp(b->name, name, length) != 0 || b->name[length] != '.') {
      continue;
    }
    status = roof_machine_read(b->text, (size_t)(b->end - b->text), b->name, &family, error);
    if (status == ROOF_OK) {
      take_missing(machine, family);
    }
    roof_machine_free(family);
  }
  return status;
}

roof_status rf_catalog_inherit(roof_machine *machine, roof_error *error) {
  roof_status status = inherit_from(machine, machine->name, error);
  status = status == ROOF_OK ? inherit_from(machine, machine->family, error) : status;
  return status == ROOF_OK ? inherit_from(machine, machine->device_class, error) : status;
}
