/* A training step on one device: backward, recomputation, what replicas exchange (data parallelism and ZeRO),
 * and Adam in mixed precision. */
#include <math.h>

#include "models/step.h"

/** `times` per step the gradients or weights of all layers, one layer at a time. */
static void exchange(model_step *s, const char *name, roof_collective kind, double times, bool experts) {
  const roof_model_target *t = s->target;
  const roof_model_settings *set = &t->settings;
  model_weights w = rf_model_local_weights(t);
  bool whole = set->zero >= 3 && kind == ROOF_ALL_GATHER;
  double bytes = t->activation_bytes *
                 (whole ? rf_model_weight_elements(&w, experts) : rf_model_trained_elements(t, &w, experts));
  double layers = ceil(t->model->layer_count / set->pp);
  model_transfer x = {name, kind, bytes / layers, rf_model_replicas(set, experts), set->tp, 1, 0};
  x.stride = experts ? fmax(set->tp, set->ep) : set->tp;
  if (bytes > 0) {
    rf_model_transfers(s, times * layers, &x);
  }
}

/** Gradients are summed once per step; with ZeRO each replica gets the sum of its part, and all gather the
 * weights that it makes of it. From stage 2 on no replica has room for all gradients, so that every
 * microbatch sends its own; at stage 3 none has all weights, which every pass gathers (Rajbhandari et al.
 * 2020, sections 5 and 7). */
static void exchange_all(model_step *s, bool experts) {
  double zero = s->target->settings.zero, m = s->steps;
  if (zero == 0) {
    exchange(s, experts ? "edp_all_reduce" : "dp_all_reduce", ROOF_ALL_REDUCE, 1, experts);
    return;
  }
  exchange(s, experts ? "edp_reduce_scatter" : "dp_reduce_scatter", ROOF_REDUCE_SCATTER, zero >= 2 ? m : 1,
           experts);
  exchange(s, experts ? "edp_all_gather" : "dp_all_gather", ROOF_ALL_GATHER, zero >= 3 ? 2 * m : 1, experts);
}

/** Adam, of the part that is this replica's from ZeRO 1 on; a layer at a time where state comes from the host. */
static void optimize(model_step *s) {
  const roof_model_target *t = s->target;
  double parts = rf_model_streamed_update(s) > 0 ? ceil(t->model->layer_count / t->settings.pp) : 1;
  model_call c = {.name = "adam",
                  .op = t->ops[MODEL_ADAM],
                  .values = {[RF_ELEMENTS] = rf_model_own_trained(t, 1) / parts},
                  .kernels = 1,
                  .part = ROOF_PART_COUNT,
                  .kind = ROOF_KIND_OPTIMIZER};
  rf_model_emit(s, parts, &c);
}

void rf_model_update(model_step *s) {
  exchange_all(s, false);
  exchange_all(s, true);
  optimize(s);
}

/** Sums hide behind the backward pass that makes them (Li et al. 2020, PyTorch DDP): the last microbatch's,
 * or from ZeRO 2 on every one's. Gathers are waited for: new weights, and at stage 3 those of each layer. FSDP asks for
 * the next layer's ahead (Zhao et al. 2023), yet 29 published steps took as long as if they did not hide. */
static model_seconds hideable(const model_step *s) {
  const roof_model_settings *set = &s->target->settings;
  double part = set->options.overlap / (set->zero >= 2 ? 1 : s->steps);
  return (model_seconds){.expected = part * s->backward.expected,
                         .low = part * s->backward.low,
                         .high = part * s->backward.high};
}

static bool hides(const model_step *s, const roof_model_operation *o) {
  return o->kind == ROOF_KIND_COLLECTIVE && o->op != s->target->collectives[ROOF_ALL_GATHER];
}

static double share_left(double seconds, double room) {
  return seconds > room ? 1 - room / seconds : 0;
}

void rf_model_hide(model_step *s, int first) {
  roof_model_phase *p = s->out;
  model_seconds hiding = {0}, room = hideable(s);
  double watts = s->target->plain.costs.constant_watts; /* drawn while other work runs, which has it */
  for (int i = first; i < p->count; i++) {
    const roof_model_operation *o = &p->operations[i];
    p->replica_seconds += o->kind == ROOF_KIND_COLLECTIVE ? o->count * o->expected_seconds : 0;
    double n = hides(s, o) ? o->count : 0;
    hiding.expected += n * o->expected_seconds;
    hiding.low += n * o->expected_low_seconds;
    hiding.high += n * o->expected_high_seconds;
  }
  p->backward_seconds = s->backward.expected;
  p->hidden_seconds = fmin(hiding.expected, room.expected);
  double left = share_left(hiding.expected, room.expected);
  for (int i = first; i < p->count; i++) {
    roof_model_operation *o = &p->operations[i];
    if (hides(s, o)) {
      o->energy_joules -= watts * (1 - left) * o->expected_seconds;
      o->expected_seconds *= left;
      o->expected_low_seconds *= share_left(hiding.low, room.low);
      o->expected_high_seconds *= share_left(hiding.high, room.high);
    }
  }
}
