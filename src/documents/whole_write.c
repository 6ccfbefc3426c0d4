/* A claim about a whole model, its energy and its levers, written as roofline.model_claim/1, model_energy/1 and
 * model_levers/1. */
#include <math.h>

#include "documents/json.h"
#include "roofline/documents.h"

static json_t *head(const char *schema, const roof_model_target *t) {
  const roof_model_settings *s = &t->settings;
  const rf_json_member members[] = {{"devices", t->devices},
                                    {"batch", s->batch},
                                    {"prompt", s->prompt},
                                    {"generate", s->generate},
                                    {"prefix", roof_model_prefix(s)},
                                    {"draft", s->draft},
                                    {"accept", s->draft > 0 ? s->accept : NAN}};
  json_t *object = json_pack("{s:s, s:s, s:s, s:b}", "schema", schema, "name", t->model->name, "machine",
                             t->machine->name, "train", (int)s->train);
  RF_JSON_SET(object, members);
  return object;
}

roof_status roof_model_claim_write(const roof_model_target *target, const roof_model_claim *claim,
                                   const roof_model_judged *judged, roof_text *out, roof_error *error) {
  json_t *object = head("roofline.model_claim/1", target);
  const rf_json_member figures[] = {{"claimed", claim->value},
                                    {"limit", judged->limit},
                                    {"expected", judged->expected},
                                    {"fraction", judged->placed.share}};
  rf_json_set(object, "quantity", json_string(judged->name));
  rf_json_set(object, "unit", json_string(judged->unit));
  rf_json_set(object, "phase", json_string(judged->phase));
  RF_JSON_SET(object, figures);
  bool train = target->settings.train;
  rf_json_set(object, "microbatches", rf_json_number(train ? roof_model_microbatches(target) : (double)NAN));
  rf_json_set(object, "recompute",
              train ? json_string(roof_recompute_name(target->settings.recompute)) : json_null());
  rf_json_set(object, "sp", json_boolean(target->settings.sp));
  rf_json_set(object, "fits", json_boolean(judged->fits));
  rf_json_set(object, "possible", json_boolean(judged->possible));
  rf_json_set(object, "verdict", json_string(judged->placed.verdict->name));
  rf_json_set(object, "because", json_string(judged->because));
  return rf_json_write(object, "claim", out, error);
}

roof_status roof_model_energy_write(const roof_model_target *target, const roof_model_answer *answer,
                                    roof_text *out, roof_error *error) {
  roof_model_joules rows[ROOF_PHASE_COUNT];
  size_t count = roof_model_joules_of(target, answer, rows);
  json_t *object = head("roofline.model_energy/1", target), *phases = json_array();
  for (size_t i = 0; i < count; i++) {
    const roof_model_joules *r = &rows[i];
    const rf_json_member figures[] = {{"seconds", r->seconds},
                                      {"joules", r->joules},
                                      {"watts", r->watts},
                                      {"tokens", r->tokens},
                                      {"joules_per_token", r->joules_per_token},
                                      {"flops_per_joule", r->flops_per_joule}};
    json_t *phase = json_pack("{s:s, s:s}", "phase", r->phase, "regime", roof_regime_name(r->regime));
    RF_JSON_SET(phase, figures);
    rf_json_append(phases, phase);
  }
  rf_json_set(object, "joules_per_token", rf_json_number(answer->joules_per_token));
  rf_json_set(object, "power_only", json_boolean(target->plain.costs.power_only));
  rf_json_set(object, "phases", phases);
  return rf_json_write(object, "energy", out, error);
}

roof_status roof_model_levers_write(const roof_model_target *target, const roof_model_lever *levers,
                                    int count, roof_text *out, roof_error *error) {
  json_t *object = head("roofline.model_levers/1", target), *array = json_array();
  for (const roof_model_lever *l = levers; l < levers + count; l++) {
    const rf_json_member figures[] = {
        {"rate_gain", l->rate_gain},       {"ttft_gain", l->ttft_gain},
        {"tpot_gain", l->tpot_gain},       {"ttft_seconds", l->ttft_seconds},
        {"tpot_seconds", l->tpot_seconds}, {"device_tokens_per_second", l->device_tokens_per_second},
        {"total_bytes", l->total_bytes}};
    json_t *lever = json_pack("{s:s, s:s, s:b, s:b}", "lever", l->name, "change", l->change, "helps",
                              (int)l->helps, "fits", (int)l->fits);
    RF_JSON_SET(lever, figures);
    rf_json_append(array, lever);
  }
  rf_json_set(object, "levers", array);
  return rf_json_write(object, "levers", out, error);
}
