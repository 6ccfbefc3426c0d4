// targets: sm_90a
/* Attention in bf16 or fp16 with sums in fp32 by wgmma, after FlashAttention-3 (Shah et al. 2024): the copy
 * engine loads tiles of 128 keys and of their values, requested by one warp; two warpgroups of 64 queries each
 * multiply. While a tile's scores become weights, the tensor cores add the values of the tile before,
 * and the other warpgroup's products. */
#include "tensor.cuh"

#include "layout.h"
#include "tiles.h"

enum {
  ROWS = ATTENTION_WGMMA_ROWS,
  KEYS = ATTENTION_WGMMA_KEYS,
  STAGES = ATTENTION_WGMMA_STAGES,
  BOX_BYTES = KEYS * 128,
  GROUP_BYTES = BOX_BYTES / 2, /* of a box, a warpgroup's queries */
};

/** What the roles of a block share. `keys` and `values`: barriers that a stage is full, STAGES, and empty,
 * STAGES. */
typedef struct work {
  uint32_t q, stages, loaded, keys, values;
  int q_len, kv_len, row, tiles, causal;
  int head, stored; /* of Q, and of K */
} work;

/** Keys that a query sees. */
INSIDE int visible(const work *w, int row) {
  int seen = w->causal ? w->kv_len - w->q_len + 1 + row : w->kv_len;
  return seen < w->kv_len ? seen : w->kv_len;
}

INSIDE uint32_t keys_at(const work *w, int tile, int dim) {
  return w->stages + tile % STAGES * (2 * KEYS * dim * 2);
}

INSIDE uint32_t values_at(const work *w, int tile, int dim) {
  return keys_at(w, tile, dim) + KEYS * dim * 2;
}

/** Requests a tile of keys or values once its stage is empty. */
INSIDE void bring(const CUtensorMap *map, uint32_t to, uint32_t barriers, int tile, int plane, int dim) {
  uint32_t full = barriers + tile % STAGES * 8;
  barrier_wait(full + STAGES * 8, (tile / STAGES & 1) ^ 1);
  barrier_expect(full, KEYS * dim * 2);
  for (int box = 0; box < dim / 64; box++) {
    tensor_load_plane(to + box * BOX_BYTES, map, 64 * box, tile * KEYS, plane, full);
  }
}

/** One thread requests the queries, then keys one tile ahead of values. */
INSIDE void produce(const work *w, const CUtensorMap *map_q, const CUtensorMap *map_kv, int heads, int dim) {
  barrier_expect(w->loaded, ROWS * dim * 2);
  for (int box = 0; box < dim / 64; box++) {
    tensor_load_plane(w->q + box * BOX_BYTES, map_q, 64 * box, w->row, w->head, w->loaded);
    tensor_load_plane(w->q + box * BOX_BYTES + GROUP_BYTES, map_q, 64 * box, w->row + 64, w->head, w->loaded);
  }
  for (int tile = 0; tile <= w->tiles; tile++) {
    if (tile < w->tiles) {
      bring(map_kv, keys_at(w, tile, dim), w->keys, tile, w->stored, dim);
    }
    if (tile > 0) {
      bring(map_kv, values_at(w, tile - 1, dim), w->values, tile - 1, heads + w->stored, dim);
    }
  }
}

INSIDE void wait_full(uint32_t barriers, int tile) {
  barrier_wait(barriers + tile % STAGES * 8, tile / STAGES & 1);
}

/** One thread signals that the warpgroup has read a stage. */
INSIDE void release(uint32_t barriers, int tile) {
  if ((threadIdx.x & 127) == 0) {
    barrier_arrive(barriers + (STAGES + tile % STAGES) * 8, 0);
  }
}

/** Starts the product of the warpgroup's queries and a tile's keys. */
INSIDE void start_scores(float *scores, const work *w, int tile, int group, int dim, int fp16) {
  uint32_t q = w->q + group * GROUP_BYTES, k = keys_at(w, tile, dim);
#pragma unroll
  for (int step = 0; step < dim / 16; step++) {
    uint32_t at = step / 4 * BOX_BYTES + step % 4 * 32;
    product_scores(scores, MATRIX(q + at, 16, 1024), MATRIX(k + at, 16, 1024), step > 0, fp16);
  }
  product_commit();
}

/** Starts to add the product of weights and a tile's values. */
INSIDE void start_values(float *sums, const uint32_t *weights, const work *w, int tile, int dim, int fp16) {
  uint32_t v = values_at(w, tile, dim);
#pragma unroll
  for (int step = 0; step < KEYS / 16; step++) {
    product_values(sums, weights + 4 * step, MATRIX(v + step * 2048, BOX_BYTES, 1024), dim, fp16);
  }
  product_commit();
}

/** Masks the keys that a query does not see. */
INSIDE void mask(const work *w, float *scores, int tile, int row) {
  int column = tile * KEYS + 2 * ((int)threadIdx.x & 3);
  int upper = visible(w, row) - column, lower = visible(w, row + 8) - column;
#pragma unroll
  for (int i = 0; i < KEYS / 2; i++) {
    if (i / 4 * 8 + (i & 1) >= (i & 2 ? lower : upper)) {
      scores[i] = -INFINITY;
    }
  }
}

/** What a thread keeps of its two rows; three other threads have the other columns. */
typedef struct softmax {
  float most[2], total[2], kept[2];
} softmax;

/** Scores to weights; `kept`: what remains of the sums so far. */
INSIDE void weigh(float *scores, softmax *s, float scale) {
#pragma unroll
  for (int half = 0; half < 2; half++) {
    float most = s->most[half], sum = 0, shift;
#pragma unroll
    for (int i = 0; i < KEYS / 4; i++) {
      most = fmaxf(most, scores[i / 2 * 4 + 2 * half + (i & 1)]);
    }
    most = fmaxf(most, from_neighbour(most, 1));
    most = fmaxf(most, from_neighbour(most, 2));
    s->kept[half] = exp2_fast((s->most[half] - most) * scale);
    shift = most * scale;
#pragma unroll
    for (int i = 0; i < KEYS / 4; i++) {
      float *at = &scores[i / 2 * 4 + 2 * half + (i & 1)];
      *at = exp2_fast(*at * scale - shift);
      sum += *at;
    }
    s->most[half] = most;
    s->total[half] = s->total[half] * s->kept[half] + sum;
  }
}

/** Weights as the tensor cores take them from registers: the fragments are those of the scores. */
INSIDE void pack_weights(uint32_t *weights, const float *scores, int fp16) {
#pragma unroll
  for (int i = 0; i < KEYS / 4; i++) {
    weights[i] = pack(scores[2 * i], scores[2 * i + 1], fp16);
  }
}

INSIDE void scale_sums(float *sums, const float *by, int dim) {
#pragma unroll
  for (int i = 0; i < dim / 2; i++) {
    sums[i] *= by[i >> 1 & 1];
  }
}

/** Writes the warpgroup's rows over its queries, in the copy engine's layout, and stores them. */
INSIDE void store(float *sums, const softmax *s, const work *w, const CUtensorMap *map_out, int group,
                  int dim, int fp16) {
  int thread = (int)threadIdx.x & 127, lane = thread & 31, row = thread / 32 * 16 + (lane & 15);
  uint32_t to = w->q + group * GROUP_BYTES;
  float inverse[2];
#pragma unroll
  for (int half = 0; half < 2; half++) {
    float total = s->total[half];
    total += from_neighbour(total, 1);
    total += from_neighbour(total, 2);
    inverse[half] = 1 / total;
  }
  scale_sums(sums, inverse, dim);
#pragma unroll
  for (int j = 0; j < dim / 16; j++) {
    uint32_t packed[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      packed[i] = pack(sums[8 * j + 2 * i], sums[8 * j + 2 * i + 1], fp16);
    }
    store_matrices(to + j / 4 * BOX_BYTES + SWIZZLED(row, j % 4 * 2 + (lane >> 4)), packed);
  }
  fence_async();
  group_sync(1 + group, 128);
  if (thread == 0) {
    for (int box = 0; box < dim / 64; box++) {
      tensor_store_plane(map_out, 64 * box, w->row + 64 * group, w->head, to + box * BOX_BYTES);
    }
    store_commit();
    store_wait();
  }
}

/** The products with the keys, and one tile behind those with the values. Both products of an iteration are
 * started together, and while the tensor cores add values the scores become weights. The warpgroups take
 * turns to start, so that one computes its softmax during the other's products. */
INSIDE void consume(const work *w, const CUtensorMap *map_out, float scale, int group, int dim, int fp16) {
  int row = (int)(threadIdx.x & 127) / 32 * 16 + (int)(threadIdx.x & 31) / 4;
  int top = w->row + 64 * group, clear = visible(w, top) / KEYS;
  uint32_t turn = 3 + group, other = 4 - group, weights[KEYS / 4];
  float scores[KEYS / 2], sums[64];
  softmax s = {{-INFINITY, -INFINITY}, {0, 0}, {0, 0}};
#pragma unroll
  for (int i = 0; i < dim / 2; i++) {
    sums[i] = 0;
  }
  barrier_wait(w->loaded, 0);
  wait_full(w->keys, 0);
  product_fence();
  start_scores(scores, w, 0, group, dim, fp16);
  product_wait(0);
  pin(scores, KEYS / 2);
  release(w->keys, 0);
  if (clear == 0) {
    mask(w, scores, 0, top + row);
  }
  weigh(scores, &s, scale);
  pack_weights(weights, scores, fp16);
  if (group == 1) {
    group_arrive(other, 256);
  }
  for (int tile = 1; tile < w->tiles; tile++) {
    wait_full(w->keys, tile);
    group_sync(turn, 256);
    product_fence();
    start_scores(scores, w, tile, group, dim, fp16);
    wait_full(w->values, tile - 1);
    product_fence();
    start_values(sums, weights, w, tile - 1, dim, fp16);
    group_arrive(other, 256);
    product_wait(1);
    pin(scores, KEYS / 2);
    release(w->keys, tile);
    if (tile >= clear) {
      mask(w, scores, tile, top + row);
    }
    weigh(scores, &s, scale);
    pin(scores, KEYS / 2);
    after(s.total[0] + s.total[1]);
    product_wait(0);
    pin(sums, dim / 2);
    release(w->values, tile - 1);
    scale_sums(sums, s.kept, dim);
    pack_weights(weights, scores, fp16);
  }
  wait_full(w->values, w->tiles - 1);
  product_fence();
  start_values(sums, weights, w, w->tiles - 1, dim, fp16);
  product_wait(0);
  pin(sums, dim / 2);
  store(sums, &s, w, map_out, group, dim, fp16);
}

/** Of three warpgroups the first fetches. Of a causal run the blocks that see most come first. */
INSIDE void attend(const CUtensorMap *map_q, const CUtensorMap *map_kv, const CUtensorMap *map_out, int q_len,
                   int kv_len, int causal, float scale, unsigned char *shared, int dim, int fp16) {
  work w;
  w.q = shared_address(shared);
  w.stages = w.q + ROWS * dim * 2;
  w.loaded = w.stages + STAGES * (2 * KEYS * dim * 2);
  w.keys = w.loaded + 8;
  w.values = w.keys + 2 * STAGES * 8;
  w.q_len = q_len;
  w.kv_len = kv_len;
  w.causal = causal;
  w.row = (int)(causal ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * ROWS;
  w.head = (int)(blockIdx.z * gridDim.y + blockIdx.y);
  w.stored = (int)blockIdx.z;
  w.tiles = (visible(&w, (w.row + ROWS < q_len ? w.row + ROWS : q_len) - 1) + KEYS - 1) / KEYS;
  if (threadIdx.x == 0) {
    barrier_init(w.loaded, 1);
    for (int i = 0; i < STAGES; i++) {
      barrier_init(w.keys + 8 * i, 1);
      barrier_init(w.values + 8 * i, 1);
      barrier_init(w.keys + 8 * (STAGES + i), 2);
      barrier_init(w.values + 8 * (STAGES + i), 2);
    }
    barrier_fence();
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    registers_fewer(24);
    if (threadIdx.x == 0) {
      tensor_prefetch(map_q);
      tensor_prefetch(map_kv);
      tensor_prefetch(map_out);
      produce(&w, map_q, map_kv, (int)gridDim.z, dim);
    }
  } else {
    registers_more(240);
    consume(&w, map_out, scale, (int)threadIdx.x / 128 - 1, dim, fp16);
  }
}

/* K is followed by V, as further planes. `scale` is log2(e) / sqrt(dim): weights are powers of two. */
#define ATTENTION(name, dim, fp16)                                                                           \
  KERNEL __launch_bounds__(384, 1)                                                                           \
      name(const __grid_constant__ CUtensorMap map_q, const __grid_constant__ CUtensorMap map_kv,            \
           const __grid_constant__ CUtensorMap map_out, int q_len, int kv_len, int causal, float scale) {    \
    SHARED(shared);                                                                                          \
    attend(&map_q, &map_kv, &map_out, q_len, kv_len, causal, scale, shared, dim, fp16);                      \
  }
ATTENTION(attention_wgmma_64_bf16, 64, 0)
ATTENTION(attention_wgmma_64_fp16, 64, 1)
ATTENTION(attention_wgmma_128_bf16, 128, 0)
ATTENTION(attention_wgmma_128_fp16, 128, 1)
