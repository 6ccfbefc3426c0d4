/* Machines that were read once are kept: a slider asks for the same ones again and again. The linker gives what calls
 * roof_catalog_load, roof_catalog_load_known and rf_catalog_load from elsewhere these three (--wrap). */
#include <stdlib.h>
#include <string.h>

#include "catalog/family.h"
#include "roofline/catalog.h"
#include "web/wasm/host.h"

enum { KEPT_MAX = 128 };

static struct {
  char *name;
  roof_machine *machine;
} kept[KEPT_MAX];
static int kept_count;

void web_machines_forget(void) {
  while (kept_count > 0) {
    free(kept[--kept_count].name);
    roof_machine_free(kept[kept_count].machine);
  }
}

static const roof_machine *find(const char *name) {
  for (int i = 0; i < kept_count; i++) {
    if (strcmp(kept[i].name, name) == 0) {
      return kept[i].machine;
    }
  }
  return NULL;
}

/** Keeps `machine`, the caller's; without memory it is only not kept. */
static void keep(const char *name, const roof_machine *machine) {
  char *own = kept_count < KEPT_MAX ? strdup(name) : NULL;
  roof_machine *copy = own != NULL ? roof_machine_copy(machine) : NULL;
  if (copy == NULL) {
    free(own);
    return;
  }
  kept[kept_count].name = own;
  kept[kept_count++].machine = copy;
}

roof_status __real_rf_catalog_load(const char *name, rf_families *families, roof_machine **machine,
                                   roof_error *error);
roof_status __wrap_rf_catalog_load(const char *name, rf_families *families, roof_machine **machine,
                                   roof_error *error);
roof_status __wrap_roof_catalog_load(const char *name, roof_machine **machine, roof_error *error);
roof_status __wrap_roof_catalog_load_known(const char *name, roof_machine **machine, roof_error *error);

roof_status __wrap_rf_catalog_load(const char *name, rf_families *families, roof_machine **machine,
                                   roof_error *error) {
  roof_machine *loaded = NULL;
  const roof_machine *known = find(name);
  if (known != NULL) {
    loaded = roof_machine_copy(known);
    *machine = loaded != NULL ? loaded : *machine;
    return loaded != NULL ? ROOF_OK
                          : roof_error_set(error, ROOF_E_MEMORY, "machine `%s`: out of memory", name);
  }
  roof_status status = __real_rf_catalog_load(name, families, &loaded, error);
  if (status == ROOF_OK) {
    keep(name, loaded);
    *machine = loaded;
  }
  return status;
}

roof_status __wrap_roof_catalog_load(const char *name, roof_machine **machine, roof_error *error) {
  rf_families families = {0};
  roof_status status = __wrap_rf_catalog_load(name, &families, machine, error);
  rf_families_done(&families);
  return status;
}

roof_status __wrap_roof_catalog_load_known(const char *name, roof_machine **machine, roof_error *error) {
  roof_error why = {0};
  *machine = NULL;
  if (__wrap_roof_catalog_load(name, machine, &why) == ROOF_E_MEMORY) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s", why.message);
  }
  return ROOF_OK;
}
