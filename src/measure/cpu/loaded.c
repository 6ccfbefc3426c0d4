/* Latency of memory while other cores use its bandwidth. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "host/memory.h"
#include "kernels/data.h"
#include "measure/cpu/cpu.h"

enum { WINDOWS = 5, LOADS = 4000, CHUNK = 16 << 10 };

/** One thread runs dependent loads while the others read, all of the time or part of it. */
typedef struct crowd {
  const rf_bench *bench;
  char *data;     /* what the dependent loads use, then the parts of the others */
  size_t chased;  /* bytes of the former */
  size_t part;    /* bytes of each of the others, a power of two */
  double readers; /* how many others read: 2.25 means two, and one that reads a quarter of the time */
  void **at;      /* position of the dependent loads: no line is used twice */
  double seconds[WINDOWS];
  double drawn; /* bytes/s of all others */
  atomic_int reading;
  atomic_bool done;
} crowd;

static void wait(crowd *c, int others) {
  while (atomic_load(&c->reading) < others) {
  }
  for (int i = 0; i < WINDOWS; i++) {
    c->seconds[i] = rf_chase(&c->at, LOADS);
  }
  atomic_store(&c->done, true);
}

static char *part_of(const crowd *c, int thread) {
  return c->data + c->chased + (size_t)(thread - 1) * c->part;
}

/** Each has its part in the memory next to it. */
static void touch(void *user, int thread, int threads) {
  const crowd *c = user;
  (void)threads;
  if (thread > 0) {
    memset(part_of(c, thread), 0x5a, c->part);
  }
}

/** Reads for `duty` of the time. */
static void draw(crowd *c, int thread, double duty) {
  char *mine = part_of(c, thread);
  rf_lanes_span span = {mine, mine, mine, c->part, 0, CHUNK};
  double begin = rf_clock_seconds(), moved = 0;
  while (!atomic_load(&c->done)) {
    double start = rf_clock_seconds();
    c->bench->lanes->transfers[RF_LOAD][RF_AHEAD](&span);
    double rest = (rf_clock_seconds() - start) * (1 / duty - 1), until = rf_clock_seconds() + rest;
    if (moved == 0) {
      atomic_fetch_add(&c->reading, 1);
    }
    span.begin = (span.begin + CHUNK) & (c->part - 1);
    moved += CHUNK;
    while (rest > 0 && rf_clock_seconds() < until && !atomic_load(&c->done)) {
    }
  }
  double rate = moved / (rf_clock_seconds() - begin);
#pragma omp atomic
  c->drawn += rate;
}

static void crowd_body(void *user, int thread, int threads) {
  crowd *c = user;
  double duty = fmin(1, c->readers - (thread - 1));
  (void)threads;
  if (thread == 0) {
    wait(c, (int)ceil(c->readers));
  } else if (duty > 0) {
    draw(c, thread, duty);
  }
}

static roof_status measure_point(crowd *c, double readers, roof_loaded_latency *point, roof_error *error) {
  roof_stats stats;
  c->readers = readers;
  c->drawn = 0;
  atomic_store(&c->reading, 0);
  atomic_store(&c->done, false);
  rf_team_time(&c->bench->team, 1 + (int)ceil(readers), crowd_body, c);
  roof_status status = roof_stats_of(c->seconds, WINDOWS, &stats, error);
  *point = (roof_loaded_latency){c->drawn, stats.median};
  return status;
}

/** The level of memory that has the latency of one core. */
static roof_level *memory_of(roof_machine *machine) {
  roof_level *found = NULL;
  for (int i = 0; i < machine->level_count && found == NULL; i++) {
    roof_level *level = &machine->levels[i];
    found = level->level == ROOF_MEMORY && !isnan(level->latency_seconds) ? level : NULL;
  }
  return found;
}

/** Inserts each point in order of load. */
static void keep(roof_level_report *level, roof_loaded_latency point) {
  int at = level->loaded_latency_count++;
  for (; at > 0 && level->loaded_latency[at - 1].bytes_per_second > point.bytes_per_second; at--) {
    level->loaded_latency[at] = level->loaded_latency[at - 1];
  }
  level->loaded_latency[at] = point;
}

/** The parts together have four times the last cache or 1 GiB, within a quarter of the free memory. */
static void share_out(crowd *c) {
  const rf_bench *bench = c->bench;
  double usual = bench->options->quick ? 0x1p25 : 0x1p27, room = rf_memory_available("") / 8;
  int others = bench->team.threads - 1;
  double last = rf_topology_last_cache(&bench->team.topology, others);
  double each = fmax(fmin(usual, 0x1p30 / others), 4 * last / others);
  c->chased = rf_chase_bytes(bench->options->quick, rf_topology_last_cache(&bench->team.topology, 1), room);
  c->part = rf_cpu_floor_power(fmin(each, room / others));
}

roof_status rf_cpu_measure_loaded(rf_bench *bench, roof_error *error) {
  static const double loads[] = {0, 1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 3.0 / 4, 1};
  int threads = bench->team.threads;
  roof_level *memory = memory_of(bench->machine);
  crowd c = {.bench = bench};
  void *data = NULL;
  if (memory != NULL && roof_level_make_report(memory) == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "latency under load: out of memory");
  }
  if (threads == 1 || memory == NULL) {
    rf_bench_note(
        bench, "memory latency under load: unknown: only one core is used, so none is left to create load");
    return ROOF_OK;
  }
  share_out(&c);
  size_t bytes = c.chased + c.part * (size_t)(threads - 1);
  roof_status status = rf_data_new("latency under load", (double)bytes, &data, error);
  if (status != ROOF_OK) {
    return status;
  }
  c.data = data;
  rf_team_time(&bench->team, threads, touch, &c);
  rf_chase_link(data, c.chased);
  c.at = data;
  roof_loaded_latency cold; /* the lines touched first may still be in the cache of the core that filled
                               them */
  status = measure_point(&c, 0, &cold, error);
  for (size_t i = 0; i < sizeof loads / sizeof loads[0] && status == ROOF_OK; i++) {
    roof_loaded_latency point;
    status = measure_point(&c, loads[i] * (threads - 1), &point, error);
    if (status == ROOF_OK) {
      keep(memory->report, point);
    }
  }
  free(data);
  return status;
}
