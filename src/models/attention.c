/* Attention, of heads (MHA, GQA, MQA: Vaswani et al. 2017; Shazeer 2019; Ainslie et al. 2023) and of a latent
 * (DeepSeek-V2, 2024), with windows and sparse indices. A score costs 2 FLOPs an element of the key, 5 for
 * the softmax, and 2 an element of the value; flash attention moves Q, K, V and the result once (Dao et al.
 * 2022). */
#include <math.h>

#include "models/step.h"

/** Elements that the attention itself works on, a head and a token. */
typedef struct heads {
  double queries, key_dim, value_dim;
  double stored;       /**< elements of K and V, a token, all heads of the device */
  double stored_bytes; /**< of one of them */
} heads;

static double rotations(const roof_model *m) {
  return m->rotary ? 3 : 0; /* a pair turns by 4 products and 2 adds: 3 an element */
}

/** Rotation, norms of Q and K, and the store into the cache. `stored`: elements a token adds to it. */
static void emit_rope(model_step *s, double n, const roof_model_block *b, const model_widths *w,
                      double stored) {
  const roof_model_target *t = s->target;
  double turned = w->queries + w->keys, cached = s->groups[0].cached ? stored * t->kv_bytes : 0;
  double flops = rotations(t->model) + (b->qk_norm > 0 ? 5 : 0), a = t->activation_bytes;
  bool fused = (t->settings.fusion & ROOF_FUSE_ROPE) != 0;
  double work = flops > 0 ? turned : 0;
  model_cost c = {.name = flops > 0 ? "rope" : "store_kv", .part = ROOF_PART_COUNT, .unit = ROOF_VECTOR};
  c.flops = s->tokens * work * flops;
  c.vectors = b->qk_norm;
  c.kernels = 1;
  if (fused && cached > 0) { /* K and V pass through once and land in the cache */
    c.read = s->tokens * ((work > 0 ? w->queries : 0) + stored) * a;
    c.written = s->tokens * (work > 0 ? w->queries : 0) * a;
    c.kv_written = s->tokens * cached;
    rf_model_emit(s, n, &c);
    return;
  }
  if (work > 0) {
    c.read = c.written = s->tokens * work * a;
    rf_model_emit(s, n, &c);
  }
  if (cached > 0) {
    model_cost store = {.name = "store_kv", .part = ROOF_PART_COUNT, .unit = ROOF_VECTOR, .kernels = 1};
    store.read = s->tokens * stored * a;
    store.kv_written = s->tokens * cached;
    rf_model_emit(s, n, &store);
  }
}

/** Pairs of query and key that are scored. */
static double scored(const model_group *g, const roof_model_block *b) {
  return b->index_keys > 0 && b->window <= 0 ? rf_model_pairs(g, b->index_keys, false)
                                             : rf_model_pairs(g, b->window, b->chunked);
}

static void emit_scores(model_step *s, double n, const roof_model_block *b, const model_group *g,
                        const heads *h) {
  const roof_model_target *t = s->target;
  double pairs = g->sequences * scored(g, b) / (g->query_split * g->key_split);
  double keys = g->sequences * rf_model_keys(g, b) / g->key_split;
  double queries = g->queries / g->query_split, tokens = g->sequences * queries, a = t->activation_bytes;
  bool flash = (t->settings.fusion & ROOF_FUSE_FLASH) != 0;
  double scores = flash ? 0 : keys * queries * h->queries * a; /* the whole square, masked or not */
  model_cost c = {.name = g->queries > 1 && s->group_count > 1 ? "attention_prefill" : "attention",
                  .part = ROOF_PART_COUNT,
                  .unit = ROOF_MATRIX,
                  .kind = ROOF_KIND_ATTENTION};
  c.flops = pairs * h->queries * (2 * h->key_dim + 2 * h->value_dim + 5);
  c.read = tokens * h->queries * h->key_dim * a + 2 * scores;
  c.written = tokens * h->queries * h->value_dim * a + 2 * scores;
  c.kernels = flash ? 1 : 3;
  double stored = keys * h->stored * h->stored_bytes;
  *(g->cached ? &c.kv_read : &c.read) += stored;
  c.vectors = b->sinks ? h->queries : 0;
  rf_model_emit(s, n, &c);
}

static void emit_projections(model_step *s, double n, const roof_model_block *b, const model_widths *w) {
  double hidden = s->target->model->hidden, bias = b->qkv_bias ? 1 : 0;
  double q = w->queries * (b->output_gate ? 2 : 1), k = w->keys, v = b->shared_kv ? 0 : w->values;
  if (s->target->settings.fusion & ROOF_FUSE_QKV) {
    rf_model_product(s, n, "qkv_proj", ROOF_PART_MIXER, s->tokens, hidden, q + k + v, bias * (q + k + v));
    return;
  }
  rf_model_product(s, n, "q_proj", ROOF_PART_MIXER, s->tokens, hidden, q, bias * q);
  rf_model_product(s, n, "k_proj", ROOF_PART_MIXER, s->tokens, hidden, k, bias * k);
  if (v > 0) {
    rf_model_product(s, n, "v_proj", ROOF_PART_MIXER, s->tokens, hidden, v, bias * v);
  }
}

static void emit_output(model_step *s, double n, const roof_model_block *b, const model_widths *w) {
  double hidden = s->target->model->hidden;
  if (b->output_gate) { /* sigmoid (4) and product (1) */
    rf_model_map(s, n, "gate", s->tokens * w->mixed, 5, 2, 1, 0);
  }
  rf_model_product(s, n, "o_proj", ROOF_PART_MIXER, s->tokens, w->mixed, hidden, b->out_bias ? hidden : 0);
}

static void emit_heads(model_step *s, double n, const roof_model_block *b) {
  model_widths w = rf_model_widths_of(b, s->target->settings.tp);
  const roof_model_target *t = s->target;
  double element = s->groups[0].cached ? t->kv_bytes : t->activation_bytes;
  heads h = {w.heads, b->head_dim, b->value_dim, w.keys + w.values, element};
  emit_projections(s, n, b, &w);
  emit_rope(s, n, b, &w, h.stored);
  for (int i = 0; i < s->group_count; i++) {
    emit_scores(s, n, b, &s->groups[i], &h);
  }
  emit_output(s, n, b, &w);
}

/** Low-rank projections of queries and of the latent. The ones down are whole on every device. */
static void emit_latent_projections(model_step *s, double n, const roof_model_block *b,
                                    const model_widths *w) {
  double hidden = s->target->model->hidden, latent = b->kv_rank + b->rope_dim, rank = b->q_rank;
  double down = rank + latent, vectors = rank + b->kv_rank;
  if (rank > 0) {
    rf_model_product(s, n, "qkv_down", ROOF_PART_MIXER, s->tokens, hidden, down, 0);
    rf_model_map(s, n, "latent_norm", s->tokens * (rank + b->kv_rank), 5, 1, 1, vectors);
    rf_model_product(s, n, "q_up", ROOF_PART_MIXER, s->tokens, rank, w->queries, 0);
    return;
  }
  rf_model_product(s, n, "q_proj", ROOF_PART_MIXER, s->tokens, hidden, w->queries, 0);
  rf_model_product(s, n, "kv_down", ROOF_PART_MIXER, s->tokens, hidden, latent, 0);
  rf_model_map(s, n, "latent_norm", s->tokens * b->kv_rank, 5, 1, 1, vectors);
}

/** The indexer scores every key with a few narrow heads and keeps the best (DeepSeek-V3.2, 2025). */
static void emit_indexer(model_step *s, double n, const roof_model_block *b) {
  const roof_model_target *t = s->target;
  double hidden = t->model->hidden, wide = b->index_heads * b->index_dim;
  roof_model_block all = *b;
  all.index_keys = 0;
  rf_model_product(s, n, "index_q", ROOF_PART_MIXER, s->tokens, b->q_rank > 0 ? b->q_rank : hidden, wide, 0);
  rf_model_product(s, n, "index_k", ROOF_PART_MIXER, s->tokens, hidden, b->index_dim + b->index_heads,
                   2 * b->index_dim);
  for (int i = 0; i < s->group_count; i++) {
    const model_group *g = &s->groups[i];
    model_cost c = {.name = "index_scores", .part = ROOF_PART_COUNT, .unit = ROOF_MATRIX, .kernels = 1};
    double tokens = g->sequences * g->queries / g->query_split;
    double pairs = g->sequences * rf_model_pairs(g, 0, false) / (g->query_split * g->key_split);
    c.kind = ROOF_KIND_ATTENTION;
    c.flops = pairs * b->index_heads * (2 * b->index_dim + 3); /* product, relu, weight, add */
    c.read = tokens * (wide + b->index_heads) * t->activation_bytes;
    c.written = tokens * b->index_keys * 4; /* positions */
    c.kv_read = g->sequences * rf_model_keys(g, &all) / g->key_split * b->index_dim * t->kv_bytes;
    rf_model_emit(s, n, &c);
  }
}

/** A product of every head with a matrix of its own: the queries into the latent, the result out of it. */
static void emit_absorbed(model_step *s, double n, const char *name, double tokens, double count, double in,
                          double out) {
  const roof_model_target *t = s->target;
  model_cost c = {.name = name, .part = ROOF_PART_MIXER, .unit = ROOF_MATRIX, .kernels = 1};
  c.flops = 2 * tokens * count * in * out;
  c.weights = count * in * out;
  c.read = tokens * count * in * t->input_bytes[ROOF_PART_MIXER];
  c.written = tokens * count * out * t->activation_bytes;
  rf_model_emit(s, n, &c);
}

/** Prefill expands the latent to full heads; decoding multiplies the queries into the latent instead, so that
 * a key is the latent and its rotated part, and the value is the latent again: read once (DeepSeek-V2,
 * section 2.1.2). */
static void emit_latent_group(model_step *s, double n, const roof_model_block *b, const model_widths *w,
                              const model_group *g) {
  const roof_model_target *t = s->target;
  double tokens = g->sequences * g->queries / g->query_split, latent = b->kv_rank + b->rope_dim;
  if (g->absorbed) {
    heads h = {w->heads, latent, b->kv_rank, latent, t->kv_bytes};
    emit_absorbed(s, n, "q_absorb", tokens, w->heads, b->head_dim, b->kv_rank);
    emit_scores(s, n, b, g, &h);
    emit_absorbed(s, n, "v_up", tokens, w->heads, b->kv_rank, b->value_dim);
    return;
  }
  double keys = g->sequences * rf_model_keys(g, b), key_dim = b->head_dim + b->rope_dim;
  double expanded = w->heads * (b->head_dim + b->value_dim);
  heads h = {w->heads, key_dim, b->value_dim, expanded + b->rope_dim, t->activation_bytes};
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
  for (int i = 0; i < s->group_count; i++) {
    emit_latent_group(s, n, b, &w, &s->groups[i]);
  }
  emit_output(s, n, b, &w);
}

void rf_model_attention(model_step *s, double count, const roof_model_block *b) {
  (b->mixer == ROOF_MIX_LATENT ? emit_latent : emit_heads)(s, count, b);
}
