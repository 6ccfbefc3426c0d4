/* Where a rank is: the core and the socket that the launcher bound it to, and the switches above its node. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/fabric_measure.h"
#include "host/probe.h"

static int topology_of(int processor, const char *name) {
  char path[96], line[32];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", processor, name);
  return rf_probe_line("", path, line, sizeof line) ? atoi(line) : -1;
}

/** What all processors that this rank may use have in common; -1: they differ. */
static int common(const cpu_set_t *bound, const char *name) {
  int all = -1;
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (CPU_ISSET((size_t)i, bound)) {
      int one = topology_of(i, name);
      if (one < 0 || (all >= 0 && one != all)) {
        return -1;
      }
      all = one;
    }
  }
  return all;
}

rf_rank_place rf_rank_place_here(const char *node) {
  const char *path = secure_getenv("SLURM_TOPOLOGY_ADDR");
  rf_rank_place here = {.socket = -1, .core = -1};
  cpu_set_t bound;
  snprintf(here.node, sizeof here.node, "%s", node);
  snprintf(here.path, sizeof here.path, "%s", path == NULL ? "" : path);
  if (sched_getaffinity(0, sizeof bound, &bound) == 0) {
    here.socket = common(&bound, "physical_package_id");
    here.core = here.socket >= 0 ? common(&bound, "core_id") : -1;
  }
  return here;
}
