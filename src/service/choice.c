/* A choice of the planner under its load. */
#include <math.h>
#include <stdlib.h>

#include "roofline/simulate.h"

/** The settings of the choice's plan. */
static roof_model_settings settings_of(const roof_choice_question *q, const roof_choice *c) {
  const roof_plan_point *p = &c->point;
  roof_model_settings s = *q->base;
  s.precision = q->precisions->list[c->precision];
  s.tp = p->tp, s.pp = p->pp, s.dp = p->dp, s.ep = p->ep, s.cp = p->cp;
  s.batch = p->dp; /* how many there are at once is of the load */
  s.chunk = p->chunk;
  s.price = q->offers[c->offer].price;
  return s;
}

/** Answers from half as long to one and a half, as far as the model was made for such long sequences. */
static roof_lengths spread(const roof_choice_question *q) {
  double mean = q->base->generate, most = 1.5 * mean;
  if (q->model->context > 0) {
    most = fmin(most, q->model->context - q->base->prompt);
  }
  return (roof_lengths){.kind = ROOF_LENGTHS_UNIFORM, .mean = 2 * mean - most, .other = most};
}

/** The load of the question. */
static roof_service_settings load_of(const roof_choice_question *q, const roof_choice *c,
                                     const roof_model_target *target) {
  const roof_plan_point *p = &c->point;
  roof_service_settings s = roof_service_settings_default(target);
  s.requests = 2000;
  s.host_seconds = s.host_token_seconds = 0; /* as in the formulas */
  s.generate = q->limits.rate > 0 ? s.generate : spread(q);
  s.rate = q->limits.rate > 0 ? q->limits.rate : s.rate;
  s.concurrency = q->limits.rate > 0 ? 0 : q->limits.users > 0 ? q->limits.users : p->batch;
  double room = roof_model_capacity_of(target).largest_batch /
                p->dp; /* an engine admits what fits, and at most so many */
  s.sequences = fmax(p->batch / p->dp, fmin(room, s.sequences));
  s.whole_prompts = p->chunk == 0;
  s.budget = (p->chunk > 0 ? p->chunk : q->base->prompt) + s.sequences;
  s.ttft_seconds = q->limits.ttft_seconds;
  s.tpot_seconds = q->limits.tpot_seconds;
  return s;
}

roof_status roof_choice_simulate(const roof_choice_question *q, const roof_choice *c,
                                 roof_service_answer *answer, roof_error *error) {
  if (!(c->point.batch > 0)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "simulate: the choice does not fit");
  }
  roof_model_target *target = malloc(sizeof *target);
  roof_service *service = NULL;
  if (target == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "simulate: out of memory");
  }
  const roof_model_settings settings = settings_of(q, c);
  roof_status status =
      roof_model_target_init(target, q->model, q->offers[c->offer].machine, &settings, error);
  status = status == ROOF_OK ? roof_service_new(target, &service, error) : status;
  if (status == ROOF_OK) {
    const roof_service_settings load = load_of(q, c, target);
    status = roof_service_run(service, &load, answer, error);
  }
  roof_service_free(service);
  free(target);
  return status;
}

/** Whether an answer keeps the limits; those of overload do not. */
static bool keeps(const roof_plan_limits *l, double ttft, double tpot) {
  return !(ttft > l->ttft_seconds) && !(tpot > l->tpot_seconds) && !isinf(ttft);
}

roof_status roof_choices_simulate(const roof_choice_question *q, roof_choices *choices,
                                  roof_service_answer *answer, bool *simulated, roof_error *error) {
  *simulated = false;
  while (choices->meeting > 0 && !*simulated) {
    roof_error why = {0};
    roof_status status = roof_choice_simulate(q, &choices->list[0], answer, &why);
    if (status == ROOF_E_MEMORY) {
      return roof_error_set(error, status, "%s", why.message);
    }
    double ttft = answer->overloaded ? INFINITY : roof_service_time_at(&answer->ttft, q->limits.share);
    double tpot = answer->overloaded ? INFINITY : roof_service_time_at(&answer->tpot, q->limits.share);
    if (status != ROOF_OK || isnan(ttft)) {
      return ROOF_OK;
    }
    *simulated = keeps(&q->limits, ttft, tpot);
    if (!*simulated) {
      roof_choices_refuse(q, choices, ttft, tpot);
    }
  }
  return ROOF_OK;
}

double roof_service_time_at(const roof_service_times *t, double share) {
  const struct {
    double share, seconds;
  } known[] = {{0, t->mean}, {0.5, t->p50}, {0.9, t->p90}, {0.99, t->p99}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (fabs(share - known[i].share) < 1e-9) {
      return known[i].seconds;
    }
  }
  return NAN;
}
