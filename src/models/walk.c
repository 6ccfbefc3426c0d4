/* Every operation of a step: the embedding, the layers (each kind once, counted), the output projection. */
#include "models/step.h"

void rf_model_norm(model_step *s, double n, const char *name, bool added, double rows) {
  const roof_model_stream *m = &s->own;
  double gains = s->bare_norms ? 0 : rf_model_norm_vectors(m);
  model_op alone = m->layer_norm ? MODEL_LAYERNORM : MODEL_RMSNORM;
  model_op after = m->layer_norm ? MODEL_ADD_LAYERNORM : MODEL_ADD_RMSNORM;
  rf_model_map(s, n, name, added ? after : alone, (double[3]){rows, m->hidden}, gains);
}

/** Patches of an image: one product (Dosovitskiy et al. 2021, section 3.1), and the positions are added. */
static void emit_patches(model_step *s) {
  const roof_model *m = s->target->model;
  rf_model_product(s, s->steps, "patch_proj", ROOF_PART_HEAD, s->tokens, m->patch, m->hidden,
                   m->bare_patches ? 0 : m->hidden);
  if (m->positions > 0) {
    rf_model_map(s, s->steps, "positions", MODEL_RESIDUAL, (double[3]){s->tokens * m->hidden}, m->vectors);
  }
}

static void emit_embedding(model_step *s) {
  const roof_model *m = s->target->model;
  if (m->patch > 0) {
    emit_patches(s);
    return;
  }
  double dim = m->embedding_dim > 0 ? m->embedding_dim : m->hidden;
  double tables = 1 + (m->positions > 0 ? 1 : 0) + (m->token_types > 0 ? 1 : 0);
  rf_model_map(s, s->steps, "embed", tables > 1 ? MODEL_EMBEDDING_SUM : MODEL_EMBEDDING,
               (double[3]){s->tokens, dim, tables > 1 ? tables : 0}, 0);
  if (m->layer_vocab > 0) { /* of all layers at once */
    rf_model_map(s, s->steps, "embed_layers", MODEL_EMBEDDING,
                 (double[3]){s->tokens, m->blocks[0].layer_input * m->layer_count, 0}, 0);
  }
  rf_model_sum(s, s->steps);
  if (m->embedding_norm) {
    rf_model_norm(s, s->steps, "norm", false, rf_model_outer_tokens(s));
  }
}

/** Norms that are part of the projections after them: their FLOPs and gains are all they add. */
static void emit_norms_inside(model_step *s, double n) {
  const roof_model_stream *m = &s->own;
  model_call c = {.name = "norm_in_proj", .part = ROOF_PART_COUNT};
  c.op = s->target->ops[m->layer_norm ? MODEL_LAYERNORM : MODEL_RMSNORM];
  c.values[RF_ROWS] = rf_model_outer_tokens(s);
  c.values[RF_COLS] = m->hidden;
  c.vectors = rf_model_norm_vectors(m);
  rf_model_emit(s, n, &c);
}

/** Norms and residual adds of `n` layers of a kind. The residual and the norm after it are one kernel or two;
 * a norm inside the projection after it leaves the add. */
static void emit_norms(model_step *s, double n, const roof_model_block *b) {
  unsigned fusion = s->target->settings.fusion;
  double rows = rf_model_outer_tokens(s), adds = rf_model_sublayers(b);
  double merged = fusion & ROOF_FUSE_NORM ? 0 : fusion & ROOF_FUSE_RESIDUAL ? adds : 0;
  merged = merged < b->norms ? merged : b->norms;
  double norms = b->norms - merged;
  if (merged > 0) {
    rf_model_norm(s, n * merged, "add_norm", true, rows);
  }
  if (fusion & ROOF_FUSE_NORM) {
    emit_norms_inside(s, n * norms);
  } else if (norms > 0) {
    rf_model_norm(s, n * norms, "norm", false, rows);
  }
  if (adds > merged) {
    rf_model_map(s, n * (adds - merged), "residual", MODEL_RESIDUAL, (double[3]){rows * s->own.hidden}, 0);
  }
}

static void emit_mixer(model_step *s, double n, const roof_model_block *b) {
  if (rf_model_has_heads(b) || b->mixer == ROOF_MIX_LATENT) {
    rf_model_attention(s, n, b);
  } else if (b->mixer != ROOF_MIX_NONE) {
    rf_model_state_space(s, n, b);
  }
}

/** Shift, scale and gate of a layer's tokens, made once of each image's conditioning. */
static void emit_modulation(model_step *s, double n, const roof_model_block *b) {
  double hidden = s->own.hidden, vectors = b->modulation * hidden;
  if (vectors > 0) {
    rf_model_product(s, n, "modulation", ROOF_PART_MIXER, s->groups[0].sequences, hidden, vectors, vectors);
  }
  if (vectors > 0 || b->shift_table > 0) { /* one pass over the tokens for each norm */
    rf_model_map(s, n * b->norms, "modulate", MODEL_ACTIVATION, (double[3]){s->tokens * hidden, 2, 0},
                 b->norms > 0 ? b->shift_table * hidden / b->norms : 0);
  }
}

static void emit_layer(model_step *s, double n, const roof_model_block *b) {
  s->bare_norms = b->bare_norms;
  emit_modulation(s, n, b);
  emit_norms(s, n, b);
  emit_mixer(s, n, b);
  rf_model_extras(s, n, b);
  if (rf_model_has_mlp(b)) {
    rf_model_mlp(s, n, b);
  }
  rf_model_layer_transfers(s, n, b);
  s->bare_norms = false;
}

/** Text and image through one layer: together, or each through weights of its own, and attended to together (Esser et al.
 * 2024, section 4). */
static void emit_joint(model_step *s, double n, const roof_model_block *b) {
  double own = s->tokens, sequences = s->groups[0].sequences;
  double other = sequences * roof_model_stream_tokens(s->target, (int)b->joint - 1);
  if (!b->joint_weights) {
    s->tokens = own + other;
    emit_layer(s, n, b);
  } else {
    roof_model_block side = *b;
    side.modulation = b->joint_modulation;
    side.width = b->joint_keys_only ? 0 : b->width;
    side.norms = b->joint_keys_only ? 1 : b->norms;
    emit_layer(s, n, b);
    s->tokens = other;
    s->stream = b->joint;
    emit_layer(s, n, &side);
    s->stream = 0;
  }
  s->tokens = own;
}

static void emit_layers(model_step *s, double n, const roof_model_block *b) {
  if (s->attention_only) {
    emit_mixer(s, n, b);
  } else {
    (b->joint > 0 ? emit_joint : emit_layer)(s, n, b);
  }
}

/** Logits for the rows that need them, and the choice of a token from them. */
static void emit_logits(model_step *s, double dim) {
  const roof_model *m = s->target->model;
  double vocab = m->vocab / s->target->settings.tp;
  if (dim != m->hidden) {
    rf_model_product(s, s->heads, "table_out", ROOF_PART_HEAD, s->logits, m->hidden, dim, 0);
  }
  if (m->pooler) {
    rf_model_product(s, s->heads, "pooler", ROOF_PART_HEAD, s->logits, m->hidden, m->hidden, m->hidden);
  }
  if (m->encoder || m->vocab == 0) {
    return;
  }
  rf_model_product(s, s->heads, "lm_head", ROOF_PART_HEAD, s->logits, dim, vocab, m->head_bias ? vocab : 0);
  rf_model_logits_transfer(s);
  model_call choice = {.name = s->training ? "loss" : "sample",
                       .op = s->target->ops[MODEL_TOPK],
                       .values = {[RF_ROWS] = s->logits, [RF_COLS] = vocab},
                       .kernels = 1,
                       .part = ROOF_PART_COUNT,
                       .kind = ROOF_KIND_SAMPLING};
  rf_model_emit(s, s->heads, &choice);
}

/** What is after the last layer; no token is chosen where a step ends within all its prompts. */
static void emit_head(model_step *s) {
  const roof_model *m = s->target->model;
  double dim = m->embedding_dim > 0 ? m->embedding_dim : m->hidden;
  if (m->final_norm) {
    rf_model_norm(s, s->steps, "norm", false, rf_model_outer_tokens(s));
  }
  if (dim != m->hidden) {
    rf_model_product(s, s->steps, "table_in", ROOF_PART_HEAD, s->tokens, dim, m->hidden, 0);
  }
  s->extent = MODEL_OF_LOGITS;
  s->place = MODEL_IN_HEAD;
  if (s->logits > 0) {
    emit_logits(s, dim);
  }
  s->extent = MODEL_OF_TOKENS;
  s->place = MODEL_OUTSIDE;
}

void rf_model_stage(model_step *s) {
  const roof_model_target *t = s->target;
  s->place = MODEL_IN_LAYERS;
  for (int i = 0; i < t->model->block_count; i++) {
    if (t->layers[i] > 0 && t->model->blocks[i].stream == s->stream) {
      emit_layers(s, t->stage_layers[i] * s->steps, &t->model->blocks[i]);
    }
  }
  s->place = MODEL_OUTSIDE;
}

/** Tokens of a stream as they come in: looked up in the model's table, or made by products; each has its place. */
static void emit_inputs(model_step *s) {
  if (s->own.looked_up) {
    rf_model_map(s, s->steps, "embed", MODEL_EMBEDDING, (double[3]){s->tokens, s->own.hidden, 0}, 0);
  }
  rf_model_outer_products(s, false);
  if (s->own.positions > 0) {
    rf_model_map(s, s->steps, "positions", MODEL_RESIDUAL, (double[3]){s->tokens * s->own.hidden},
                 s->own.vectors);
  }
  if (s->own.embedding_norm) {
    rf_model_norm(s, s->steps, "norm", false, s->tokens);
  }
}

/** Every stream that has inputs, one after another. */
void rf_model_walk_streams(model_step *s) {
  double tokens = 0;
  for (int i = 1; i <= s->target->model->stream_count; i++) {
    rf_model_start_stream(s, i);
    if (s->tokens > 0) {
      emit_inputs(s);
      rf_model_stage(s);
      if (s->own.final_norm) {
        rf_model_norm(s, s->steps, "norm", false, s->tokens);
      }
      rf_model_outer_products(s, true);
      rf_model_source_keys(s);
      tokens += s->tokens;
    }
  }
  s->tokens = tokens;
}

void rf_model_walk(model_step *s) {
  if (s->attention_only) {
    rf_model_stage(s);
  } else {
    emit_embedding(s);
    rf_model_outer_products(s, false);
    rf_model_stage(s);
    rf_model_stage_transfers(s);
    rf_model_outer_products(s, true);
    emit_head(s);
  }
  rf_model_finish(s);
}
