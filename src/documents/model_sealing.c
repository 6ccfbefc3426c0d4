/* The phases of a whole model as predictions to seal. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "roofline/documents.h"
#include "roofline/formats.h"

/** The settings behind the name of a phase or figure, and the label that both make. */
static void describe(const roof_model_target *t, const char *what, roof_sealing *s) {
  const roof_model_settings *set = &t->settings;
  int n = snprintf(s->parameters, sizeof s->parameters, "phase=%s batch=%.0f prompt=%.0f", what, set->batch,
                   set->prompt);
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
  char words[ROOF_TYPED_MAX];
  roof_options_words(&set->options, words, sizeof words);
  snprintf(s->typed, sizeof s->typed, "%s", words + strspn(words, " "));
}

static void fill(const roof_model_target *t, const roof_model_phase *p, roof_sealing *s) {
  snprintf(s->regime, sizeof s->regime, "%s", roof_regime_name(roof_model_phase_regime(p)));
  roof_model_phase_binding(t, p, s->binding, sizeof s->binding);
  s->origin = ROOF_SEALING_PREDICTED;
  s->flops = p->flops;
  s->bytes = p->memory_bytes;
  s->compute_seconds = p->compute_seconds;
  s->memory_seconds = p->memory_seconds;
  s->overhead_seconds = p->overhead_seconds;
  s->overhead_assumed = isnan(t->settings.kernel_seconds) && t->kernel.kind == ROOF_ASSUMED;
  s->network_seconds = p->network_seconds;
  s->lower_seconds = p->lower_seconds;
  s->upper_seconds = p->upper_seconds;
  s->expected_seconds = p->expected_seconds;
  s->expected_low_seconds = p->expected_low_seconds;
  s->expected_high_seconds = p->expected_high_seconds;
}

/** " weights=fp8": formats that are not the model's own, as a label and roof_served have them. */
static void add_formats(const roof_model_target *t, roof_sealing *s) {
  const roof_model_precision *own = &t->model->precision, *p = &t->settings.precision;
  char list[96] = "", name[48];
  size_t used = 0;
  for (int i = 0; i < ROOF_PART_COUNT; i++) {
    roof_model_precision one = *own;
    one.weights[i] = p->weights[i];
    if (t->parameters.parts[i] > 0 && memcmp(&one, own, sizeof one) != 0 && used < sizeof list) {
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s=%s", used > 0 ? "," : "",
                               roof_model_part_name((roof_model_part)i),
                               roof_weight_format_name(&p->weights[i], name, sizeof name));
    }
  }
  const struct {
    const char *name, *value;
  } formats[] = {{"weights", list},
                 {"dtype", p->activations != own->activations ? roof_dtype_name(p->activations) : ""},
                 {"kv", p->kv != own->kv ? roof_dtype_name(p->kv) : ""}};
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    size_t n = strlen(s->parameters);
    if (formats[i].value[0] != '\0') {
      snprintf(s->parameters + n, sizeof s->parameters - n, " %s=%.90s", formats[i].name, formats[i].value);
    }
  }
  snprintf(s->label, sizeof s->label, "%.40s %.86s", t->model->name, s->parameters + sizeof "phase=" - 1);
}

roof_status roof_model_sealings(const roof_model_target *target, const roof_model_answer *answer,
                                roof_sealings *all, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < ROOF_PHASE_COUNT && status == ROOF_OK; i++) {
    const roof_model_phase *p = &answer->phases[i];
    if (p->present && p->kind != ROOF_PHASE_MIXED) {
      roof_sealing s;
      roof_sealing_init(&s);
      describe(target, roof_phase_name(p->kind), &s);
      add_formats(target, &s);
      fill(target, p, &s);
      status = roof_sealings_add(all, &s, error);
    }
  }
  return status;
}

roof_status roof_model_served_sealings(const roof_model_target *target, const roof_model_answer *a,
                                       roof_sealings *all, roof_error *error) {
  const struct {
    const char *name;
    const roof_model_phase *phase;
    double lower, expected, low, high;
  } figures[] = {
      {"TTFT", &a->phases[ROOF_PHASE_PREFILL], a->continuous_least.ttft_seconds, a->continuous.ttft_seconds,
       a->continuous_low.ttft_seconds, a->continuous_high.ttft_seconds},
      {"TPOT", roof_model_step(a), a->continuous_least.tpot_seconds - a->continuous_least.wait_seconds,
       a->continuous.tpot_seconds, a->continuous_low.tpot_seconds, a->continuous_high.tpot_seconds}};
  roof_status status =
      roof_model_generates(target)
          ? ROOF_OK
          : roof_error_set(error, ROOF_E_ARGUMENT,
                           "--seal: no token follows the first; `roofline seal` seals the phases");
  for (size_t i = 0; i < sizeof figures / sizeof figures[0] && status == ROOF_OK; i++) {
    roof_sealing s;
    roof_sealing_init(&s);
    describe(target, figures[i].name, &s);
    add_formats(target, &s);
    fill(target, figures[i].phase, &s);
    s.flops = s.bytes = s.compute_seconds = s.memory_seconds = s.overhead_seconds = s.network_seconds = NAN;
    s.lower_seconds = figures[i].lower;
    s.upper_seconds = NAN;
    s.expected_seconds = figures[i].expected;
    s.expected_low_seconds = figures[i].low;
    s.expected_high_seconds = figures[i].high;
    status = roof_sealings_add(all, &s, error);
  }
  return status;
}
