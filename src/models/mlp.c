/* MLPs, plain and gated (Shazeer 2020), and mixtures of experts (Shazeer et al. 2017; Fedus et al. 2022). */
#include <math.h>

#include "models/step.h"

/** The names of one MLP's operations. */
typedef struct names {
  const char *gate_up, *gate, *up, *act, *down;
} names;

static const names dense_names = {"gate_up_proj", "gate_proj", "up_proj", "act", "down_proj"};
static const names expert_names = {"experts_gate_up", "experts_gate", "experts_up", "experts_act",
                                   "experts_down"};

/** `rows` tokens through `copies` MLPs that share them out. */
typedef struct mlp {
  const names *names;
  roof_model_part part;
  double rows, copies, width;
  bool gated, bias;
} mlp;

/** One projection of all copies. `in_rows`: rows that are read, fewer where one token's row serves several
 * experts' products without being copied. */
static void emit_projection(model_step *s, double n, const mlp *m, const char *name, double in, double out,
                            double bias, double flops_more) {
  const roof_model_target *t = s->target;
  model_cost c = {.name = name, .part = m->part, .unit = ROOF_MATRIX, .kernels = 1};
  c.flops = 2 * m->rows * in * out + flops_more;
  c.weights = m->copies * in * out;
  c.vectors = m->copies * bias;
  c.read = m->rows * in * t->input_bytes[m->part];
  c.written = m->rows * out * t->activation_bytes;
  rf_model_emit(s, n, &c);
}

/** The activation at the end of the projection: gate and up are never written. */
static void emit_fused(model_step *s, double n, const mlp *m) {
  const roof_model_target *t = s->target;
  double hidden = t->model->hidden, two = m->gated ? 2 : 1;
  model_cost c = {.name = m->gated ? m->names->gate_up : m->names->up, .part = m->part, .unit = ROOF_MATRIX};
  c.kernels = 1;
  c.flops = m->rows * m->width * (2 * two * hidden + t->model->activation + (m->gated ? 1 : 0));
  c.weights = m->copies * two * hidden * m->width;
  c.vectors = m->bias ? m->copies * two * m->width : 0;
  c.read = m->rows * hidden * t->input_bytes[m->part];
  c.written = m->rows * m->width * t->activation_bytes;
  rf_model_emit(s, n, &c);
}

static void emit_up(model_step *s, double n, const mlp *m) {
  const roof_model_target *t = s->target;
  double hidden = t->model->hidden, bias = m->bias ? m->width : 0;
  if (t->settings.fusion & ROOF_FUSE_ACTIVATION) {
    emit_fused(s, n, m);
    return;
  }
  if (!m->gated) {
    emit_projection(s, n, m, m->names->up, hidden, m->width, bias, 0);
  } else if (t->settings.fusion & ROOF_FUSE_GATE_UP) {
    emit_projection(s, n, m, m->names->gate_up, hidden, 2 * m->width, 2 * bias, 0);
  } else {
    emit_projection(s, n, m, m->names->gate, hidden, m->width, bias, 0);
    emit_projection(s, n, m, m->names->up, hidden, m->width, bias, 0);
  }
  rf_model_map(s, n, m->names->act, m->rows * m->width, t->model->activation + (m->gated ? 1 : 0),
               m->gated ? 2 : 1, 1, 0);
}

static void emit_mlp(model_step *s, double n, const mlp *m) {
  emit_up(s, n, m);
  emit_projection(s, n, m, m->names->down, m->width, s->target->model->hidden,
                  m->bias ? s->target->model->hidden : 0, 0);
}

/** Experts that at least one of `tokens` tokens is sent to, when each picks `chosen` of `all` independently
 * and evenly: one misses an expert with probability 1 - k/E, all do with its power, so E (1 - (1 - k/E)^T)
 * are touched. Real routers are less even: fewer are. */
static double experts_touched(double all, double chosen, double tokens) {
  return all * -expm1(tokens * log1p(-chosen / all));
}

/** Experts on this device: of the tokens of all replicas that share them, those that chose one here. */
static void emit_experts(model_step *s, double n, const roof_model_block *b) {
  const roof_model_target *t = s->target;
  double hidden = t->model->hidden, e = b->experts, k = b->experts_per_token, a = t->activation_bytes;
  rf_model_product(s, n, "router", ROOF_PART_ROUTER, s->tokens, hidden, e, b->router_bias ? e : 0);
  rf_model_map(s, n, "top_k", s->tokens * e, 5, 1, k / e, 0); /* softmax over the experts */
  mlp m = {.names = &expert_names, .part = ROOF_PART_EXPERTS, .gated = b->gated, .bias = b->expert_bias};
  double ep = t->settings.ep, tokens = s->tokens * fmax(1, ep / t->settings.tp);
  m.rows = tokens * k / ep;
  m.copies = (k < e ? experts_touched(e, k, tokens) : e) / ep;
  m.width = b->expert_width / rf_model_expert_cut(&t->settings);
  emit_mlp(s, n, &m);
  model_cost c = {.name = "combine", .part = ROOF_PART_COUNT, .unit = ROOF_VECTOR, .kernels = 1};
  c.flops = 2 * m.rows * hidden; /* weight and add */
  c.read = m.rows * hidden * a;
  c.written = s->tokens * hidden * a;
  rf_model_emit(s, n, &c);
}

void rf_model_mlp(model_step *s, double n, const roof_model_block *b) {
  model_widths w = rf_model_widths_of(b, s->target->settings.tp);
  if (b->experts > 0) {
    emit_experts(s, n, b);
  }
  if (b->width > 0) {
    mlp m = {
        .names = &dense_names, .part = ROOF_PART_MLP, .copies = 1, .gated = b->gated, .bias = b->mlp_bias};
    m.rows = s->tokens;
    m.width = w.mlp;
    emit_mlp(s, n, &m);
  }
  if (b->shared_gate) {
    rf_model_product(s, n, "shared_gate", ROOF_PART_ROUTER, s->tokens, s->target->model->hidden, 1, 0);
  }
}
