// targets: sm_90a
/* C = A B in bf16 with sums in fp32, all in row order, by wgmma from tiles that the copy engine loads: n and k
 * multiples of 8. Tiles are 128 x 256 x 64; a warpgroup has 64 rows of one. */
#include "tensor.cuh"

#include "layout.h"
#include "roles.cuh"
#include "tiles.h"

enum {
  TILE_M = WGMMA_TILE_M,
  TILE_N = WGMMA_TILE_N,
  TILE_K = WGMMA_TILE_K,
  STAGES = WGMMA_STAGES,
  BOX_BYTES = WGMMA_BOX,
  A_BYTES = TILE_M * TILE_K * 2,
  STAGE_BYTES = WGMMA_STAGE,
  BARRIERS = WGMMA_BARRIERS(STAGES, WGMMA_C_BOXES),
};

/** The warpgroup's 64 x 256 sums over one stage. */
INSIDE void multiply(float *sums, uint32_t stage, int group, int add) {
  uint32_t a = stage + group * (A_BYTES / 2), b = stage + A_BYTES;
#pragma unroll
  for (int k = 0; k < TILE_K / 16; k++) {
    product_bf16(sums, MATRIX(a + k * 32, 16, 1024), MATRIX(b + k * 2048, BOX_BYTES, 1024), add || k > 0);
  }
}

/** Fetches the tile's columns of B from box `first` on, `count` boxes of 64. */
INSIDE void fetch_b(uint32_t stage, const CUtensorMap *map, int column, int k, uint32_t barrier, int first,
                    int count, unsigned short mask) {
  for (int i = first; i < first + count; i++) {
    if (mask != 0) {
      tensor_load_all(stage + A_BYTES + i * BOX_BYTES, map, column + 64 * i, k, barrier, mask);
    } else {
      tensor_load(stage + A_BYTES + i * BOX_BYTES, map, column + 64 * i, k, barrier);
    }
  }
}

/** Two rows of a thread go straight to memory. */
INSIDE void store_rows(const float *sums, bf16 *c, int row, int column, int m, int n) {
#pragma unroll
  for (int j = 0; j < TILE_N / 8; j++) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
      int r = row + 8 * half, at = column + 8 * j;
      if (r < m && at < n) {
        *(uint32_t *)(c + (size_t)r * n + at) = pack_bf16(sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1]);
      }
    }
  }
}

/** One block of 256 threads per tile: all wait for a stage and multiply, and one thread requests the next. */
KERNEL __launch_bounds__(256, 1)
    gemm_wgmma(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, bf16 *c, int m,
               int n, int k) {
  SHARED(shared);
  uint32_t base = shared_address(shared), full = base + BARRIERS;
  int row = (int)blockIdx.x * TILE_M, column = (int)blockIdx.y * TILE_N, steps = (k + TILE_K - 1) / TILE_K;
  int group = (int)threadIdx.x / 128;
  float sums[128];
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      barrier_init(full + 8 * s, 1);
    }
    barrier_fence();
  }
  __syncthreads();
  for (int step = 1 - STAGES; step < steps; step++) {
    int ahead = step + STAGES - 1, next = ahead % STAGES;
    if (threadIdx.x == 0 && ahead < steps) {
      barrier_expect(full + 8 * next, STAGE_BYTES);
      tensor_load(base + next * STAGE_BYTES, &map_a, ahead * TILE_K, row, full + 8 * next);
      fetch_b(base + next * STAGE_BYTES, &map_b, column, ahead * TILE_K, full + 8 * next, 0, 4, 0);
    }
    if (step >= 0) {
      barrier_wait(full + 8 * (step % STAGES), step / STAGES & 1);
      product_fence();
      multiply(sums, base + step % STAGES * STAGE_BYTES, group, step > 0);
      product_commit();
      product_wait(0);
      __syncthreads();
    }
  }
  int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x / 32;
  store_rows(sums, c, row + warp * 16 + lane / 4, column + 2 * (lane & 3), m, n);
}

/** What the compiler knows of a kernel whose blocks stay. */
typedef struct way {
  int blocks; /* of a cluster */
  int across; /* its blocks are neighbours along the columns and share rows of A; else down the rows, and columns of B */
  int split;  /* the last round's tiles are divided */
  int stages, boxes;
} way;

/** Steps along k of a tile. */
typedef struct piece {
  int tile, from, to;
} piece;

/** How the tiles of the last round, which are fewer than the clusters, are divided along k (Osama et al. 2023, stream-K): the
 * steps of all of them by `sharers`, each of which has parts of two tiles at most. */
typedef struct division {
  int first, left, sharers; /* the first tile of that round, how many there are */
} division;

INSIDE division divide(const work *w, int split) {
  int tiles = w->tiles_m * w->tiles_n, rounds = tiles / w->stride;
  division d;
  d.first = split ? rounds * w->stride : tiles;
  d.left = tiles - d.first;
  d.sharers = (int)((long long)d.left * w->steps / PARTS_STEPS);
  d.sharers = d.sharers < w->stride ? d.sharers : w->stride;
  d.sharers = d.sharers < PARTS_BLOCKS / w->blocks ? d.sharers : PARTS_BLOCKS / w->blocks;
  d.sharers = d.sharers > d.left ? d.sharers : d.left; /* none has more than a tile */
  return d;
}

/** The first step of a sharer, of all tiles' in the last round. */
INSIDE int first_step(const work *w, const division *d, int sharer) {
  return (int)((long long)d->left * w->steps * sharer / d->sharers);
}

/** The cluster's piece `i`, 0 when there is none: whole tiles, then its parts. The first steps of a tile come before the last
 * ones of another: who has the last ones waits for the others. */
INSIDE int piece_of(const work *w, const division *d, int i, piece *p) {
  int whole = (d->first - w->first + w->stride - 1) / w->stride, part = i - whole;
  p->tile = w->first + i * w->stride;
  p->from = 0;
  p->to = w->steps;
  if (part < 0) {
    return 1;
  }
  if (part > 1 || w->first >= d->sharers) {
    return 0;
  }
  int begin = first_step(w, d, w->first), end = first_step(w, d, w->first + 1), tile = (end - 1) / w->steps;
  int before = tile > begin / w->steps; /* steps of the tile before it */
  tile -= part;
  p->tile = d->first + tile;
  p->from = part == before ? begin - tile * w->steps : 0;
  p->to = part == 0 ? end - tile * w->steps : w->steps;
  return begin < end && part <= before;
}

/** Where a warpgroup of a block of cluster `sharer` leaves its sums: 128 threads, four numbers each, and again. */
INSIDE float *part_of(const work *w, uint32_t *flags, int sharer, int group) {
  int slot = (sharer * w->blocks + w->rank) * 2 + group;
  return (float *)(flags + PARTS_FLAGS) + (size_t)slot * PARTS_SUMS + (threadIdx.x & 127) * 4;
}

INSIDE uint32_t *flag_of(const work *w, uint32_t *flags, int sharer, int group) {
  return flags + (sharer * w->blocks + w->rank) * 2 + group;
}

/** Leaves sums to the cluster that has the tile's last steps. */
INSIDE void leave(const float *sums, const work *w, uint32_t *flags, int group) {
  float *to = part_of(w, flags, w->first, group);
#pragma unroll
  for (int i = 0; i < 32; i++) {
    four packed = {{sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]}};
    *(four *)(to + i * 512) = packed;
  }
  group_sync(1 + group, 128);
  if ((threadIdx.x & 127) == 0) {
    flag_raise(flag_of(w, flags, w->first, group));
  }
}

/** Adds what the clusters before have left of a tile of which this one has the last steps. */
INSIDE void gather(float *sums, const work *w, const division *d, uint32_t *flags, int tile, int group) {
  int sharer = w->first;
  do {
    sharer--;
    if ((threadIdx.x & 127) == 0) {
      flag_wait(flag_of(w, flags, sharer, group));
    }
    group_sync(1 + group, 128);
    const float *from = part_of(w, flags, sharer, group);
#pragma unroll
    for (int i = 0; i < 32; i++) {
      four packed = *(const four *)(from + i * 512);
#pragma unroll
      for (int j = 0; j < 4; j++) {
        sums[4 * i + j] += packed.at[j];
      }
    }
  } while (first_step(w, d, sharer) > (tile - d->first) * w->steps);
}

/** Where the block's part of the cluster's tile begins. */
INSIDE int top_of(const work *w, const way *y, int row) {
  return (y->across ? row : row * y->blocks + w->rank) * TILE_M;
}

INSIDE int left_of(const work *w, const way *y, int column) {
  return (y->across ? column * y->blocks + w->rank : column) * TILE_N;
}

/** One step along k of a block's own factor, and its share of the other one for the whole cluster. */
INSIDE void fetch(const work *w, const way *y, const CUtensorMap *map_a, const CUtensorMap *map_b,
                  uint32_t to, int top, int left, int k, uint32_t full) {
  unsigned short mask = (unsigned short)(y->blocks > 1 ? (1 << y->blocks) - 1 : 0);
  int share = y->across ? 4 : 4 / y->blocks, rows = TILE_M / 2;
  if (y->across) {
    tensor_load_all(to + w->rank * (A_BYTES / 2), map_a, k, top + w->rank * rows, full, mask);
  } else {
    tensor_load_kept(to, map_a, k, top, full);
  }
  fetch_b(to, map_b, left, k, full, y->across ? 0 : w->rank * share, share, y->across ? 0 : mask);
}

/** One thread fetches stage after stage. */
INSIDE void produce(const work *w, const way *y, const CUtensorMap *map_a, const CUtensorMap *map_b) {
  int stage = 0, parity = 1, row, column;
  division d = divide(w, y->split);
  piece p;
  for (int i = 0; piece_of(w, &d, i, &p); i++) {
    place(w, p.tile, &row, &column);
    int top = top_of(w, y, row), left = left_of(w, y, column);
    for (int step = p.from; step < p.to; step++) {
      uint32_t full = w->full + 8 * stage;
      barrier_wait(w->empty + 8 * stage, parity);
      barrier_expect(full, STAGE_BYTES);
      fetch(w, y, map_a, map_b, w->base + stage * STAGE_BYTES, top, left, step * TILE_K, full);
      stage = stage + 1 == y->stages ? 0 : stage + 1;
      parity ^= stage == 0;
    }
  }
}

/** A warpgroup multiplies its 64 rows of every stage and stores its part of C while the next tile is fetched. */
INSIDE void consume(const work *w, const way *y, const CUtensorMap *map_c, uint32_t *flags, int group) {
  uint32_t boxes = w->base + y->stages * STAGE_BYTES + group * y->boxes * BOX_BYTES;
  int stage = 0, parity = 0, row, column;
  float sums[128];
  division d = divide(w, y->split);
  piece p;
  for (int i = 0; piece_of(w, &d, i, &p); i++) {
    int before = 0;
    place(w, p.tile, &row, &column);
    for (int step = p.from; step < p.to; step++) {
      barrier_wait(w->full + 8 * stage, parity);
      product_fence();
      multiply(sums, w->base + stage * STAGE_BYTES, group, step > p.from);
      product_commit();
      product_wait(1); /* the stage before is read */
      if (step > p.from) {
        release(w, before);
      }
      before = stage;
      stage = stage + 1 == y->stages ? 0 : stage + 1;
      parity ^= stage == 0;
    }
    product_wait(0);
    release(w, before);
    pin(sums, 128);
    if (p.to < w->steps) {
      leave(sums, w, flags, group);
      continue;
    }
    if (p.from > 0) {
      gather(sums, w, &d, flags, p.tile, group);
    }
    store_tile(sums, TILE_N / 64, y->boxes, boxes, map_c, group, top_of(w, y, row) + 64 * group,
               left_of(w, y, column));
  }
  if ((threadIdx.x & 127) == 0) {
    store_wait();
  }
}

/** The cluster's tiles, side by side in place of one below the other. */
INSIDE void lay_across(work *w, int m, int n) {
  w->tiles_m = (m + TILE_M - 1) / TILE_M;
  w->tiles_n = (n + w->blocks * TILE_N - 1) / (w->blocks * TILE_N);
}

/** A block stays on its multiprocessor: of three warpgroups the first fetches, two multiply. */
INSIDE void specialised(way y, const CUtensorMap *map_a, const CUtensorMap *map_b, const CUtensorMap *map_c,
                        int m, int n, int k, int band, uint32_t *flags, unsigned char *shared) {
  work w = work_of(shared, WGMMA_BARRIERS(y.stages, y.boxes), y.stages, 2 * y.blocks, y.blocks, m, n, k,
                   TILE_M, TILE_N, TILE_K);
  w.band = band;
  if (y.across) {
    lay_across(&w, m, n);
  }
  if (threadIdx.x < 128) {
    registers_fewer(40);
    if (threadIdx.x == 0) {
      tensor_prefetch(map_a);
      tensor_prefetch(map_b);
      tensor_prefetch(map_c);
      produce(&w, &y, map_a, map_b);
    }
  } else {
    registers_more(232);
    consume(&w, &y, map_c, flags, uniform((int)threadIdx.x / 128) - 1);
  }
  cluster_sync(); /* no block ends while a neighbour may write to its memory */
}

KERNEL __launch_bounds__(384, 1)
    gemm_specialised(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                     const __grid_constant__ CUtensorMap map_c, int m, int n, int k) {
  SHARED(shared);
  way y = {1, 0, 0, STAGES, WGMMA_C_BOXES};
  specialised(y, &map_a, &map_b, &map_c, m, n, k, BAND, NULL, shared);
}

/* Pairs of blocks, with the width of a band given. */
KERNEL __launch_bounds__(384, 1) __cluster_dims__(2, 1, 1)
    gemm_cluster(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                 const __grid_constant__ CUtensorMap map_c, int m, int n, int k, int band) {
  SHARED(shared);
  way y = {2, 0, 0, STAGES, WGMMA_C_BOXES};
  specialised(y, &map_a, &map_b, &map_c, m, n, k, band, NULL, shared);
}

KERNEL __launch_bounds__(384, 1) __cluster_dims__(2, 1, 1)
    gemm_cluster_across(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                        const __grid_constant__ CUtensorMap map_c, int m, int n, int k, int band) {
  SHARED(shared);
  way y = {2, 1, 0, STAGES, WGMMA_C_BOXES};
  specialised(y, &map_a, &map_b, &map_c, m, n, k, band, NULL, shared);
}

/* Fewer stages leave room for all of C, so that no box waits for another's copy. */
KERNEL __launch_bounds__(384, 1) __cluster_dims__(2, 1, 1)
    gemm_cluster_few(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                     const __grid_constant__ CUtensorMap map_c, int m, int n, int k, int band) {
  SHARED(shared);
  way y = {2, 0, 0, WGMMA_FEW_STAGES, TILE_N / 64};
  specialised(y, &map_a, &map_b, &map_c, m, n, k, band, NULL, shared);
}

/* `flags` of parts are 0 before and after. */
KERNEL __launch_bounds__(384, 1) __cluster_dims__(2, 1, 1)
    gemm_stream_k(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                  const __grid_constant__ CUtensorMap map_c, int m, int n, int k, uint32_t *flags) {
  SHARED(shared);
  way y = {2, 0, 1, STAGES, WGMMA_C_BOXES};
  specialised(y, &map_a, &map_b, &map_c, m, n, k, BAND, flags, shared);
}
