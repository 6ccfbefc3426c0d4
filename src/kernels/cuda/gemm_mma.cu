// targets: sm_80 sm_90 compute_80
/* C = A B in bf16 with sums in fp32, all in row order, by mma.sync from tiles copied asynchronously: n and k multiples
 * of 8. Tiles are 128 x 128 x 32; a warp has 64 x 32 of one. */
#include "tensor.cuh"

#include "tiles.h"

enum {
  TILE_M = MMA_TILE_M,
  TILE_N = MMA_TILE_N,
  TILE_K = MMA_TILE_K,
  STAGES = MMA_STAGES,
  THREADS = MMA_THREADS,
  A_BYTES = TILE_M * TILE_K * 2,
  STAGE_BYTES = A_BYTES + TILE_K * TILE_N * 2,
};

/** A row of A is 64 bytes: two rows fill the banks once, so that its chunks of 16 bytes are swizzled by the number of the pair. */
INSIDE uint32_t a_offset(int row, int chunk) {
  return (uint32_t)(row * 64 + ((chunk ^ ((row >> 1) & 3)) << 4));
}

/** A row of B is 256 bytes: its chunks are swizzled by the number of the row. */
INSIDE uint32_t b_offset(int row, int chunk) {
  return (uint32_t)(A_BYTES + row * 256 + ((chunk ^ (row & 7)) << 4));
}

typedef struct problem {
  const bf16 *a, *b;
  int m, n, k, row, column; /* the last two of the tile */
} problem;

enum {
  A_APART = THREADS / 4, /* rows of A between two copies of a thread */
  A_COPIES = TILE_M / A_APART,
  B_APART = THREADS / 16,
  B_COPIES = TILE_K / B_APART,
};

/** What a thread copies of each stage, found once: chunks of 16 bytes below each other, in the same place of their rows. */
typedef struct copies {
  const bf16 *a, *b;     /* the first of each, in the stage that is next */
  uint32_t to_a, to_b;   /* its place in a stage */
  int rows, left, depth; /* of A below it, columns of A from it on, rows of B (0 where its columns are outside) */
} copies;

INSIDE copies plan(const problem *p) {
  int thread = (int)threadIdx.x, row = thread >> 2, chunk = thread & 3, deep = thread >> 4, across = thread & 15;
  int r = p->row + row, c = p->column + 8 * across;
  copies planned = {p->a + (size_t)r * p->k + 8 * chunk,
                    p->b + (size_t)deep * p->n + c,
                    a_offset(row, chunk),
                    b_offset(deep, across),
                    p->m - r,
                    p->k - 8 * chunk,
                    c < p->n ? p->k - deep : 0};
  return planned;
}

/** Requests the next stage. Nothing is read where nothing is inside. */
INSIDE void fetch(const problem *p, copies *c, uint32_t stage) {
#pragma unroll
  for (int i = 0; i < A_COPIES; i++) {
    int inside = c->left > 0 && i * A_APART < c->rows;
    copy_async(stage + c->to_a + (uint32_t)(i * A_APART * 64), inside ? c->a + (size_t)(i * A_APART) * p->k : p->a,
               inside ? 16 : 0);
  }
#pragma unroll
  for (int i = 0; i < B_COPIES; i++) {
    int inside = i * B_APART < c->depth;
    copy_async(stage + c->to_b + (uint32_t)(i * B_APART * 256), inside ? c->b + (size_t)(i * B_APART) * p->n : p->b,
               inside ? 16 : 0);
  }
  c->a += TILE_K;
  c->b += (size_t)TILE_K * p->n;
  c->left -= TILE_K;
  c->depth -= TILE_K;
}

/** The warp's sums over the stage's 32 columns of A. */
INSIDE void multiply(float sums[4][4][4], uint32_t stage, int warp_m, int warp_n) {
  int lane = (int)threadIdx.x & 31;
#pragma unroll
  for (int step = 0; step < TILE_K / 16; step++) {
    uint32_t a[4][4], b[2][4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      load_matrices(a[i], stage + a_offset(warp_m * 64 + i * 16 + (lane & 15), step * 2 + (lane >> 4)));
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
      load_matrices_transposed(b[j], stage + b_offset(step * 16 + (lane & 15), warp_n * 4 + j * 2 + (lane >> 4)));
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
      for (int j = 0; j < 4; j++) {
        mma_bf16(sums[i][j], a[i], &b[j >> 1][(j & 1) * 2]);
      }
    }
  }
}

INSIDE void store(float sums[4][4][4], bf16 *c, const problem *p, int warp_m, int warp_n) {
  int lane = (int)threadIdx.x & 31;
#pragma unroll
  for (int i = 0; i < 32; i++) {
    int row = p->row + warp_m * 64 + i / 8 * 16 + (lane >> 2) + 8 * (i & 1);
    int column = p->column + warp_n * 32 + i / 2 % 4 * 8 + 2 * (lane & 3);
    const float *pair = &sums[i / 8][i / 2 % 4][2 * (i & 1)];
    if (row < p->m && column < p->n) {
      *(uint32_t *)(c + (size_t)row * p->n + column) = pack_bf16(pair[0], pair[1]);
    }
  }
}

/** One block per tile; blocks that are neighbours in x follow each other down the rows of C. */
KERNEL __launch_bounds__(256, 2) gemm_mma(const bf16 *a, const bf16 *b, bf16 *c, int m, int n, int k) {
  SHARED(shared);
  problem p = {a, b, m, n, k, (int)blockIdx.x * TILE_M, (int)blockIdx.y * TILE_N};
  int warp = (int)threadIdx.x >> 5, warp_m = warp & 1, warp_n = warp >> 1;
  int steps = (k + TILE_K - 1) / TILE_K;
  uint32_t base = shared_address(shared);
  copies planned = plan(&p);
  float sums[4][4][4] = {{{0}}};
  for (int step = 1 - STAGES; step < steps; step++) {
    if (step >= 0) {
      copy_wait(STAGES - 2);
      __syncthreads();
    }
    int ahead = step + STAGES - 1;
    if (ahead < steps && ahead >= 0) {
      fetch(&p, &planned, base + (uint32_t)(ahead % STAGES * STAGE_BYTES));
    }
    copy_commit();
    if (step >= 0) {
      multiply(sums, base + (uint32_t)(step % STAGES * STAGE_BYTES), warp_m, warp_n);
    }
  }
  store(sums, c, &p, warp_m, warp_n);
}
