/** What a level's time for a byte depends on: reads, writes, and writes to where was read. */
#ifndef CORE_MIX_H
#define CORE_MIX_H

#include <math.h>

#include "roofline/machine.h"

/** Where a share of writes lies between the patterns that do not update: after `index` by `part` of the way.
 */
typedef struct roof_knot {
  int index;
  double part;
} roof_knot;

/** The bytes of some work, as shares of all of them. */
typedef struct roof_mix {
  roof_knot all;    /**< as if nothing were updated in place */
  roof_knot others; /**< all reads and the writes elsewhere */
  double others_share;
  double updates_share; /**< read and written */
} roof_mix;

static inline roof_knot roof_knot_of(double written) {
  if (written <= 1.0 / 3) {
    return (roof_knot){ROOF_MIX_READ, written * 3};
  }
  return written <= 0.5 ? (roof_knot){ROOF_MIX_TRIAD, (written - 1.0 / 3) * 6}
                        : (roof_knot){ROOF_MIX_COPY, (written - 0.5) * 2};
}

static inline roof_mix roof_mix_of(double written, double in_place) {
  roof_knot all = roof_knot_of(written);
  double others = 1 - in_place;
  roof_knot apart = in_place > 0 ? roof_knot_of((written - in_place) / others) : all;
  return (roof_mix){all, apart, others, 2 * in_place};
}

static inline double roof_knot_cost(const double costs[ROOF_MIX_COUNT], roof_knot knot) {
  return costs[knot.index] + knot.part * (costs[knot.index + 1] - costs[knot.index]);
}

/** s a byte. The updates hide behind the rest or the rest behind them, but nothing beats the fastest pattern.
 */
static inline double roof_mix_cost(const double costs[ROOF_MIX_COUNT], roof_mix mix) {
  double updates = mix.updates_share * costs[ROOF_MIX_UPDATE];
  if (mix.updates_share == 0 || isnan(updates)) {
    return roof_knot_cost(costs, mix.all);
  }
  double others = mix.others_share * roof_knot_cost(costs, mix.others);
  return fmax(fmax(updates, others), roof_costs_least(costs));
}

#endif
