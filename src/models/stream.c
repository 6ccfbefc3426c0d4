/* Streams that run before the model's own layers, each input once: the encoder of an encoder-decoder (Vaswani et al. 2017,
 * section 3.1), of sound (Radford et al. 2022), of images (Dosovitskiy et al. 2021), and what fits their results to
 * the model. */
#include <math.h>

#include "models/step.h"

const char *roof_model_stream_name(const roof_model *m, double stream) {
  return stream >= 1 && stream <= m->stream_count ? m->streams[(int)stream - 1].name : NULL;
}

double roof_model_stream_tokens(const roof_model_target *t, int stream) {
  double tokens = t->model->streams[stream].tokens;
  if (t->model->denoises && t->settings.text > 0) {
    return t->settings.text;
  }
  return tokens > 0 ? tokens : t->settings.prompt;
}

double rf_model_passes(const roof_model_target *t) {
  return t->model->denoises ? t->settings.guidance : 1;
}

/** The prompt goes into this stream: the model's own layers begin with one token. */
static bool takes_prompt(const roof_model_stream *s) {
  return s->tokens == 0;
}

double roof_model_own_prompt(const roof_model_target *t) {
  bool taken = false;
  for (int i = 0; i < t->model->stream_count; i++) {
    taken = taken || takes_prompt(&t->model->streams[i]);
  }
  return taken ? 1 : t->settings.prompt;
}

double rf_model_inputs(const roof_model_target *t, const roof_model_stream *s) {
  return s->result > 0 ? t->settings.images : 1;
}

bool rf_model_encodes(const roof_model_target *t) {
  bool any = false;
  for (int i = 0; i < t->model->stream_count; i++) {
    any = any || rf_model_inputs(t, &t->model->streams[i]) > 0;
  }
  return any;
}

void rf_model_start_stream(model_step *s, double stream) {
  const roof_model_target *t = s->target;
  s->stream = stream;
  s->own = rf_model_stream(t->model, stream);
  double inputs = rf_model_inputs(t, &s->own), tokens = roof_model_stream_tokens(t, (int)stream - 1);
  s->steps = s->microbatches;
  s->fills = true;
  s->groups[0] = (model_group){
      .sequences = s->batch * inputs / s->steps, .queries = tokens, .query_split = 1, .key_split = 1};
  s->group_count = 1;
  s->tokens = s->groups[0].sequences * tokens;
}

/** Products that come one after another have as many rows as they say, of each input. */
void rf_model_outer_products(model_step *s, bool last) {
  const roof_model *m = s->target->model;
  for (int i = 0; i < m->product_count; i++) {
    const roof_model_product *p = &m->products[i];
    if (p->stream == s->stream && p->last == last) {
      double rows = p->rows > 0 ? p->rows * s->groups[0].sequences : s->tokens;
      rf_model_product(s, s->steps, p->name, ROOF_PART_HEAD, rows, p->in, p->out, p->bias ? p->out : 0);
    }
  }
}

void rf_model_source_keys(model_step *s) {
  const roof_model_target *t = s->target;
  for (int i = 0; i < t->model->block_count; i++) {
    const roof_model_block *b = &t->model->blocks[i];
    double layers = t->stage_layers[i] * s->steps;
    if (b->mixer == ROOF_MIX_CROSS && b->source == s->stream && layers > 0) {
      model_widths w = rf_model_widths_of(b, t->settings.tp);
      double out = w.keys + w.values;
      model_call store = {.name = "store_kv",
                          .op = t->ops[MODEL_STORE_KV],
                          .types = &t->cache_types,
                          .values = {[RF_ELEMENTS] = s->tokens * out},
                          .kernels = 1,
                          .part = ROOF_PART_COUNT};
      rf_model_product(s, layers, "cross_kv_proj", ROOF_PART_MIXER, s->tokens, s->own.hidden, out,
                       rf_model_key_biases(b, w.keys) + (b->qkv_bias ? w.values : 0));
      if (!t->model->denoises) { /* a step of diffusion makes them anew */
        rf_model_emit(s, layers, &store);
      }
    }
  }
}
