/* The phases of a whole model as predictions to seal. */
#include <math.h>
#include <stdio.h>

#include "roofline/documents.h"

static void describe(const roof_model_target *t, const roof_model_phase *p, roof_sealing *s) {
  const roof_model_settings *set = &t->settings;
  int n = snprintf(s->parameters, sizeof s->parameters, "phase=%s batch=%.0f prompt=%.0f",
                   roof_phase_name(p->kind), set->batch, set->prompt);
  const struct {
    const char *name;
    double value, plain;
  } more[] = {{"generate", roof_model_generates(t) ? set->generate : 0, 0},
              {"prefix", roof_model_prefix(set), 0},
              {"tp", set->tp, 1},
              {"pp", set->pp, 1},
              {"dp", set->dp, 1},
              {"ep", set->ep, 1},
              {"cp", set->cp, 1}};
  for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
    if (more[i].value != more[i].plain) {
      n += snprintf(s->parameters + n, sizeof s->parameters - (size_t)n, " %s=%.0f", more[i].name,
                    more[i].value);
    }
  }
  snprintf(s->label, sizeof s->label, "%.40s %.80s", t->model->name, s->parameters + sizeof "phase=" - 1);
  snprintf(s->machine, sizeof s->machine, "%s", t->machine->name);
  snprintf(s->op, sizeof s->op, "%.47s", t->model->name);
  snprintf(s->dtype, sizeof s->dtype, "%s", roof_dtype_name(set->precision.activations));
}

static void fill(const roof_model_target *t, const roof_model_phase *p, roof_sealing *s) {
  roof_regime regime = roof_model_phase_regime(p);
  bool memory = regime == ROOF_MEMORY_BOUND && t->plain.level[t->plain.memory] != NULL;
  snprintf(s->regime, sizeof s->regime, "%s", roof_regime_name(regime));
  snprintf(s->binding, sizeof s->binding, "%s",
           memory                         ? t->plain.level[t->plain.memory]->name
           : regime == ROOF_NETWORK_BOUND ? t->links[roof_model_phase_span(p)].name
                                          : roof_regime_name(regime));
  s->flops = p->flops;
  s->bytes = p->memory_bytes;
  s->compute_seconds = p->compute_seconds;
  s->memory_seconds = p->memory_seconds;
  s->overhead_seconds = p->overhead_seconds;
  s->network_seconds = p->network_seconds;
  s->lower_seconds = p->lower_seconds;
  s->upper_seconds = p->upper_seconds;
  s->expected_seconds = p->expected_seconds;
  s->expected_low_seconds = p->expected_low_seconds;
  s->expected_high_seconds = p->expected_high_seconds;
}

roof_status roof_model_sealings(const roof_model_target *target, const roof_model_answer *answer,
                                roof_sealings *all, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < ROOF_PHASE_COUNT && status == ROOF_OK; i++) {
    const roof_model_phase *p = &answer->phases[i];
    if (p->present && p->kind != ROOF_PHASE_MIXED) {
      roof_sealing s;
      roof_sealing_init(&s);
      describe(target, p, &s);
      fill(target, p, &s);
      status = roof_sealings_add(all, &s, error);
    }
  }
  return status;
}
