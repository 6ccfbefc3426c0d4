/* Latency by working set: each load's address is what the one before it returned. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/data.h"
#include "measure/clock.h"
#include "measure/cpu/cpu.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum { LINE = 64, LOADS = 20000, TRIES = 3, SMALLEST = 8 << 10 };

/** Chains all lines of `bytes` into one cycle, an order that no prefetcher follows and that needs no shuffle:
 * a linear congruence of full period. */
static void link_lines(char *data, size_t bytes) {
  const size_t count = bytes / LINE, factor = 0x9E3779B97F4A7C15u / 8 * 8 + 5, term = 0xB5297A4Du | 1;
  for (size_t i = 0; i < count; i++) {
    *(void **)(void *)(data + i * LINE) = data + ((i * factor + term) & (count - 1)) * LINE;
  }
}

static double chase(void **from) {
  void **at = from;
  double start = roof_clock_seconds();
  for (int i = 0; i < LOADS; i++) {
    at = *at;
    __asm__ volatile("" : "+r"(at));
  }
  return (roof_clock_seconds() - start) / LOADS;
}

double roof_cpu_latency_of(char *data, size_t bytes) {
  double best = INFINITY;
  link_lines(data, bytes);
  for (int i = 0; i < TRIES + 1; i++) {
    best = fmin(best, chase((void **)(void *)(data + (size_t)i * bytes / (TRIES + 1) / LINE * LINE)));
  }
  return best;
}

int roof_curve_rises(const double *values, int count, int *at, int capacity) {
  static const double step = 1.4;
  int rises = 0;
  double plateau = values[0];
  for (int i = 1; i < count; i++) {
    bool rising = values[i] > step * plateau;
    bool still = rising && i > 1 && rises > 0 && at[rises - 1] == i - 1;
    if (rising && !still && rises < capacity) {
      at[rises++] = i;
    }
    if (rising && still) {
      at[rises - 1] = i; /* a slope, not a plateau: it has not ended */
    }
    plateau = rising ? values[i] : fmax(plateau, values[i]);
  }
  return rises;
}

typedef struct curve {
  double seconds[ROOF_CURVE_MAX];
  int count; /* SMALLEST, twice that, ... */
} curve;

static size_t size_at(int index) {
  return (size_t)SMALLEST << index;
}

static roof_status measure_curve(int advice, size_t most, curve *c, roof_error *error) {
  void *data = NULL;
  roof_status status = roof_data_new("memory latency", (double)most, &data, error);
  if (status != ROOF_OK) {
    return status;
  }
  madvise(data, most, advice);
  c->count = 0;
  while (c->count < ROOF_CURVE_MAX && size_at(c->count) <= most) {
    c->seconds[c->count] = roof_cpu_latency_of(data, size_at(c->count));
    c->count++;
  }
  free(data);
  return ROOF_OK;
}

/** The latency of a level, as one core of a kind ("": of the only one) sees it, is that of a working set half
 * as large as it, of memory that of the largest. */
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
    if (level->level == ROOF_L3) { /* a guest may have a small part of what it is told */
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

/** Where latency rises, beside the sizes that the system tells. */
static void note_rises(roof_bench *bench, const curve *c) {
  int at[8];
  int rises = roof_curve_rises(c->seconds, c->count, at, 8);
  roof_text text = {0};
  char size[32];
  roof_text_add(&text, "latency rises beyond");
  for (int i = 0; i < rises; i++) {
    roof_text_addf(&text, "%s %s", i > 0 ? "," : "",
                   roof_bytes_format(size, sizeof size, (double)size_at(at[i]) / 2));
  }
  roof_text_add(&text, "; the system tells of caches of");
  for (int i = 0; i < bench->machine->level_count; i++) {
    const roof_level *level = &bench->machine->levels[i];
    if (level->level != ROOF_MEMORY && (i == 0 || level[-1].level != level->level)) {
      roof_text_addf(&text, "%s %s", i > 0 ? "," : "", roof_bytes_format(size, sizeof size, level->bytes));
    }
  }
  if (text.data != NULL && rises > 0) {
    roof_bench_note(bench, "%s", text.data);
  }
  roof_text_done(&text);
}

/** From where on small pages cost time that large ones do not. */
static void note_pages(roof_bench *bench, const curve *large, const curve *small) {
  static const double worse = 1.2;
  int last = large->count - 1, from = -1;
  for (int i = last; i >= 0 && small->seconds[i] > worse * large->seconds[i]; i--) {
    from = i;
  }
  char size[32], most[32], with[32];
  if (from < 0) {
    roof_bench_note(bench, "pages: large ones are no faster than small ones up to %s",
                    roof_bytes_format(size, sizeof size, (double)size_at(last)));
    return;
  }
  roof_bench_note(bench, "pages: small ones cost from %s on; at %s a load takes %s with them, %s with large",
                  roof_bytes_format(size, sizeof size, (double)size_at(from)),
                  roof_bytes_format(most, sizeof most, (double)size_at(last)),
                  roof_quantity_format(with, sizeof with, small->seconds[last], "s"),
                  roof_quantity_format((char[32]){0}, 32, large->seconds[last], "s"));
}

/** One thread waits for its loads while the others read as fast as they can. */
typedef struct crowd {
  const roof_bench *bench;
  char *data;
  size_t part; /* bytes a thread */
  double latency;
  double bytes[2]; /* read by the second thread: what, and in which time */
  atomic_bool done;
} crowd;

static void crowd_body(void *user, int thread, int threads) {
  crowd *c = user;
  char *mine = c->data + (size_t)thread * c->part;
  (void)threads;
  if (thread == 0) {
    c->latency = fmin(chase((void **)(void *)mine), chase((void **)(void *)(mine + c->part / 2)));
    atomic_store(&c->done, true);
    return;
  }
  double start = roof_clock_seconds(), moved = 0;
  roof_span span = {mine, mine, mine, c->part, 0, 256 << 10};
  while (!atomic_load(&c->done)) {
    c->bench->lanes->transfers[ROOF_LOAD][ROOF_AHEAD](&span);
    span.begin = (span.begin + span.bytes) & (c->part - 1);
    moved += (double)span.bytes;
  }
  if (thread == 1) {
    c->bytes[0] = moved;
    c->bytes[1] = roof_clock_seconds() - start;
  }
}

static roof_status measure_loaded(roof_bench *bench, size_t part, double idle, roof_error *error) {
  int threads = bench->team.threads;
  void *data = NULL;
  while (part > SMALLEST && (double)part * threads > roof_memory_available() / 4) {
    part /= 2;
  }
  roof_status status = roof_data_new("latency under load", (double)part * threads, &data, error);
  if (status != ROOF_OK) {
    return status;
  }
  roof_data_fill(data, ROOF_FP64, part * (size_t)threads / sizeof(double), 1, threads);
  crowd c = {.bench = bench, .data = data, .part = part};
  link_lines(data, part);
  roof_team_time(&bench->team, threads, crowd_body, &c);
  free(data);
  char quiet[32], loaded[32], rate[32];
  roof_bench_note(bench, "memory latency: %s idle, %s while %d other core%s at %s",
                  roof_quantity_format(quiet, sizeof quiet, idle, "s"),
                  roof_quantity_format(loaded, sizeof loaded, c.latency, "s"), threads - 1,
                  threads == 2 ? " reads" : "s read each",
                  roof_quantity_format(rate, sizeof rate, c.bytes[0] / c.bytes[1], "B/s"));
  return ROOF_OK;
}

roof_status roof_cpu_measure_latency(roof_bench *bench, roof_error *error) {
  size_t most = bench->options->quick ? (size_t)64 << 20 : (size_t)256 << 20;
  curve large, small;
  roof_bench_step(bench, "latency");
  roof_status status = measure_curve(MADV_HUGEPAGE, most, &large, error);
  if (status == ROOF_OK) {
    status = measure_curve(MADV_NOHUGEPAGE, most, &small, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  for (int k = 1; k < bench->team.topology.kind_count && status == ROOF_OK; k++) {
    curve other;
    roof_crew crew = roof_crew_at(bench, k);
    roof_crew_enter(bench, &crew);
    status = measure_curve(MADV_HUGEPAGE, most, &other, error);
    roof_crew_leave(bench, &crew);
    if (status == ROOF_OK) {
      assign(bench->machine, &other, bench->team.topology.kinds[k].name);
    }
  }
  if (status != ROOF_OK) {
    return status;
  }
  assign(bench->machine, &large,
         bench->team.topology.kind_count > 1 ? bench->team.topology.kinds[0].name : "");
  note_rises(bench, &large);
  note_pages(bench, &large, &small);
  return bench->team.threads > 1 ? measure_loaded(bench, most / 2, large.seconds[large.count - 1], error)
                                 : ROOF_OK;
}
