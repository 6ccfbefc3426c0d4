/* The layers of a config, one after the other. */
#include <math.h>
#include <string.h>

#include "catalog/config.h"

static void set_heads(const config *c, roof_model_block *b, bool global) {
  double heads = config_value(c, Q_HEADS, 0);
  double kv = config_flag(c, Q_MULTI_QUERY) ? 1 : config_value(c, Q_KV_HEADS, heads);
  double dim = config_value(c, Q_HEAD_DIM, 0);
  dim = dim > 0 ? dim : heads > 0 ? c->model->hidden / heads : 0;
  b->heads = heads;
  b->kv_heads = global ? config_value(c, Q_GLOBAL_KV_HEADS, kv) : kv;
  b->head_dim = global ? config_value(c, Q_GLOBAL_HEAD_DIM, dim) : dim;
  b->value_dim = b->head_dim;
  b->shared_kv = global && config_flag(c, Q_SHARED_KV);
}

static void set_latent(const config *c, roof_model_block *b) {
  b->mixer = ROOF_MIX_LATENT;
  b->heads = config_value(c, Q_HEADS, 0);
  b->q_rank = config_value(c, Q_Q_RANK, 0);
  b->kv_rank = config_value(c, Q_KV_RANK, 0);
  b->head_dim = config_value(c, Q_NOPE_DIM, 0);
  b->rope_dim = config_value(c, Q_ROPE_DIM, 0);
  b->value_dim = config_value(c, Q_VALUE_DIM, 0);
  b->index_keys = config_value(c, Q_INDEX_KEYS, 0);
}

/** Gains of the norms on Q and K. */
static double qk_gains(const config *c, const roof_model_block *b) {
  config_qk_norm norm = c->arch->qk_norm;
  bool on = c->arch->qk_norm_always || config_flag(c, Q_QK_NORM);
  return !on || norm == QK_NORM_NONE ? 0
         : norm == QK_NORM_HEAD      ? 2 * b->head_dim
                                     : b->head_dim * (b->heads + b->kv_heads);
}

static void set_attention(const config *c, roof_model_block *b, bool global) {
  if (config_value(c, Q_KV_RANK, 0) > 0) {
    set_latent(c, b);
    return;
  }
  b->mixer = ROOF_MIX_ATTENTION;
  set_heads(c, b, global);
  b->qkv_bias = config_flag(c, Q_QKV_BIAS) || config_flag(c, Q_OUT_BIAS);
  b->out_bias = config_flag(c, Q_OUT_BIAS);
  b->output_gate = config_flag(c, Q_OUTPUT_GATE);
  b->sinks = c->arch->sinks;
  b->qk_norm = qk_gains(c, b);
}

static void set_window(const config *c, roof_model_block *b) {
  b->window = config_value(c, Q_WINDOW, 0);
}

/** A layer whose kind no list says. */
static void set_plain_mixer(const config *c, int layer, roof_model_block *b) {
  (void)layer;
  set_attention(c, b, true);
  bool on = c->arch->window_needs_flag ? config_flag(c, Q_USE_WINDOW) : c->arch->window_everywhere;
  if (on) {
    set_window(c, b);
  }
}

static roof_status set_mixer(const config *c, int layer, roof_model_block *b) {
  set_plain_mixer(c, layer, b);
  return ROOF_OK;
}

static void set_dense(const config *c, roof_model_block *b) {
  b->width = config_value(c, Q_WIDTH, 0);
  b->mlp_bias = config_flag(c, Q_MLP_BIAS);
}

static roof_status set_experts(const config *c, roof_model_block *b) {
  double fallback = c->arch->expert_is_width ? config_value(c, Q_WIDTH, NAN) : NAN;
  b->experts = config_value(c, Q_EXPERTS, 0);
  b->expert_width = config_value(c, Q_EXPERT_WIDTH, fallback);
  if (isnan(b->expert_width)) {
    return config_fail(c, "`%s` is missing, and its class has no value for it",
                       config_quantity_name(Q_EXPERT_WIDTH));
  }
  return config_need(c, Q_TOP_K, &b->experts_per_token);
}

static roof_status set_mlp(const config *c, int layer, roof_model_block *b) {
  (void)layer;
  b->gated = !c->arch->plain_mlp;
  if (config_value(c, Q_EXPERTS, 0) > 0) {
    return set_experts(c, b);
  }
  set_dense(c, b);
  return b->width > 0 ? ROOF_OK : config_need(c, Q_WIDTH, &b->width);
}

roof_status config_layers(config *c) {
  double layers = 0;
  roof_status status = config_need(c, Q_LAYERS, &layers);
  for (int i = 0; i < layers && status == ROOF_OK; i++) {
    roof_model_block block;
    memset(&block, 0, sizeof block);
    block.norms = c->arch->norms > 0 ? c->arch->norms : 2;
    status = set_mixer(c, i, &block);
    status = status == ROOF_OK ? set_mlp(c, i, &block) : status;
    status = status == ROOF_OK ? roof_model_add_layer(c->model, &block, c->error) : status;
  }
  return status;
}
