// targets: sm_80 sm_90 compute_80
/* Attention in bf16 or fp16 with sums in fp32 by mma.sync, after FlashAttention-2 (Dao 2023): 128 queries per
 * block, 32 per warp, against tiles of 64 keys and values that are copied asynchronously. The scores stay in
 * the registers in which the product of Q and K leaves them: they are the fragments that the product with V
 * needs. */
#include "rows.cuh"

#include "tiles.h"

enum {
  ROWS = ATTENTION_MMA_ROWS,
  KEYS = ATTENTION_MMA_KEYS,
  THREADS = ATTENTION_MMA_THREADS,
  HALVES = 2, /* of 16 rows, of a warp */
};

/** What a block needs of its head. */
typedef struct head {
  const bf16 *q, *k, *v;
  bf16 *out;
  int q_len, kv_len, row, first, causal; /* `row`: the block's first; `first`: keys that query 0 sees */
} head;

INSIDE void fetch_tile(const head *h, uint32_t to, int tile, int dim) {
  fetch(to, h->k, tile * KEYS, KEYS, h->kv_len, dim, THREADS);
  fetch(to + KEYS * dim * 2, h->v, tile * KEYS, KEYS, h->kv_len, dim, THREADS);
}

/** Keys that a query sees. */
INSIDE int visible(const head *h, int row) {
  int seen = h->causal ? h->first + row : h->kv_len;
  return seen < h->kv_len ? seen : h->kv_len;
}

/** The warp's scores: its queries times the tile's keys. */
INSIDE void score(float scores[HALVES][KEYS / 8][4], uint32_t q, uint32_t k, int dim, int fp16) {
  int lane = (int)threadIdx.x & 31, row = (int)threadIdx.x & ~31;
  uint32_t rows = q + offset(row + (lane & 15), lane >> 4, dim);
  uint32_t keys = k + offset((lane >> 4) * 8 + (lane & 7), lane >> 3 & 1, dim);
#pragma unroll
  for (int i = 0; i < HALVES * KEYS / 2; i++) {
    scores[i / (KEYS / 2)][i / 4 % (KEYS / 8)][i & 3] = 0;
  }
#pragma unroll
  for (int step = 0; step < dim / 16; step++) {
    uint32_t a[HALVES][4];
#pragma unroll
    for (int i = 0; i < HALVES; i++) {
      load_matrices(a[i], (rows ^ step << 5) + i * 32 * dim);
    }
#pragma unroll
    for (int j = 0; j < KEYS / 16; j++) {
      uint32_t b[4];
      load_matrices(b, (keys ^ step << 5) + j * 32 * dim);
#pragma unroll
      for (int i = 0; i < HALVES * 2; i++) {
        mma(scores[i >> 1][2 * j + (i & 1)], a[i >> 1], &b[2 * (i & 1)], fp16);
      }
    }
  }
}

/** Masks the keys that a query does not see. */
INSIDE void mask(const head *h, float scores[HALVES][KEYS / 8][4], int tile) {
  int lane = (int)anew(threadIdx.x) & 31, row = h->row + (int)(threadIdx.x & ~31u) + (lane >> 2);
#pragma unroll
  for (int i = 0; i < HALVES * 2; i++) {
    int seen = visible(h, row + 8 * i) - tile * KEYS - 2 * (lane & 3);
#pragma unroll
    for (int j = 0; j < KEYS / 4; j++) {
      if (j / 2 * 8 + (j & 1) >= seen) {
        scores[i >> 1][j >> 1][2 * (i & 1) + (j & 1)] = -INFINITY;
      }
    }
  }
}

/** What a thread keeps of its four rows; three other threads have the other columns. */
typedef struct softmax {
  float most[HALVES * 2], total[HALVES * 2];
} softmax;

/** Scores to weights; what was summed so far becomes relative to the largest score seen by now. */
INSIDE void weigh(float scores[HALVES][KEYS / 8][4], float (*sums)[16][4], softmax *s, float scale, int dim) {
#pragma unroll
  for (int i = 0; i < HALVES * 2; i++) {
    float most = s->most[i], sum = 0;
#pragma unroll
    for (int j = 0; j < KEYS / 4; j++) {
      most = fmaxf(most, scores[i >> 1][j >> 1][2 * (i & 1) + (j & 1)]);
    }
    most = fmaxf(most, from_neighbour(most, 1));
    most = fmaxf(most, from_neighbour(most, 2));
    float kept = exp2_fast((s->most[i] - most) * scale), shift = most * scale;
#pragma unroll
    for (int j = 0; j < KEYS / 4; j++) {
      float *at = &scores[i >> 1][j >> 1][2 * (i & 1) + (j & 1)];
      *at = exp2_fast(*at * scale - shift);
      sum += *at;
    }
#pragma unroll
    for (int j = 0; j < dim / 4; j++) {
      sums[i >> 1][j >> 1][2 * (i & 1) + (j & 1)] *= kept;
    }
    s->most[i] = most;
    s->total[i] = s->total[i] * kept + sum;
  }
}

/** sums += weights times the tile's values. */
INSIDE void add_values(float (*sums)[16][4], float weights[HALVES][KEYS / 8][4], uint32_t v, int dim,
                       int fp16) {
  int lane = (int)threadIdx.x & 31;
  uint32_t values = v + offset(lane & 15, lane >> 4, dim);
#pragma unroll
  for (int step = 0; step < KEYS / 16; step++) {
    uint32_t a[HALVES][4];
#pragma unroll
    for (int i = 0; i < HALVES * 4; i++) {
      const float *pair = &weights[i >> 2][2 * step + (i >> 1 & 1)][2 * (i & 1)];
      a[i >> 2][i & 3] = pack(pair[0], pair[1], fp16);
    }
#pragma unroll
    for (int j = 0; j < dim / 16; j++) {
      uint32_t b[4];
      load_matrices_transposed(b, (values ^ j << 5) + step * 32 * dim);
#pragma unroll
      for (int i = 0; i < HALVES * 2; i++) {
        mma(sums[i >> 1][2 * j + (i & 1)], a[i >> 1], &b[2 * (i & 1)], fp16);
      }
    }
  }
}

/** Stores sums / totals by way of the warp's own queries in shared memory, so that rows go to memory in whole
 * lines. */
INSIDE void store(const head *h, float (*sums)[16][4], const softmax *s, unsigned char *shared, int dim,
                  int fp16) {
  int lane = (int)threadIdx.x & 31, row = (int)threadIdx.x & ~31;
#pragma unroll
  for (int i = 0; i < HALVES * 2; i++) {
    float total = s->total[i], inverse;
    total += from_neighbour(total, 1);
    total += from_neighbour(total, 2);
    inverse = 1 / total;
#pragma unroll
    for (int j = 0; j < dim / 8; j++) {
      const float *pair = &sums[i >> 1][j][2 * (i & 1)];
      uint32_t at = offset(row + 8 * i + (lane >> 2), j, dim) + 4 * (uint32_t)(lane & 3);
      *(uint32_t *)(shared + at) = pack(pair[0] * inverse, pair[1] * inverse, fp16);
    }
  }
  warp_sync();
#pragma unroll
  for (int i = 0; i < dim / 8; i++) {
    int r = row + (i * 32 + lane) / (dim / 8), chunk = (i * 32 + lane) % (dim / 8);
    if (h->row + r < h->q_len) {
      *(chunk16 *)(h->out + (size_t)(h->row + r) * dim + chunk * 8) =
          *(const chunk16 *)(shared + offset(r, chunk, dim));
    }
  }
}

/** One block's queries against all tiles that one of them sees; each tile is copied while the one before is
 * used. */
INSIDE void attend(const head *h, unsigned char *shared, float scale, int dim, int fp16) {
  uint32_t q = shared_address(shared), stages = q + ROWS * dim * 2, stage_bytes = 2 * KEYS * dim * 2;
  int last = h->row + ROWS < h->q_len ? h->row + ROWS : h->q_len;
  int tiles = (visible(h, last - 1) + KEYS - 1) / KEYS, clear = visible(h, h->row) / KEYS;
  float sums[HALVES][16][4], scores[HALVES][KEYS / 8][4];
  softmax s;
#pragma unroll
  for (int i = 0; i < HALVES * dim / 2; i++) {
    sums[i & 1][i / 8][i / 2 & 3] = 0;
  }
#pragma unroll
  for (int i = 0; i < HALVES * 2; i++) {
    s.most[i] = -INFINITY;
    s.total[i] = 0;
  }
  fetch(q, h->q, h->row, ROWS, h->q_len, dim, THREADS);
  fetch_tile(h, stages, 0, dim);
  copy_commit();
  for (int tile = 0; tile < tiles; tile++) {
    uint32_t stage = stages + (tile & 1) * stage_bytes;
    copy_wait(0);
    __syncthreads(); /* the tile has arrived, and no thread reads the one before */
    if (tile + 1 < tiles) {
      fetch_tile(h, stages + ((tile + 1) & 1) * stage_bytes, tile + 1, dim);
      copy_commit();
    }
    score(scores, q, stage, dim, fp16);
    if (tile >= clear) {
      mask(h, scores, tile);
    }
    weigh(scores, sums, &s, scale, dim);
    add_values(sums, scores, stage + KEYS * dim * 2, dim, fp16);
  }
  store(h, sums, &s, shared, dim, fp16);
}

/** Where the block's head lies: y counts the heads of Q that share one of K, z those of K. Of a causal run
 * the blocks that see most come first. */
INSIDE head place(const bf16 *q, const bf16 *kv, bf16 *out, int q_len, int kv_len, int causal,
                  long long values, int dim) {
  int block = (int)(causal ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
  size_t own = (size_t)(blockIdx.z * gridDim.y + blockIdx.y) * q_len * dim;
  const bf16 *k = kv + (size_t)blockIdx.z * kv_len * dim;
  head h = {q + own, k, k + values, out + own, q_len, kv_len, block * ROWS, kv_len - q_len + 1, causal};
  return h;
}

/* K is followed by V, `values` elements behind it. `scale` is log2(e) / sqrt(dim): weights are powers of two.
 */
#define ATTENTION(name, dim, blocks, fp16)                                                                   \
  KERNEL __launch_bounds__(128, blocks) name(const bf16 *q, const bf16 *kv, bf16 *out, int q_len,            \
                                             int kv_len, int causal, float scale, long long values) {        \
    SHARED(shared);                                                                                          \
    head h = place(q, kv, out, q_len, kv_len, causal, values, dim);                                          \
    attend(&h, shared, scale, dim, fp16);                                                                    \
  }
ATTENTION(attention_mma_64_bf16, 64, 2, 0)
ATTENTION(attention_mma_64_fp16, 64, 2, 1)
ATTENTION(attention_mma_128_bf16, 128, 2, 0)
ATTENTION(attention_mma_128_fp16, 128, 2, 1)
