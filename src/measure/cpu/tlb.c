/* TLB reach: latency of one line per page compared with as many adjacent lines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/number.h"
#include "kernels/data.h"
#include "measure/cpu/cpu.h"
#include "roofline/units.h"

enum {
  FEWEST = 8,
  STEPS = 4 /* per octave */,
  LOADS = 4000,
  POINTS = 48,
  TRIES = 3,
  LEVELS = 2,
  HALVINGS = 3
};

/** One line in each of some pages, and the same number of adjacent lines in one large page. */
typedef struct pages {
  char *spread;
  char *packed;
  double page_bytes;
  uint32_t *order;
  double hit; /* s per load that hits the first cache and the first TLB */
} pages;

/** Lines of different sets of the first cache. */
static char *line_at(char *data, size_t page_bytes, size_t page) {
  return data + page * page_bytes + (page * 7 % 64) * (page_bytes > RF_CHASE_LINE ? RF_CHASE_LINE : 0);
}

/** Seconds per load over one line in every `page_bytes`, in an unpredictable order. */
static double walk(char *data, size_t page_bytes, const uint32_t *order, size_t count) {
  double best = INFINITY;
  for (size_t i = 0; i < count; i++) {
    *(void **)(void *)line_at(data, page_bytes, order[i]) = line_at(data, page_bytes, order[(i + 1) % count]);
  }
  void **at = (void **)(void *)line_at(data, page_bytes, order[0]);
  int loads = count > LOADS ? (int)count : LOADS;
  for (int i = 0; i <= TRIES; i++) { /* the first brings the lines in */
    double seconds = rf_chase(&at, loads);
    best = i > 0 ? fmin(best, seconds) : best;
  }
  return best;
}

/** The time of a load that hits everywhere, and the extra time with `count` pages. */
static double cost_of(pages *p, size_t count) {
  rf_random_order(p->order, count, 1);
  double apart = walk(p->spread, (size_t)p->page_bytes, p->order, count);
  double together = walk(p->packed, RF_CHASE_LINE, p->order, count);
  p->hit = fmin(p->hit, together);
  return p->hit + fmax(0, apart - together);
}

static size_t count_at(int point) {
  return (size_t)(FEWEST * exp2((double)point / STEPS));
}

/** The most pages whose loads take no longer than with `few` pages; `many` are known to take longer. */
static size_t narrow(pages *p, size_t few, size_t many, double between) {
  for (int i = 0; i < HALVINGS && many - few > 1; i++) {
    size_t middle = (few + many) / 2;
    if (cost_of(p, middle) > between) {
      many = middle;
    } else {
      few = middle;
    }
  }
  return few;
}

static roof_tlb *next_tlb(rf_bench *bench, int level, double page_bytes) {
  roof_machine *machine = bench->machine;
  roof_tlb *tlb = roof_machine_add_tlb(machine);
  snprintf(tlb->name, sizeof tlb->name, "L%d TLB", level + 1);
  snprintf(tlb->date, sizeof tlb->date, "%s", machine->date);
  tlb->kind = ROOF_MEASURED;
  tlb->page_bytes = page_bytes;
  return tlb;
}

static void measure_pages(rf_bench *bench, pages *p, size_t most) {
  double costs[POINTS];
  rf_rise rises[LEVELS];
  int points = 0;
  while (points < POINTS && count_at(points) <= most) {
    costs[points] = cost_of(p, count_at(points));
    points++;
  }
  int found = rf_curve_rises(costs, points, rises, LEVELS);
  char reach[32];
  roof_bytes_format(reach, sizeof reach, (double)most * p->page_bytes);
  for (int i = 0; i < LEVELS && bench->machine->report->tlb_count < ROOF_TLB_MAX; i++) {
    roof_tlb *tlb = next_tlb(bench, i, p->page_bytes);
    if (i >= found) {
      snprintf(tlb->source, sizeof tlb->source,
               "unknown: latency does not rise%s up to %zu pages, %s: one line per page compared with as "
               "many adjacent lines",
               i > 0 ? " again" : "", most, reach);
      continue;
    }
    double before = costs[rises[i].from], after = costs[rises[i].to];
    tlb->entries = (double)narrow(p, count_at(rises[i].from), count_at(rises[i].from + 1),
                                  before + (costs[rises[i].from + 1] - before) / 2);
    tlb->reach_bytes = tlb->entries * p->page_bytes;
    tlb->miss_seconds = after - before;
    rf_format(tlb->source, sizeof tlb->source,
              "one line per page compared with as many adjacent lines, 8 to %zu pages, four numbers per "
              "octave: latency rises "
              "by %.1f cycles",
              most, (after - before) * bench->machine->clock_hz);
  }
}

roof_status rf_cpu_measure_tlbs(rf_bench *bench, void *large, void *small, size_t bytes, roof_error *error) {
  static const double small_page = 4096, large_page = 2 << 20;
  static const size_t most = 16384;
  size_t small_pages = bytes / (size_t)small_page, large_pages = bytes / (size_t)large_page;
  small_pages = small_pages < most ? small_pages : most;
  uint32_t *order = malloc(small_pages * sizeof *order);
  if (order == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "pages: out of memory");
  }
  pages p = {small, large, small_page, order, INFINITY};
  measure_pages(bench, &p, small_pages);
  double share = rf_pages_large(large, bytes);
  if (share > 0.99) {
    /* Here the adjacent lines lie in small pages: few, and seldom more than one TLB holds. */
    p = (pages){large, small, large_page, order, INFINITY};
    measure_pages(bench, &p, large_pages);
  } else {
    rf_bench_note(bench, "TLB reach with large pages: unknown: %s", rf_pages_refused(share));
  }
  free(order);
  return ROOF_OK;
}
