/* Operations as they are added to a phase, timed by the core's own prediction, and summed. */
#include <math.h>
#include <string.h>

#include "core/work.h"
#include "models/step.h"

/** Layers of a stage that keep what this block's mixer does. */
static double layers_like(const roof_model_target *t, const roof_model_block *b) {
  double layers = 0;
  for (int i = 0; i < t->model->block_count; i++) {
    const roof_model_block *other = &t->model->blocks[i];
    layers += other->mixer == b->mixer && other->window == b->window ? t->stage_layers[i] : 0;
  }
  return layers;
}

/** Of the stored keys, values and states that an operation moves, those that no cache holds when they are wanted again: it
 * keeps a step's weights, and of what the layers have of their sequences as much as has room next to them. Keys of a whole
 * prompt were just written, and its state starts empty. */
static double displaced_bytes(const roof_model_target *t, const roof_model_operation *o,
                              const roof_work *work) {
  double weights = rf_model_passing_weights(t, t->weight_bytes[ROOF_PART_MIXER]);
  double room = fmax(0, t->plain.cache_bytes - weights);
  bool state = o->kind == ROOF_KIND_STATE, scan = state && o->values[RF_STATE_TOKENS] > 1;
  double bytes = scan ? work->cache_bytes / 2 : work->cache_bytes, all = bytes;
  if (state || (o->types == &t->cache_types && work->kernel.rows < work->kernel.columns)) {
    all *= o->block != NULL ? layers_like(t, o->block) : 1;
  }
  return all > room ? bytes * (1 - room / all) : 0;
}

void roof_model_operation_predict(const roof_model_target *t, const roof_model_operation *o,
                                  roof_prediction *p) {
  double vectors = o->vectors * t->vector_bytes;
  roof_work *work = &p->work;
  rf_work_init(work);
  work->unit = o->op->unit;
  o->op->work(o->op, o->values, o->types, work);
  if (o->kernels == 0) {
    work->read_bytes = work->write_bytes = work->weight_bytes = work->cache_bytes = 0;
    work->kernel = (roof_kernel_shape){0}; /* nor does it wait as one of its own would */
  }
  if (o->part < ROOF_PART_COUNT && t->rounded_share[o->part] < 1) {
    work->least.flops = t->rounded_share[o->part] * work->flops;
  }
  work->weight_bytes += vectors;
  work->read_bytes += vectors;
  work->launches = o->kernels;
  work->fresh_bytes = displaced_bytes(t, o, work);
  if (o->kind == ROOF_KIND_COLLECTIVE) {
    roof_predict_transfer(&t->plain, &t->links[o->span], work, p);
  } else {
    const roof_target *plain = o->types == &t->cache_types ? &t->cached : &t->plain;
    roof_predict_work(o->part < ROOF_PART_COUNT ? &t->parts[o->part] : plain, work, p);
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

/** What runs while other kernels do takes no more than its share of the arithmetic and the memory: how long it takes to
 * start does not show, and what the machine draws meanwhile counts once. */
static void hide_start(const roof_model_target *t, roof_model_operation *o) {
  double seconds = fmax(o->compute_seconds, o->memory_seconds);
  o->energy_joules -= t->plain.costs.constant_watts * (o->expected_seconds - seconds);
  o->lower_seconds = fmin(o->lower_seconds, seconds);
  o->expected_seconds = o->expected_low_seconds = o->expected_high_seconds = seconds;
}

/** Names are compared last: they rarely differ. */
static bool is_same(const roof_model_operation *o, double stream, const model_call *c) {
  return o->op == c->op && o->part == c->part && o->stream == stream && o->span == c->span &&
         o->vectors == c->vectors && memcmp(o->values, c->values, sizeof o->values) == 0 &&
         strcmp(o->name, c->name) == 0;
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
  o->block = c->block;
  o->algorithm = c->kind == ROOF_KIND_COLLECTIVE && roof_op_param_count(c->op) > RF_ALGORITHM
                     ? roof_op_value_name(c->op, RF_ALGORITHM, c->values[RF_ALGORITHM])
                     : NULL;
  roof_model_operation_predict(t, o, &p);
  fill_work(t, o, &p.work);
  fill_times(o, &p);
}

/** Times that the backward pass does an operation: a product has two of its size, for its input and for its
 * weights (Kaplan et al. 2020, section 2.1: twice the forward pass); flash attention five of its size where
 * forward has two, one of which makes the scores again (Dao 2023, section 4.1); of a transfer there is one
 * for the gradient. */
static double backward_passes(const model_step *s, const model_call *c) {
  bool flash = c->kind == ROOF_KIND_ATTENTION && s->target->settings.fusion & ROOF_FUSE_FLASH;
  bool frozen = c->part < ROOF_PART_COUNT && s->target->settings.lora > 0; /* no gradient of its weights */
  return frozen ? 1 : c->passes > 0 ? c->passes - 1 : c->kind == ROOF_KIND_COLLECTIVE ? 1 : flash ? 2.5 : 2;
}

model_passes rf_model_passes_of(const model_step *s, const model_call *c) {
  const roof_model_settings *set = &s->target->settings;
  if (!s->training || c->kind == ROOF_KIND_OPTIMIZER) {
    return (model_passes){.all = 1};
  }
  bool attention = c->kind == ROOF_KIND_ATTENTION, flash = (set->fusion & ROOF_FUSE_FLASH) != 0;
  bool again = (set->recompute == ROOF_RECOMPUTE_FULL && s->place == MODEL_IN_LAYERS) ||
               (set->recompute == ROOF_RECOMPUTE_SELECTIVE && attention && !flash);
  double backward = backward_passes(s, c) + (again ? 1 : 0);
  return (model_passes){1 + backward, backward, (again ? 1 : 0) + (attention && flash ? 0.5 : 0)};
}

void rf_model_emit(model_step *s, double count, const model_call *c) {
  roof_model_phase *out = s->out;
  if ((s->attention_only && c->kind != ROOF_KIND_ATTENTION) ||
      (s->wanted != MODEL_OF_ALL && s->wanted != s->extent)) {
    return;
  }
  roof_model_operation *o = out->operations, *end = o + out->count;
  while (o < end && !is_same(o, s->stream, c)) {
    o++;
  }
  if (o == end && out->count == ROOF_MODEL_OPERATION_MAX) { /* roof_model_target_init refuses such a model */
    return;
  }
  if (o == end) {
    fill(s->target, o, c);
    if (s->concurrent) {
      hide_start(s->target, o);
    }
    o->stream = s->stream;
    o->count = 0;
    out->count++;
  }
  model_passes passes = rf_model_passes_of(s, c);
  o->count += count * passes.all;
  rf_model_pipeline_add(s, count * passes.all, o);
  out->recomputed_flops += count * passes.again * o->flops;
  double backward = count * passes.backward;
  s->backward.expected += backward * o->expected_seconds;
  s->backward.low += backward * o->expected_low_seconds;
  s->backward.high += backward * o->expected_high_seconds;
}

/** TensorRT-LLM writes activations whose blocks have scales in a kernel of its own before each product (fp4_quantize and
 * fp8_quantize_1x128 of linear.py; norms do it from 2026 on: pull requests 9905 and 14848, "every MLA RMSNorm ... is
 * immediately followed by a standalone NVFP4 input-quantize"). Its benchmark of products alone has what a host adds to
 * such a kernel in it, so it is a kernel here. Of those with one scale what comes before writes the format. */
static bool quantises_before(const roof_model_target *t, roof_model_part part) {
  const char *framework = t->settings.options.framework;
  return framework != NULL && strcmp(framework, "trtllm") == 0 && t->parts[part].types.group > 0 &&
         t->input_bytes[part] < t->activation_bytes;
}

void rf_model_product_of(model_step *s, double count, const model_product *p) {
  model_call c = {.name = p->name,
                  .op = s->target->ops[p->activation > 0 ? MODEL_LINEAR_ACT : MODEL_LINEAR],
                  .values = {[RF_LINEAR_BATCH] = p->rows,
                             [RF_LINEAR_IN] = p->in,
                             [RF_LINEAR_OUT] = p->out,
                             [RF_LINEAR_ACTIVATION] = p->activation,
                             [RF_LINEAR_GATED] = p->gated},
                  .vectors = p->vectors,
                  .kernels = 1,
                  .part = p->part};
  if (quantises_before(s->target, p->part)) {
    model_call write = {.name = "quantise",
                        .op = s->target->ops[MODEL_COPY],
                        .types = &s->target->stored[p->part],
                        .values = {p->rows * p->in},
                        .kernels = 1,
                        .part = ROOF_PART_COUNT};
    rf_model_emit(s, count, &write);
  }
  rf_model_emit(s, count, &c);
}

void rf_model_product(model_step *s, double count, const char *name, roof_model_part part, double rows,
                      double in, double out, double vectors) {
  model_product p = {.name = name, .part = part, .rows = rows, .in = in, .out = out, .vectors = vectors};
  rf_model_product_of(s, count, &p);
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
