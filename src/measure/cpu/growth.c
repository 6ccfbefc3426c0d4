/* Ceilings on 1, 2, 4 ... cores. */
#include "measure/cpu/growth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/** A level read by some cores, each its own part. */
typedef struct reading {
  rf_bench *bench;
  double share; /**< bytes of the level that a thread fills; infinite: memory, all that is near */
  size_t part;  /**< bytes from thread to thread */
  size_t each;  /**< bytes that a thread reads again and again, a power of two */
  size_t window, at;
  rf_way way;
} reading;

static void read_part(void *user, int thread, int threads) {
  const reading *r = user;
  (void)threads;
  char *data = (char *)r->bench->data + (size_t)thread * r->part;
  rf_lanes_span span = {data, data, data, r->each, r->at, r->window};
  r->bench->lanes->transfers[RF_LOAD][r->way](&span);
}

/** Divides what is near the threads, however many of them read: memory is no smaller for few. */
static void spread_over(reading *r, int threads) {
  double part = rf_cpu_near_bytes(r->bench, threads) / threads;
  r->part = (size_t)part / 64 * 64;
  r->each = rf_cpu_floor_power(fmin(r->share, part));
  r->at &= r->each - 1;
}

static double read_rate(void *user, int threads) {
  static const rf_way ways[] = {RF_UNROLL_16, RF_AHEAD};
  reading *r = user;
  double best = INFINITY;
  spread_over(r, threads);
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    r->way = ways[i];
    best = fmin(best, rf_team_time(&r->bench->team, threads, read_part, r));
    r->at = (r->at + r->window) & (r->each - 1);
  }
  return threads * (double)r->window / best;
}

static double peak_rate(void *user, int threads) {
  char name[ROOF_NAME_MAX];
  return rf_cpu_peak_on(user, threads, name);
}

/** Fills in the counts; returns how many. */
static int list_counts(roof_scaling *s, int most) {
  s->core_count = 0;
  for (int cores = 1; cores < most && s->core_count + 1 < ROOF_CORE_COUNTS_MAX; cores *= 2) {
    s->cores[s->core_count++] = cores;
  }
  s->cores[s->core_count++] = most;
  s->rate_count = s->core_count;
  return s->core_count;
}

/** Whether some count does more than as many times one core. */
static bool is_disturbed(const roof_scaling *s) {
  static const double loose = 1.05;
  for (int i = 1; i < s->rate_count; i++) {
    if (s->per_second[i] > loose * s->cores[i] * s->per_second[0]) {
      return true;
    }
  }
  return false;
}

void rf_growth_measure(roof_scaling *s, int most, int tries, rf_growth_rate *rate, void *user) {
  int counts = list_counts(s, most);
  for (int i = 0; i < counts; i++) {
    s->per_second[i] = 0;
  }
  for (int t = 0; t < tries || (t < 2 * tries && is_disturbed(s)); t++) {
    for (int i = 0; i < counts; i++) {
      s->per_second[i] = fmax(s->per_second[i], rate(user, (int)s->cores[i]));
    }
  }
  s->saturating_cores = roof_scaling_saturation(s);
}

static void grow(rf_bench *bench, const char *name, const char *unit, rf_growth_rate *rate, void *user) {
  int tries = bench->options->quick ? 4 : 10;
  roof_scaling *s = roof_machine_add_scaling(bench->machine);
  if (s == NULL) {
    return;
  }
  snprintf(s->name, sizeof s->name, "%s", name);
  snprintf(s->unit, sizeof s->unit, "%s", unit);
  snprintf(s->source, sizeof s->source, "one thread per core, the fastest of %d windows, the counts in turns",
           tries);
  snprintf(s->date, sizeof s->date, "%s", bench->machine->date);
  s->kind = ROOF_MEASURED;
  rf_growth_measure(s, bench->team.threads, tries, rate, user);
  if (is_disturbed(s)) {
    rf_bench_note(bench, "warning: %s: some cores do more than as many times one: one core was disturbed",
                  s->name);
  }
}

static void grow_level(rf_bench *bench, const roof_level *level) {
  enum { MEMORY_WINDOW = 16 << 20, CACHE_WINDOW = 4 << 20 };
  char name[ROOF_NAME_MAX];
  bool memory = level->level == ROOF_MEMORY;
  double share = memory ? INFINITY : rf_cpu_cache_share(&bench->team.topology, level->level, -1, 1);
  if (!(share > 0) || (!memory && share > (double)bench->data_bytes / bench->team.threads)) {
    return;
  }
  reading r = {.bench = bench, .share = share, .window = memory ? MEMORY_WINDOW : CACHE_WINDOW};
  snprintf(name, sizeof name, "%.50s read", level->name);
  grow(bench, name, "B/s", read_rate, &r);
}

void rf_cpu_measure_growth(rf_bench *bench, const roof_level *plain, int count) {
  char name[ROOF_NAME_MAX];
  if (bench->team.threads < 2) {
    return;
  }
  rf_bench_step(bench, "1, 2, 4 ... cores");
  if (!isnan(rf_cpu_peak_on(bench, 1, name))) {
    grow(bench, name, "FLOP/s", peak_rate, bench);
  }
  for (int i = 0; i < count; i++) {
    bool again = i > 0 && plain[i].level == plain[i - 1].level;
    if (!again) {
      grow_level(bench, &plain[i]);
    }
  }
}
