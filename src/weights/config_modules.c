/* Modules that lists name ("model.layers.3.self_attn.q_proj", "re:.*mlp.*"): which share of a part's weights they are. What they
 * leave out stays in the activations' format; the part has the mean of both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weights/config.h"

enum { MODULE_MAX = 24 };

/** What holds attention, an MLP or a state-space layer: classes differ in what they call it. */
#define ATTENTION "self_attn|attn|attention|mixer"
#define LINEAR "linear_attn|self_attn|mixer"
#define STATE "mixer|mamba"
#define DENSE "mlp|feed_forward|ffn"
#define DENSE_ALONE DENSE "|mixer"
#define SHARED                                                                                               \
  "mlp.shared_experts|mlp.shared_expert|feed_forward.shared_expert|block_sparse_moe.shared_experts|"         \
  "mlp.shared_mlp|shared_mlp|mixer.shared_experts"
#define EXPERTS "mlp|block_sparse_moe|feed_forward|mixer|moe"

static int attention_modules(double hidden, const roof_model_block *b, config_module *out) {
  double queries = b->heads * b->head_dim * (b->output_gate ? 2 : 1), keys = b->kv_heads * b->head_dim;
  double values = b->shared_kv ? 0 : b->kv_heads * b->value_dim;
  int n = 0;
  out[n++] = (config_module){ATTENTION, "q_proj|qkv_proj", ROOF_PART_MIXER, hidden * queries};
  out[n++] = (config_module){ATTENTION, "k_proj|qkv_proj", ROOF_PART_MIXER, hidden * keys};
  out[n++] = (config_module){ATTENTION, "v_proj|qkv_proj", ROOF_PART_MIXER, hidden * values};
  out[n++] = (config_module){ATTENTION, "o_proj|out_proj", ROOF_PART_MIXER, hidden * b->heads * b->value_dim};
  return n;
}

/** DeepSeek-V2's names: down to a latent, up from it. */
static int latent_modules(double hidden, const roof_model_block *b, config_module *out) {
  double queries = b->heads * (b->head_dim + b->rope_dim), from = b->q_rank > 0 ? b->q_rank : hidden;
  double index = b->index_heads > 0 ? 1 : 0, values = b->heads * b->value_dim;
  int n = 0;
  out[n++] = (config_module){ATTENTION, "q_a_proj", ROOF_PART_MIXER, hidden * b->q_rank};
  out[n++] =
      (config_module){ATTENTION, b->q_rank > 0 ? "q_b_proj" : "q_proj", ROOF_PART_MIXER, from * queries};
  out[n++] =
      (config_module){ATTENTION, "kv_a_proj_with_mqa", ROOF_PART_MIXER, hidden * (b->kv_rank + b->rope_dim)};
  out[n++] = (config_module){ATTENTION, "kv_b_proj", ROOF_PART_MIXER,
                             b->kv_rank * b->heads * (b->head_dim + b->value_dim)};
  out[n++] = (config_module){ATTENTION, "o_proj", ROOF_PART_MIXER, hidden * values};
  out[n++] = (config_module){
      ATTENTION, "indexer", ROOF_PART_MIXER,
      index * (b->index_heads * b->index_dim * from + hidden * (b->index_dim + b->index_heads))};
  return n;
}

static int mamba_modules(double hidden, const roof_model_block *b, config_module *out) {
  double inner = b->heads * b->head_dim, steps = b->dt_rank + 2 * b->state;
  int n = 0;
  if (b->mixer == ROOF_MIX_MAMBA1) {
    out[n++] = (config_module){STATE, "in_proj", ROOF_PART_MIXER, hidden * 2 * inner};
    out[n++] = (config_module){STATE, "x_proj", ROOF_PART_MIXER, inner * steps};
    out[n++] = (config_module){STATE, "dt_proj", ROOF_PART_MIXER, b->dt_rank * inner};
  } else {
    out[n++] = (config_module){b->kernel > 1 ? STATE : ATTENTION, b->kernel > 1 ? "in_proj" : "qkv_proj",
                               ROOF_PART_MIXER, hidden * (2 * inner + 2 * b->groups * b->state + b->heads)};
  }
  out[n++] = (config_module){b->kernel > 1 ? STATE : ATTENTION, "out_proj", ROOF_PART_MIXER, hidden * inner};
  return n;
}

/** Names of Qwen3-Next, and where gate and decay come through a rank, of Kimi Linear. */
static int delta_modules(double hidden, const roof_model_block *b, config_module *out) {
  double keys = b->kv_heads * b->head_dim, inner = b->heads * b->value_dim, rank = b->gate_rank;
  int n = 0;
  if (rank > 0) {
    out[n++] = (config_module){LINEAR, "q_proj", ROOF_PART_MIXER, hidden * keys};
    out[n++] = (config_module){LINEAR, "k_proj", ROOF_PART_MIXER, hidden * keys};
    out[n++] = (config_module){LINEAR, "v_proj", ROOF_PART_MIXER, hidden * inner};
    out[n++] = (config_module){LINEAR, "f_a_proj", ROOF_PART_MIXER, hidden * rank};
    out[n++] = (config_module){LINEAR, "f_b_proj", ROOF_PART_MIXER, rank * inner};
    out[n++] = (config_module){LINEAR, "g_a_proj", ROOF_PART_MIXER, hidden * rank};
    out[n++] = (config_module){LINEAR, "g_b_proj", ROOF_PART_MIXER, rank * inner};
    out[n++] = (config_module){LINEAR, "b_proj", ROOF_PART_MIXER, hidden * b->heads};
    out[n++] = (config_module){LINEAR, "o_proj", ROOF_PART_MIXER, hidden * inner};
    return n;
  }
  out[n++] =
      (config_module){LINEAR, "in_proj_qkvz|in_proj_qkv", ROOF_PART_MIXER, hidden * (2 * keys + inner)};
  out[n++] = (config_module){LINEAR, "in_proj_qkvz|in_proj_z", ROOF_PART_MIXER, hidden * inner};
  out[n++] = (config_module){LINEAR, "in_proj_ba|in_proj_b", ROOF_PART_MIXER, hidden * b->heads};
  out[n++] = (config_module){LINEAR, "in_proj_ba|in_proj_a", ROOF_PART_MIXER, hidden * b->heads};
  out[n++] = (config_module){LINEAR, "out_proj", ROOF_PART_MIXER, hidden * inner};
  return n;
}

static int mlp_modules(double hidden, const roof_model_block *b, config_module *out) {
  static const char *const dense[] = {"up_proj|gate_up_proj|w3", "down_proj|w2", "gate_proj|gate_up_proj|w1"};
  static const char *const experts[] = {
      "experts.0.up_proj|experts.0.w3|experts.up_proj|experts.gate_up_proj",
      "experts.0.down_proj|experts.0.w2|experts.down_proj",
      "experts.0.gate_proj|experts.0.w1|experts.gate_proj|experts.gate_up_proj"};
  const char *own = b->experts > 0 ? SHARED : b->mixer == ROOF_MIX_NONE ? DENSE_ALONE : DENSE;
  int matrices = b->gated ? 3 : 2;
  for (int i = 0; i < matrices; i++) {
    out[i] = (config_module){own, dense[i], ROOF_PART_MLP, hidden * b->width};
    out[matrices + i] =
        (config_module){EXPERTS, experts[i], ROOF_PART_EXPERTS, b->experts * hidden * b->expert_width};
  }
  return 2 * matrices;
}

/** The matrices of a layer that have elements; of a mixer that is none of these, its MLP's. */
static int modules_of(double hidden, const roof_model_block *b, config_module out[MODULE_MAX]) {
  bool mamba = b->mixer == ROOF_MIX_MAMBA1 || b->mixer == ROOF_MIX_MAMBA2;
  int kept = 0, n = b->mixer == ROOF_MIX_LATENT      ? latent_modules(hidden, b, out)
                    : b->mixer == ROOF_MIX_ATTENTION ? attention_modules(hidden, b, out)
                    : b->mixer == ROOF_MIX_DELTA     ? delta_modules(hidden, b, out)
                    : mamba                          ? mamba_modules(hidden, b, out)
                                                     : 0;
  n += mlp_modules(hidden, b, out + n);
  for (int i = 0; i < n; i++) {
    out[kept] = out[i];
    kept += out[i].elements > 0;
  }
  return kept;
}

/** Whether a list names the tower of images, whole or module by module ("model.visual.blocks.0", "vision_tower*"). */
static bool names_vision(const json_t *modules) {
  for (size_t i = 0; i < json_array_size(modules); i++) {
    const char *name = json_string_value(json_array_get(modules, i));
    if (name != NULL && (strstr(name, "visual") != NULL || strstr(name, "vision") != NULL)) {
      return true;
    }
  }
  return false;
}

/** Adds the elements of a part that are no layer's of the model's own. */
static void add_streams(const roof_model *m, const roof_model_parameters *all, double left[ROOF_PART_COUNT]) {
  roof_model own = *m;
  own.layer_count = 0;
  for (int i = 0; i < m->layer_count; i++) {
    if (m->blocks[m->layers[i]].stream == 0) {
      own.layers[own.layer_count++] = m->layers[i];
    }
  }
  const roof_model_parameters count = roof_model_count(&own);
  left[ROOF_PART_MIXER] += all->parts[ROOF_PART_MIXER] - count.parts[ROOF_PART_MIXER];
  left[ROOF_PART_MLP] += all->parts[ROOF_PART_MLP] - count.parts[ROOF_PART_MLP];
}

roof_weight_format rf_config_mean(const roof_weight_format *formats, const double *shares, int count) {
  int first = 0, second = -1;
  double bytes = 0;
  for (int i = 0; i < count; i++) {
    bytes += shares[i] * roof_weight_format_bytes(&formats[i]);
    first = shares[i] > shares[first] ? i : first;
  }
  for (int i = 0; i < count; i++) {
    second = i != first && shares[i] > 0 && (second < 0 || shares[i] > shares[second]) ? i : second;
  }
  roof_weight_format out = formats[first];
  if (second >= 0 && shares[first] <= 0.999) {
    char most[24], less[24];
    roof_weight_format_name(&formats[first], most, sizeof most);
    roof_weight_format_name(&formats[second], less, sizeof less);
    out.bytes = bytes;
    snprintf(out.label, sizeof out.label, "%.11s+%.11s", most, less);
  }
  return out;
}

/** Adds what a pattern names of a layer to its parts' elements; a matrix that several name counts once. */
static bool take_layer(const config *c, const config_pattern *pattern, const roof_model_block *b, int number,
                       double *taken, double elements[ROOF_PART_COUNT]) {
  config_module list[MODULE_MAX];
  int n = modules_of(c->model->hidden, b, list);
  bool named = false;
  for (int i = 0; i < n; i++) {
    if (rf_config_pattern_covers(pattern, number, &list[i])) {
      double share = pattern->one_expert && list[i].part == ROOF_PART_EXPERTS ? 1 / b->experts : 1;
      double more = fmin(share, 1 - taken[i]);
      elements[list[i].part] += more * list[i].elements;
      taken[i] += more;
      named = true;
    }
  }
  return named;
}

typedef double layer_shares[MODULE_MAX];

/** Layers of the model's own are counted as the class does: attention and state space side by side are one. */
static int number_of(const config *c, int own) {
  return own / (c->arch != NULL && c->arch->mamba_parallel ? 2 : 1);
}

/** The same of every layer of the model's own; `taken` are the shares that earlier patterns named, or NULL. */
static bool take_layers(const config *c, const config_pattern *pattern, layer_shares *taken,
                        double elements[ROOF_PART_COUNT]) {
  bool named = false;
  for (int i = 0, own = 0; i < c->model->layer_count; i++) {
    const roof_model_block *b = &c->model->blocks[c->model->layers[i]];
    int number = number_of(c, own);
    own += b->stream == 0;
    if (b->stream == 0 && (pattern->layer < 0 || pattern->layer == number)) {
      double none[MODULE_MAX] = {0};
      named |= take_layer(c, pattern, b, number, taken != NULL ? taken[i] : none, elements);
    }
  }
  return named;
}

bool rf_config_count_module(const config *c, const char *name, double elements[ROOF_PART_COUNT]) {
  config_pattern pattern;
  if (strcmp(name, "lm_head") == 0) {
    elements[ROOF_PART_HEAD] += roof_model_count(c->model).parts[ROOF_PART_HEAD];
    return true;
  }
  bool read = rf_config_pattern_read(name, &pattern);
  bool named = read && pattern.layer >= 0 && take_layers(c, &pattern, NULL, elements);
  rf_config_pattern_done(&pattern);
  return named;
}

/** Whether a name is of nothing that is counted by its matrices here: a tower, a router, a layer behind the last. */
static bool is_uncounted(const config *c, const char *name, const config_pattern *pattern) {
  int own = 0;
  for (int i = 0; i < c->model->layer_count; i++) {
    own += c->model->blocks[c->model->layers[i]].stream == 0;
  }
  return rf_config_pattern_is_small(name) || pattern->layer >= number_of(c, own);
}

/** Adds what a list names; returns how many entries name nothing that is known, and the first of them. */
static int take_list(const config *c, const json_t *modules, layer_shares *taken,
                     double left[ROOF_PART_COUNT], const char **first) {
  int unknown = 0;
  for (size_t i = 0; i < json_array_size(modules); i++) {
    const char *name = json_string_value(json_array_get(modules, i));
    config_pattern pattern;
    if (name == NULL || rf_config_pattern_is_outside(name)) {
      continue;
    }
    bool read = rf_config_pattern_read(name, &pattern);
    bool known = (read && take_layers(c, &pattern, taken, left)) || is_uncounted(c, name, &pattern);
    *first = !known && unknown == 0 ? name : *first;
    unknown += !known;
    rf_config_pattern_done(&pattern);
  }
  return unknown;
}

roof_status rf_config_leave_modules(config *c, const char *key, const json_t *modules) {
  roof_model *m = c->model;
  roof_model_precision *p = &m->precision;
  const roof_model_parameters count = roof_model_count(m);
  const roof_weight_format plain = roof_weight_format_of(p->activations);
  double left[ROOF_PART_COUNT] = {0};
  const char *first = NULL;
  layer_shares *taken = calloc(ROOF_LAYER_MAX, sizeof *taken);
  if (taken == NULL) {
    return roof_error_set(c->error, ROOF_E_MEMORY, "%s: out of memory", key);
  }
  int unknown = take_list(c, modules, taken, left, &first);
  free(taken);
  if (unknown > 0) {
    roof_model_note(m, "%s: %d of %zu entries name no matrix known here (`%.60s`), and leave nothing out",
                    key, unknown, json_array_size(modules), first);
  }
  if (names_vision(modules)) {
    add_streams(m, &count, left);
  }
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    double share = count.parts[part] > 0 ? left[part] / count.parts[part] : 0;
    if (share > 0 && p->weights[part].stored != p->activations) {
      p->weights[part] = rf_config_mean((const roof_weight_format[]){p->weights[part], plain},
                                        (const double[]){1 - share, share}, 2);
    }
  }
  return ROOF_OK;
}
