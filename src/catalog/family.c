#include "catalog/family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/builtin.h"
#include "catalog/scaling.h"
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

/** A machine that takes constants. */
typedef struct heir {
  roof_machine *machine;
  rf_families *families;
} heir;

static void free_all(roof_machine **machines, unsigned count) {
  for (unsigned i = 0; machines != NULL && i < count; i++) {
    roof_machine_free(machines[i]);
  }
  free(machines);
}

void rf_families_done(rf_families *families) {
  free_all(families->constants, rf_builtin_constant_count);
  free_all(families->owners, rf_builtin_machine_count);
  *families = (rf_families){0};
}

/** The document of that index, read at its first use into a list of `count`. */
static roof_status read_once(roof_machine ***list, const rf_builtin *all, unsigned count, unsigned index,
                             const roof_machine **read, roof_error *error) {
  if (*list == NULL) {
    *list = calloc(count, sizeof **list);
  }
  if (*list == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "`%s`: out of memory", all[index].name);
  }
  roof_machine **place = &(*list)[index];
  const rf_builtin *b = &all[index];
  roof_status status = *place != NULL
                           ? ROOF_OK
                           : roof_machine_read(b->text, (size_t)(b->end - b->text), b->name, place, error);
  *read = *place;
  return status;
}

/** The machine of that name as it is built in. */
static roof_status find_owner(rf_families *families, const char *name, const roof_machine **owner,
                              roof_error *error) {
  for (unsigned i = 0; i < rf_builtin_machine_count; i++) {
    if (strcmp(rf_builtin_machines[i].name, name) == 0) {
      return read_once(&families->owners, rf_builtin_machines, rf_builtin_machine_count, i, owner, error);
    }
  }
  return roof_error_set(error, ROOF_E_NAME, "constants of `%s`: no such machine", name);
}

/** The largest share of a format's matrix peak that was measured on a machine, of bf16's for a narrow format without one; NaN: none was. */
static double measured_share(const roof_machine *machine, roof_dtype dtype) {
  const roof_peak *reached = roof_machine_peak(machine, dtype, ROOF_MATRIX, false, ROOF_MEASURED);
  const roof_peak *rated = roof_machine_peak(machine, dtype, ROOF_MATRIX, false, ROOF_DATASHEET);
  if (reached != NULL && reached->kind == ROOF_MEASURED && rated->kind != ROOF_MEASURED) {
    return reached->flops_per_second / rated->flops_per_second;
  }
  return roof_dtype_bytes(dtype) <= 2 && dtype != ROOF_BF16 ? measured_share(machine, ROOF_BF16) : NAN;
}

static void limit(roof_constants *c, double share) {
  size_t used = strlen(c->source);
  if (c->values[ROOF_EFFICIENCY] > share) {
    c->values[ROOF_EFFICIENCY] = share;
    snprintf(c->source + used, sizeof c->source - used,
             "; of the peak no more than was measured of this machine");
  }
}

/** Scales constants of another machine to those of the heir; of the peak, where they are of other families, to no more than was
 * measured there. */
static roof_status scale(heir *h, roof_constants *c, bool apart, roof_error *error) {
  const roof_machine *owner = NULL;
  roof_status status = find_owner(h->families, c->machine, &owner, error);
  if (status == ROOF_OK) {
    rf_scaling scaling = rf_scaling_of(c, owner, h->machine, apart);
    rf_scaling_apply(&scaling, c->values, c->values);
    memcpy(c->clocks, scaling.clocks, sizeof c->clocks);
    if (apart && c->kernel != ROOF_KERNEL_STREAM) {
      limit(c, measured_share(h->machine, c->dtype));
    }
    for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
      c->values[i] = rf_scaling_rounded(c->values[i]);
    }
  }
  return status;
}

static roof_status take_missing(heir *h, const roof_machine *family, bool apart, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < family->constants_count && status == ROOF_OK; i++) {
    const roof_constants *theirs = &family->constants[i];
    roof_constants *added = has(h->machine, theirs) ? NULL : roof_machine_add_constants(h->machine);
    if (added != NULL) {
      *added = *theirs;
      added->kind = ROOF_ASSUMED;
      bool own = theirs->machine[0] == '\0' || strcmp(theirs->machine, h->machine->name) == 0;
      status = own ? ROOF_OK : scale(h, added, apart, error);
      added->machine[0] = '\0';
    }
  }
  return status;
}

/** Takes what the files FAMILY.KIND.json have. */
static roof_status inherit_from(heir *h, const char *name, roof_error *error) {
  size_t length = strlen(name);
  roof_status status = ROOF_OK;
  for (unsigned i = 0; i < rf_builtin_constant_count && length > 0 && status == ROOF_OK; i++) {
    const char *own = rf_builtin_constants[i].name;
    const roof_machine *family = NULL;
    if (strncmp(own, name, length) != 0 || own[length] != '.') {
      continue;
    }
    status = read_once(&h->families->constants, rf_builtin_constants, rf_builtin_constant_count, i, &family,
                       error);
    status = status == ROOF_OK ? take_missing(h, family, name == h->machine->device_class, error) : status;
  }
  return status;
}

/** What GPUs of other families say is of tiles for a matrix unit: kernels of one without it do not fill up tiles. */
static bool has_matrix_unit(const roof_machine *machine) {
  bool found = false;
  for (int i = 0; i < machine->peak_count; i++) {
    found = found || (machine->peaks[i].unit == ROOF_MATRIX && machine->peaks[i].flops_per_second > 0);
  }
  return found;
}

roof_status rf_catalog_inherit(roof_machine *machine, rf_families *families, roof_error *error) {
  heir h = {machine, families};
  roof_status status = inherit_from(&h, machine->name, error);
  status = status == ROOF_OK ? inherit_from(&h, machine->family, error) : status;
  if (status == ROOF_OK && has_matrix_unit(machine)) {
    status = inherit_from(&h, machine->device_class, error);
  }
  return status;
}
