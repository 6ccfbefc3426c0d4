/* A model's answer as roofline.model/1. */
#include "cli/model/model.h"

static json_t *seconds_of(double compute, double memory, double network, double overhead, double lower,
                          double upper, double expected, double low, double high) {
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "compute", rf_json_number(compute),
                   "memory", rf_json_number(memory), "overhead", rf_json_number(overhead), "network",
                   rf_json_number(network), "lower", rf_json_number(lower), "upper", rf_json_number(upper),
                   "expected", rf_json_number(expected), "expected_low", rf_json_number(low), "expected_high",
                   rf_json_number(high));
}

static json_t *bytes_by_class(const double *bytes) {
  json_t *object = json_object();
  for (int i = 0; i < ROOF_BYTES_CLASS_COUNT; i++) {
    json_object_set_new(object, roof_bytes_class_name((roof_bytes_class)i), rf_json_number(bytes[i]));
  }
  return object;
}

static json_t *operation(const roof_model_target *t, const roof_model_operation *o,
                         const roof_model_phase *p) {
  double memory = o->bytes[ROOF_BYTES_WEIGHTS] + o->bytes[ROOF_BYTES_ACTIVATIONS] + o->bytes[ROOF_BYTES_KV];
  json_t *object = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "name", o->name, "count",
                             rf_json_number(o->count), "kernels", rf_json_number(o->kernels), "flops",
                             rf_json_number(o->flops), "bytes", rf_json_number(memory), "bytes_by_class",
                             bytes_by_class(o->bytes), "intensity", rf_json_number(o->intensity), "ridge",
                             rf_json_number(o->ridge), "regime", roof_regime_name(o->regime));
  json_object_set_new(object, "kind", json_string(roof_operation_kind_name(o->kind)));
  json_object_set_new(object, "part",
                      o->part < ROOF_PART_COUNT ? json_string(roof_model_part_name(o->part)) : json_null());
  json_object_set_new(object, "link",
                      o->kind == ROOF_KIND_COLLECTIVE ? json_string(t->links[o->span].name) : json_null());
  json_object_set_new(object, "algorithm", o->algorithm != NULL ? json_string(o->algorithm) : json_null());
  json_object_set_new(object, "dtype",
                      o->peak != NULL ? json_string(roof_dtype_name(o->peak->dtype)) : json_null());
  json_object_set_new(object, "seconds",
                      seconds_of(o->compute_seconds, o->memory_seconds, o->network_seconds,
                                 o->overhead_seconds, o->lower_seconds, o->upper_seconds, o->expected_seconds,
                                 o->expected_low_seconds, o->expected_high_seconds));
  json_object_set_new(object, "share", rf_json_number(o->count * o->expected_seconds / p->expected_seconds));
  return object;
}

static json_t *phase(const roof_model_target *t, const roof_model_phase *p) {
  if (!p->present) {
    return json_null();
  }
  json_t *operations = json_array();
  for (int i = 0; i < p->count; i++) {
    json_array_append_new(operations, operation(t, &p->operations[i], p));
  }
  json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "tokens", rf_json_number(p->tokens),
                             "sequences", rf_json_number(p->sequences), "steps", rf_json_number(p->steps),
                             "yield", rf_json_number(p->yield), "flops", rf_json_number(p->flops), "bytes",
                             rf_json_number(p->memory_bytes), "bytes_by_class", bytes_by_class(p->bytes),
                             "kernels", rf_json_number(p->kernels));
  json_object_set_new(object, "seconds",
                      seconds_of(p->compute_seconds, p->memory_seconds, p->network_seconds,
                                 p->overhead_seconds, p->lower_seconds, p->upper_seconds, p->expected_seconds,
                                 p->expected_low_seconds, p->expected_high_seconds));
  json_object_set_new(object, "mfu", rf_json_number(p->mfu));
  json_object_set_new(object, "hfu", rf_json_number(p->hfu));
  json_object_set_new(object, "recomputed_flops", rf_json_number(p->recomputed_flops));
  json_object_set_new(object, "mbu", rf_json_number(p->mbu));
  json_object_set_new(object, "energy_joules", rf_json_number(p->energy_joules));
  json_object_set_new(object, "operations", operations);
  return object;
}

static json_t *phases(const roof_model_target *t, const roof_model_answer *a) {
  json_t *object = json_object();
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    json_object_set_new(object, roof_phase_name((roof_phase)i), phase(t, &a->phases[i]));
  }
  return object;
}

static json_t *memory(const roof_model_capacity *c) {
  json_t *object = json_pack(
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "weights_bytes", rf_json_number(c->weight_bytes),
      "kv_bytes", rf_json_number(c->kv_bytes), "state_bytes", rf_json_number(c->state_bytes),
      "activation_bytes", rf_json_number(c->activation_bytes), "workspace_bytes",
      rf_json_number(c->workspace_bytes), "fragmentation_bytes", rf_json_number(c->fragmentation_bytes),
      "total_bytes", rf_json_number(c->total_bytes), "capacity_bytes", rf_json_number(c->capacity_bytes));
  json_object_set_new(object, "gradient_bytes", rf_json_number(c->gradient_bytes));
  json_object_set_new(object, "optimizer_bytes", rf_json_number(c->optimizer_bytes));
  json_object_set_new(object, "fits", json_boolean(c->fits));
  json_object_set_new(object, "spare_bytes", rf_json_number(c->spare_bytes));
  json_object_set_new(object, "kv_bytes_per_token", rf_json_number(c->kv_bytes_per_token));
  json_object_set_new(object, "longest_context", rf_json_number(c->longest_context));
  json_object_set_new(object, "largest_batch", rf_json_number(c->largest_batch));
  return object;
}

static json_t *stored(const roof_model *m) {
  json_t *types = json_array();
  double tensors = 0, elements = 0, bytes = 0;
  for (int i = 0; i < m->stored_count; i++) {
    const roof_stored_type *s = &m->stored[i];
    json_array_append_new(types, json_pack("{s:s, s:o, s:o, s:o}", "type", s->name, "tensors",
                                           rf_json_number(s->tensors), "elements",
                                           rf_json_number(s->elements), "bytes", rf_json_number(s->bytes)));
    tensors += s->tensors;
    elements += s->elements;
    bytes += s->bytes;
  }
  return json_pack("{s:o, s:o, s:o, s:o}", "tensors", rf_json_number(tensors), "elements",
                   rf_json_number(elements), "bytes", rf_json_number(bytes), "types", types);
}

static json_t *precision(const roof_model_target *t) {
  const roof_model_precision *p = &t->settings.precision;
  json_t *weights = json_object();
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    char name[64];
    roof_weight_format_name(&p->weights[part], name, sizeof name);
    json_object_set_new(
        weights, roof_model_part_name((roof_model_part)part),
        json_pack("{s:s, s:o, s:s, s:b}", "format", name, "bytes", rf_json_number(t->weight_bytes[part]),
                  "compute", roof_dtype_name(t->parts[part].types.compute), "native", (int)t->native[part]));
  }
  return json_pack("{s:s, s:s, s:s, s:o}", "activations", roof_dtype_name(p->activations), "kv",
                   roof_dtype_name(p->kv), "state", roof_dtype_name(p->state), "weights", weights);
}

static json_t *settings(const roof_model_target *t) {
  const roof_model_settings *s = &t->settings;
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:s, s:s, s:s}", "batch",
                   rf_json_number(s->batch), "prompt", rf_json_number(s->prompt), "generate",
                   rf_json_number(s->generate), "chunk", rf_json_number(s->chunk), "draft",
                   rf_json_number(s->draft), "tp", rf_json_number(s->tp), "pp", rf_json_number(s->pp), "dp",
                   rf_json_number(s->dp), "ep", rf_json_number(s->ep), "launch", roof_launch_name(s->launch),
                   "kernel_seconds", rf_json_number(t->kernel.seconds), "kernel_source", t->kernel.source,
                   "kernel_kind", roof_provenance_name(t->kernel.kind), "recompute",
                   roof_recompute_name(s->recompute));
}

static json_t *notes(const roof_model_target *t) {
  const roof_model *m = t->model;
  json_t *array = json_array();
  char why[160];
  if (roof_model_too_long(t, why, sizeof why)) {
    json_array_append_new(array, json_string(why));
  }
  for (int i = 0; i < m->note_count; i++) {
    json_array_append_new(array, json_string(m->notes[i]));
  }
  return array;
}

static json_t *saving(const roof_model_target *t, roof_phase kind, int index) {
  roof_model_saving s = roof_model_fusion_saving(t, kind, index);
  return json_pack("{s:o, s:o, s:o}", "bytes", rf_json_number(s.bytes), "kernels", rf_json_number(s.kernels),
                   "seconds", rf_json_number(s.seconds));
}

/** What each fusion removes, whether it is in the plan or not. */
static json_t *fusions(const roof_model_target *t) {
  json_t *array = json_array();
  for (int i = 0; i < ROOF_FUSION_COUNT; i++) {
    const char *text = NULL;
    const char *name = roof_fusion_name(i, &text);
    json_t *object = json_pack("{s:s, s:s, s:b}", "name", name, "merges", text, "planned",
                               (int)(t->settings.fusion >> i & 1));
    bool encoder = t->model->encoder, generates = !encoder && t->settings.generate > 0;
    json_object_set_new(object, encoder ? "encode" : "prefill",
                        saving(t, encoder ? ROOF_PHASE_ENCODE : ROOF_PHASE_PREFILL, i));
    json_object_set_new(object, "decode", generates ? saving(t, ROOF_PHASE_DECODE, i) : json_null());
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *definitions(void) {
  json_t *object = json_object();
  const roof_model_definition *d = NULL;
  for (int i = 0; (d = roof_model_definition_at(i)) != NULL; i++) {
    json_object_set_new(object, d->name, json_string(d->text));
  }
  return object;
}

json_t *cli_model_json(const roof_model_target *t, const roof_model_answer *a) {
  json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "schema", "roofline.model/1", "name",
                             t->model->name, "architecture", t->model->architecture, "machine",
                             t->machine->name, "parameters", rf_json_number(t->parameters.total),
                             "active_parameters", rf_json_number(t->parameters.active),
                             "kv_elements_per_token", rf_json_number(t->parameters.kv_elements_per_token),
                             "state_elements", rf_json_number(t->parameters.state_elements));
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"layers", t->model->layer_count},
                 {"devices", a->devices},
                 {"ttft_seconds", a->ttft_seconds},
                 {"tpot_seconds", a->tpot_seconds},
                 {"tpot_first_seconds", a->tpot_first_seconds},
                 {"tpot_last_seconds", a->tpot_last_seconds},
                 {"request_seconds", a->request_seconds},
                 {"tokens_per_second", a->tokens_per_second},
                 {"batch_tokens_per_second", a->batch_tokens_per_second},
                 {"device_tokens_per_second", a->device_tokens_per_second},
                 {"prompt_tokens_per_second", a->prompt_tokens_per_second},
                 {"joules_per_token", a->joules_per_token},
                 {"price_per_million_tokens", a->price_per_million_tokens}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    json_object_set_new(object, numbers[i].name, rf_json_number(numbers[i].value));
  }
  json_object_set_new(object, "settings", settings(t));
  json_object_set_new(object, "precision", precision(t));
  json_object_set_new(object, "file", t->model->stored_count > 0 ? stored(t->model) : json_null());
  json_object_set_new(object, "plan", cli_model_plan_json(t, a));
  json_object_set_new(object, "memory", memory(&a->capacity));
  json_object_set_new(object, "phases", phases(t, a));
  json_object_set_new(object, "fusions", fusions(t));
  json_object_set_new(object, "definitions", definitions());
  json_object_set_new(object, "notes", notes(t));
  return object;
}
