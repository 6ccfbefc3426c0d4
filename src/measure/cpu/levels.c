/* Bandwidth of the caches and of memory. Bytes are those the program asks for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/data.h"
#include "measure/cpu/cpu.h"
#include "measure/sampler.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum { WINDOWS_LEAST = 10, WINDOWS_MOST = 400 };

/** Random fp64 data, three arrays of `third` elements. */
typedef struct region {
  double *data;
  size_t third;
} region;

typedef struct sweep {
  const roof_bench *bench;
  const roof_loops *loops;
  const region *region;
  int threads;
  int pattern;
  int stream;
  size_t elements; /**< a thread's, of each array, in one window */
  size_t repeats;
  size_t window;
} sweep;

static void read_cache(void *user, int thread, int threads) {
  const sweep *s = user;
  size_t share = 3 * s->region->third / (size_t)threads / 64 * 64;
  s->loops->read[0](s->region->data + (size_t)thread * share, s->elements, s->repeats);
}

static double timed_cache(void *user) {
  sweep *s = user;
  return roof_team_time(&s->bench->team, s->threads, read_cache, s);
}

/** Where the part of a window begins that belongs to a thread. Windows follow each other through its share,
 * so that data come back only after the whole region has passed the caches. */
static size_t window_begin(const sweep *s, size_t count, int thread, int threads) {
  roof_share share = roof_share_of(count, thread, threads);
  size_t windows = (share.end - share.begin) / s->elements;
  return share.begin + (windows > 0 ? s->window % windows : 0) * s->elements;
}

static void pass_read(void *user, int thread, int threads) {
  const sweep *s = user;
  size_t begin = window_begin(s, 3 * s->region->third, thread, threads);
  s->loops->read[s->stream](s->region->data + begin, s->elements, 1);
}

static void pass_triad(void *user, int thread, int threads) {
  const sweep *s = user;
  double *a = s->region->data + window_begin(s, s->region->third, thread, threads);
  s->loops->triad[s->stream](a, a + s->region->third, a + 2 * s->region->third, 0.75, s->elements);
}

static void pass_copy(void *user, int thread, int threads) {
  const sweep *s = user;
  double *a = s->region->data + window_begin(s, s->region->third, thread, threads);
  s->loops->scale[s->stream](a, a + s->region->third, 1, s->elements);
}

static void pass_write(void *user, int thread, int threads) {
  const sweep *s = user;
  double *a = s->region->data + window_begin(s, s->region->third, thread, threads);
  s->loops->fill[s->stream](a, 0.7071067811865476, s->elements);
}

enum { READ, TRIAD, COPY, WRITE, PATTERN_COUNT };

static const struct {
  const char *name;
  roof_team_body *pass;
  int arrays;    /**< that one element of a window touches */
  size_t result; /**< where the figure goes in a roof_level */
} patterns[] = {
    [READ] = {"read", pass_read, 1, offsetof(roof_level, read_bytes_per_second)},
    [TRIAD] = {"triad", pass_triad, 3, offsetof(roof_level, triad_bytes_per_second)},
    [COPY] = {"copy", pass_copy, 2, offsetof(roof_level, copy_bytes_per_second)},
    [WRITE] = {"write", pass_write, 1, offsetof(roof_level, write_bytes_per_second)},
};
_Static_assert(sizeof patterns / sizeof patterns[0] == PATTERN_COUNT, "a row per pattern");

static double timed_pass(void *user) {
  sweep *s = user;
  double seconds = roof_team_time(&s->bench->team, s->threads, patterns[s->pattern].pass, s);
  s->window++;
  return seconds;
}

/** Bytes of a thread's part of a level: half of what it may fill; 0 when the level cannot be told from the
 * one inside it. */
static double cache_share(const roof_level *level, const roof_level *inner, int cores) {
  double own = level->bytes * level->instances / cores / 2;
  double beyond = inner != NULL ? 4 * inner->bytes * inner->instances / cores : 0;
  if (level->level == ROOF_L3 && beyond < own) {
    own = beyond; /* a guest may share the last level with others */
  }
  return inner != NULL && own < beyond / 2 ? 0 : own;
}

static roof_status measure_cache(roof_bench *bench, const region *data, double bytes, int threads,
                                 roof_level *level, roof_error *error) {
  static const double window_bytes = 64e6;
  sweep s = {.bench = bench,
             .loops = bench->lanes->fp64,
             .region = data,
             .threads = threads,
             .elements = (size_t)(bytes / sizeof(double)),
             .repeats = (size_t)fmax(1, window_bytes / bytes)};
  roof_sampling sampling = {1, bench->budget, WINDOWS_LEAST, WINDOWS_MOST};
  roof_samples samples;
  roof_status status = roof_sample(timed_cache, &s, &sampling, &samples, error);
  if (status != ROOF_OK) {
    return status;
  }
  char size[32];
  level->read_bytes_per_second =
      threads * (double)(s.elements * sizeof(double) * s.repeats) / samples.stats.minimum;
  level->spread = samples.stats.spread;
  if (level->level == ROOF_L1) {
    level->limit_bytes_per_second =
        threads * roof_cpu_limits(64 * bench->lanes->fp64->lanes).load_bytes / bench->cycle_seconds;
  }
  snprintf(level->source, sizeof level->source, "%s loads, %s of random data a core, best of %zu windows",
           bench->lanes->isa, roof_bytes_format(size, sizeof size, bytes), samples.count);
  roof_samples_done(&samples);
  return ROOF_OK;
}

/** One pattern, plain and in the streaming form (prefetched, stored past the caches); the better median
 * counts. */
static roof_status measure_pattern(roof_bench *bench, const region *data, int pattern, int threads,
                                   roof_level *level, roof_text *how, roof_error *error) {
  static const size_t window_bytes = 16 << 20;
  double rates[2], spreads[2];
  for (int stream = 0; stream < 2; stream++) {
    sweep s = {.bench = bench,
               .loops = bench->lanes->fp64,
               .region = data,
               .threads = threads,
               .pattern = pattern,
               .stream = stream,
               .elements = window_bytes / sizeof(double) / (size_t)patterns[pattern].arrays / 64 * 64};
    roof_sampling sampling = {1, bench->budget / 2, WINDOWS_LEAST, WINDOWS_MOST};
    roof_samples samples;
    roof_status status = roof_sample(timed_pass, &s, &sampling, &samples, error);
    if (status != ROOF_OK) {
      return status;
    }
    double bytes = (double)threads * (double)(s.elements * sizeof(double)) * patterns[pattern].arrays;
    rates[stream] = bytes / samples.stats.median;
    spreads[stream] = samples.stats.spread;
    roof_samples_done(&samples);
  }
  int best = rates[1] > rates[0];
  level->spread = fmax(isnan(level->spread) ? 0 : level->spread, spreads[best]);
  *(double *)((char *)level + patterns[pattern].result) = rates[best];
  roof_text_addf(how, "%s %s %.3g/%.3g", pattern > 0 ? "," : "", patterns[pattern].name, rates[1] / 1e9,
                 rates[0] / 1e9);
  return ROOF_OK;
}

static roof_status measure_memory(roof_bench *bench, const region *data, int threads, roof_level *level,
                                  roof_error *error) {
  roof_text how = {0};
  roof_status status = ROOF_OK;
  char size[32], step[96];
  roof_text_addf(
      &how,
      "medians over %s of random data, in large pages where granted, the widest spread; the better of "
      "streaming/cached, GB/s:",
      roof_bytes_format(size, sizeof size, 24.0 * (double)data->third));
  for (int pattern = 0; pattern < PATTERN_COUNT && status == ROOF_OK; pattern++) {
    snprintf(step, sizeof step, "%s %s, %d core%s", level->name, patterns[pattern].name, threads,
             threads == 1 ? "" : "s");
    roof_bench_step(bench, step);
    status = measure_pattern(bench, data, pattern, threads, level, &how, error);
  }
  snprintf(level->source, sizeof level->source, "%s", how.data != NULL ? how.data : "");
  roof_text_done(&how);
  return status;
}

/** Four times the last cache, within a quarter of the free memory, 2 GiB, or 1 GiB for a quick run. */
static double region_bytes(const roof_bench *bench) {
  double last = 0;
  for (int i = 0; i < bench->machine->level_count; i++) {
    const roof_level *level = &bench->machine->levels[i];
    last = level->level != ROOF_MEMORY ? fmax(last, level->bytes * level->instances) : last;
  }
  double wanted = fmax(4 * last, 0x1p28);
  return fmin(fmin(wanted, roof_memory_available() / 4), bench->options->quick ? 0x1p30 : 0x1p31);
}

static roof_status measure_level(roof_bench *bench, const region *data, const roof_level *plain,
                                 const roof_level *inner, int threads, roof_error *error) {
  roof_machine *machine = bench->machine;
  roof_level *level = &machine->levels[machine->level_count++];
  *level = *plain;
  level->cores = threads == bench->team.threads ? 0 : threads;
  snprintf(level->date, sizeof level->date, "%s", machine->date);
  if (level->level == ROOF_MEMORY) {
    return measure_memory(bench, data, threads, level, error);
  }
  char step[96];
  snprintf(step, sizeof step, "%s read, %d core%s", level->name, threads, threads == 1 ? "" : "s");
  roof_bench_step(bench, step);
  double bytes = cache_share(level, inner, bench->team.threads);
  if (bytes == 0 || bytes * threads > 24.0 * (double)data->third) {
    snprintf(level->source, sizeof level->source,
             "not measured: not large enough beyond the level inside it");
    return ROOF_OK;
  }
  return measure_cache(bench, data, bytes, threads, level, error);
}

roof_status roof_cpu_measure_levels(roof_bench *bench, roof_error *error) {
  roof_machine *machine = bench->machine;
  roof_level plain[ROOF_LEVEL_MAX];
  int count = machine->level_count;
  memcpy(plain, machine->levels, sizeof plain);
  double bytes = region_bytes(bench);
  machine->level_count = 0;
  region data = {.third = (size_t)(bytes / 24) / 64 * 64};
  void *memory = NULL;
  roof_bench_step(bench, "preparing random data");
  roof_status status = roof_data_new("memory bandwidth", bytes, &memory, error);
  if (status != ROOF_OK) {
    return status;
  }
  data.data = memory;
  roof_data_fill(memory, ROOF_FP64, 3 * data.third, 1, bench->team.threads);
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    const roof_level *inner = i > 0 ? &plain[i - 1] : NULL;
    if (bench->team.threads > 1) {
      status = measure_level(bench, &data, &plain[i], inner, 1, error);
    }
    if (status == ROOF_OK) {
      status = measure_level(bench, &data, &plain[i], inner, bench->team.threads, error);
    }
  }
  free(memory);
  return status;
}
