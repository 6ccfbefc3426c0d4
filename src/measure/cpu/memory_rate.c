/* How fast memory is at this moment, read by all threads of a team. */
#include <math.h>
#include <stdlib.h>

#include "host/memory.h"
#include "kernels/data.h"
#include "measure/cpu/memory_rate.h"

enum { CACHES = 2, LEAST = 64 << 20, MOST = 512 << 20, ROUNDS = 3 };

typedef struct reading {
  const rf_memory_probe *probe;
  const rf_lanes *lanes;
  rf_way way;
} reading;

bool rf_memory_probe_init(rf_memory_probe *probe, const rf_team *team) {
  double bytes = fmin(fmax(CACHES * rf_cache_bytes(3), LEAST), MOST);
  rf_memory_probe p = {.team = team, .each = rf_cpu_floor_power(bytes / team->threads)};
  size_t count = p.each * (size_t)team->threads / sizeof(double);
  if (rf_data_new("memory probe", (double)(count * sizeof(double)), &p.data, NULL) != ROOF_OK) {
    return false;
  }
  rf_data_fill(p.data, ROOF_FP64, count, 1, team->threads);
  *probe = p;
  return true;
}

static void read_part(void *user, int thread, int threads) {
  const reading *r = user;
  (void)threads;
  char *part = (char *)r->probe->data + r->probe->each * (size_t)thread;
  rf_lanes_span span = {part, part, part, r->probe->each, 0, r->probe->each};
  r->lanes->transfers[RF_LOAD][r->way](&span);
}

double rf_memory_probe_rate(const rf_memory_probe *probe) {
  static const rf_way ways[] = {RF_UNROLL_16, RF_AHEAD};
  double best = 0, bytes = (double)probe->each * probe->team->threads;
  for (int i = 0; i < ROUNDS * (int)(sizeof ways / sizeof ways[0]); i++) {
    reading r = {probe, rf_lanes_best(), ways[i % (int)(sizeof ways / sizeof ways[0])]};
    best = fmax(best, bytes / rf_team_time(probe->team, probe->team->threads, read_part, &r));
  }
  return best;
}

void rf_memory_probe_done(rf_memory_probe *probe) {
  free(probe->data);
  *probe = (rf_memory_probe){.data = NULL};
}
