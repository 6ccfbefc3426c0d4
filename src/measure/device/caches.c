/* What local memory and the last cache of an accelerator deliver. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/data.h"
#include "measure/device/bench.h"
#include "roofline/units.h"

/* As in memory.cl. */
enum { SLOTS = 512, LOADS = 8, APART = 32, ALL_SLOTS = SLOTS + LOADS * APART, LOAD_BYTES = 16 };

enum { ROUNDS_ARGUMENT = 2 };

roof_level *rf_device_add_level(rf_device_bench *bench, const char *name, roof_level_kind kind,
                                double bytes) {
  roof_machine *m = bench->machine;
  roof_level *level = roof_machine_add_level(m);
  snprintf(level->name, sizeof level->name, "%s", name);
  snprintf(level->date, sizeof level->date, "%s", m->date);
  level->level = kind;
  level->kind = ROOF_MEASURED;
  level->bytes = bytes;
  level->instances = 1;
  return level;
}

/** A level of caches: just inside memory, which is measured before all of them and comes last. */
static roof_level *add_cache(rf_device_bench *bench, const char *name, roof_level_kind kind, double bytes) {
  roof_level *added = rf_device_add_level(bench, name, kind, bytes), cache = *added;
  added[0] = added[-1];
  added[-1] = cache;
  return &added[-1];
}

void rf_device_keep_conditions(roof_level *level, size_t offset, const rf_device_result *result) {
  roof_level_report *report = roof_level_make_report(level);
  if (report != NULL) {
    *(roof_conditions *)(void *)((char *)report + offset) = result->conditions;
  }
}

/** Whether reading a level twice as often took long enough for both to be real; a note says so if not. */
static bool grows(rf_device_bench *bench, const char *name, double ratio) {
  static const double least = 1.25;
  if (ratio < least) {
    rf_device_note(bench, "%s: not measured: twice the loads took %.2f times as long: not all were done",
                   name, ratio);
  }
  return ratio >= least;
}

static rf_device_launch local_launch(const rf_device_bench *bench, double groups, int items, int rounds,
                                     float keep) {
  rf_device_launch launch = rf_device_launch_of("memory_local", groups, 1, items, 1);
  rf_device_add_buffer(&launch, bench->buffers[0]);
  rf_device_add_buffer(&launch, bench->results);
  rf_device_add_int(&launch, rounds);
  rf_device_add_float(&launch, keep);
  return launch;
}

/** The total of the work-items of a work-group. */
static double local_total(int items, int rounds) {
  int apart = items < APART ? items : APART;
  double total = 0;
  for (int item = 0; item < items; item++) {
    for (int load = 0; load < rounds * LOADS; load++) {
      size_t slot = (size_t)(((item + load / LOADS * LOADS) & (SLOTS - 1)) + load % LOADS * apart);
      for (size_t i = 0; i < 4; i++) {
        total += (double)(float)rf_random_at(RF_DEVICE_SEED, 4 * slot + i);
      }
    }
  }
  return total;
}

static roof_status check_local(rf_device_bench *bench, int items, bool *right, roof_error *error) {
  enum { ROUNDS = 2, MOST = 1024 };
  float sums[MOST];
  double total = 0;
  rf_device_launch launch = local_launch(bench, 1, items, ROUNDS, -FLT_MAX);
  roof_status status = rf_device_find(bench, bench->memory, &launch, error);
  if (status == ROOF_OK) {
    status = rf_device_sums(bench, &launch, sums, (size_t)items, error);
  }
  for (int i = 0; i < items && status == ROOF_OK; i++) {
    total += (double)sums[i];
  }
  *right = fabs(total - local_total(items, ROUNDS)) <= 1e-4 * sqrt(4.0 * items * ROUNDS * LOADS);
  return status;
}

static double local_work(const rf_device_launch *launch) {
  return (double)launch->groups[0] * launch->items[0] * launch->args[ROUNDS_ARGUMENT].number * LOADS *
         LOAD_BYTES;
}

/** Once to know how long it takes, then long enough. */
static roof_status time_local(rf_device_bench *bench, rf_device_launch *launch, double *seconds,
                              roof_error *error) {
  roof_status status = rf_device_try(bench, launch, 1, seconds, error);
  if (status == ROOF_OK) {
    rf_device_lengthen(launch, ROUNDS_ARGUMENT, *seconds);
    status = rf_device_try(bench, launch, 2, seconds, error);
  }
  return status;
}

/** The fastest of several layouts whose sums are right. */
static roof_status choose_local(rf_device_bench *bench, rf_device_launch *best, double *rate,
                                rf_device_trials *trials, roof_error *error) {
  static const int items[][3] = {{256, 128, 512}, {1, 16, 64}}, waves[] = {8, 2};
  enum { ROUNDS = 256 };
  bool processor = strcmp(bench->device->info.device_class, "cpu") == 0;
  roof_status status = ROOF_OK;
  for (int i = 0; i < (bench->options->quick ? 2 : 6) && status == ROOF_OK; i++) {
    int taken = (int)fmin(items[processor][i / 2], bench->device->info.group_items);
    rf_device_launch launch =
        local_launch(bench, rf_device_units(bench) * waves[i % 2], taken, ROUNDS, FLT_MAX);
    double seconds = NAN;
    bool right = false;
    status = check_local(bench, taken, &right, error);
    trials->wrong += status == ROOF_OK && !right;
    trials->tried += right;
    if (status == ROOF_OK && right) {
      status = rf_device_find(bench, bench->memory, &launch, error);
    }
    if (status == ROOF_OK && right) {
      status = time_local(bench, &launch, &seconds, error);
    }
    if (status == ROOF_OK && local_work(&launch) / seconds > *rate) {
      *rate = local_work(&launch) / seconds;
      *best = launch;
    }
  }
  return status;
}

static roof_status sample_local(rf_device_bench *bench, const char *name, const rf_device_launch *best,
                                roof_error *error) {
  rf_device_result result;
  double work = local_work(best), ratio = NAN;
  roof_status status = rf_device_growth(bench, best, ROUNDS_ARGUMENT, &ratio, error);
  if (status != ROOF_OK || !grows(bench, name, ratio)) {
    return status;
  }
  status = rf_device_figure(bench, name, best, 1, work, &result, error);
  if (status == ROOF_OK) {
    roof_level *level = add_cache(bench, "L1/shared", ROOF_L1, bench->device->info.local_bytes);
    level->instances = bench->device->info.units;
    level->read_bytes_per_second = work / result.seconds;
    rf_device_keep_conditions(level, offsetof(roof_level_report, read), &result);
    level->spread = result.spread;
    snprintf(level->source, sizeof level->source,
             "measured: read of local memory, %d B per load, %u work-groups of %u work-item%s", LOAD_BYTES,
             best->groups[0], best->items[0], best->items[0] == 1 ? "" : "s");
  }
  return status;
}

/** The bandwidth of local memory. */
static roof_status measure_local(rf_device_bench *bench, roof_error *error) {
  static const char name[] = "local memory read";
  rf_device_launch best = {0};
  rf_device_trials trials = {0, 0};
  double rate = 0;
  rf_device_step(bench, name);
  roof_status status = choose_local(bench, &best, &rate, &trials, error);
  if (status == ROOF_OK && trials.wrong > 0) {
    rf_device_note(bench, "%s: %d of %d layouts gave wrong sums and are left out", name, trials.wrong,
                   trials.wrong + trials.tried);
  }
  return status == ROOF_OK && best.items[0] > 0 ? sample_local(bench, name, &best, error) : status;
}

/** How often a part of the cache can be read in a tenth of a figure's time: on a GPU so often that starting the kernel
 *  does not show. */
static int passes_of(const rf_device_bench *bench, double bytes) {
  static const double room = 10, least = 2, most = 8, most_bytes = 2147483648.0;
  bool processor = strcmp(bench->device->info.device_class, "cpu") == 0;
  double passes = floor(bench->read_rate * bench->budget / room / bytes);
  return (int)fmax(least, fmin(passes, bench->options->quick ? least
                                       : processor           ? most
                                                             : most_bytes / bytes));
}

/** A cache is faster than the memory behind it. One that is not is shared with others, or is missing. */
static bool shows(rf_device_bench *bench, const char *name, int share, double rate) {
  char here[32], behind[32];
  if (rate <= bench->memory_rate) {
    rf_device_note(bench, "%s: no figure: 1/%d of it reads at %s, no faster than memory at %s", name, share,
                   roof_quantity_format(here, sizeof here, rate, "B/s"),
                   roof_quantity_format(behind, sizeof behind, bench->memory_rate, "B/s"));
  }
  return rate > bench->memory_rate;
}

/** A part of the last cache, read again and again, each time by another work-group. */
typedef struct last_part {
  int share; /**< 1 of so many */
  int passes;
  double bytes; /**< all passes */
  rf_device_launch launch;
} last_part;

static roof_status take_part(rf_device_bench *bench, int share, last_part *part, roof_error *error) {
  double bytes = fmin(bench->device->info.cache_bytes / share, bench->bytes);
  *part = (last_part){.share = share, .passes = passes_of(bench, bytes), .bytes = bytes};
  part->launch = rf_device_reader(bench, &bench->reading, &part->bytes, part->passes);
  return rf_device_find(bench, bench->memory, &part->launch, error);
}

/** The part that reads fastest: of a cache in two halves that keep the same, as Hopper's, half is more than fits. A
 *  processor's lesser part would lie in the caches before it. */
static roof_status choose_part(rf_device_bench *bench, last_part *best, roof_error *error) {
  bool processor = strcmp(bench->device->info.device_class, "cpu") == 0;
  double fastest = 0;
  roof_status status = ROOF_OK;
  for (int share = 2; share <= (processor ? 2 : 8) && status == ROOF_OK; share *= 2) {
    last_part part;
    double seconds = NAN;
    status = take_part(bench, share, &part, error);
    if (status == ROOF_OK) {
      status = rf_device_try(bench, &part.launch, 2, &seconds, error);
    }
    if (status == ROOF_OK && part.bytes / seconds > fastest) {
      fastest = part.bytes / seconds;
      *best = part;
    }
  }
  return status;
}

static roof_status measure_last(rf_device_bench *bench, roof_error *error) {
  static const char name[] = "last cache read";
  enum { PASSES_ARGUMENT = 4 };
  const rf_device_info *info = &bench->device->info;
  bool processor = strcmp(info->device_class, "cpu") == 0;
  double ratio = NAN;
  last_part part;
  rf_device_result result;
  rf_device_step(bench, name);
  roof_status status = choose_part(bench, &part, error);
  if (status == ROOF_OK) {
    status = rf_device_growth(bench, &part.launch, PASSES_ARGUMENT, &ratio, error);
  }
  if (status != ROOF_OK || !grows(bench, name, ratio)) {
    return status;
  }
  status = rf_device_figure(bench, name, &part.launch, 1, part.bytes, &result, error);
  double rate = status == ROOF_OK ? part.bytes / result.seconds : NAN;
  if (status == ROOF_OK && shows(bench, name, part.share, rate)) {
    const rf_device_layout *l = &bench->reading;
    roof_level *level =
        add_cache(bench, processor ? "L3" : "L2", processor ? ROOF_L3 : ROOF_L2, info->cache_bytes);
    level->read_bytes_per_second = bench->cache_rate = rate;
    rf_device_keep_conditions(level, offsetof(roof_level_report, read), &result);
    level->spread = result.spread;
    snprintf(level->source, sizeof level->source,
             "measured: 1/%d of it read %d times per launch: %d B per load, %d work-groups of %d work-item%s",
             part.share, part.passes, 4 * l->width, l->groups, l->items, l->items == 1 ? "" : "s");
  }
  return status;
}

/** Notes a figure that needs what the device does not have or does not report. */
static void note_missing(rf_device_bench *bench, const char *what, const char *why) {
  rf_device_note(bench, "%s: not measured: %s", what, why);
}

roof_status rf_device_caches(rf_device_bench *bench, roof_error *error) {
  const rf_device_info *info = &bench->device->info;
  roof_status status = ROOF_OK;
  if (info->local_bytes >= ALL_SLOTS * LOAD_BYTES) {
    status = measure_local(bench, error);
  } else {
    note_missing(bench, "local memory", "the device does not have enough of it");
  }
  if (status == ROOF_OK && info->cache_bytes > 0) {
    return measure_last(bench, error);
  }
  if (status == ROOF_OK) {
    note_missing(bench, "last cache", "size not reported by the driver");
  }
  return status;
}
