// targets: sm_90a, ptxas -O1
/* C = A B in fp32, all in row order: n and k multiples of 4. Of three warpgroups the first has the copy engine load
 * tiles of 256 x 128 x 32, two multiply: a warp has 64 x 64 of a tile, a thread 8 rows and 16 columns. To the copy engine the
 * numbers are pairs of bf16, because it does not interpret them. */
#include "tensor.cuh"

#include "tiles.h"

enum {
  TILE_M = TMA_TILE_M,
  TILE_N = TMA_TILE_N,
  TILE_K = TMA_TILE_K,
  STAGES = TMA_STAGES,
  WARPS = TMA_THREADS / 32 - 4, /* that multiply */
  A_BYTES = TILE_M * TILE_K * 4,
  BOX_BYTES = TILE_K * 128, /* 32 columns of B */
  STAGE_BYTES = TMA_STAGE,
  ROWS = 8,
  COLUMNS = 16,
  GROUP = 8,               /* columns of A between two branches */
  GROUPS = TILE_K / GROUP, /* of a stage */
};

/** What the roles of a block share. */
typedef struct work {
  uint32_t base, full, empty; /* of the stages, and their barriers */
  int tiles_m, tiles, steps;
} work;

/** One thread fetches stage after stage. */
INSIDE void produce(const work *w, const CUtensorMap *map_a, const CUtensorMap *map_b) {
  int stage = 0, parity = 1;
  for (int t = (int)blockIdx.x; t < w->tiles; t += (int)gridDim.x) {
    for (int step = 0; step < w->steps; step++) {
      uint32_t to = w->base + stage * STAGE_BYTES, full = w->full + 8 * stage;
      barrier_wait(w->empty + 8 * stage, parity);
      barrier_expect(full, STAGE_BYTES);
      tensor_load(to, map_a, 2 * step * TILE_K, t % w->tiles_m * TILE_M, full);
      for (int i = 0; i < TILE_N / 32; i++) {
        int column = t / w->tiles_m * TILE_N + 32 * i;
        tensor_load(to + A_BYTES + i * BOX_BYTES, map_b, 2 * column, step * TILE_K, full);
      }
      stage = stage + 1 == STAGES ? 0 : stage + 1;
      parity ^= stage == 0;
    }
  }
}

/** Where a thread reads: `a` and `b` its first row and columns in a stage, `at_a` and `at_b` those of the group. */
typedef struct place {
  uint32_t a, b, at_a, at_b;
  int stage, parity;
} place;

INSIDE void go_to(const work *w, place *p, int group) {
  uint32_t stage = w->base + p->stage * STAGE_BYTES;
  p->at_a = (stage + p->a) ^ (uint32_t)(group * GROUP * 4);
  p->at_b = stage + p->b + (uint32_t)(group * GROUP * 128);
}

/** Four columns of A from `k` of the group on, in the thread's row `i`: the chunks of a row are swizzled by its number. */
INSIDE void load_a(float *a, const place *p, int i, int k) {
  load_four(a, (p->at_a ^ (uint32_t)(k * 4)) + (uint32_t)(i * 8 * 128));
}

/** The thread's columns of B in row `k` of the group, four of each 16: the chunks of a row are swizzled by its number. */
INSIDE void load_b(float *b, const place *p, int k) {
#pragma unroll
  for (int j = 0; j < COLUMNS / 4; j++) {
    load_four(b + 4 * j, (p->at_b ^ (uint32_t)((k & 3) << 4)) +
                             (uint32_t)(k * 128 + ((j ^ (k >> 2)) & 1) * 64 + j / 2 * BOX_BYTES));
  }
}

INSIDE void release(const work *w, place *p) {
  warp_sync();
  if ((threadIdx.x & 31) == 0) {
    barrier_arrive(w->empty + 8 * p->stage, 0);
  }
  p->stage = p->stage + 1 == STAGES ? 0 : p->stage + 1;
  p->parity ^= p->stage == 0;
}

/** The column of product `q` in row `i`: forth and back, so that a row begins with the number of B that the last one ended
 * with. A register lies in one of two banks by its number, numbers of A by `k`, of B by column, and sums best in the
 * other one than B. A row's first product reads A and a sum: it is of a column whose bank is that of A. */
INSIDE int column_at(int i, int k, int q) {
  int j = i % 2 ? q : COLUMNS - 1 - q;
  return (k % 2 ? j < 2 : j >= COLUMNS - 2) ? j ^ 1 : j;
}

/** The thread's sums over a tile. What the next column of A needs is loaded before this one's products, a row of A as
 * soon as its last product is done; past the end the last stage is read again. */
INSIDE void multiply(float sums[ROWS][COLUMNS], const work *w, place *p) {
  float a[ROWS][4], b[2][COLUMNS];
  barrier_wait(w->full + 8 * p->stage, p->parity);
  go_to(w, p, 0);
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    load_a(a[i], p, i, 0);
  }
  load_b(b[0], p, 0);
#pragma unroll 1
  for (int group = 1; group <= w->steps * GROUPS; group++) {
#pragma unroll
    for (int k = 0; k < GROUP; k++) {
      if (k + 1 == GROUP) {
        if (group % GROUPS == 0 && group < w->steps * GROUPS) {
          release(w, p);
          barrier_wait(w->full + 8 * p->stage, p->parity);
        }
        go_to(w, p, group % GROUPS);
      }
      load_b(b[(k + 1) % 2], p, (k + 1) % GROUP);
#pragma unroll
      for (int i = 0; i < ROWS; i++) {
#pragma unroll
        for (int q = 0; q < COLUMNS; q++) {
          int j = column_at(i, k, q);
          sums[i][j] = fma_in_order(b[k % 2][j], a[i][k % 4], sums[i][j]);
        }
        if (k % 4 == 3) {
          load_a(a[i], p, i, (k + 1) % GROUP);
        }
      }
    }
  }
  release(w, p);
}

/** One number at a time: stored in fours, the sums would share register banks with their factors. */
INSIDE void store(float sums[ROWS][COLUMNS], float *c, int row, int column, int m, int n) {
#pragma unroll
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    int r = row + i / COLUMNS * 8, at = column + i % COLUMNS / 4 * 16 + i % 4;
    if (r < m && at < n) {
      c[(size_t)r * n + at] = sums[i / COLUMNS][i % COLUMNS];
    }
  }
}

INSIDE void consume(const work *w, float *c, int m, int n) {
  int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x / 32 - 4;
  int row = warp / 2 * 64 + lane / 4, column = warp % 2 * 64 + lane % 4 * 4;
  place p = {0};
  p.a = (uint32_t)(row * 128 + (lane / 4 << 4));
  p.b = (uint32_t)(A_BYTES + column / 32 * BOX_BYTES + (lane % 4 << 4));
  for (int t = (int)blockIdx.x; t < w->tiles; t += (int)gridDim.x) {
    float sums[ROWS][COLUMNS] = {{0}};
    multiply(sums, w, &p);
    store(sums, c, t % w->tiles_m * TILE_M + row, t / w->tiles_m * TILE_N + column, m, n);
  }
}

/** A block stays on its multiprocessor and takes tile after tile. */
KERNEL __launch_bounds__(TMA_THREADS, 1)
    gemm_tma(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, float *c, int m, int n,
             int k) {
  SHARED(shared);
  work w;
  w.base = shared_address(shared);
  w.full = w.base + STAGES * STAGE_BYTES;
  w.empty = w.full + 8 * STAGES;
  w.tiles_m = (m + TILE_M - 1) / TILE_M;
  w.tiles = w.tiles_m * ((n + TILE_N - 1) / TILE_N);
  w.steps = (k + TILE_K - 1) / TILE_K;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      barrier_init(w.full + 8 * s, 1);
      barrier_init(w.empty + 8 * s, WARPS);
    }
    barrier_fence();
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    registers_fewer(24);
    if (threadIdx.x == 0) {
      produce(&w, &map_a, &map_b);
    }
  } else {
    registers_more(240);
    consume(&w, c, m, n);
  }
}
