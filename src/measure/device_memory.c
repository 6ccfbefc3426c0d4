/* What memory, the last cache and local memory of an accelerator deliver, each in the layout found best by
 * trying. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/device_bench.h"
#include "roofline/units.h"

enum { AHEAD = 4, SLOTS = 512, LOCAL_ROUND = 8 };

/** One access pattern. */
typedef struct pattern {
  const char *name;
  int moved;   /**< times the bytes of one buffer */
  int buffers; /**< arguments, the last written */
} pattern;

static const pattern patterns[] = {{"read", 1, 2}, {"write", 1, 1}, {"copy", 2, 2}, {"triad", 3, 3}};

static const struct {
  size_t rate, conditions;
} fields[] = {
    {offsetof(roof_level, read_bytes_per_second), offsetof(roof_level, read)},
    {offsetof(roof_level, write_bytes_per_second), offsetof(roof_level, write)},
    {offsetof(roof_level, copy_bytes_per_second), offsetof(roof_level, copy)},
    {offsetof(roof_level, triad_bytes_per_second), offsetof(roof_level, triad)},
};

/** Elements of the layout's width in `bytes`: a whole number for each lane of each group. */
static double elements_of(const roof_device_layout *l, double bytes) {
  double together = (double)AHEAD * l->lanes * l->groups;
  return fmax(1, floor(bytes / 4 / l->width / together)) * together;
}

static const char *entry_of(const char *name, int width) {
  static const char *const entries[][3] = {
      {"memory_read_1", "memory_read_2", "memory_read_4"},
      {"memory_write_1", "memory_write_2", "memory_write_4"},
      {"memory_copy_1", "memory_copy_2", "memory_copy_4"},
      {"memory_triad_1", "memory_triad_2", "memory_triad_4"},
  };
  size_t which = 0;
  while (which < 3 && strcmp(patterns[which].name, name) != 0) {
    which++;
  }
  return entries[which][width / 2];
}

roof_device_launch roof_device_reader(const roof_device_bench *bench, const roof_device_layout *layout,
                                      double *bytes, int passes) {
  roof_device_launch launch =
      roof_device_launch_of(entry_of("read", layout->width), layout->groups, 1, layout->lanes, 1);
  double elements = elements_of(layout, *bytes);
  roof_device_add_buffer(&launch, bench->buffers[0]);
  roof_device_add_buffer(&launch, bench->buffers[1]);
  roof_device_add_index(&launch, elements);
  roof_device_add_int(&launch, passes);
  *bytes = elements * layout->width * 4 * passes;
  return launch;
}

static roof_device_launch launch_of(const roof_device_bench *bench, const pattern *p,
                                    const roof_device_layout *layout, double *bytes) {
  if (p == &patterns[0]) {
    return roof_device_reader(bench, layout, bytes, 1);
  }
  roof_device_launch launch =
      roof_device_launch_of(entry_of(p->name, layout->width), layout->groups, 1, layout->lanes, 1);
  double elements = elements_of(layout, *bytes);
  for (int i = ROOF_DEVICE_BUFFERS - p->buffers; i < ROOF_DEVICE_BUFFERS; i++) {
    roof_device_add_buffer(&launch, bench->buffers[i]);
  }
  if (p == &patterns[1]) {
    roof_device_add_float(&launch, 0.625);
  }
  roof_device_add_index(&launch, elements);
  *bytes = elements * layout->width * 4 * p->moved;
  return launch;
}

/** The layouts that are tried, the likeliest first; false at their end. */
static bool layout_at(const roof_device_bench *bench, int index, roof_device_layout *layout) {
  static const int widths[] = {4, 1, 2}, lanes[] = {256, 512, 1024, 128}, waves[] = {8, 2, 16, 4, 32, 1};
  const roof_device_info *info = &bench->device->info;
  double units = isnan(info->units) ? 1 : info->units;
  *layout = (roof_device_layout){.width = widths[index % 3],
                                 .lanes = (int)fmin(lanes[index / 18 % 4], info->group_lanes),
                                 .groups = (int)(units * waves[index / 3 % 6])};
  return index < (bench->options->quick ? 6 : 72);
}

/** Tries layouts for as long as a figure may take, and keeps the best. */
static roof_status choose(roof_device_bench *bench, const pattern *p, roof_device_layout *best, int *tried,
                          roof_error *error) {
  roof_device_layout layout;
  double spent = 0, fastest = 0;
  roof_status status = ROOF_OK;
  *tried = 0;
  for (int i = 0; status == ROOF_OK && layout_at(bench, i, &layout); i++) {
    double bytes = bench->bytes, seconds = NAN;
    roof_device_launch launch = launch_of(bench, p, &layout, &bytes);
    if (bytes > bench->bytes * p->moved || spent > 2 * bench->budget) {
      continue;
    }
    status = roof_device_find(bench, bench->memory, &launch, error);
    if (status == ROOF_OK) {
      status = roof_device_try(bench, &launch, &seconds, error);
    }
    spent += 3 * seconds;
    if (status == ROOF_OK && bytes / seconds > fastest) {
      fastest = bytes / seconds;
      *best = layout;
    }
    ++*tried;
  }
  return status;
}

static roof_level *add_level(roof_device_bench *bench, const char *name, roof_level_kind kind, double bytes) {
  roof_machine *m = bench->machine;
  roof_level *level = &m->levels[m->level_count++];
  snprintf(level->name, sizeof level->name, "%s", name);
  snprintf(level->date, sizeof level->date, "%s", m->date);
  level->level = kind;
  level->kind = ROOF_MEASURED;
  level->bytes = bytes;
  level->instances = 1;
  return level;
}

static void add_source(roof_level *level, const char *what, const roof_device_layout *l, int tried) {
  size_t used = strlen(level->source);
  snprintf(level->source + used, sizeof level->source - used,
           "%s%s: %d B a load, %d groups of %d lanes, best of %d tried", used > 0 ? "; " : "measured: ", what,
           4 * l->width, l->groups, l->lanes, tried);
}

static roof_status measure_pattern(roof_device_bench *bench, const pattern *p, roof_level *level,
                                   roof_error *error) {
  roof_device_layout best = {1, 1, 1, 1};
  roof_device_result result;
  int tried = 0;
  char name[64];
  snprintf(name, sizeof name, "memory %s", p->name);
  roof_device_step(bench, name);
  roof_status status = choose(bench, p, &best, &tried, error);
  double bytes = bench->bytes;
  roof_device_launch launch = launch_of(bench, p, &best, &bytes);
  if (status == ROOF_OK) {
    status = roof_device_find(bench, bench->memory, &launch, error);
  }
  if (status == ROOF_OK) {
    status = roof_device_figure(bench, name, &launch, bytes, &result, error);
  }
  if (status == ROOF_OK) {
    size_t which = (size_t)(p - patterns);
    *(double *)((char *)level + fields[which].rate) = bytes / result.seconds;
    *(roof_conditions *)((char *)level + fields[which].conditions) = result.conditions;
    level->spread = fmax(isnan(level->spread) ? 0 : level->spread, result.spread);
    add_source(level, p->name, &best, tried);
  }
  if (status == ROOF_OK && p == &patterns[0]) {
    bench->reading = best;
    bench->read_rate = bytes / result.seconds;
  }
  return status;
}

roof_status roof_device_memory(roof_device_bench *bench, roof_error *error) {
  const roof_device_info *info = &bench->device->info;
  roof_level level = *add_level(bench, "memory", ROOF_MEMORY, info->memory_bytes);
  bench->machine->level_count--; /* outermost: it follows the caches */
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < sizeof patterns / sizeof patterns[0] && status == ROOF_OK; i++) {
    status = measure_pattern(bench, &patterns[i], &level, error);
  }
  if (status == ROOF_OK && bench->bytes < 4 * info->cache_bytes) {
    char have[32], cache[32];
    roof_device_note(bench,
                     "memory was measured on %s, less than 4 times the last cache of %s: the cache shows",
                     roof_bytes_format(have, sizeof have, bench->bytes),
                     roof_bytes_format(cache, sizeof cache, info->cache_bytes));
  }
  if (status == ROOF_OK) {
    status = roof_device_caches(bench, error);
  }
  if (status == ROOF_OK) {
    bench->machine->levels[bench->machine->level_count++] = level;
  }
  return status;
}

/** Lanes of each group read local memory in turns; 16 bytes a load. */
static roof_status measure_local(roof_device_bench *bench, roof_error *error) {
  const roof_device_info *info = &bench->device->info;
  enum { ROUNDS = 256 };
  roof_device_launch best;
  roof_device_result result;
  double fastest = 0, work = 0, units = isnan(info->units) ? 1 : info->units;
  roof_status status = ROOF_OK;
  roof_device_step(bench, "local memory read");
  for (int i = 0; i < (bench->options->quick ? 2 : 6) && status == ROOF_OK; i++) {
    static const int lanes[] = {256, 128, 512}, waves[] = {8, 2};
    int taken = (int)fmin(lanes[i / 2], info->group_lanes);
    double groups = units * waves[i % 2], seconds = NAN, bytes = groups * taken * ROUNDS * LOCAL_ROUND * 16.0;
    roof_device_launch launch = roof_device_launch_of("memory_local", groups, 1, taken, 1);
    roof_device_add_buffer(&launch, bench->buffers[0]);
    roof_device_add_buffer(&launch, bench->buffers[1]);
    roof_device_add_int(&launch, ROUNDS);
    status = roof_device_find(bench, bench->memory, &launch, error);
    if (status == ROOF_OK) {
      status = roof_device_try(bench, &launch, &seconds, error);
    }
    if (status == ROOF_OK && bytes / seconds > fastest) {
      fastest = bytes / seconds;
      best = launch;
      work = bytes;
    }
  }
  if (status == ROOF_OK) {
    status = roof_device_figure(bench, "local memory read", &best, work, &result, error);
  }
  if (status == ROOF_OK) {
    roof_level *level = add_level(bench, "L1/shared", ROOF_L1, info->local_bytes);
    level->instances = info->units;
    level->read_bytes_per_second = work / result.seconds;
    level->read = result.conditions;
    level->spread = result.spread;
    snprintf(level->source, sizeof level->source,
             "measured: read of local memory, 16 B a load, %u groups of %u lanes", best.groups[0],
             best.lanes[0]);
  }
  return status;
}

/** Half the last cache, read again and again, each time by another group. */
static roof_status measure_last(roof_device_bench *bench, roof_error *error) {
  const roof_device_info *info = &bench->device->info;
  bool processor = strcmp(info->device_class, "cpu") == 0;
  double bytes = fmin(info->cache_bytes / 2, bench->bytes);
  roof_device_result result;
  roof_device_step(bench, "last cache read");
  roof_device_launch launch =
      roof_device_reader(bench, &bench->reading, &bytes, bench->options->quick ? 2 : 8);
  roof_status status = roof_device_find(bench, bench->memory, &launch, error);
  if (status == ROOF_OK) {
    status = roof_device_figure(bench, "last cache read", &launch, bytes, &result, error);
  }
  if (status == ROOF_OK) {
    roof_level *level =
        add_level(bench, processor ? "L3" : "L2", processor ? ROOF_L3 : ROOF_L2, info->cache_bytes);
    level->read_bytes_per_second = bytes / result.seconds;
    level->read = result.conditions;
    level->spread = result.spread;
    add_source(level, "half of it read again and again", &bench->reading, 1);
  }
  return status;
}

roof_status roof_device_caches(roof_device_bench *bench, roof_error *error) {
  const roof_device_info *info = &bench->device->info;
  roof_status status = ROOF_OK;
  if (info->local_bytes >= SLOTS * 16) {
    status = measure_local(bench, error);
  }
  return status == ROOF_OK && info->cache_bytes > 0 ? measure_last(bench, error) : status;
}
