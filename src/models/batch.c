/* How many sequences at once: where more of them no longer pay, and where memory ends. */
#include <math.h>
#include <stdlib.h>

#include "roofline/model.h"

static const double most = 1e9;

typedef struct search {
  roof_model_target target;
  roof_model_phase phase;
} search;

/** Seconds of the repeated step per token of a sequence. */
static double token_seconds(search *s, double batch) {
  const roof_model_settings *set = &s->target.settings;
  s->target.settings.batch = batch;
  double prompt = roof_model_own_prompt(&s->target);
  roof_model_phase_of(&s->target, set->draft > 0 ? ROOF_PHASE_VERIFY : ROOF_PHASE_DECODE, prompt,
                      prompt + fmax(0, set->generate - 2), &s->phase);
  return s->phase.expected_seconds * s->phase.sequences / s->phase.yield;
}

static bool is_past_knee(search *s, double batch, double once) {
  return token_seconds(s, batch) >= 2 * once;
}

static bool is_too_much(search *s, double batch, double unused) {
  (void)unused;
  s->target.settings.batch = batch;
  return !roof_model_capacity_of(&s->target).fits;
}

/** The least multiple of `unit` for which `is` holds, as it does for all larger ones; NaN: none. */
static double first_of(search *s, bool (*is)(search *, double, double), double argument, double unit) {
  double below = 0, at = 1;
  while (at * unit <= most && !is(s, at * unit, argument)) {
    below = at, at *= 2;
  }
  if (at * unit > most) {
    return NAN;
  }
  while (at - below > 1) {
    double middle = floor((below + at) / 2);
    *(is(s, middle * unit, argument) ? &at : &below) = middle;
  }
  return at * unit;
}

roof_model_batches roof_model_batches_of(const roof_model_target *target) {
  roof_model_batches found = {NAN, NAN};
  double replicas = target->settings.dp;
  search *s = roof_model_generates(target) ? malloc(sizeof *s) : NULL;
  if (s == NULL) {
    return found;
  }
  s->target = *target;
  found.knee = first_of(s, is_past_knee, token_seconds(s, replicas), replicas);
  if (!isnan(roof_model_capacity_of(target).capacity_bytes)) {
    found.largest = first_of(s, is_too_much, 0, replicas) - replicas;
  }
  free(s);
  return found;
}
