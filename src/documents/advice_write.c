/* What advise answers: roofline.advice/1, roofline.what_if/1 and roofline.mix/1. */
#include <math.h>

#include "documents/json.h"

enum { SENTENCE = 512 };

static json_t *measured_json(const roof_advice *a) {
  char sentence[SENTENCE];
  if (isnan(a->measured_seconds)) {
    return json_null();
  }
  json_t *actions = json_array(), *causes = json_array();
  const roof_actions *group = roof_actions_for(&a->evidence);
  const roof_decision *next = roof_decision_of(&a->evidence);
  for (int i = 0; i < 3; i++) {
    rf_json_append(actions, json_string(group->actions[i]));
  }
  for (size_t i = 0; i < a->cause_count; i++) {
    rf_json_append(causes, rf_cause_json(&a->causes[i]));
  }
  return json_pack("{s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:s?, s:o, s:b, s:s?}", "seconds",
                   rf_json_number(a->measured_seconds), "fraction_of_achieved",
                   rf_json_number(a->achieved_share), "fraction_of_ceiling", rf_json_number(a->placed.share),
                   "verdict", a->placed.verdict->name, "because",
                   roof_causes_sentence(&a->evidence, a->causes, a->cause_count, sentence, sizeof sentence),
                   "class", group->name, "actions", actions, "waits_on", roof_evidence_waiting(&a->evidence),
                   "causes", causes, "stop", (int)a->done, "next_step", next != NULL ? next->step : NULL);
}

static json_t *text_or_null(const char *text) {
  return text[0] != '\0' ? json_string(text) : json_null();
}

static json_t *lever_json(const roof_lever *l) {
  return json_pack("{s:s, s:o, s:o, s:b, s:o, s:o, s:o, s:s, s:o}", "lever", roof_lever_name(l->kind),
                   "change", text_or_null(l->change), "gain", rf_json_number(l->gain), "helps",
                   (int)roof_lever_helps(l), "seconds", rf_json_number(l->seconds), "moved",
                   text_or_null(l->moved), "why", text_or_null(l->why), "regime", roof_regime_name(l->regime),
                   "flips_at", rf_json_number(l->flips_at));
}

static json_t *machine_json(const roof_ranked_machine *m) {
  return json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:o}", "name", m->name, "seconds",
                   rf_json_number(m->seconds), "gain", rf_json_number(m->gain), "regime",
                   roof_regime_name(m->regime), "watts", rf_json_number(m->watts), "joules",
                   rf_json_number(m->joules), "energy_rank",
                   m->energy_rank < 0 ? json_null() : json_integer(m->energy_rank));
}

roof_status roof_advice_write(const roof_target *target, const roof_op *op, const double *values,
                              const roof_advice *advice, const roof_ranked_machine *machines, int count,
                              roof_text *out, roof_error *error) {
  json_t *levers = json_array(), *ranked = json_array();
  for (size_t i = 0; i < advice->lever_count; i++) {
    rf_json_append(levers, lever_json(&advice->levers[i]));
  }
  for (int i = 0; i < count; i++) {
    rf_json_append(ranked, machine_json(&machines[i]));
  }
  return rf_json_write(json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "schema", "roofline.advice/1", "side",
                                 roof_regime_name(advice->now.regime), "prediction",
                                 rf_prediction_json(target, op, values, &advice->now), "measured",
                                 measured_json(advice), "levers", levers, "machines", ranked),
                       "advise", out, error);
}

roof_status roof_what_if_write(const roof_what_if *what_if, const char *const *sets, roof_text *out,
                               roof_error *error) {
  const roof_what_if *x = what_if;
  json_t *list = json_array(), *calls[2];
  for (int i = 0; sets[i] != NULL; i++) {
    rf_json_append(list, json_string(sets[i]));
  }
  for (int i = 0; i < 2; i++) {
    calls[i] = rf_prediction_json(&x->targets[i], x->op, x->values[i], &x->predictions[i]);
  }
  return rf_json_write(json_pack("{s:s, s:o, s:o, s:o, s:o, s:s}", "schema", "roofline.what_if/1", "set",
                                 list, "before", calls[0], "after", calls[1], "gain", rf_json_number(x->gain),
                                 "moved", x->moved),
                       "advise", out, error);
}

roof_status roof_time_mix_write(const roof_time_mix *mix, const roof_target *from, const roof_target *to,
                                roof_text *out, roof_error *error) {
  json_t *parts = json_array();
  for (int i = 0; i < mix->count; i++) {
    const roof_time_share *p = &mix->parts[i];
    rf_json_append(parts,
                   json_pack("{s:s, s:s, s:o, s:o}", "name", p->name, "regime", roof_regime_name(p->regime),
                             "share", rf_json_number(p->share), "gain", rf_json_number(p->gain)));
  }
  return rf_json_write(json_pack("{s:s, s:s, s:s, s:o, s:o}", "schema", "roofline.mix/1", "machine",
                                 from->machine->name, "against", to->machine->name, "gain",
                                 rf_json_number(mix->gain), "parts", parts),
                       "advise", out, error);
}
