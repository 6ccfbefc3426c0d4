/* How fast memory is at this moment, read by all threads of a team. */
#include <math.h>
#include <stdlib.h>

#include "host/memory.h"
#include "kernels/data.h"
#include "measure/cpu/memory_rate.h"

enum { CACHES = 2, LEAST = 64 << 20, ROUNDS = 3 };

static void read_part(void *user, int thread, int threads) {
  const rf_memory_probe *probe = user;
  (void)threads;
  char *part = (char *)probe->data + probe->each * (size_t)thread;
  rf_lanes_span span = {part, part, part, probe->each, 0, probe->each};
  rf_lanes_best()->transfers[RF_LOAD][probe->way](&span);
}

static double pass_rate(const rf_memory_probe *probe) {
  rf_memory_probe p = *probe;
  double bytes = (double)p.each * p.team->threads;
  return bytes / rf_team_time(p.team, p.team->threads, read_part, &p);
}

/** The faster of two ways to read. */
static rf_way choose_way(const rf_memory_probe *probe) {
  rf_memory_probe plain = *probe, ahead = *probe;
  plain.way = RF_UNROLL_16;
  ahead.way = RF_AHEAD;
  return pass_rate(&plain) > pass_rate(&ahead) ? plain.way : ahead.way;
}

bool rf_memory_probe_init(rf_memory_probe *probe, const rf_team *team) {
  double wanted = fmax(CACHES * rf_topology_last_cache(&team->topology, team->threads), LEAST);
  double bytes = fmin(wanted, rf_memory_available("") / 4);
  rf_memory_probe p = {.team = team, .each = rf_cpu_floor_power(bytes / team->threads)};
  size_t count = p.each * (size_t)team->threads / sizeof(double);
  if (rf_data_new("memory probe", (double)(count * sizeof(double)), &p.data, NULL) != ROOF_OK) {
    return false;
  }
  rf_team_widen(team);
  rf_data_fill(p.data, ROOF_FP64, count, 1, team->setup_threads);
  rf_team_narrow(team);
  p.way = choose_way(&p);
  *probe = p;
  return true;
}

double rf_memory_probe_rate(const rf_memory_probe *probe) {
  double best = 0;
  for (int i = 0; i < ROUNDS; i++) {
    best = fmax(best, pass_rate(probe));
  }
  return best;
}

void rf_memory_probe_done(rf_memory_probe *probe) {
  free(probe->data);
  *probe = (rf_memory_probe){.data = NULL};
}
