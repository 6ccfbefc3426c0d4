/* The processor, from hwloc's description. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/figures.h"
#include "host/groups.h"
#include "measure/cpu/cpu.h"
#include "roofline/units.h"

/** Copies the first of `keys` that the package, or else the machine, has, without the blanks that fill a name of a processor. */
static void copy_info(hwloc_topology_t topology, const char *const *keys, char *to, size_t size) {
  hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  for (int i = 0; keys[i] != NULL; i++) {
    const char *value = package != NULL ? hwloc_obj_get_info_by_name(package, keys[i]) : NULL;
    if (value == NULL) {
      value = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), keys[i]);
    }
    if (value != NULL) {
      int length = (int)strlen(value);
      while (length > 0 && value[length - 1] == ' ') {
        length--;
      }
      snprintf(to, size, "%.*s", length, value);
      return;
    }
  }
  to[0] = '\0';
}

static int add_level(roof_level *levels, int count, const char *name, roof_level_kind kind) {
  rf_record_init(&rf_level_record, &levels[count]);
  snprintf(levels[count].name, sizeof levels[count].name, "%s", name);
  levels[count].level = kind;
  levels[count].kind = ROOF_MEASURED;
  return count + 1;
}

/** Caches of one level make one entry; if kinds of core differ, it has their average size. */
static int add_caches(roof_level *levels, const rf_topology *topology) {
  static const char *const names[] = {"L1", "L2", "L3"};
  int count = 0, last = 0;
  for (int i = 0; i < topology->cache_count; i++) {
    const rf_cache *cache = &topology->caches[i];
    if (cache->level != last) {
      roof_level_kind kind = (roof_level_kind)((int)ROOF_L1 + cache->level - 1);
      count = add_level(levels, count, names[cache->level - 1], kind);
      levels[count - 1].bytes = levels[count - 1].instances = 0;
      last = cache->level;
    }
    roof_level *level = &levels[count - 1];
    double all = level->bytes * level->instances + cache->bytes * cache->instances;
    level->instances += cache->instances;
    level->bytes = all / level->instances;
  }
  return count;
}

/** Notes which part of the machine may be used, its kinds of core and its memory domains. */
static void note_plan(rf_bench *bench) {
  const rf_topology *t = &bench->team.topology;
  int elsewhere = t->machine_threads - t->thread_count;
  if (t->refused_cores > 0) {
    rf_bench_note(bench, "part of the machine: cgroup CPU quota: %d of %d cores", t->core_count,
                  t->core_count + t->refused_cores);
  } else if (elsewhere > 0 && bench->options->threads == 0) {
    rf_bench_note(
        bench, "part of the machine: this process may use %d of %d hardware threads (CPU affinity or cgroup)",
        t->thread_count, t->machine_threads);
  }
  for (int k = 0; k < t->kind_count && t->kind_count > 1; k++) {
    char clock[32];
    rf_bench_note(bench, "kind of core: %d %s%s, up to %s", t->kinds[k].cores, t->kinds[k].name,
                  t->kinds[k].cores == 1 ? "" : "s",
                  roof_quantity_format(clock, sizeof clock, t->kinds[k].highest_hz, "Hz"));
  }
  if (t->cache_count == 0) {
    rf_bench_note(bench, "caches: not reported by the system, so none is measured");
  }
  if (t->node_count == 1) {
    rf_bench_note(bench, "memory: one domain");
  }
}

/** Bytes of memory that this process may have; a note says when a control group gives less than there is. */
static double memory_bytes(rf_bench *bench) {
  double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  double limit = rf_groups_memory_limit("");
  char used[32], installed[32];
  if (limit < all) {
    rf_bench_note(bench, "part of the machine: cgroup memory limit: %s of %s",
                  roof_bytes_format(used, sizeof used, limit),
                  roof_bytes_format(installed, sizeof installed, all));
  }
  return limit < all ? limit : all;
}

int rf_cpu_identify(rf_bench *bench, roof_level *levels) {
  static const char *const models[] = {"CPUModel", "SoCID", NULL};
  static const char *const vendors[] = {"CPUVendor", NULL};
  roof_machine *machine = bench->machine;
  hwloc_topology_t topology = bench->team.hwloc;
  struct utsname system;
  snprintf(machine->name, sizeof machine->name, "host");
  copy_info(topology, models, machine->title, sizeof machine->title);
  copy_info(topology, vendors, machine->vendor, sizeof machine->vendor);
  snprintf(machine->device_class, sizeof machine->device_class, "cpu");
  snprintf(machine->unit_kind, sizeof machine->unit_kind, "core");
  if (uname(&system) == 0) {
    snprintf(machine->architecture, sizeof machine->architecture, "%.63s", system.machine);
  }
  if (machine->title[0] == '\0') {
    snprintf(machine->title, sizeof machine->title, "%s processor", machine->architecture);
  }
  machine->kind = ROOF_MEASURED;
  machine->unit_count = bench->team.topology.core_count;
  rf_origin_set(&machine->unit_origin, ROOF_MEASURED,
                "the system's topology: cores that this process may use", machine->date);
  note_plan(bench);
  int count = add_level(levels, add_caches(levels, &bench->team.topology), "DRAM", ROOF_MEMORY);
  levels[count - 1].bytes = memory_bytes(bench);
  levels[count - 1].instances = 1;
  return count;
}
