/* Modules that a list names layer by layer (NVIDIA's Model Optimizer: `model.layers.3.self_attn.q_a_proj`): which share of a
 * part's weights they are. What they leave out stays in the activations' format; the part has the mean of both. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weights/config.h"

enum { MODULE_MAX = 16 };

typedef struct module {
  const char *name;
  roof_model_part part;
  double elements;
} module;

static int attention_modules(double hidden, const roof_model_block *b, module *out) {
  double queries = b->heads * b->head_dim * (b->output_gate ? 2 : 1), keys = b->kv_heads * b->head_dim;
  int n = 0;
  out[n++] = (module){"self_attn.q_proj", ROOF_PART_MIXER, hidden * queries};
  out[n++] = (module){"self_attn.k_proj", ROOF_PART_MIXER, hidden * keys};
  out[n++] =
      (module){"self_attn.v_proj", ROOF_PART_MIXER, b->shared_kv ? 0 : hidden * b->kv_heads * b->value_dim};
  out[n++] = (module){"self_attn.o_proj", ROOF_PART_MIXER, hidden * b->heads * b->value_dim};
  return n;
}

/** DeepSeek-V2's names: down to a latent, up from it. */
static int latent_modules(double hidden, const roof_model_block *b, module *out) {
  double queries = b->heads * (b->head_dim + b->rope_dim), from = b->q_rank > 0 ? b->q_rank : hidden;
  double index = b->index_heads > 0 ? 1 : 0;
  int n = 0;
  out[n++] = (module){"self_attn.q_a_proj", ROOF_PART_MIXER, hidden * b->q_rank};
  out[n++] =
      (module){b->q_rank > 0 ? "self_attn.q_b_proj" : "self_attn.q_proj", ROOF_PART_MIXER, from * queries};
  out[n++] = (module){"self_attn.kv_a_proj_with_mqa", ROOF_PART_MIXER, hidden * (b->kv_rank + b->rope_dim)};
  out[n++] =
      (module){"self_attn.kv_b_proj", ROOF_PART_MIXER, b->kv_rank * b->heads * (b->head_dim + b->value_dim)};
  out[n++] = (module){"self_attn.o_proj", ROOF_PART_MIXER, hidden * b->heads * b->value_dim};
  out[n++] =
      (module){"self_attn.indexer", ROOF_PART_MIXER,
               index * (b->index_heads * b->index_dim * from + hidden * (b->index_dim + b->index_heads))};
  return n;
}

static int state_modules(double hidden, const roof_model_block *b, module *out) {
  double inner = b->heads * b->head_dim;
  out[0] =
      (module){"mixer.in_proj", ROOF_PART_MIXER, hidden * (2 * inner + 2 * b->groups * b->state + b->heads)};
  out[1] = (module){"mixer.out_proj", ROOF_PART_MIXER, hidden * inner};
  return 2;
}

static int mlp_modules(double hidden, const roof_model_block *b, module *out) {
  static const char *const dense[] = {"mlp.up_proj", "mlp.down_proj", "mlp.gate_proj"};
  static const char *const shared[] = {"mlp.shared_experts.up_proj", "mlp.shared_experts.down_proj",
                                       "mlp.shared_experts.gate_proj"};
  int matrices = b->gated ? 3 : 2;
  for (int i = 0; i < matrices; i++) {
    out[i] = (module){b->experts > 0 ? shared[i] : dense[i], ROOF_PART_MLP, hidden * b->width};
  }
  out[matrices] =
      (module){"mlp.experts", ROOF_PART_EXPERTS, matrices * b->experts * hidden * b->expert_width};
  return matrices + 1;
}

/** The matrices of a layer by name; of a mixer that is neither attention nor Mamba-2 none. */
static int modules_of(double hidden, const roof_model_block *b, module out[MODULE_MAX]) {
  int n = b->mixer == ROOF_MIX_LATENT      ? latent_modules(hidden, b, out)
          : b->mixer == ROOF_MIX_ATTENTION ? attention_modules(hidden, b, out)
          : b->mixer == ROOF_MIX_MAMBA2    ? state_modules(hidden, b, out)
                                           : 0;
  return n + mlp_modules(hidden, b, out + n);
}

/** After `layers.`, where a list names one layer; else NULL. */
static const char *layer_of(const char *pattern) {
  static const char word[] = "layers.";
  const char *at = strstr(pattern, word);
  at = at != NULL ? at + strlen(word) : NULL;
  return at != NULL && isdigit((unsigned char)at[0]) ? at : NULL;
}

bool rf_config_names_layer(const char *pattern) {
  return layer_of(pattern) != NULL;
}

/** Whether `3.self_attn`, `3.self_attn*` or `3.self_attn.q_proj` has the module in it. */
static bool covers(const char *pattern, int layer, const char *name) {
  char whole[96];
  const char *at = layer_of(pattern);
  if (at == NULL) {
    return false;
  }
  snprintf(whole, sizeof whole, "%d.%s", layer, name);
  size_t length = strcspn(at, "*");
  bool open = at[length] == '*' && at[length + 1] == '\0';
  bool inside = strncmp(whole, at, length) == 0;
  return inside &&
         (whole[length] == '\0' || whole[length] == '.' || (open && length > strspn(at, "0123456789")));
}

static bool is_listed(const json_t *modules, int layer, const char *name) {
  for (size_t i = 0; i < json_array_size(modules); i++) {
    const char *pattern = json_string_value(json_array_get(modules, i));
    if (pattern != NULL && covers(pattern, layer, name)) {
      return true;
    }
  }
  return false;
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

/** What a module is called below its layer's mixer or MLP: classes differ in what they call those. */
static const char *own_name(const char *whole) {
  const char *dot = strchr(whole, '.');
  return dot != NULL ? dot + 1 : whole;
}

/** Whether `name` is the module, or one of its experts' matrices; `shared_expert.` is `shared_experts.`. */
static bool is_module(const char *name, const char *known) {
  static const char shared[] = "shared_expert";
  const size_t length = sizeof shared - 1;
  if (strncmp(name, shared, length) == 0 && name[length] == '.') {
    return strncmp(known, shared, length) == 0 && strcmp(known + length + 1, name + length) == 0;
  }
  size_t whole = strlen(known);
  return strncmp(name, known, whole) == 0 &&
         (name[whole] == '\0' || (name[whole] == '.' && strcmp(known, "experts") == 0));
}

bool rf_config_count_module(const config *c, const char *name, double elements[ROOF_PART_COUNT]) {
  const roof_model *m = c->model;
  const char *at = layer_of(name);
  char *end = NULL;
  long layer = at != NULL ? strtol(at, &end, 10) : -1;
  if (strcmp(name, "lm_head") == 0) {
    elements[ROOF_PART_HEAD] += roof_model_count(m).parts[ROOF_PART_HEAD];
    return true;
  }
  if (layer < 0 || layer >= m->layer_count || *end != '.') {
    return false;
  }
  const roof_model_block *b = &m->blocks[m->layers[layer]];
  const char *own = own_name(end + 1);
  module list[MODULE_MAX];
  int n = modules_of(m->hidden, b, list);
  for (int i = 0; i < n; i++) {
    if (list[i].elements > 0 && is_module(own, own_name(list[i].name))) {
      bool one = strncmp(own, "experts.", 8) == 0; /* a matrix of one expert */
      elements[list[i].part] += one ? m->hidden * b->expert_width : list[i].elements;
      return true;
    }
  }
  return false;
}

void rf_config_leave_modules(config *c, const json_t *modules) {
  roof_model *m = c->model;
  roof_model_precision *p = &m->precision;
  const roof_model_parameters count = roof_model_count(m);
  const roof_weight_format plain = roof_weight_format_of(p->activations);
  double left[ROOF_PART_COUNT] = {0};
  for (int layer = 0; layer < m->layer_count; layer++) {
    module list[MODULE_MAX];
    int n = modules_of(m->hidden, &m->blocks[m->layers[layer]], list);
    for (int i = 0; i < n; i++) {
      left[list[i].part] += is_listed(modules, layer, list[i].name) ? list[i].elements : 0;
    }
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
}
