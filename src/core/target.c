/* Targets: what many predictions of one machine share is checked and resolved once. */
#include <math.h>
#include <string.h>

#include "core/curve.h"
#include "core/dtype.h"
#include "core/energy.h"
#include "core/figures.h"
#include "core/form.h"
#include "core/known.h"
#include "core/link.h"
#include "core/mix.h"
#include "core/target.h"
#include "roofline/predict.h"

static const double default_overhead_cutoff = 8e-6;

roof_options roof_options_default(void) {
  roof_options options = {.efficiency = 0.78,
                          .efficiency_low = 0.65,
                          .efficiency_high = 0.85,
                          .overlap = 1,
                          .overhead_cutoff = NAN,
                          .launch = NAN,
                          .unit = -1};
  return options;
}

static roof_status check_options(const roof_options *o, roof_error *error) {
  if (!(o->efficiency_low > 0 && o->efficiency_low <= o->efficiency && o->efficiency <= o->efficiency_high &&
        o->efficiency_high <= 1)) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "efficiency %g (band %g to %g): must be in order, over 0 and at most 1",
                          o->efficiency, o->efficiency_low, o->efficiency_high);
  }
  if (!(o->overlap >= 0 && o->overlap <= 1)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "overlap %g: must be from 0 to 1", o->overlap);
  }
  if (o->overhead_cutoff < 0 || o->launch < 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: a time must not be negative",
                          o->launch < 0 ? "launch" : "overhead");
  }
  if (isinf(o->launch) || (o->warm && o->cold)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, o->warm && o->cold ? "warm and cold" : "launch: infinite");
  }
  if (!(o->tile == 0 || (o->tile >= 1 && o->tile <= 0x1p53))) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "tile %g: must be from 1 to 2^53 elements", o->tile);
  }
  if (o->unit < -1 || o->unit >= (int)ROOF_UNIT_COUNT) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "unit %d: there is none", o->unit);
  }
  return ROOF_OK;
}

static roof_status check_types(const roof_types *t, roof_error *error) {
  const roof_dtype all[] = {t->compute, t->weights, t->output, t->accumulate, t->kv, t->scale};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if ((unsigned)all[i] >= ROOF_SCALED_END || all[i] == ROOF_DTYPE_COUNT) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "dtype %d: there is none", (int)all[i]);
    }
  }
  if (!(t->group == 0 || t->group >= 1) || !(t->weight_bytes >= 0 && t->weight_bytes < INFINITY)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "group %g, weight bytes %g: out of range", t->group,
                          t->weight_bytes);
  }
  return ROOF_OK;
}

/** The vector lanes of a format without its own: fp32, and for one of at most 8 bits, which a kernel converts on the chip, the
 * fastest that hold it. */
static const roof_peak *wider_lanes(const roof_machine *machine, roof_dtype dtype, roof_provenance kind) {
  static const roof_dtype wider[] = {ROOF_FP32, ROOF_FP16, ROOF_BF16};
  int count = roof_dtype_bytes(roof_dtype_multiplied(dtype)) <= 1 ? 3 : 1;
  const roof_peak *best = NULL;
  for (int i = 0; i < count; i++) {
    const roof_peak *peak = roof_machine_peak(machine, wider[i], ROOF_VECTOR, false, kind);
    if (best == NULL || (peak != NULL && peak->flops_per_second > best->flops_per_second)) {
      best = peak;
    }
  }
  return best;
}

/** The peak of the formats on `unit`: matrix work falls back to vector lanes of the same format. */
static const roof_peak *resolve_peak(const roof_target *target, roof_unit unit) {
  const roof_machine *machine = target->machine;
  roof_provenance kind = target->options.achieved ? ROOF_MEASURED : ROOF_DATASHEET;
  roof_dtype dtype = rf_operand_type(&target->types);
  if (target->options.unit >= 0) {
    unit = (roof_unit)target->options.unit;
  }
  const roof_peak *peak = NULL;
  if (unit == ROOF_MATRIX) {
    peak = roof_machine_peak(machine, dtype, ROOF_MATRIX, target->options.sparse, kind);
  }
  if (peak == NULL && !(unit == ROOF_MATRIX && target->options.unit >= 0)) {
    peak = roof_machine_peak(machine, dtype, ROOF_VECTOR, false, kind);
  }
  if (peak == NULL && unit == ROOF_VECTOR && dtype != ROOF_FP64) {
    peak = wider_lanes(machine, dtype, kind);
  }
  return peak;
}

/** Stored keys and values of a narrower format may be multiplied in it where the machine has a peak for it: with queries of 16
 * bits, which are rounded to it. */
static double cache_arithmetic(const roof_target *t) {
  roof_provenance kind = t->options.achieved ? ROOF_MEASURED : ROOF_DATASHEET;
  const roof_peak *peak = roof_machine_peak(t->machine, t->types.kv, ROOF_MATRIX, false, kind);
  double seconds = t->seconds_per_flop[ROOF_MATRIX], own = peak != NULL ? 1 / peak->flops_per_second : NAN;
  bool wide = roof_dtype_bytes(roof_dtype_multiplied(t->types.compute)) == 2;
  return wide && own < seconds && t->options.unit < 0 ? own / seconds : 1;
}

static void resolve_levels(roof_target *target) {
  const roof_machine *machine = target->machine;
  roof_provenance kind = target->options.achieved ? ROOF_MEASURED : ROOF_DATASHEET;
  for (int k = 0; k < ROOF_LEVEL_KIND_COUNT; k++) {
    const roof_level *level = roof_machine_level(machine, (roof_level_kind)k, kind);
    target->level[k] = level;
    for (int i = 0; i < ROOF_MIX_COUNT; i++) {
      target->seconds_per_byte[k][i] = NAN;
    }
    if (level != NULL) {
      roof_level_costs(level, target->seconds_per_byte[k]);
    }
    if (level != NULL && !isnan(target->seconds_per_byte[k][0])) {
      target->memory = (roof_level_kind)k;
    }
    if (level != NULL && k == ROOF_MEMORY) {
      target->capacity = level->bytes * level->instances;
    }
  }
}

const roof_level *rf_last_cache(const roof_target *target) {
  const roof_level *last = NULL;
  for (int k = (int)target->memory - 1; k > (int)ROOF_L1 && last == NULL; k--) {
    last = target->level[k] != NULL && target->level[k]->bytes > 0 ? target->level[k] : NULL;
  }
  return last;
}

/** The last cache may have kept data of the run before; here on an accelerator alone, since a processor's threads find other
 * threads' data there. */
static void resolve_cache(roof_target *target) {
  const roof_level *last = rf_last_cache(target);
  if (last != NULL && !target->parts_stay) {
    target->cache_bytes = last->bytes * last->instances;
    target->cache_seconds_per_byte = target->seconds_per_byte[last->level][ROOF_MIX_READ];
  }
}

static roof_status resolve_link(roof_target *target, roof_error *error) {
  const roof_machine *machine = target->machine;
  const char *wanted = target->options.link;
  if (wanted == NULL) {
    target->link = roof_target_link(target, 2);
    return ROOF_OK;
  }
  const char *names[ROOF_LINK_MAX + 1] = {NULL};
  for (int i = 0; i < machine->link_count; i++) {
    names[i] = machine->links[i].name;
    if (strcmp(wanted, names[i]) == 0) {
      target->link = &machine->links[i];
      return ROOF_OK;
    }
  }
  roof_error_set(error, ROOF_E_NAME, "link `%s`: %s has none of that name; `cluster` has those between nodes",
                 wanted, machine->name);
  roof_error_suggest(error, wanted, names);
  return ROOF_E_NAME;
}

roof_status roof_target_init(roof_target *target, const roof_machine *machine, const roof_types *types,
                             const roof_options *options, roof_error *error) {
  roof_status status = check_options(options, error);
  status = status == ROOF_OK ? check_types(types, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  roof_target t = {.machine = machine, .types = *types, .options = *options, .capacity = NAN};
  if (options->sparse &&
      roof_machine_peak(machine, types->compute, ROOF_MATRIX, true, ROOF_DATASHEET) == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: no sparse %s peak is known", machine->name,
                          roof_dtype_name(types->compute));
  }
  for (int unit = 0; unit < ROOF_UNIT_COUNT; unit++) {
    t.peak[unit] = resolve_peak(&t, (roof_unit)unit);
    t.seconds_per_flop[unit] = t.peak[unit] != NULL ? 1 / t.peak[unit]->flops_per_second : NAN;
  }
  t.parts_stay =
      strcmp(machine->device_class, "gpu") != 0 && strcmp(machine->device_class, "accelerator") != 0;
  t.units = machine->unit_count > 0 ? machine->unit_count : 1;
  resolve_levels(&t);
  resolve_cache(&t);
  status = resolve_link(&t, error);
  if (status == ROOF_OK && options->framework != NULL) {
    status = rf_framework_find(machine, options->framework, &t.options.framework, error);
  }
  if (status != ROOF_OK) {
    return status;
  }
  t.costs = roof_energy_costs_of(&t);
  t.launch_seconds = isnan(options->launch) ? machine->launch_seconds : options->launch;
  bool replayed = machine->launch_origin.kind == ROOF_ASSUMED || !t.parts_stay;
  t.least_launch_seconds =
      rf_known(t.launch_seconds) * (isnan(options->launch) && replayed ? ROOF_ASSUMED_LEAST : 1);
  t.cache_arithmetic = cache_arithmetic(&t);
  t.overhead_cutoff = !isnan(options->overhead_cutoff)           ? options->overhead_cutoff
                      : !isnan(options->launch)                  ? options->launch
                      : !isnan(machine->overhead_cutoff_seconds) ? machine->overhead_cutoff_seconds
                                                                 : default_overhead_cutoff;
  *target = t;
  rf_forms_resolve(target);
  return ROOF_OK;
}

roof_status roof_target_moves(const roof_target *target, roof_error *error) {
  return !isnan(target->seconds_per_byte[target->memory][0])
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: the bandwidth of its memory is not known",
                              target->machine->name);
}

static bool is_integer(roof_dtype dtype) {
  return dtype == ROOF_INT8 || dtype == ROOF_INT4;
}

/** The peak of a unit in the narrowest format that is no narrower than `dtype`, of integers or of floating
 * point; of two, the last. */
static const roof_peak *nearest_peak(const roof_machine *machine, roof_dtype dtype, roof_unit unit,
                                     bool integer) {
  const roof_peak *nearest = NULL;
  double wanted = roof_dtype_bytes(dtype);
  for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
    const roof_peak *peak = roof_machine_peak(machine, (roof_dtype)d, unit, false, ROOF_DATASHEET);
    double bytes = roof_dtype_bytes((roof_dtype)d);
    if (peak != NULL && bytes >= wanted && is_integer((roof_dtype)d) == integer &&
        (nearest == NULL || bytes <= roof_dtype_bytes(nearest->dtype))) {
      nearest = peak;
    }
  }
  return nearest;
}

/** What a machine without `dtype` computes in instead: integers in floating point if need be, never the other
 * way round. */
static const roof_peak *instead_of(const roof_machine *machine, roof_dtype dtype) {
  const roof_peak *found = is_integer(dtype) ? nearest_peak(machine, dtype, ROOF_MATRIX, true) : NULL;
  found = found != NULL ? found : nearest_peak(machine, dtype, ROOF_MATRIX, false);
  return found != NULL ? found : nearest_peak(machine, dtype, ROOF_VECTOR, false);
}

roof_status roof_target_supports(const roof_target *target, roof_unit unit, roof_error *error) {
  if (unit == ROOF_VECTOR || target->peak[unit] != NULL) {
    return ROOF_OK;
  }
  const roof_machine *machine = target->machine;
  roof_dtype dtype = target->types.compute;
  const char *name = roof_dtype_name(dtype);
  const roof_peak *other = instead_of(machine, dtype);
  if (other == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: no peak is known of %s or a wider format",
                          machine->name, name);
  }
  const char *instead = roof_dtype_name(other->dtype);
  bool lacks = rf_lacks_path(machine, roof_dtype_multiplied(dtype));
  const char *where = lacks && other->unit == ROOF_MATRIX ? " on its matrix unit" : "";
  const char *head = lacks ? "no native" : "its", *tail = lacks ? "path" : "peak is not known";
  if (roof_dtype_bytes(other->dtype) == roof_dtype_bytes(dtype)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %s %s %s%s; as wide: --dtype %s", machine->name,
                          head, name, tail, where, instead);
  }
  return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %s %s %s%s; as weights only: --dtype %s --weights %s",
                        machine->name, head, name, tail, where, instead, name);
}
