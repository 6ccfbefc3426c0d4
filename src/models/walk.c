/* Every operation of a step: the embedding, the layers (each kind once, counted), the output projection. */
#include "models/step.h"

/** FLOPs an element of a norm: as the operations `rmsnorm` and `layernorm` count. */
static double norm_flops(const roof_model *m) {
  return m->layer_norm ? 8 : 5;
}

static double gain(const roof_model *m) {
  return m->hidden * (m->layer_norm ? 2 : 1);
}

static void emit_embedding(model_step *s) {
  const roof_model *m = s->target->model;
  enum { INDEX_BYTES = 4 };
  double dim = m->embedding_dim > 0 ? m->embedding_dim : m->hidden, a = s->target->activation_bytes;
  double tables = 1 + (m->positions > 0 ? 1 : 0) + (m->token_types > 0 ? 1 : 0);
  model_cost c = {.name = "embed", .part = ROOF_PART_COUNT, .unit = ROOF_VECTOR, .kernels = 1};
  c.flops = s->tokens * m->hidden * (tables - 1);
  c.read = s->tokens * (dim * tables * a + INDEX_BYTES);
  c.written = s->tokens * dim * a;
  rf_model_emit(s, s->steps, &c);
  rf_model_sum(s, s->steps);
  if (m->embedding_norm) {
    rf_model_map(s, s->steps, "norm", rf_model_outer_tokens(s) * m->hidden, norm_flops(m), 1, 1, gain(m));
  }
}

/** Norms and residual adds of `n` layers of a kind. The residual and the norm after it are one kernel (two
 * arrays in, two out), or two kernels (two in, one out; one in, one out); a norm inside the projection after
 * it leaves the add. */
static void emit_norms(model_step *s, double n, const roof_model_block *b) {
  const roof_model *m = s->target->model;
  unsigned fusion = s->target->settings.fusion;
  double elements = rf_model_outer_tokens(s) * m->hidden, adds = rf_model_sublayers(b), flops = norm_flops(m);
  double merged = fusion & ROOF_FUSE_NORM ? 0 : fusion & ROOF_FUSE_RESIDUAL ? adds : 0;
  merged = merged < b->norms ? merged : b->norms;
  double norms = b->norms - merged;
  if (merged > 0) {
    rf_model_map(s, n * merged, "add_norm", elements, flops + 1, 2, 2, gain(m));
  }
  if (fusion & ROOF_FUSE_NORM) {
    model_cost inside = {.name = "norm_in_proj", .part = ROOF_PART_COUNT, .unit = ROOF_VECTOR};
    inside.flops = flops * elements;
    inside.vectors = gain(m);
    rf_model_emit(s, n * norms, &inside);
  } else if (norms > 0) {
    rf_model_map(s, n * norms, "norm", elements, flops, 1, 1, gain(m));
  }
  if (adds > merged) {
    rf_model_map(s, n * (adds - merged), "residual", elements, 1, 2, 1, 0);
  }
}

static void emit_layers(model_step *s, double n, const roof_model_block *b) {
  emit_norms(s, n, b);
  if (b->mixer == ROOF_MIX_ATTENTION || b->mixer == ROOF_MIX_LATENT) {
    rf_model_attention(s, n, b);
  } else if (b->mixer != ROOF_MIX_NONE) {
    rf_model_state_space(s, n, b);
  }
  if (rf_model_has_mlp(b)) {
    rf_model_mlp(s, n, b);
  }
  rf_model_layer_transfers(s, n, b);
}

/** Logits for the rows that need them, and the choice of a token from them. */
static void emit_head(model_step *s) {
  const roof_model *m = s->target->model;
  double vocab = m->vocab / s->target->settings.tp;
  double dim = m->embedding_dim > 0 ? m->embedding_dim : m->hidden;
  if (m->final_norm) {
    rf_model_map(s, s->steps, "norm", rf_model_outer_tokens(s) * m->hidden, norm_flops(m), 1, 1, gain(m));
  }
  if (dim != m->hidden) {
    rf_model_product(s, s->steps, "table_in", ROOF_PART_HEAD, s->tokens, dim, m->hidden, 0);
    rf_model_product(s, s->heads, "table_out", ROOF_PART_HEAD, s->logits, m->hidden, dim, 0);
  }
  if (m->pooler) {
    rf_model_product(s, s->heads, "pooler", ROOF_PART_HEAD, s->logits, m->hidden, m->hidden, m->hidden);
  }
  if (m->encoder || m->vocab == 0) {
    return;
  }
  rf_model_product(s, s->heads, "lm_head", ROOF_PART_HEAD, s->logits, dim, vocab, m->head_bias ? vocab : 0);
  rf_model_logits_transfer(s);
  model_cost sample = {.name = s->training ? "loss" : "sample",
                       .kind = ROOF_KIND_SAMPLING,
                       .part = ROOF_PART_COUNT,
                       .unit = ROOF_VECTOR};
  sample.flops = 5 * s->logits * vocab; /* softmax and the draw */
  sample.read = s->logits * vocab * s->target->activation_bytes;
  sample.kernels = 1;
  rf_model_emit(s, s->heads, &sample);
}

void rf_model_walk(model_step *s) {
  const roof_model_target *t = s->target;
  emit_embedding(s);
  s->layers = true;
  for (int i = 0; i < t->model->block_count; i++) {
    if (t->layers[i] > 0) {
      emit_layers(s, t->stage_layers[i] * s->steps, &t->model->blocks[i]);
    }
  }
  s->layers = false;
  rf_model_stage_transfers(s);
  emit_head(s);
  rf_model_finish(s);
}
