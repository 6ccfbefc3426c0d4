/* What memory of an accelerator delivers, each pattern in the layout found best by trying. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/clock.h"
#include "measure/device/bench.h"
#include "roofline/units.h"

static const struct {
  size_t rate, conditions;
} fields[RF_DEVICE_PATTERNS] = {
    {offsetof(roof_level, read_bytes_per_second), offsetof(roof_level_report, read)},
    {offsetof(roof_level, write_bytes_per_second), offsetof(roof_level_report, write)},
    {offsetof(roof_level, copy_bytes_per_second), offsetof(roof_level_report, copy)},
    {offsetof(roof_level, triad_bytes_per_second), offsetof(roof_level_report, triad)},
};

enum { WIDTHS = 3, PER_UNIT = 7, ITEMS = 5, QUICK_LAYOUTS = 6 };

/** The layouts that are tried, the likeliest first; false at their end. A work-group of one work-item walks
 * through its part in order: that suits a processor, and no GPU. */
static bool layout_at(const rf_device_bench *bench, int index, rf_device_layout *layout) {
  static const int widths[WIDTHS] = {4, 1, 2}, per_unit[PER_UNIT] = {8, 2, 16, 4, 32, 128, 1},
                   items[][ITEMS] = {{256, 512, 1024, 128, 1}, {1, 16, 256, 64, 4}};
  const rf_device_info *info = &bench->device->info;
  bool processor = strcmp(info->device_class, "cpu") == 0;
  *layout = (rf_device_layout){
      .width = widths[index % WIDTHS],
      .items = (int)fmin(items[processor][index / (WIDTHS * PER_UNIT) % ITEMS], info->group_items),
      .groups = (int)(rf_device_units(bench) * per_unit[index / WIDTHS % PER_UNIT])};
  return index < (bench->options->quick ? QUICK_LAYOUTS : WIDTHS * PER_UNIT * ITEMS);
}

/** A search for the best layout of a pattern. */
typedef struct search {
  rf_device_pattern pattern;
  rf_device_layout best;
  double rate;  /**< bytes/s of the best */
  double piece; /**< bytes of a buffer that a launch takes */
  double spent; /**< s on the device */
  double until; /**< by the host's clock: building for a layout takes time as well */
  rf_device_trials trials;
} search;

/** Bytes of a buffer that all work-items of a layout take at once. */
static double at_once(const rf_device_layout *layout) {
  return 4 * layout->width * rf_device_elements(layout, 1);
}

/** The better of two launches after one that is not counted, each on another piece of the buffers, so that no
 * cache has what is moved. */
static roof_status time_pieces(rf_device_bench *bench, const search *s, const rf_device_layout *layout,
                               double *bytes, double *seconds, roof_error *error) {
  enum { PIECES = 3 };
  roof_status status = ROOF_OK;
  double now = NAN, piece = fmax(s->piece, at_once(layout)), pieces = floor(bench->bytes / piece);
  *seconds = INFINITY;
  for (int i = 0; i < PIECES && status == ROOF_OK; i++) {
    *bytes = piece;
    double from = piece * fmod(s->trials.tried * PIECES + i, pieces);
    rf_device_launch launch = rf_device_mover(bench, s->pattern, layout, from, bytes);
    status = rf_device_find(bench, bench->memory, &launch, error);
    if (status == ROOF_OK) {
      status = bench->device->driver->time(bench->device, &launch, 1, 1, &now, error);
    }
    *seconds = i > 0 ? fmin(*seconds, fmax(now, 1e-9)) : *seconds;
  }
  return status;
}

/** Times a layout on pieces of the size that suits it; the first grows to it. */
static roof_status time_layout(rf_device_bench *bench, search *s, const rf_device_layout *layout,
                               double *rate, roof_error *error) {
  enum { GROWTHS = 6 };
  static const double longest = 0.05 /* of a figure's time, for one launch */, least = 1 << 20;
  roof_status status = ROOF_OK;
  double bytes = NAN, seconds = NAN, before = 0;
  for (int i = 0; i < GROWTHS && status == ROOF_OK && s->piece > 2 * before; i++) {
    before = s->trials.tried == 0 ? s->piece : INFINITY;
    status = time_pieces(bench, s, layout, &bytes, &seconds, error);
    if (status == ROOF_OK) {
      s->spent += 3 * seconds;
      s->piece = fmin(bench->bytes, fmax(least, s->piece / seconds * longest * bench->budget));
      *rate = bytes / seconds;
    }
  }
  return status;
}

static roof_status try_layout(rf_device_bench *bench, search *s, const rf_device_layout *layout,
                              roof_error *error) {
  bool right = false;
  double rate = NAN;
  roof_status status = rf_device_check_pattern(bench, s->pattern, layout, &right, error);
  s->trials.wrong += status == ROOF_OK && !right;
  if (status == ROOF_OK && right) {
    status = time_layout(bench, s, layout, &rate, error);
    s->trials.tried++;
  }
  if (status == ROOF_OK && rate > s->rate) {
    s->rate = rate;
    s->best = *layout;
  }
  return status;
}

/** Tries layouts for as long as two figures may take, and keeps the best. */
static roof_status choose(rf_device_bench *bench, search *s, roof_error *error) {
  static const double first_piece = 16 << 20, host = 6;
  rf_device_layout layout;
  roof_status status = ROOF_OK;
  layout_at(bench, 0, &layout);
  s->piece = fmin(bench->bytes, fmax(first_piece, 4 * layout.width * rf_device_elements(&layout, 1)));
  s->until = rf_clock_seconds() + host * bench->budget;
  for (int i = 0; status == ROOF_OK && layout_at(bench, i, &layout); i++) {
    bool time_left = s->spent < 2 * bench->budget && rf_clock_seconds() < s->until;
    if (at_once(&layout) <= bench->bytes && (time_left || s->trials.tried == 0)) {
      status = try_layout(bench, s, &layout, error);
    }
  }
  return status;
}

/** "read: 16 B per load, 16 work-groups of 1 work-item, best of 22 tried, in 3 pieces" */
static void add_source(roof_level *level, const search *s, int pieces) {
  const rf_device_layout *l = &s->best;
  size_t used = strlen(level->source);
  used +=
      (size_t)snprintf(level->source + used, sizeof level->source - used,
                       "%s%s: %d B per load, %d work-groups of %d work-item%s, best of %d tried",
                       used > 0 ? "; " : "measured: ", rf_device_pattern_name(s->pattern) + strlen("memory "),
                       4 * l->width, l->groups, l->items, l->items == 1 ? "" : "s", s->trials.tried);
  if (pieces > 1) {
    snprintf(level->source + used, sizeof level->source - used, ", in %d pieces", pieces);
  }
}

/** The whole of the buffers as launches of the best layout, so many that a figure's time has room for ten. */
static int pieces_of(rf_device_bench *bench, const search *s, rf_device_launch *launches, double *bytes,
                     roof_error *error) {
  static const double room = 10;
  double whole = bench->bytes;
  rf_device_mover(bench, s->pattern, &s->best, 0, &whole); /* to know what it moves */
  double wanted = ceil(whole * room / (s->rate * bench->budget));
  int pieces = (int)fmax(1, fmin(wanted, RF_DEVICE_PIECES));
  double piece = floor(bench->bytes / pieces / 4096) * 4096;
  for (int i = 0; i < pieces; i++) {
    *bytes = piece;
    launches[i] = rf_device_mover(bench, s->pattern, &s->best, i * piece, bytes);
    if (rf_device_find(bench, bench->memory, &launches[i], error) != ROOF_OK) {
      return 0;
    }
  }
  return pieces;
}

/** Half a piece against a whole one. */
static roof_status check_growth(rf_device_bench *bench, const search *s, int pieces, double *ratio,
                                roof_error *error) {
  double bytes = bench->bytes / pieces / 2;
  rf_device_launch half = rf_device_mover(bench, s->pattern, &s->best, 0, &bytes);
  int count = 0;
  while (half.args[count].kind != RF_ARG_INDEX) {
    count++;
  }
  roof_status status = rf_device_find(bench, bench->memory, &half, error);
  return status == ROOF_OK ? rf_device_growth(bench, &half, count + 1, ratio, error) : status;
}

static roof_status sample_pattern(rf_device_bench *bench, search *s, roof_level *level, roof_error *error) {
  static const double least_growth = 1.1;
  const char *name = rf_device_pattern_name(s->pattern);
  rf_device_launch launches[RF_DEVICE_PIECES];
  rf_device_result result;
  double bytes = NAN, ratio = NAN;
  int pieces = pieces_of(bench, s, launches, &bytes, error);
  roof_status status = pieces > 0 ? check_growth(bench, s, pieces, &ratio, error) : ROOF_E_UNSUPPORTED;
  if (status == ROOF_OK && ratio < least_growth) {
    rf_device_note(bench, "%s: not measured: twice the bytes took %.2f times as long, which no memory does",
                   name, ratio);
    return ROOF_OK;
  }
  if (status == ROOF_OK) {
    status = rf_device_figure(bench, name, launches, pieces, bytes, &result, error);
  }
  if (status == ROOF_OK) {
    *(double *)((char *)level + fields[s->pattern].rate) = s->rate = bytes / result.seconds;
    rf_device_keep_conditions(level, fields[s->pattern].conditions, &result);
    bench->memory_rate = fmax(bench->memory_rate, s->rate);
    level->spread = fmax(isnan(level->spread) ? 0 : level->spread, result.spread);
    add_source(level, s, pieces);
  }
  return status;
}

static roof_status measure_pattern(rf_device_bench *bench, rf_device_pattern pattern, roof_level *level,
                                   roof_error *error) {
  search s = {.pattern = pattern};
  const char *name = rf_device_pattern_name(pattern);
  layout_at(bench, 0, &s.best);
  rf_device_step(bench, name);
  roof_status status = choose(bench, &s, error);
  if (status == ROOF_OK && s.trials.wrong > 0) {
    rf_device_note(bench, "%s: %d of %d layouts gave wrong results and are left out", name, s.trials.wrong,
                   s.trials.wrong + s.trials.tried);
  }
  if (status == ROOF_OK && s.trials.tried == 0) {
    rf_device_note(bench, "%s: not measured: no layout is both right and small enough", name);
  }
  if (status == ROOF_OK && s.trials.tried > 0) {
    status = sample_pattern(bench, &s, level, error);
  }
  if (pattern == RF_DEVICE_READ) {
    bench->reading = s.best;
    bench->read_rate = level->read_bytes_per_second;
  }
  return status;
}

static void note_size(rf_device_bench *bench) {
  const rf_device_info *info = &bench->device->info;
  char have[32], cache[32];
  if (bench->bytes < 4 * info->cache_bytes) {
    rf_device_note(bench,
                   "memory was measured on %s, less than 4 times the last cache of %s: the cache shows",
                   roof_bytes_format(have, sizeof have, bench->bytes),
                   roof_bytes_format(cache, sizeof cache, info->cache_bytes));
  }
}

roof_status rf_device_reads(rf_device_bench *bench, roof_error *error) {
  note_size(bench);
  return measure_pattern(bench, RF_DEVICE_READ,
                         rf_device_add_level(bench, "memory", ROOF_MEMORY, bench->device->info.memory_bytes),
                         error);
}

roof_status rf_device_memory(rf_device_bench *bench, roof_error *error) {
  roof_level *memory = &bench->machine->levels[bench->machine->level_count - 1];
  roof_status status = ROOF_OK;
  for (int i = RF_DEVICE_READ + 1; i < RF_DEVICE_PATTERNS && status == ROOF_OK; i++) {
    status = measure_pattern(bench, (rf_device_pattern)i, memory, error);
  }
  return status;
}
