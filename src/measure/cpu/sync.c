/* What synchronisation costs: atomic operations, a lock, a barrier, a cache line handed from core to core. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "measure/cpu/cpu.h"
#include "measure/sampler.h"

enum { OPERATIONS = 1000, BARRIERS = 100, TRIPS = 100, PAIRS = 8, PAIR_WINDOWS = 12, LEAST = 8, MOST = 200 };

/** A cache line and the adjacent one: processors fetch lines in pairs. */
typedef struct line {
  _Alignas(128) atomic_long value;
  pthread_mutex_t lock;
} line;

/** One synchronisation operation, done by some threads. */
typedef struct act {
  const rf_bench *bench;
  rf_team_body *body;
  int threads;
  bool shared; /**< all threads on the first line, else each on its own */
  int calls;
  line *lines; /**< one per thread */
  int pair[2]; /**< threads that pass a line to each other */
} act;

static line *line_of(const act *a, int thread) {
  return &a->lines[a->shared ? 0 : thread];
}

static void add(void *user, int thread, int threads) {
  const act *a = user;
  atomic_long *value = &line_of(a, thread)->value;
  (void)threads;
  for (int i = 0; i < a->calls; i++) {
    atomic_fetch_add(value, 1);
  }
}

/** An addition by compare and swap, repeated until no other thread interferes. */
static void swap(void *user, int thread, int threads) {
  const act *a = user;
  atomic_long *value = &line_of(a, thread)->value;
  (void)threads;
  for (int i = 0; i < a->calls; i++) {
    long seen = atomic_load(value);
    while (!atomic_compare_exchange_weak(value, &seen, seen + 1)) {
    }
  }
}

static void lock(void *user, int thread, int threads) {
  const act *a = user;
  pthread_mutex_t *mutex = &line_of(a, thread)->lock;
  (void)threads;
  for (int i = 0; i < a->calls; i++) {
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
  }
}

/** An orphaned barrier: it binds to the parallel region of rf_team_time, whose threads all call this. */
static void meet(void *user, int thread, int threads) {
  const act *a = user;
  (void)thread, (void)threads;
  for (int i = 0; i < a->calls; i++) {
#pragma omp barrier
  }
}

/** The first of the pair writes even numbers, the second odd ones, each after it has seen the other's. */
static void hand_over(void *user, int thread, int threads) {
  const act *a = user;
  atomic_long *value = &a->lines[0].value;
  int side = thread == a->pair[0] ? 0 : thread == a->pair[1] ? 1 : -1;
  (void)threads;
  for (long turn = side; side >= 0 && turn < a->calls; turn += 2) {
    while (atomic_load_explicit(value, memory_order_acquire) != turn) {
    }
    atomic_store_explicit(value, turn + 1, memory_order_release);
  }
}

static double timed_act(void *user) {
  act *a = user;
  atomic_store(&a->lines[0].value, 0);
  return rf_team_time(&a->bench->team, a->threads, a->body, a);
}

static roof_cost *next_cost(rf_bench *bench, const char *name, int cores, const roof_stats *stats) {
  roof_machine *machine = bench->machine;
  roof_cost *cost = roof_machine_add_cost(machine);
  snprintf(cost->name, sizeof cost->name, "%s", name);
  snprintf(cost->date, sizeof cost->date, "%s", machine->date);
  cost->kind = ROOF_MEASURED;
  cost->cores = cores == bench->team.threads && cores > 1 ? 0 : cores;
  cost->seconds = stats->median;
  cost->spread = stats->spread;
  cost->samples = (double)stats->count;
  cost->clock_hz = machine->clock_hz;
  return cost;
}

void rf_cpu_add_cost(rf_bench *bench, const char *name, int cores, const roof_stats *stats,
                     const char *source) {
  if (bench->machine->report->cost_count < ROOF_COST_MAX) {
    roof_cost *cost = next_cost(bench, name, cores, stats);
    snprintf(cost->source, sizeof cost->source, "%s", source);
  }
}

static const struct {
  const char *name;
  rf_team_body *body;
  int calls;
  bool all, shared; /**< on all cores, else on one; on one line */
  const char *source;
} acts[] = {
    {"atomic add, own line", add, OPERATIONS, false, false,
     "one thread adds to a line of its own: median time of one addition, windows of 1000"},
    {"atomic add, shared line", add, OPERATIONS, true, true,
     "all threads add to one line: median time a thread waits for one addition, windows of 1000"},
    {"compare and swap, own line", swap, OPERATIONS, false, false,
     "one thread adds by load, compare and swap to a line of its own: median time of one, windows of 1000"},
    {"compare and swap, shared line", swap, OPERATIONS, true, true,
     "all threads add to one line by load, compare and swap, repeated until it succeeds: median time a "
     "thread waits for one, windows of 1000"},
    {"mutex, free", lock, OPERATIONS, false, false,
     "one thread locks and unlocks an uncontended mutex: median time of both, windows of 1000"},
    {"barrier", meet, BARRIERS, true, true,
     "all threads wait for each other at an OpenMP barrier: median time of one, windows of 100"},
};

static roof_status measure_act(rf_bench *bench, size_t index, line *lines, roof_error *error) {
  static const double budget = 0.02;
  act a = {.bench = bench,
           .body = acts[index].body,
           .threads = acts[index].all ? bench->team.threads : 1,
           .shared = acts[index].shared,
           .calls = acts[index].calls,
           .lines = lines};
  rf_sampling sampling = {.calls = a.calls,
                          .budget = budget * bench->budget,
                          .least = LEAST,
                          .most = MOST,
                          .precision = bench->options->precision};
  rf_samples samples;
  roof_status status = rf_sample(timed_act, &a, &sampling, &samples, error);
  if (status == ROOF_OK) {
    rf_cpu_add_cost(bench, acts[index].name, a.threads, &samples.stats, acts[index].source);
    rf_samples_done(&samples);
  }
  return status;
}

/** The distance of two cores: the innermost cache, package or machine that they share. */
typedef enum distance { SAME_CORE, SAME_L2, SAME_L3, SAME_PACKAGE, OTHER_PACKAGE, DISTANCE_COUNT } distance;

static const char *const distance_names[] = {[SAME_CORE] = "hand-off, same core",
                                             [SAME_L2] = "hand-off, same L2",
                                             [SAME_L3] = "hand-off, same L3",
                                             [SAME_PACKAGE] = "hand-off, same package",
                                             [OTHER_PACKAGE] = "hand-off, other package"};

static distance distance_of(const rf_team *team, int a, int b) {
  static const hwloc_obj_type_t common[] = {[SAME_CORE] = HWLOC_OBJ_CORE,
                                            [SAME_L2] = HWLOC_OBJ_L2CACHE,
                                            [SAME_L3] = HWLOC_OBJ_L3CACHE,
                                            [SAME_PACKAGE] = HWLOC_OBJ_PACKAGE};
  const rf_topology *t = &team->topology;
  hwloc_obj_t first = hwloc_get_pu_obj_by_os_index(team->hwloc, (unsigned)rf_topology_place(t, a));
  hwloc_obj_t second = hwloc_get_pu_obj_by_os_index(team->hwloc, (unsigned)rf_topology_place(t, b));
  for (distance d = SAME_CORE; d <= SAME_PACKAGE; d++) {
    hwloc_obj_t above = hwloc_get_ancestor_obj_by_type(team->hwloc, common[d], first);
    bool same = above == hwloc_get_ancestor_obj_by_type(team->hwloc, common[d], second);
    if (same && (above != NULL || d == SAME_PACKAGE)) {
      return d;
    }
  }
  return OTHER_PACKAGE;
}

/** The sampled pairs of one distance and their times. */
typedef struct hand_offs {
  int pairs[PAIRS][2];
  int count, seen;
  double seconds[PAIRS * PAIR_WINDOWS];
} hand_offs;

/** Samples pairs of each distance uniformly (Vitter's algorithm R).
 */
static void keep_pair(hand_offs *h, int a, int b) {
  int place = h->count < PAIRS ? h->count : (int)((unsigned)h->seen * 2654435761u % (unsigned)(h->seen + 1));
  if (place < PAIRS) {
    h->pairs[place][0] = a;
    h->pairs[place][1] = b;
    h->count += h->count < PAIRS;
  }
  h->seen++;
}

/** The windows of all pairs of one distance; the least and the most are medians of pairs. */
static roof_status measure_distance(rf_bench *bench, distance d, hand_offs *h, line *lines,
                                    roof_error *error) {
  double least = INFINITY, most = 0;
  roof_stats stats = {0};
  roof_status status = ROOF_OK;
  for (int i = 0; i < h->count && status == ROOF_OK; i++) {
    double sorted[PAIR_WINDOWS], *windows = &h->seconds[i * PAIR_WINDOWS];
    int last = h->pairs[i][1];
    act a = {bench, hand_over, last + 1, true, 2 * TRIPS, lines, {h->pairs[i][0], last}};
    timed_act(&a);
    for (int k = 0; k < PAIR_WINDOWS; k++) {
      windows[k] = timed_act(&a) / a.calls;
    }
    memcpy(sorted, windows, sizeof sorted);
    status = roof_stats_of(sorted, PAIR_WINDOWS, &stats, error);
    least = fmin(least, stats.median);
    most = fmax(most, stats.median);
  }
  if (status == ROOF_OK) {
    status = roof_stats_of(h->seconds, (size_t)(h->count * PAIR_WINDOWS), &stats, error);
  }
  if (status == ROOF_OK && bench->machine->report->cost_count < ROOF_COST_MAX) {
    roof_cost *cost = next_cost(bench, distance_names[d], 2, &stats);
    cost->cores = 2;
    cost->least_seconds = least;
    cost->most_seconds = most;
    snprintf(cost->source, sizeof cost->source,
             "two threads write a line in turn: median time from one store to the other, windows of %d; %d "
             "of %d pairs of cores, least and most are medians of pairs",
             2 * TRIPS, h->count, h->seen);
  }
  return status;
}

static roof_status measure_hand_offs(rf_bench *bench, line *lines, roof_error *error) {
  hand_offs *all = calloc(DISTANCE_COUNT, sizeof *all);
  if (all == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "hand-off: out of memory");
  }
  for (int a = 0; a < bench->team.threads; a++) {
    for (int b = a + 1; b < bench->team.threads; b++) {
      keep_pair(&all[distance_of(&bench->team, a, b)], a, b);
    }
  }
  roof_status status = ROOF_OK;
  for (int d = 0; d < DISTANCE_COUNT && status == ROOF_OK; d++) {
    if (all[d].count > 0) {
      status = measure_distance(bench, (distance)d, &all[d], lines, error);
    }
  }
  free(all);
  return status;
}

roof_status rf_cpu_measure_sync(rf_bench *bench, roof_error *error) {
  int threads = bench->team.threads;
  line *lines = aligned_alloc(_Alignof(line), (size_t)threads * sizeof *lines);
  if (lines == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "synchronisation: out of memory");
  }
  for (int i = 0; i < threads; i++) {
    atomic_init(&lines[i].value, 0);
    pthread_mutex_init(&lines[i].lock, NULL);
  }
  rf_bench_step(bench, "synchronisation");
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < sizeof acts / sizeof acts[0] && status == ROOF_OK; i++) {
    if (threads > 1 || !acts[i].all) {
      status = measure_act(bench, i, lines, error);
    }
  }
  if (status == ROOF_OK && threads > 1) {
    status = measure_hand_offs(bench, lines, error);
  } else if (status == ROOF_OK) {
    rf_bench_note(bench, "synchronisation between cores: unknown: only one core is used");
  }
  for (int i = 0; i < threads; i++) {
    pthread_mutex_destroy(&lines[i].lock);
  }
  free(lines);
  return status;
}
