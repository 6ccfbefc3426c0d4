/* Operations as they are added to a phase, timed by the core's own prediction, and summed. */
#include <math.h>
#include <string.h>

#include "models/step.h"

static const roof_target *target_of(const roof_model_target *t, roof_model_part part) {
  return part < ROOF_PART_COUNT ? &t->parts[part] : &t->plain;
}

static void fill_bytes(const roof_model_target *t, const model_cost *c, double bytes[]) {
  double weights = c->part < ROOF_PART_COUNT ? c->weights * t->weight_bytes[c->part] : 0;
  bytes[ROOF_BYTES_WEIGHTS] = weights + c->vectors * t->vector_bytes;
  bytes[ROOF_BYTES_ACTIVATIONS] = c->read + c->written;
  bytes[ROOF_BYTES_KV] = c->kv_read + c->kv_written;
  bytes[ROOF_BYTES_NETWORK] = c->link_bytes;
}

static void predict(const roof_model_target *t, const model_cost *c, const double bytes[],
                    roof_prediction *p) {
  roof_work work;
  roof_work_init(&work);
  work.unit = c->unit;
  work.flops = c->flops;
  work.read_bytes = bytes[ROOF_BYTES_WEIGHTS] + c->read + c->kv_read;
  work.write_bytes = c->written + c->kv_written;
  work.link_bytes = c->link_bytes;
  work.link_steps = c->link_steps;
  work.launches = c->kernels;
  if (c->collective != NULL) {
    roof_predict_transfer(&t->plain, &t->links[c->span], &work, p);
  } else {
    roof_predict_work(target_of(t, c->part), &work, p);
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

/** The compared numbers come first: names are rarely read. */
static bool is_same(const roof_model_operation *o, const model_cost *c, const double *bytes) {
  return o->flops == c->flops && o->part == c->part && o->span == c->span &&
         memcmp(o->bytes, bytes, sizeof o->bytes) == 0 && strcmp(o->name, c->name) == 0;
}

static void fill(roof_model_operation *o, const model_cost *c, const double bytes[],
                 const roof_prediction *p) {
  o->name = c->name;
  o->kind = c->part < ROOF_PART_COUNT ? ROOF_KIND_PRODUCT
            : c->link_bytes > 0       ? ROOF_KIND_COLLECTIVE
                                      : c->kind;
  o->part = c->part;
  o->flops = c->flops;
  memcpy(o->bytes, bytes, sizeof o->bytes);
  o->kernels = c->kernels;
  o->span = c->span;
  o->collective = c->collective;
  o->algorithm = c->algorithm;
  fill_times(o, p);
}

void rf_model_emit(model_step *s, double count, const model_cost *c) {
  roof_model_phase *out = s->out;
  double bytes[ROOF_BYTES_CLASS_COUNT];
  if (s->attention_only && c->kind != ROOF_KIND_ATTENTION) {
    return;
  }
  fill_bytes(s->target, c, bytes);
  model_passes passes = rf_model_passes_of(s, c);
  out->recomputed_flops += count * passes.again * c->flops;
  for (int i = 0; i < out->count; i++) {
    roof_model_operation *o = &out->operations[i];
    if (is_same(o, c, bytes)) {
      o->count += count * passes.all;
      out->backward_seconds += count * passes.backward * o->expected_seconds;
      return;
    }
  }
  if (out->count == ROOF_MODEL_OPERATION_MAX) { /* roof_model_target_init has refused such a model */
    return;
  }
  roof_model_operation *o = &out->operations[out->count++];
  roof_prediction p;
  predict(s->target, c, bytes, &p);
  fill(o, c, bytes, &p);
  o->count = count * passes.all;
  out->backward_seconds += count * passes.backward * o->expected_seconds;
}

void rf_model_product(model_step *s, double count, const char *name, roof_model_part part, double rows,
                      double in, double out, double vectors) {
  const roof_model_target *t = s->target;
  model_cost c = {.name = name,
                  .part = part,
                  .unit = ROOF_MATRIX,
                  .flops = 2 * rows * in * out,
                  .weights = in * out,
                  .vectors = vectors,
                  .read = rows * in * t->input_bytes[part],
                  .written = rows * out * t->activation_bytes,
                  .kernels = 1};
  rf_model_emit(s, count, &c);
}

void rf_model_map(model_step *s, double count, const char *name, double elements, double flops, double reads,
                  double writes, double vectors) {
  double a = s->target->activation_bytes;
  model_cost c = {.name = name,
                  .part = ROOF_PART_COUNT,
                  .unit = ROOF_VECTOR,
                  .flops = flops * elements,
                  .vectors = vectors,
                  .read = reads * elements * a,
                  .written = writes * elements * a,
                  .kernels = 1};
  rf_model_emit(s, count, &c);
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
    hidden += o->collective != NULL ? o->count * o->lower_seconds : 0;
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
    lower += o->collective != NULL ? 0 : o->count * o->lower_seconds;
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
