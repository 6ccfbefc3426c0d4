/* A description: put together, checked, its parameters counted. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "models/shape.h"

void roof_model_init(roof_model *model) {
  memset(model, 0, sizeof *model);
  model->rotary = model->final_norm = true;
  model->activation = 4;
  model->precision = roof_model_precision_of(ROOF_BF16);
}

roof_status roof_model_add_layer(roof_model *model, const roof_model_block *block, roof_error *error) {
  int kind = 0;
  while (kind < model->block_count && memcmp(&model->blocks[kind], block, sizeof *block) != 0) {
    kind++;
  }
  if (kind == ROOF_BLOCK_MAX || model->layer_count == ROOF_LAYER_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "model: more than %d %s",
                          kind == ROOF_BLOCK_MAX ? ROOF_BLOCK_MAX : ROOF_LAYER_MAX,
                          kind == ROOF_BLOCK_MAX ? "kinds of layers" : "layers");
  }
  if (kind == model->block_count) {
    memcpy(&model->blocks[model->block_count++], block, sizeof *block);
  }
  model->layers[model->layer_count++] = (unsigned char)kind;
  return ROOF_OK;
}

const char *roof_model_title(const roof_model *model) {
  return model->typed[0] != '\0' ? model->typed : model->name;
}

void roof_model_note(roof_model *model, const char *format, ...) {
  if (model->note_count == ROOF_MODEL_NOTE_MAX) {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  rf_vformat(model->notes[model->note_count++], ROOF_SOURCE_MAX, format, arguments);
  va_end(arguments);
}

/** A size that a description may hold: a whole number that a double counts exactly. */
static bool is_count(double value) {
  return value >= 0 && value <= 1e9 && value == floor(value);
}

static roof_status check_counts(const roof_model_block *b, int kind, roof_error *error) {
  const struct {
    const char *name;
    double value;
  } counts[] = {{"heads", b->heads},
                {"kv_heads", b->kv_heads},
                {"head_dim", b->head_dim},
                {"value_dim", b->value_dim},
                {"window", b->window},
                {"q_rank", b->q_rank},
                {"kv_rank", b->kv_rank},
                {"rope_dim", b->rope_dim},
                {"index_heads", b->index_heads},
                {"index_dim", b->index_dim},
                {"index_keys", b->index_keys},
                {"state", b->state},
                {"groups", b->groups},
                {"kernel", b->kernel},
                {"dt_rank", b->dt_rank},
                {"scan", b->scan},
                {"gate_rank", b->gate_rank},
                {"laurel", b->laurel},
                {"layer_input", b->layer_input},
                {"altup", b->altup},
                {"width", b->width},
                {"experts", b->experts},
                {"experts_per_token", b->experts_per_token},
                {"expert_groups", b->expert_groups},
                {"token_groups", b->token_groups},
                {"expert_width", b->expert_width}};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    if (!is_count(counts[i].value)) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "layers of kind %d: %s=%g: not a whole number up to 1e9",
                            kind, counts[i].name, counts[i].value);
    }
  }
  return ROOF_OK;
}

/** What a mixer cannot be without. */
static const char *missing(const roof_model_block *b) {
  bool heads = b->heads >= 1 && b->head_dim >= 1, values = b->value_dim >= 1;
  switch (b->mixer) {
  case ROOF_MIX_NONE:
    return rf_model_has_mlp(b) ? NULL : "neither a mixer nor an MLP";
  case ROOF_MIX_ATTENTION:
  case ROOF_MIX_CROSS:
    return !heads || !values || b->kv_heads < 1 ? "attention without heads"
           : fmod(b->heads, b->kv_heads) != 0   ? "the KV heads do not divide the heads"
                                                : NULL;
  case ROOF_MIX_LATENT:
    return !heads || !values || b->kv_rank < 1 ? "latent attention without heads or rank" : NULL;
  case ROOF_MIX_RWKV:
    return !heads || !values || b->squares < 1 ? "rwkv without heads or matrices" : NULL;
  case ROOF_MIX_DELTA:
    return !heads || !values || b->kv_heads < 1 ? "linear attention without heads" : NULL;
  default:
    return !heads || b->state < 1 ? "a state-space layer without channels or state" : NULL;
  }
}

static roof_status check_block(const roof_model_block *b, int kind, roof_error *error) {
  roof_status status = check_counts(b, kind, error);
  const char *why = status == ROOF_OK ? missing(b) : NULL;
  if (status == ROOF_OK && why == NULL && b->experts > 0 &&
      !(b->experts_per_token >= 1 && b->experts_per_token <= b->experts && b->expert_width >= 1)) {
    why = "experts: those of a token must be from 1 to all, and have a width";
  }
  return why != NULL ? roof_error_set(error, ROOF_E_ARGUMENT, "layers of kind %d: %s", kind, why) : status;
}

roof_status roof_model_check(const roof_model *model, roof_error *error) {
  if (!(is_count(model->hidden) && model->hidden >= 1)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "model: hidden size %g: not a whole number from 1",
                          model->hidden);
  }
  if (!is_count(model->vocab) || !is_count(model->positions) || !is_count(model->context) ||
      !is_count(model->patch)) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "model: vocabulary, positions or patch: not a whole number");
  }
  for (int i = 0; i < model->stream_count; i++) {
    const roof_model_stream *s = &model->streams[i];
    if (!(is_count(s->hidden) && s->hidden >= 1 && is_count(s->tokens) && is_count(s->positions) &&
          is_count(s->result))) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "model: %s: width, tokens or positions out of range",
                            s->name);
    }
  }
  for (int i = 0; i < model->product_count; i++) {
    const roof_model_product *p = &model->products[i];
    if (!(is_count(p->in) && is_count(p->out) && is_count(p->rows) && p->in * p->out >= 1)) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "model: %s: sizes out of range", p->name);
    }
  }
  if (model->layer_count < 1) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "model: no layers");
  }
  for (int i = 0; i < model->block_count; i++) {
    roof_status status = check_block(&model->blocks[i], i, error);
    if (status != ROOF_OK) {
      return status;
    }
  }
  return ROOF_OK;
}

/** Elements of matrices and of vectors (gains, biases, filters). */
typedef struct tally {
  double matrix, vector;
} tally;

/** `from`: width of the tokens that K and V are made of. */
static tally count_attention(double hidden, double from, const roof_model_block *b, const model_widths *w) {
  double queries = w->queries * (b->output_gate ? 2 : 1), values = b->shared_kv ? 0 : w->values;
  double index = b->index_heads > 0 ? 1 : 0;
  tally t = {.vector = b->qk_norm + (b->sinks ? b->heads : 0) + (b->out_bias ? hidden : 0)};
  t.matrix =
      w->mixed * hidden + index * (b->index_heads * b->index_dim * (b->q_rank > 0 ? b->q_rank : hidden) +
                                   hidden * (b->index_dim + b->index_heads));
  t.vector += index * 2 * b->index_dim;
  if (rf_model_has_heads(b)) {
    t.matrix += hidden * queries + from * (w->keys + values);
    t.vector += rf_model_key_biases(b, w->keys) + (b->qkv_bias ? queries + values : 0);
    return t;
  }
  t.matrix += b->q_rank > 0 ? b->q_rank * (hidden + queries) : hidden * queries;
  t.matrix += hidden * (b->kv_rank + b->rope_dim) + b->kv_rank * b->heads * (b->head_dim + b->value_dim);
  t.vector += b->q_rank + b->kv_rank;
  return t;
}

static tally count_state(double hidden, const roof_model_block *b, const model_widths *w) {
  tally t = {.matrix = hidden * (w->in + w->inner)};
  t.vector = w->conv * (b->kernel + (b->conv_bias ? 1 : 0)) + (b->mamba_bias ? w->in + hidden : 0);
  switch (b->mixer) {
  case ROOF_MIX_MAMBA1:
    t.matrix += w->inner * (2 * b->dt_rank + 2 * b->state);
    t.vector += w->inner * (b->state + 2) + (b->mamba_norms ? b->dt_rank + 2 * b->state : 0);
    break;
  case ROOF_MIX_RWKV: /* shifts of six mixes, decay, gates, bonus, and the norm of each head's result */
    t.matrix += 2 * hidden * b->gate_rank;
    t.vector += 14 * hidden;
    break;
  case ROOF_MIX_MAMBA2:
    t.vector += 3 * b->heads + w->inner;
    break;
  default: /* a decay of each head and its shift, of each channel where the gate is a product */
    t.matrix += 2 * b->gate_rank * w->inner;
    t.vector += b->heads + b->value_dim + (b->gate_rank > 0 ? w->inner : b->heads);
  }
  return t;
}

static tally count_mixer(const roof_model *m, double hidden, const roof_model_block *b,
                         const model_widths *w) {
  bool attends = rf_model_has_heads(b) || b->mixer == ROOF_MIX_LATENT, crosses = b->mixer == ROOF_MIX_CROSS;
  double from = crosses ? rf_model_stream(m, b->source).hidden : hidden;
  return b->mixer == ROOF_MIX_NONE ? (tally){0}
         : attends                 ? count_attention(hidden, from, b, w)
                                   : count_state(hidden, b, w);
}

static tally count_mlp(double hidden, bool gated, bool bias, double width) {
  tally t = {.matrix = (gated ? 3 : 2) * hidden * width};
  t.vector = bias && width > 0 ? (gated ? 2 : 1) * width + hidden : 0;
  return t;
}

/** Weights that a layer has for a stream of its own, and what its conditioning is projected by. */
static void count_conditioned(const roof_model *m, const roof_model_block *b, double hidden, double layers,
                              roof_model_parameters *p) {
  model_widths w = rf_model_widths_of(b, 1);
  double vectors = b->modulation + (b->joint_weights ? b->joint_modulation : 0);
  p->parts[ROOF_PART_MIXER] += layers * vectors * hidden * hidden;
  p->vectors += layers * (vectors + b->shift_table) * hidden;
  if (!b->joint_weights) {
    return;
  }
  tally mixer = count_mixer(m, hidden, b, &w), mlp = count_mlp(hidden, b->gated, b->mlp_bias, b->width);
  double unused = b->joint_keys_only ? w.mixed * hidden : 0;
  p->parts[ROOF_PART_MIXER] += layers * (mixer.matrix - unused);
  p->parts[ROOF_PART_MLP] += b->joint_keys_only ? 0 : layers * mlp.matrix;
  double bias = b->joint_keys_only && b->out_bias ? hidden : 0;
  p->vectors += layers * (mixer.vector - bias + (b->joint_keys_only ? 0 : mlp.vector));
}

/** What Gemma 3n's layers have besides mixer and MLP. */
static tally count_extras(const roof_model_block *b, double hidden) {
  double n = b->altup;
  tally t = {.matrix = 2 * hidden * (b->laurel + b->layer_input) + n * hidden};
  t.vector = (b->laurel > 0 ? hidden : 0) + (b->layer_input > 0 ? hidden : 0) +
             (n > 0 ? n * n * (n + 1) + 2 * hidden : 0);
  return t;
}

void rf_model_count_layers(const roof_model *m, const roof_model_block *b, double layers,
                           roof_model_parameters *p) {
  model_widths w = rf_model_widths_of(b, 1);
  const roof_model_stream own = rf_model_stream(m, b->stream);
  tally mixer = count_mixer(m, own.hidden, b, &w);
  tally mlp = count_mlp(own.hidden, b->gated, b->mlp_bias, b->width);
  tally expert = count_mlp(own.hidden, b->gated, b->expert_bias, b->expert_width);
  double norms = b->bare_norms ? 0 : b->norms * rf_model_norm_vectors(&own);
  double gate = b->shared_gate ? own.hidden : 0, router = b->router_bias ? b->experts : 0;
  tally extras = count_extras(b, own.hidden);
  count_conditioned(m, b, own.hidden, layers, p);
  p->embedding += layers * m->layer_vocab * b->layer_input;
  p->parts[ROOF_PART_MIXER] += layers * (mixer.matrix + extras.matrix);
  p->parts[ROOF_PART_MLP] += layers * mlp.matrix;
  p->parts[ROOF_PART_EXPERTS] += layers * b->experts * expert.matrix;
  p->parts[ROOF_PART_ROUTER] += layers * (b->experts * own.hidden + gate);
  p->vectors +=
      layers * (extras.vector + mixer.vector + mlp.vector + b->experts * expert.vector + norms + router);
  p->active -= layers * (b->experts - b->experts_per_token) * (expert.matrix + expert.vector);
  p->kv_elements_per_token += b->mixer == ROOF_MIX_CROSS ? 0 : layers * rf_model_kv_elements(b, 1);
  p->state_elements += layers * w.state;
}

/** What streams have besides their layers, and the products outside of all layers. */
static void count_streams(const roof_model *m, roof_model_parameters *p) {
  for (int i = 0; i < m->stream_count; i++) {
    const roof_model_stream *s = &m->streams[i];
    p->vectors +=
        s->vectors + rf_model_norm_vectors(s) * ((s->final_norm ? 1 : 0) + (s->embedding_norm ? 1 : 0));
    p->embedding += s->positions * s->hidden;
  }
  for (int i = 0; i < m->product_count; i++) {
    const roof_model_product *product = &m->products[i];
    p->parts[ROOF_PART_HEAD] += product->in * product->out;
    p->vectors += product->bias ? product->out : 0;
  }
}

roof_model_parameters roof_model_count(const roof_model *m) {
  roof_model_parameters p = {0};
  double layers[ROOF_BLOCK_MAX] = {0};
  for (int i = 0; i < m->layer_count; i++) {
    layers[m->layers[i]]++;
  }
  for (int i = 0; i < m->block_count; i++) {
    rf_model_count_layers(m, &m->blocks[i], layers[i], &p);
  }
  const roof_model_stream own = rf_model_stream(m, 0);
  double dim = m->embedding_dim > 0 ? m->embedding_dim : m->hidden;
  double adapters = dim != m->hidden ? 2 * dim * m->hidden : 0; /* into and out of a narrower table (OPT) */
  p.vectors += m->vectors +
               rf_model_norm_vectors(&own) * ((m->final_norm ? 1 : 0) + (m->embedding_norm ? 1 : 0)) +
               (m->head_bias ? m->vocab : 0) + (m->pooler ? m->hidden : 0) +
               (m->patch > 0 && !m->bare_patches ? m->hidden : 0);
  p.parts[ROOF_PART_HEAD] = (m->encoder ? 0 : m->vocab * dim) + adapters +
                            (m->pooler ? m->hidden * m->hidden : 0) + m->patch * m->hidden;
  p.embedding += (m->tied && !m->encoder ? 0 : m->vocab * dim) + (m->positions + m->token_types) * m->hidden;
  count_streams(m, &p);
  p.total = p.vectors + p.embedding;
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    p.total += p.parts[part];
  }
  p.active += p.total;
  return p;
}

roof_stored_type roof_model_stored(const roof_model *m) {
  roof_stored_type all = {0};
  for (int i = 0; i < m->stored_count; i++) {
    all.tensors += m->stored[i].tensors;
    all.elements += m->stored[i].elements;
    all.bytes += m->stored[i].bytes;
  }
  return all;
}

char *roof_model_own_formats(const roof_model *model, const roof_model_precision *p, char *buffer,
                             size_t size) {
  roof_model_parameters count = roof_model_count(model);
  size_t written = 0;
  buffer[0] = '\0';
  for (int part = 0; part < ROOF_PART_COUNT; part++) {
    bool own = p->weights[part].stored != p->activations || p->weights[part].bytes > 0;
    if (own && count.parts[part] > 0 && written < size) {
      char format[64];
      roof_weight_format_name(&p->weights[part], format, sizeof format);
      written += (size_t)snprintf(buffer + written, size - written, "%s%s %s", written > 0 ? ", " : "",
                                  roof_model_part_name((roof_model_part)part), format);
    }
  }
  return buffer;
}
