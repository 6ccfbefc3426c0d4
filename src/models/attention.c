/* Attention, of heads (MHA, GQA, MQA: Vaswani et al. 2017; Shazeer 2019; Ainslie et al. 2023) and of a latent
 * (DeepSeek-V2, 2024), with windows and sparse indices: which operations, of what sizes. */
#include <math.h>

#include "models/step.h"

/** Elements that the attention itself works on, per head and token. */
typedef struct heads {
  double queries, key_dim, value_dim;
  double stored; /**< elements of K and V, a token, all heads of the device */
} heads;

static void emit_store(model_step *s, double n, double stored) {
  const roof_model_target *t = s->target;
  model_call c = {.name = "store_kv",
                  .op = t->ops[MODEL_STORE_KV],
                  .types = &t->cache_types,
                  .values = {[RF_ELEMENTS] = s->tokens * stored},
                  .kernels = 1,
                  .part = ROOF_PART_COUNT};
  rf_model_emit(s, n, &c);
}

/** Q and K are normed over all heads of a token, not one by one. */
static bool norms_all_heads(const roof_model_block *b) {
  return b->qk_norm > 2 * b->head_dim;
}

/** A norm over all heads is a kernel of its own. Where each device of tp has some of them two, which add up their squares,
 * of Q and of K, in between (sgl-project/sglang pull request 14416: "summation, all_reduce, and the remaining norm"). */
static void emit_whole_norm(model_step *s, double n, const roof_model_block *b, const model_widths *w) {
  double sums = 2 * s->tokens * roof_dtype_bytes(ROOF_FP32), tp = s->target->settings.tp;
  double elements = w->queries + w->keys;
  if (tp > 1) {
    rf_model_map(s, n, "qk_norm_squares", MODEL_NRM2, (double[3]){s->tokens * elements}, 0);
    rf_model_transfers(s, n, &(model_transfer){"qk_norm_all_reduce", ROOF_ALL_REDUCE, sums, tp, 1, 0, 0});
  }
  rf_model_map(s, n, "qk_norm", MODEL_RMSNORM, (double[3]){s->tokens, elements}, b->qk_norm);
}

/** Rotation, norms of Q and K, and the store into the cache. `stored`: elements that a token adds to it. */
static void emit_rope(model_step *s, double n, const roof_model_block *b, const model_widths *w,
                      double stored) {
  const roof_model_target *t = s->target;
  bool whole = norms_all_heads(b), norm = b->qk_norm > 0 && !whole,
       turns = (s->own.rotary || norm) && w->queries + w->keys > 0;
  bool cached = s->groups[0].cached && stored > 0, fused = (t->settings.fusion & ROOF_FUSE_ROPE) != 0;
  model_call c = {.name = "rope", .op = t->ops[MODEL_ROPE], .types = &t->cache_types, .kernels = 1};
  c.part = ROOF_PART_COUNT;
  c.values[RF_ROPE_TOKENS] = s->tokens;
  c.values[RF_ROPE_QUERIES] = w->queries;
  c.values[RF_ROPE_KEYS] = w->keys;
  c.values[RF_ROPE_STORED] = fused && cached ? stored : 0;
  c.values[RF_ROPE_ROTARY] = s->own.rotary;
  c.values[RF_ROPE_NORM] = norm;
  c.vectors = norm ? b->qk_norm : 0;
  if (whole) {
    emit_whole_norm(s, n, b, w);
  }
  if (turns) {
    rf_model_emit(s, n, &c);
  }
  if (cached && !(turns && fused)) {
    emit_store(s, n, stored);
  }
}

/** Pairs of query and key that are scored. */
static double scored(const model_group *g, const roof_model_block *b) {
  return b->index_keys > 0 && b->window <= 0 ? rf_model_pairs(g, b->index_keys, false)
                                             : rf_model_pairs(g, b->window, b->chunked);
}

/** Without flash attention the scores are written, read and written by the softmax, and read: three kernels,
 * and the whole square, masked or not. */
static void emit_scores(model_step *s, double n, const roof_model_block *b, const model_group *g,
                        const heads *h) {
  const roof_model_target *t = s->target;
  bool flash = (t->settings.fusion & ROOF_FUSE_FLASH) != 0;
  model_call c = {.name = g->queries > 1 && s->group_count > 1 ? "attention_prefill" : "attention",
                  .op = t->ops[MODEL_ATTEND],
                  .types = g->cached ? &t->cache_types : &t->stored[ROOF_PART_COUNT],
                  .kernels = flash ? 1 : 3,
                  .part = ROOF_PART_COUNT,
                  .kind = ROOF_KIND_ATTENTION,
                  .block = b};
  c.values[RF_ATTEND_BATCH] = g->sequences;
  c.values[RF_ATTEND_HEADS] = h->queries;
  c.values[RF_ATTEND_Q_LEN] = g->queries / g->query_split;
  c.values[RF_ATTEND_KV_LEN] = rf_model_keys(g, b) / g->key_split;
  c.values[RF_ATTEND_PAIRS] = scored(g, b) / (g->query_split * g->key_split);
  c.values[RF_ATTEND_KEY_DIM] = h->key_dim;
  c.values[RF_ATTEND_VALUE_DIM] = h->value_dim;
  c.values[RF_ATTEND_STORED] = h->stored;
  c.values[RF_ATTEND_PASSES] = flash ? 0 : 4;
  c.vectors = b->sinks ? h->queries : 0;
  rf_model_emit(s, n, &c);
}

static void emit_projections(model_step *s, double n, const roof_model_block *b, const model_widths *w) {
  double hidden = s->own.hidden, bias = b->qkv_bias ? 1 : 0;
  double q = w->queries * (b->output_gate ? 2 : 1), k = w->keys, v = b->shared_kv ? 0 : w->values;
  double of_keys = rf_model_key_biases(b, k);
  if (b->reuses_kv) {
    rf_model_product(s, n, "q_proj", ROOF_PART_MIXER, s->tokens, hidden, q, bias * q);
    return;
  }
  if (s->target->settings.fusion & ROOF_FUSE_QKV) {
    rf_model_product(s, n, "qkv_proj", ROOF_PART_MIXER, s->tokens, hidden, q + k + v,
                     bias * (q + v) + of_keys);
    return;
  }
  rf_model_product(s, n, "q_proj", ROOF_PART_MIXER, s->tokens, hidden, q, bias * q);
  rf_model_product(s, n, "k_proj", ROOF_PART_MIXER, s->tokens, hidden, k, of_keys);
  if (v > 0) {
    rf_model_product(s, n, "v_proj", ROOF_PART_MIXER, s->tokens, hidden, v, bias * v);
  }
}

static void emit_output(model_step *s, double n, const roof_model_block *b, const model_widths *w) {
  double hidden = s->own.hidden;
  if (b->output_gate) { /* times its sigmoid, of as many FLOPs as silu */
    rf_model_silu_gate(s, n, "gate", s->tokens * w->mixed);
  }
  rf_model_product(s, n, "o_proj", ROOF_PART_MIXER, s->tokens, w->mixed, hidden, b->out_bias ? hidden : 0);
}

static void emit_heads(model_step *s, double n, const roof_model_block *b) {
  model_widths w = rf_model_widths_of(b, s->target->settings.tp);
  heads h = {w.heads, b->head_dim, b->value_dim, w.keys + w.values};
  emit_projections(s, n, b, &w);
  model_widths turned = w;
  turned.keys = b->reuses_kv ? 0 : w.keys;
  emit_rope(s, n, b, &turned, b->reuses_kv ? 0 : h.stored);
  bool elsewhere = b->joint > 0 && s->stream == b->joint; /* with the model's own tokens */
  s->extent = MODEL_OF_GROUPS;
  for (int i = 0; i < s->group_count && !elsewhere; i++) {
    model_group g = s->groups[i];
    g.queries += b->joint > 0 ? roof_model_stream_tokens(s->target, (int)b->joint - 1) : 0;
    emit_scores(s, n, b, &g, &h);
  }
  s->extent = MODEL_OF_TOKENS;
  if (!(elsewhere && b->joint_keys_only)) {
    emit_output(s, n, b, &w);
  }
}

/** Low-rank projections of queries and of the latent. The ones down are whole on every device. */
static void emit_latent_projections(model_step *s, double n, const roof_model_block *b,
                                    const model_widths *w) {
  double hidden = s->own.hidden, latent = b->kv_rank + b->rope_dim, rank = b->q_rank;
  double down = rank + latent, vectors = rank + b->kv_rank;
  if (rank > 0) {
    rf_model_product(s, n, "qkv_down", ROOF_PART_MIXER, s->tokens, hidden, down, 0);
    rf_model_map(s, n, "latent_norm", MODEL_RMSNORM, (double[3]){s->tokens, rank + b->kv_rank}, vectors);
    rf_model_product(s, n, "q_up", ROOF_PART_MIXER, s->tokens, rank, w->queries, 0);
    return;
  }
  rf_model_product(s, n, "q_proj", ROOF_PART_MIXER, s->tokens, hidden, w->queries, 0);
  rf_model_product(s, n, "kv_down", ROOF_PART_MIXER, s->tokens, hidden, latent, 0);
  rf_model_map(s, n, "latent_norm", MODEL_RMSNORM, (double[3]){s->tokens, b->kv_rank}, vectors);
}

/** The indexer scores every key with a few narrow heads and keeps the best (DeepSeek-V3.2, 2025). */
static void emit_indexer(model_step *s, double n, const roof_model_block *b) {
  const roof_model_target *t = s->target;
  double hidden = s->own.hidden, wide = b->index_heads * b->index_dim;
  roof_model_block all = *b;
  all.index_keys = 0;
  rf_model_product(s, n, "index_q", ROOF_PART_MIXER, s->tokens, b->q_rank > 0 ? b->q_rank : hidden, wide, 0);
  rf_model_product(s, n, "index_k", ROOF_PART_MIXER, s->tokens, hidden, b->index_dim + b->index_heads,
                   2 * b->index_dim);
  s->extent = MODEL_OF_GROUPS;
  for (int i = 0; i < s->group_count; i++) {
    const model_group *g = &s->groups[i];
    model_call c = {
        .name = "index_scores", .op = t->ops[MODEL_INDEXER], .types = &t->cache_types, .kernels = 1};
    c.part = ROOF_PART_COUNT;
    c.kind = ROOF_KIND_ATTENTION;
    c.values[RF_INDEXER_BATCH] = g->sequences;
    c.values[RF_INDEXER_HEADS] = b->index_heads;
    c.values[RF_INDEXER_Q_LEN] = g->queries / g->query_split;
    c.values[RF_INDEXER_KV_LEN] = rf_model_keys(g, &all) / g->key_split;
    c.values[RF_INDEXER_PAIRS] = rf_model_pairs(g, 0, false) / (g->query_split * g->key_split);
    c.values[RF_INDEXER_DIM] = b->index_dim;
    c.values[RF_INDEXER_KEEP] = b->index_keys;
    rf_model_emit(s, n, &c);
  }
  s->extent = MODEL_OF_TOKENS;
}

/** A product of every head with its own matrix: the queries into the latent, the result out of it. */
static void emit_absorbed(model_step *s, double n, const char *name, double tokens, double count, double in,
                          double out) {
  model_call c = {.name = name, .op = s->target->ops[MODEL_GROUPED], .kernels = 1, .part = ROOF_PART_MIXER};
  c.values[RF_GROUPED_BATCH] = tokens * count;
  c.values[RF_GROUPED_GROUPS] = c.values[RF_GROUPED_FEWEST] = count;
  c.values[RF_GROUPED_IN] = in;
  c.values[RF_GROUPED_OUT] = out;
  rf_model_emit(s, n, &c);
}

/** Prefill expands the latent to full heads; decoding multiplies the queries into the latent instead, so that
 * a key is the latent and its rotated part, and the value is the latent again: read once (DeepSeek-V2,
 * section 2.1.2). */
static void emit_latent_group(model_step *s, double n, const roof_model_block *b, const model_widths *w,
                              const model_group *g) {
  double tokens = g->sequences * g->queries / g->query_split, latent = b->kv_rank + b->rope_dim;
  if (g->absorbed) {
    heads h = {w->heads, latent, b->kv_rank, latent};
    emit_absorbed(s, n, "q_absorb", tokens, w->heads, b->head_dim, b->kv_rank);
    emit_scores(s, n, b, g, &h);
    emit_absorbed(s, n, "v_up", tokens, w->heads, b->kv_rank, b->value_dim);
    return;
  }
  double keys = g->sequences * rf_model_keys(g, b), key_dim = b->head_dim + b->rope_dim;
  double expanded = w->heads * (b->head_dim + b->value_dim);
  heads h = {w->heads, key_dim, b->value_dim, expanded + b->rope_dim};
  rf_model_product(s, n, "kv_up", ROOF_PART_MIXER, keys, b->kv_rank, expanded, 0);
  model_group plain = *g;
  plain.cached = false; /* what was expanded is read, not the cache */
  emit_scores(s, n, b, &plain, &h);
}

static void emit_latent(model_step *s, double n, const roof_model_block *b) {
  model_widths w = rf_model_widths_of(b, s->target->settings.tp);
  double stored = rf_model_kv_elements(b, s->target->settings.tp);
  emit_latent_projections(s, n, b, &w);
  if (b->index_heads > 0) {
    emit_indexer(s, n, b);
  }
  model_widths turned = w;
  turned.queries = w.heads * b->rope_dim;
  turned.keys = b->rope_dim;
  emit_rope(s, n, b, &turned, stored);
  s->extent = MODEL_OF_GROUPS;
  for (int i = 0; i < s->group_count; i++) {
    emit_latent_group(s, n, b, &w, &s->groups[i]);
  }
  s->extent = MODEL_OF_TOKENS;
  emit_output(s, n, b, &w);
}

/** Every query sees all tokens of a stream, whose keys and values were made once (Vaswani et al. 2017, section
 * 3.2.3). */
static void emit_cross_scores(model_step *s, double n, const roof_model_block *b, const model_widths *w,
                              const model_group *g) {
  const roof_model_target *t = s->target;
  bool flash = (t->settings.fusion & ROOF_FUSE_FLASH) != 0;
  double keys = roof_model_stream_tokens(t, (int)b->source - 1);
  model_call c = {.name = "cross_attention",
                  .op = t->ops[MODEL_ATTEND],
                  .types = t->model->denoises ? &t->stored[ROOF_PART_COUNT] : &t->cache_types,
                  .kernels = flash ? 1 : 3,
                  .part = ROOF_PART_COUNT,
                  .kind = ROOF_KIND_ATTENTION};
  c.values[RF_ATTEND_BATCH] = g->sequences;
  c.values[RF_ATTEND_HEADS] = w->heads;
  c.values[RF_ATTEND_Q_LEN] = g->queries;
  c.values[RF_ATTEND_KV_LEN] = keys;
  c.values[RF_ATTEND_PAIRS] = g->queries * keys;
  c.values[RF_ATTEND_KEY_DIM] = b->head_dim;
  c.values[RF_ATTEND_VALUE_DIM] = b->value_dim;
  c.values[RF_ATTEND_STORED] = w->keys + w->values;
  c.values[RF_ATTEND_PASSES] = flash ? 0 : 4;
  rf_model_emit(s, n, &c);
}

static void emit_cross(model_step *s, double n, const roof_model_block *b) {
  model_widths w = rf_model_widths_of(b, s->target->settings.tp);
  rf_model_product(s, n, "cross_q_proj", ROOF_PART_MIXER, s->tokens, s->own.hidden, w.queries,
                   b->qkv_bias ? w.queries : 0);
  s->extent = MODEL_OF_GROUPS;
  for (int i = 0; i < s->group_count; i++) {
    emit_cross_scores(s, n, b, &w, &s->groups[i]);
  }
  s->extent = MODEL_OF_TOKENS;
  rf_model_product(s, n, "cross_o_proj", ROOF_PART_MIXER, s->tokens, w.mixed, s->own.hidden,
                   b->out_bias ? s->own.hidden : 0);
}

void rf_model_attention(model_step *s, double count, const roof_model_block *b) {
  (b->mixer == ROOF_MIX_LATENT  ? emit_latent
   : b->mixer == ROOF_MIX_CROSS ? emit_cross
                                : emit_heads)(s, count, b);
}
