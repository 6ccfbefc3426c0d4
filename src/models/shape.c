#include "models/shape.h"

#include <math.h>

model_widths rf_model_widths_of(const roof_model_block *b, double tp) {
  model_widths w = {.heads = b->heads / tp, .kv_heads = fmax(1, b->kv_heads / tp)};
  w.mlp = b->width / tp;
  w.expert = b->expert_width / tp;
  switch (b->mixer) {
  case ROOF_MIX_LATENT:
    w.queries = w.heads * (b->head_dim + b->rope_dim);
    w.mixed = w.heads * b->value_dim;
    break;
  case ROOF_MIX_ATTENTION:
  case ROOF_MIX_CROSS:
    w.queries = w.heads * b->head_dim;
    w.keys = w.kv_heads * b->head_dim;
    w.values = w.kv_heads * b->value_dim;
    w.mixed = w.heads * b->value_dim;
    break;
  case ROOF_MIX_MAMBA1: /* x and gate z; the step, B and C come from a second projection */
    w.inner = w.conv = w.mixed = b->heads * b->head_dim / tp;
    w.in = 2 * w.inner;
    w.state = w.inner * (b->state + b->kernel - 1);
    break;
  case ROOF_MIX_MAMBA2: /* z, x, B, C and a step per head (Dao and Gu 2024, section 7) */
    w.inner = w.mixed = w.heads * b->head_dim;
    w.conv = w.inner + 2 * fmax(1, b->groups / tp) * b->state;
    w.in = w.inner + w.conv + w.heads;
    w.state = w.inner * b->state + w.conv * (b->kernel - 1);
    break;
  case ROOF_MIX_RWKV: /* a matrix a head, and the last token of the mixer and of the MLP */
    w.inner = w.mixed = w.heads * b->value_dim;
    w.keys = w.heads * b->head_dim;
    w.in = (b->squares - 1) * w.inner;
    w.state = w.heads * b->head_dim * b->value_dim + 2 * w.inner;
    break;
  case ROOF_MIX_DELTA: /* Q, K, V, gate z and two scalars per head (Yang et al. 2025) */
    w.inner = w.mixed = w.heads * b->value_dim;
    w.keys = fmax(1, b->kv_heads / tp) * b->head_dim;
    w.conv = 2 * w.keys + w.inner;
    w.in = w.conv + (b->gate_rank > 0 ? 2 * b->gate_rank + w.heads : w.inner + 2 * w.heads);
    w.state = w.heads * b->head_dim * b->value_dim + w.conv * (b->kernel - 1);
    break;
  default:
    break;
  }
  return w;
}

roof_model_stream rf_model_stream(const roof_model *m, double stream) {
  if (stream > 0) {
    return m->streams[(int)stream - 1];
  }
  return (roof_model_stream){.hidden = m->hidden,
                             .activation = m->activation,
                             .vectors = m->vectors,
                             .rotary = m->rotary,
                             .layer_norm = m->layer_norm,
                             .shiftless = m->shiftless,
                             .embedding_norm = m->embedding_norm,
                             .final_norm = m->final_norm};
}

double rf_model_norm_vectors(const roof_model_stream *s) {
  return s->hidden * (s->layer_norm && !s->shiftless ? 2 : 1);
}

double rf_model_key_biases(const roof_model_block *b, double keys) {
  return b->qkv_bias && !b->bare_keys ? keys : 0;
}

bool rf_model_has_heads(const roof_model_block *b) {
  return b->mixer == ROOF_MIX_ATTENTION || b->mixer == ROOF_MIX_CROSS;
}

double rf_model_kv_elements(const roof_model_block *b, double tp) {
  double index = b->index_heads > 0 ? b->index_dim : 0;
  if (b->mixer == ROOF_MIX_LATENT) { /* every device keeps the whole latent */
    return b->kv_rank + b->rope_dim + index;
  }
  if (!rf_model_has_heads(b) || b->stream > 0 || b->joint > 0 ||
      b->reuses_kv) { /* all tokens at once: no cache */
    return 0;
  }
  return fmax(1, b->kv_heads / tp) * (b->head_dim + b->value_dim) + index;
}

double rf_model_kept_tokens(const roof_model_block *b, double context) {
  return b->window > 0 ? fmin(b->window, context) : context;
}

bool rf_model_has_mlp(const roof_model_block *b) {
  return b->width > 0 || b->experts > 0;
}

double rf_model_sublayers(const roof_model_block *b) {
  bool mixer = b->mixer != ROOF_MIX_NONE, mlp = rf_model_has_mlp(b);
  return mixer && mlp && b->parallel ? 1 : (double)mixer + (double)mlp;
}
