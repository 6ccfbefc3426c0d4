/* A training step on one device: forward, backward, recomputation, and Adam in mixed precision. */
#include <math.h>

#include "models/step.h"

/** Times that an operation is done. Backward of a product is two products of its size, one for its input and
 * one for its weights; flash attention's has five of its size where forward has two (Dao 2023, section 3.1).
 * Of a transfer there is one for the gradient. */
double model_passes(const model_step *s, const model_cost *c) {
  const roof_model_settings *set = &s->target->settings;
  bool attention = c->kind == ROOF_KIND_ATTENTION, flash = (set->fusion & ROOF_FUSE_FLASH) != 0;
  if (!s->training || c->kind == ROOF_KIND_OPTIMIZER) {
    return 1;
  }
  bool again = (set->recompute == ROOF_RECOMPUTE_FULL && s->layers) ||
               (set->recompute == ROOF_RECOMPUTE_SELECTIVE && attention && !flash);
  double backward = c->link_bytes > 0 ? 1 : attention && flash ? 2.5 : 2;
  return 1 + backward + (again ? 1 : 0);
}

/** Bytes of master weights and both moments, a parameter: fp32 each; fp32 weights are their own master
 * (Micikevicius et al. 2018; Rajbhandari et al. 2020, section 3.1). */
static double state_bytes(const roof_model_target *t) {
  return t->activation_bytes < 4 ? 12 : 8;
}

void model_optimizer(model_step *s) {
  enum { FLOPS = 12 }; /* both moments 3 + 4, root, quotient, sum, product, difference (Kingma and Ba 2015) */
  const roof_model_target *t = s->target;
  double parameters = t->parameters.total, a = t->activation_bytes;
  model_cost c = {.name = "adam", .kind = ROOF_KIND_OPTIMIZER, .part = ROOF_PART_COUNT, .unit = ROOF_VECTOR};
  c.kernels = 1;
  c.flops = FLOPS * parameters;
  c.vectors = parameters; /* the gradient */
  c.read = parameters * (a < 4 ? state_bytes(t) : state_bytes(t) + a);
  c.written = parameters * (state_bytes(t) + a);
  model_emit(s, 1, &c);
}

/** Elements a token that the backward pass of a layer reads: the input of each norm, product and activation
 * (Korthikanti et al. 2022, section 4.1, without the masks of dropout). */
static double kept_elements(const roof_model_target *t, const roof_model_block *b) {
  double hidden = t->model->hidden, chosen = b->experts_per_token;
  model_widths w = model_widths_of(b, 1);
  double mixer = b->mixer == ROOF_MIX_NONE ? 0 : hidden + w.queries + w.keys + w.values + w.mixed + w.in;
  double latent = b->mixer == ROOF_MIX_LATENT
                      ? b->q_rank + b->kv_rank + b->rope_dim + w.heads * (b->head_dim + b->value_dim)
                      : 0;
  double dense = model_has_mlp(b) ? hidden : 0;
  double mlp = (b->gated ? 3 : 2) * (w.mlp + chosen * w.expert) + (b->experts > 0 ? chosen * hidden : 0);
  return b->norms * hidden + mixer + latent + dense + mlp;
}

/** Softmax of every pair, kept unless it is never written or is made again. */
static double score_elements(const roof_model_target *t, const roof_model_block *b) {
  const roof_model_settings *s = &t->settings;
  bool kept = s->recompute == ROOF_RECOMPUTE_NONE && !(s->fusion & ROOF_FUSE_FLASH);
  bool scored = b->mixer == ROOF_MIX_ATTENTION || b->mixer == ROOF_MIX_LATENT;
  return kept && scored ? b->heads * s->prompt : 0;
}

static double model_kept_bytes(const roof_model_target *t) {
  const roof_model *m = t->model;
  bool full = t->settings.recompute == ROOF_RECOMPUTE_FULL;
  double elements = 0, largest = 0, tokens = roof_model_replica_batch(t) * t->settings.prompt;
  for (int i = 0; i < m->block_count; i++) {
    double one = kept_elements(t, &m->blocks[i]) + score_elements(t, &m->blocks[i]);
    elements += t->layers[i] * (full ? m->hidden : one);
    largest = fmax(largest, full ? one : 0);
  }
  double logits = m->encoder ? 0 : m->vocab * 4; /* fp32 */
  return tokens * ((elements + largest + m->hidden) * t->activation_bytes + logits);
}

void model_train_capacity(const roof_model_target *t, roof_model_capacity *c) {
  c->gradient_bytes = t->parameters.total * t->activation_bytes;
  c->optimizer_bytes = t->parameters.total * state_bytes(t);
  c->activation_bytes = model_kept_bytes(t);
}
