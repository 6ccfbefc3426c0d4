/* The processor as hwloc describes it. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "measure/cpu/cpu.h"

/** The first of `keys` that the package, or else the machine, has. */
static const char *info(hwloc_topology_t topology, const char *const *keys) {
  hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  for (int i = 0; keys[i] != NULL; i++) {
    const char *value = package != NULL ? hwloc_obj_get_info_by_name(package, keys[i]) : NULL;
    if (value == NULL) {
      value = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), keys[i]);
    }
    if (value != NULL) {
      return value;
    }
  }
  return "";
}

static void add_level(roof_machine *machine, const char *name, roof_level_kind kind, double bytes,
                      double instances) {
  roof_level *level = &machine->levels[machine->level_count++];
  snprintf(level->name, sizeof level->name, "%s", name);
  level->level = kind;
  level->kind = ROOF_MEASURED;
  level->bytes = bytes;
  level->instances = instances;
}

static void add_caches(roof_machine *machine, const roof_topology *topology) {
  static const struct {
    const char *name;
    roof_level_kind kind;
  } levels[] = {{"L1", ROOF_L1}, {"L2", ROOF_L2}, {"L3", ROOF_L3}};
  for (int i = 0; i < topology->cache_count; i++) {
    const roof_cache *cache = &topology->caches[i];
    add_level(machine, levels[cache->level - 1].name, levels[cache->level - 1].kind, cache->bytes,
              cache->instances);
  }
}

void roof_cpu_identify(roof_bench *bench) {
  static const char *const models[] = {"CPUModel", "SoCID", NULL};
  static const char *const vendors[] = {"CPUVendor", NULL};
  roof_machine *machine = bench->machine;
  hwloc_topology_t topology = bench->team.hwloc;
  struct utsname system;
  snprintf(machine->name, sizeof machine->name, "host");
  snprintf(machine->title, sizeof machine->title, "%s", info(topology, models));
  snprintf(machine->vendor, sizeof machine->vendor, "%s", info(topology, vendors));
  snprintf(machine->device_class, sizeof machine->device_class, "cpu");
  snprintf(machine->unit_kind, sizeof machine->unit_kind, "core");
  if (uname(&system) == 0) {
    snprintf(machine->architecture, sizeof machine->architecture, "%.63s", system.machine);
  }
  if (machine->title[0] == '\0') {
    snprintf(machine->title, sizeof machine->title, "%s processor", machine->architecture);
  }
  machine->kind = ROOF_MEASURED;
  machine->unit_count = bench->team.threads;
  add_caches(machine, &bench->team.topology);
  add_level(machine, "DRAM", ROOF_MEMORY, (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), 1);
}
