/* Modules that a list names layer by layer (NVIDIA's Model Optimizer: `model.layers.3.self_attn.q_a_proj`): which share of a
 * part's weights they are. What they leave out stays in the activations' format; the part has the mean of both. */
#include <ctype.h>
#include <stdio.h>
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

/** The matrices of a layer by name; none of a mixer that is not attention. */
static int modules_of(double hidden, const roof_model_block *b, module out[MODULE_MAX]) {
  int n = b->mixer == ROOF_MIX_LATENT      ? latent_modules(hidden, b, out)
          : b->mixer == ROOF_MIX_ATTENTION ? attention_modules(hidden, b, out)
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

/** A format of which `share` is left as `plain`: the mean of both, named by both. */
static roof_weight_format mixed(const roof_weight_format *format, const roof_weight_format *plain,
                                double share) {
  bool mostly_plain = share > 0.5;
  roof_weight_format out = mostly_plain ? *plain : *format;
  char first[24], second[24];
  roof_weight_format_name(mostly_plain ? plain : format, first, sizeof first);
  roof_weight_format_name(mostly_plain ? format : plain, second, sizeof second);
  out.bytes = share * roof_weight_format_bytes(plain) + (1 - share) * roof_weight_format_bytes(format);
  snprintf(out.label, sizeof out.label, "%.11s+%.11s", first, second);
  return out;
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
    if (share > 0.999) {
      p->weights[part] = plain;
    } else if (share > 0 && p->weights[part].stored != p->activations) {
      p->weights[part] = mixed(&p->weights[part], &plain, share);
    }
  }
}
