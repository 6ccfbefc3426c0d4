#include "roofline/crossing.h"

#include <math.h>
#include <stdio.h>

#include "core/number.h"
#include "roofline/units.h"

static const double farthest = 1e15;

/** The level that gives the memory time, or NULL. */
static const roof_level_time *binding_level(const roof_prediction *p) {
  for (int i = 0; i < p->level_count; i++) {
    if (p->levels[i].level == p->binding) {
      return &p->levels[i];
    }
  }
  return NULL;
}

/** The first whole number not under `value`, forgiving the last digits of the search. */
static double whole(double value) {
  return fabs(value - round(value)) <= 1e-12 * value ? round(value) : ceil(value);
}

static roof_regime side(const roof_prediction *p) {
  return p->compute_seconds >= p->memory_seconds ? ROOF_COMPUTE_BOUND : ROOF_MEMORY_BOUND;
}

static void explain_never(const roof_op *op, const roof_prediction *first, const roof_prediction *last,
                          roof_crossing *out) {
  const char *name = op->params[out->param].name;
  bool compute = out->from == ROOF_COMPUTE_BOUND;
  const roof_prediction *p = compute == (first->intensity < last->intensity) ? first : last;
  const roof_level_time *level = binding_level(p);
  if (last->work.flops <= 0) {
    snprintf(out->why, sizeof out->why, "never: it has no FLOP");
  } else if (last->peak == NULL) {
    snprintf(out->why, sizeof out->why, "unknown: the machine has no known peak for it");
  } else if (level == NULL || isnan(level->intensity)) {
    snprintf(out->why, sizeof out->why, "never: it moves no bytes");
  } else if (compute) {
    rf_format(out->why, sizeof out->why,
              "compute-bound at every %s: intensity is at least %.6g FLOP/B, over the ridge of %.4g FLOP/B",
              name, level->intensity, level->ridge);
  } else {
    rf_format(out->why, sizeof out->why,
              "never: intensity saturates at %.6g FLOP/B as %s grows, under the ridge of %.4g FLOP/B",
              level->intensity, name, level->ridge);
  }
}

void roof_crossing_critical(const roof_target *target, const roof_op *op, const double *typed, int param,
                            roof_crossing *out) {
  roof_prediction first, last;
  roof_predict_at(target, op, typed, param, 1, &first);
  roof_predict_at(target, op, typed, param, farthest, &last);
  *out = (roof_crossing){.param = param, .from = side(&first), .to = side(&last), .there = side(&last)};
  out->value = roof_predict_crossing(target, op, typed, param);
  out->at = whole(out->value);
  if (isnan(out->value)) {
    explain_never(op, &first, &last, out);
    return;
  }
  roof_prediction p;
  roof_predict_at(target, op, typed, param, out->at, &p);
  const roof_level_time *level = binding_level(&p);
  out->there = p.regime;
  bool hidden = out->there != out->to;
  rf_format(out->why, sizeof out->why, "there intensity passes the ridge of %.4g FLOP/B%s%s%s",
            level != NULL ? level->ridge : NAN, hidden ? ", but it is still " : "",
            hidden ? roof_regime_name(p.regime) : "", hidden ? "-bound" : "");
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

void roof_crossing_between(const roof_target *target, const roof_op *op, const double *typed, int param,
                           double low, double high, roof_crossing *out) {
  roof_prediction p;
  roof_predict_at(target, op, typed, param, low, &p);
  roof_regime from = p.regime;
  for (int i = 0; i < 200 && nextafter(low, high) < high; i++) {
    double middle = low + (high - low) / 2;
    roof_predict_at(target, op, typed, param, middle, &p);
    *(p.regime == from ? &low : &high) = middle;
  }
  roof_predict_at(target, op, typed, param, high, &p);
  *out = (roof_crossing){
      .param = param, .value = high, .at = whole(high), .from = from, .to = p.regime, .there = p.regime};
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
