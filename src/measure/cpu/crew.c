/* Who works in a measurement: one core of a kind, or all cores. */
#include <math.h>
#include <stdio.h>

#include "measure/cpu/cpu.h"

static int kinds_of(const roof_bench *bench) {
  return bench->team.topology.kind_count;
}

int roof_crew_count(const roof_bench *bench) {
  return bench->siblings || bench->team.threads == 1 ? 1 : kinds_of(bench) + 1;
}

roof_crew roof_crew_at(const roof_bench *bench, int index) {
  const roof_topology *t = &bench->team.topology;
  roof_crew crew = {.kind = -1, .threads = bench->team.threads};
  crew.cores = crew.threads < t->core_count ? crew.threads : t->core_count;
  crew.per_core = (crew.threads + crew.cores - 1) / crew.cores;
  if (index + 1 < roof_crew_count(bench)) {
    crew = (roof_crew){.kind = index, .threads = 1, .cores = 1, .per_core = 1};
  }
  for (int k = 0; k < ROOF_CORE_KIND_MAX; k++) {
    crew.weights[k] = 1;
  }
  return crew;
}

void roof_crew_enter(const roof_bench *bench, const roof_crew *crew) {
  if (crew->kind > 0) {
    roof_team_move(&bench->team, roof_topology_first(&bench->team.topology, crew->kind));
  }
}

void roof_crew_leave(const roof_bench *bench, const roof_crew *crew) {
  if (crew->kind > 0) {
    roof_team_move(&bench->team, 0);
  }
}

double roof_crew_weight(const roof_bench *bench, const roof_crew *crew, int thread) {
  return crew->kind >= 0 ? 1 : crew->weights[roof_topology_core(&bench->team.topology, thread)->kind];
}

double roof_crew_work(const roof_bench *bench, const roof_crew *crew) {
  double work = 0;
  for (int i = 0; i < crew->threads; i++) {
    work += roof_crew_weight(bench, crew, i);
  }
  return work;
}

bool roof_crew_is_mixed(const roof_bench *bench, const roof_crew *crew) {
  return crew->kind < 0 && kinds_of(bench) > 1;
}

roof_core_limits roof_crew_limits(const roof_bench *bench, const roof_crew *crew, int bits) {
  static const roof_core_limits unknown = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, ""};
  return crew->kind > 0 || roof_crew_is_mixed(bench, crew) ? unknown : roof_cpu_limits(bits);
}

void roof_crew_sign(const roof_bench *bench, const roof_crew *crew, int *cores, char *kind, int *per_core) {
  *cores = crew->kind < 0 ? 0 : 1;
  *per_core = crew->per_core > 1 ? crew->per_core : 0;
  snprintf(kind, ROOF_CORE_KIND_SIZE, "%s",
           crew->kind >= 0 && kinds_of(bench) > 1 ? bench->team.topology.kinds[crew->kind].name : "");
}

char *roof_crew_name(const roof_bench *bench, const roof_crew *crew, char *text, size_t size) {
  const char *kind =
      crew->kind >= 0 && kinds_of(bench) > 1 ? bench->team.topology.kinds[crew->kind].name : "core";
  snprintf(text, size, "%d %s%s%s", crew->cores, kind, crew->cores == 1 ? "" : "s",
           crew->per_core > 1 ? ", all hardware threads" : "");
  return text;
}
