/* Bandwidth of the caches and of memory. Bytes are those the program requests; the bus traffic, with the
 * lines that a store miss fetches, is given in addition. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "host/clock.h"
#include "host/memory.h"
#include "kernels/data.h"
#include "measure/cpu/trial.h"
#include "roofline/units.h"

enum {
  STEP = 1024,   /* that spans are multiples of */
  STAGGER = 1344 /* between arrays: with equal low address bits loads would wait for stores */
};

/** Random fp64 data. */
typedef struct region {
  char *data;
  size_t bytes;
} region;

enum { WAYS_MAX = RF_CANDIDATE_MAX };

typedef struct flow_way {
  const rf_lanes *lanes;
  rf_way way;
  size_t array_bytes;
} flow_way;

/** One access pattern with one variant of the code on some cores. */
typedef struct flow {
  const rf_bench *bench;
  region region;
  const rf_lanes *lanes;
  rf_pattern pattern;
  rf_way way;
  rf_core_set set;
  double work;        /**< of all threads, in windows of a thread on the first kind of core */
  size_t array_bytes; /**< of each of a thread's arrays, a power of two */
  size_t most_bytes;  /**< available to them */
  size_t bytes;       /**< of each array that one window covers */
  roof_level *level;
  size_t window; /**< consecutive windows cover consecutive parts, so that a part is read again only after all
                      others */
} flow;

static const struct {
  const char *name;
  int arrays, loads, stores; /**< that one element touches */
  bool computes;             /**< on the data it loads; arithmetic can lower the clock */
  size_t result, limit;      /**< where the figures go in a roof_level */
  size_t conditions;         /**< in its report */
} patterns[RF_PATTERN_COUNT] = {
    [RF_LOAD] = {"read", 1, 1, 0, false, offsetof(roof_level, read_bytes_per_second),
                 offsetof(roof_level, limit_bytes_per_second), offsetof(roof_level_report, read)},
    [RF_STORE] = {"write", 1, 0, 1, false, offsetof(roof_level, write_bytes_per_second),
                  offsetof(roof_level, write_limit_bytes_per_second), offsetof(roof_level_report, write)},
    [RF_COPY] = {"copy", 2, 1, 1, false, offsetof(roof_level, copy_bytes_per_second),
                 offsetof(roof_level, copy_limit_bytes_per_second), offsetof(roof_level_report, copy)},
    [RF_UPDATE] = {"update", 1, 1, 1, false, offsetof(roof_level, update_bytes_per_second),
                   offsetof(roof_level, update_limit_bytes_per_second), offsetof(roof_level_report, update)},
    [RF_TRIAD] = {"triad", 3, 2, 1, true, offsetof(roof_level, triad_bytes_per_second),
                  offsetof(roof_level, triad_limit_bytes_per_second), offsetof(roof_level_report, triad)},
};

static const char *const way_names[RF_WAY_COUNT] = {[RF_UNROLL_4] = "x4",
                                                    [RF_UNROLL_16] = "x16",
                                                    [RF_AHEAD] = "prefetched",
                                                    [RF_PAST] = "non-temporal",
                                                    [RF_PAST_AHEAD] = "non-temporal prefetched"};

static void pass(void *user, int thread, int threads) {
  const flow *f = user;
  size_t bytes = (size_t)((double)f->bytes * rf_core_set_weight(f->bench, &f->set, thread)) / STEP * STEP;
  char *a =
      f->region.data + sizeof(double) * rf_share_of(f->region.bytes / sizeof(double), thread, threads).begin;
  const char *b = a + f->array_bytes + STAGGER, *c = b + f->array_bytes + STAGGER;
  rf_lanes_span span = {a, b, c, f->array_bytes, (f->window * bytes) & (f->array_bytes - 1), bytes};
  f->lanes->transfers[f->pattern][f->way](&span);
}

static double timed_pass(void *user) {
  flow *f = user;
  double seconds = rf_team_time(&f->bench->team, f->set.threads, pass, f);
  f->window++;
  return seconds;
}

static double flow_window(void *user, double *clock_hz) {
  *clock_hz = RF_CLOCK_CHAIN / rf_clock_chain();
  return timed_pass(user);
}

/** Bytes that the program moves in a window. */
static double window_bytes(const flow *f) {
  return f->work * (double)f->bytes * (patterns[f->pattern].loads + patterns[f->pattern].stores);
}

static bool way_suits(const flow *f, rf_way way, roof_level_kind level) {
  bool past = way == RF_PAST || way == RF_PAST_AHEAD;
  bool same = past && (f->pattern == RF_LOAD || f->pattern == RF_UPDATE);
  return !same && (!past || level == ROOF_MEMORY) && (way != RF_AHEAD || level > ROOF_L1);
}

/** The variants that suit the level, for every register width; for the first cache also on a part of it,
 * because recently used lines are fastest. Returns how many. */
static int list_ways(const flow *f, flow_way *ways) {
  enum { PART = 8 };
  roof_level_kind level = f->level->level;
  size_t least = level <= ROOF_L1 && f->most_bytes >= PART * STEP ? f->most_bytes / PART : f->most_bytes;
  int count = 0;
  for (int l = 0; rf_lanes_at(l) != NULL; l++) {
    for (rf_way way = 0; way < RF_WAY_COUNT && rf_lanes_at(l)->available(); way++) {
      for (size_t bytes = f->most_bytes; bytes >= least && way_suits(f, way, level) && count < WAYS_MAX;
           bytes /= PART) {
        ways[count++] = (flow_way){rf_lanes_at(l), way, bytes};
      }
    }
  }
  return count;
}

static double select_way(void *user, int index) {
  flow *f = user;
  flow_way ways[WAYS_MAX];
  list_ways(f, ways);
  f->lanes = ways[index].lanes;
  f->way = ways[index].way;
  f->array_bytes = ways[index].array_bytes;
  return window_bytes(f);
}

size_t rf_cpu_floor_power(double bytes) {
  size_t power = STEP;
  while (2.0 * (double)power <= bytes) {
    power *= 2;
  }
  return power;
}

/** Bytes of a level available to each core of a kind, or to one that works alone; 0 for none. */
static double bytes_a_core(const rf_topology *t, roof_level_kind level, int kind, bool alone) {
  for (int i = 0; i < t->cache_count; i++) {
    const rf_cache *cache = &t->caches[i];
    if (cache->level == (int)level - (int)ROOF_L1 + 1 && (cache->kind == kind || cache->kind < 0)) {
      int cores = cache->kind < 0 ? t->core_count : t->kinds[kind].cores;
      return alone ? cache->bytes : cache->bytes * cache->instances / cores;
    }
  }
  return 0;
}

/** Bytes of a level that a core of a kind fills; 0 if the level cannot be distinguished from the one inside
 * it. */
static double kind_share(const rf_topology *t, roof_level_kind level, int kind, bool alone) {
  static const double filled = 0.5;
  double own = filled * bytes_a_core(t, level, kind, alone), inner = 0;
  for (int l = (int)level - 1; l >= (int)ROOF_L1 && inner == 0; l--) {
    inner = bytes_a_core(t, (roof_level_kind)l, kind, alone);
  }
  double beyond = 4 * inner;
  if (level == ROOF_L3 && inner > 0 && beyond < own) {
    own = beyond; /* a virtual machine may share the last level with others */
  }
  return inner > 0 && own < beyond / 2 ? 0 : own;
}

double rf_cpu_cache_share(const rf_topology *topology, roof_level_kind level, int kind, int per_core) {
  double least = INFINITY;
  for (int k = 0; k < topology->kind_count; k++) {
    if (kind < 0 || kind == k) {
      least = fmin(least, kind_share(topology, level, k, kind >= 0));
    }
  }
  return least / per_core;
}

/** The clock while the pattern runs: arithmetic lowers it as the peak kernel of the same register width
 * did. */
static double clock_under(const flow *f, double idle) {
  const roof_machine *machine = f->bench->machine;
  int cores = f->set.kind < 0 ? 0 : 1;
  for (int i = 0; i < machine->peak_count && patterns[f->pattern].computes; i++) {
    const roof_peak *peak = &machine->peaks[i];
    if (peak->dtype == ROOF_FP64 && peak->cores == cores && f->set.kind <= 0 &&
        strcmp(peak->isa, f->lanes->isa) == 0) {
      return peak->clock_hz;
    }
  }
  return idle;
}

/** Each array's line is fetched once from the second cache, even if the array is only written. */
static void set_limits(const flow *f, double clock, roof_level *level) {
  rf_core_limits wide = rf_core_set_limits(f->bench, &f->set, 64 * f->bench->lanes->fp64->lanes);
  int loads = patterns[f->pattern].loads, stores = patterns[f->pattern].stores;
  double limit = NAN;
  if (level->level == ROOF_L1) {
    limit = rf_cpu_transfer_limit(&wide, loads, stores);
  } else if (level->level == ROOF_L2) {
    limit = wide.l2_bytes * (loads + stores) / patterns[f->pattern].arrays;
  }
  *(double *)((char *)level + patterns[f->pattern].limit) = f->set.cores * limit * clock;
}

/** Appends "; read AVX-512 x16 124 B/cycle", in memory "; copy AVX2 non-temporal 27.1 to 27.9 (bus 27.9)
 * GB/s". */
static void describe(const flow *f, const rf_trial *t) {
  char *source = f->level->source;
  size_t size = sizeof f->level->source, used = strlen(source);
  used += (size_t)snprintf(source + used, size - used, "; %s %s %s ", patterns[f->pattern].name,
                           f->lanes->isa, way_names[f->way]);
  if (f->level->level != ROOF_MEMORY && used < size) {
    bool known = !isnan(t->conditions->per_cycle);
    rf_format(source + used, size - used, known ? "%.3g B/cycle" : "%.3g GB/s",
              known ? t->conditions->per_cycle : t->rate / 1e9);
  }
  if (f->level->level != ROOF_MEMORY || used >= size) {
    return;
  }
  bool fetches = f->pattern != RF_UPDATE && f->way < RF_PAST;
  int moved = patterns[f->pattern].loads + patterns[f->pattern].stores;
  used +=
      (size_t)rf_format(source + used, size - used, "%.3g to %.3g GB/s",
                        t->work / rf_trial_quantile(t, 0.75) / 1e9, t->work / rf_trial_quantile(t, 0) / 1e9);
  if (fetches && patterns[f->pattern].stores > 0 && used < size) {
    rf_format(source + used, size - used, " (bus %.3g)", t->rate / 1e9 * (moved + 1) / moved);
  }
}

/** Reports both modes if there are two: cores sometimes share a link to memory and sometimes do not. */
static void keep_modes(const rf_trial *t) {
  const flow *f = t->user;
  roof_level_report *report = f->level->report;
  if (isnan(t->slow_rate) || report->mode_count == ROOF_MODE_MAX) {
    return;
  }
  roof_modes *modes = &report->modes[report->mode_count++];
  snprintf(modes->pattern, sizeof modes->pattern, "%s", patterns[f->pattern].name);
  modes->fast_bytes_per_second = t->fast_rate;
  modes->slow_bytes_per_second = t->slow_rate;
}

static void finish_flow(rf_bench *bench, rf_trial *t) {
  const flow *f = t->user;
  roof_level *level = f->level;
  double clock = clock_under(f, t->conditions->clock_hz);
  clock = rf_core_set_is_mixed(bench, &f->set) ? NAN : clock;
  level->clock_hz = isnan(clock) ? NAN : t->conditions->clock_hz;
  t->conditions->per_cycle = t->rate / f->set.cores / clock;
  *(double *)((char *)level + patterns[f->pattern].result) = t->rate;
  level->spread = fmax(isnan(level->spread) ? 0 : level->spread, t->conditions->spread);
  set_limits(f, clock, level);
}

static void describe_flow(rf_bench *bench, rf_trial *t) {
  (void)bench;
  describe(t->user, t);
  keep_modes(t);
}

/** A window long enough to make the clock's resolution negligible. */
static void size_window(flow *f, roof_level_kind level) {
  static const size_t memory_window = 16 << 20, cache_window = 2 << 20;
  f->bytes = level == ROOF_MEMORY ? rf_cpu_floor_power((double)memory_window / patterns[f->pattern].arrays)
                                  : cache_window / (size_t)patterns[f->pattern].arrays / STEP * STEP;
  f->lanes = f->bench->lanes;
  double seconds = fmin(timed_pass(f), timed_pass(f));
  if (level != ROOF_MEMORY) {
    f->bytes = (size_t)((double)f->bytes * fmax(1, 300e-6 / fmax(seconds, 1e-6))) / STEP * STEP;
  }
}

/** Divides the work so that each kind of core gets what it moves alone in the same time. */
static void weigh(flow *f) {
  const roof_machine *m = f->bench->machine;
  const rf_topology *t = &f->bench->team.topology;
  size_t figure = patterns[f->pattern].result;
  double first = NAN;
  for (int i = 0; i < m->level_count && rf_core_set_is_mixed(f->bench, &f->set); i++) {
    const roof_level *one = &m->levels[i];
    double rate = *(const double *)(const void *)((const char *)one + figure);
    for (int k = 0; k < t->kind_count; k++) {
      if (one->level == f->level->level && one->cores == 1 && strcmp(one->core_kind, t->kinds[k].name) == 0) {
        first = k == 0 ? rate : first;
        f->set.weights[k] = rate / first > 0 ? rate / first : 1;
      }
    }
  }
  f->work = rf_core_set_work(f->bench, &f->set);
}

/** Memory and shared caches also serve other programs, and in a virtual machine other guests. */
static bool is_shared(const rf_bench *bench, const roof_level *level) {
  return level->level == ROOF_MEMORY || (level->level == ROOF_L3 && level->instances < bench->team.threads);
}

static double chosen_bytes(void *user) {
  return window_bytes(user);
}

static roof_status plan_pattern(rf_bench *bench, flow *f, double share, roof_error *error) {
  roof_level *level = f->level;
  rf_trial *trial = NULL;
  roof_status status = rf_trial_add(bench, &trial, error);
  if (status != ROOF_OK) {
    return status;
  }
  f->array_bytes = f->most_bytes = rf_cpu_floor_power(share / patterns[f->pattern].arrays - 2 * STAGGER);
  weigh(f);
  size_window(f, level->level);
  flow_way ways[WAYS_MAX];
  int count = list_ways(f, ways);
  bool memory = level->level == ROOF_MEMORY;
  select_way(f, 0);
  *trial = (rf_trial){
      .window = flow_window,
      .finish = finish_flow,
      .describe = describe_flow,
      .user = f,
      .choice = {flow_window, select_way, chosen_bytes, count, memory ? 2 : 4, 0, 0, {0}},
      .set = &f->set,
      .cores = f->set.cores,
      .estimate = is_shared(bench, level) ? RF_SHARED : RF_FASTEST,
      .conditions = (roof_conditions *)(void *)((char *)level->report + patterns[f->pattern].conditions)};
  *(double *)((char *)level + patterns[f->pattern].result) =
      window_bytes(f) / timed_pass(f); /* until it is measured, to weigh core sets by */
  char who[64];
  snprintf(trial->figure, sizeof trial->figure, "%.20s %s, %s", level->name, patterns[f->pattern].name,
           rf_core_set_name(bench, &f->set, who, sizeof who));
  return ROOF_OK;
}

/** Four times the last cache, within a quarter of the free memory and, for each thread beyond two, as much as
 * for two: 1 GiB, or 512 MiB for a quick run. */
static double region_bytes(const rf_bench *bench, const roof_level *plain, int count) {
  double last = 0;
  for (int i = 0; i < count; i++) {
    const roof_level *level = &plain[i];
    last = level->level != ROOF_MEMORY ? fmax(last, level->bytes * level->instances) : last;
  }
  double wanted = fmax(4 * last, 0x1p28);
  double most = (bench->options->quick ? 0x1p29 : 0x1p30) * fmax(1, bench->team.threads / 2.0);
  return fmin(fmin(wanted, rf_memory_available("") / 4), most);
}

double rf_cpu_near_bytes(const rf_bench *bench, int threads) {
  const rf_topology *t = &bench->team.topology;
  int last = threads, node = rf_topology_core(t, threads - 1)->node;
  while (last < bench->team.threads && rf_topology_core(t, last)->node == node) {
    last++;
  }
  return (double)bench->data_bytes * last / bench->team.threads;
}

/** The size of a level as one core of a kind sees it. */
static void see_as(const rf_bench *bench, const rf_core_set *set, roof_level *level) {
  const rf_topology *t = &bench->team.topology;
  for (int i = 0; i < t->cache_count && level->level != ROOF_MEMORY; i++) {
    const rf_cache *cache = &t->caches[i];
    if (cache->level == (int)level->level - (int)ROOF_L1 + 1 && cache->kind >= 0 &&
        cache->kind == set->kind) {
      level->bytes = cache->bytes;
      level->instances = cache->instances;
    }
  }
}

static roof_status plan_level(rf_bench *bench, const region *data, const roof_level *plain,
                              const rf_core_set *set, roof_error *error) {
  roof_machine *machine = bench->machine;
  if (machine->level_count == ROOF_LEVEL_MAX) {
    return ROOF_OK;
  }
  flow *flows = (flow *)bench->flows + machine->level_count * RF_PATTERN_COUNT;
  roof_level *level = roof_machine_add_level(machine);
  *level = *plain;
  if (roof_level_make_report(level) == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "levels: out of memory");
  }
  rf_core_set_sign(bench, set, &level->cores, level->core_kind, &level->threads_per_core);
  see_as(bench, set, level);
  snprintf(level->date, sizeof level->date, "%s", machine->date);
  char step[128], who[64], size[32];
  snprintf(step, sizeof step, "%s bandwidth, %s", level->name, rf_core_set_name(bench, set, who, sizeof who));
  rf_bench_step(bench, step);
  double most = rf_cpu_near_bytes(bench, set->threads) / set->threads;
  double share = level->level == ROOF_MEMORY
                     ? most
                     : rf_cpu_cache_share(&bench->team.topology, level->level, set->kind, set->per_core);
  share = level->level == ROOF_MEMORY || set->kind > 0 ? share : fmin(share, level->plateau_bytes);
  if (share == 0 || share > most) {
    snprintf(level->source, sizeof level->source, "not measured: not much larger than the level inside it");
    return ROOF_OK;
  }
  snprintf(level->source, sizeof level->source, "random data, up to %s per core",
           roof_bytes_format(size, sizeof size, (double)rf_cpu_floor_power(share)));
  roof_status status = ROOF_OK;
  for (rf_pattern p = 0; p < RF_PATTERN_COUNT && status == ROOF_OK; p++) {
    flows[p] = (flow){.bench = bench, .region = *data, .level = level, .pattern = p, .set = *set};
    status = plan_pattern(bench, &flows[p], share, error);
  }
  return status;
}

roof_status rf_cpu_plan_levels(rf_bench *bench, roof_level *plain, int count, roof_error *error) {
  double bytes = region_bytes(bench, plain, count);
  size_t unit = STEP * (size_t)bench->team.threads;
  region data = {.bytes = (size_t)bytes / unit * unit}; /* parts as those that fill it */
  rf_bench_step(bench, "preparing random data");
  bench->flows = calloc(ROOF_LEVEL_MAX * RF_PATTERN_COUNT, sizeof(flow));
  if (bench->flows == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "levels: out of memory");
  }
  roof_status status = rf_data_new("memory bandwidth", bytes, &bench->data, error);
  if (status != ROOF_OK) {
    return status;
  }
  data.data = bench->data;
  bench->data_bytes = data.bytes;
  rf_data_fill(data.data, ROOF_FP64, data.bytes / sizeof(double), 1, bench->team.threads);
  if (!bench->siblings) {
    double near = fmin(0x1p30, rf_cpu_near_bytes(bench, 1));
    rf_bench_step(bench, "bandwidth by working set");
    rf_cpu_place_levels(bench, bench->data, (size_t)near, plain, count);
  }
  for (int i = 0; i < count * rf_core_set_count(bench) && status == ROOF_OK; i++) {
    rf_core_set set = rf_core_set_at(bench, i % rf_core_set_count(bench));
    rf_core_set_enter(bench, &set);
    status = plan_level(bench, &data, &plain[i / rf_core_set_count(bench)], &set, error);
    rf_core_set_leave(bench, &set);
  }
  return status;
}

void rf_cpu_try_pages(rf_bench *bench) {
  enum { FLOWS = ROOF_LEVEL_MAX * RF_PATTERN_COUNT };
  flow *flows = bench->flows;
  rf_stream streams[FLOWS];
  int count = 0;
  size_t bytes = 0;
  for (int i = 0; i < FLOWS; i++) {
    flow *f = &flows[i];
    if (f->level == NULL || f->set.kind > 0) { /* the first core's work needs no rebinding */
      continue;
    }
    bytes = f->region.bytes;
    streams[count++] = (rf_stream){.timed = timed_pass,
                                   .flow = f,
                                   .bytes = window_bytes(f),
                                   .rate = (double *)(void *)((char *)f->level + patterns[f->pattern].result),
                                   .shared = is_shared(bench, f->level),
                                   .level = f->level,
                                   .name = patterns[f->pattern].name};
  }
  if (count > 0) {
    rf_cpu_try_small_pages(bench, bench->data, bytes, streams, count);
  }
}
