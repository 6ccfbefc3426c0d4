/* A choice of the planner under its load. */
#include <math.h>
#include <stdlib.h>

#include "models/choice.h"
#include "models/step.h"
#include "roofline/simulate.h"
#include "service/capacity.h"
#include "service/question.h"

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

roof_service_settings rf_question_load(const roof_choice_question *q, const roof_model_target *target,
                                       double at_once) {
  roof_service_settings s = roof_service_settings_default(target);
  s.share = q->limits.share;
  s.host_seconds = s.host_token_seconds = 0; /* as in the formulas */
  if (!(q->limits.rate > 0)) {
    s.generate.kind = ROOF_LENGTHS_UNIFORM;
    rf_choice_answers(q, &s.generate.mean, &s.generate.other);
  }
  s.rate = q->limits.rate > 0 ? q->limits.rate : s.rate;
  s.concurrency = q->limits.rate > 0 ? 0 : q->limits.users > 0 ? q->limits.users : at_once;
  s.warmup = 3 * s.concurrency; /* users begin all at once */
  s.requests = s.warmup + fmax(2000, 10 * s.concurrency);
  s.ttft_seconds = q->limits.ttft_seconds;
  s.tpot_seconds = q->limits.tpot_seconds;
  return s;
}

double rf_question_sequences(const roof_model_target *target, double tokens, double least) {
  roof_model_target step = *target;
  step.settings.chunk = tokens;
  double room = roof_model_capacity_of(&step).largest_batch / target->settings.dp;
  return fmax(least, fmin(room, SERVICE_SEQUENCES));
}

/** The load of the question on a choice. */
static roof_service_settings load_of(const roof_choice_question *q, const roof_choice *c,
                                     const roof_model_target *target) {
  const roof_plan_point *p = &c->point;
  roof_service_settings s = rf_question_load(q, target, p->batch);
  double fresh = rf_model_fresh_tokens(target);
  s.sequences = rf_question_sequences(target, p->chunk > 0 ? p->chunk : fresh, p->batch / p->dp);
  s.whole_prompts = p->chunk == 0;
  s.budget = (p->chunk > 0 ? p->chunk : q->base->prompt) + s.sequences;
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

question_seen rf_question_seen(const roof_plan_limits *l, double at_once, roof_status status,
                               const roof_service_answer *a) {
  if (status == ROOF_OK && a->overloaded) {
    return (question_seen){INFINITY, INFINITY, true, NAN};
  }
  if (status != ROOF_OK) {
    return (question_seen){NAN, NAN, false, NAN};
  }
  double users = l->users > 0 ? l->users : at_once; /* by Little's law */
  return (question_seen){l->share > 0 ? a->ttft.asked : a->ttft.mean,
                         l->share > 0 ? a->tpot.asked : a->tpot.mean, true,
                         l->rate > 0 ? NAN : users / a->end_to_end.mean};
}

bool rf_question_keeps(const roof_plan_limits *l, const question_seen *s) {
  return !(s->ttft > l->ttft_seconds) && !(s->tpot > l->tpot_seconds) && !isinf(s->ttft);
}

void rf_question_tighten(roof_plan_limits *tight, const roof_plan_limits *l, double ttft, double tpot,
                         const question_seen *s) {
  if (!isinf(s->ttft)) {
    tight->ttft_seconds = fmin(tight->ttft_seconds, l->ttft_seconds * ttft / s->ttft);
    tight->tpot_seconds = fmin(tight->tpot_seconds, l->tpot_seconds * tpot / s->tpot);
  }
}

/** A choice with the times of its run, their range in the same proportion; of users with what they generate in it. */
static void take_times(const roof_choice_question *q, roof_choice *c, const question_seen *s) {
  double before = c->point.device_tokens_per_second;
  double tokens = isnan(s->rate) ? before : s->rate * fmax(1, q->base->generate) / c->devices;
  double first = s->ttft / c->point.ttft_seconds,
         token = isnan(s->tpot) ? 1 : s->tpot / c->point.tpot_seconds; /* one token has no next */
  roof_plan_point *const points[] = {&c->point, &c->low, &c->high};
  for (int i = 0; i < 3; i++) {
    points[i]->ttft_seconds *= first;
    points[i]->tpot_seconds *= token;
    points[i]->device_tokens_per_second *= tokens / before;
    points[i]->joules_per_token *= before / tokens; /* at the same power */
    points[i]->price_per_million_tokens *= before / tokens;
  }
  c->point.busy = isinf(s->ttft) ? 1 : c->point.busy;
  c->simulated = true;
}

static int index_of(const roof_choices *all, int offer, int precision) {
  int i = 0;
  while (i < all->count && (all->list[i].offer != offer || all->list[i].precision != precision)) {
    i++;
  }
  return i;
}

/** Limits of a choice's number of devices by which the closed form leaves it out, and what is as far off; that of what cannot keep
 *  up, or has been run often enough, leaves out all. Other numbers are as far off as their own runs show. */
static void tighten(const roof_choice_question *q, model_tight *tight, int *count, const roof_choice *c,
                    const question_seen *s) {
  enum { MOST_RUNS = 4 };
  int i = 0;
  while (i < *count && tight[i].devices != c->devices) {
    i++;
  }
  if (i == *count) {
    tight[(*count)++] = (model_tight){.devices = c->devices, .limits = q->limits};
  }
  rf_question_tighten(&tight[i].limits, &q->limits, c->point.ttft_seconds, c->point.tpot_seconds, s);
  if (isinf(s->ttft) || ++tight[i].runs == MOST_RUNS) {
    tight[i].limits.ttft_seconds = 0;
  }
}

/** Runs the choice at `index`, and what comes in its place, until one keeps the limits. */
static roof_status settle(const roof_choice_question *q, roof_choices *all, int index,
                          roof_service_answer *answer, roof_error *error) {
  enum { ROUNDS = 40 };
  roof_choice c = all->list[index], fewer = all->fewer[index], failed = {.devices = 0};
  model_tight tight[ROUNDS];
  int count = 0;
  roof_status status = ROOF_OK;
  bool meets = true;
  for (int i = 0; i < ROUNDS && meets && status == ROOF_OK; i++) {
    roof_error why = {0};
    roof_status ran = roof_choice_simulate(q, &c, answer, &why);
    question_seen s = rf_question_seen(&q->limits, c.point.batch, ran, answer);
    if (ran == ROOF_E_MEMORY || !s.known) {
      return ran == ROOF_E_MEMORY ? roof_error_set(error, ran, "%s", why.message) : ROOF_OK;
    }
    bool keeps = rf_question_keeps(&q->limits, &s);
    if (!keeps) {
      tighten(q, tight, &count, &c, &s);
    }
    take_times(q, &c, &s);
    if (keeps) {
      rf_choices_replace(q, all, index, &c,
                         failed.devices > 0 && failed.devices < c.devices ? &failed : &fewer);
      return ROOF_OK;
    }
    c.result = ROOF_CHOICE_SLOW;
    failed = failed.devices == 0 || rf_choice_is_nearer(q, &c, &failed) ? c : failed;
    c = (roof_choice){.offer = failed.offer, .precision = failed.precision};
    status = rf_choices_next(q, tight, count, all, &c, &meets, error);
  }
  if (status == ROOF_OK) {
    rf_choices_replace(q, all, index, &failed, &(roof_choice){.devices = 0});
  }
  return status;
}

roof_status roof_choices_simulate(const roof_choice_question *q, roof_choices *choices,
                                  roof_service_answer *answer, bool *simulated, roof_error *error) {
  int precisions = q->precisions->count, count = q->offer_count * precisions;
  roof_service_answer *answers = calloc((size_t)count, sizeof *answers);
  roof_status status =
      answers != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "simulate: out of memory");
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    int index = index_of(choices, i / precisions, i % precisions);
    if (choices->list[index].result == ROOF_CHOICE_MEETS) {
      status = settle(q, choices, index, &answers[i], error);
    }
  }
  const roof_choice *best = &choices->list[0];
  *simulated = status == ROOF_OK && choices->meeting > 0 && best->simulated;
  if (*simulated) {
    *answer = answers[best->offer * precisions + best->precision];
  }
  free(answers);
  return status;
}
