/* Layers with a state of fixed size: selective state spaces (Mamba: Gu and Dao 2023; Mamba-2: Dao and Gu
 * 2024) and linear attention with the gated delta rule (Yang et al. 2025). A decoding step updates the state of
 * every sequence; a prompt is scanned in chunks and leaves one state. */
#include "models/step.h"

static void mamba(const roof_model_block *b, const model_widths *w, model_call *c) {
  c->values[RF_MAMBA_CHANNELS] = w->inner;
  c->values[RF_MAMBA_STATE] = b->state;
  c->values[RF_MAMBA_KERNEL] = b->kernel;
  c->vectors = w->inner * (b->state + 2); /* decay, skip, bias of the step */
}

static void mamba2(const roof_model_block *b, const model_widths *w, bool scanned, model_call *c) {
  c->values[RF_MAMBA2_HEADS] = w->heads;
  c->values[RF_MAMBA2_HEAD_DIM] = b->head_dim;
  c->values[RF_MAMBA2_STATE] = b->state;
  c->values[RF_MAMBA2_GROUPS] = (w->conv - w->inner) / (2 * b->state);
  c->values[RF_MAMBA2_KERNEL] = b->kernel;
  c->values[RF_MAMBA2_SCAN] = scanned ? b->scan : 0;
  c->vectors = 3 * w->heads;
}

static void delta(const roof_model_block *b, const model_widths *w, bool scanned, model_call *c) {
  c->values[RF_DELTA_HEADS] = w->heads;
  c->values[RF_DELTA_KEY_HEADS] = w->keys / b->head_dim;
  c->values[RF_DELTA_KEY_DIM] = b->head_dim;
  c->values[RF_DELTA_VALUE_DIM] = b->value_dim;
  c->values[RF_DELTA_KERNEL] = b->kernel;
  c->values[RF_DELTA_SCAN] = scanned ? b->scan : 0;
  c->vectors = w->heads + (b->gate_rank > 0 ? w->inner : w->heads);
}

static void rwkv(const roof_model_block *b, const model_widths *w, bool scanned, model_call *c) {
  c->values[RF_DELTA_HEADS] = c->values[RF_DELTA_KEY_HEADS] = w->heads;
  c->values[RF_DELTA_KEY_DIM] = b->head_dim;
  c->values[RF_DELTA_VALUE_DIM] = b->value_dim;
  c->values[RF_DELTA_KERNEL] = 1;
  c->values[RF_DELTA_SCAN] = scanned ? b->scan : 0;
  c->vectors = 14 * w->inner;
}

static void emit_recurrence(model_step *s, double n, const roof_model_block *b, const model_widths *w,
                            const model_group *g) {
  const roof_model_target *t = s->target;
  bool scanned = g->queries > 1;
  model_call c = {.name = scanned ? "scan" : "state_update", .types = &t->state_types, .kernels = 1};
  c.part = ROOF_PART_COUNT;
  c.kind = ROOF_KIND_STATE;
  c.block = b;
  c.values[RF_STATE_SEQUENCES] = g->sequences;
  c.values[RF_STATE_TOKENS] = g->queries / g->query_split;
  if (b->mixer == ROOF_MIX_MAMBA1) {
    c.op = t->ops[MODEL_MAMBA];
    mamba(b, w, &c);
  } else if (b->mixer ==
             ROOF_MIX_RWKV) { /* of version 6 without the delta rule: of as many FLOPs to a few percent */
    c.op = t->ops[MODEL_DELTA];
    rwkv(b, w, scanned, &c);
  } else if (b->mixer == ROOF_MIX_MAMBA2) {
    c.op = t->ops[MODEL_MAMBA2];
    mamba2(b, w, scanned, &c);
  } else {
    c.op = t->ops[MODEL_DELTA];
    delta(b, w, scanned, &c);
  }
  rf_model_emit(s, n, &c);
}

static void emit_recurrences(model_step *s, double n, const roof_model_block *b, const model_widths *w) {
  s->extent = MODEL_OF_GROUPS;
  for (int i = 0; i < s->group_count; i++) {
    emit_recurrence(s, n, b, w, &s->groups[i]);
  }
  s->extent = MODEL_OF_TOKENS;
}

/** Mamba: the step and B, C from the channels, then the step's own projection. */
static void emit_steps(model_step *s, double n, const roof_model_block *b, const model_widths *w) {
  double norms = b->mamba_norms ? b->dt_rank + 2 * b->state : 0;
  rf_model_product(s, n, "x_proj", ROOF_PART_MIXER, s->tokens, w->inner, b->dt_rank + 2 * b->state, norms);
  rf_model_product(s, n, "dt_proj", ROOF_PART_MIXER, s->tokens, b->dt_rank, w->inner, 0);
}

static void emit_conv(model_step *s, double n, const roof_model_block *b, double channels) {
  const roof_model_target *t = s->target;
  model_call c = {.name = "conv1d", .op = t->ops[MODEL_CONV1D], .types = &t->vector_types, .kernels = 1};
  c.part = ROOF_PART_COUNT;
  c.values[RF_CONV1D_TOKENS] = s->tokens;
  c.values[RF_CONV1D_CHANNELS] = channels;
  c.values[RF_CONV1D_KERNEL] = b->kernel;
  c.vectors = b->conv_bias ? channels : 0;
  rf_model_emit(s, n, &c);
}

/** The gate, silu of what the projection in made for it, and the norm before it where there is one. */
static void emit_gate(model_step *s, double n, const roof_model_block *b, const model_widths *w) {
  double cols = b->mixer == ROOF_MIX_DELTA ? b->value_dim : w->inner;
  if (b->mixer == ROOF_MIX_MAMBA1) {
    rf_model_silu_gate(s, n, "gated_norm", s->tokens * w->inner);
  } else {
    rf_model_map(s, n, "gated_norm", MODEL_GATED_RMSNORM, (double[3]){s->tokens * w->inner / cols, cols},
                 cols);
  }
}

/** Each projection reads a mix of the token and the one before it (Peng et al. 2023, section 3.1). */
static void emit_rwkv(model_step *s, double n, const roof_model_block *b, const model_widths *w) {
  double hidden = s->own.hidden;
  rf_model_map(s, n, "token_shift", MODEL_ACTIVATION, (double[3]){6 * s->tokens * hidden, 2, 0}, 0);
  rf_model_product(s, n, "in_proj", ROOF_PART_MIXER, s->tokens, hidden, w->in, 0);
  rf_model_product(s, n, "lora_down", ROOF_PART_MIXER, s->tokens, hidden, b->gate_rank, 0);
  rf_model_product(s, n, "lora_up", ROOF_PART_MIXER, s->tokens, b->gate_rank, w->inner, 0);
  emit_recurrences(s, n, b, w);
  rf_model_silu_gate(s, n, "gate", s->tokens * w->inner);
  rf_model_product(s, n, "out_proj", ROOF_PART_MIXER, s->tokens, w->inner, hidden, 0);
}

void rf_model_state_space(model_step *s, double n, const roof_model_block *b) {
  model_widths w = rf_model_widths_of(b, s->target->settings.tp);
  double hidden = s->own.hidden;
  if (b->mixer == ROOF_MIX_RWKV) {
    emit_rwkv(s, n, b, &w);
    return;
  }
  rf_model_product(s, n, "in_proj", ROOF_PART_MIXER, s->tokens, hidden, w.in, b->mamba_bias ? w.in : 0);
  emit_conv(s, n, b, w.conv);
  if (b->mixer == ROOF_MIX_MAMBA1) {
    emit_steps(s, n, b, &w);
  }
  if (b->gate_rank > 0) {
    rf_model_product(s, 2 * n, "gate_up", ROOF_PART_MIXER, s->tokens, b->gate_rank, w.inner, 0);
  }
  emit_recurrences(s, n, b, &w);
  emit_gate(s, n, b, &w);
  rf_model_product(s, n, "out_proj", ROOF_PART_MIXER, s->tokens, w.inner, hidden, b->mamba_bias ? hidden : 0);
}
