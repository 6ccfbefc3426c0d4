/* Bandwidth of the caches and of memory. Bytes are those the program asks for; what a store that misses makes
 * the bus fetch is said beside them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/data.h"
#include "measure/clock.h"
#include "measure/cpu/cpu.h"
#include "measure/sampler.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum {
  WINDOWS_LEAST = 10,
  WINDOWS_MOST = 400,
  STEP = 1024,   /* that spans are multiples of */
  STAGGER = 1344 /* between arrays: equal low address bits would make loads wait for stores */
};

/** Random fp64 data. */
typedef struct region {
  char *data;
  size_t bytes;
} region;

/** One pattern in one way on some cores. */
typedef struct flow {
  const roof_bench *bench;
  const region *region;
  const roof_lanes *lanes;
  roof_pattern pattern;
  roof_way way;
  roof_crew crew;
  double work;        /**< of all threads, in windows of a thread on the first kind of core */
  size_t array_bytes; /**< of each of a thread's arrays, a power of two */
  size_t bytes;       /**< of each array that one window passes */
  double clock;       /**< Hz, the highest before a window */
  size_t window;      /**< windows follow each other, so that what passed comes back only after the rest */
} flow;

static const struct {
  const char *name;
  int arrays, loads, stores; /**< that one element touches */
  bool computes;             /**< on what it loads, which can lower the clock */
  size_t result, limit;      /**< where the figures go in a roof_level */
} patterns[ROOF_PATTERN_COUNT] = {
    [ROOF_LOAD] = {"read", 1, 1, 0, false, offsetof(roof_level, read_bytes_per_second),
                   offsetof(roof_level, limit_bytes_per_second)},
    [ROOF_STORE] = {"write", 1, 0, 1, false, offsetof(roof_level, write_bytes_per_second),
                    offsetof(roof_level, write_limit_bytes_per_second)},
    [ROOF_COPY] = {"copy", 2, 1, 1, false, offsetof(roof_level, copy_bytes_per_second),
                   offsetof(roof_level, copy_limit_bytes_per_second)},
    [ROOF_UPDATE] = {"update", 1, 1, 1, true, offsetof(roof_level, update_bytes_per_second),
                     offsetof(roof_level, update_limit_bytes_per_second)},
    [ROOF_TRIAD] = {"triad", 3, 2, 1, true, offsetof(roof_level, triad_bytes_per_second),
                    offsetof(roof_level, triad_limit_bytes_per_second)},
};

static const char *const way_names[ROOF_WAY_COUNT] = {[ROOF_UNROLL_4] = "x4",
                                                      [ROOF_UNROLL_16] = "x16",
                                                      [ROOF_AHEAD] = "prefetched",
                                                      [ROOF_PAST] = "non-temporal",
                                                      [ROOF_PAST_AHEAD] = "non-temporal prefetched"};

static void pass(void *user, int thread, int threads) {
  const flow *f = user;
  size_t bytes = (size_t)((double)f->bytes * roof_crew_weight(f->bench, &f->crew, thread)) / STEP * STEP;
  char *a = f->region->data +
            sizeof(double) * roof_share_of(f->region->bytes / sizeof(double), thread, threads).begin;
  const char *b = a + f->array_bytes + STAGGER, *c = b + f->array_bytes + STAGGER;
  roof_span span = {a, b, c, f->array_bytes, (f->window * bytes) & (f->array_bytes - 1), bytes};
  f->lanes->transfers[f->pattern][f->way](&span);
}

static double timed_pass(void *user) {
  flow *f = user;
  double seconds = roof_team_time(&f->bench->team, f->crew.threads, pass, f);
  f->window++;
  return seconds;
}

static double timed_pass_and_clock(void *user) {
  flow *f = user;
  f->clock = fmax(f->clock, ROOF_CLOCK_CHAIN / roof_clock_chain());
  return timed_pass(f);
}

/** Bytes that the program moves in a window. */
static double window_bytes(const flow *f) {
  return f->work * (double)f->bytes * (patterns[f->pattern].loads + patterns[f->pattern].stores);
}

static double best_rate(flow *f) {
  enum { TRIES = 4 };
  double best = INFINITY;
  for (int i = 0; i < TRIES; i++) {
    best = fmin(best, timed_pass(f));
  }
  return window_bytes(f) / best;
}

static bool way_suits(const flow *f, roof_way way, roof_level_kind level) {
  bool past = way == ROOF_PAST || way == ROOF_PAST_AHEAD;
  bool same = past && (f->pattern == ROOF_LOAD || f->pattern == ROOF_UPDATE);
  return !same && (!past || level == ROOF_MEMORY) && (way != ROOF_AHEAD || level > ROOF_L1);
}

/** Tries every register width and way that suits the level, in the first cache also on a part of it: lines
 * that were touched last come fastest. `f` becomes the fastest. */
static void choose(flow *f, roof_level_kind level) {
  enum { PART = 8 };
  flow best = *f, trial = *f;
  double best_found = 0;
  size_t least = level <= ROOF_L1 && f->array_bytes >= PART * STEP ? f->array_bytes / PART : f->array_bytes;
  for (int l = 0; roof_lanes_at(l) != NULL; l++) {
    for (roof_way way = 0; way < ROOF_WAY_COUNT && roof_lanes_at(l)->available(); way++) {
      trial.lanes = roof_lanes_at(l);
      trial.way = way;
      for (size_t bytes = f->array_bytes; bytes >= least && way_suits(f, way, level); bytes /= PART) {
        trial.array_bytes = bytes;
        double rate = best_rate(&trial);
        if (rate > best_found) {
          best_found = rate;
          best = trial;
        }
      }
    }
  }
  *f = best;
}

size_t roof_cpu_floor_power(double bytes) {
  size_t power = STEP;
  while (2.0 * (double)power <= bytes) {
    power *= 2;
  }
  return power;
}

/** Bytes of a level that are there for each core of a kind, or for one that works alone; 0 for none. */
static double bytes_a_core(const roof_topology *t, roof_level_kind level, int kind, bool alone) {
  for (int i = 0; i < t->cache_count; i++) {
    const roof_cache *cache = &t->caches[i];
    if (cache->level == (int)level - (int)ROOF_L1 + 1 && (cache->kind == kind || cache->kind < 0)) {
      int cores = cache->kind < 0 ? t->core_count : t->kinds[kind].cores;
      return alone ? cache->bytes : cache->bytes * cache->instances / cores;
    }
  }
  return 0;
}

/** Bytes of a level that a core of a kind fills; 0 when the level cannot be told from the one inside it. */
static double kind_share(const roof_topology *t, roof_level_kind level, int kind, bool alone) {
  static const double filled = 0.5;
  double own = filled * bytes_a_core(t, level, kind, alone), inner = 0;
  for (int l = (int)level - 1; l >= (int)ROOF_L1 && inner == 0; l--) {
    inner = bytes_a_core(t, (roof_level_kind)l, kind, alone);
  }
  double beyond = 4 * inner;
  if (level == ROOF_L3 && inner > 0 && beyond < own) {
    own = beyond; /* a guest may share the last level with others */
  }
  return inner > 0 && own < beyond / 2 ? 0 : own;
}

double roof_cpu_cache_share(const roof_topology *topology, roof_level_kind level, int kind, int per_core) {
  double least = INFINITY;
  for (int k = 0; k < topology->kind_count; k++) {
    if (kind < 0 || kind == k) {
      least = fmin(least, kind_share(topology, level, k, kind >= 0));
    }
  }
  return least / per_core;
}

/** The clock while the pattern runs: one that computes lowers it as the peak of the same registers did. */
static double clock_under(const flow *f) {
  const roof_machine *machine = f->bench->machine;
  int cores = f->crew.kind < 0 ? 0 : 1;
  for (int i = 0; i < machine->peak_count && patterns[f->pattern].computes; i++) {
    const roof_peak *peak = &machine->peaks[i];
    if (peak->dtype == ROOF_FP64 && peak->cores == cores && f->crew.kind <= 0 &&
        strcmp(peak->isa, f->lanes->isa) == 0) {
      return peak->clock_hz;
    }
  }
  return f->clock;
}

/** A line comes from the second cache once for each array, also for one that is only stored to. */
static void set_limits(const flow *f, roof_level *level) {
  roof_core_limits wide = roof_crew_limits(f->bench, &f->crew, 64 * f->bench->lanes->fp64->lanes);
  int loads = patterns[f->pattern].loads, stores = patterns[f->pattern].stores;
  double limit = NAN;
  if (level->level == ROOF_L1) {
    limit = roof_cpu_transfer_limit(&wide, loads, stores);
  } else if (level->level == ROOF_L2) {
    limit = wide.l2_bytes * (loads + stores) / patterns[f->pattern].arrays;
  }
  *(double *)((char *)level + patterns[f->pattern].limit) = f->crew.cores * limit * clock_under(f);
}

/** "read AVX-512 x16 124 B/cycle", in memory "copy AVX2 non-temporal 27.1 to 27.9 (bus 27.9) GB/s". */
static void describe(const flow *f, const roof_level *level, const roof_samples *samples, double rate,
                     roof_text *how) {
  roof_text_addf(how, "; %s %s %s ", patterns[f->pattern].name, f->lanes->isa, way_names[f->way]);
  if (level->level != ROOF_MEMORY) {
    bool mixed = roof_crew_is_mixed(f->bench, &f->crew);
    double cycles = mixed ? 1e9 : f->crew.cores * clock_under(f);
    roof_text_addf(how, "%.3g %s", rate / cycles, mixed ? "GB/s" : "B/cycle");
    return;
  }
  bool fetches = f->pattern != ROOF_UPDATE && f->way < ROOF_PAST;
  int moved = patterns[f->pattern].loads + patterns[f->pattern].stores;
  double slow = window_bytes(f) / samples->stats.quartile_high,
         fast = window_bytes(f) / samples->stats.minimum;
  roof_text_addf(how, "%.3g to %.3g GB/s", slow / 1e9, fast / 1e9);
  if (fetches && patterns[f->pattern].stores > 0) {
    roof_text_addf(how, " (bus %.3g)", rate / 1e9 * (moved + 1) / moved);
  }
}

/** The median, of the faster of two modes when cores sometimes share a link to memory and sometimes do not:
 * one median would be of neither. */
static double memory_seconds(roof_bench *bench, const flow *f, const roof_level *level,
                             const roof_samples *samples) {
  double fast = samples->stats.median, slow = NAN;
  if (roof_samples_modes(samples, &fast, &slow)) {
    roof_bench_note(bench, "%s %s on %s: two modes, %.3g and %.3g GB/s", level->name,
                    patterns[f->pattern].name, f->crew.cores == 1 ? "one core" : "all cores",
                    window_bytes(f) / slow / 1e9, window_bytes(f) / fast / 1e9);
  }
  return fast;
}

/** A window long enough for the clock to be read without error. */
static void size_window(flow *f, roof_level_kind level) {
  static const size_t memory_window = 16 << 20, cache_window = 2 << 20;
  f->bytes = level == ROOF_MEMORY ? roof_cpu_floor_power((double)memory_window / patterns[f->pattern].arrays)
                                  : cache_window / (size_t)patterns[f->pattern].arrays / STEP * STEP;
  f->lanes = f->bench->lanes;
  double seconds = fmin(timed_pass(f), timed_pass(f));
  if (level != ROOF_MEMORY) {
    f->bytes = (size_t)((double)f->bytes * fmax(1, 300e-6 / fmax(seconds, 1e-6))) / STEP * STEP;
  }
}

/** Gives each kind of core as much to move as it moves in the same time alone. */
static void weigh(flow *f, const roof_level *level) {
  const roof_machine *m = f->bench->machine;
  const roof_topology *t = &f->bench->team.topology;
  size_t figure = patterns[f->pattern].result;
  double first = NAN;
  for (int i = 0; i < m->level_count && roof_crew_is_mixed(f->bench, &f->crew); i++) {
    const roof_level *one = &m->levels[i];
    double rate = *(const double *)(const void *)((const char *)one + figure);
    for (int k = 0; k < t->kind_count; k++) {
      if (one->level == level->level && one->cores == 1 && strcmp(one->core_kind, t->kinds[k].name) == 0) {
        first = k == 0 ? rate : first;
        f->crew.weights[k] = rate / first > 0 ? rate / first : 1;
      }
    }
  }
  f->work = roof_crew_work(f->bench, &f->crew);
}

/** Caches give their best window, memory its median. */
static roof_status measure_pattern(roof_bench *bench, const region *data, roof_pattern pattern,
                                   const roof_crew *crew, double share, roof_level *level, roof_text *how,
                                   roof_error *error) {
  static const double budget = 0.15;
  flow f = {.bench = bench,
            .region = data,
            .pattern = pattern,
            .crew = *crew,
            .array_bytes = roof_cpu_floor_power(share / patterns[pattern].arrays - 2 * STAGGER)};
  weigh(&f, level);
  size_window(&f, level->level);
  choose(&f, level->level);
  roof_sampling sampling = {1, budget * bench->budget, WINDOWS_LEAST, WINDOWS_MOST};
  roof_samples samples;
  roof_status status = roof_sample(timed_pass_and_clock, &f, &sampling, &samples, error);
  if (status != ROOF_OK) {
    return status;
  }
  bool memory = level->level == ROOF_MEMORY;
  double rate =
      window_bytes(&f) / (memory ? memory_seconds(bench, &f, level, &samples) : samples.stats.minimum);
  level->clock_hz = roof_crew_is_mixed(bench, crew) ? NAN : f.clock;
  *(double *)((char *)level + patterns[pattern].result) = rate;
  level->spread = fmax(isnan(level->spread) ? 0 : level->spread, samples.stats.spread);
  set_limits(&f, level);
  describe(&f, level, &samples, rate, how);
  roof_samples_done(&samples);
  return ROOF_OK;
}

static roof_status measure_patterns(roof_bench *bench, const region *data, double share,
                                    const roof_crew *crew, roof_level *level, roof_error *error) {
  roof_text how = {0};
  roof_status status = ROOF_OK;
  char size[32];
  roof_text_addf(&how, "random data, up to %s a core",
                 roof_bytes_format(size, sizeof size, (double)roof_cpu_floor_power(share)));
  for (roof_pattern p = 0; p < ROOF_PATTERN_COUNT && status == ROOF_OK; p++) {
    status = measure_pattern(bench, data, p, crew, share, level, &how, error);
  }
  if (how.data != NULL) {
    snprintf(level->source, sizeof level->source, "%s", how.data);
  }
  roof_text_done(&how);
  return status;
}

/** Four times the last cache, within a quarter of the free memory and, for each thread beyond two, as much as
 * for two: 1 GiB, or 512 MiB for a quick run. */
static double region_bytes(const roof_bench *bench, const roof_level *plain, int count) {
  double last = 0;
  for (int i = 0; i < count; i++) {
    const roof_level *level = &plain[i];
    last = level->level != ROOF_MEMORY ? fmax(last, level->bytes * level->instances) : last;
  }
  double wanted = fmax(4 * last, 0x1p28);
  double most = (bench->options->quick ? 0x1p29 : 0x1p30) * fmax(1, bench->team.threads / 2.0);
  return fmin(fmin(wanted, roof_memory_available() / 4), most);
}

/** The size of a level as one core of a kind sees it. */
static void see_as(const roof_bench *bench, const roof_crew *crew, roof_level *level) {
  const roof_topology *t = &bench->team.topology;
  for (int i = 0; i < t->cache_count && level->level != ROOF_MEMORY; i++) {
    const roof_cache *cache = &t->caches[i];
    if (cache->level == (int)level->level - (int)ROOF_L1 + 1 && cache->kind >= 0 &&
        cache->kind == crew->kind) {
      level->bytes = cache->bytes;
      level->instances = cache->instances;
    }
  }
}

static roof_status measure_level(roof_bench *bench, const region *data, const roof_level *plain,
                                 const roof_crew *crew, roof_error *error) {
  roof_machine *machine = bench->machine;
  if (machine->level_count == ROOF_LEVEL_MAX) {
    return ROOF_OK;
  }
  roof_level *level = &machine->levels[machine->level_count++];
  *level = *plain;
  roof_crew_sign(bench, crew, &level->cores, level->core_kind, &level->threads_per_core);
  see_as(bench, crew, level);
  snprintf(level->date, sizeof level->date, "%s", machine->date);
  char step[128], who[64];
  snprintf(step, sizeof step, "%s bandwidth, %s", level->name, roof_crew_name(bench, crew, who, sizeof who));
  roof_bench_step(bench, step);
  double most = (double)data->bytes / bench->team.threads;
  double share = level->level == ROOF_MEMORY
                     ? most
                     : roof_cpu_cache_share(&bench->team.topology, level->level, crew->kind, crew->per_core);
  if (share == 0 || share > most) {
    snprintf(level->source, sizeof level->source,
             "not measured: not large enough beyond the level inside it");
    return ROOF_OK;
  }
  return measure_patterns(bench, data, share, crew, level, error);
}

roof_status roof_cpu_measure_levels(roof_bench *bench, const roof_level *plain, int count,
                                    roof_error *error) {
  double bytes = region_bytes(bench, plain, count);
  size_t unit = STEP * (size_t)bench->team.threads;
  region data = {.bytes = (size_t)bytes / unit * unit}; /* parts as those that fill it */
  void *memory = NULL;
  roof_bench_step(bench, "preparing random data");
  roof_status status = roof_data_new("memory bandwidth", bytes, &memory, error);
  if (status != ROOF_OK) {
    return status;
  }
  data.data = memory;
  roof_data_fill(memory, ROOF_FP64, data.bytes / sizeof(double), 1, bench->team.threads);
  for (int i = 0; i < count * roof_crew_count(bench) && status == ROOF_OK; i++) {
    roof_crew crew = roof_crew_at(bench, i % roof_crew_count(bench));
    roof_crew_enter(bench, &crew);
    status = measure_level(bench, &data, &plain[i / roof_crew_count(bench)], &crew, error);
    roof_crew_leave(bench, &crew);
  }
  free(memory);
  return status;
}
