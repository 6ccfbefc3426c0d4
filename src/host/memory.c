#include "host/memory.h"

#include <hwloc.h>
#include <math.h>
#include <pthread.h>

#include "host/groups.h"
#include "host/probe.h"

double rf_memory_available(const char *root) {
  double available = rf_probe_number(root, "/proc/meminfo", "MemAvailable") * 1024;
  return fmin(available, rf_groups_memory(root)); /* fmin passes over NaN */
}

static double levels[] = {32.0 * 1024, 512.0 * 1024, 32.0 * 1024 * 1024};

static void read_caches(void) {
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) {
    return;
  }
  hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  for (int i = 0, loaded = hwloc_topology_load(topology); i < 3 && loaded == 0; i++) {
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE};
    hwloc_obj_t cache = hwloc_get_obj_by_type(topology, types[i], 0);
    if (cache != NULL && cache->attr->cache.size > 0) {
      levels[i] = (double)cache->attr->cache.size;
    }
  }
  hwloc_topology_destroy(topology);
}

double rf_cache_bytes(int level) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_caches);
  return levels[level - 1];
}
