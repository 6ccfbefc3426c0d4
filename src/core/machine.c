#include "roofline/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/figures.h"
#include "core/mix.h"
#include "roofline/text.h"

static const char *const kind_names[] = {"datasheet", "measured", "assumed", NULL};
_Static_assert(sizeof kind_names / sizeof kind_names[0] == ROOF_PROVENANCE_COUNT + 1, "a name per kind");

static const char *const level_kind_names[] = {"registers", "L1", "L2", "L3", "memory"};
_Static_assert(sizeof level_kind_names / sizeof level_kind_names[0] == ROOF_LEVEL_KIND_COUNT,
               "a name per level");

/** Names of levels as vendors use them; a trailing generation ("HBM3e", "GDDR6X") is ignored. */
static const struct {
  const char *name;
  roof_level_kind kind;
} level_names[] = {
    {"registers", ROOF_REGISTERS},
    {"RF", ROOF_REGISTERS},
    {"L1", ROOF_L1},
    {"shared", ROOF_L1},
    {"SMEM", ROOF_L1},
    {"LDS", ROOF_L1},
    {"L2", ROOF_L2},
    {"L3", ROOF_L3},
    {"LLC", ROOF_L3},
    {"SLC", ROOF_L3},
    {"MALL", ROOF_L3},
    {"VMEM", ROOF_L3},
    {"SRAM", ROOF_L3},
    {"HBM", ROOF_MEMORY},
    {"DRAM", ROOF_MEMORY},
    {"GDDR", ROOF_MEMORY},
    {"LPDDR", ROOF_MEMORY},
    {"DDR", ROOF_MEMORY},
    {"memory", ROOF_MEMORY},
};

void rf_level_init(roof_level *level) {
  *level = (roof_level){.instances = 1};
  level->bytes = NAN;
  level->bytes_per_second = level->read_bytes_per_second = level->write_bytes_per_second = NAN;
  level->copy_bytes_per_second = level->update_bytes_per_second = level->triad_bytes_per_second = NAN;
  level->write_limit_bytes_per_second = level->copy_limit_bytes_per_second = NAN;
  level->update_limit_bytes_per_second = level->triad_limit_bytes_per_second = level->clock_hz = NAN;
  level->latency_seconds = level->limit_bytes_per_second = level->spread = NAN;
  level->bus_bits = level->transfers_per_second = level->plateau_bytes = NAN;
  roof_conditions *const all[] = {&level->read, &level->write, &level->copy, &level->update, &level->triad};
  for (size_t q = 0; q < sizeof all / sizeof all[0]; q++) {
    roof_conditions_init(all[q]);
  }
}

void rf_domain_init(roof_domain *domain) {
  *domain = (roof_domain){.cores = NAN, .bytes = NAN};
  for (int k = 0; k < ROOF_DOMAIN_MAX; k++) {
    domain->read_bytes_per_second[k] = domain->latency_seconds[k] = NAN;
  }
}

static void clear(roof_machine *machine) {
  memset(machine, 0, sizeof *machine);
  machine->unit_count = NAN;
  machine->clock_hz = NAN;
  machine->launch_seconds = NAN;
  machine->overhead_cutoff_seconds = NAN;
  roof_conditions_init(&machine->clock);
  roof_conditions_init(&machine->launch);
  machine->energy = (roof_energy){.joules_per_flop = NAN, .joules_per_byte = NAN, .watts = NAN};
  machine->energy.fp32_joules_per_flop = machine->energy.idle_watts = NAN;
  machine->energy.total_joules_per_flop = machine->energy.total_fp32_joules_per_flop = NAN;
  machine->energy.total_joules_per_byte = NAN;
  for (int i = 0; i < ROOF_PEAK_MAX; i++) {
    roof_peak *peak = &machine->peaks[i];
    peak->flops_per_second = peak->limit_flops_per_second = peak->spread = NAN;
    peak->flops_per_cycle = peak->clock_hz = NAN;
    roof_conditions_init(&peak->conditions);
  }
  for (int i = 0; i < ROOF_LEVEL_MAX; i++) {
    rf_level_init(&machine->levels[i]);
  }
  for (int i = 0; i < ROOF_LINK_MAX; i++) {
    roof_link *link = &machine->links[i];
    link->bytes_per_second = link->both_ways_bytes_per_second = link->latency_seconds = NAN;
    link->count = 1;
  }
  for (int i = 0; i < ROOF_COST_MAX; i++) {
    roof_cost *cost = &machine->costs[i];
    cost->seconds = cost->least_seconds = cost->most_seconds = NAN;
    cost->clock_hz = cost->samples = cost->spread = NAN;
  }
  for (int i = 0; i < ROOF_TLB_MAX; i++) {
    roof_tlb *tlb = &machine->tlbs[i];
    tlb->page_bytes = tlb->entries = tlb->reach_bytes = tlb->miss_seconds = NAN;
  }
  for (int i = 0; i < ROOF_DOMAIN_MAX; i++) {
    rf_domain_init(&machine->domains[i]);
  }
  for (int i = 0; i < ROOF_LIBRARY_MAX; i++) {
    roof_library *library = &machine->libraries[i];
    library->flops_per_second = library->fraction_of_peak = library->spread = NAN;
  }
}

roof_machine *roof_machine_new(void) {
  roof_machine *machine = malloc(sizeof *machine);
  if (machine != NULL) {
    clear(machine);
  }
  return machine;
}

roof_machine *roof_machine_copy(const roof_machine *machine) {
  roof_machine *copy = malloc(sizeof *copy);
  if (copy != NULL) {
    *copy = *machine;
  }
  return copy;
}

void roof_machine_free(roof_machine *machine) {
  free(machine);
}

/** True when a figure of provenance `a` on `cores_a` cores serves better than `b`; 0 cores are all cores. */
static bool better(roof_provenance a, int cores_a, roof_provenance b, int cores_b, roof_provenance wanted) {
  bool measured_wanted = wanted == ROOF_MEASURED;
  bool fits_a = (a == ROOF_MEASURED) == measured_wanted;
  bool fits_b = (b == ROOF_MEASURED) == measured_wanted;
  if (fits_a != fits_b) {
    return fits_a;
  }
  return cores_b != 0 && (cores_a == 0 || cores_a > cores_b);
}

const char *roof_machine_title(const roof_machine *machine) {
  return machine->title[0] != '\0' ? machine->title : machine->name;
}

const roof_peak *roof_machine_peak(const roof_machine *machine, roof_dtype dtype, roof_unit unit, bool sparse,
                                   roof_provenance kind) {
  const roof_peak *best = NULL;
  for (int i = 0; i < machine->peak_count; i++) {
    const roof_peak *peak = &machine->peaks[i];
    if (peak->dtype != dtype || peak->unit != unit || peak->sparse != sparse || peak->mixed ||
        isnan(peak->flops_per_second)) {
      continue;
    }
    if (best == NULL || better(peak->kind, peak->cores, best->kind, best->cores, kind) ||
        (peak->kind == best->kind && peak->cores == best->cores &&
         peak->flops_per_second > best->flops_per_second)) {
      best = peak;
    }
  }
  return best;
}

const roof_level *roof_machine_level(const roof_machine *machine, roof_level_kind level,
                                     roof_provenance kind) {
  const roof_level *best = NULL;
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level *candidate = &machine->levels[i];
    if (candidate->level != level) {
      continue;
    }
    if (best == NULL || better(candidate->kind, candidate->cores, best->kind, best->cores, kind) ||
        (candidate->kind == best->kind && candidate->cores == best->cores &&
         roof_level_bandwidth(candidate, 0, 0) > roof_level_bandwidth(best, 0, 0))) {
      best = candidate;
    }
  }
  return best;
}

const roof_level *roof_machine_memory(const roof_machine *machine, roof_provenance kind) {
  for (int level = ROOF_LEVEL_KIND_COUNT - 1; level >= 0; level--) {
    const roof_level *found = roof_machine_level(machine, (roof_level_kind)level, kind);
    if (found != NULL && !isnan(roof_level_bandwidth(found, 0, 0))) {
      return found;
    }
  }
  return NULL;
}

/** What has no figure is interpolated between its neighbours, beyond the first or last known takes as long.
 */
static void fill_between(double costs[], const double shares[], int count) {
  for (int i = 0; i < count; i++) {
    int below = i, above = i;
    while (below >= 0 && isnan(costs[below])) {
      below--;
    }
    while (above < count && isnan(costs[above])) {
      above++;
    }
    if (below >= 0 && above < count && below < above) {
      double t = (shares[i] - shares[below]) / (shares[above] - shares[below]);
      costs[i] = (1 - t) * costs[below] + t * costs[above];
    } else if (below < 0 && above < count) {
      costs[i] = costs[above];
    } else if (below >= 0 && above == count) {
      costs[i] = costs[below];
    }
  }
}

void roof_level_costs(const roof_level *level, double costs[ROOF_MIX_COUNT]) {
  static const double shares[] = {0, 1.0 / 3, 0.5, 1};
  const double rates[] = {level->read_bytes_per_second, level->triad_bytes_per_second,
                          level->copy_bytes_per_second, level->write_bytes_per_second,
                          level->update_bytes_per_second};
  for (int i = 0; i < ROOF_MIX_COUNT; i++) {
    costs[i] = 1 / rates[i];
  }
  fill_between(costs, shares, ROOF_MIX_UPDATE);
  if (isnan(costs[ROOF_MIX_READ])) {
    for (int i = 0; i < ROOF_MIX_UPDATE; i++) {
      costs[i] = 1 / level->bytes_per_second;
    }
  }
  /* Per element moved: a triad reads 2 and writes 1 of its 3 bytes, a copy 1 and 1 of its 2. */
  double *read = &costs[ROOF_MIX_READ], *triad = &costs[ROOF_MIX_TRIAD], *copy = &costs[ROOF_MIX_COPY];
  *triad = fmin(*triad, 4 * *copy / 3);
  *copy = fmin(*copy, 3 * *triad / 2);
  costs[ROOF_MIX_WRITE] = fmin(costs[ROOF_MIX_WRITE], 2 * *copy);
  *read = fmin(fmin(*read, 3 * *triad / 2), 2 * costs[ROOF_MIX_UPDATE]);
}

double roof_costs_least(const double costs[ROOF_MIX_COUNT]) {
  double least = NAN;
  for (int i = 0; i < ROOF_MIX_COUNT; i++) {
    least = fmin(least, costs[i]);
  }
  return least;
}

double roof_level_bandwidth(const roof_level *level, double written, double in_place) {
  double costs[ROOF_MIX_COUNT];
  roof_level_costs(level, costs);
  return 1 / rf_mix_cost(costs, rf_mix_of(written, in_place));
}

/** True when `name` is `known`, perhaps followed by a generation: digits, then letters ("HBM3e"). */
static bool is_level(const char *name, const char *known) {
  size_t length = strlen(known);
  if (strncasecmp(name, known, length) != 0) {
    return false;
  }
  const char *rest = name + length;
  bool memory = strchr("0123456789", known[length - 1]) == NULL;
  return rest[0] == '\0' || rest[0] == '/' || rest[0] == ' ' ||
         (memory && strchr("23456789", rest[0]) != NULL) || (!memory && strcasecmp(rest, "d") == 0);
}

roof_status roof_level_kind_parse(const char *name, roof_level_kind *kind, roof_error *error) {
  const char *names[sizeof level_names / sizeof level_names[0] + 1] = {NULL};
  for (size_t i = 0; i < sizeof level_names / sizeof level_names[0]; i++) {
    if (is_level(name, level_names[i].name)) {
      *kind = level_names[i].kind;
      return ROOF_OK;
    }
    names[i] = level_names[i].name;
  }
  return roof_error_unknown(error, "memory level", name, names, NULL);
}

const char *roof_level_kind_name(roof_level_kind kind) {
  return (unsigned)kind < ROOF_LEVEL_KIND_COUNT ? level_kind_names[kind] : "?";
}

const char *roof_provenance_name(roof_provenance kind) {
  return (unsigned)kind < ROOF_PROVENANCE_COUNT ? kind_names[kind] : "?";
}

roof_status roof_provenance_parse(const char *text, roof_provenance *kind, roof_error *error) {
  for (int i = 0; i < ROOF_PROVENANCE_COUNT; i++) {
    if (strcmp(text, kind_names[i]) == 0) {
      *kind = (roof_provenance)i;
      return ROOF_OK;
    }
  }
  return roof_error_set(error, ROOF_E_NAME, "kind `%s`: unknown; use datasheet, measured or assumed", text);
}
