/* Latency of memory while other cores use its bandwidth. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/clock.h"
#include "host/memory.h"
#include "kernels/data.h"
#include "measure/cpu/cpu.h"

enum { WINDOWS = 5, LOADS = 4000, CHUNK = 16 << 10 };

/** One thread runs dependent loads while the others read, all of the time or part of it. */
typedef struct crowd {
  const rf_bench *bench;
  char *data;
  size_t part;    /* bytes per thread */
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

/** Reads for `duty` of the time. */
static void draw(crowd *c, int thread, double duty) {
  char *mine = c->data + (size_t)thread * c->part;
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

/** Bytes per thread, a power of two: in total within 1 GiB and a quarter of the free memory. */
static size_t part_of(const rf_bench *bench) {
  size_t part = bench->options->quick ? (size_t)32 << 20 : (size_t)128 << 20;
  double most = fmin(0x1p30, rf_memory_available("") / 4);
  while (part > (1 << 20) && (double)part * bench->team.threads > most) {
    part /= 2;
  }
  return part;
}

roof_status rf_cpu_measure_loaded(rf_bench *bench, roof_error *error) {
  static const double loads[] = {0, 1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 3.0 / 4, 1};
  int threads = bench->team.threads;
  roof_level *memory = memory_of(bench->machine);
  crowd c = {.bench = bench, .part = part_of(bench)};
  void *data = NULL;
  if (memory != NULL && roof_level_make_report(memory) == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "latency under load: out of memory");
  }
  if (threads == 1 || memory == NULL) {
    rf_bench_note(
        bench, "memory latency under load: unknown: only one core is used, so none is left to create load");
    return ROOF_OK;
  }
  roof_status status = rf_data_new("latency under load", (double)c.part * threads, &data, error);
  if (status != ROOF_OK) {
    return status;
  }
  rf_data_fill(data, ROOF_FP64, c.part * (size_t)threads / sizeof(double), 1, threads);
  c.data = data;
  rf_chase_link(data, c.part);
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
