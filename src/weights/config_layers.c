/* The layers of a config, one after the other. What says which layer is of which kind differs: a list a
 * layer, a period, a pattern of letters, or a block of its own for each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "weights/config.h"

/** Kinds of layers as `layer_types` and its like name them. */
typedef enum kind { FULL, SLIDING, CHUNKED, LINEAR, MAMBA } kind;

static double whole(const config *c, config_quantity quantity) {
  return rf_config_value(c, quantity, 0);
}

static void set_heads(const config *c, roof_model_block *b, bool global) {
  bool shared = global && rf_config_flag(c, Q_SHARED_KV);
  double heads = whole(c, Q_HEADS);
  double kv = rf_config_flag(c, Q_MULTI_QUERY) && !rf_config_flag(c, Q_NEW_DECODER)
                  ? 1
                  : rf_config_value(c, Q_KV_HEADS, heads);
  double dim = whole(c, Q_HEAD_DIM);
  dim = dim > 0 ? dim : heads > 0 ? c->model->hidden / heads : 0;
  b->heads = heads;
  b->kv_heads = shared ? rf_config_value(c, Q_GLOBAL_KV_HEADS, kv) : kv;
  b->head_dim = global ? rf_config_value(c, Q_GLOBAL_HEAD_DIM, dim) : dim;
  b->value_dim = b->head_dim;
  b->shared_kv = shared;
}

/** True where the layer has an indexer of its own. */
static bool indexes(const config *c, int layer) {
  const char *type = json_string_value(json_array_get(c->items[ITEM_INDEXER_TYPES], (size_t)layer));
  return type == NULL || strcmp(type, "full") == 0;
}

static void set_latent(const config *c, int layer, roof_model_block *b) {
  b->mixer = ROOF_MIX_LATENT;
  b->heads = whole(c, Q_HEADS);
  b->q_rank = whole(c, Q_Q_RANK);
  b->kv_rank = whole(c, Q_KV_RANK);
  b->head_dim = whole(c, Q_NOPE_DIM);
  b->rope_dim = whole(c, Q_ROPE_DIM);
  b->value_dim = whole(c, Q_VALUE_DIM);
  b->index_keys = whole(c, Q_INDEX_KEYS);
  if (b->index_keys > 0 && indexes(c, layer)) {
    b->index_heads = whole(c, Q_INDEX_HEADS);
    b->index_dim = whole(c, Q_INDEX_DIM);
  }
}

/** Gains of the norms on Q and K. */
static double qk_gains(const config *c, const roof_model_block *b) {
  config_qk_norm norm = c->arch->qk_norm;
  bool on = c->arch->qk_norm_always || rf_config_flag(c, Q_QK_NORM);
  return !on || norm == QK_NORM_NONE ? 0
         : norm == QK_NORM_HEAD      ? 2 * b->head_dim
                                     : b->head_dim * (b->heads + b->kv_heads);
}

static void set_attention(const config *c, int layer, kind k, roof_model_block *b) {
  if (whole(c, Q_KV_RANK) > 0) {
    set_latent(c, layer, b);
    return;
  }
  bool bias = c->arch->fixed_bias ? c->arch->defaults[Q_OUT_BIAS] != 0 : rf_config_flag(c, Q_OUT_BIAS);
  bias |= rf_config_flag(c, Q_ALL_BIAS);
  b->mixer = ROOF_MIX_ATTENTION;
  set_heads(c, b, k == FULL);
  b->qkv_bias = bias || rf_config_flag(c, Q_QKV_BIAS);
  b->bare_keys = c->arch->bare_keys;
  b->out_bias = bias && !c->arch->bias_of_qkv;
  b->output_gate = rf_config_flag(c, Q_OUTPUT_GATE);
  b->sinks = c->arch->sinks;
  b->qk_norm = qk_gains(c, b);
  b->chunked = k == CHUNKED;
  b->window = k == SLIDING ? whole(c, Q_WINDOW) : k == CHUNKED ? whole(c, Q_CHUNK) : 0;
  b->chunked &= b->window > 0;
}

static roof_status set_linear(const config *c, roof_model_block *b) {
  b->mixer = ROOF_MIX_DELTA;
  b->scan = whole(c, Q_SCAN);
  roof_status status = rf_config_need(c, Q_LINEAR_VALUE_HEADS, &b->heads);
  status = status == ROOF_OK ? rf_config_need(c, Q_LINEAR_KEY_HEADS, &b->kv_heads) : status;
  status = status == ROOF_OK ? rf_config_need(c, Q_LINEAR_KEY_DIM, &b->head_dim) : status;
  status = status == ROOF_OK ? rf_config_need(c, Q_LINEAR_VALUE_DIM, &b->value_dim) : status;
  return status == ROOF_OK ? rf_config_need(c, Q_LINEAR_KERNEL, &b->kernel) : status;
}

/** MiniMax's lightning attention is a state-space layer whose B, C and x are K, Q and V of each head, with a fixed decay: the
 * duality of Dao and Gu 2024, section 5; silu of Q, K and V is a convolution of one tap (Qin et al. 2024). */
static roof_status set_lightning(const config *c, roof_model_block *b) {
  set_heads(c, b, false);
  b->mixer = ROOF_MIX_MAMBA2;
  b->state = b->head_dim;
  b->groups = b->heads;
  b->kernel = 1;
  b->scan = whole(c, Q_SCAN);
  b->kv_heads = b->value_dim = 0;
  return ROOF_OK;
}

/** Kimi's delta attention: gate and decay, one for each channel, come through a rank of a head's width (Kimi Team 2025,
 * section 3). */
static roof_status set_kimi(const config *c, roof_model_block *b) {
  const json_t *linear = c->items[ITEM_LINEAR];
  b->mixer = ROOF_MIX_DELTA;
  b->scan = whole(c, Q_SCAN);
  b->heads = b->kv_heads = json_number_value(json_object_get(linear, "num_heads"));
  b->head_dim = b->value_dim = b->gate_rank = json_number_value(json_object_get(linear, "head_dim"));
  b->kernel = json_number_value(json_object_get(linear, "short_conv_kernel_size"));
  return b->heads >= 1 && b->head_dim >= 1 && b->kernel >= 1
             ? ROOF_OK
             : rf_config_fail(c, "linear_attn_config: without num_heads, head_dim or short_conv_kernel_size");
}

static roof_status set_mamba(const config *c, roof_model_block *b) {
  double inner = rf_config_value(c, Q_INNER, whole(c, Q_EXPAND) * c->model->hidden);
  roof_status status = rf_config_need(c, Q_STATE, &b->state);
  status = status == ROOF_OK ? rf_config_need(c, Q_KERNEL, &b->kernel) : status;
  b->conv_bias = rf_config_flag(c, Q_CONV_BIAS);
  b->mamba_bias = rf_config_flag(c, Q_STATE_BIAS);
  b->mamba_norms = c->arch->mamba_norms;
  if (c->arch
          ->mamba1) { /* one head of all channels; the step's rank is a 16th of the width (Gu and Dao 2023) */
    b->mixer = ROOF_MIX_MAMBA1;
    b->heads = 1;
    b->head_dim = inner;
    b->dt_rank = rf_config_value(c, Q_DT_RANK, ceil(c->model->hidden / 16));
    return status;
  }
  b->mixer = ROOF_MIX_MAMBA2;
  bool alone = c->arch->mamba_alone;
  double dim = rf_config_value(c, Q_STATE_HEAD_DIM, alone ? whole(c, Q_HEAD_DIM) : NAN);
  double heads =
      rf_config_value(c, Q_STATE_HEADS, alone && whole(c, Q_HEADS) > 0 ? whole(c, Q_HEADS) : inner / dim);
  b->heads = heads;
  b->head_dim = isnan(dim) ? inner / heads : dim;
  b->groups = rf_config_value(c, Q_STATE_GROUPS, 1);
  b->scan = rf_config_value(c, Q_SCAN, 256);
  return status;
}

/** The kind of a layer that no list names. */
static kind kind_by_rule(const config *c, int i) {
  const config_arch *a = c->arch;
  double period = whole(c, Q_ATTENTION_PERIOD), interval = whole(c, Q_FULL_INTERVAL);
  double pattern = whole(c, Q_WINDOW_PATTERN), window = whole(c, Q_WINDOW);
  if (a->mamba_alone || a->mamba_where_silent) {
    return MAMBA;
  }
  if (period > 0) {
    return fmod(i, period) == whole(c, Q_ATTENTION_OFFSET) ? FULL : MAMBA;
  }
  if (interval > 0) {
    return fmod(i + 1, interval) == 0 ? FULL : LINEAR;
  }
  if (pattern > 0) {
    return fmod(i + 1, pattern) == 0 ? FULL : whole(c, Q_CHUNK) > 0 ? CHUNKED : SLIDING;
  }
  bool on = a->window_needs_flag ? rf_config_flag(c, Q_USE_WINDOW) && i >= whole(c, Q_WINDOW_FROM)
                                 : a->window_everywhere;
  return on && window > 0 ? SLIDING : FULL;
}

/** Llama 4: a layer without rotation sees everything, one with it its chunk. The list may be empty. */
static bool kind_by_rope(const config *c, int i, kind *k) {
  const json_t *value = json_array_get(c->items[ITEM_ROPE_LAYERS], (size_t)i);
  if (value == NULL) {
    return false;
  }
  *k = json_number_value(value) != 0 ? CHUNKED : FULL;
  return true;
}

static bool in_list(const json_t *list, int number);

/** MiniMax: 0 is linear, 1 attends; Kimi: the numbers of the layers that are linear, from 1. */
static bool kind_by_list(const config *c, int i, kind *k) {
  const json_t *type = json_array_get(c->items[ITEM_ATTENTION_TYPES], (size_t)i);
  const json_t *linear = json_object_get(c->items[ITEM_LINEAR], "kda_layers");
  if (type == NULL && linear == NULL) {
    return false;
  }
  bool attends = type != NULL ? json_number_value(type) != 0 : !in_list(linear, i + 1);
  *k = attends ? FULL : LINEAR;
  return true;
}

static roof_status kind_of(const config *c, int i, kind *k) {
  static const struct {
    const char *name;
    kind kind;
  } names[] = {{"full_attention", FULL},
               {"attention", FULL},
               {"hybrid", FULL},
               {"sliding_attention", SLIDING},
               {"chunked_attention", CHUNKED},
               {"linear_attention", LINEAR},
               {"mamba", MAMBA},
               {"deepseek_sparse_attention", FULL}};
  const json_t *value = json_array_get(c->items[ITEM_LAYER_TYPES], (size_t)i);
  const char *name = json_string_value(value);
  if (c->items[ITEM_LAYER_TYPES] == NULL) {
    *k = FULL;
    if (!kind_by_rope(c, i, k) && !kind_by_list(c, i, k)) {
      *k = kind_by_rule(c, i);
    }
    return ROOF_OK;
  }
  for (size_t n = 0; n < sizeof names / sizeof names[0] && name != NULL; n++) {
    if (strcmp(names[n].name, name) == 0) {
      *k = names[n].kind;
      return ROOF_OK;
    }
  }
  return rf_config_fail(c, "layer_types[%d]: `%.40s` is not a known kind of layer", i,
                        name != NULL ? name : "(missing)");
}

static roof_status set_mixer(const config *c, int layer, roof_model_block *b) {
  kind k = FULL;
  roof_status status = kind_of(c, layer, &k);
  if (status != ROOF_OK) {
    return status;
  }
  if (k == LINEAR) {
    return c->arch->lightning              ? set_lightning(c, b)
           : c->items[ITEM_LINEAR] != NULL ? set_kimi(c, b)
                                           : set_linear(c, b);
  }
  if (k == MAMBA) {
    return set_mamba(c, b);
  }
  set_attention(c, layer, k, b);
  return ROOF_OK;
}

/** A number of the list `item`, or of the plain number that stands in its place. */
static bool in_list(const json_t *list, int number) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    if (json_number_value(json_array_get(list, i)) == number) {
      return true;
    }
  }
  return false;
}

/** True where the layer's MLP is a mixture of experts. */
static bool is_sparse(const config *c, int i) {
  const char *type = json_string_value(json_array_get(c->items[ITEM_MLP_TYPES], (size_t)i));
  const json_t *freq = c->items[ITEM_MOE_FREQ];
  double step = whole(c, Q_MOE_STEP), period = whole(c, Q_MOE_PERIOD);
  if (whole(c, Q_EXPERTS) <= 0) {
    return false;
  }
  if (type != NULL) {
    return strcmp(type, "sparse") == 0;
  }
  if (json_is_array(freq)) {
    return json_number_value(json_array_get(freq, (size_t)i)) != 0;
  }
  if (i < whole(c, Q_DENSE_LAYERS) || in_list(c->items[ITEM_DENSE_LAYERS], i)) {
    return false;
  }
  if (period > 0) {
    return fmod(i, period) == whole(c, Q_MOE_OFFSET);
  }
  if (step > 0) {
    return fmod(i + 1, step) == 0;
  }
  return !json_is_number(freq) || json_number_value(freq) <= 1 || fmod(i, json_number_value(freq)) == 0;
}

static roof_status set_dense(const config *c, roof_model_block *b) {
  double width = rf_config_value(c, Q_DENSE_WIDTH, whole(c, Q_WIDTH));
  b->width = width > 0 ? width : c->arch->four_times ? 4 * c->model->hidden : 0;
  b->mlp_bias = c->arch->fixed_bias ? c->arch->defaults[Q_MLP_BIAS] != 0 : rf_config_flag(c, Q_MLP_BIAS);
  b->mlp_bias |= rf_config_flag(c, Q_ALL_BIAS);
  return b->width > 0 ? ROOF_OK : rf_config_need(c, Q_WIDTH, &b->width);
}

/** Width of the shared experts together. */
static double shared_width(const config *c, const roof_model_block *b) {
  double count = whole(c, Q_SHARED_COUNT), width = whole(c, Q_SHARED_WIDTH);
  if (c->arch->shared_is_expert) {
    return b->expert_width;
  }
  return width > 0 ? width : count * b->expert_width;
}

static roof_status set_experts(const config *c, roof_model_block *b) {
  double fallback = c->arch->expert_is_width ? rf_config_value(c, Q_WIDTH, NAN) : NAN;
  b->experts = whole(c, Q_EXPERTS);
  b->expert_width = rf_config_value(c, Q_EXPERT_WIDTH, fallback);
  b->expert_groups = rf_config_value(c, Q_EXPERT_GROUPS, 0);
  b->token_groups = rf_config_value(c, Q_TOKEN_GROUPS, 0);
  b->expert_bias = rf_config_flag(c, Q_EXPERT_BIAS);
  b->router_bias = rf_config_flag(c, Q_ROUTER_BIAS) || c->arch->router_bias;
  if (isnan(b->expert_width)) {
    return rf_config_fail(c, "`%s` is missing, and its class has no value for it",
                          rf_config_quantity_name(Q_EXPERT_WIDTH));
  }
  b->width = shared_width(c, b);
  b->shared_gate = c->arch->shared_gate && b->width > 0;
  if (rf_config_flag(c, Q_MOE_BESIDE)) { /* experts in parallel to a dense MLP (Gemma 4) */
    b->width = whole(c, Q_WIDTH);
    b->norms += c->arch->norms_parallel;
  }
  return rf_config_need(c, Q_TOP_K, &b->experts_per_token);
}

/** Starcoder2's `mlp_type`: default, or gated. */
static bool is_gated(const config *c) {
  const char *type = json_string_value(c->items[ITEM_MLP_TYPE]);
  return type != NULL && strcmp(type, "gated") == 0;
}

static void init_block(const config *c, roof_model_block *b) {
  memset(b, 0, sizeof *b);
  b->norms = c->arch->norms > 0 ? c->arch->norms : 2;
  b->gated = !c->arch->plain_mlp || is_gated(c);
  b->parallel = rf_config_flag(c, Q_PARALLEL);
  bool separate = c->arch->separate_norms || rf_config_flag(c, Q_NEW_DECODER);
  if ((b->parallel && !separate) || c->arch->mamba_alone) {
    b->norms = 1;
  }
}

/** RWKV: receptance, key, value and what more is square, low-rank products for decay and gates, a state of a matrix a head
 * (Peng et al. 2024, section 4; Peng et al. 2025, section 4). */
static roof_status set_rwkv(const config *c, roof_model_block *b) {
  static const config_quantity ranks[] = {Q_DECAY_RANK, Q_GATE_RANK, Q_RATE_RANK, Q_VALUE_RANK};
  double rank = 0, width = whole(c, Q_WIDTH), hidden = c->model->hidden;
  for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
    rank += whole(c, ranks[i]);
  }
  b->mixer = ROOF_MIX_RWKV;
  b->head_dim = b->value_dim = whole(c, Q_HEAD_DIM);
  b->heads = b->kv_heads = floor(hidden / b->head_dim);
  b->squares = c->arch->rwkv_squares;
  b->gate_rank = rank > 0 ? rank : c->arch->rwkv_rank;
  b->scan = whole(c, Q_SCAN);
  b->width = width > 0 ? width : (c->arch->rwkv_width > 0 ? c->arch->rwkv_width : 4) * hidden;
  return ROOF_OK;
}

/** What Gemma 3n's layers have more. */
static void set_extras(const config *c, int i, roof_model_block *b) {
  double width = json_number_value(json_array_get(c->items[ITEM_WIDTHS], (size_t)i));
  double shared = whole(c, Q_KV_SHARED_LAYERS), layers = whole(c, Q_LAYERS);
  double side = floor(whole(c, Q_WINDOW_PIXELS) / fmax(1, json_number_value(c->items[ITEM_PATCH])));
  bool windows = c->items[ITEM_FULL_LAYERS] != NULL && !in_list(c->items[ITEM_FULL_LAYERS], i);
  b->window = windows && side >= 1 ? side * side : b->window;
  b->width = width >= 1 ? width : b->width;
  b->altup = whole(c, Q_ALTUP);
  b->laurel = b->altup > 0 ? whole(c, Q_LAUREL) : 0;
  b->layer_input = b->altup > 0 ? whole(c, Q_PER_LAYER_INPUT) : 0;
  b->reuses_kv = b->altup > 0 && shared < layers && i >= layers - shared;
}

static roof_status set_layer(const config *c, int i, roof_model_block *b) {
  init_block(c, b);
  if (c->arch->rwkv_squares > 0) {
    return set_rwkv(c, b);
  }
  roof_status status = set_mixer(c, i, b);
  if (status != ROOF_OK || c->arch->mamba_alone) {
    return status;
  }
  status = is_sparse(c, i) ? set_experts(c, b) : set_dense(c, b);
  set_extras(c, i, b);
  return status;
}

/** Nemotron-H: a letter a layer, which is a mixer or an MLP, not both. */
static roof_status set_letter(const config *c, char letter, roof_model_block *b) {
  init_block(c, b);
  b->norms = 1;
  switch (letter) {
  case 'M':
    return set_mamba(c, b);
  case '*':
    set_attention(c, 0, FULL, b);
    return ROOF_OK;
  case '-':
    return set_dense(c, b);
  case 'E':
    return set_experts(c, b);
  default:
    return rf_config_fail(c, "hybrid_override_pattern: `%c` is not a known kind of layer", letter);
  }
}

static bool flag_of(const json_t *object, const char *key) {
  return json_is_true(json_object_get(object, key));
}

/** Nemotron-NAS: a block of its own for each layer. The MLP's width is 2/3 of ffn_mult times the hidden size,
 * rounded up to a multiple of 256 (block_config.py of nvidia/Llama-3_3-Nemotron-Super-49B-v1). */
static roof_status set_searched(const config *c, int i, roof_model_block *b) {
  const json_t *block = json_array_get(c->items[ITEM_BLOCKS], (size_t)i);
  const json_t *attention = json_object_get(block, "attention"), *ffn = json_object_get(block, "ffn");
  double group = json_number_value(json_object_get(attention, "n_heads_in_group"));
  double mult = json_number_value(json_object_get(ffn, "ffn_mult"));
  init_block(c, b);
  if (flag_of(attention, "replace_with_linear") || flag_of(ffn, "replace_with_linear")) {
    return rf_config_fail(c, "block_configs[%d]: replace_with_linear is not computed by this version", i);
  }
  if (!flag_of(attention, "no_op")) {
    set_attention(c, i, FULL, b);
    b->kv_heads = group > 0 ? b->heads / group : 0;
  }
  if (!flag_of(ffn, "no_op")) {
    b->width = ceil(floor(2 * mult * c->model->hidden / 3) / 256) * 256;
  }
  b->norms = (b->mixer != ROOF_MIX_NONE) + (b->width > 0);
  return ROOF_OK;
}

static roof_status layer_of(const config *c, int i, roof_model_block *b) {
  const char *letters = json_string_value(c->items[ITEM_PATTERN]);
  if (letters != NULL) {
    return set_letter(c, (size_t)i < strlen(letters) ? letters[i] : '?', b);
  }
  return json_is_array(c->items[ITEM_BLOCKS]) ? set_searched(c, i, b) : set_layer(c, i, b);
}

/** Attention and state space side by side read the same norm: two kinds of layers here, one after the other. */
static roof_status add_parallel(const config *c) {
  roof_model_block block;
  init_block(c, &block);
  block.norms = 1;
  set_attention(c, 0, FULL, &block);
  roof_status status = roof_model_add_layer(c->model, &block, c->error);
  init_block(c, &block);
  block.norms = 1;
  status = status == ROOF_OK ? set_mamba(c, &block) : status;
  status = status == ROOF_OK ? set_dense(c, &block) : status;
  return status == ROOF_OK ? roof_model_add_layer(c->model, &block, c->error) : status;
}

roof_status rf_config_layer(const config *c, roof_model_block *b) {
  init_block(c, b);
  set_attention(c, 0, FULL, b);
  return set_dense(c, b);
}

roof_status rf_config_layers(config *c) {
  double layers = 0;
  roof_status status = rf_config_need(c, Q_LAYERS, &layers);
  if (status == ROOF_OK && c->arch->mamba_where_silent && c->items[ITEM_LAYER_TYPES] == NULL) {
    roof_model_note(c->model, "layer_types is not given: every layer is mamba, as the class has it");
  }
  if (status == ROOF_OK && c->arch->mamba_parallel) {
    roof_model_note(c->model, "each layer counts as two: its attention, then its state space and its MLP");
  }
  for (int i = 0; i < layers && status == ROOF_OK; i++) {
    roof_model_block block;
    if (c->arch->mamba_parallel) {
      status = add_parallel(c);
      continue;
    }
    status = layer_of(c, i, &block);
    if (status == ROOF_OK && block.mixer == ROOF_MIX_NONE && block.width <= 0 && block.experts <= 0) {
      continue; /* a layer that a search took out altogether */
    }
    status = status == ROOF_OK ? roof_model_add_layer(c->model, &block, c->error) : status;
  }
  return status;
}
