/* Latency by working set: each load's address is the value of the previous load. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host/memory.h"
#include "kernels/data.h"
#include "measure/cpu/cpu.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum { POINTS = 32, LOADS = 20000, TRIES = 3, SMALLEST = 8 << 10 };

double rf_cpu_latency_of(char *data, size_t bytes) {
  double best = INFINITY;
  rf_chase_link(data, bytes);
  for (int i = 0; i < TRIES + 1; i++) {
    void **at = (void **)(void *)(data + (size_t)i * bytes / (TRIES + 1) / RF_CHASE_LINE * RF_CHASE_LINE);
    best = fmin(best, rf_chase(&at, LOADS));
  }
  return best;
}

typedef struct curve {
  double seconds[POINTS];
  int count; /* SMALLEST, twice that, ... */
} curve;

static size_t size_at(int index) {
  return (size_t)SMALLEST << index;
}

static void measure_curve(char *data, size_t most, curve *c) {
  c->count = 0;
  while (c->count < POINTS && size_at(c->count) <= most) {
    c->seconds[c->count] = rf_cpu_latency_of(data, size_at(c->count));
    c->count++;
  }
}

/** A level's latency for one core of a kind ("": the only kind) is that of a working set half its size;
 * memory's is that of the largest working set. */
static void assign(roof_machine *machine, const curve *c, const char *kind) {
  double inner = 0;
  for (int i = 0; i < machine->level_count; i++) {
    roof_level *level = &machine->levels[i];
    if (strcmp(level->core_kind, kind) != 0) {
      continue;
    }
    int index = c->count - 1;
    while (level->level != ROOF_MEMORY && index > 0 && 2 * (double)size_at(index) > level->bytes) {
      index--;
    }
    if (level->level == ROOF_L3) { /* a virtual machine may have only a small part of the reported cache */
      while (index > 0 && (double)size_at(index) > 8 * inner) {
        index--;
      }
    }
    inner = level->level < ROOF_L3 ? level->bytes : inner;
    if (level->cores == 1 || i == 0 || machine->levels[i - 1].level != level->level) {
      level->latency_seconds = c->seconds[index];
    }
  }
}

/** Notes where latency rises, and the sizes of the caches. */
static void note_rises(rf_bench *bench, const curve *c) {
  rf_rise rise[8];
  int rises = rf_curve_rises(c->seconds, c->count, rise, 8);
  roof_text text = {0};
  char size[32];
  roof_text_add(&text, "latency rises beyond");
  for (int i = 0; i < rises; i++) {
    roof_text_addf(&text, "%s %s", i > 0 ? "," : "",
                   roof_bytes_format(size, sizeof size, (double)size_at(rise[i].to) / 2));
  }
  roof_text_add(&text, "; caches are taken to hold");
  for (int i = 0; i < bench->machine->level_count; i++) {
    const roof_level *level = &bench->machine->levels[i];
    if (level->level != ROOF_MEMORY && (i == 0 || level[-1].level != level->level)) {
      roof_text_addf(&text, "%s %s", i > 0 ? "," : "", roof_bytes_format(size, sizeof size, level->bytes));
    }
  }
  if (text.data != NULL && rises > 0) {
    rf_bench_note(bench, "%s", text.data);
  }
  roof_text_done(&text);
}

/** Notes the size from which small pages are slower than large ones. */
static void note_pages(rf_bench *bench, const curve *large, const curve *small) {
  static const double worse = 1.2;
  int last = small->count - 1, from = -1;
  for (int i = last; i >= 0 && small->seconds[i] > worse * large->seconds[i]; i--) {
    from = i;
  }
  char size[32], most[32], with[32];
  if (from < 0) {
    rf_bench_note(bench, "pages: up to %s large pages are no faster than small ones",
                  roof_bytes_format(size, sizeof size, (double)size_at(last)));
    return;
  }
  rf_bench_note(bench,
                "pages: small pages are slower from %s on; at %s each load takes %s with small pages and %s "
                "with large ones",
                roof_bytes_format(size, sizeof size, (double)size_at(from)),
                roof_bytes_format(most, sizeof most, (double)size_at(last)),
                roof_quantity_format(with, sizeof with, small->seconds[last], "s"),
                roof_quantity_format((char[32]){0}, 32, large->seconds[last], "s"));
}

/** Notes a working set that the memory there is has kept small. */
static void note_room(rf_bench *bench, double bytes, double last) {
  char used[32], cache[32];
  if (bytes < 3 * last) {
    rf_bench_note(
        bench,
        "latency: free memory allows a working set of %s with a last cache of %s: that of memory is too low",
        roof_bytes_format(used, sizeof used, bytes), roof_bytes_format(cache, sizeof cache, last));
  }
}

roof_status rf_cpu_measure_latency(rf_bench *bench, roof_error *error) {
  bool quick = bench->options->quick;
  double last = rf_topology_last_cache(&bench->team.topology, 1), room = rf_memory_available("") / 8;
  size_t most = rf_chase_bytes(quick, last, room), usual = rf_chase_bytes(quick, 0, room);
  void *large = NULL, *small = NULL;
  curve with_large, with_small;
  rf_bench_step(bench, "latency");
  note_room(bench, (double)most, last);
  roof_status status = rf_data_new("memory latency", (double)most, &large, error);
  if (status == ROOF_OK) {
    status = rf_data_new("memory latency", (double)usual, &small, error);
  }
  if (status != ROOF_OK) {
    free(large);
    return status;
  }
  madvise(small, usual, MADV_NOHUGEPAGE);
  measure_curve(large, most, &with_large);
  measure_curve(small, usual, &with_small);
  const rf_topology *t = &bench->team.topology;
  for (int k = 1; k < t->kind_count; k++) {
    curve other;
    rf_core_set set = rf_core_set_at(bench, k);
    rf_core_set_enter(bench, &set);
    measure_curve(large, most, &other);
    rf_core_set_leave(bench, &set);
    assign(bench->machine, &other, t->kinds[k].name);
  }
  assign(bench->machine, &with_large, t->kind_count > 1 ? t->kinds[0].name : "");
  note_rises(bench, &with_large);
  note_pages(bench, &with_large, &with_small);
  status = rf_cpu_measure_tlbs(bench, large, small, usual, error);
  free(large);
  free(small);
  return status == ROOF_OK ? rf_cpu_measure_loaded(bench, error) : status;
}
