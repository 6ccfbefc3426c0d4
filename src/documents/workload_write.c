/* A workload's answer written as roofline.workload/1. */
#include <math.h>

#include "documents/json.h"

json_t *rf_workload_item_json(const roof_workload *w, const roof_workload_answer *a, size_t index) {
  const roof_workload_item *item = &w->items[index];
  const roof_prediction *p = &a->items[index];
  char binding[ROOF_NAME_MAX];
  const rf_json_member figures[] = {{"flops", item->work.flops},          {"bytes", p->bytes},
                                    {"weight_bytes", item->weight_bytes}, {"kernels", item->work.launches},
                                    {"intensity", p->intensity},          {"ridge", p->ridge}};
  json_t *object = json_pack("{s:s, s:s, s:s, s:o, s:s, s:s}", "name", item->name, "op", item->op, "size",
                             item->shape, "count", rf_json_number(item->count), "dtype",
                             roof_dtype_name(item->types.compute), "unit", roof_unit_name(item->work.unit));
  RF_JSON_SET(object, figures);
  rf_json_set(object, "regime", json_string(roof_regime_name(p->regime)));
  rf_json_set(object, "binding", json_string(roof_prediction_binding(p, binding, sizeof binding)));
  rf_json_set(object, "seconds", RF_JSON_SECONDS(p));
  rf_json_set(object, "share", rf_json_number(item->count * p->expected_seconds / a->expected_seconds));
  return object;
}

static json_t *regimes(const roof_workload_answer *a) {
  json_t *object = json_object();
  for (int i = 0; i < ROOF_REGIME_COUNT; i++) {
    const roof_workload_share *r = &a->regimes[i];
    const rf_json_member members[] = {
        {"operations", r->items}, {"seconds", r->seconds}, {"share", r->seconds / a->expected_seconds}};
    json_t *regime = json_object();
    RF_JSON_SET(regime, members);
    rf_json_set(object, roof_regime_name((roof_regime)i), regime);
  }
  return object;
}

static json_t *memory(const roof_workload *w, const roof_workload_answer *a) {
  double total = w->weight_bytes + w->activation_bytes, capacity = a->capacity_bytes;
  const rf_json_member members[] = {{"weights_bytes", w->weight_bytes},
                                    {"activation_bytes", w->activation_bytes},
                                    {"total_bytes", total},
                                    {"capacity_bytes", capacity}};
  json_t *object = json_object();
  RF_JSON_SET(object, members);
  rf_json_set(object, "fits", isnan(total + capacity) ? json_null() : json_boolean(total <= capacity));
  return object;
}

static json_t *operations(const roof_workload *w, const roof_workload_answer *a) {
  json_t *items = json_array();
  for (size_t i = 0; i < w->count; i++) {
    rf_json_append(items, rf_workload_item_json(w, a, i));
  }
  return items;
}

json_t *rf_workload_json(const roof_workload *w, const roof_machine *machine, const roof_workload_settings *s,
                         const roof_workload_answer *a) {
  const rf_json_member numbers[] = {{"batch", w->batch},
                                    {"inputs_per_second", w->batch / a->expected_seconds},
                                    {"parameters", w->parameters},
                                    {"calls", a->calls},
                                    {"kernels", a->kernels},
                                    {"flops", a->flops},
                                    {"multiply_adds", a->matrix_flops / 2},
                                    {"bytes", a->bytes},
                                    {"weight_bytes", a->weight_bytes},
                                    {"mfu", a->mfu},
                                    {"mbu", a->mbu},
                                    {"energy_joules", a->energy_joules}};
  json_t *object =
      json_pack("{s:s, s:s, s:s, s:s, s:s}", "schema", "roofline.workload/1", "name", w->name, "format",
                w->format, "machine", machine->name, "regime", roof_regime_name(a->regime));
  RF_JSON_SET(object, numbers);
  rf_json_set(object, "launch",
              json_pack("{s:s, s:o, s:s}", "mode", roof_launch_name(s->launch), "kernel_seconds",
                        rf_json_number(a->kernel.seconds), "kernel_source", a->kernel.source));
  rf_json_set(object, "seconds", RF_JSON_SECONDS(a));
  rf_json_set(object, "regimes", regimes(a));
  rf_json_set(object, "memory", memory(w, a));
  rf_json_set(object, "operations", operations(w, a));
  rf_json_set(object, "notes", rf_json_texts(w->notes[0], sizeof w->notes[0], w->note_count));
  return object;
}

roof_status roof_workload_write(const roof_workload *workload, const roof_machine *machine,
                                const roof_workload_settings *settings, const roof_workload_answer *answer,
                                roof_text *out, roof_error *error) {
  return rf_json_write(rf_workload_json(workload, machine, settings, answer), "workload", out, error);
}
