/* Diffusion transformers, of the config.json that diffusers keeps with their weights: a step of denoising over the
 * latent's patches. A step is the same whatever image it makes; text encoders and the VAE have configs of their own.
 * Source of every row: the class in huggingface/diffusers (src/diffusers/models/transformers), and the defaults of its
 * pipeline. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "weights/config.h"

/** A latent's side is an 8th of the image's (Rombach et al. 2022, section 4.1: the VAE's factor). */
enum { VAE = 8, FREQUENCIES = 256 };

static roof_status product(config *c, const char *name, double stream, double rows, double in, double out,
                           bool last) {
  roof_model_product p = {.stream = stream, .rows = rows, .in = in, .out = out, .bias = true, .last = last};
  snprintf(p.name, sizeof p.name, "%s", name);
  return rf_config_add_product(c, &p);
}

/** The conditioning: time, pooled text and guidance through two products each, once per sequence. */
static roof_status add_conditioning(config *c, double hidden) {
  const config_diffusion *d = c->arch->diffusion;
  const double pooled = rf_config_value(c, Q_POOLED, 0);
  const bool guided = rf_config_flag(c, Q_GUIDED);
  const struct {
    const char *names[2];
    double in;
  } rows[] = {{{"time_in", "time_out"}, FREQUENCIES},
              {{"guidance_in", "guidance_out"}, guided ? FREQUENCIES : 0},
              {{"pooled_in", "pooled_out"}, pooled}};
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == ROOF_OK; i++) {
    if (rows[i].in > 0) {
      status = product(c, rows[i].names[0], 0, 1, rows[i].in, hidden, false);
      status = status == ROOF_OK ? product(c, rows[i].names[1], 0, 1, hidden, hidden, false) : status;
    }
  }
  return status == ROOF_OK && d->shared_modulation > 0
             ? product(c, "modulation", 0, 1, hidden, d->shared_modulation * hidden, false)
             : status;
}

/** The text as it comes from its encoder, made as wide as the layers: by one product, or two where its class has an MLP. */
static roof_status add_text(config *c, double hidden) {
  const config_diffusion *d = c->arch->diffusion;
  roof_model *m = c->model;
  double width = rf_config_value(c, d->crosses ? Q_CAPTION : Q_JOINT, 0);
  if (d->text == 0) {
    return ROOF_OK;
  }
  if (!(width >= 1)) {
    return rf_config_fail(c, "%s: missing: how wide the text is",
                          rf_config_quantity_name(d->crosses ? Q_CAPTION : Q_JOINT));
  }
  m->streams[m->stream_count++] = (roof_model_stream){.name = "text",
                                                      .input = "a text",
                                                      .hidden = hidden,
                                                      .tokens = d->text,
                                                      .activation = m->activation,
                                                      .layer_norm = m->layer_norm};
  roof_status status = product(c, "text_in", 1, 0, width, hidden, false);
  return status == ROOF_OK && d->crosses ? product(c, "text_out", 1, 0, hidden, hidden, false) : status;
}

/** A layer whose norms are scaled, shifted and gated by the conditioning (Peebles and Xie 2023, section 3.2). */
static roof_status init_layer(const config *c, roof_model_block *b) {
  const config_diffusion *d = c->arch->diffusion;
  config whole = *c;
  whole.values[Q_WIDTH] = (d->mlp > 0 ? d->mlp : 4) * c->model->hidden;
  roof_status status = rf_config_layer(&whole, b);
  b->qk_norm = d->qk_norm ? 2 * b->head_dim : 0;
  b->bare_norms = true;
  b->modulation = d->shared_modulation > 0 ? 0 : d->modulation;
  const bool joint = d->text > 0 && !d->crosses;
  b->joint = joint;
  b->joint_weights = joint;
  b->joint_modulation = joint ? b->modulation : 0;
  b->shift_table = d->shift_table;
  return status;
}

static bool is_dual(const config *c, int layer) {
  const json_t *list = c->items[ITEM_DUAL_LAYERS];
  for (size_t i = 0; i < json_array_size(list); i++) {
    if (json_number_value(json_array_get(list, i)) == layer) {
      return true;
    }
  }
  return false;
}

/** Layers with weights of their own for image and text; the text of the last one of SD3 is not used again. Some of SD3.5 medium
 * attend a second time, to the image alone. */
static roof_status add_layers(config *c, double layers) {
  const config_diffusion *d = c->arch->diffusion;
  roof_status status = ROOF_OK;
  for (int i = 0; i < layers && status == ROOF_OK; i++) {
    roof_model_block block, second;
    status = init_layer(c, &block);
    if (status == ROOF_OK && d->last_text_unused && i == layers - 1) {
      block.joint_keys_only = true;
      block.joint_modulation = 2;
    }
    bool dual = status == ROOF_OK && is_dual(c, i);
    if (dual) {
      second = block;
      second.joint = second.joint_modulation = second.modulation = second.width = second.norms = 0;
      second.joint_weights = second.joint_keys_only = second.mlp_bias = false;
      block.modulation += 3;
    }
    status = status == ROOF_OK ? roof_model_add_layer(c->model, &block, c->error) : status;
    status = dual && status == ROOF_OK ? roof_model_add_layer(c->model, &second, c->error) : status;
  }
  return status;
}

/** Layers over text and image as one, attention and MLP side by side (Flux). */
static roof_status add_single_layers(config *c, double layers) {
  const config_diffusion *d = c->arch->diffusion;
  roof_model_block block;
  roof_status status = init_layer(c, &block);
  block.modulation = d->shared_modulation > 0 ? 0 : 3;
  block.joint_weights = false;
  block.joint_modulation = 0;
  block.parallel = true;
  block.norms = 1;
  block.out_bias = false;
  for (int i = 0; i < layers && status == ROOF_OK; i++) {
    status = roof_model_add_layer(c->model, &block, c->error);
  }
  return status;
}

/** A layer as two: what attends to the image, then what attends to the text, with the MLP (PixArt). */
static roof_status add_crossing_layers(config *c, double layers) {
  roof_model_block own, other;
  roof_status status = init_layer(c, &own);
  other = own;
  own.width = 0;
  own.norms = 1;
  own.mlp_bias = false;
  other.mixer = ROOF_MIX_CROSS;
  other.source = 1;
  other.shift_table = 0;
  other.norms = 1; /* of the MLP: the text is attended to without one */
  for (int i = 0; i < layers && status == ROOF_OK; i++) {
    status = roof_model_add_layer(c->model, &own, c->error);
    status = status == ROOF_OK ? roof_model_add_layer(c->model, &other, c->error) : status;
  }
  return status;
}

/** What makes tokens of the latent and a latent of them, by the size of an image. */
static roof_status set_latent(config *c, double hidden) {
  const config_diffusion *d = c->arch->diffusion;
  roof_model *m = c->model;
  double patch = fmax(1, json_number_value(c->items[ITEM_PATCH])), in = rf_config_value(c, Q_IN_CHANNELS, 0);
  double out = rf_config_value(c, Q_OUT_CHANNELS, in), side = rf_config_value(c, Q_POSITIONS_SIDE, 0);
  double packed = d->packed ? 1 : patch * patch; /* of channels that the pipeline has already put together */
  double sample = rf_config_value(c, Q_SAMPLE, d->size / VAE);
  if (!(in >= 1 && patch <= 64)) {
    return rf_config_fail(c, "in_channels or patch_size: missing or out of range");
  }
  m->patch = in * packed;
  m->positions = side * side;
  m->pixels = VAE * (d->packed ? 2 : patch);
  m->usual_size = VAE * sample;
  m->usual_prompt = floor(m->usual_size / m->pixels) * floor(m->usual_size / m->pixels);
  m->usual_steps = d->steps;
  m->usual_passes = d->passes;
  roof_status status = product(c, "norm_out", 0, 1, hidden, 2 * hidden, true);
  return status == ROOF_OK ? product(c, "latent_out", 0, 0, hidden, patch * patch * out, true) : status;
}

roof_status rf_config_diffusion(config *c) {
  const config_diffusion *d = c->arch->diffusion;
  roof_model *m = c->model;
  double layers = 0, single = rf_config_value(c, Q_SINGLE_LAYERS, 0), hidden = m->hidden;
  roof_status status = rf_config_need(c, Q_LAYERS, &layers);
  m->denoises = true;
  status = status == ROOF_OK ? add_conditioning(c, hidden) : status;
  status = status == ROOF_OK ? add_text(c, hidden) : status;
  status = status == ROOF_OK ? set_latent(c, hidden) : status;
  if (status == ROOF_OK) {
    status = d->crosses ? add_crossing_layers(c, layers) : add_layers(c, layers);
  }
  status = status == ROOF_OK && single > 0 ? add_single_layers(c, single) : status;
  if (d->labels > 0) {
    m->vocab = d->labels;
  }
  roof_model_note(m, "the text encoders and the VAE have configs of their own: not counted");
  return status;
}
