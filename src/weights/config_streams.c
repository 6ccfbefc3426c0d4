/* Models of more than one stream of tokens: an encoder and a decoder that attends to it, and encoders that a config
 * describes in a section of their own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "weights/config.h"

/** Frames of sound a second, as the spectrogram has them (Radford et al. 2022, section 2.2: a hop of 10 ms). */
enum { FRAMES_PER_SECOND = 100 };

roof_status rf_config_add_product(config *c, const roof_model_product *product) {
  roof_model *m = c->model;
  if (m->product_count == ROOF_MODEL_PRODUCT_MAX) {
    return rf_config_fail(c, "more than %d products outside of the layers", ROOF_MODEL_PRODUCT_MAX);
  }
  m->products[m->product_count++] = *product;
  return ROOF_OK;
}

/** Two convolutions of three taps make the tokens of frames, the second of every other (Radford et al. 2022, section
 * 2.2). */
static roof_status add_sound(config *c, roof_model_stream *s) {
  double bands = rf_config_value(c, Q_BANDS, 0);
  s->tokens = s->positions = rf_config_value(c, Q_SOURCE, 0);
  s->looked_up = false;
  s->seconds = 2 * s->tokens / FRAMES_PER_SECOND;
  snprintf(s->name, sizeof s->name, "audio");
  snprintf(s->input, sizeof s->input, "%.0f s of sound", s->seconds);
  const roof_model_product fronts[] = {
      {.name = "conv1", .stream = 1, .rows = 2 * s->tokens, .in = 3 * bands, .out = s->hidden, .bias = true},
      {.name = "conv2", .stream = 1, .in = 3 * s->hidden, .out = s->hidden, .bias = true}};
  roof_status status = s->tokens >= 1 ? rf_config_add_product(c, &fronts[0])
                                      : rf_config_fail(c, "max_source_positions: not a number of tokens");
  return status == ROOF_OK ? rf_config_add_product(c, &fronts[1]) : status;
}

/** What of the config holds for the encoder or the decoder alone. */
static config of_half(const config *c, bool decoder) {
  config half = *c;
  double heads = rf_config_value(c, decoder ? Q_DECODER_HEADS : Q_ENCODER_HEADS, NAN);
  double width = rf_config_value(c, decoder ? Q_DECODER_WIDTH : Q_ENCODER_WIDTH, NAN);
  half.values[Q_HEADS] = isnan(heads) ? c->values[Q_HEADS] : heads;
  half.values[Q_WIDTH] = isnan(width) ? c->values[Q_WIDTH] : width;
  return half;
}

/** `feed_forward_proj` of T5 says whether the MLP is gated. */
static bool is_gated(const config *c) {
  const char *name = json_string_value(c->items[ITEM_ACTIVATION]);
  return !c->arch->plain_mlp && name != NULL && strncmp(name, "gated-", strlen("gated-")) == 0;
}

static roof_status add_encoder(config *c, double layers) {
  config half = of_half(c, false);
  roof_model_block block;
  roof_status status = rf_config_layer(&half, &block);
  block.stream = 1;
  block.gated = is_gated(c);
  for (int i = 0; i < layers && status == ROOF_OK; i++) {
    status = roof_model_add_layer(c->model, &block, c->error);
  }
  return status;
}

/** A layer of the decoder as two: what attends to its own tokens, then what attends to the encoder's, with the MLP. */
static roof_status add_decoder(config *c, double layers) {
  config half = of_half(c, true);
  roof_model_block own, other;
  roof_status status = rf_config_layer(&half, &own);
  other = own;
  own.width = 0;
  own.norms = 1;
  own.mlp_bias = own.gated = false;
  other.mixer = ROOF_MIX_CROSS;
  other.source = 1;
  other.gated = is_gated(c);
  for (int i = 0; i < layers && status == ROOF_OK; i++) {
    status = roof_model_add_layer(c->model, &own, c->error);
    status = status == ROOF_OK ? roof_model_add_layer(c->model, &other, c->error) : status;
  }
  return status;
}

roof_status rf_config_pair(config *c) {
  const config_arch *a = c->arch;
  roof_model *m = c->model;
  double layers = rf_config_value(c, Q_ENCODER_LAYERS, rf_config_value(c, Q_LAYERS, 0));
  double decoder = rf_config_value(c, Q_DECODER_LAYERS, layers);
  roof_model_stream *s = &m->streams[m->stream_count++];
  *s = (roof_model_stream){.name = "text",
                           .input = "a text",
                           .hidden = m->hidden,
                           .activation = m->activation,
                           .layer_norm = m->layer_norm,
                           .shiftless = m->shiftless,
                           .embedding_norm = m->embedding_norm,
                           .final_norm = m->final_norm,
                           .looked_up = true};
  s->positions = a->pair_positions ? m->positions : 0;
  s->vectors = 2 * rf_config_value(c, Q_BUCKETS, 0) * rf_config_value(c, Q_HEADS, 0);
  m->rotary = false;
  m->usual_prompt = a->sound ? 4 : 0; /* start, language, task, no timestamps */
  roof_status status = layers >= 1 && decoder >= 1 ? ROOF_OK : rf_config_need(c, Q_LAYERS, &layers);
  status = status == ROOF_OK && a->sound ? add_sound(c, s) : status;
  status = status == ROOF_OK ? add_encoder(c, layers) : status;
  roof_model_note(
      m,
      "each layer of the decoder counts as two: what it attends to itself, then the encoder's and its MLP");
  return status == ROOF_OK ? add_decoder(c, decoder) : status;
}

roof_status rf_config_graft(roof_model *m, const roof_model *tower, const char *name, const char *input,
                            roof_error *error) {
  if (m->stream_count == ROOF_STREAM_MAX || m->product_count == ROOF_MODEL_PRODUCT_MAX) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "%s: one stream or product too many", name);
  }
  roof_model_stream *s = &m->streams[m->stream_count++];
  *s = (roof_model_stream){.hidden = tower->hidden,
                           .tokens = tower->context,
                           .positions = tower->positions,
                           .activation = tower->activation,
                           .vectors = tower->vectors,
                           .rotary = tower->rotary,
                           .layer_norm = tower->layer_norm,
                           .shiftless = tower->shiftless,
                           .embedding_norm = tower->embedding_norm,
                           .final_norm = tower->final_norm};
  snprintf(s->name, sizeof s->name, "%s", name);
  snprintf(s->input, sizeof s->input, "%s", input);
  m->products[m->product_count++] = (roof_model_product){.name = "patch_proj",
                                                         .stream = m->stream_count,
                                                         .in = tower->patch,
                                                         .out = tower->hidden,
                                                         .bias = !tower->bare_patches};
  roof_status status = ROOF_OK;
  for (int i = 0; i < tower->layer_count && status == ROOF_OK; i++) {
    roof_model_block block;
    memcpy(&block, &tower->blocks[tower->layers[i]], sizeof block);
    block.stream = m->stream_count;
    status = roof_model_add_layer(m, &block, error);
  }
  return status;
}

/** How the result of a tower becomes tokens of the model. */
typedef enum projector { POOLED, TWO_PRODUCTS, MERGED } projector;

static const struct {
  const char *type;
  projector how;
} projectors[] = {{"gemma3", POOLED},     {"llava", TWO_PRODUCTS}, {"qwen2_vl", MERGED},
                  {"qwen2_5_vl", MERGED}, {"qwen3_vl", MERGED},    {"qwen3_vl_moe", MERGED},
                  {"qwen3_5", MERGED},    {"qwen3_5_moe", MERGED}};
enum { PROJECTORS = sizeof projectors / sizeof projectors[0] };

static int projector_of(const char *type) {
  int i = 0;
  while (i < PROJECTORS && strcmp(projectors[i].type, type) != 0) {
    i++;
  }
  return i;
}

bool rf_config_projects(const char *type) {
  return projector_of(type) < PROJECTORS;
}

/** Neighbours become one token through two products; some classes do so after layers in between too (deepstack). A norm
 * comes first: of each token, but after layers in between of all that are joined. */
static roof_status add_merged(config *c, roof_model_stream *s, const config *vision) {
  double side = rf_config_value(vision, Q_MERGE, 2), wide = s->hidden * side * side;
  double times = 1 + (double)json_array_size(vision->items[ITEM_DEEP_LAYERS]);
  double out = rf_config_value(vision, Q_OUT_WIDTH, c->model->hidden);
  s->result = floor(s->tokens / (side * side));
  roof_status status = ROOF_OK;
  for (int i = 0; i < times && status == ROOF_OK; i++) {
    roof_model_product up = {
        .name = "merger_up", .stream = c->model->stream_count, .rows = s->result, .in = wide, .out = wide};
    roof_model_product down = {
        .name = "merger_down", .stream = c->model->stream_count, .rows = s->result, .in = wide, .out = out};
    up.bias = down.bias = up.last = down.last = true;
    s->vectors += s->hidden * (s->layer_norm ? 2 : 1) * (i > 0 ? side * side : 1);
    status = rf_config_add_product(c, &up);
    status = status == ROOF_OK ? rf_config_add_product(c, &down) : status;
  }
  return status;
}

roof_status rf_config_project(config *c, const char *type, const config *vision) {
  roof_model_stream *s = &c->model->streams[c->model->stream_count - 1];
  projector how = projectors[projector_of(type)].how;
  double hidden = c->model->hidden;
  if (how == MERGED) {
    return add_merged(c, s, vision);
  }
  s->vectors += how == POOLED ? s->hidden : 0; /* a norm */
  s->result = how == POOLED ? rf_config_value(c, Q_IMAGE_TOKENS, 256) : s->tokens - vision->arch->class_token;
  roof_model_product in = {.name = "image_in", .stream = c->model->stream_count, .rows = s->result};
  in.in = s->hidden, in.out = hidden, in.last = true, in.bias = how == TWO_PRODUCTS;
  roof_model_product out = in;
  snprintf(out.name, sizeof out.name, "image_out");
  out.in = hidden;
  roof_status status = rf_config_add_product(c, &in);
  return status == ROOF_OK && how == TWO_PRODUCTS ? rf_config_add_product(c, &out) : status;
}
