/* Two pools of the planner under its load. */
#include <math.h>
#include <stdlib.h>

#include "models/apart.h"
#include "service/pools.h"
#include "service/question.h"

/** A pool's target: one instance. */
static roof_status target_of(const roof_choice_question *q, const roof_apart *a, const roof_pool *p,
                             roof_model_target *target, roof_error *error) {
  roof_model_settings s = *q->base;
  s.precision = q->precisions->list[a->precision];
  s.tp = p->tp, s.pp = p->pp, s.dp = s.batch = p->dp, s.ep = p->ep, s.cp = 1;
  s.microbatches = 0;
  return roof_model_target_init(target, q->model, q->offers[p->offer].machine, &s, error);
}

static roof_status run(const roof_choice_question *q, const roof_apart *a, roof_model_target *target,
                       service_pools *pools, roof_service_answer *answer, roof_error *error) {
  roof_status status = target_of(q, a, &a->prefill, target, error);
  status = status == ROOF_OK ? roof_service_new(target, &pools->prefill, error) : status;
  status = status == ROOF_OK ? target_of(q, a, &a->decode, target, error) : status;
  status = status == ROOF_OK ? roof_service_new(target, &pools->decode, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  double at_once = a->decode.batch * a->decode.instances;
  roof_service_settings load = rf_question_load(q, target, at_once);
  load.sequences = rf_question_sequences(target, a->decode.batch / a->decode.dp);
  load.budget = fmax(load.budget, load.sequences);
  return rf_pools_run(pools, &load, answer, error);
}

roof_status roof_apart_simulate(const roof_choice_question *q, const roof_apart *a,
                                roof_service_answer *answer, roof_error *error) {
  if (!a->found) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "simulate: there are no two pools");
  }
  roof_model_target *target = malloc(sizeof *target);
  service_pools pools = {.prefills = a->prefill.instances * a->prefill.dp,
                         .decodes = a->decode.instances * a->decode.dp,
                         .transfer_seconds = a->transfer_seconds,
                         .transfer_tokens = q->base->prompt};
  roof_status status = target != NULL ? run(q, a, target, &pools, answer, error)
                                      : roof_error_set(error, ROOF_E_MEMORY, "simulate: out of memory");
  roof_service_free(pools.prefill);
  roof_service_free(pools.decode);
  free(target);
  return status;
}

/** With the times of its run, their range in the same proportion; of users what they generate in it. */
static void take_times(roof_apart *a, const question_seen *s) {
  double first = s->ttft / a->ttft_seconds, token = s->tpot / a->tpot_seconds;
  a->ttft_seconds = s->ttft, a->ttft_low_seconds *= first, a->ttft_high_seconds *= first;
  a->tpot_seconds = s->tpot, a->tpot_low_seconds *= token, a->tpot_high_seconds *= token;
  a->simulated = true;
  if (!isnan(s->rate)) {
    a->device_tokens_per_second *= s->rate / a->requests_per_second;
    a->price_per_million_tokens *= a->requests_per_second / s->rate;
    a->requests_per_second = s->rate;
  }
}

/** Limits for the closed form that is as far off as it was for this run, the other way too where nobody failed. */
static void next_limits(roof_plan_limits *next, const roof_plan_limits *l, const roof_apart *a,
                        const question_seen *s, bool keeps) {
  if (keeps) {
    next->ttft_seconds = fmax(l->ttft_seconds, l->ttft_seconds * a->ttft_seconds / s->ttft);
    next->tpot_seconds = fmax(l->tpot_seconds, l->tpot_seconds * a->tpot_seconds / s->tpot);
  } else {
    rf_question_tighten(next, l, a->ttft_seconds, a->tpot_seconds, s);
  }
}

roof_status roof_apart_simulated_of(const roof_choice_question *q, roof_apart *best, roof_error *error) {
  enum { ROUNDS = 8 };
  roof_choice_question asked = *q;
  roof_apart found = {.found = false}, a;
  roof_status status = roof_apart_of(&asked, &a, error);
  for (int i = 0; i < ROUNDS && status == ROOF_OK && a.found && rf_apart_is_cheaper(&a, &found); i++) {
    roof_service_answer answer;
    roof_error why = {0};
    roof_status ran = roof_apart_simulate(q, &a, &answer, &why);
    question_seen seen = rf_question_seen(&q->limits, a.decode.batch * a.decode.instances, ran, &answer);
    if (ran == ROOF_E_MEMORY) {
      return roof_error_set(error, ran, "%s", why.message);
    }
    bool keeps = seen.known && rf_question_keeps(&q->limits, &seen);
    if (!seen.known || (!keeps && found.found)) {
      break;
    }
    next_limits(&asked.limits, &q->limits, &a, &seen, keeps);
    if (keeps) {
      take_times(&a, &seen);
      found = a;
    }
    status = roof_apart_of(&asked, &a, error);
  }
  if (status == ROOF_OK) {
    *best = found;
  }
  return status;
}
