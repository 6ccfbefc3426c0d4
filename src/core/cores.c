/* The ceilings of some of a machine's cores, between what one reaches and what all reach. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/cores.h"
#include "core/figures.h"

enum { KINDS = 8 };

/** Cores of each kind, fastest first, from the counts of their first caches; none where there is one kind. */
typedef struct kinds {
  const char *names[KINDS];
  double cores[KINDS];
  int count;
} kinds;

static kinds kinds_of(const roof_machine *machine) {
  kinds k = {.count = 0};
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level *l = &machine->levels[i];
    if (l->cores == 1 && l->kind == ROOF_MEASURED && l->level == ROOF_L1 && l->core_kind[0] != '\0' &&
        k.count < KINDS) {
      k.names[k.count] = l->core_kind;
      k.cores[k.count++] = l->instances;
    }
  }
  return k;
}

/** Every core brings what one of its kind reaches alone, the fastest first, until all together reach no
 * more. */
static double share_of(const kinds *k, const double rates[KINDS], double one, double all, int cores) {
  double left = cores, sum = 0;
  for (int i = 0; i < k->count; i++) {
    double taken = fmin(left, k->cores[i]);
    sum += taken > 0 ? taken * rates[i] : 0;
    left -= taken;
  }
  sum = k->count == 0 || isnan(sum) ? cores * one : sum;
  if (isnan(one) || isnan(all)) {
    return all;
  }
  return cores == 1 ? one : fmin(sum, all);
}

/** "interpolated from 1 and 8 cores: " before what the figure for all cores rests on. */
static void name_source(char *source, size_t size, const char *basis, int all) {
  snprintf(source, size, "interpolated from 1 and %d cores: %.180s", all, basis);
}

static double *at(void *record, size_t offset) {
  return (double *)(void *)((char *)record + offset);
}

/** The peak that one core of a kind reaches; of the first kind, which is the fastest, for NULL. */
static const roof_peak *one_core_peak(const roof_machine *machine, const roof_peak *peak, const char *kind) {
  for (int i = 0; i < machine->peak_count; i++) {
    const roof_peak *p = &machine->peaks[i];
    if (p->cores == 1 && p->kind == ROOF_MEASURED && p->dtype == peak->dtype && p->unit == peak->unit &&
        p->mixed == peak->mixed && p->sparse == peak->sparse && strcmp(p->isa, peak->isa) == 0 &&
        (kind == NULL || strcmp(p->core_kind, kind) == 0)) {
      return p;
    }
  }
  return NULL;
}

static const roof_level *one_core_level(const roof_machine *machine, const roof_level *level,
                                        const char *kind) {
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level *l = &machine->levels[i];
    if (l->cores == 1 && l->kind == ROOF_MEASURED && l->level == level->level &&
        (kind == NULL || strcmp(l->core_kind, kind) == 0)) {
      return l;
    }
  }
  return NULL;
}

/** Everything of a record that cores share, of which `one` is of one core and `of_kinds` of one of each
 * kind. */
static void share_fields(const rf_record *record, const kinds *k, void *all, const void *one,
                         const void *const of_kinds[KINDS], int cores) {
  for (size_t f = 0; f < record->count; f++) {
    size_t offset = record->fields[f].offset;
    double rates[KINDS], *shared = at(all, offset);
    for (int i = 0; i < k->count && record->fields[f].shared; i++) {
      rates[i] = of_kinds[i] != NULL ? rf_number_at(of_kinds[i], offset) : NAN;
    }
    if (record->fields[f].shared) {
      *shared = share_of(k, rates, rf_number_at(one, offset), *shared, cores);
    }
  }
}

static void share_peak(const roof_machine *machine, const kinds *k, roof_peak *peak, int cores, int all) {
  const roof_peak *one = one_core_peak(machine, peak, NULL);
  const void *of_kinds[KINDS];
  if (one == NULL) {
    return;
  }
  if (cores == 1) {
    roof_conditions *owned = peak->conditions;
    *peak = *one;
    peak->conditions = owned;
    return;
  }
  for (int i = 0; i < k->count; i++) {
    of_kinds[i] = one_core_peak(machine, peak, k->names[i]);
  }
  share_fields(&rf_peak_record, k, peak, one, of_kinds, cores);
  peak->cores = cores;
  peak->spread = fmax(one->spread, peak->spread);
  char basis[ROOF_SOURCE_MAX];
  memcpy(basis, peak->source, sizeof basis);
  name_source(peak->source, sizeof peak->source, basis, all);
}

static void share_level(const roof_machine *machine, const kinds *k, roof_level *level, int cores, int all) {
  const roof_level *one = one_core_level(machine, level, NULL);
  const void *of_kinds[KINDS];
  if (one == NULL) {
    return;
  }
  for (int i = 0; i < k->count; i++) {
    of_kinds[i] = one_core_level(machine, level, k->names[i]);
  }
  share_fields(&rf_level_record, k, level, one, of_kinds, cores);
  level->cores = cores;
  level->spread = fmax(one->spread, level->spread);
  char basis[ROOF_SOURCE_MAX];
  memcpy(basis, level->source, sizeof basis);
  if (cores == 1) {
    snprintf(level->source, sizeof level->source, "%s", one->source);
  } else {
    name_source(level->source, sizeof level->source, basis, all);
  }
  level->instances = ceil(level->instances * cores / all);
}

/** All cores where `cores` are fewer and at least one, else 0. */
static int all_cores(const roof_machine *machine, int cores) {
  int all = isfinite(machine->unit_count) ? (int)machine->unit_count : 0;
  return cores >= 1 && cores < all ? all : 0;
}

void rf_cores_peak(const roof_machine *machine, int cores, roof_peak *peak) {
  int all = all_cores(machine, cores);
  if (all > 0 && peak->kind == ROOF_MEASURED && peak->cores == 0) {
    kinds k = kinds_of(machine);
    share_peak(machine, &k, peak, cores, all);
  }
}

void rf_cores_level(const roof_machine *machine, int cores, roof_level *level) {
  int all = all_cores(machine, cores);
  if (all > 0 && level->kind == ROOF_MEASURED && level->cores == 0) {
    kinds k = kinds_of(machine);
    share_level(machine, &k, level, cores, all);
  }
}

void roof_machine_for_cores(roof_machine *machine, int cores) {
  for (int i = 0; i < machine->peak_count; i++) {
    rf_cores_peak(machine, cores, &machine->peaks[i]);
  }
  for (int i = 0; i < machine->level_count; i++) {
    rf_cores_level(machine, cores, &machine->levels[i]);
  }
  for (int i = 0; i < machine->level_count && cores == 1; i++) {
    roof_level *level = &machine->levels[i];
    bool own = level->kind == ROOF_MEASURED && level->cores == 1 && level->level < ROOF_MEMORY;
    level->instances = own ? 1 : level->instances; /* no core keeps data in the caches of others */
  }
  if (cores == 1 && machine->launch_origin.kind == ROOF_MEASURED) { /* no threads are woken for one */
    machine->launch_seconds = machine->overhead_cutoff_seconds = 0;
  }
}

void roof_cores_append(char *text, size_t size, int cores, const char *core_kind, int threads_per_core) {
  size_t used = strlen(text);
  if (cores > 0) {
    used += (size_t)snprintf(text + used, size - used, ", %d %s%s", cores,
                             core_kind[0] != '\0' ? core_kind : "core", cores == 1 ? "" : "s");
  }
  if (threads_per_core > 1 && used < size) {
    snprintf(text + used, size - used, ", %d threads per core", threads_per_core);
  }
}
