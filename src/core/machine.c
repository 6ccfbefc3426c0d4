#include "roofline/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ceilings.h"
#include "core/figures.h"
#include "core/letters.h"
#include "core/mix.h"
#include "roofline/text.h"

static const char *const kind_names[] = {"datasheet", "measured", "assumed", "secondary", NULL};
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

roof_machine *roof_machine_new(void) {
  roof_machine *machine = malloc(sizeof *machine);
  if (machine != NULL && !rf_record_init(&rf_machine_record, machine)) {
    free(machine);
    machine = NULL;
  }
  return machine;
}

roof_machine *roof_machine_copy(const roof_machine *machine) {
  roof_machine *copy = malloc(sizeof *copy);
  if (copy != NULL && !rf_record_copy(&rf_machine_record, copy, machine)) {
    free(copy);
    copy = NULL;
  }
  return copy;
}

void roof_machine_free(roof_machine *machine) {
  if (machine != NULL) {
    rf_record_done(&rf_machine_record, machine);
  }
  free(machine);
}

void roof_conditions_init(roof_conditions *conditions) {
  rf_record_init(&rf_conditions_record, conditions);
}

/** Adds to the list of that key, which is in the machine or in its report. */
static void *add_to(roof_machine *machine, const char *key) {
  const rf_field *field = rf_record_field(&rf_machine_record, key);
  void *base = field->measured ? (void *)roof_machine_make_report(machine) : machine;
  return base != NULL ? rf_list_add(field, base) : NULL;
}

roof_peak *roof_machine_add_peak(roof_machine *machine) {
  return add_to(machine, "peaks");
}

roof_level *roof_machine_add_level(roof_machine *machine) {
  return add_to(machine, "levels");
}

roof_link *roof_machine_add_link(roof_machine *machine) {
  return add_to(machine, "links");
}

roof_constants *roof_machine_add_constants(roof_machine *machine) {
  return add_to(machine, "constants");
}

char *roof_machine_add_note(roof_machine *machine) {
  return add_to(machine, "notes");
}

roof_flop_energy *roof_machine_add_flop_energy(roof_machine *machine) {
  return rf_list_add(rf_record_field(&rf_energy_record, "flops"), &machine->energy);
}

roof_byte_energy *roof_machine_add_byte_energy(roof_machine *machine) {
  return rf_list_add(rf_record_field(&rf_energy_record, "bytes"), &machine->energy);
}

roof_cost *roof_machine_add_cost(roof_machine *machine) {
  return add_to(machine, "costs");
}

roof_tlb *roof_machine_add_tlb(roof_machine *machine) {
  return add_to(machine, "tlbs");
}

roof_curve_point *roof_machine_add_curve_point(roof_machine *machine) {
  return add_to(machine, "curve");
}

roof_intensity_point *roof_machine_add_intensity(roof_machine *machine) {
  return add_to(machine, "intensities");
}

roof_scaling *roof_machine_add_scaling(roof_machine *machine) {
  return add_to(machine, "scaling");
}

double roof_scaling_saturation(const roof_scaling *scaling) {
  static const double nearly = 0.95;
  double most = 0;
  for (int i = 0; i < scaling->rate_count; i++) {
    most = fmax(most, scaling->per_second[i]);
  }
  for (int i = 0; i + 1 < scaling->rate_count; i++) {
    if (scaling->per_second[i] >= nearly * most) {
      return scaling->cores[i];
    }
  }
  return NAN;
}

roof_rate *roof_machine_add_rate(roof_machine *machine) {
  return add_to(machine, "rates");
}

roof_domain *roof_machine_add_domain(roof_machine *machine) {
  return add_to(machine, "domains");
}

roof_library *roof_machine_add_library(roof_machine *machine) {
  return add_to(machine, "libraries");
}

roof_blocks *roof_machine_add_blocks(roof_machine *machine) {
  return add_to(machine, "blocks");
}

const roof_report *roof_machine_report(const roof_machine *machine) {
  static const roof_report none = {.clock = {.samples = NAN}, .launch = {.samples = NAN}};
  return machine->report != NULL ? machine->report : &none;
}

const roof_level_report *roof_level_report_of(const roof_level *level) {
  static const roof_level_report none = {.read = {.samples = NAN},
                                         .write = {.samples = NAN},
                                         .copy = {.samples = NAN},
                                         .update = {.samples = NAN},
                                         .triad = {.samples = NAN}};
  return level->report != NULL ? level->report : &none;
}

roof_report *roof_machine_make_report(roof_machine *machine) {
  return rf_record_part(&rf_machine_record, machine);
}

roof_level_report *roof_level_make_report(roof_level *level) {
  return rf_record_part(&rf_level_record, level);
}

roof_conditions *roof_peak_make_conditions(roof_peak *peak) {
  return rf_record_part(&rf_peak_record, peak);
}

void rf_origin_set(roof_origin *origin, roof_provenance kind, const char *source, const char *date) {
  origin->kind = kind;
  snprintf(origin->source, sizeof origin->source, "%s", source);
  snprintf(origin->date, sizeof origin->date, "%s", date);
}

/** How the figure of a row was measured, NULL when it was not measured here. */
static const roof_conditions *conditions_of(const rf_record *record, const void *base, const rf_field *f) {
  const char *part = NULL;
  if (f->conditions > 0) {
    memcpy(&part, (const char *)base + record->part, sizeof part);
  }
  const roof_conditions *conditions =
      part != NULL ? (const roof_conditions *)(const void *)(part + f->conditions - 1) : NULL;
  return conditions != NULL && !isnan(conditions->samples) ? conditions : NULL;
}

/** The row at `index` with its value; false beyond the last. The caller adds the provenance. */
static bool read_figure(const rf_record *record, const void *base, int index, double spread,
                        roof_machine_value *figure) {
  const rf_field *f = rf_record_figure(record, index + 1);
  if (f == NULL) {
    return false;
  }
  *figure = (roof_machine_value){.key = f->key,
                                 .label = f->label,
                                 .unit = f->unit,
                                 .value = rf_number_at(base, f->offset),
                                 .limited = f->limit > 0,
                                 .cited = f->cited,
                                 .limit = f->limit > 0 ? rf_number_at(base, f->limit) : NAN,
                                 .conditions = conditions_of(record, base, f)};
  figure->spread = figure->conditions != NULL ? figure->conditions->spread : figure->limited ? spread : NAN;
  return true;
}

static bool set_origin(roof_machine_value *figure, roof_provenance kind, const char *source,
                       const char *date) {
  figure->kind = kind;
  figure->source = source;
  figure->date = date;
  return true;
}

bool roof_machine_figure(const roof_machine *machine, int index, roof_machine_value *figure) {
  if (!read_figure(&rf_machine_record, machine, index, NAN, figure)) {
    return false;
  }
  size_t offset = rf_record_figure(&rf_machine_record, index + 1)->provenance;
  const roof_origin *origin = (const roof_origin *)(const void *)((const char *)machine + offset);
  return set_origin(figure, origin->kind, origin->source, origin->date);
}

bool roof_peak_figure(const roof_peak *peak, int index, roof_machine_value *figure) {
  return read_figure(&rf_peak_record, peak, index, peak->spread, figure) &&
         set_origin(figure, peak->kind, peak->source, peak->date);
}

bool roof_level_figure(const roof_level *level, int index, roof_machine_value *figure) {
  return read_figure(&rf_level_record, level, index, level->spread, figure) &&
         set_origin(figure, level->kind, level->source, level->date);
}

bool roof_energy_figure(const roof_energy *energy, int index, roof_machine_value *figure) {
  return read_figure(&rf_energy_record, energy, index, NAN, figure) &&
         set_origin(figure, energy->kind, energy->source, energy->date);
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

static const roof_peak *best_peak(const roof_machine *machine, roof_dtype dtype, roof_unit unit, bool sparse,
                                  roof_provenance kind) {
  const roof_peak *best = NULL;
  for (int i = 0; i < machine->peak_count; i++) {
    const roof_peak *peak = &machine->peaks[i];
    if (peak->dtype != dtype || peak->unit != unit || peak->sparse != sparse || peak->mixed ||
        peak->fp16_sums || isnan(peak->flops_per_second)) {
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

const roof_peak *roof_machine_peak(const roof_machine *machine, roof_dtype dtype, roof_unit unit, bool sparse,
                                   roof_provenance kind) {
  const roof_peak *own = best_peak(machine, dtype, unit, sparse, kind);
  roof_dtype multiplied = roof_dtype_multiplied(dtype);
  return own != NULL || multiplied == dtype ? own : best_peak(machine, multiplied, unit, sparse, kind);
}

const char *roof_peak_density(const roof_machine *machine, const roof_peak *peak) {
  if (!peak->sparse) {
    return "dense";
  }
  const roof_peak *dense = roof_machine_peak(machine, peak->dtype, peak->unit, false, ROOF_DATASHEET);
  return dense != NULL && peak->flops_per_second <= 2.2 * dense->flops_per_second ? "2:4 sparse" : "sparse";
}

bool rf_level_is_latency(const roof_level *level) {
  return !isnan(level->latency_seconds) && isnan(level->bytes) && isnan(roof_level_bandwidth(level, 0, 0));
}

const roof_level *roof_machine_level(const roof_machine *machine, roof_level_kind level,
                                     roof_provenance kind) {
  const roof_level *best = NULL;
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level *candidate = &machine->levels[i];
    if (candidate->level != level || rf_level_is_latency(candidate)) {
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
  if (rf_letters_compare_some(name, known, length) != 0) {
    return false;
  }
  const char *rest = name + length;
  bool memory = strchr("0123456789", known[length - 1]) == NULL;
  return rest[0] == '\0' || rest[0] == '/' || rest[0] == ' ' ||
         (memory && strchr("23456789", rest[0]) != NULL) || (!memory && rf_letters_compare(rest, "d") == 0);
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
  return roof_error_set(error, ROOF_E_NAME,
                        "kind `%s`: unknown; use datasheet, secondary, measured or assumed", text);
}

bool rf_lacks_path(const roof_machine *machine, roof_dtype dtype) {
  bool lacks = false;
  for (int i = 0; i < machine->peak_count; i++) {
    const roof_peak *peak = &machine->peaks[i];
    lacks = lacks || (peak->unsupported && peak->unit == ROOF_MATRIX && peak->dtype == dtype);
  }
  return lacks;
}

bool rf_exceeds_nominal(const roof_machine *machine) {
  bool exceeds = false;
  for (int i = 0; i < machine->peak_count && !exceeds; i++) {
    const roof_peak *p = &machine->peaks[i];
    const roof_peak *nominal = roof_machine_peak(machine, p->dtype, p->unit, p->sparse, ROOF_DATASHEET);
    exceeds = p->kind == ROOF_MEASURED && nominal != NULL &&
              p->flops_per_second > nominal->flops_per_second * (1 + ROOF_PLACE_ROUNDING);
  }
  return exceeds;
}
