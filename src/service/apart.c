/* Two pools of the planner under its load. */
#include <math.h>
#include <stdlib.h>

#include "models/apart.h"
#include "service/question.h"

/** All instances of a pool, as replicas. */
static roof_status target_of(const roof_choice_question *q, const roof_apart *a, const roof_pool *p,
                             roof_model_target *target, roof_error *error) {
  roof_model_settings s = *q->base;
  s.precision = q->precisions->list[a->precision];
  s.tp = p->tp, s.pp = p->pp, s.dp = s.batch = p->dp * p->instances, s.ep = p->ep, s.cp = 1;
  s.microbatches = 0;
  return roof_model_target_init(target, q->model, q->offers[p->offer].machine, &s, error);
}

/** `target` is room for one pool after the other. */
static roof_status simulate(const roof_choice_question *q, const roof_apart *a, roof_model_target *target,
                            roof_service_answer *answer, roof_error *error) {
  roof_service *service = NULL;
  roof_service_settings load;
  roof_status status = target_of(q, a, &a->decode, target, error);
  if (status == ROOF_OK) {
    load = rf_question_load(q, target, a->decode.batch * a->decode.instances);
    load.sequences = rf_question_sequences(target, 1, a->decode.batch / a->decode.dp);
    load.budget = fmax(load.budget, load.sequences);
    status = roof_service_new(target, &service, error);
  }
  status = status == ROOF_OK ? target_of(q, a, &a->prefill, target, error) : status;
  status = status == ROOF_OK ? roof_service_prefill(service, target, error) : status;
  status = status == ROOF_OK ? roof_service_run(service, &load, answer, error) : status;
  roof_service_free(service);
  return status;
}

roof_status roof_apart_simulate(const roof_choice_question *q, const roof_apart *a,
                                roof_service_answer *answer, roof_error *error) {
  if (!a->found) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "simulate: there are no two pools");
  }
  roof_model_target *target = malloc(sizeof *target);
  roof_status status = target != NULL ? simulate(q, a, target, answer, error)
                                      : roof_error_set(error, ROOF_E_MEMORY, "simulate: out of memory");
  free(target);
  return status;
}

/** With the times of its run, their range in the same proportion; of users what they generate in it. */
static void take_times(roof_apart *a, const question_seen *s) {
  double first = s->ttft / a->ttft_seconds, token = isnan(s->tpot) ? 1 : s->tpot / a->tpot_seconds;
  a->ttft_seconds = s->ttft, a->ttft_low_seconds *= first, a->ttft_high_seconds *= first;
  a->tpot_seconds *= token, a->tpot_low_seconds *= token, a->tpot_high_seconds *= token;
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
  for (int i = 0; i < ROUNDS && status == ROOF_OK && a.found && rf_apart_is_better(&a, &found); i++) {
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
