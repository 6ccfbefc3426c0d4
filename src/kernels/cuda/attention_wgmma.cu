// targets: sm_90a
/* Attention in bf16 or fp16 with sums in fp32 by wgmma, after FlashAttention-3 (Shah et al. 2024): the copy
 * engine loads tiles of keys and of their values, requested by one warp; two warpgroups of 64 queries each
 * multiply. While a tile's scores become weights, the tensor cores add the values of the tile before,
 * and the other warpgroup's products. Blocks stay on their multiprocessor and take task after task: 128 queries of a
 * head, those that see most keys first. */
#include "tensor.cuh"

#include "layout.h"
#include "tiles.h"

enum {
  ROWS = ATTENTION_WGMMA_ROWS,
  KEYS = ATTENTION_WGMMA_KEYS_PLAIN, /* the most of a tile */
  STAGES = ATTENTION_WGMMA_STAGES,
  GROUP_BYTES = ROWS / 2 * 128, /* of a box, a warpgroup's queries */
  PARTS = 2,
};

/** What the roles of a block share. Barriers that something is full and, behind them, that it is empty: `queries` of the two
 * warpgroups, `keys` and `values` of the stages. */
typedef struct work {
  uint32_t q, stages, queries, keys, values;
  int *next; /* a warpgroup's task, shared with its queries */
  int q_len, kv_len, causal;
  int heads, sharing, section, tasks; /* heads of K, of Q for each, heads of K whose tasks follow each other */
} work;

/** 128 queries of a head from `row` on, and how many tiles of keys they see. */
typedef struct task {
  int row, head, stored, tiles; /* head of Q, and of K */
} task;

/** Keys that a query sees. */
INSIDE int visible(const work *w, int row) {
  int seen = w->causal ? w->kv_len - w->q_len + 1 + row : w->kv_len;
  return seen < w->kv_len ? seen : w->kv_len;
}

/** Section after section of heads whose keys the last cache holds; in it the last queries of all heads first, since under a
 * mask they see most keys. */
INSIDE task task_of(const work *w, int number, int keys) {
  int down = (w->q_len + ROWS - 1) / ROWS, size = w->section * w->sharing * down, first = number / size * w->section;
  int left = w->heads - first, across = (left < w->section ? left : w->section) * w->sharing, in = number % size;
  task t;
  t.row = (down - 1 - in / across) * ROWS;
  t.head = first * w->sharing + in % across;
  t.stored = t.head / w->sharing;
  t.tiles = (visible(w, (t.row + ROWS < w->q_len ? t.row + ROWS : w->q_len) - 1) + keys - 1) / keys;
  return t;
}

/* Tiles are counted from the block's first task on: tile n is in stage n % STAGES. */

INSIDE uint32_t keys_at(const work *w, int n, int keys, int dim) {
  return w->stages + n % STAGES * (2 * keys * dim * 2);
}

INSIDE uint32_t values_at(const work *w, int n, int keys, int dim) {
  return keys_at(w, n, keys, dim) + keys * dim * 2;
}

/** Requests tile n, of the keys or values from `key` on, once its stage is empty. */
INSIDE void bring(const CUtensorMap *map, uint32_t to, uint32_t barriers, int n, int key, int plane, int keys, int dim) {
  uint32_t full = barriers + n % STAGES * 8;
  barrier_wait(full + STAGES * 8, (n / STAGES & 1) ^ 1);
  barrier_expect(full, keys * dim * 2);
  for (int box = 0; box < dim / 64; box++) {
    tensor_load_plane(to + box * keys * 128, map, 64 * box, key, plane, full);
  }
}

/** Says which task is a warpgroup's next once it has read the queries of the one before, the `count`th. */
INSIDE uint32_t announce(const work *w, int group, int count, int number, int bytes) {
  uint32_t full = w->queries + 8 * group;
  barrier_wait(full + 16, (count & 1) ^ 1);
  w->next[group] = number;
  barrier_expect(full, bytes);
  return full;
}

/** Requests both warpgroups' queries. */
INSIDE void bring_queries(const work *w, const CUtensorMap *map, const task *t, int count, int number, int dim) {
  for (int group = 0; group < 2; group++) {
    uint32_t full = announce(w, group, count, number, ROWS / 2 * dim * 2);
    for (int box = 0; box < dim / 64; box++) {
      tensor_load_plane(w->q + (2 * box + group) * GROUP_BYTES, map, 64 * box, t->row + 64 * group, t->head, full);
    }
  }
}

/** One thread requests queries, then keys one tile ahead of values. Who is ready takes the next task: the first keys of it
 * are requested while the last of this one are read. */
INSIDE void produce(const work *w, const CUtensorMap *map_q, const CUtensorMap *map_kv, uint32_t *taken, int keys, int dim) {
  int number = (int)blockIdx.x, count = 0;
  for (int n = 0; number < w->tasks; count++) {
    task t = task_of(w, number, keys);
    bring(map_kv, keys_at(w, n, keys, dim), w->keys, n, 0, t.stored, keys, dim);
    bring_queries(w, map_q, &t, count, number, dim);
    for (int tile = 1; tile < t.tiles; tile++, n++) {
      bring(map_kv, keys_at(w, n + 1, keys, dim), w->keys, n + 1, tile * keys, t.stored, keys, dim);
      bring(map_kv, values_at(w, n, keys, dim), w->values, n, (tile - 1) * keys, w->heads + t.stored, keys, dim);
    }
    number = (int)(gridDim.x + count_up(taken, w->tasks - 1));
    bring(map_kv, values_at(w, n, keys, dim), w->values, n, (t.tiles - 1) * keys, w->heads + t.stored, keys, dim);
    n++;
  }
  for (int group = 0; group < 2; group++) {
    announce(w, group, count, w->tasks, 0);
  }
}

INSIDE void wait_full(uint32_t barriers, int n) {
  barrier_wait(barriers + n % STAGES * 8, n / STAGES & 1);
}

/** One thread signals that the warpgroup has read a stage. */
INSIDE void release(uint32_t barriers, int n) {
  if ((threadIdx.x & 127) == 0) {
    barrier_arrive(barriers + (STAGES + n % STAGES) * 8, 0);
  }
}

/** The same of a tile's keys, and of the queries with the last of them. */
INSIDE void scored(const work *w, const task *t, int tile, int n, int group) {
  release(w->keys, n);
  if ((threadIdx.x & 127) == 0 && tile == t->tiles - 1) {
    barrier_arrive(w->queries + 8 * (2 + group), 0);
  }
}

/** Starts the product of the warpgroup's queries and a tile's keys. */
INSIDE void start_scores(float *scores, const work *w, int n, int group, int keys, int dim, int fp16) {
  uint32_t q = w->q + group * GROUP_BYTES, k = keys_at(w, n, keys, dim);
#pragma unroll
  for (int step = 0; step < dim / 16; step++) {
    uint32_t box = step / 4, at = step % 4 * 32;
    product_scores(scores, MATRIX(q + 2 * box * GROUP_BYTES + at, 16, 1024), MATRIX(k + box * keys * 128 + at, 16, 1024),
                   step > 0, keys, fp16);
  }
  product_commit();
}

/** Starts to add the product of weights and a tile's values. */
INSIDE void start_values(float *sums, const uint32_t *weights, const work *w, int n, int keys, int dim, int fp16) {
  uint32_t v = values_at(w, n, keys, dim);
#pragma unroll
  for (int step = 0; step < keys / 16; step++) {
    product_values(sums, weights + 4 * step, MATRIX(v + step * 2048, keys * 128, 1024), dim, fp16);
  }
  product_commit();
}

/** Masks the keys that a query does not see. */
INSIDE void mask(const work *w, float *scores, int tile, int row, int keys) {
  int column = tile * keys + 2 * ((int)threadIdx.x & 3);
  int upper = visible(w, row) - column, lower = visible(w, row + 8) - column;
#pragma unroll
  for (int i = 0; i < keys / 2; i++) {
    if (i / 4 * 8 + (i & 1) >= (i & 2 ? lower : upper)) {
      scores[i] = -INFINITY;
    }
  }
}

/** What a thread keeps of its two rows; three other threads have the other columns. */
typedef struct softmax {
  float most[2], total[2], kept[2];
} softmax;

/** Scores to weights; `kept`: what remains of the sums so far. Maxima and sums in PARTS each, which do not wait for each other. */
INSIDE void weigh(float *scores, softmax *s, float scale, int keys) {
#pragma unroll
  for (int half = 0; half < 2; half++) {
    float most[PARTS], sum[PARTS], shift;
#pragma unroll
    for (int i = 0; i < PARTS; i++) {
      most[i] = s->most[half];
      sum[i] = 0;
    }
#pragma unroll
    for (int i = 0; i < keys / 4; i++) {
      most[i % PARTS] = fmaxf(most[i % PARTS], scores[i / 2 * 4 + 2 * half + (i & 1)]);
    }
    most[0] = fmaxf(most[0], most[1]);
    most[0] = fmaxf(most[0], from_neighbour(most[0], 1));
    most[0] = fmaxf(most[0], from_neighbour(most[0], 2));
    s->kept[half] = exp2_fast((s->most[half] - most[0]) * scale);
    shift = most[0] * scale;
#pragma unroll
    for (int i = 0; i < keys / 4; i++) {
      float *at = &scores[i / 2 * 4 + 2 * half + (i & 1)];
      *at = exp2_fast(*at * scale - shift);
      sum[i % PARTS] += *at;
    }
    s->most[half] = most[0];
    s->total[half] = s->total[half] * s->kept[half] + (sum[0] + sum[1]);
  }
}

/** Weights as the tensor cores take them from registers: the fragments are those of the scores. */
INSIDE void pack_weights(uint32_t *weights, const float *scores, int keys, int fp16) {
#pragma unroll
  for (int i = 0; i < keys / 4; i++) {
    weights[i] = pack(scores[2 * i], scores[2 * i + 1], fp16);
  }
}

INSIDE void scale_sums(float *sums, const float *by, int dim) {
#pragma unroll
  for (int i = 0; i < dim / 2; i++) {
    sums[i] *= by[i >> 1 & 1];
  }
}

/** Of four lanes with four words each, lane l gets the l-th of every lane. */
INSIDE void transpose(uint32_t *words) {
#pragma unroll
  for (int bit = 1; bit < 4; bit *= 2) {
    int upper = (int)threadIdx.x & bit;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      if ((i & bit) == 0) {
        uint32_t theirs = word_of_neighbour(upper ? words[i] : words[i + bit], bit);
        words[i] = upper ? theirs : words[i];
        words[i + bit] = upper ? words[i + bit] : theirs;
      }
    }
  }
}

/** Writes the warpgroup's rows to memory, 64 bytes of one at a time. Shared memory is left to the next task. */
INSIDE void store(const float *sums, const softmax *s, const work *w, const task *t, bf16 *out, int group, int dim, int fp16) {
  int lane = (int)threadIdx.x & 31, top = t->row + 64 * group + (int)(threadIdx.x & 127) / 32 * 16 + lane / 4;
#pragma unroll
  for (int half = 0; half < 2; half++) {
    int row = top + 8 * half;
    float total = s->total[half], inverse;
    total += from_neighbour(total, 1);
    total += from_neighbour(total, 2);
    inverse = 1 / total;
#pragma unroll
    for (int j = 0; j < dim / 32; j++) {
      chunk16 packed;
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const float *at = sums + 16 * j + 4 * i + 2 * half;
        packed.words[i] = pack(at[0] * inverse, at[1] * inverse, fp16);
      }
      transpose(packed.words);
      if (row < w->q_len) {
        *(chunk16 *)(out + ((size_t)t->head * w->q_len + row) * dim + 32 * j + 8 * (lane & 3)) = packed;
      }
    }
  }
}

/** A task of a warpgroup, whose first tile is n: the products with the keys, and one tile behind those with the values. Both
 * products of an iteration are started together, and while the tensor cores add values the scores become weights. The
 * warpgroups take turns to start, so that one computes its softmax during the other's products. */
INSIDE void attend(const work *w, const task *t, bf16 *out, float scale, int group, int n, int keys, int dim, int fp16) {
  int row = (int)(threadIdx.x & 127) / 32 * 16 + (int)(threadIdx.x & 31) / 4;
  int top = t->row + 64 * group, clear = visible(w, top) / keys;
  uint32_t weights[KEYS / 4];
  float scores[KEYS / 2], sums[64];
  softmax s = {{-INFINITY, -INFINITY}, {0, 0}, {0, 0}};
#pragma unroll
  for (int i = 0; i < dim / 2; i++) {
    sums[i] = 0;
  }
  wait_full(w->keys, n);
  product_fence();
  start_scores(scores, w, n, group, keys, dim, fp16);
  product_wait(0);
  pin(scores, keys / 2);
  scored(w, t, 0, n, group);
  if (clear == 0) {
    mask(w, scores, 0, top + row, keys);
  }
  weigh(scores, &s, scale, keys);
  pack_weights(weights, scores, keys, fp16);
  for (int tile = 1; tile < t->tiles; tile++, n++) {
    wait_full(w->keys, n + 1);
    group_sync(3 + group, 256);
    product_fence();
    start_scores(scores, w, n + 1, group, keys, dim, fp16);
    wait_full(w->values, n);
    product_fence();
    start_values(sums, weights, w, n, keys, dim, fp16);
    group_arrive(4 - group, 256);
    product_wait(1);
    pin(scores, keys / 2);
    scored(w, t, tile, n + 1, group);
    if (tile >= clear) {
      mask(w, scores, tile, top + row, keys);
    }
    weigh(scores, &s, scale, keys);
    pin(scores, keys / 2);
    after(s.total[0] + s.total[1]);
    product_wait(0);
    pin(sums, dim / 2);
    release(w->values, n);
    scale_sums(sums, s.kept, dim);
    pack_weights(weights, scores, keys, fp16);
  }
  wait_full(w->values, n);
  product_fence();
  start_values(sums, weights, w, n, keys, dim, fp16);
  product_wait(0);
  pin(sums, dim / 2);
  release(w->values, n);
  store(sums, &s, w, t, out, group, dim, fp16);
}

/** Task after task. The second warpgroup gives the first its turn; the turn that is left after a task is the next one's. */
INSIDE void consume(const work *w, bf16 *out, float scale, int group, int keys, int dim, int fp16) {
  if (group == 1) {
    group_arrive(3, 256);
  }
  for (int count = 0, n = 0;; count++) {
    barrier_wait(w->queries + 8 * group, count & 1);
    int number = w->next[group];
    if (number >= w->tasks) {
      break;
    }
    task t = task_of(w, number, keys);
    attend(w, &t, out, scale, group, n, keys, dim, fp16);
    n += t.tiles;
  }
}

/** What lies where in shared memory, and its barriers. */
INSIDE void lay_out(work *w, unsigned char *shared, int keys, int dim) {
  w->q = shared_address(shared);
  w->stages = w->q + ROWS * dim * 2;
  w->queries = w->stages + STAGES * (2 * keys * dim * 2);
  w->keys = w->queries + 4 * 8;
  w->values = w->keys + 2 * STAGES * 8;
  w->next = (int *)(shared + (w->values + 2 * STAGES * 8 - w->q));
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; i++) {
      barrier_init(w->queries + 8 * i, 1);
      barrier_init(w->queries + 8 * (2 + i), 1);
    }
    for (int i = 0; i < STAGES; i++) {
      barrier_init(w->keys + 8 * i, 1);
      barrier_init(w->values + 8 * i, 1);
      barrier_init(w->keys + 8 * (STAGES + i), 2);
      barrier_init(w->values + 8 * (STAGES + i), 2);
    }
    barrier_fence();
  }
  __syncthreads();
}

/** Of three warpgroups the first fetches. */
INSIDE void run(work *w, const CUtensorMap *map_q, const CUtensorMap *map_kv, bf16 *out, uint32_t *taken, float scale,
                unsigned char *shared, int keys, int dim, int fp16) {
  w->tasks = (w->q_len + ROWS - 1) / ROWS * w->sharing * w->heads;
  lay_out(w, shared, keys, dim);
  if (threadIdx.x < 128) {
    registers_fewer(40);
    if (threadIdx.x == 0) {
      tensor_prefetch(map_q);
      tensor_prefetch(map_kv);
      produce(w, map_q, map_kv, taken, keys, dim);
    }
  } else {
    registers_more(232);
    consume(w, out, scale, uniform((int)threadIdx.x / 128) - 1, keys, dim, fp16);
  }
}

/* K is followed by V, as further planes. `taken` counts tasks beyond the first of each block, and is 0 before and after.
 * `scale` is log2(e) / sqrt(dim): weights are powers of two. */
#define ATTENTION(name, keys, dim, fp16)                                                                               \
  KERNEL __launch_bounds__(384, 1)                                                                                     \
      name(const __grid_constant__ CUtensorMap map_q, const __grid_constant__ CUtensorMap map_kv, bf16 *out,           \
           uint32_t *taken, int heads, int sharing, int section, int q_len, int kv_len, int causal, float scale) {     \
    SHARED(shared);                                                                                                    \
    work w = {.q_len = q_len, .kv_len = kv_len, .causal = causal, .heads = heads, .sharing = sharing, .section = section}; \
    run(&w, &map_q, &map_kv, out, taken, scale, shared, keys, dim, fp16);                                              \
  }
ATTENTION(attention_wgmma_64_bf16, ATTENTION_WGMMA_KEYS, 64, 0)
ATTENTION(attention_wgmma_64_fp16, ATTENTION_WGMMA_KEYS, 64, 1)
ATTENTION(attention_wgmma_128_bf16, ATTENTION_WGMMA_KEYS, 128, 0)
ATTENTION(attention_wgmma_128_fp16, ATTENTION_WGMMA_KEYS, 128, 1)
ATTENTION(attention_wgmma_plain_bf16, ATTENTION_WGMMA_KEYS_PLAIN, 128, 0)
ATTENTION(attention_wgmma_plain_fp16, ATTENTION_WGMMA_KEYS_PLAIN, 128, 1)
