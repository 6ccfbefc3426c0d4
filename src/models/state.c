/* Layers with a state of fixed size: selective state spaces (Mamba: Gu and Dao 2023; Mamba-2: Dao and Gu
 * 2024) and linear attention with the gated delta rule (Yang et al. 2025). A decoding step reads and writes
 * the state of every sequence; a prompt is scanned in chunks and leaves one state. */
#include "models/step.h"

/** FLOPs a token of the recurrence itself, on one device.
 *  Mamba: 9 an element of the state (state-spaces/mamba issue 110: step, decay, input, update, output).
 *  Mamba-2: decay 1, outer product with B 2, add 1, product with C 2 = 6.
 *  Delta rule: decay 1, read by the key 2, add of the outer product 2, read by the query 2 = 7. */
static double recurrence_flops(const roof_model_block *b, const model_widths *w) {
  return b->mixer == ROOF_MIX_MAMBA1   ? 9 * w->inner * b->state
         : b->mixer == ROOF_MIX_MAMBA2 ? 6 * w->inner * b->state
                                       : 7 * w->heads * b->head_dim * b->value_dim;
}

/** FLOPs a token of the scan in chunks of Q (Dao and Gu 2024, section 6): inside a chunk the scores of half
 * of Q keys, 2 N a group, and their product with the inputs, 2 P a head; the chunk's state in and out, 2 N P
 * a head each. The delta rule also solves a triangular system for each chunk: as many FLOPs again as the
 * scores. */
static double scan_flops(const roof_model_block *b, const model_widths *w) {
  double half = (b->scan + 1) / 2;
  if (b->mixer == ROOF_MIX_MAMBA2) {
    double groups = w->conv > w->inner ? (w->conv - w->inner) / (2 * b->state) : 0;
    return half * (2 * groups * b->state + 2 * w->inner) + 4 * w->inner * b->state;
  }
  return half * w->heads * (4 * b->head_dim + 4 * b->value_dim) + 6 * w->heads * b->head_dim * b->value_dim;
}

static void emit_recurrence(model_step *s, double n, const roof_model_block *b, const model_widths *w,
                            const model_group *g) {
  const roof_model_target *t = s->target;
  double tokens = g->sequences * g->queries / g->query_split;
  bool scanned = g->queries > 1 && b->mixer != ROOF_MIX_MAMBA1 && b->scan > 0;
  model_cost c = {.name = g->queries > 1 ? "scan" : "state_update", .part = ROOF_PART_COUNT, .kernels = 1};
  c.kind = ROOF_KIND_STATE;
  c.unit = scanned ? ROOF_MATRIX : ROOF_VECTOR;
  c.flops = tokens * (scanned ? scan_flops(b, w) : recurrence_flops(b, w));
  double extra = b->mixer == ROOF_MIX_MAMBA1 ? w->inner + 2 * b->state : b->heads > 0 ? 2 * w->heads : 0;
  c.read = tokens * (w->conv + extra) * t->activation_bytes;
  c.written = tokens * w->inner * t->activation_bytes;
  c.kv_read = c.kv_written = g->sequences * w->state * t->state_bytes;
  c.vectors = b->mixer == ROOF_MIX_MAMBA1   ? w->inner * (b->state + 2)
              : b->mixer == ROOF_MIX_MAMBA2 ? 3 * w->heads
                                            : 2 * w->heads;
  rf_model_emit(s, n, &c);
}

/** Mamba: the step and B, C from the channels, then the step's own projection. */
static void emit_steps(model_step *s, double n, const roof_model_block *b, const model_widths *w) {
  double norms = b->mamba_norms ? b->dt_rank + 2 * b->state : 0;
  rf_model_product(s, n, "x_proj", ROOF_PART_MIXER, s->tokens, w->inner, b->dt_rank + 2 * b->state, norms);
  rf_model_product(s, n, "dt_proj", ROOF_PART_MIXER, s->tokens, b->dt_rank, w->inner, 0);
}

void rf_model_state_space(model_step *s, double n, const roof_model_block *b) {
  model_widths w = rf_model_widths_of(b, s->target->settings.tp);
  double hidden = s->target->model->hidden;
  rf_model_product(s, n, "in_proj", ROOF_PART_MIXER, s->tokens, hidden, w.in, b->mamba_bias ? w.in : 0);
  /* a product and an add a tap, and silu */
  rf_model_map(s, n, "conv1d", s->tokens * w.conv, 2 * b->kernel + 4, 1, 1,
               w.conv * (b->kernel + (b->conv_bias ? 1 : 0)));
  if (b->mixer == ROOF_MIX_MAMBA1) {
    emit_steps(s, n, b, &w);
  }
  for (int i = 0; i < s->group_count; i++) {
    emit_recurrence(s, n, b, &w, &s->groups[i]);
  }
  double gain = b->mixer == ROOF_MIX_MAMBA2 ? w.inner : b->mixer == ROOF_MIX_DELTA ? b->value_dim : 0;
  rf_model_map(s, n, "gated_norm", s->tokens * w.inner, gain > 0 ? 10 : 5, 2, 1, gain);
  rf_model_product(s, n, "out_proj", ROOF_PART_MIXER, s->tokens, w.inner, hidden, b->mamba_bias ? hidden : 0);
}
