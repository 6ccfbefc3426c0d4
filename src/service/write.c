/* roofline.service/1. */
#include <math.h>

#include "documents/json.h"
#include "roofline/service.h"
#include "service/source.h"

double roof_service_study_rate(const roof_service_study *s, size_t run) {
  return s->settings.trace != NULL     ? roof_requests_rate(&s->trace) * s->settings.speed
         : s->settings.concurrency > 0 ? NAN
                                       : s->rates[run];
}

static json_t *times_json(const roof_service_times *t) {
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "count", rf_json_number(t->count), "mean_seconds",
                   rf_json_number(t->mean), "p50_seconds", rf_json_number(t->p50), "p90_seconds",
                   rf_json_number(t->p90), "p99_seconds", rf_json_number(t->p99), "max_seconds",
                   rf_json_number(t->most));
}

static json_t *run_json(const roof_service_answer *a, double rate) {
  json_t *run = json_object();
  const rf_json_member members[] = {{"rate", rate},
                                    {"queue_growth_per_second", a->queue_growth},
                                    {"queue_max", a->queue_most},
                                    {"requests", a->requests},
                                    {"seconds", a->seconds},
                                    {"prompt_tokens", a->prompt_tokens},
                                    {"generated_tokens", a->generated_tokens},
                                    {"requests_per_second", a->requests_per_second},
                                    {"tokens_per_second", a->tokens_per_second},
                                    {"goodput_per_second", a->goodput},
                                    {"within_limits", a->within},
                                    {"utilisation", a->utilisation},
                                    {"decoding_sequences", a->batch},
                                    {"requests_in_system", a->in_system},
                                    {"kv_mean", a->kv_mean},
                                    {"kv_max", a->kv_most},
                                    {"preemptions", a->preemptions},
                                    {"adapter_loads", a->adapter_loads},
                                    {"adapter_slot_waits", a->slot_waits},
                                    {"adapter_slot_wait_mean_seconds", a->slot_wait_seconds},
                                    {"cached_prompt_share", a->cached},
                                    {"price_per_million_tokens", a->price_per_million_tokens}};
  rf_json_set(run, "overloaded", json_boolean(a->overloaded));
  rf_json_set_numbers(run, members, sizeof members / sizeof members[0]);
  rf_json_set(run, "ttft", times_json(&a->ttft));
  rf_json_set(run, "tpot", times_json(&a->tpot));
  rf_json_set(run, "itl", times_json(&a->itl));
  rf_json_set(run, "end_to_end", times_json(&a->end_to_end));
  rf_json_set(run, "wait", times_json(&a->wait));
  return run;
}

/** The pool that processes prompts, or null. */
static json_t *pool_json(const roof_model_target *t) {
  if (t == NULL) {
    return json_null();
  }
  const roof_model_settings *m = &t->settings;
  json_t *pool = json_pack("{s:s, s:o}", "machine", t->machine->name, "prices", rf_price_json(t->machine, m));
  const rf_json_member members[] = {{"devices", t->devices}, {"tp", m->tp}, {"pp", m->pp},
                                    {"dp", m->dp},           {"ep", m->ep}, {"cp", m->cp}};
  rf_json_set_numbers(pool, members, sizeof members / sizeof members[0]);
  return pool;
}

static json_t *plan_json(const roof_service_study *s) {
  const roof_model_settings *m = &s->target->settings;
  json_t *plan = json_object();
  const rf_json_member members[] = {
      {"tp", m->tp},
      {"pp", m->pp},
      {"dp", m->dp},
      {"ep", m->ep},
      {"cp", m->cp},
      {"draft", m->draft},
      {"accept", m->draft > 0 ? m->accept : NAN},
      {"prefill_replicas", s->settings.prefills},
      {"batch", s->settings.sequences},
      {"chunk", s->settings.budget},
      {"adapters", s->settings.adapters},
      {"adapter_rank", s->settings.adapters > 0 ? s->settings.adapter_rank : NAN},
      {"adapter_slots", roof_service_adapter_slots(&s->settings)},
      {"adapter_skew", s->settings.adapters > 0 ? s->settings.adapter_skew : NAN},
      {"adapter_bytes", roof_service_adapter_bytes(s->service, &s->settings)},
      {"cache_tokens", roof_service_cache_tokens(s->service, &s->settings)}};
  rf_json_set_numbers(plan, members, sizeof members / sizeof members[0]);
  rf_json_set(plan, "memory_rule", json_string(roof_memory_rule_name(m->memory_rule)));
  rf_json_set(plan, "network_link", rf_link_json(&s->target->links[ROOF_SPAN_CLUSTER]));
  rf_json_set(plan, "network_assumed", json_boolean(m->network == NULL));
  rf_json_set(plan, "prefill_pool", pool_json(s->pool));
  return plan;
}

static json_t *load_json(const roof_service_study *s) {
  char prompt[64], generate[64], turns[64];
  const roof_service_settings *set = &s->settings;
  return json_pack(
      "{s:s, s:s?, s:s?, s:s?, s:o, s:s?, s:o, s:o, s:o, s:o, s:s, s:s, s:b, s:b, s:b, s:o, s:o, s:o, s:o}",
      "arrivals",
      set->trace != NULL     ? "trace"
      : set->concurrency > 0 ? "closed-loop"
                             : roof_arrival_name(set->arrival),
      "trace", set->trace != NULL ? s->trace.format : NULL, "prompt",
      set->trace != NULL ? NULL : roof_lengths_text(&set->prompt, prompt, sizeof prompt), "generate",
      set->trace != NULL ? NULL : roof_lengths_text(&set->generate, generate, sizeof generate), "prefix",
      rf_json_number(set->trace != NULL ? NAN : roof_model_prefix(&s->target->settings)), "turns",
      rf_source_has_sessions(set) ? roof_lengths_text(&set->turns, turns, sizeof turns) : NULL,
      "turn_delay_seconds", rf_json_number(rf_source_has_sessions(set) ? set->turn_seconds : NAN),
      "burstiness", rf_json_number(set->arrival == ROOF_ARRIVE_GAMMA ? set->burstiness : NAN), "concurrency",
      rf_json_number(set->concurrency > 0 ? set->concurrency : NAN), "seed", rf_json_number(set->seed),
      "routing", roof_routing_name(set->routing), "preemption", roof_preemption_name(set->preemption),
      "whole_prompts", set->whole_prompts, "prefix_cache", set->cache, "two_batch_overlap",
      set->two_batch_overlap, "host_seconds", rf_json_number(set->host_seconds), "host_seconds_per_token",
      rf_json_number(set->host_token_seconds), "ttft_limit_seconds", rf_json_number(set->ttft_seconds),
      "tpot_limit_seconds", rf_json_number(set->tpot_seconds));
}

static json_t *timeline_json(const roof_service_timeline *t) {
  if (t == NULL) {
    return json_null();
  }
  json_t *bins = json_array();
  for (size_t i = 0; i < t->count; i++) {
    const roof_service_bin *b = &t->bins[i];
    json_t *bin = json_object();
    const rf_json_member members[] = {{"queue", b->queue},
                                      {"decoding_sequences", b->batch},
                                      {"kv", b->kv},
                                      {"preemptions", b->preemptions}};
    rf_json_set_numbers(bin, members, sizeof members / sizeof members[0]);
    rf_json_append(bins, bin);
  }
  return json_pack("{s:o, s:o}", "bin_seconds", rf_json_number(t->bin_seconds), "bins", bins);
}

roof_status roof_service_study_write(const roof_service_study *s, roof_text *out, roof_error *error) {
  json_t *runs = json_array();
  double devices = s->target->devices + (s->pool != NULL ? s->pool->devices : 0);
  for (size_t i = 0; i < s->count; i++) {
    rf_json_append(runs, run_json(&s->answers[i], roof_service_study_rate(s, i)));
  }
  json_t *study = json_pack(
      "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", "roofline.service/1", "model",
      s->target->model->name, "machine", s->target->machine->name, "devices", rf_json_number(devices),
      "precision", rf_precision_json(s->target), "plan", plan_json(s), "load", load_json(s),
      "saturation_per_second", rf_json_number(s->saturation), "limit_rate_per_second",
      rf_json_number(s->limit_rate), "prices", rf_price_json(s->target->machine, &s->target->settings),
      "runs", runs, "timeline", timeline_json(s->settings.timeline));
  return rf_json_write(study, "serve", out, error);
}
