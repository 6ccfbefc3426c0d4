/* One call before and after a change. */
#include "roofline/advise.h"

static void speed_up(roof_target *t, const roof_change *c) {
  for (int unit = 0; unit < ROOF_UNIT_COUNT; unit++) {
    t->seconds_per_flop[unit] /= c->peak;
  }
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT * ROOF_MIX_COUNT; i++) {
    t->seconds_per_byte[i / ROOF_MIX_COUNT][i % ROOF_MIX_COUNT] /= c->bandwidth;
  }
}

static void slow_down(roof_prediction *p, double seconds) {
  double *times[] = {&p->overhead_seconds, &p->lower_seconds,        &p->upper_seconds,
                     &p->expected_seconds, &p->expected_low_seconds, &p->expected_high_seconds};
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    *times[i] += seconds;
  }
}

roof_status roof_what_if_of(const roof_target *before, const double *values_before, const roof_target *after,
                            const double *values_after, const roof_op *op, const roof_change *change,
                            roof_what_if *out, roof_error *error) {
  roof_what_if x = {.targets = {*before, *after}};
  const double *values[] = {values_before, values_after};
  speed_up(&x.targets[1], change);
  for (int i = 0; i < 2; i++) {
    roof_prediction *p = &x.predictions[i];
    roof_predict(&x.targets[i], op, values[i], p);
    roof_status status =
        p->work.flops > 0 ? roof_target_supports(&x.targets[i], p->work.unit, error) : ROOF_OK;
    if (status != ROOF_OK) {
      return status;
    }
  }
  const roof_prediction *old = &x.predictions[0], *new = &x.predictions[1];
  slow_down(&x.predictions[1], change->seconds);
  double more = old->work.flops > 0 ? new->work.flops / old->work.flops : 1;
  x.gain = more * old->expected_seconds / new->expected_seconds;
  roof_levers_moved(&x.targets[0], old, &x.targets[1], new, x.moved, sizeof x.moved);
  *out = x;
  return ROOF_OK;
}
