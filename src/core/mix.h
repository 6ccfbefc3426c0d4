/** What a level's time for a byte depends on: reads, writes, and writes to where was read. */
#ifndef CORE_MIX_H
#define CORE_MIX_H

#include <math.h>

#include "roofline/predict.h"

/** Interpolation point for a share of writes: `part` of the way from pattern `index` to `index + 1`, in-place
 * updates left out. */
typedef struct rf_mix_point {
  int index;
  double part;
} rf_mix_point;

/** The bytes of some work, as shares of all of them. */
typedef struct rf_mix {
  rf_mix_point all;    /**< as if nothing were updated in place */
  rf_mix_point others; /**< all reads and the writes elsewhere */
  double others_share;
  double updates_share; /**< read and written */
} rf_mix;

static inline rf_mix_point rf_mix_point_of(double written) {
  if (written <= 1.0 / 3) {
    return (rf_mix_point){ROOF_MIX_READ, written * 3};
  }
  return written <= 0.5 ? (rf_mix_point){ROOF_MIX_TRIAD, (written - 1.0 / 3) * 6}
                        : (rf_mix_point){ROOF_MIX_COPY, (written - 0.5) * 2};
}

static inline rf_mix rf_mix_of(double written, double in_place) {
  rf_mix_point all = rf_mix_point_of(written);
  double others = 1 - in_place;
  rf_mix_point apart = in_place > 0 ? rf_mix_point_of((written - in_place) / others) : all;
  return (rf_mix){all, apart, others, 2 * in_place};
}

static inline double rf_mix_point_cost(const double costs[ROOF_MIX_COUNT], rf_mix_point point) {
  return costs[point.index] + point.part * (costs[point.index + 1] - costs[point.index]);
}

/** Of some work that moves `bytes`. */
static inline rf_mix rf_mix_of_work(const roof_work *work, double bytes) {
  double in_place = work->update_bytes > 0 ? work->update_bytes / bytes : 0;
  return rf_mix_of(bytes > 0 ? work->write_bytes / bytes : 0, bytes > 0 ? in_place : 0);
}

/** s per byte. The updates hide behind the rest or the rest behind them, but nothing beats the fastest
 *  pattern. */
static inline double rf_mix_cost(const double costs[ROOF_MIX_COUNT], rf_mix mix) {
  double updates = costs[ROOF_MIX_UPDATE];
  if (mix.updates_share == 0 || isnan(updates)) {
    return rf_mix_point_cost(costs, mix.all);
  }
  updates *= mix.updates_share;
  double others = mix.others_share * rf_mix_point_cost(costs, mix.others);
  return fmax(fmax(updates, others), roof_costs_least(costs));
}

/** B/s of the target's memory where reads and writes are mixed as in what was predicted. */
static inline double rf_mix_rate(const roof_target *target, const roof_prediction *p) {
  return 1 / rf_mix_cost(target->seconds_per_byte[target->memory], rf_mix_of_work(&p->work, p->bytes));
}

#endif
