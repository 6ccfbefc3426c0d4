/* MLPs, plain and gated (Shazeer 2020), and mixtures of experts (Shazeer et al. 2017; Fedus et al. 2022). */
#include <math.h>

#include "models/step.h"

/** The names of one MLP's operations. */
typedef struct names {
  const char *gate_up, *gate, *up, *act, *down;
} names;

static const names dense_names = {"gate_up_proj", "gate_proj", "up_proj", "act", "down_proj"};
static const names shared_names = {"shared_gate_up", "shared_gate", "shared_up", "shared_act", "shared_down"};
static const names expert_names = {"experts_gate_up", "experts_gate", "experts_up", "experts_act",
                                   "experts_down"};

/** `rows` tokens through `copies` MLPs that share them out. */
typedef struct mlp {
  const names *names;
  roof_model_part part;
  double rows, copies, width;
  double fewest; /**< copies that are read at least */
  bool gated, bias;
} mlp;

/** One projection of all copies, with the activation at its end where `activation` is not 0. */
static void emit_projection(model_step *s, double n, const mlp *m, const char *name, double in, double out,
                            double bias, double activation) {
  bool gated = activation > 0 && m->gated;
  if (m->part != ROOF_PART_EXPERTS) {
    model_product p = {.name = name,
                       .part = m->part,
                       .rows = m->rows,
                       .in = in,
                       .out = out,
                       .vectors = bias,
                       .activation = activation,
                       .gated = gated};
    rf_model_product_of(s, n, &p);
    return;
  }
  model_call c = {.name = name, .op = s->target->ops[MODEL_GROUPED], .kernels = 1, .part = m->part};
  c.values[RF_GROUPED_BATCH] = m->rows;
  c.values[RF_GROUPED_GROUPS] = m->copies;
  c.values[RF_GROUPED_IN] = in;
  c.values[RF_GROUPED_OUT] = out;
  c.values[RF_GROUPED_ACTIVATION] = activation;
  c.values[RF_GROUPED_GATED] = gated;
  c.values[RF_GROUPED_FEWEST] = m->fewest;
  c.vectors = m->copies * bias;
  rf_model_emit(s, n, &c);
}

/** Gate and up, and the activation: with it in the same kernel they are never written. */
static void emit_up(model_step *s, double n, const mlp *m) {
  const roof_model_target *t = s->target;
  unsigned fusion = t->settings.fusion;
  double hidden = s->own.hidden, bias = m->bias ? m->width : 0;
  const char *both = m->gated ? m->names->gate_up : m->names->up;
  double two = m->gated ? 2 : 1;
  if (fusion & ROOF_FUSE_ACTIVATION) {
    emit_projection(s, n, m, both, hidden, two * m->width, two * bias, s->own.activation);
    return;
  }
  if (!m->gated || fusion & ROOF_FUSE_GATE_UP) {
    emit_projection(s, n, m, both, hidden, two * m->width, two * bias, 0);
  } else {
    emit_projection(s, n, m, m->names->gate, hidden, m->width, bias, 0);
    emit_projection(s, n, m, m->names->up, hidden, m->width, bias, 0);
  }
  rf_model_map(s, n, m->names->act, MODEL_ACTIVATION,
               (double[3]){m->rows * m->width, s->own.activation, m->gated}, 0);
}

static void emit_mlp(model_step *s, double n, const mlp *m) {
  emit_up(s, n, m);
  emit_projection(s, n, m, m->names->down, m->width, s->own.hidden, m->bias ? s->own.hidden : 0, 0);
}

/** Experts on the busiest device: of the tokens of all replicas that share them, those that chose one here. */
static void emit_experts(model_step *s, double n, const roof_model_block *b) {
  const roof_model_target *t = s->target;
  double hidden = s->own.hidden, e = b->experts, k = b->experts_per_token;
  rf_model_product(s, n, "router", ROOF_PART_ROUTER, s->tokens, hidden, e, b->router_bias ? e : 0);
  rf_model_map(s, n, "top_k", MODEL_TOPK, (double[3]){s->tokens, e, k}, 0);
  mlp m = {.names = &expert_names, .part = ROOF_PART_EXPERTS, .gated = b->gated, .bias = b->expert_bias};
  double ep = t->settings.ep, tokens = s->tokens * fmax(1, ep / t->settings.tp);
  m.rows = tokens * k / ep * rf_model_expert_imbalance(b, &t->settings);
  m.copies = rf_model_experts_touched(b, &t->settings, tokens) / ep;
  m.fewest = rf_fewest_experts(m.copies, k, ep);
  m.width = b->expert_width / rf_model_expert_cut(&t->settings);
  emit_mlp(s, n, &m);
  rf_model_map(s, n, "combine", MODEL_COMBINE, (double[3]){m.rows, s->tokens, hidden}, 0);
}

/** Tokens up to which a shared expert runs on a stream of its own, at the same time as the others (vLLM pull request 28406:
 * "limit parallel stream execution to <=256 batch size"), or in their kernel (SGLang, 4918). */
static const double most_concurrent = 256;

/** Engines do so in the graphs of steps that generate: TensorRT-LLM's maybe_execute_in_parallel, SGLang's
 * forward_normal_dual_stream, vLLM's shared experts stream, by which a token of DeepSeek R1 on 8 B200 takes 22.1 ms in place
 * of 23.4 (vLLM pull request 26440). */
static bool runs_concurrently(const model_step *s, const roof_model_block *b) {
  return b->experts > 0 && s->tokens <= most_concurrent && !s->training &&
         s->target->settings.launch != ROOF_LAUNCH_EAGER;
}

void rf_model_mlp(model_step *s, double n, const roof_model_block *b) {
  model_widths w = rf_model_widths_of(b, s->target->settings.tp);
  if (b->experts > 0) {
    emit_experts(s, n, b);
  }
  if (b->width > 0) {
    mlp m = {.names = b->experts > 0 ? &shared_names : &dense_names,
             .part = ROOF_PART_MLP,
             .copies = 1,
             .fewest = 1,
             .gated = b->gated,
             .bias = b->mlp_bias};
    m.rows = s->tokens;
    m.width = w.mlp;
    s->concurrent = runs_concurrently(s, b);
    emit_mlp(s, n, &m);
    s->concurrent = false;
  }
  if (b->shared_gate) {
    rf_model_product(s, n, "shared_gate", ROOF_PART_ROUTER, s->tokens, s->own.hidden, 1, 0);
  }
}
