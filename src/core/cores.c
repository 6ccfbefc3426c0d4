/* The ceilings of some of a machine's cores, between what one reaches and what all reach. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "roofline/machine.h"

/** Every core brings what one alone reaches, until all together reach no more. */
static double share_of(double one, double all, int cores) {
  if (isnan(one) || isnan(all)) {
    return all;
  }
  return cores == 1 ? one : fmin(cores * one, all);
}

/** "interpolated from 1 and 8 cores: " before what the figure for all cores rests on. */
static void name_source(char *source, size_t size, const char *basis, int all) {
  snprintf(source, size, "interpolated from 1 and %d cores: %.180s", all, basis);
}

static void share_peak(roof_peak *peak, const roof_peak *one, int cores, int all) {
  roof_peak p = *peak;
  p.cores = cores;
  p.flops_per_second = share_of(one->flops_per_second, peak->flops_per_second, cores);
  p.limit_flops_per_second = share_of(one->limit_flops_per_second, peak->limit_flops_per_second, cores);
  p.spread = fmax(one->spread, peak->spread);
  name_source(p.source, sizeof p.source, peak->source, all);
  *peak = cores == 1 ? *one : p;
}

static const size_t bandwidths[] = {offsetof(roof_level, bytes_per_second),
                                    offsetof(roof_level, read_bytes_per_second),
                                    offsetof(roof_level, write_bytes_per_second),
                                    offsetof(roof_level, copy_bytes_per_second),
                                    offsetof(roof_level, update_bytes_per_second),
                                    offsetof(roof_level, triad_bytes_per_second),
                                    offsetof(roof_level, limit_bytes_per_second),
                                    offsetof(roof_level, write_limit_bytes_per_second),
                                    offsetof(roof_level, copy_limit_bytes_per_second),
                                    offsetof(roof_level, update_limit_bytes_per_second),
                                    offsetof(roof_level, triad_limit_bytes_per_second)};

static double *at(roof_level *level, size_t field) {
  return (double *)(void *)((char *)level + field);
}

static void share_level(roof_level *level, roof_level *one, int cores, int all) {
  roof_level l = *level;
  l.cores = cores;
  for (size_t i = 0; i < sizeof bandwidths / sizeof bandwidths[0]; i++) {
    *at(&l, bandwidths[i]) = share_of(*at(one, bandwidths[i]), *at(level, bandwidths[i]), cores);
  }
  l.spread = fmax(one->spread, level->spread);
  if (cores == 1) {
    snprintf(l.source, sizeof l.source, "%s", one->source);
  } else {
    name_source(l.source, sizeof l.source, level->source, all);
  }
  l.instances = ceil(level->instances * cores / all);
  *level = l;
}

/** The first, which is of the fastest kind of core. */
static const roof_peak *one_core_peak(const roof_machine *machine, const roof_peak *peak) {
  for (int i = 0; i < machine->peak_count; i++) {
    const roof_peak *p = &machine->peaks[i];
    if (p->cores == 1 && p->kind == ROOF_MEASURED && p->dtype == peak->dtype && p->unit == peak->unit &&
        p->mixed == peak->mixed && p->sparse == peak->sparse && strcmp(p->isa, peak->isa) == 0) {
      return p;
    }
  }
  return NULL;
}

static roof_level *one_core_level(roof_machine *machine, const roof_level *level) {
  for (int i = 0; i < machine->level_count; i++) {
    roof_level *l = &machine->levels[i];
    if (l->cores == 1 && l->kind == ROOF_MEASURED && l->level == level->level) {
      return l;
    }
  }
  return NULL;
}

void roof_machine_for_cores(roof_machine *machine, int cores) {
  int all = isfinite(machine->unit_count) ? (int)machine->unit_count : 0;
  if (cores < 1 || cores >= all) {
    return;
  }
  for (int i = 0; i < machine->peak_count; i++) {
    roof_peak *peak = &machine->peaks[i];
    const roof_peak *one = one_core_peak(machine, peak);
    if (peak->kind == ROOF_MEASURED && peak->cores == 0 && one != NULL) {
      share_peak(peak, one, cores, all);
    }
  }
  for (int i = 0; i < machine->level_count; i++) {
    roof_level *level = &machine->levels[i], *one = one_core_level(machine, level);
    if (level->kind == ROOF_MEASURED && level->cores == 0 && one != NULL) {
      share_level(level, one, cores, all);
    }
  }
}
