/* The memory levels as they show in the read bandwidth of one core over working sets, compared with what the
 * system reports. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/cpu/cpu.h"
#include "roofline/units.h"

enum { STEP = 1024, SMALLEST = 8 << 10, TRIES = 3 };

/** One core reads a working set in windows that follow each other. */
typedef struct reader {
  const rf_bench *bench;
  char *data;
  size_t size, at, window; /* bytes */
  rf_way way;
} reader;

static void read_window(void *user, int thread, int threads) {
  reader *r = user;
  (void)thread, (void)threads;
  for (size_t done = 0; done < r->window;) {
    size_t rest = r->window - done, left = r->size - r->at, part = rest < left ? rest : left;
    rf_lanes_span span = {r->data, r->data, r->data, SIZE_MAX / 2 + 1, r->at, part};
    r->bench->lanes->transfers[RF_LOAD][r->way](&span);
    r->at = (r->at + part) % r->size;
    done += part;
  }
}

/** The best of a few windows after one pass over all of it, so that a window reads the least recently used
 * data. */
static double rate_at(reader *r, size_t size) {
  static const rf_way ways[] = {RF_UNROLL_16, RF_AHEAD};
  double best = INFINITY;
  r->size = r->window = size;
  r->at = 0;
  r->way = RF_UNROLL_16;
  rf_team_time(&r->bench->team, 1, read_window, r);
  r->window = size <= 4 << 20 ? 8 << 20 : 4 << 20;
  for (int i = 0; i < TRIES * 2; i++) {
    r->way = ways[i % 2];
    best = fmin(best, rf_team_time(&r->bench->team, 1, read_window, r));
  }
  return (double)r->window / best;
}

/** Two working sets per octave: powers of two, and 1.5 times those. */
static size_t size_at(int index) {
  return ((size_t)SMALLEST << index / 2) * (index % 2 == 0 ? 2 : 3) / 2;
}

static void measure_curve(rf_bench *bench, char *data, size_t bytes) {
  roof_machine *machine = bench->machine;
  reader r = {.bench = bench, .data = data};
  while (machine->report->curve_count < ROOF_CURVE_MAX && size_at(machine->report->curve_count) <= bytes) {
    size_t size = size_at(machine->report->curve_count);
    *roof_machine_add_curve_point(machine) = (roof_curve_point){(double)size, rate_at(&r, size)};
  }
}

/** Compares the curve with the sizes that the system reports. */
static void note_place(rf_bench *bench, const roof_level *level, const rf_place *place) {
  static const double apart = 2;
  char reported[32], to[32], sizes[2][32], rates[2][32];
  bool memory = level->level == ROOF_MEMORY;
  roof_bytes_format(reported, sizeof reported, level->bytes);
  roof_bytes_format(to, sizeof to, place->to);
  for (int i = 0; i < 2; i++) {
    roof_bytes_format(sizes[i], sizeof sizes[i], place->ends[i].bytes);
    roof_quantity_format(rates[i], sizeof rates[i], place->ends[i].bytes_per_second, "B/s");
  }
  if (!place->seen) {
    rf_bench_note(bench,
                  "%s: no plateau in the read curve of one core up to its %s: its "
                  "bandwidths may be those of the neighbouring levels",
                  level->name, reported);
  } else if (place->sloped && memory) {
    rf_bench_note(bench, "%s: not flat: one core reads %s at %s and %s at %s", level->name, sizes[0],
                  rates[0], sizes[1], rates[1]);
  } else if (place->sloped) {
    rf_bench_note(bench,
                  "%s: not flat: one core reads %s of it at %s and %s at %s; its plateau ends at %s of %s",
                  level->name, sizes[0], rates[0], sizes[1], rates[1], to, reported);
  } else if (!memory && fmax(place->to / level->bytes, level->bytes / place->to) > apart) {
    rf_bench_note(bench, "%s: its plateau ends at %s, not at %s", level->name, to, reported);
  }
}

/** Gives the last cache the size that the curve shows. */
static void correct_last(rf_bench *bench, roof_level *const *of, double *capacities, int kinds) {
  if (kinds < 3) {
    return;
  }
  roof_level *last = of[kinds - 2];
  const roof_report *report = bench->machine->report;
  double holds = rf_curve_holds(report->curve, report->curve_count, of[kinds - 3]->bytes, last->bytes);
  char reported[32], held[32];
  if (holds < last->bytes) {
    rf_bench_note(
        bench,
        "%s: the system reports %s, of which one core holds %s by its read curve: that is taken as its size",
        last->name, roof_bytes_format(reported, sizeof reported, last->bytes),
        roof_bytes_format(held, sizeof held, holds));
    last->bytes = capacities[kinds - 2] = holds;
  }
}

/** The first row of each kind of level, inner to outer. */
static int list_levels(roof_level *levels, int count, roof_level **of, double *capacities) {
  int kinds = 0;
  for (int i = 0; i < count; i++) {
    if (kinds == 0 || levels[i].level > of[kinds - 1]->level) {
      of[kinds] = &levels[i];
      capacities[kinds++] = levels[i].bytes;
    }
  }
  return kinds;
}

void rf_cpu_place_levels(rf_bench *bench, void *data, size_t bytes, roof_level *levels, int count) {
  roof_level *of[ROOF_LEVEL_KIND_COUNT];
  double capacities[ROOF_LEVEL_KIND_COUNT];
  rf_place places[ROOF_LEVEL_KIND_COUNT];
  const roof_machine *machine = bench->machine;
  int kinds = list_levels(levels, count, of, capacities);
  measure_curve(bench, data, bytes);
  correct_last(bench, of, capacities, kinds);
  int plateaus =
      rf_curve_place(machine->report->curve, machine->report->curve_count, capacities, kinds, places);
  if (plateaus < 2) {
    rf_bench_note(bench,
                  "one core reads all %d working sets at the same rate: levels cannot be distinguished",
                  machine->report->curve_count);
    return;
  }
  for (int i = 0; i < kinds; i++) {
    note_place(bench, of[i], &places[i]);
    of[i]->plateau_bytes = places[i].seen ? places[i].to : NAN;
    snprintf(of[i]->plateau, sizeof of[i]->plateau, "%s",
             !places[i].seen    ? "not seen"
             : places[i].sloped ? "not flat"
                                : "flat");
  }
}
