/* Every plan of so many devices: which fit, which is best, and what a faster answer costs in throughput. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/front.h"
#include "models/step.h"
#include "roofline/plan.h"

typedef struct search {
  roof_model_target target;
  const roof_plan_limits *limits;
  roof_plan_front *front;
  roof_plan_front found;
  int precision;
  double plans; /**< that divide the model */
  roof_model_phase phase;
} search;

/** Sets a plan; false where it does not divide the model. */
static bool set_plan(search *s, double tp, double pp, double dp, double ep, double batch) {
  roof_model_settings *set = &s->target.settings;
  set->tp = tp, set->pp = pp, set->dp = dp, set->ep = ep, set->batch = batch * dp;
  if (rf_model_plan_check(s->target.model, set, NULL) != ROOF_OK) {
    return false;
  }
  rf_model_plan_share(&s->target);
  return true;
}

static double time_per_token(const void *point) {
  return ((const roof_plan_point *)point)->tpot_seconds;
}

static double less_throughput(const void *point) {
  return -((const roof_plan_point *)point)->device_tokens_per_second;
}

static const model_front_kind weighed = {sizeof(roof_plan_point), time_per_token, less_throughput};

double roof_plan_excess(const roof_plan_limits *l, const roof_plan_point *p) {
  return fmax(p->ttft_seconds / l->ttft_seconds, p->tpot_seconds / l->tpot_seconds);
}

static void judge(search *s, const roof_plan_point *p) {
  const roof_plan_limits *l = s->limits;
  roof_plan_front *f = s->front;
  f->fit++;
  rf_model_front_add(&weighed, f->points, &f->count, p);
  if (p->ttft_seconds > l->ttft_seconds || p->tpot_seconds > l->tpot_seconds) {
    bool nearer = f->nearest.batch == 0 || roof_plan_excess(l, p) < roof_plan_excess(l, &f->nearest);
    f->nearest = nearer ? *p : f->nearest;
    return;
  }
  f->within++;
  if (f->best.batch == 0 || p->device_tokens_per_second > f->best.device_tokens_per_second) {
    f->best = *p;
  }
}

static double prompt_seconds(search *s) {
  return rf_model_one_prompt_seconds(&s->target, &s->phase);
}

static double step_seconds(search *s) {
  const roof_model_settings *set = &s->target.settings;
  double prompt = roof_model_own_prompt(&s->target), last = prompt + fmax(0, set->generate - 2);
  roof_model_phase_of(&s->target, ROOF_PHASE_DECODE, prompt, last, &s->phase);
  return s->phase.expected_seconds;
}

/** One batch of a plan; false when it does not fit. */
static bool try_batch(search *s, double ttft) {
  const roof_model_settings *set = &s->target.settings;
  s->front->tried++;
  roof_model_capacity c = roof_model_capacity_of(&s->target);
  if (!c.fits) {
    s->front->short_bytes = fmin(s->front->short_bytes, -c.spare_bytes);
    return false;
  }
  double users = s->limits->users, busy = users > 0 ? users / set->batch : 1;
  roof_model_continuous found = rf_model_continuous(&s->target, ttft, step_seconds(s));
  roof_plan_point p = {.tp = set->tp,
                       .pp = set->pp,
                       .dp = set->dp,
                       .ep = set->ep,
                       .batch = set->batch,
                       .precision = s->precision,
                       .ttft_seconds = found.ttft_seconds,
                       .tpot_seconds = found.tpot_seconds,
                       .device_tokens_per_second = busy * found.device_tokens_per_second,
                       .price_per_million_tokens = found.price_per_million_tokens / busy,
                       .total_bytes = c.total_bytes};
  judge(s, &p);
  return true;
}

static void try_plan(void *data, double tp, double pp, double dp, double ep) {
  enum { LARGEST_BATCH = 1 << 16 };
  search *s = data;
  double users = s->limits->users, first = users > 0 ? ceil(users / dp) : 1;
  if ((users > 0 && dp > users) || !set_plan(s, tp, pp, dp, ep, first)) {
    return;
  }
  s->plans++;
  double ttft = NAN;
  for (double batch = first; batch <= (users > 0 ? first : LARGEST_BATCH); batch *= 2) {
    if (!set_plan(s, tp, pp, dp, ep, batch)) {
      return;
    }
    ttft = isnan(ttft) ? prompt_seconds(s) : ttft;
    if (!try_batch(s, ttft)) {
      return;
    }
  }
}

void rf_model_each_plan(const roof_model *m, double devices, model_plan_visit *visit, void *data) {
  bool experts = roof_model_count(m).parts[ROOF_PART_EXPERTS] > 0;
  for (double tp = 1; tp <= devices; tp++) {
    for (double pp = 1; tp * pp <= devices && fmod(devices, tp) == 0; pp++) {
      double dp = devices / (tp * pp);
      for (double ep = 1; ep <= (experts ? tp * dp : 1) && dp == floor(dp); ep++) {
        visit(data, tp, pp, dp, ep);
      }
    }
  }
}

roof_status rf_model_search_check(const roof_model_target *t, double devices, roof_error *error) {
  enum { MOST_DEVICES = 65536 };
  if (!(devices >= 1 && devices <= MOST_DEVICES && devices == floor(devices))) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "devices=%g: not a whole number from 1 to %d", devices,
                          MOST_DEVICES);
  }
  if (isnan(t->plain.capacity)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "search: %s does not say how much memory it has",
                          t->machine->name);
  }
  return devices > 1 && t->plain.link == NULL
             ? roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: its file has no link to other devices",
                              t->machine->name)
             : ROOF_OK;
}

roof_status rf_model_search_end(const roof_model *m, double devices, double plans, roof_error *error) {
  return plans > 0 ? ROOF_OK
                   : roof_error_set(error, ROOF_E_ARGUMENT, "search: no plan of %.0f devices divides %s",
                                    devices, m->name);
}

static roof_status init(search *s, const roof_model *model, const roof_machine *machine,
                        const roof_model_settings *base, const roof_model_precision *precision,
                        roof_error *error) {
  roof_model_settings one = *base;
  one.tp = one.pp = one.dp = one.ep = one.batch = 1;
  one.microbatches = 0;
  one.sp = false;
  one.precision = *precision;
  roof_status status = roof_model_target_init(&s->target, model, machine, &one, error);
  return status == ROOF_OK ? rf_model_search_check(&s->target, s->limits->devices, error) : status;
}

roof_status roof_plan_search(const roof_model *model, const roof_machine *machine,
                             const roof_model_settings *base, const roof_model_precision *precisions,
                             int precision_count, const roof_plan_limits *limits, roof_plan_front *front,
                             roof_error *error) {
  if (model->encoder) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "search: %s is an encoder: it has no time per token",
                          model->name);
  }
  search *s = calloc(1, sizeof *s);
  if (s == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "search: out of memory");
  }
  s->limits = limits;
  s->front = &s->found;
  s->found.short_bytes = NAN;
  roof_status status = ROOF_OK;
  for (int i = 0; i < precision_count && status == ROOF_OK; i++) {
    status = init(s, model, machine, base, &precisions[i], error);
    s->precision = i;
    if (status == ROOF_OK) {
      rf_model_each_plan(model, limits->devices / base->cp, try_plan, s);
    }
  }
  if (status == ROOF_OK) {
    status = rf_model_search_end(model, limits->devices, s->plans, error);
  }
  if (status == ROOF_OK) {
    *front = s->found;
  }
  free(s);
  return status;
}

char *roof_plan_point_text(const roof_plan_point *p, const char *precision, char *buffer, size_t size) {
  char ep[24] = "";
  if (p->ep > 1) {
    snprintf(ep, sizeof ep, " ep %.0f", p->ep);
  }
  snprintf(buffer, size, "tp %.0f pp %.0f dp %.0f%s b%.0f%s%.12s", p->tp, p->pp, p->dp, ep, p->batch,
           precision != NULL ? " " : "", precision != NULL ? precision : "");
  return buffer;
}
