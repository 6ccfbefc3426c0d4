#include "roofline/crossing.h"

#include <math.h>
#include <stdio.h>

#include "core/crossing.h"
#include "core/number.h"
#include "roofline/units.h"

/** The level that gives the memory time, or NULL. */
static const roof_level_time *binding_level(const roof_prediction *p) {
  for (int i = 0; i < p->level_count; i++) {
    if (p->levels[i].level == p->binding) {
      return &p->levels[i];
    }
  }
  return NULL;
}

static roof_regime side(const roof_prediction *p) {
  return p->compute_seconds >= p->memory_seconds ? ROOF_COMPUTE_BOUND : ROOF_MEMORY_BOUND;
}

/** The first whole number not under `value`, forgiving the last digits of the search. */
static double whole(double value) {
  return fabs(value - round(value)) <= 1e-12 * value ? round(value) : ceil(value);
}

static void explain_never(const roof_op *op, const roof_prediction *last, const roof_prediction *nearest,
                          double value, roof_crossing *out) {
  const char *name = op->params[out->param].name;
  const roof_level_time *level = binding_level(nearest), *end = binding_level(last);
  if (last->work.flops <= 0) {
    snprintf(out->why, sizeof out->why, "never: it has no FLOP");
  } else if (last->peak == NULL) {
    snprintf(out->why, sizeof out->why, "unknown: the machine has no known peak for it");
  } else if (level == NULL || isnan(level->intensity)) {
    snprintf(out->why, sizeof out->why, "never: it moves no bytes");
  } else if (out->from == ROOF_COMPUTE_BOUND) {
    rf_format(out->why, sizeof out->why,
              "compute-bound at every %s: intensity is at least %.6g FLOP/B, over the ridge of %.4g FLOP/B",
              name, level->intensity, level->ridge);
  } else if (end != NULL && end->intensity > level->intensity * (1 - 1e-6)) {
    rf_format(out->why, sizeof out->why,
              "never: intensity saturates at %.6g FLOP/B as %s grows, under the ridge of %.4g FLOP/B",
              end->intensity, name, end->ridge);
  } else {
    rf_format(out->why, sizeof out->why,
              "never: intensity is at most %.6g FLOP/B, at %s=%.0f, under the ridge of %.4g FLOP/B",
              level->intensity, name, round(value), level->ridge);
  }
}
/** Fills in the first change of sides over `start`; false: there is none. */
static bool cross(const roof_target *target, const roof_op *op, const double *typed, double start,
                  roof_crossing *out, double *nearest) {
  rf_crossing found = rf_crossing_after(target, op, typed, out->param, start);
  roof_prediction p;
  *nearest = found.nearest;
  if (isnan(found.value)) {
    return false;
  }
  roof_predict_at(target, op, typed, out->param, whole(found.value), &p);
  bool early = side(&p) == out->from;
  if (early) {
    roof_predict_at(target, op, typed, out->param, whole(found.value) + 1, &p);
  }
  const roof_level_time *level = binding_level(&p);
  bool compute = out->from == ROOF_MEMORY_BOUND;
  out->value = found.value;
  out->at = whole(found.value) + early;
  out->to = compute ? ROOF_COMPUTE_BOUND : ROOF_MEMORY_BOUND;
  out->there = p.regime;
  bool hidden = out->there != out->to;
  rf_format(out->why, sizeof out->why, "there intensity %s the ridge of %.4g FLOP/B%s%s%s",
            compute ? "passes" : "falls under", level != NULL ? level->ridge : NAN,
            hidden ? ", but it is still " : "", hidden ? roof_regime_name(p.regime) : "",
            hidden ? "-bound" : "");
  return true;
}

void roof_crossing_critical(const roof_target *target, const roof_op *op, const double *typed, int param,
                            roof_crossing *out) {
  roof_prediction first, last, at;
  double nearest;
  roof_predict_at(target, op, typed, param, 1, &first);
  *out = (roof_crossing){.param = param, .value = NAN, .at = NAN, .from = side(&first)};
  out->to = out->there = out->from;
  if (!cross(target, op, typed, 1, out, &nearest)) {
    roof_predict_at(target, op, typed, param, RF_CROSSING_FARTHEST, &last);
    roof_predict_at(target, op, typed, param, nearest, &at);
    explain_never(op, &last, &at, nearest, out);
  }
}

bool roof_crossing_next(const roof_target *target, const roof_op *op, const double *typed,
                        roof_crossing *crossing) {
  double nearest;
  roof_crossing next = *crossing;
  next.from = crossing->to;
  if (isnan(crossing->value) || !cross(target, op, typed, crossing->value, &next, &nearest)) {
    return false;
  }
  *crossing = next;
  return true;
}

static void explain_change(const roof_target *target, const roof_prediction *p, roof_crossing *out) {
  char text[32];
  if (out->from == ROOF_CAPACITY_BOUND || out->to == ROOF_CAPACITY_BOUND) {
    snprintf(out->why, sizeof out->why, "there the working set passes %s",
             roof_bytes_format(text, sizeof text, target->capacity));
  } else if (out->from == ROOF_NETWORK_BOUND || out->to == ROOF_NETWORK_BOUND) {
    snprintf(out->why, sizeof out->why, "there the network time passes the other times");
  } else {
    snprintf(out->why, sizeof out->why, "there the time passes the overhead cutoff of %s",
             roof_quantity_format(text, sizeof text, roof_prediction_cutoff(target, p), "s"));
  }
}

static roof_regime regime_at(const roof_target *target, const roof_op *op, const double *typed, int param,
                             double value) {
  roof_prediction p;
  roof_predict_at(target, op, typed, param, value, &p);
  return p.regime;
}

void roof_crossing_between(const roof_target *target, const roof_op *op, const double *typed, int param,
                           double low, double high, roof_crossing *out) {
  roof_prediction p;
  roof_regime from = regime_at(target, op, typed, param, low);
  while (fmax(floor(low) + 1, nextafter(low, high)) < high) { /* among whole numbers: those have rows */
    double middle = fmax(floor(low + (high - low) / 2), floor(low) + 1);
    *(regime_at(target, op, typed, param, middle) == from ? &low : &high) = middle;
  }
  roof_predict_at(target, op, typed, param, high, &p);
  *out = (roof_crossing){.param = param, .at = high, .from = from, .to = p.regime, .there = p.regime};
  double last = low;
  while (nextafter(low, high) < high) {
    double middle = low + (high - low) / 2;
    *(regime_at(target, op, typed, param, middle) == from ? &low : &high) = middle;
  }
  bool step = high - last <= 1e-12 * last; /* right after a whole number: at the next one */
  out->value = step ? out->at : high;
  explain_change(target, &p, out);
}

void roof_crossing_write(roof_text *out, const char *name, const roof_crossing *c) {
  if (isnan(c->value)) {
    roof_text_add(out, c->why);
    return;
  }
  if (c->there != c->to) {
    roof_text_addf(out, "%s time over %s time", roof_regime_name(c->to), roof_regime_name(c->from));
  } else {
    roof_text_addf(out, "%s-bound", roof_regime_name(c->to));
  }
  roof_text_addf(out, " from %s=%.0f", name, c->at);
  if (fabs(c->at - c->value) > 1e-12 * c->value) {
    roof_text_addf(out, c->value < 1e5 ? " (exactly %.6g)" : " (exactly %.1f)", c->value);
  }
}
