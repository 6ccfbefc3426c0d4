/* What devices exchange: sums of tensor parallelism (Shoeybi et al. 2019), tokens for experts (Lepikhin et
 * al. 2020, GShard), keys of a shared sequence (Liu et al. 2023, ring attention), activations between stages
 * (Narayanan et al. 2021). */
#include <math.h>
#include <string.h>

#include "models/step.h"
#include "roofline/plan.h"

/** Tokens up to which TensorRT-LLM adds in one step, whatever their bytes (kOneShotMaxToken of allReduceFusionKernels.h;
 * NVIDIA/TensorRT-LLM pull request 5432: "will use 128 tokens as the NCCL/MIN_LATENCY threshold"). */
static const double most_at_once = 128;

/** Whether the engine's devices send each other all of a sum of the step's tokens, where two stages would send less. */
static bool adds_at_once(const model_step *s) {
  const char *framework = s->target->settings.options.framework;
  return framework != NULL && strcmp(framework, "trtllm") == 0 && s->tokens <= most_at_once && !s->training;
}

/** The algorithm of the same transfer where the phase has it already, else the fastest. Engines that serve have sums
 * within a node of their own (vLLM and SGLang custom all-reduce, TensorRT-LLM's one-shot and two-shot): all ranks
 * send at once, where NCCL's messages wait for one another. */
static double algorithm_of(const model_step *s, const model_call *c) {
  const roof_model_target *t = s->target;
  bool near = c->span != ROOF_SPAN_CLUSTER;
  if (c->op == t->collectives[ROOF_ALL_REDUCE] && near && adds_at_once(s)) {
    return RF_ONESHOT;
  }
  for (int i = 0; i < s->out->count; i++) {
    const roof_model_operation *o = &s->out->operations[i];
    if (o->op == c->op && o->span == c->span && o->values[RF_SIZE] == c->values[RF_SIZE] &&
        o->values[RF_RANKS] == c->values[RF_RANKS]) {
      return o->values[RF_ALGORITHM];
    }
  }
  return rf_model_faster(&t->plain, c->op, &t->links[c->span], c->values[RF_SIZE], c->values[RF_RANKS],
                         !s->training && near);
}

static void emit_transfer(model_step *s, double count, const model_transfer *x, roof_span span, double bytes,
                          double ranks) {
  const roof_model_target *t = s->target;
  model_call c = {.name = x->name, .op = t->collectives[x->kind], .kernels = 1, .span = span};
  if ((ranks <= 1 && x->kind != ROOF_SEND) || s->attention_only) {
    return;
  }
  c.part = ROOF_PART_COUNT;
  c.kind = ROOF_KIND_COLLECTIVE;
  c.values[RF_SIZE] = bytes;
  c.values[RF_RANKS] = ranks;
  c.values[RF_ALGORITHM] = algorithm_of(s, &c);
  c.passes = x->passes;
  rf_model_emit(s, count, &c);
}

/** Of `ranks` devices, every `stride`-th of the cluster, those that share a node. */
static double local_ranks(const model_step *s, double ranks, double stride) {
  return fmin(ranks, fmax(1, floor(s->target->settings.node / stride)));
}

/** Where devices of a node exchange something that stretch over `extent` of it. */
static roof_span near_span(const model_step *s, double extent) {
  return extent <= s->target->links[ROOF_SPAN_NEIGHBOURS].joins ? ROOF_SPAN_NEIGHBOURS : ROOF_SPAN_NODE;
}

/** Bytes of the collective between nodes, so that each port passes as many as one of the last node, which has the fewest:
 * they share all of a sum; of what is gathered or sent to experts, all but the node's own part. */
static double far_bytes(const model_transfer *x, const model_nodes *n) {
  double bytes = x->kind == ROOF_ALL_TO_ALL ? x->far_bytes : x->bytes / n->least;
  bool sum = x->kind == ROOF_ALL_REDUCE;
  return sum ? bytes : bytes * ((x->ranks - n->least) * n->count / (x->ranks * (n->count - 1)));
}

void rf_model_transfers(model_step *s, double count, const model_transfer *x) {
  model_nodes nodes = rf_model_nodes(x->ranks, local_ranks(s, x->ranks, x->stride));
  emit_transfer(s, count, x, near_span(s, nodes.local * x->stride), x->bytes, nodes.local);
  emit_transfer(s, count, x, ROOF_SPAN_CLUSTER, far_bytes(x, &nodes), nodes.count);
}

/** An all-reduce; with sequence parallelism its halves, a reduce-scatter before and an all-gather after what
 * lies between the products. Their backward passes are each other; the gathered input is not kept but
 * gathered a third time for the gradients of the weights (Korthikanti et al. 2022, section 4.2.2). */
void rf_model_sum(model_step *s, double n) {
  const roof_model_target *t = s->target;
  double bytes = s->tokens * s->own.hidden * t->activation_bytes, tp = t->settings.tp;
  if (!t->settings.sp) {
    rf_model_transfers(s, n, &(model_transfer){"tp_all_reduce", ROOF_ALL_REDUCE, bytes, tp, 1, 0, 0});
    return;
  }
  rf_model_transfers(s, n, &(model_transfer){"sp_reduce_scatter", ROOF_REDUCE_SCATTER, bytes, tp, 1, 0, 0});
  rf_model_transfers(s, n, &(model_transfer){"sp_all_gather", ROOF_ALL_GATHER, bytes, tp, 1, 3, 0});
}

/** Training needs no logits together: a device sums the loss over its part of the vocabulary. */
void rf_model_logits_transfer(model_step *s) {
  const roof_model_target *t = s->target;
  double bytes = s->logits * t->model->vocab * t->activation_bytes;
  if (!s->training) {
    rf_model_transfers(s, s->heads,
                       &(model_transfer){"tp_logits", ROOF_ALL_GATHER, bytes, t->settings.tp, 1, 0, 0});
  }
}

/** Copies of a token between nodes: one per node, which hands it on (DeepEP), and no more than its routing's limit of
 * groups, each in one node or several (DeepSeek-V3 2024, section 2.1.2). Counted as if all nodes were as
 * small as the last, whose ports get the most. */
static double far_copies(const roof_model_block *b, double nodes) {
  bool limited = b->expert_groups > 0 && b->token_groups > 0;
  double limit = limited ? b->token_groups * ceil(nodes / b->expert_groups) : 0;
  return rf_token_copies(nodes, b->experts_per_token, limit);
}

/** Tokens go to the devices of their experts and come back, once to each device. The devices of one tensor
 * group have the same tokens and send a part each; experts within the group need no sending. */
static void emit_dispatch(model_step *s, double n, const roof_model_block *b) {
  const roof_model_settings *set = &s->target->settings;
  double ep = set->ep, one = s->tokens / set->tp * s->own.hidden;
  double near = rf_token_copies(ep, b->experts_per_token, 0);
  double far = far_copies(b, ep / rf_model_nodes(ep, local_ranks(s, ep, set->cp)).least);
  one *= rf_model_expert_imbalance(b, set);
  double there = s->target->input_bytes[ROOF_PART_EXPERTS], back = s->target->activation_bytes;
  if (b->experts <= 0 || ep <= set->tp) {
    return;
  }
  model_transfer out = {"ep_dispatch",    ROOF_ALL_TO_ALL, one * near * there, ep, set->cp, 0,
                        one * far * there};
  model_transfer in = {"ep_combine", ROOF_ALL_TO_ALL, one * near * back, ep, set->cp, 0, one * far * back};
  rf_model_transfers(s, n, &out);
  rf_model_transfers(s, n, &in);
}

/** A prompt's keys visit all devices that share it; a decoding device reads its own keys, and the results are
 * put together. Backward the keys visit them again with their gradients (Liu et al. 2023, algorithm 1).
 */
static void emit_context(model_step *s, double n, const roof_model_block *b) {
  const roof_model_target *t = s->target;
  double cp = t->settings.cp, tp = t->settings.tp;
  model_widths w = rf_model_widths_of(b, tp);
  s->extent = MODEL_OF_GROUPS;
  for (int i = 0; i < s->group_count && (b->mixer == ROOF_MIX_ATTENTION || b->mixer == ROOF_MIX_LATENT);
       i++) {
    const model_group *g = &s->groups[i];
    double keys = g->sequences * rf_model_keys(g, b) * rf_model_kv_elements(b, tp) * t->activation_bytes;
    double results = g->sequences * g->queries * w.mixed * t->activation_bytes;
    model_transfer pass = {"cp_keys", ROOF_ALL_GATHER, keys, cp, tp, 3, 0};
    model_transfer join = {"cp_results", ROOF_ALL_REDUCE, results, cp, tp, 0, 0};
    rf_model_transfers(s, n, g->key_split > 1 ? &join : &pass);
  }
  s->extent = MODEL_OF_TOKENS;
}

void rf_model_layer_transfers(model_step *s, double n, const roof_model_block *b) {
  rf_model_sum(s, n * rf_model_sublayers(b));
  emit_dispatch(s, n, b);
  emit_context(s, n, b);
}

/** Each device of a tensor group sends its part, and the next stage's group puts the parts together, unless
 * each works on its own tokens. The stages are farthest apart: the slowest hop is between two nodes where there
 * are several, and over the link that joins all devices of one. With several stages on each device a microbatch
 * passes all devices as often. */
void rf_model_stage_transfers(model_step *s) {
  const roof_model_target *t = s->target;
  const roof_model_settings *set = &t->settings;
  double bytes = s->tokens * s->own.hidden * t->activation_bytes;
  if (set->pp > 1) {
    roof_span span = t->devices > set->node ? ROOF_SPAN_CLUSTER : near_span(s, t->devices);
    model_transfer send = {"pp_send", ROOF_SEND, bytes / set->tp, 2, 1, 0, 0};
    model_transfer gather = {"pp_all_gather", ROOF_ALL_GATHER, bytes, set->sp ? 1 : set->tp, 1, 0, 0};
    double passes = s->steps * (s->training ? fmax(1, set->interleave) : 1);
    s->place = MODEL_BETWEEN;
    emit_transfer(s, passes, &send, span, send.bytes, send.ranks);
    rf_model_transfers(s, passes, &gather);
    s->place = MODEL_OUTSIDE;
  }
}
