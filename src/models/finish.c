/* What is known of a phase when all its operations are there. */
#include <math.h>

#include "models/step.h"

static void add_operation(roof_model_phase *p, const roof_model_operation *o) {
  double n = o->count;
  p->flops += n * o->flops;
  for (int i = 0; i < ROOF_BYTES_CLASS_COUNT; i++) {
    p->bytes[i] += n * o->bytes[i];
  }
  p->kernels += n * o->kernels;
  p->compute_seconds += n * o->compute_seconds;
  p->memory_seconds += n * o->memory_seconds;
  p->network_seconds += n * o->network_seconds;
  p->link_seconds[o->span] += n * o->network_seconds;
  p->overhead_seconds += n * o->overhead_seconds;
  p->lower_seconds += n * o->lower_seconds;
  p->upper_seconds += n * o->upper_seconds;
  p->expected_seconds += n * o->expected_seconds;
  p->expected_low_seconds += n * o->expected_low_seconds;
  p->expected_high_seconds += n * o->expected_high_seconds;
  p->energy_joules += n * o->energy_joules;
  p->stream_seconds[(int)o->stream] += n * o->expected_seconds;
}

/** The peak that MFU is measured against: of the operation with most of the FLOPs. */
static double main_peak(const roof_model_phase *p) {
  double most = -1, peak = NAN;
  for (int i = 0; i < p->count; i++) {
    const roof_model_operation *o = &p->operations[i];
    if (o->count * o->flops > most && o->peak != NULL) {
      most = o->count * o->flops;
      peak = o->peak->flops_per_second;
    }
  }
  return peak;
}

/** Of the operations from `first` on, at best, without transfers. */
static double work_seconds(const roof_model_phase *p, int first) {
  double sum = 0;
  for (int i = first; i < p->count; i++) {
    const roof_model_operation *o = &p->operations[i];
    sum += o->kind == ROOF_KIND_COLLECTIVE ? 0 : o->count * o->lower_seconds;
  }
  return sum;
}

/** At best all transfers between devices hide behind other work, and those of one link behind the other's. */
static void overlap_links(roof_model_phase *p, double work) {
  double busy[ROOF_SPAN_COUNT] = {0};
  for (int i = 0; i < p->count; i++) {
    const roof_model_operation *o = &p->operations[i];
    busy[o->span] += o->kind == ROOF_KIND_COLLECTIVE ? o->count * o->lower_seconds : 0;
  }
  double near = fmax(busy[ROOF_SPAN_NEIGHBOURS], busy[ROOF_SPAN_NODE]);
  p->lower_seconds = fmax(work, fmax(near, busy[ROOF_SPAN_CLUSTER]));
}

/** What devices of a node exchange through the port that leads to the host: nothing else passes it meanwhile. */
static double port_seconds(const model_step *s) {
  return rf_model_one_port(s->target) ? s->out->link_seconds[ROOF_SPAN_NODE] : 0;
}

static model_seconds times_of(const roof_model_phase *p) {
  return (model_seconds){p->lower_seconds, p->upper_seconds, p->expected_seconds, p->expected_low_seconds,
                         p->expected_high_seconds};
}

/** The longer the work takes, the less is left of what hides behind it. */
static void put_in_order(roof_model_operation *o) {
  double low = o->expected_low_seconds, high = o->expected_high_seconds;
  o->expected_low_seconds = fmin(o->expected_seconds, fmin(low, high));
  o->expected_high_seconds = fmax(o->expected_seconds, fmax(low, high));
}

/** Adds a transfer of so many bytes one way between the host's memory and the device, less what hides: the less the longer the work
 * takes. Totals have what is left at each length of the work, the operation all of them in order. */
static void fetch(model_step *s, const char *name, double bytes, const model_seconds *room) {
  const roof_model_target *t = s->target;
  roof_model_phase *p = s->out;
  double seconds = bytes / t->links[ROOF_SPAN_HOST].bytes_per_second, overlap = t->settings.options.overlap;
  roof_model_operation o = {.name = name,
                            .part = ROOF_PART_COUNT,
                            .kind = ROOF_KIND_COLLECTIVE,
                            .span = ROOF_SPAN_HOST,
                            .count = 1,
                            .bytes = {[ROOF_BYTES_NETWORK] = bytes},
                            .intensity = NAN,
                            .ridge = NAN,
                            .regime = ROOF_NETWORK_BOUND,
                            .network_seconds = seconds,
                            .lower_seconds = fmax(0, seconds - room->lower),
                            .upper_seconds = seconds,
                            .expected_seconds = fmax(0, seconds - overlap * room->expected),
                            .expected_low_seconds = fmax(0, seconds - overlap * room->low),
                            .expected_high_seconds = fmax(0, seconds - overlap * room->high)};
  o.energy_joules = t->plain.costs.constant_watts * o.expected_seconds;
  add_operation(p, &o);
  rf_model_pipeline_add(s, 1, &o);
  put_in_order(&o);
  o.lower_seconds = fmin(o.lower_seconds, o.expected_low_seconds);
  p->operations[p->count++] = o;
}

/** Weights are waited for in both passes, each by its part of the work; sums of replicas go on meanwhile, unless the weights
 *  come over the same port. */
static void wait_in_passes(model_step *s, const model_seconds *work) {
  const model_seconds all = times_of(s->out);
  model_seconds *b = &s->backward;
  double taken = rf_model_one_port(s->target) ? s->out->link_seconds[ROOF_SPAN_HOST] : 0;
  b->expected *= (all.expected - taken) / work->expected;
  b->low *= (all.low - taken) / work->low;
  b->high *= (all.high - taken) / work->high;
}

/** Of what the operations read the part that lies in the host's memory comes over its link, while the rest of the step runs and leaves the
 * link free; what is left of the transfer then is waited for. */
static void add_offload(model_step *s) {
  const roof_model_target *t = s->target;
  const roof_model_settings *set = &t->settings;
  roof_model_phase *p = s->out;
  if (!(set->offload > 0 || set->offload_kv > 0) || s->attention_only || s->wanted != MODEL_OF_ALL ||
      p->count == ROOF_MODEL_OPERATION_MAX) {
    return;
  }
  double bytes =
      s->training ? rf_model_streamed_weights(s)
                  : set->offload * p->bytes[ROOF_BYTES_WEIGHTS] + set->offload_kv * p->bytes[ROOF_BYTES_KV];
  double busy = port_seconds(s);
  const model_seconds work = times_of(p);
  const model_seconds room = {work.lower - busy, work.upper, work.expected - busy, work.low - busy,
                              work.high - busy};
  s->place = MODEL_IN_LAYERS; /* nearly all of the weights, and all of the cache */
  fetch(s, "offload", bytes, &room);
  s->place = MODEL_OUTSIDE;
  wait_in_passes(s, &work);
}

/** The time in which a device waits for the pipeline to fill and drain, as an operation of its own. */
static void add_idle(model_step *s) {
  roof_model_phase *p = s->out;
  model_seconds idle = rf_model_idle(s);
  if (!(idle.expected > 0) || p->count == ROOF_MODEL_OPERATION_MAX) {
    return;
  }
  roof_model_operation o = {.name = "pipeline_idle",
                            .part = ROOF_PART_COUNT,
                            .count = 1,
                            .intensity = NAN,
                            .ridge = NAN,
                            .regime = ROOF_OVERHEAD_BOUND,
                            .overhead_seconds = idle.lower,
                            .lower_seconds = idle.lower,
                            .upper_seconds = idle.upper,
                            .expected_seconds = idle.expected,
                            .expected_low_seconds = idle.low,
                            .expected_high_seconds = idle.high};
  o.energy_joules = s->target->plain.costs.constant_watts * o.expected_seconds;
  p->bubble = idle.expected / (p->expected_seconds + idle.expected);
  p->operations[p->count++] = o;
  add_operation(p, &o);
}

/** A pipeline's stages wait, and at best hide what each of them could alone. */
static void add_pipeline(model_step *s) {
  roof_model_phase *p = s->out;
  if (s->target->settings.pp <= 1 || s->attention_only) {
    return;
  }
  add_idle(s);
  p->lower_seconds = fmax(rf_model_pipeline_least(s), p->link_seconds[ROOF_SPAN_HOST] + port_seconds(s));
}

/** After the passes of all microbatches: the replicas' transfers, which at best hide behind them, and the
 * optimizer. */
static void add_update(model_step *s) {
  roof_model_phase *p = s->out;
  double lower = p->lower_seconds;
  int first = p->count;
  rf_model_update(s);
  rf_model_hide(s, first);
  for (int i = first; i < p->count; i++) {
    add_operation(p, &p->operations[i]);
    put_in_order(&p->operations[i]);
  }
  overlap_links(p, lower + work_seconds(p, first));
}

/** State of the optimizer comes from the host and goes back, both at once, while the update runs. */
static void add_update_offload(model_step *s) {
  roof_model_phase *p = s->out;
  double bytes = rf_model_streamed_update(s);
  if (!(bytes > 0) || p->count == 0 || p->count == ROOF_MODEL_OPERATION_MAX) {
    return;
  }
  const roof_model_operation *update = &p->operations[p->count - 1];
  double n = update->count;
  const model_seconds room = {n * update->lower_seconds, n * update->upper_seconds,
                              n * update->expected_seconds, n * update->expected_low_seconds,
                              n * update->expected_high_seconds};
  fetch(s, "offload_update", bytes, &room);
}

void rf_model_finish(model_step *s) {
  roof_model_phase *p = s->out;
  const roof_target *plain = &s->target->plain;
  for (int i = 0; i < p->count; i++) {
    add_operation(p, &p->operations[i]);
  }
  overlap_links(p, work_seconds(p, 0));
  add_offload(s);
  add_pipeline(s);
  if (s->training) {
    add_update(s);
    add_update_offload(s);
  }
  if (s->target->settings.launch == ROOF_LAUNCH_PERSISTENT) { /* what the operations paid were barriers */
    p->kernels = s->steps;
  }
  p->memory_bytes = p->bytes[ROOF_BYTES_WEIGHTS] + p->bytes[ROOF_BYTES_ACTIVATIONS] + p->bytes[ROOF_BYTES_KV];
  p->hfu = p->flops / (p->expected_seconds * main_peak(p));
  p->mfu = p->hfu * (1 - p->recomputed_flops / p->flops);
  p->mbu = p->memory_bytes * plain->seconds_per_byte[plain->memory][0] / p->expected_seconds;
}
