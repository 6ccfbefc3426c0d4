// targets: sm_80 sm_90 compute_80 compute_90
/* Attention of few queries to many keys in bf16 or fp16 with sums in fp32, after Flash-Decoding (Dao et al. 2023): the queries
 * of all heads that share a head of K are the rows of one tile, so that each key and value is read once; the keys are divided
 * over blocks, and a second kernel merges what each of them found.
 * Memory binds: rows of a tile that no query fills cost nothing that is short, not even with a single query. Multiply-adds
 * without tensor cores would need more instructions for it, since they need keys and values as floats. */
#include "rows.cuh"

#include "tiles.h"

enum {
  ROWS = ATTENTION_DECODE_ROWS,
  KEYS = ATTENTION_DECODE_KEYS,
  STAGES = ATTENTION_DECODE_STAGES,
  WARPS = ATTENTION_DECODE_WARPS,
  PAGE = ATTENTION_DECODE_PAGE,
  THREADS = ATTENTION_DECODE_THREADS,
  STEP = 16,  /* keys that a warp takes at once */
  APART = 8,  /* numbers between rows of sums, so that those stored together lie in different banks */
  PACKED = 8, /* numbers of a row that a thread merges */
};

/** What a block needs of its head of K. */
typedef struct head {
  const bf16 *q, *k, *v;
  const int *pages;      /* of a cache in pages: where each of the sequence's lies */
  int stride;            /* of such a cache, from one key to the next */
  int rows, kv_len, row; /* `row`: the warp's first */
  int across;            /* warps with rows of their own; the others share them and have other keys */
  int seen[2], least;    /* keys that the thread's rows see, and the fewest that a row sees */
} head;

/** A warp's rows: maxima and totals of the thread's two; three other threads have the other columns. */
typedef struct softmax {
  float most[2], total[2], sums[16][4];
} softmax;

/** A score so low that its weight is 0: of no key. */
#define NONE (-1e30f)

/** The warp's queries, as the fragments that the product needs; zeros behind the last. */
INSIDE void load_queries(const head *h, uint32_t (*q)[4], int dim) {
  int lane = (int)threadIdx.x & 31, row = h->row + (lane >> 2);
#pragma unroll
  for (int i = 0; i < dim / 4; i++) {
    int r = row + (i & 1) * 8, column = i / 4 * 16 + (i >> 1 & 1) * 8 + (lane & 3) * 2;
    q[i / 4][i & 3] = r < h->rows ? *(const uint32_t *)(h->q + (size_t)r * dim + column) : 0;
  }
}

/** The warp's queries times 16 keys of the tile at `k`. */
INSIDE void score(float scores[2][4], uint32_t (*q)[4], uint32_t k, int step, int dim, int fp16) {
  int lane = (int)threadIdx.x & 31;
  uint32_t keys = k + offset(step * STEP + (lane >> 4) * 8 + (lane & 7), lane >> 3 & 1, dim);
#pragma unroll
  for (int i = 0; i < 8; i++) {
    scores[i / 4][i & 3] = 0;
  }
#pragma unroll
  for (int i = 0; i < dim / 16; i++) {
    uint32_t b[4];
    load_matrices(b, keys ^ i << 5);
    mma(scores[0], q[i], b, fp16);
    mma(scores[1], q[i], b + 2, fp16);
  }
}

/** Masks the keys that a query does not see. */
INSIDE void mask(const head *h, float scores[2][4], int key) {
  key += 2 * ((int)threadIdx.x & 3);
#pragma unroll
  for (int i = 0; i < 8; i++) {
    if (key + i / 4 * 8 + (i & 1) >= h->seen[i >> 1 & 1]) {
      scores[i / 4][i & 3] = -INFINITY;
    }
  }
}

/** Scores to weights; what was summed so far becomes relative to the largest score seen by now. */
INSIDE void weigh(float scores[2][4], softmax *s, float scale, int dim) {
#pragma unroll
  for (int i = 0; i < 2; i++) {
    float most =
        fmaxf(fmaxf(scores[0][2 * i], scores[0][2 * i + 1]), fmaxf(scores[1][2 * i], scores[1][2 * i + 1]));
    most = fmaxf(most, from_neighbour(most, 1));
    most = fmaxf(fmaxf(most, from_neighbour(most, 2)) * scale, s->most[i]);
    float kept = exp2_fast(s->most[i] - most), sum = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float *at = &scores[j >> 1][2 * i + (j & 1)];
      *at = exp2_fast(*at * scale - most);
      sum += *at;
    }
#pragma unroll
    for (int j = 0; j < dim / 4; j++) {
      s->sums[j >> 1][2 * i + (j & 1)] *= kept;
    }
    s->most[i] = most;
    s->total[i] = s->total[i] * kept + sum;
  }
}

/** sums += weights times 16 values of the tile at `v`. */
INSIDE void add_values(softmax *s, float weights[2][4], uint32_t v, int step, int dim, int fp16) {
  int lane = (int)threadIdx.x & 31;
  uint32_t values = v + offset(step * STEP + (lane & 15), lane >> 4, dim), a[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    a[i] = pack(weights[i >> 1][2 * (i & 1)], weights[i >> 1][2 * (i & 1) + 1], fp16);
  }
#pragma unroll
  for (int j = 0; j < dim / 16; j++) {
    uint32_t b[4];
    load_matrices_transposed(b, values ^ j << 5);
    mma(s->sums[2 * j], a, b, fp16);
    mma(s->sums[2 * j + 1], a, b + 2, fp16);
  }
}

/** The pages of the rows that the thread copies of a tile. */
INSIDE void look_up(const head *h, int *pages, int tile, int dim) {
  int together = THREADS * 8 / dim, key = tile * KEYS + (int)threadIdx.x / (dim / 8);
#pragma unroll
  for (int i = 0; i < KEYS / together; i++) {
    pages[i] = key + i * together < h->kv_len ? h->pages[(key + i * together) / PAGE] : 0;
  }
}

/** fetch of keys or values in pages. */
INSIDE void fetch_paged(uint32_t to, const bf16 *from, const head *h, const int *pages, int tile, int dim) {
  int row = (int)threadIdx.x / (dim / 8), chunk = (int)threadIdx.x % (dim / 8), together = THREADS * 8 / dim;
  to += offset(row, chunk, dim);
#pragma unroll
  for (int i = 0; i < KEYS / together; i++) {
    int key = tile * KEYS + row + i * together;
    copy_async(to + i * together * dim * 2, from + ((size_t)pages[i] * PAGE + key % PAGE) * h->stride + 8 * chunk,
               key < h->kv_len ? 16 : 0);
  }
}

/** Begins to copy a tile of the block's; nothing behind the last. Pages are looked up a tile ahead. */
INSIDE void fetch_tile(const head *h, uint32_t stages, int *pages, int tile, int first, int end, int dim, int paged) {
  uint32_t to = stages + (tile - first) % STAGES * (2 * KEYS * dim * 2), values = to + KEYS * dim * 2;
  if (tile < end && paged) {
    fetch_paged(to, h->k, h, pages, tile, dim);
    fetch_paged(values, h->v, h, pages, tile, dim);
    look_up(h, pages, tile + 1, dim);
  } else if (tile < end) {
    fetch(to, h->k, tile * KEYS, KEYS, h->kv_len, dim, THREADS);
    fetch(values, h->v, tile * KEYS, KEYS, h->kv_len, dim, THREADS);
  }
  copy_commit();
}

/** The warp's queries against the tiles from `first` to `end`, of which it takes its part; others are in flight. */
INSIDE void attend(const head *h, softmax *s, uint32_t stages, int first, int end, float scale, int dim,
                   int fp16, int paged) {
  uint32_t q[8][4];
  float scores[2][4];
  int pages[KEYS * 128 / 8 / THREADS];
  if (paged) {
    look_up(h, pages, first, dim);
  }
  for (int i = 0; i < STAGES - 1; i++) {
    fetch_tile(h, stages, pages, first + i, first, end, dim, paged);
  }
  load_queries(h, q, dim);
  for (int tile = first; tile < end; tile++) {
    uint32_t k = stages + (tile - first) % STAGES * (2 * KEYS * dim * 2);
    copy_wait(STAGES - 2);
    __syncthreads(); /* the tile has arrived, and no thread reads the one before */
    fetch_tile(h, stages, pages, tile + STAGES - 1, first, end, dim, paged);
    for (int step = (int)threadIdx.x / 32 / h->across; step < KEYS / STEP; step += WARPS / h->across) {
      int key = tile * KEYS + step * STEP;
      score(scores, q, k, step, dim, fp16);
      if (key + STEP > h->least) {
        mask(h, scores, key);
      }
      weigh(scores, s, scale, dim);
      add_values(s, scores, k + KEYS * dim * 2, step, dim, fp16);
    }
  }
}

/** Eight numbers that are moved at once. */
typedef struct eight {
  float at[PACKED];
} __attribute__((aligned(16))) eight;

/** Of some keys: the largest score, as a power of two, and relative to it the sum of weights and of weighted values. */
typedef struct part {
  float most, total;
  eight sums;
} part;

INSIDE part no_part(void) {
  part p = {NONE, 0, {{0}}};
  return p;
}

/** Adds what others found: largest score and total, and their sums. */
INSIDE void add_part(part *p, const float *found, const float *sums) {
  eight more = *(const eight *)sums;
  float most = fmaxf(p->most, found[0]), kept = exp2_fast(p->most - most),
        gained = exp2_fast(found[0] - most);
  p->total = p->total * kept + found[1] * gained;
  p->most = most;
#pragma unroll
  for (int i = 0; i < PACKED; i++) {
    p->sums.at[i] = p->sums.at[i] * kept + more.at[i] * gained;
  }
}

/** Stores a part, with its largest score and total where `first`. */
INSIDE void store_part(const part *p, float *found, float *sums, int first) {
  *(eight *)sums = p->sums;
  if (first) {
    found[0] = p->most;
    found[1] = p->total;
  }
}

/** Stores the quotients. */
INSIDE void store_row(const part *p, bf16 *out, int fp16) {
  float inverse = 1 / p->total;
  chunk16 packed;
#pragma unroll
  for (int i = 0; i < PACKED / 2; i++) {
    packed.words[i] = pack(p->sums.at[2 * i] * inverse, p->sums.at[2 * i + 1] * inverse, fp16);
  }
  *(chunk16 *)out = packed;
}

/** A warp's rows to shared memory. */
INSIDE void share(const softmax *s, float *sums, float *found, int dim) {
  int lane = (int)threadIdx.x & 31, row = (int)threadIdx.x / 32 * ROWS + (lane >> 2);
#pragma unroll
  for (int i = 0; i < 2; i++) {
    float total = s->total[i], *to = sums + (row + 8 * i) * (dim + APART) + 2 * (lane & 3);
    total += from_neighbour(total, 1);
    total += from_neighbour(total, 2);
    if ((lane & 3) == 0) {
      found[2 * (row + 8 * i)] = s->most[i];
      found[2 * (row + 8 * i) + 1] = total;
    }
#pragma unroll
    for (int j = 0; j < dim / 8; j++) {
      to[8 * j] = s->sums[j][2 * i];
      to[8 * j + 1] = s->sums[j][2 * i + 1];
    }
  }
}

/** Merges what the warps found for the block's rows, which begin at `row`: to `out` where this block had all keys, or else to
 * `parts`, behind which the largest scores and totals are. */
INSIDE void deliver(const head *h, const float *sums, const float *found, int row, bf16 *out, float *parts,
                    int dim, int fp16) {
  int each = dim / PACKED, splits = (int)gridDim.x;
  size_t all = (size_t)gridDim.z * h->rows, above = (size_t)blockIdx.z * h->rows;
  for (int i = (int)threadIdx.x; i < ROWS * h->across * each; i += THREADS) {
    int r = i / each, column = i % each * PACKED;
    part p = no_part();
    for (int w = r / ROWS; w < WARPS; w += h->across) {
      int at = w * ROWS + r % ROWS;
      add_part(&p, found + 2 * at, sums + at * (dim + APART) + column);
    }
    size_t to = (above + row + r) * splits + blockIdx.x;
    if (row + r < h->rows && splits == 1) {
      store_row(&p, out + to * dim + column, fp16);
    } else if (row + r < h->rows) {
      store_part(&p, parts + all * splits * dim + 2 * to, parts + to * dim + column, column == 0);
    }
  }
}

/** A sequence's part of the table, which is behind K and V, and the head's first key of the cache's first page. */
INSIDE void place_paged(head *h, const bf16 *kv, int heads, long long values, int dim) {
  const int *table = (const int *)(kv + 2 * values);
  h->k = kv + blockIdx.z % heads * dim;
  h->v = h->k + values;
  h->pages = table + (size_t)(blockIdx.z / heads) * ((h->kv_len + PAGE - 1) / PAGE);
  h->stride = heads * dim;
}

/** Where the block's head of K lies, and what the thread's rows see: row r of it is query r % q_len of its r / q_len-th head. */
INSIDE head place(const bf16 *q, const bf16 *kv, int rows, int across, int q_len, int kv_len, int causal,
                  long long values, int dim) {
  int row = ((int)blockIdx.y * across + (int)threadIdx.x / 32 % across) * ROWS;
  int mine = row + ((int)threadIdx.x & 31) / 4, least = causal ? kv_len - q_len + 1 : kv_len;
  head h;
  h.q = q + (size_t)blockIdx.z * rows * dim;
  h.k = kv + (size_t)blockIdx.z * kv_len * dim;
  h.v = h.k + values;
  h.rows = rows;
  h.kv_len = kv_len;
  h.row = row;
  h.across = across;
  h.seen[0] = least + (causal ? mine % q_len : 0);
  h.seen[1] = least + (causal ? (mine + 8) % q_len : 0);
  h.least = least;
  return h;
}

INSIDE void decode(const head *h, unsigned char *shared, bf16 *out, float *parts, float scale, int dim,
                   int fp16, int paged) {
  float *sums = (float *)shared, *found = sums + WARPS * ROWS * (dim + APART);
  int tiles = (h->kv_len + KEYS - 1) / KEYS, splits = (int)gridDim.x, split = (int)blockIdx.x;
  softmax s;
#pragma unroll
  for (int i = 0; i < dim / 2; i++) {
    s.sums[i / 4][i & 3] = 0;
  }
  s.most[0] = s.most[1] = NONE;
  s.total[0] = s.total[1] = 0;
  attend(h, &s, shared_address(shared), (int)((long long)tiles * split / splits),
         (int)((long long)tiles * (split + 1) / splits), scale, dim, fp16, paged);
  __syncthreads(); /* no thread reads a tile */
  share(&s, sums, found, dim);
  __syncthreads();
  deliver(h, sums, found, (int)blockIdx.y * h->across * ROWS, out, parts, dim, fp16);
}

/** One row, whose parts the threads merge in groups that each have some of the splits. */
INSIDE void merge(const float *parts, bf16 *out, int splits, unsigned char *shared, int dim, int fp16) {
  int each = dim / PACKED, column = (int)threadIdx.x % each * PACKED, group = (int)threadIdx.x / each,
      groups = THREADS / each;
  float *sums = (float *)shared, *found = sums + groups * dim;
  const float *of_parts = parts + (size_t)gridDim.x * splits * dim;
  size_t row = (size_t)blockIdx.x * splits;
  part p = no_part();
  previous_wait();
#pragma unroll 4
  for (int i = group; i < splits; i += groups) {
    add_part(&p, of_parts + 2 * (row + i), parts + (row + i) * dim + column);
  }
  store_part(&p, found + 2 * group, sums + group * dim + column, column == 0);
  __syncthreads();
  if (group == 0) {
    for (int i = 1; i < groups; i++) {
      add_part(&p, found + 2 * i, sums + i * dim + column);
    }
    store_row(&p, out + (size_t)blockIdx.x * dim + column, fp16);
  }
}

/* Grid: splits of the keys, blocks of rows, heads of K. K is followed by V, `values` elements behind it; a cache in pages by
 * V's pages and the table of all sequences. `heads`: of K, of a sequence. `scale` is log2(e) / sqrt(dim): weights are powers
 * of two. */
#define DECODE(name, dim, fp16, paged)                                                                       \
  KERNEL __launch_bounds__(128, 2)                                                                           \
      name(const bf16 *q, const bf16 *kv, bf16 *out, float *parts, int heads, int rows, int across,          \
           int q_len, int kv_len, int causal, float scale, long long values) {                               \
    SHARED(shared);                                                                                          \
    next_may_begin();                                                                                        \
    head h = place(q, kv, rows, across, q_len, kv_len, causal, values, dim);                                 \
    if (paged) {                                                                                             \
      place_paged(&h, kv, heads, values, dim);                                                               \
    }                                                                                                        \
    decode(&h, shared, out, parts, scale, dim, fp16, paged);                                                 \
  }
#define MERGE(name, dim, fp16)                                                                               \
  KERNEL __launch_bounds__(128) name(const float *parts, bf16 *out, int splits) {                            \
    SHARED(shared);                                                                                          \
    merge(parts, out, splits, shared, dim, fp16);                                                            \
  }
DECODE(attention_decode_64_bf16, 64, 0, 0)
DECODE(attention_decode_64_fp16, 64, 1, 0)
DECODE(attention_decode_128_bf16, 128, 0, 0)
DECODE(attention_decode_128_fp16, 128, 1, 0)
DECODE(attention_paged_64_bf16, 64, 0, 1)
DECODE(attention_paged_64_fp16, 64, 1, 1)
DECODE(attention_paged_128_bf16, 128, 0, 1)
DECODE(attention_paged_128_fp16, 128, 1, 1)
MERGE(attention_merge_64_bf16, 64, 0)
MERGE(attention_merge_64_fp16, 64, 1)
MERGE(attention_merge_128_bf16, 128, 0)
MERGE(attention_merge_128_fp16, 128, 1)
