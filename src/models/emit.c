/* Operations as they are added to a phase, timed by the core's own prediction, and summed. */
#include <math.h>
#include <string.h>

#include "models/step.h"

void roof_model_operation_predict(const roof_model_target *t, const roof_model_operation *o,
                                  roof_prediction *p) {
  double vectors = o->vectors * t->vector_bytes;
  roof_work work;
  roof_work_init(&work);
  work.unit = o->op->unit;
  o->op->work(o->op, o->values, o->types, &work);
  if (o->kernels == 0) {
    work.read_bytes = work.write_bytes = work.weight_bytes = work.cache_bytes = 0;
  }
  work.weight_bytes += vectors;
  work.read_bytes += vectors;
  work.launches = o->kernels;
  if (o->kind == ROOF_KIND_COLLECTIVE) {
    roof_predict_transfer(&t->plain, &t->links[o->span], &work, p);
  } else {
    roof_predict_work(o->part < ROOF_PART_COUNT ? &t->parts[o->part] : &t->plain, &work, p);
  }
}

static void fill_times(roof_model_operation *o, const roof_prediction *p) {
  o->intensity = p->intensity;
  o->ridge = p->ridge;
  o->regime = p->regime;
  o->peak = p->peak;
  o->level = p->binding;
  o->compute_seconds = p->compute_seconds;
  o->memory_seconds = p->memory_seconds;
  o->network_seconds = p->network_seconds;
  o->overhead_seconds = p->overhead_seconds;
  o->lower_seconds = p->lower_seconds;
  o->upper_seconds = p->upper_seconds;
  o->expected_seconds = p->expected_seconds;
  o->expected_low_seconds = p->expected_low_seconds;
  o->expected_high_seconds = p->expected_high_seconds;
  o->energy_joules = p->energy_joules;
}

/** Names are compared last: they rarely differ. */
static bool is_same(const roof_model_operation *o, const model_call *c) {
  return o->op == c->op && o->part == c->part && o->span == c->span && o->vectors == c->vectors &&
         memcmp(o->values, c->values, sizeof o->values) == 0 && strcmp(o->name, c->name) == 0;
}

/** Without a cache, what is kept counts as activations. */
static void fill_work(const roof_model_target *t, roof_model_operation *o, const roof_work *w) {
  bool cached = o->types == &t->cache_types || o->types == &t->state_types;
  o->flops = w->flops;
  o->bytes[ROOF_BYTES_WEIGHTS] = w->weight_bytes;
  o->bytes[ROOF_BYTES_KV] = cached ? w->cache_bytes : 0;
  o->bytes[ROOF_BYTES_ACTIVATIONS] =
      w->read_bytes + w->write_bytes - w->weight_bytes - o->bytes[ROOF_BYTES_KV];
  o->bytes[ROOF_BYTES_NETWORK] = w->link_bytes;
}

static void fill(const roof_model_target *t, roof_model_operation *o, const model_call *c) {
  roof_prediction p;
  o->name = c->name;
  o->op = c->op;
  o->types = c->types != NULL ? c->types : &t->stored[c->part];
  o->vectors = c->vectors;
  o->kernels = c->kernels;
  memcpy(o->values, c->values, sizeof o->values);
  o->kind = c->part < ROOF_PART_COUNT ? ROOF_KIND_PRODUCT : c->kind;
  o->part = c->part;
  o->span = c->span;
  o->algorithm = c->kind == ROOF_KIND_COLLECTIVE && c->op->params[RF_ALGORITHM].name != NULL
                     ? roof_op_value_name(c->op, RF_ALGORITHM, c->values[RF_ALGORITHM])
                     : NULL;
  roof_model_operation_predict(t, o, &p);
  fill_work(t, o, &p.work);
  fill_times(o, &p);
}

void rf_model_emit(model_step *s, double count, const model_call *c) {
  roof_model_phase *out = s->out;
  if (s->attention_only && c->kind != ROOF_KIND_ATTENTION) {
    return;
  }
  roof_model_operation *o = out->operations, *end = o + out->count;
  while (o < end && !is_same(o, c)) {
    o++;
  }
  if (o == end && out->count == ROOF_MODEL_OPERATION_MAX) { /* roof_model_target_init refuses such a model */
    return;
  }
  if (o == end) {
    fill(s->target, o, c);
    o->count = 0;
    out->count++;
  }
  model_passes passes = rf_model_passes_of(s, c);
  o->count += count * passes.all;
  out->recomputed_flops += count * passes.again * o->flops;
  out->backward_seconds += count * passes.backward * o->expected_seconds;
}

void rf_model_product(model_step *s, double count, const char *name, roof_model_part part, double rows,
                      double in, double out, double vectors) {
  model_call c = {.name = name,
                  .op = s->target->ops[MODEL_LINEAR],
                  .values = {[RF_LINEAR_BATCH] = rows, [RF_LINEAR_IN] = in, [RF_LINEAR_OUT] = out},
                  .vectors = vectors,
                  .kernels = 1,
                  .part = part};
  rf_model_emit(s, count, &c);
}

void rf_model_map(model_step *s, double count, const char *name, model_op op, const double values[3],
                  double vectors) {
  model_call c = {.name = name,
                  .op = s->target->ops[op],
                  .values = {values[0], values[1], values[2]},
                  .vectors = vectors,
                  .kernels = 1,
                  .part = ROOF_PART_COUNT};
  rf_model_emit(s, count, &c);
}

void rf_model_silu_gate(model_step *s, double count, const char *name, double elements) {
  double flops = s->target->ops[MODEL_SILU]->flops_per_element;
  rf_model_map(s, count, name, MODEL_ACTIVATION, (double[3]){elements, flops, 1}, 0);
}

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

/** At best all transfers hide behind the work on the device, and those of one link behind the other's. */
static void overlap_links(roof_model_phase *p) {
  double hidden = 0;
  for (int i = 0; i < p->count; i++) {
    const roof_model_operation *o = &p->operations[i];
    hidden += o->kind == ROOF_KIND_COLLECTIVE ? o->count * o->lower_seconds : 0;
  }
  double most = fmax(p->link_seconds[ROOF_SPAN_NODE], p->link_seconds[ROOF_SPAN_CLUSTER]);
  p->lower_seconds = fmax(p->lower_seconds - hidden, most);
}

/** The time in which a device waits for the pipeline to fill and drain, as an operation of its own. */
static void add_idle(model_step *s) {
  roof_model_phase *p = s->out;
  double more = s->rounds / s->steps - 1, watts = s->target->plain.costs.constant_watts;
  if (!(more > 0) || p->count == ROOF_MODEL_OPERATION_MAX) {
    return;
  }
  roof_model_operation o = {.name = "pipeline_idle",
                            .part = ROOF_PART_COUNT,
                            .count = 1,
                            .intensity = NAN,
                            .ridge = NAN,
                            .regime = ROOF_OVERHEAD_BOUND,
                            .overhead_seconds = more * p->lower_seconds,
                            .lower_seconds = more * p->lower_seconds,
                            .upper_seconds = more * p->upper_seconds,
                            .expected_seconds = more * p->expected_seconds,
                            .expected_low_seconds = more * p->expected_low_seconds,
                            .expected_high_seconds = more * p->expected_high_seconds};
  o.energy_joules = watts * o.expected_seconds;
  p->bubble = 1 - s->steps / s->rounds;
  p->operations[p->count++] = o;
  add_operation(p, &o);
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
    const roof_model_operation *o = &p->operations[i];
    lower += o->kind == ROOF_KIND_COLLECTIVE ? 0 : o->count * o->lower_seconds;
    add_operation(p, o);
  }
  p->lower_seconds = fmax(lower, fmax(p->link_seconds[ROOF_SPAN_NODE], p->link_seconds[ROOF_SPAN_CLUSTER]));
}

void rf_model_finish(model_step *s) {
  roof_model_phase *p = s->out;
  const roof_target *plain = &s->target->plain;
  for (int i = 0; i < p->count; i++) {
    add_operation(p, &p->operations[i]);
  }
  overlap_links(p);
  add_idle(s);
  if (s->training) {
    add_update(s);
  }
  if (s->target->settings.launch == ROOF_LAUNCH_PERSISTENT) { /* what the operations paid were barriers */
    p->kernels = s->steps;
  }
  p->memory_bytes = p->bytes[ROOF_BYTES_WEIGHTS] + p->bytes[ROOF_BYTES_ACTIVATIONS] + p->bytes[ROOF_BYTES_KV];
  p->hfu = p->flops / (p->expected_seconds * main_peak(p));
  p->mfu = p->hfu * (1 - p->recomputed_flops / p->flops);
  p->mbu = p->memory_bytes * plain->seconds_per_byte[plain->memory][0] / p->expected_seconds;
}
