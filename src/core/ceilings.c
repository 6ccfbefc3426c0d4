#include <math.h>
#include <string.h>

#include "core/ceilings.h"
#include "core/figures.h"
#include "core/known.h"
#include "core/mix.h"

/** Whether a figure of that kind, with the physical `limit` of a measured one, belongs to the basis. */
static bool belongs(roof_basis basis, roof_provenance kind, double limit) {
  return basis == ROOF_ACHIEVED ? kind == ROOF_MEASURED : kind != ROOF_MEASURED || !isnan(limit);
}

double rf_peak_limit(const roof_peak *peak) {
  return peak->kind == ROOF_MEASURED ? peak->limit_flops_per_second : peak->flops_per_second;
}

void rf_level_limit(const roof_level *level, double costs[ROOF_MIX_COUNT]) {
  roof_level limits = *level;
  const rf_field *f = NULL;
  for (int rank = 1; (f = rf_record_figure(&rf_level_record, rank)) != NULL; rank++) {
    if (level->kind == ROOF_MEASURED && f->limit > 0) {
      memcpy((char *)&limits + f->offset, (const char *)level + f->limit, sizeof(double));
    }
  }
  roof_level_costs(&limits, costs);
}

/** Measured figures give way to their physical limits where those are known. */
static void use_limits(roof_target *target) {
  for (int unit = 0; unit < ROOF_UNIT_COUNT; unit++) {
    const roof_peak *peak = target->peak[unit];
    if (peak != NULL && !isnan(rf_peak_limit(peak))) {
      target->seconds_per_flop[unit] = 1 / rf_peak_limit(peak);
    }
  }
  for (int k = 0; k < ROOF_LEVEL_KIND_COUNT; k++) {
    const roof_level *level = target->level[k];
    if (level != NULL && level->kind == ROOF_MEASURED && !isnan(level->limit_bytes_per_second)) {
      rf_level_limit(level, target->seconds_per_byte[k]);
    }
  }
}

/** Whether the figure behind the longest term belongs to the basis; a launch costs the same on both. */
static bool bound_belongs(roof_basis basis, const roof_prediction *p) {
  double compute = rf_known(p->compute_seconds), memory = rf_known(p->memory_seconds);
  double network = rf_known(p->network_seconds), longest = fmax(fmax(compute, memory), network);
  if (longest <= rf_known(p->overhead_seconds)) {
    return true;
  }
  if (longest == compute) {
    return belongs(basis, p->peak->kind, p->peak->limit_flops_per_second);
  }
  return longest == memory ? belongs(basis, p->binding->kind, p->binding->limit_bytes_per_second)
                           : belongs(basis, p->link->kind, NAN);
}

roof_ceiling roof_ceiling_of(const roof_target *target, roof_basis basis, const roof_work *work) {
  roof_ceiling ceiling = {NAN, NAN, NAN};
  roof_target t;
  roof_prediction p;
  roof_options options = target->options;
  options.achieved = basis == ROOF_ACHIEVED;
  if (roof_target_init(&t, target->machine, &target->types, &options, NULL) != ROOF_OK) {
    return ceiling;
  }
  if (basis == ROOF_THEORETICAL) {
    use_limits(&t);
  }
  roof_work own = *work;
  own.least.flops = NAN; /* a kernel is judged by the arithmetic of its own algorithm */
  roof_predict_work(&t, &own, &p);
  if (p.lower_seconds > 0 && bound_belongs(basis, &p)) {
    ceiling.seconds = p.lower_seconds;
  }
  if (p.peak != NULL && belongs(basis, p.peak->kind, p.peak->limit_flops_per_second)) {
    ceiling.flops_per_second = 1 / t.seconds_per_flop[work->unit];
  }
  const roof_level *memory = t.level[t.memory];
  if (memory != NULL && belongs(basis, memory->kind, memory->limit_bytes_per_second) && p.bytes > 0) {
    ceiling.bytes_per_second = rf_mix_rate(&t, &p);
  }
  return ceiling;
}
