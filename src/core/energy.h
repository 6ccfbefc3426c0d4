/** Joules of a prediction, in line where many are made. */
#ifndef CORE_ENERGY_H
#define CORE_ENERGY_H

#include "roofline/energy.h"

/** Joules of the bytes that each level supplies and none further out does; into `each` where it is not NULL.
 */
static inline double rf_energy_of_bytes(const roof_target *target, const roof_prediction *p, double *each) {
  const roof_energy_costs *costs = &target->costs;
  double joules = 0, further = 0;
  if (p->level_count == 0) {
    return p->bytes * costs->joules_per_byte[target->memory];
  }
  int least = costs->inner || each != NULL ? 0 : p->level_count - 1;
  for (int i = p->level_count - 1; i >= least; i--) {
    double bytes = p->levels[i].bytes;
    double own = costs->joules_per_byte[p->levels[i].level->level] * (bytes > further ? bytes - further : 0);
    further = bytes > further ? bytes : further;
    joules += own;
    if (each != NULL) {
      each[i] = own;
    }
  }
  return joules;
}

/** roof_energy_joules. */
static inline double rf_energy_joules(const roof_target *target, const roof_prediction *p, double seconds) {
  const roof_energy_costs *costs = &target->costs;
  return costs->joules_per_flop[p->work.unit] * p->work.flops + rf_energy_of_bytes(target, p, NULL) +
         costs->constant_watts * seconds;
}

#endif
