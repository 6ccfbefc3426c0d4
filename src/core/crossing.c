#include "core/crossing.h"

#include <math.h>

/** One parameter of a shape while it grows. */
typedef struct line {
  const roof_target *target;
  const roof_op *op;
  const double *values;
  int param;
  bool compute; /**< the side it starts on */
} line;

static bool is_compute(const line *l, double value) {
  roof_prediction p;
  roof_predict_at(l->target, l->op, l->values, l->param, value, &p);
  return p.compute_seconds >= p.memory_seconds;
}

/** The time of the side it starts on over the other time. */
static double lead(const line *l, double value) {
  roof_prediction p;
  roof_predict_at(l->target, l->op, l->values, l->param, value, &p);
  return l->compute ? p.compute_seconds / p.memory_seconds : p.memory_seconds / p.compute_seconds;
}

/** Whether a lead says that the sides have changed; equal times are of compute. */
static bool is_lost(const line *l, double lead) {
  return l->compute ? lead < 1 : lead <= 1;
}

/** The change between `low` and `high`, where it has happened, to the last digit. */
static rf_crossing bisect(const line *l, double low, double high) {
  for (int i = 0; i < 200 && nextafter(low, high) < high; i++) {
    double middle = high / low > 2 ? sqrt(low * high) : low + (high - low) / 2;
    *(is_lost(l, lead(l, middle)) ? &high : &low) = middle;
  }
  return (rf_crossing){high, NAN};
}

/** Where the lead is least between two values, by golden sections of their logarithm. */
static double least_lead(const line *l, double low, double high) {
  const double section = 0.618033988749895;
  for (int i = 0; i < 60; i++) {
    double left = low * pow(high / low, 1 - section), right = low * pow(high / low, section);
    bool in_left = lead(l, left) <= lead(l, right);
    low = in_left ? low : left;
    high = in_left ? right : high;
  }
  return high;
}

rf_crossing rf_crossing_after(const roof_target *target, const roof_op *op, const double *values, int param,
                              double start) {
  line l = {target, op, values, param, false};
  l.compute = is_compute(&l, start);
  double least = lead(&l, start), nearest = start;
  for (double low = start, high; low < RF_CROSSING_FARTHEST; low = high) {
    high = fmin(2 * low, RF_CROSSING_FARTHEST);
    double there = lead(&l, high);
    if (is_lost(&l, there)) {
      return bisect(&l, low, high);
    }
    nearest = there < least ? high : nearest;
    least = fmin(there, least);
  }
  if (nearest == start || nearest == RF_CROSSING_FARTHEST) {
    return (rf_crossing){NAN, nearest};
  }
  double low = nearest / 2;
  nearest = least_lead(&l, low, 2 * nearest); /* intensity turns between the values tried */
  return is_lost(&l, lead(&l, nearest)) ? bisect(&l, low, nearest) : (rf_crossing){NAN, nearest};
}

double roof_predict_crossing(const roof_target *target, const roof_op *op, const double *values, int param) {
  return rf_crossing_after(target, op, values, param, 1).value;
}
