// targets: sm_90a
/* C = A B in e4m3 with sums in fp32 and C in bf16: A of m x k, and B of n x k, k along the rows of both, as the instruction
 * takes them; k a multiple of 16, n of 8. One scale for each matrix, or one for each 128 numbers of a row of A and each
 * 128 x 128 of B, of which every 128 of k are summed apart (DeepGEMM; DeepSeek-V3, section 3.3.2: the tensor cores
 * keep about 14 bits of a sum). Where tiles are fewer than multiprocessors the steps along k are divided, and a second kernel
 * adds what each part has. */
#include "tensor.cuh"

#include "layout.h"
#include "roles.cuh"
#include "tiles.h"

enum {
  TILE_M = FP8_TILE_M,
  TILE_N = FP8_TILE_N,
  ROW = FP8_TILE_K, /* bytes of a row of a box */
  A_BYTES = TILE_M * ROW,
  STAGES = FP8_STAGES,
  STAGE_BYTES = FP8_STAGE,
};

/** The warpgroup's 64 rows and `columns` columns over one stage, of which they lie at a and b. */
INSIDE void multiply(float *sums, uint32_t a, uint32_t b, int add, int columns) {
#pragma unroll
  for (int k = 0; k < ROW; k += 32) {
    product_e4m3(sums, MATRIX(a + k, 16, 1024), MATRIX(b + k, 16, 1024), add || k > 0, columns);
  }
}

/** What the copy engine reads; `scales` of rows of A may be NULL. It counts in 16 bits: 64 of them are a row. */
typedef struct sources {
  const CUtensorMap *a, *b, *scales;
  int rows, columns; /* of a tile */
  int strips;        /* rows of `scales` for each step */
} sources;

/** Steps along k of a tile, one of `splits` parts. */
typedef struct piece {
  int tile, part, from, to;
} piece;

INSIDE piece piece_of(const work *w, int task, int splits) {
  int each = w->steps / splits, more = w->steps % splits;
  piece p;
  p.tile = task / splits;
  p.part = task % splits;
  p.from = p.part * each + (p.part < more ? p.part : more);
  p.to = p.from + each + (p.part < more);
  return p;
}

/** A stage: the block's own rows of A with their scales, and its halves of B for the whole cluster. */
INSIDE void fetch(const work *w, const sources *from, uint32_t to, uint32_t full, int step, int row, int column) {
  int share = 2 / w->blocks, half = from->columns / 2, top = (row * w->blocks + w->rank) * from->rows;
  barrier_expect(full, (from->rows + from->columns) * ROW + (from->scales != 0 ? SCALED_ROWS * 128 : 0));
  tensor_load_kept(to, from->a, step * 64, top, full);
  for (int i = w->rank * share; i < w->rank * share + share; i++) {
    uint32_t b = to + A_BYTES + i * half * ROW;
    if (w->blocks > 1) {
      tensor_load_all(b, from->b, step * 64, column * from->columns + i * half, full,
                      (unsigned short)((1 << w->blocks) - 1));
    } else {
      tensor_load(b, from->b, step * 64, column * from->columns + i * half, full);
    }
  }
  if (from->scales != 0) {
    tensor_load(to + A_BYTES + from->columns * ROW, from->scales, 0, step * from->strips + top / 32, full);
  }
}

/** One thread fetches stage after stage. */
INSIDE void produce(const work *w, const sources *from, int splits, int stages, int stage_bytes) {
  int stage = 0, parity = 1, row, column;
  for (int t = w->first; t < w->tiles_m * w->tiles_n * splits; t += w->stride) {
    piece p = piece_of(w, t, splits);
    place(w, p.tile, &row, &column);
    for (int step = p.from; step < p.to; step++) {
      barrier_wait(w->empty + 8 * stage, parity);
      fetch(w, from, w->base + stage * stage_bytes, w->full + 8 * stage, step, row, column);
      stage = stage + 1 == stages ? 0 : stage + 1;
      parity ^= stage == 0;
    }
  }
}

/** What the parts along k leave: C in fp32 for each of them. */
typedef struct parts {
  float *sums;
  int splits, m, n;
} parts;

/** A warpgroup's sums over a part of k. */
INSIDE void leave(const float *sums, int columns, const parts *of, int part, int top, int left) {
  int lane = (int)threadIdx.x & 31, row = top + ((int)threadIdx.x & 127) / 32 * 16 + lane / 4,
      column = left + 2 * (lane & 3);
  float *to = of->sums + (size_t)part * of->m * of->n;
#pragma unroll
  for (int i = 0; i < columns / 4; i++) {
    int r = row + 8 * (i & 1), at = column + i / 2 * 8;
    if (r < of->m && at < of->n) {
      duo pair = {{sums[2 * i], sums[2 * i + 1]}};
      *(duo *)(to + (size_t)r * of->n + at) = pair;
    }
  }
}

/** A warpgroup multiplies its 64 rows of every stage, and stores its part of C times `scale`, or leaves a part of its sums: of
 * a tile of 128 rows all columns, of one of 64 half of them. */
INSIDE void consume(const work *w, const CUtensorMap *map_c, int group, float scale, int rows, const parts *of) {
  uint32_t boxes = w->base + STAGES * STAGE_BYTES + group * (FP8_C / 2);
  int tall = rows == TILE_M, columns = tall ? TILE_N : TILE_N / 2;
  uint32_t to_a = tall ? group * (A_BYTES / 2) : 0, to_b = A_BYTES + (tall ? 0 : group * columns * ROW);
  int stage = 0, parity = 0, row, column;
  float sums[128];
  for (int t = w->first; t < w->tiles_m * w->tiles_n * of->splits; t += w->stride) {
    int before = 0;
    piece p = piece_of(w, t, of->splits);
    place(w, p.tile, &row, &column);
    for (int step = p.from; step < p.to; step++) {
      uint32_t base = w->base + stage * STAGE_BYTES;
      barrier_wait(w->full + 8 * stage, parity);
      product_fence();
      multiply(sums, base + to_a, base + to_b, step > p.from, columns);
      product_commit();
      product_wait(1); /* the stage before is read */
      if (step > p.from) {
        release(w, before);
      }
      before = stage;
      stage = stage + 1 == STAGES ? 0 : stage + 1;
      parity ^= stage == 0;
    }
    product_wait(0);
    release(w, before);
    pin(sums, columns / 2);
    int top = (row * w->blocks + w->rank) * rows + (tall ? 64 * group : 0);
    int left = column * TILE_N + (tall ? 0 : group * columns);
    if (of->splits > 1) {
      leave(sums, columns, of, p.part, top, left);
      continue;
    }
#pragma unroll
    for (int i = 0; i < columns / 2; i++) {
      sums[i] *= scale;
    }
    store_tile(sums, columns / 64, WGMMA_C_BOXES, boxes, map_c, group, top, left);
  }
  if ((threadIdx.x & 127) == 0) {
    store_wait();
  }
}

/** The stage may be written when every warp of the cluster has read its scales and its numbers. */
INSIDE void release_warp(const work *w, int stage) {
  int lane = (int)threadIdx.x & 31;
  if (lane < w->blocks) {
    barrier_arrive(w->empty + 8 * stage, lane);
  }
}

/** The scale of row `row` of the tile, from its box. */
INSIDE float scale_of(const unsigned char *box, int row) {
  return *(const float *)(box + SWIZZLED(row / 32, row % 32 / 4) + row % 4 * 4);
}

/** The same with scales of their own for every 128 of k, which are added up outside of the tensor cores. */
INSIDE void consume_scaled(const work *w, const CUtensorMap *map_c, int group, const unsigned char *shared,
                           const float *scales_b) {
  uint32_t boxes = w->base + SCALED_STAGES * SCALED_STAGE + group * (FP8_C / 2);
  int stage = 0, parity = 0, row, column, upper = 64 * group + ((int)threadIdx.x & 127) / 32 * 16 + ((int)threadIdx.x & 31) / 4;
  float sums[64], part[64];
  for (int t = w->first; t < w->tiles_m * w->tiles_n; t += w->stride) {
    place(w, t, &row, &column);
#pragma unroll
    for (int i = 0; i < 64; i++) {
      sums[i] = 0;
    }
    for (int step = 0; step < w->steps; step++) {
      float of_b = scales_b[column * w->steps + step], scales[2];
      const unsigned char *box = shared + stage * SCALED_STAGE + (TILE_M + SCALED_TILE_N) * ROW;
      barrier_wait(w->full + 8 * stage, parity);
      scales[0] = of_b * scale_of(box, upper);
      scales[1] = of_b * scale_of(box, upper + 8);
      product_fence();
      uint32_t base = w->base + stage * SCALED_STAGE;
      multiply(part, base + group * (A_BYTES / 2), base + A_BYTES, 0, SCALED_TILE_N);
      product_commit();
      product_wait(0);
      pin(part, 64);
      release_warp(w, stage);
#pragma unroll
      for (int i = 0; i < 64; i++) {
        sums[i] += scales[i / 2 % 2] * part[i];
      }
      stage = stage + 1 == SCALED_STAGES ? 0 : stage + 1;
      parity ^= stage == 0;
    }
    int top = (row * w->blocks + w->rank) * TILE_M + 64 * group;
    store_tile(sums, SCALED_TILE_N / 64, WGMMA_C_BOXES, boxes, map_c, group, top, column * SCALED_TILE_N);
  }
  if ((threadIdx.x & 127) == 0) {
    store_wait();
  }
}

INSIDE void by_matrix(const CUtensorMap *map_a, const CUtensorMap *map_b, const CUtensorMap *map_c, const float *scale_a,
                      const float *scale_b, int k, int blocks, int rows, const parts *of, unsigned char *shared) {
  work w = work_of(shared, FP8_BARRIERS, STAGES, 2 * blocks, blocks, of->m, of->n, k, rows, TILE_N, FP8_TILE_K);
  sources from = {map_a, map_b, 0, rows, TILE_N, 0};
  if (threadIdx.x < 128) {
    registers_fewer(40);
    if (threadIdx.x == 0) {
      tensor_prefetch(map_a);
      tensor_prefetch(map_b);
      tensor_prefetch(map_c);
      produce(&w, &from, of->splits, STAGES, STAGE_BYTES);
    }
  } else {
    registers_more(232);
    consume(&w, map_c, uniform((int)threadIdx.x / 128) - 1, *scale_a * *scale_b, rows, of);
  }
  cluster_sync(); /* no block ends while a neighbour may write to its memory */
}

KERNEL __launch_bounds__(384, 1)
    gemm_fp8(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
             const __grid_constant__ CUtensorMap map_c, const float *scale_a, const float *scale_b, int m, int n, int k) {
  SHARED(shared);
  parts whole = {0, 1, m, n};
  by_matrix(&map_a, &map_b, &map_c, scale_a, scale_b, k, 1, TILE_M, &whole, shared);
}

KERNEL __launch_bounds__(384, 1) __cluster_dims__(2, 1, 1)
    gemm_fp8_cluster(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                     const __grid_constant__ CUtensorMap map_c, const float *scale_a, const float *scale_b, int m, int n,
                     int k) {
  SHARED(shared);
  parts whole = {0, 1, m, n};
  by_matrix(&map_a, &map_b, &map_c, scale_a, scale_b, k, 2, TILE_M, &whole, shared);
}

/* Tiles of 128 rows or of 64; of `splits` parts along k each leaves its sums in `sums`, unless there is one. */
#define SPLIT(name, rows)                                                                                    \
  KERNEL __launch_bounds__(384, 1)                                                                           \
      name(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,             \
           const __grid_constant__ CUtensorMap map_c, const float *scale_a, const float *scale_b, int m, int n, \
           int k, float *sums, int splits) {                                                                 \
    SHARED(shared);                                                                                          \
    parts of = {sums, splits, m, n};                                                                         \
    next_may_begin();                                                                                        \
    by_matrix(&map_a, &map_b, &map_c, scale_a, scale_b, k, 1, rows, &of, shared);                            \
  }
SPLIT(gemm_fp8_split, TILE_M)
SPLIT(gemm_fp8_split_64, TILE_M / 2)

/* Four of the `count` numbers of C for each thread. */
KERNEL __launch_bounds__(256)
    gemm_fp8_add(const float *sums, bf16 *c, const float *scale_a, const float *scale_b, int splits, long long count) {
  long long at = ((long long)blockIdx.x * 256 + threadIdx.x) * 4;
  four total = {{0}};
  previous_wait();
  if (at >= count) {
    return;
  }
#pragma unroll 4
  for (int part = 0; part < splits; part++) {
    four more = *(const four *)(sums + part * count + at);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      total.at[i] += more.at[i];
    }
  }
  float scale = *scale_a * *scale_b;
#pragma unroll
  for (int i = 0; i < 2; i++) {
    *(uint32_t *)(c + at + 2 * i) = pack_bf16(scale * total.at[2 * i], scale * total.at[2 * i + 1]);
  }
}

KERNEL __launch_bounds__(384, 1) __cluster_dims__(2, 1, 1)
    gemm_fp8_scaled(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                    const __grid_constant__ CUtensorMap map_scales, const __grid_constant__ CUtensorMap map_c,
                    const float *scales_b, int m, int n, int k) {
  SHARED(shared);
  work w =
      work_of(shared, SCALED_BARRIERS, SCALED_STAGES, 8 * 2, 2, m, n, k, TILE_M, SCALED_TILE_N, FP8_TILE_K);
  sources from = {&map_a, &map_b, &map_scales, TILE_M, SCALED_TILE_N, (m + TILE_M - 1) / TILE_M * SCALED_ROWS};
  if (threadIdx.x < 128) {
    registers_fewer(56); /* three maps and what the cache is to keep */
    if (threadIdx.x == 0) {
      tensor_prefetch(&map_a);
      tensor_prefetch(&map_b);
      tensor_prefetch(&map_scales);
      tensor_prefetch(&map_c);
      produce(&w, &from, 1, SCALED_STAGES, SCALED_STAGE);
    }
  } else {
    registers_more(224);
    consume_scaled(&w, &map_c, uniform((int)threadIdx.x / 128) - 1, shared, scales_b);
  }
  cluster_sync();
}
