/* What a training step keeps in one device's memory: the states of the model, as ZeRO shares them among
 * replicas, and the activations that the backward pass reads. */
#include <math.h>

#include "models/step.h"

/** Elements per token and layer that the backward pass reads: the inputs of norms, products, activations and
 * experts (Korthikanti et al. 2022, section 4.1, equation 1 without the masks of dropout). What lies between
 * the products that tp shares is whole on each of its devices, or split with sequence parallelism (equations
 * 2 and 4). */
static double kept_elements(const roof_model_target *t, const roof_model_block *b) {
  const roof_model_settings *s = &t->settings;
  double hidden = t->model->hidden, chosen = b->experts_per_token, tp = s->tp;
  model_widths w = rf_model_widths_of(b, tp);
  bool mixes = b->mixer != ROOF_MIX_NONE, latent = b->mixer == ROOF_MIX_LATENT;
  double outer = (b->norms + (mixes ? 1 : 0) + (rf_model_has_mlp(b) ? 1 : 0)) * hidden / (s->sp ? tp : 1);
  double inner = mixes ? w.queries + w.keys + w.values + w.mixed + w.in : 0;
  inner += latent ? b->q_rank + b->kv_rank + b->rope_dim + w.heads * (b->head_dim + b->value_dim) : 0;
  double rows = chosen * fmax(1, s->ep / tp) / s->ep; /* of experts on this device, a token */
  double expert = b->expert_width / rf_model_expert_cut(s);
  double mlp = (b->gated ? 3 : 2) * (w.mlp + rows * expert) + (b->experts > 0 ? rows * hidden : 0);
  return outer + inner + mlp;
}

/** Softmax of every pair, unless it is never written or made again alone (equation 6). */
static double score_elements(const roof_model_target *t, const roof_model_block *b) {
  const roof_model_settings *s = &t->settings;
  bool kept = s->recompute != ROOF_RECOMPUTE_SELECTIVE && !(s->fusion & ROOF_FUSE_FLASH);
  bool scored = b->mixer == ROOF_MIX_ATTENTION || b->mixer == ROOF_MIX_LATENT;
  return kept && scored ? b->heads / s->tp * s->prompt : 0;
}

/** A stage takes turns with one forward and one backward pass, so that the first keeps as many microbatches
 * as there are stages, the last one and its logits (Narayanan et al. 2021, section 2.2.1). With full
 * recomputation a layer keeps its input, and one layer is whole at a time. With several stages on each device it keeps
 * 1 + (p - 1) / (p v) times as much (Korthikanti et al. 2022, section 4.2.3). */
static double kept_bytes(const roof_model_target *t) {
  const roof_model *m = t->model;
  const roof_model_settings *s = &t->settings;
  bool full = s->recompute == ROOF_RECOMPUTE_FULL;
  double layers = 0, largest = 0, count = roof_model_microbatches(t), input = m->hidden / (s->sp ? s->tp : 1);
  double tokens = roof_model_replica_batch(t) / count * s->prompt / s->cp;
  for (int i = 0; i < m->block_count; i++) {
    double one = kept_elements(t, &m->blocks[i]) + score_elements(t, &m->blocks[i]);
    layers += t->stage_layers[i] * (full ? input : one);
    largest = fmax(largest, full ? one : 0);
  }
  double logits = m->encoder ? 0 : m->vocab / s->tp * 4; /* fp32 */
  double held = fmin(s->pp, count) * (1 + (s->pp - 1) / (s->pp * s->interleave) * (s->interleave > 1));
  double first = (held * layers + largest + input) * t->activation_bytes;
  double last = (layers + largest + input) * t->activation_bytes + logits;
  return tokens * fmax(first, last);
}

/** What ZeRO 3 gathers at a time: a layer, the table or the output projection; the largest of them. */
static double gathered_bytes(const roof_model_target *t, const model_weights *w) {
  double table = w->table * t->table_bytes, head = w->parts[ROOF_PART_HEAD] * t->weight_bytes[ROOF_PART_HEAD];
  double largest = fmax(table, head);
  for (int i = 0; i < t->model->block_count; i++) {
    largest = t->layers[i] > 0 ? fmax(largest, rf_model_layer_bytes(t, &t->model->blocks[i])) : largest;
  }
  return largest;
}

void rf_model_train_capacity(const roof_model_target *t, roof_model_capacity *c) {
  const roof_model_settings *s = &t->settings;
  model_weights w = rf_model_local_weights(t);
  double bytes = c->weight_bytes, gathered = gathered_bytes(t, &w);
  c->weight_bytes = rf_model_own_weights(t);
  c->gradient_bytes = rf_model_own_trained(t, 2) * t->activation_bytes;
  c->optimizer_bytes = rf_model_own_state(t);
  rf_model_move_out(t, c, &c->optimizer_bytes, s->offload_optimizer);
  c->weight_bytes += s->lora > 0 ? c->gradient_bytes : 0; /* of the adapters, in the same format */
  double held = c->weight_bytes;
  rf_model_move_out(t, c, &c->weight_bytes, s->offload);
  if (s->zero >= 3) {
    c->weight_bytes += gathered * (1 - held / bytes);
  }
  c->activation_bytes = kept_bytes(t);
}
