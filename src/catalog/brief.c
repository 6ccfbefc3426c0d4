/* The ceilings of a measured machine that count. */
#include <math.h>
#include <stdio.h>

#include "roofline/sheet.h"

/** The best measured peak of a format and unit on one core or on all; NULL: none. */
static const roof_peak *best_peak(const roof_machine *m, roof_dtype dtype, roof_unit unit, int cores) {
  const roof_peak *best = NULL;
  for (int i = 0; i < m->peak_count; i++) {
    const roof_peak *p = &m->peaks[i];
    if (p->kind == ROOF_MEASURED && p->dtype == dtype && p->unit == unit && p->cores == cores && !p->mixed &&
        !p->sparse && p->flops_per_second > 0 &&
        (best == NULL || p->flops_per_second > best->flops_per_second)) {
      best = p;
    }
  }
  return best;
}

static const char *noise_of(const roof_conditions *c) {
  return c != NULL ? c->noisy : "";
}

/** Returns how many rows it filled: 0 or 1. */
static int add_peak(const roof_machine *m, roof_dtype dtype, roof_unit unit, roof_brief_row *row) {
  const roof_peak *one = best_peak(m, dtype, unit, 1), *all = best_peak(m, dtype, unit, 0);
  const roof_peak *best = all != NULL ? all : one;
  if (best == NULL) {
    return 0;
  }
  *row = (roof_brief_row){.unit = "FLOP/s",
                          .one = one != NULL ? one->flops_per_second : NAN,
                          .all = all != NULL ? all->flops_per_second : NAN,
                          .share = best->flops_per_second / best->limit_flops_per_second,
                          .isa = best->isa,
                          .noisy = noise_of(best->conditions)};
  snprintf(row->name, sizeof row->name, "%s %s", roof_dtype_name(dtype), roof_unit_name(unit));
  return 1;
}

/** What is read or written by triad at a level, on one core or on all. */
static const roof_level *level_at(const roof_machine *m, roof_level_kind kind, int cores) {
  const roof_level *found = NULL;
  for (int i = 0; i < m->level_count; i++) {
    const roof_level *l = &m->levels[i];
    if (l->kind == ROOF_MEASURED && l->level == kind && l->cores == cores && l->threads_per_core == 0) {
      found = found == NULL ? l : found;
    }
  }
  return found;
}

static int add_level(const roof_machine *m, roof_level_kind kind, bool triad, roof_brief_row *row) {
  const roof_level *one = level_at(m, kind, 1), *all = level_at(m, kind, 0);
  const roof_level *best = all != NULL ? all : one;
  if (best == NULL || isnan(triad ? best->triad_bytes_per_second : best->read_bytes_per_second)) {
    return 0;
  }
  const roof_level_report *report = roof_level_report_of(best);
  double limit = triad ? best->triad_limit_bytes_per_second : best->limit_bytes_per_second;
  *row = (roof_brief_row){.unit = "B/s", .one = NAN, .all = NAN, .isa = ""};
  if (one != NULL) {
    row->one = triad ? one->triad_bytes_per_second : one->read_bytes_per_second;
  }
  if (all != NULL) {
    row->all = triad ? all->triad_bytes_per_second : all->read_bytes_per_second;
  }
  row->share = (all != NULL ? row->all : row->one) / limit;
  row->noisy = triad ? report->triad.noisy : report->read.noisy;
  snprintf(row->name, sizeof row->name, "%.50s %s", best->name, triad ? "triad" : "read");
  return 1;
}

int roof_sheet_brief(const roof_machine *machine, roof_brief_row *rows) {
  int count = 0;
  for (int d = 0; d < ROOF_DTYPE_COUNT && count < ROOF_BRIEF_MAX - ROOF_UNIT_COUNT; d++) {
    for (int u = 0; u < ROOF_UNIT_COUNT; u++) {
      count += add_peak(machine, (roof_dtype)d, (roof_unit)u, &rows[count]);
    }
  }
  for (int l = ROOF_L1; l < ROOF_LEVEL_KIND_COUNT && count < ROOF_BRIEF_MAX - 1; l++) {
    count += add_level(machine, (roof_level_kind)l, false, &rows[count]);
    count += l == ROOF_MEMORY ? add_level(machine, (roof_level_kind)l, true, &rows[count]) : 0;
  }
  return count;
}
