#include "core/energy.h"

#include <math.h>

static bool is_any(double a, double b) {
  return !isnan(a) || !isnan(b);
}

/** Joules of a FLOP on `unit`: of its peak's format where the machine has one per format, else what it has
 * for fp64, or of fp32 and narrower. */
static double flop_joules(const roof_target *target, roof_unit unit) {
  const roof_energy *e = &target->machine->energy;
  const roof_peak *peak = target->peak[unit];
  roof_dtype dtype = peak != NULL ? peak->dtype : target->types.compute;
  for (int i = 0; i < e->flop_count; i++) {
    if (e->flops[i].dtype == dtype && e->flops[i].unit == (peak != NULL ? peak->unit : unit)) {
      return e->flops[i].joules;
    }
  }
  bool narrow = dtype != ROOF_FP64 && !isnan(e->fp32_joules_per_flop);
  return narrow ? e->fp32_joules_per_flop : e->joules_per_flop;
}

/** Fills in the levels; false when the memory's own cost is not known. */
static bool take_levels(const roof_target *target, roof_energy_costs *costs) {
  const roof_energy *e = &target->machine->energy;
  roof_level_kind memory = target->memory;
  double outermost = e->joules_per_byte;
  for (int i = 0; i < e->byte_count; i++) {
    roof_level_kind level = e->bytes[i].level;
    if (level == memory || level == ROOF_MEMORY) {
      outermost = e->bytes[i].joules;
    } else if (level < memory) {
      costs->joules_per_byte[level] = e->bytes[i].joules;
      costs->inner = true;
    }
  }
  costs->joules_per_byte[memory] = outermost;
  return !isnan(outermost);
}

roof_energy_costs roof_energy_costs_of(const roof_target *target) {
  const roof_energy *e = &target->machine->energy;
  roof_energy_costs costs = {.constant_watts = isnan(e->idle_watts) ? 0 : e->idle_watts};
  double vector = flop_joules(target, ROOF_VECTOR), matrix = flop_joules(target, ROOF_MATRIX);
  if (take_levels(target, &costs) && is_any(vector, matrix)) {
    costs.joules_per_flop[ROOF_VECTOR] = isnan(vector) ? matrix : vector;
    costs.joules_per_flop[ROOF_MATRIX] = isnan(matrix) ? vector : matrix;
    return costs;
  }
  return (roof_energy_costs){.constant_watts = e->watts, .power_only = true};
}

double roof_energy_joules(const roof_target *target, const roof_prediction *p, double seconds) {
  return rf_energy_joules(target, p, seconds);
}

/** The shortest time of the work that is charged: a cache that kept data from a run before, or a faster algorithm, has other bytes
 * and FLOPs than these. */
static double shortest_seconds(const roof_prediction *p) {
  double work = fmax(p->compute_seconds, p->memory_seconds);
  return isnan(p->lower_seconds) ? NAN : fmax(p->lower_seconds, work);
}

roof_energy_use roof_energy_use_of(const roof_target *target, const roof_prediction *p) {
  const roof_energy_costs *costs = &target->costs;
  roof_energy_use use = {.flop_joules = costs->joules_per_flop[p->work.unit] * p->work.flops,
                         .constant_joules = costs->constant_watts * p->expected_seconds,
                         .lower_joules = roof_energy_joules(target, p, shortest_seconds(p)),
                         .upper_joules = roof_energy_joules(target, p, p->upper_seconds),
                         .expected_joules = roof_energy_joules(target, p, p->expected_seconds)};
  use.byte_joules = rf_energy_of_bytes(target, p, use.level_joules);
  use.watts = use.expected_joules / p->expected_seconds;
  use.flops_per_joule = p->work.flops / use.expected_joules;
  return use;
}

roof_energy_line roof_energy_line_of(const roof_target *target, roof_unit unit) {
  const roof_energy_costs *costs = &target->costs;
  return (roof_energy_line){.joules_per_flop = costs->joules_per_flop[unit],
                            .joules_per_byte = costs->joules_per_byte[target->memory],
                            .constant_watts = costs->constant_watts,
                            .seconds_per_flop = target->seconds_per_flop[unit],
                            .seconds_per_byte = target->seconds_per_byte[target->memory][0]};
}

/** Seconds of one FLOP with its bytes. */
static double flop_seconds(const roof_energy_line *l, double intensity) {
  double bytes = l->seconds_per_byte / intensity;
  return bytes > l->seconds_per_flop ? bytes : l->seconds_per_flop + 0 * bytes;
}

double roof_energy_efficiency(const roof_energy_line *l, double intensity) {
  return 1 / (l->joules_per_flop + l->joules_per_byte / intensity +
              l->constant_watts * flop_seconds(l, intensity));
}

double roof_energy_watts(const roof_energy_line *l, double intensity) {
  return 1 / (roof_energy_efficiency(l, intensity) * flop_seconds(l, intensity));
}

double roof_energy_time_balance(const roof_energy_line *l) {
  return l->seconds_per_byte / l->seconds_per_flop;
}

double roof_energy_balance(const roof_energy_line *l) {
  double flop = l->joules_per_flop + l->constant_watts * l->seconds_per_flop;
  double balance = l->joules_per_byte / flop;
  if (balance >= roof_energy_time_balance(l)) {
    return balance;
  }
  return (l->joules_per_byte + l->constant_watts * l->seconds_per_byte) /
         (flop + l->constant_watts * l->seconds_per_flop);
}

bool roof_energy_flop_at(const roof_target *target, int index, roof_energy_flop *flop) {
  const roof_machine *m = target->machine;
  roof_provenance kind = target->options.achieved ? ROOF_MEASURED : ROOF_DATASHEET;
  for (int dtype = 0; dtype < ROOF_DTYPE_COUNT; dtype++) {
    for (int unit = 0; unit < ROOF_UNIT_COUNT; unit++) {
      const roof_peak *peak = roof_machine_peak(m, (roof_dtype)dtype, (roof_unit)unit, false, kind);
      if (peak == NULL || index-- > 0) {
        continue;
      }
      roof_target at = *target;
      at.types = roof_types_of((roof_dtype)dtype);
      at.peak[unit] = peak;
      at.seconds_per_flop[unit] = 1 / peak->flops_per_second;
      at.costs = roof_energy_costs_of(&at);
      roof_energy_line line = roof_energy_line_of(&at, (roof_unit)unit);
      double most = roof_energy_efficiency(&line, INFINITY);
      *flop = (roof_energy_flop){.peak = peak,
                                 .line = line,
                                 .flops_per_second = peak->flops_per_second,
                                 .joules = at.costs.power_only ? NAN : line.joules_per_flop,
                                 .effective_joules = 1 / most,
                                 .flops_per_joule = most};
      return true;
    }
  }
  return false;
}

bool roof_energy_byte_at(const roof_target *t, int index, roof_energy_byte *byte) {
  for (int k = 0; k <= (int)t->memory; k++) {
    if (t->level[k] == NULL || isnan(t->seconds_per_byte[k][0]) || index-- > 0) {
      continue;
    }
    double joules = t->costs.joules_per_byte[k];
    bool known = !t->costs.power_only && joules > 0;
    *byte = (roof_energy_byte){t->level[k], 1 / t->seconds_per_byte[k][0], known ? joules : NAN, NAN};
    if (known || t->costs.power_only) {
      byte->effective_joules = joules + t->costs.constant_watts * t->seconds_per_byte[k][0];
    }
    return true;
  }
  return false;
}

const char *roof_energy_bound(const roof_energy_line *line, double intensity) {
  bool timed = line->joules_per_flop == 0 && line->joules_per_byte == 0; /* constant power alone */
  double balance = timed ? roof_energy_time_balance(line) : roof_energy_balance(line);
  return intensity >= balance ? "FLOPs" : "bytes";
}

bool roof_energy_race_to_halt(const roof_energy_line *line) {
  return roof_energy_balance(line) <= roof_energy_time_balance(line);
}
