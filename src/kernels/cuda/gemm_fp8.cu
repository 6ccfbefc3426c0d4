// targets: sm_90a
/* C = A B in e4m3 with sums in fp32 and C in bf16: A of m x k, and B of n x k, k along the rows of both, as the instruction
 * takes them; k a multiple of 16, n of 8. One scale for each matrix, or one for each 128 numbers of a row of A and each
 * 128 x 128 of B, of which every 128 of k are summed apart (DeepGEMM; DeepSeek-V3, section 3.3.2: the tensor cores
 * keep about 14 bits of a sum). */
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

/** The warpgroup's 64 rows and `columns` columns over one stage. */
INSIDE void multiply(float *sums, uint32_t stage, int group, int add, int columns) {
  uint32_t a = stage + group * (A_BYTES / 2), b = stage + A_BYTES;
#pragma unroll
  for (int k = 0; k < ROW; k += 32) {
    product_e4m3(sums, MATRIX(a + k, 16, 1024), MATRIX(b + k, 16, 1024), add || k > 0, columns);
  }
}

/** What the copy engine reads; `scales` of rows of A may be NULL. It counts in 16 bits: 64 of them are a row. */
typedef struct sources {
  const CUtensorMap *a, *b, *scales;
  int strips; /* rows of `scales` for each step */
} sources;

/** A stage: the block's own rows of A with their scales, and its halves of B for the whole cluster. */
INSIDE void fetch(const work *w, const sources *from, uint32_t to, uint32_t full, int step, int row, int column,
                  int columns) {
  int share = 2 / w->blocks, half = columns / 2, top = (row * w->blocks + w->rank) * TILE_M;
  barrier_expect(full, (TILE_M + columns) * ROW + (from->scales != 0 ? SCALED_ROWS * 128 : 0));
  tensor_load_kept(to, from->a, step * 64, top, full);
  for (int i = w->rank * share; i < w->rank * share + share; i++) {
    uint32_t b = to + A_BYTES + i * half * ROW;
    if (w->blocks > 1) {
      tensor_load_all(b, from->b, step * 64, column * columns + i * half, full,
                      (unsigned short)((1 << w->blocks) - 1));
    } else {
      tensor_load(b, from->b, step * 64, column * columns + i * half, full);
    }
  }
  if (from->scales != 0) {
    tensor_load(to + A_BYTES + columns * ROW, from->scales, 0, step * from->strips + top / 32, full);
  }
}

/** One thread fetches stage after stage. */
INSIDE void produce(const work *w, const sources *from, int columns, int stages, int stage_bytes) {
  int stage = 0, parity = 1, row, column;
  for (int t = w->first; t < w->tiles_m * w->tiles_n; t += w->stride) {
    place(t, w->tiles_m, w->tiles_n, &row, &column);
    for (int step = 0; step < w->steps; step++) {
      barrier_wait(w->empty + 8 * stage, parity);
      fetch(w, from, w->base + stage * stage_bytes, w->full + 8 * stage, step, row, column, columns);
      stage = stage + 1 == stages ? 0 : stage + 1;
      parity ^= stage == 0;
    }
  }
}

/** A warpgroup multiplies its 64 rows of every stage, and stores its part of C times `scale`. */
INSIDE void consume(const work *w, const CUtensorMap *map_c, int group, float scale) {
  uint32_t boxes = w->base + STAGES * STAGE_BYTES + group * (FP8_C / 2);
  int stage = 0, parity = 0, row, column;
  float sums[128];
  for (int t = w->first; t < w->tiles_m * w->tiles_n; t += w->stride) {
    int before = 0;
    place(t, w->tiles_m, w->tiles_n, &row, &column);
    for (int step = 0; step < w->steps; step++) {
      barrier_wait(w->full + 8 * stage, parity);
      product_fence();
      multiply(sums, w->base + stage * STAGE_BYTES, group, step > 0, TILE_N);
      product_commit();
      product_wait(1); /* the stage before is read */
      if (step > 0) {
        release(w, before);
      }
      before = stage;
      stage = stage + 1 == STAGES ? 0 : stage + 1;
      parity ^= stage == 0;
    }
    product_wait(0);
    release(w, before);
    pin(sums, 128);
#pragma unroll
    for (int i = 0; i < 128; i++) {
      sums[i] *= scale;
    }
    int top = (row * w->blocks + w->rank) * TILE_M + 64 * group;
    store_tile(sums, TILE_N / 64, boxes, map_c, group, top, column * TILE_N);
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
    place(t, w->tiles_m, w->tiles_n, &row, &column);
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
      multiply(part, w->base + stage * SCALED_STAGE, group, 0, SCALED_TILE_N);
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
    store_tile(sums, SCALED_TILE_N / 64, boxes, map_c, group, top, column * SCALED_TILE_N);
  }
  if ((threadIdx.x & 127) == 0) {
    store_wait();
  }
}

INSIDE void by_matrix(const CUtensorMap *map_a, const CUtensorMap *map_b, const CUtensorMap *map_c, const float *scale_a,
                      const float *scale_b, int m, int n, int k, int blocks, unsigned char *shared) {
  work w = work_of(shared, FP8_BARRIERS, STAGES, 2 * blocks, blocks, m, n, k, TILE_M, TILE_N, FP8_TILE_K);
  sources from = {map_a, map_b, 0, 0};
  if (threadIdx.x < 128) {
    registers_fewer(40);
    if (threadIdx.x == 0) {
      tensor_prefetch(map_a);
      tensor_prefetch(map_b);
      tensor_prefetch(map_c);
      produce(&w, &from, TILE_N, STAGES, STAGE_BYTES);
    }
  } else {
    registers_more(232);
    consume(&w, map_c, uniform((int)threadIdx.x / 128) - 1, *scale_a * *scale_b);
  }
  cluster_sync(); /* no block ends while a neighbour may write to its memory */
}

KERNEL __launch_bounds__(384, 1)
    gemm_fp8(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
             const __grid_constant__ CUtensorMap map_c, const float *scale_a, const float *scale_b, int m, int n, int k) {
  SHARED(shared);
  by_matrix(&map_a, &map_b, &map_c, scale_a, scale_b, m, n, k, 1, shared);
}

KERNEL __launch_bounds__(384, 1) __cluster_dims__(2, 1, 1)
    gemm_fp8_cluster(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                     const __grid_constant__ CUtensorMap map_c, const float *scale_a, const float *scale_b, int m, int n,
                     int k) {
  SHARED(shared);
  by_matrix(&map_a, &map_b, &map_c, scale_a, scale_b, m, n, k, 2, shared);
}

KERNEL __launch_bounds__(384, 1) __cluster_dims__(2, 1, 1)
    gemm_fp8_scaled(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                    const __grid_constant__ CUtensorMap map_scales, const __grid_constant__ CUtensorMap map_c,
                    const float *scales_b, int m, int n, int k) {
  SHARED(shared);
  work w =
      work_of(shared, SCALED_BARRIERS, SCALED_STAGES, 8 * 2, 2, m, n, k, TILE_M, SCALED_TILE_N, FP8_TILE_K);
  sources from = {&map_a, &map_b, &map_scales, (m + TILE_M - 1) / TILE_M * SCALED_ROWS};
  if (threadIdx.x < 128) {
    registers_fewer(56); /* three maps and what the cache is to keep */
    if (threadIdx.x == 0) {
      tensor_prefetch(&map_a);
      tensor_prefetch(&map_b);
      tensor_prefetch(&map_scales);
      tensor_prefetch(&map_c);
      produce(&w, &from, SCALED_TILE_N, SCALED_STAGES, SCALED_STAGE);
    }
  } else {
    registers_more(224);
    consume_scaled(&w, &map_c, uniform((int)threadIdx.x / 128) - 1, shared, scales_b);
  }
  cluster_sync();
}
