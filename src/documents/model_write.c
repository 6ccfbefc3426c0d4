/* A model's answer written as roofline.model/1. */
#include <math.h>
#include <stdlib.h>

#include "documents/json.h"
#include "roofline/analysis.h"

static json_t *text_or_null(const char *text) {
  return text != NULL ? json_string(text) : json_null();
}

static json_t *bytes_by_class(const double *bytes) {
  json_t *object = json_object();
  for (int i = 0; i < ROOF_BYTES_CLASS_COUNT; i++) {
    rf_json_set(object, roof_bytes_class_name((roof_bytes_class)i), rf_json_number(bytes[i]));
  }
  return object;
}

static json_t *operation(const roof_model_target *t, const roof_model_operation *o,
                         const roof_model_phase *p) {
  const rf_json_member amounts[] = {
      {"count", o->count},
      {"kernels", o->kernels},
      {"flops", o->flops},
      {"bytes", o->bytes[ROOF_BYTES_WEIGHTS] + o->bytes[ROOF_BYTES_ACTIVATIONS] + o->bytes[ROOF_BYTES_KV]}};
  const rf_json_member ratios[] = {{"intensity", o->intensity}, {"ridge", o->ridge}};
  json_t *object = json_pack("{s:s}", "name", o->name);
  rf_json_set(object, "stream", text_or_null(roof_model_stream_name(t->model, o->stream)));
  RF_JSON_SET(object, amounts);
  rf_json_set(object, "bytes_by_class", bytes_by_class(o->bytes));
  RF_JSON_SET(object, ratios);
  rf_json_set(object, "regime", json_string(roof_regime_name(o->regime)));
  rf_json_set(object, "kind", json_string(roof_operation_kind_name(o->kind)));
  rf_json_set(object, "part", text_or_null(o->part < ROOF_PART_COUNT ? roof_model_part_name(o->part) : NULL));
  rf_json_set(object, "link", text_or_null(o->kind == ROOF_KIND_COLLECTIVE ? t->links[o->span].name : NULL));
  rf_json_set(object, "algorithm", text_or_null(o->algorithm));
  rf_json_set(object, "dtype", text_or_null(o->peak != NULL ? roof_dtype_name(o->peak->dtype) : NULL));
  rf_json_set(object, "seconds", RF_JSON_SECONDS(o));
  rf_json_set(object, "share", rf_json_number(o->count * o->expected_seconds / p->expected_seconds));
  return object;
}

static json_t *phase(const roof_model_target *t, const roof_model_phase *p) {
  if (!p->present) {
    return json_null();
  }
  const rf_json_member amounts[] = {{"tokens", p->tokens}, {"sequences", p->sequences},
                                    {"steps", p->steps},   {"yield", p->yield},
                                    {"flops", p->flops},   {"bytes", p->memory_bytes}};
  const rf_json_member figures[] = {{"mfu", p->mfu},
                                    {"hfu", p->hfu},
                                    {"recomputed_flops", p->recomputed_flops},
                                    {"mbu", p->mbu},
                                    {"energy_joules", p->energy_joules}};
  json_t *object = json_object(), *operations = json_array();
  RF_JSON_SET(object, amounts);
  rf_json_set(object, "bytes_by_class", bytes_by_class(p->bytes));
  rf_json_set(object, "kernels", rf_json_number(p->kernels));
  rf_json_set(object, "seconds", RF_JSON_SECONDS(p));
  RF_JSON_SET(object, figures);
  for (int i = 0; i < p->count; i++) {
    rf_json_append(operations, operation(t, &p->operations[i], p));
  }
  rf_json_set(object, "operations", operations);
  return object;
}

static json_t *phases(const roof_model_target *t, const roof_model_answer *a) {
  json_t *object = json_object();
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    rf_json_set(object, roof_phase_name((roof_phase)i), phase(t, &a->phases[i]));
  }
  return object;
}

static json_t *memory(const roof_model_capacity *c) {
  const rf_json_member parts[] = {
      {"weights_bytes", c->weight_bytes},      {"kv_bytes", c->kv_bytes},
      {"state_bytes", c->state_bytes},         {"activation_bytes", c->activation_bytes},
      {"workspace_bytes", c->workspace_bytes}, {"fragmentation_bytes", c->fragmentation_bytes},
      {"total_bytes", c->total_bytes},         {"capacity_bytes", c->capacity_bytes},
      {"gradient_bytes", c->gradient_bytes},   {"optimizer_bytes", c->optimizer_bytes}};
  const rf_json_member rest[] = {{"spare_bytes", c->spare_bytes},
                                 {"kv_bytes_per_token", c->kv_bytes_per_token},
                                 {"longest_context", c->longest_context},
                                 {"largest_batch", c->largest_batch},
                                 {"shared_kv_bytes", c->shared_kv_bytes},
                                 {"host_bytes", c->host_bytes},
                                 {"kv_bytes_beyond_windows", c->kv_bytes_beyond_windows},
                                 {"kv_window_bytes", c->kv_window_bytes}};
  json_t *object = json_object();
  RF_JSON_SET(object, parts);
  rf_json_set(object, "fits", isnan(c->capacity_bytes) ? json_null() : json_boolean(c->fits));
  RF_JSON_SET(object, rest);
  return object;
}

static void set_stored(json_t *object, const roof_stored_type *s) {
  const rf_json_member members[] = {{"tensors", s->tensors}, {"elements", s->elements}, {"bytes", s->bytes}};
  RF_JSON_SET(object, members);
}

static json_t *stored(const roof_model *m) {
  json_t *types = json_array(), *object = json_object();
  roof_stored_type all = roof_model_stored(m);
  for (int i = 0; i < m->stored_count; i++) {
    json_t *type = json_pack("{s:s}", "type", m->stored[i].name);
    set_stored(type, &m->stored[i]);
    rf_json_append(types, type);
  }
  set_stored(object, &all);
  rf_json_set(object, "types", types);
  return object;
}

json_t *rf_precision_json(const roof_model_target *t) {
  const roof_model_precision *p = &t->settings.precision;
  json_t *weights = json_object();
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    char name[64];
    roof_weight_format_name(&p->weights[part], name, sizeof name);
    rf_json_set(weights, roof_model_part_name((roof_model_part)part),
                json_pack("{s:s, s:o, s:s, s:b}", "format", name, "bytes",
                          rf_json_number(t->weight_bytes[part]), "compute",
                          roof_dtype_name(t->parts[part].types.compute), "native", (int)t->native[part]));
  }
  return json_pack("{s:s, s:s, s:s, s:o}", "activations", roof_dtype_name(p->activations), "kv",
                   roof_dtype_name(p->kv), "state", roof_dtype_name(p->state), "weights", weights);
}

static json_t *settings(const roof_model_target *t) {
  const roof_model_settings *s = &t->settings;
  bool denoises_text = t->model->denoises && t->model->stream_count > 0;
  const rf_json_member members[] = {{"batch", s->batch},
                                    {"prompt", s->prompt},
                                    {"generate", s->generate},
                                    {"chunk", s->chunk},
                                    {"draft", s->draft},
                                    {"accept", s->draft > 0 ? s->accept : NAN},
                                    {"tp", s->tp},
                                    {"pp", s->pp},
                                    {"dp", s->dp},
                                    {"ep", s->ep},
                                    {"prefix", roof_model_prefix(s)},
                                    {"sharers", s->sharers},
                                    {"offload", s->offload},
                                    {"offload_kv", s->offload_kv},
                                    {"offload_optimizer", s->offload_optimizer},
                                    {"images", s->images},
                                    {"size", t->model->denoises ? sqrt(s->prompt) * t->model->pixels : NAN},
                                    {"steps", t->model->denoises ? s->steps : NAN},
                                    {"guidance", t->model->denoises ? s->guidance : NAN},
                                    {"text", denoises_text ? roof_model_stream_tokens(t, 0) : NAN}};
  json_t *object = json_object();
  RF_JSON_SET(object, members);
  rf_json_set(object, "launch", json_string(roof_launch_name(s->launch)));
  rf_json_set(object, "kernel_seconds", rf_json_number(t->kernel.seconds));
  rf_json_set(object, "kernel_source", json_string(t->kernel.source));
  rf_json_set(object, "kernel_kind", json_string(roof_provenance_name(t->kernel.kind)));
  rf_json_set(object, "recompute", json_string(roof_recompute_name(s->recompute)));
  return object;
}

json_t *rf_link_json(const roof_link *l) {
  return json_pack("{s:s, s:o, s:o, s:s}", "name", l->name, "bytes_per_second",
                   rf_json_number(l->bytes_per_second), "latency_seconds", rf_json_number(l->latency_seconds),
                   "source", l->source);
}

static json_t *plan_phase(const roof_model_target *t, const roof_model_phase *p) {
  if (!p->present) {
    return json_null();
  }
  const rf_json_member members[] = {{"neighbour_seconds", p->link_seconds[ROOF_SPAN_NEIGHBOURS]},
                                    {"node_seconds", p->link_seconds[ROOF_SPAN_NODE]},
                                    {"network_seconds", p->link_seconds[ROOF_SPAN_CLUSTER]},
                                    {"host_seconds", p->link_seconds[ROOF_SPAN_HOST]},
                                    {"bubble", p->bubble},
                                    {"replica_seconds", p->replica_seconds},
                                    {"hidden_seconds", p->hidden_seconds}};
  json_t *object = json_object();
  RF_JSON_SET(object, members);
  rf_json_set(object, "binding_link",
              text_or_null(p->network_seconds > 0 ? t->links[roof_model_phase_span(p)].name : NULL));
  return object;
}

static json_t *plan(const roof_model_target *t, const roof_model_answer *a) {
  const roof_model_settings *s = &t->settings;
  const rf_json_member members[] = {{"tp", s->tp},
                                    {"pp", s->pp},
                                    {"dp", s->dp},
                                    {"ep", s->ep},
                                    {"cp", s->cp},
                                    {"devices", t->devices},
                                    {"node", s->node},
                                    {"replica_batch", roof_model_replica_batch(t)},
                                    {"microbatches", roof_model_microbatches(t)}};
  json_t *object = json_object();
  RF_JSON_SET(object, members);
  bool near = t->links[ROOF_SPAN_NEIGHBOURS].joins > 0;
  rf_json_set(object, "neighbour_link", near ? rf_link_json(&t->links[ROOF_SPAN_NEIGHBOURS]) : json_null());
  rf_json_set(object, "node_link",
              t->plain.link != NULL ? rf_link_json(&t->links[ROOF_SPAN_NODE]) : json_null());
  rf_json_set(object, "network_link", rf_link_json(&t->links[ROOF_SPAN_CLUSTER]));
  rf_json_set(object, "network_assumed", json_boolean(s->network == NULL));
  rf_json_set(object, "sp", json_boolean(s->sp));
  rf_json_set(object, "zero", rf_json_number(s->zero));
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    rf_json_set(object, roof_phase_name((roof_phase)i), plan_phase(t, &a->phases[i]));
  }
  return object;
}

static json_t *notes(const roof_model_target *t) {
  const roof_model *m = t->model;
  json_t *array = rf_json_texts(m->notes[0], sizeof m->notes[0], m->note_count);
  char why[160];
  if (roof_model_too_long(t, why, sizeof why)) {
    rf_json_note(json_array_insert_new(array, 0, json_string(why)) == 0);
  }
  if (roof_model_cuts_blocks(t, why, sizeof why)) {
    rf_json_note(json_array_insert_new(array, 0, json_string(why)) == 0);
  }
  return array;
}

static json_t *saving(const roof_model_target *t, bool timed, roof_phase kind, int index) {
  roof_model_saving s = roof_model_fusion_saving(t, kind, index);
  const rf_json_member members[] = {
      {"bytes", s.bytes}, {"kernels", s.kernels}, {"seconds", timed ? s.seconds : NAN}};
  json_t *object = json_object();
  RF_JSON_SET(object, members);
  return object;
}

/** What each fusion removes, whether it is in the plan or not. */
static json_t *fusions(const roof_model_target *t, bool timed) {
  json_t *array = json_array();
  for (int i = 0; i < ROOF_FUSION_COUNT; i++) {
    const char *text = NULL;
    const char *name = roof_fusion_name(i, &text);
    json_t *object = json_pack("{s:s, s:s, s:b}", "name", name, "merges", text, "planned",
                               (int)(t->settings.fusion >> i & 1));
    bool encoder = t->model->encoder, generates = roof_model_generates(t);
    bool denoises = t->model->denoises;
    rf_json_set(object, "encode",
                encoder && !denoises ? saving(t, timed, ROOF_PHASE_ENCODE, i) : json_null());
    rf_json_set(object, "denoise", denoises ? saving(t, timed, ROOF_PHASE_DENOISE, i) : json_null());
    rf_json_set(object, "prefill", encoder ? json_null() : saving(t, timed, ROOF_PHASE_PREFILL, i));
    rf_json_set(object, "decode", generates ? saving(t, timed, ROOF_PHASE_DECODE, i) : json_null());
    rf_json_append(array, object);
  }
  return array;
}

static json_t *definitions(void) {
  json_t *object = json_object();
  const roof_model_definition *d = NULL;
  for (int i = 0; (d = roof_model_definition_at(i)) != NULL; i++) {
    rf_json_set(object, d->name, json_string(d->text));
  }
  return object;
}

static json_t *continuous(const roof_model_answer *a) {
  const roof_model_continuous *c = &a->continuous;
  const rf_json_member figures[] = {{"ttft_seconds", c->ttft_seconds},
                                    {"ttft_low_seconds", a->continuous_low.ttft_seconds},
                                    {"ttft_high_seconds", a->continuous_high.ttft_seconds},
                                    {"wait_seconds", c->wait_seconds},
                                    {"tpot_seconds", c->tpot_seconds},
                                    {"tpot_low_seconds", a->continuous_low.tpot_seconds},
                                    {"tpot_high_seconds", a->continuous_high.tpot_seconds},
                                    {"device_tokens_per_second", c->device_tokens_per_second},
                                    {"price_per_million_tokens", c->price_per_million_tokens}};
  json_t *object = json_object();
  RF_JSON_SET(object, figures);
  return object;
}

json_t *rf_training_json(const roof_model_training *r) {
  const rf_json_member figures[] = {{"tokens", r->tokens},
                                    {"steps", r->steps},
                                    {"seconds", r->seconds},
                                    {"low_seconds", r->low_seconds},
                                    {"high_seconds", r->high_seconds},
                                    {"device_seconds", r->device_seconds},
                                    {"device_hours", r->device_seconds / 3600},
                                    {"days", r->seconds / 86400},
                                    {"price", r->price}};
  json_t *object = json_object();
  RF_JSON_SET(object, figures);
  return isnan(r->tokens) ? (json_decref(object), json_null()) : object;
}

json_t *rf_price_json(const roof_machine *machine, const roof_model_settings *s) {
  bool read = s->listed != NULL && s->listed->source[0] != '\0';
  return json_pack("[{s:s, s:o, s:s?, s:s?}]", "machine", machine->name, "price", rf_json_number(s->price),
                   "source", read ? s->listed->source : NULL, "date", read ? s->listed->date : NULL);
}

/** What goes in besides the prompt, and what of the time it takes. */
static json_t *streams(const roof_model_target *t, const roof_model_answer *a) {
  json_t *array = json_array();
  for (int i = 0; i < t->model->stream_count; i++) {
    const roof_model_stream *s = &t->model->streams[i];
    double seconds = 0;
    for (int p = 0; p < ROOF_PHASE_COUNT; p++) {
      seconds += a->phases[p].present ? a->phases[p].stream_seconds[i + 1] : 0;
    }
    const rf_json_member members[] = {{"tokens", roof_model_stream_tokens(t, i)},
                                      {"prompt_tokens", s->result},
                                      {"lasts_seconds", s->seconds > 0 ? s->seconds : NAN},
                                      {"seconds", seconds}};
    json_t *object = json_pack("{s:s, s:s}", "name", s->name, "input", s->input);
    RF_JSON_SET(object, members);
    rf_json_append(array, object);
  }
  return array;
}

/** What would make it fit; null where it does. */
static json_t *fits_with(const roof_model_target *t, const roof_model_answer *a) {
  roof_model_fit fits[ROOF_MODEL_FITS_MAX];
  json_t *array = json_array();
  size_t count = roof_model_fits_of(t, fits);
  for (size_t i = 0; i < count; i++) {
    rf_json_append(array, json_pack("{s:s, s:o, s:o}", "change", fits[i].change, "devices",
                                    rf_json_number(fits[i].devices), "spare_bytes",
                                    rf_json_number(fits[i].spare_bytes)));
  }
  return roof_model_has_times(a) ? (json_decref(array), json_null()) : array;
}

static json_t *model_json(const roof_model_target *t, const roof_model_answer *a) {
  const roof_model *m = t->model;
  const bool step = t->settings.train || m->denoises;
  const rf_json_member numbers[] = {
      {"parameters", t->parameters.total},
      {"active_parameters", t->parameters.active},
      {"active_parameters_without_embedding", t->parameters.active - t->parameters.embedding},
      {"kv_elements_per_token", t->parameters.kv_elements_per_token},
      {"state_elements", t->parameters.state_elements},
      {"layers", m->layer_count},
      {"devices", a->devices},
      {"step_seconds", step ? a->ttft_seconds : NAN},
      {"image_seconds", a->image_seconds},
      {"encode_seconds", a->encode_seconds},
      {"ttft_seconds", step ? NAN : a->ttft_seconds},
      {"ttft_low_seconds", step ? NAN : a->ttft_low_seconds},
      {"ttft_high_seconds", step ? NAN : a->ttft_high_seconds},
      {"tpot_seconds", a->tpot_seconds},
      {"tpot_low_seconds", a->tpot_low_seconds},
      {"tpot_high_seconds", a->tpot_high_seconds},
      {"tpot_first_seconds", a->tpot_first_seconds},
      {"tpot_last_seconds", a->tpot_last_seconds},
      {"request_seconds", a->request_seconds},
      {"tokens_per_second", a->tokens_per_second},
      {"batch_tokens_per_second", a->batch_tokens_per_second},
      {"device_tokens_per_second", a->device_tokens_per_second},
      {"prompt_tokens_per_second", m->denoises ? NAN : a->prompt_tokens_per_second},
      {"joules_per_token", a->joules_per_token},
      {"price_per_million_tokens", a->price_per_million_tokens}};
  json_t *object = json_pack("{s:s, s:s, s:s, s:s}", "schema", "roofline.model/1", "name", m->name,
                             "architecture", m->architecture, "machine", t->machine->name);
  RF_JSON_SET(object, numbers);
  rf_json_set(object, "continuous", isnan(a->continuous.ttft_seconds) ? json_null() : continuous(a));
  rf_json_set(object, "training", rf_training_json(&a->training));
  rf_json_set(object, "prices", rf_price_json(t->machine, &t->settings));
  rf_json_set(object, "settings", settings(t));
  rf_json_set(object, "streams", streams(t, a));
  rf_json_set(object, "precision", rf_precision_json(t));
  rf_json_set(object, "file", m->stored_count > 0 ? stored(m) : json_null());
  rf_json_set(object, "plan", plan(t, a));
  rf_json_set(object, "memory", memory(&a->capacity));
  rf_json_set(object, "fits_with", fits_with(t, a));
  rf_json_set(object, "phases", phases(t, a));
  rf_json_set(object, "fusions", fusions(t, roof_model_has_times(a)));
  rf_json_set(object, "definitions", definitions());
  rf_json_set(object, "notes", notes(t));
  rf_json_set(object, "ignored",
              rf_json_texts(t->model->ignored[0], sizeof t->model->ignored[0], t->model->ignored_count));
  return object;
}

json_t *rf_model_json(const roof_model_target *t, const roof_model_answer *a) {
  roof_model_answer *shown = malloc(sizeof *shown);
  if (shown == NULL) {
    return NULL;
  }
  *shown = *a;
  roof_model_drop_times(shown);
  json_t *object = model_json(t, shown);
  free(shown);
  rf_json_set(object, "stragglers", json_null()); /* of a cluster's file, which the command reads */
  return object;
}

roof_status roof_model_write(const roof_model_target *target, const roof_model_answer *answer, roof_text *out,
                             roof_error *error) {
  return rf_json_write(rf_model_json(target, answer), "model", out, error);
}
