/* The cores that take part in a measurement: one core of a kind, or all cores. */
#include <math.h>
#include <stdio.h>

#include "measure/cpu/cpu.h"

static int kinds_of(const rf_bench *bench) {
  return bench->team.topology.kind_count;
}

int rf_core_set_count(const rf_bench *bench) {
  return bench->siblings || bench->team.threads == 1 ? 1 : kinds_of(bench) + 1;
}

rf_core_set rf_core_set_at(const rf_bench *bench, int index) {
  const rf_topology *t = &bench->team.topology;
  rf_core_set set = {.kind = -1, .threads = bench->team.threads};
  set.cores = set.threads < t->core_count ? set.threads : t->core_count;
  set.per_core = (set.threads + set.cores - 1) / set.cores;
  if (index + 1 < rf_core_set_count(bench)) {
    set = (rf_core_set){.kind = index, .threads = 1, .cores = 1, .per_core = 1};
  }
  for (int k = 0; k < RF_CORE_KIND_MAX; k++) {
    set.weights[k] = 1;
  }
  return set;
}

void rf_core_set_enter(const rf_bench *bench, const rf_core_set *set) {
  if (set->kind > 0) {
    rf_team_move(&bench->team, rf_topology_first(&bench->team.topology, set->kind));
  }
}

void rf_core_set_leave(const rf_bench *bench, const rf_core_set *set) {
  if (set->kind > 0) {
    rf_team_move(&bench->team, 0);
  }
}

double rf_core_set_weight(const rf_bench *bench, const rf_core_set *set, int thread) {
  return set->kind >= 0 ? 1 : set->weights[rf_topology_core(&bench->team.topology, thread)->kind];
}

double rf_core_set_work(const rf_bench *bench, const rf_core_set *set) {
  double work = 0;
  for (int i = 0; i < set->threads; i++) {
    work += rf_core_set_weight(bench, set, i);
  }
  return work;
}

bool rf_core_set_is_mixed(const rf_bench *bench, const rf_core_set *set) {
  return set->kind < 0 && kinds_of(bench) > 1;
}

rf_core_limits rf_core_set_limits(const rf_bench *bench, const rf_core_set *set, int bits) {
  static const rf_core_limits unknown = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, ""};
  return set->kind > 0 || rf_core_set_is_mixed(bench, set) ? unknown : rf_cpu_limits("", bits);
}

void rf_core_set_sign(const rf_bench *bench, const rf_core_set *set, int *cores, char *kind, int *per_core) {
  *cores = set->kind < 0 ? 0 : 1;
  *per_core = set->per_core > 1 ? set->per_core : 0;
  snprintf(kind, ROOF_CORE_KIND_SIZE, "%s",
           set->kind >= 0 && kinds_of(bench) > 1 ? bench->team.topology.kinds[set->kind].name : "");
}

char *rf_core_set_name(const rf_bench *bench, const rf_core_set *set, char *text, size_t size) {
  const char *kind =
      set->kind >= 0 && kinds_of(bench) > 1 ? bench->team.topology.kinds[set->kind].name : "core";
  snprintf(text, size, "%d %s%s%s", set->cores, kind, set->cores == 1 ? "" : "s",
           set->per_core > 1 ? ", all hardware threads" : "");
  return text;
}
