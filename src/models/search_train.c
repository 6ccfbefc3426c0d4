/* Every plan of a training step on so many devices: the fastest that fits, and what less memory costs. */
#include <math.h>
#include <stdlib.h>

#include "models/front.h"
#include "models/step.h"
#include "roofline/plan.h"

typedef struct search {
  roof_model_target target;
  roof_train_front *front;
  roof_train_front found;
  double plans; /**< that divide the model */
  bool memory_alone;
  roof_model_phase phase;
} search;

static double step_time(const void *point) {
  return ((const roof_train_point *)point)->seconds;
}

static double memory(const void *point) {
  return ((const roof_train_point *)point)->total_bytes;
}

static const model_front_kind weighed = {sizeof(roof_train_point), step_time, memory};

static roof_train_point point_of(const search *s, const roof_model_capacity *c) {
  const roof_model_settings *set = &s->target.settings;
  return (roof_train_point){.tp = set->tp,
                            .pp = set->pp,
                            .dp = set->dp,
                            .ep = set->ep,
                            .sp = set->sp,
                            .recompute = set->recompute,
                            .zero = set->zero,
                            .microbatches = roof_model_microbatches(&s->target),
                            .micro_batch = set->batch / set->dp / roof_model_microbatches(&s->target),
                            .seconds = NAN,
                            .mfu = NAN,
                            .device_tokens_per_second = NAN,
                            .total_bytes = c->total_bytes,
                            .training = {NAN, NAN, NAN, NAN, NAN, NAN, NAN}};
}

/** What does not fit, if it lacks the least. */
static void keep_nearest(search *s, const roof_model_capacity *c) {
  if (s->front->nearest.tp == 0 || -c->spare_bytes < s->front->short_bytes) {
    s->front->nearest = point_of(s, c);
    s->front->short_bytes = -c->spare_bytes;
  }
}

/** One choice of everything, if it fits. */
static void try_one(search *s) {
  const roof_model_settings *set = &s->target.settings;
  s->front->tried++;
  roof_model_capacity c = roof_model_capacity_of(&s->target);
  s->front->fit += c.fits;
  if (!c.fits || s->memory_alone) {
    keep_nearest(s, &c);
    return;
  }
  roof_model_phase_of(&s->target, ROOF_PHASE_TRAIN, 0, 0, &s->phase);
  roof_train_point p = point_of(s, &c);
  p.seconds = s->phase.expected_seconds;
  p.mfu = s->phase.mfu;
  p.training = roof_model_training_of(set, s->target.devices, &s->phase);
  p.device_tokens_per_second = set->batch * set->prompt / p.seconds / s->target.devices;
  rf_model_front_add(&weighed, s->front->points, &s->front->count, &p);
  const roof_train_point *best = &s->front->best;
  bool equal = p.seconds == best->seconds && p.total_bytes < best->total_bytes;
  if (best->tp == 0 || p.seconds < best->seconds || equal) {
    s->front->best = p;
  }
}

/** Recomputation and stages of ZeRO; those that one replica has no use for are left out. */
static void try_memory(search *s) {
  roof_model_settings *set = &s->target.settings;
  bool replicas = rf_model_replicas(set, false) > 1;
  for (int r = 0; r < ROOF_RECOMPUTE_COUNT; r++) {
    for (set->zero = 0; set->zero <= (replicas ? 3 : 0); set->zero++) {
      set->recompute = (roof_recompute)r;
      try_one(s);
    }
  }
  set->zero = 0;
}

static void try_plan(void *data, double tp, double pp, double dp, double ep) {
  search *s = data;
  roof_model_settings *set = &s->target.settings;
  set->tp = tp, set->pp = pp, set->dp = dp, set->ep = ep;
  for (int sp = 0; sp <= (tp > 1); sp++) {
    set->sp = sp;
    double sequences = roof_model_replica_batch(&s->target);
    for (double count = 1; count <= sequences; count = rf_model_next_microbatches(sequences, count)) {
      set->microbatches = count;
      if (rf_model_plan_check(s->target.model, set, NULL) == ROOF_OK && rf_model_plan_share(&s->target)) {
        s->plans++;
        try_memory(s);
      }
    }
  }
}

/** How many devices a plan fits on, of twice as many, four times, ...; NaN: on none of them. */
static double enough_devices(search *s, double devices) {
  enum { TIMES = 64 };
  roof_train_front more = {.fit = 0};
  double n = devices;
  s->front = &more;
  s->memory_alone = true;
  while (more.fit == 0 && n < TIMES * devices && rf_model_search_check(&s->target, 2 * n, NULL) == ROOF_OK) {
    n *= 2;
    rf_model_each_plan(s->target.model, n / s->target.settings.cp, try_plan, s);
  }
  return more.fit > 0 ? n : NAN;
}

roof_status roof_train_search(const roof_model *model, const roof_machine *machine,
                              const roof_model_settings *base, double devices, roof_train_front *front,
                              roof_error *error) {
  roof_model_settings one = *base;
  search *s = calloc(1, sizeof *s);
  if (s == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "search: out of memory");
  }
  s->front = &s->found;
  one.train = true;
  one.sp = false;
  one.batch = s->found.batch = isnan(base->batch) ? devices : base->batch;
  one.tp = one.pp = one.dp = one.ep = one.microbatches = 1;
  roof_status status = roof_model_target_init(&s->target, model, machine, &one, error);
  status = status == ROOF_OK ? rf_model_search_check(&s->target, devices, error) : status;
  if (status == ROOF_OK) {
    rf_model_each_plan(model, devices / base->cp, try_plan, s);
    status = rf_model_search_end(model, devices, s->plans, error);
  }
  if (status == ROOF_OK) {
    s->found.enough_devices = s->found.fit > 0 ? NAN : enough_devices(s, devices);
    s->found.short_bytes = s->found.fit > 0 ? NAN : s->found.short_bytes;
    *front = s->found;
  }
  free(s);
  return status;
}
