/* What kernels share whose blocks stay on a multiprocessor and take tile after tile of C: of three warpgroups the first
 * fetches, two multiply, each its 64 rows of a tile, and store them in bf16. */
#ifndef KERNELS_CUDA_ROLES_CUH
#define KERNELS_CUDA_ROLES_CUH

#include "layout.h"
#include "tiles.h"

/** What the roles of a block share. */
typedef struct work {
  uint32_t base, full, empty; /* of the stages, and their barriers */
  int rank, blocks;           /* in the cluster */
  int tiles_m, tiles_n, steps;
  int first, stride; /* of the cluster's tiles */
  int band;          /* tiles down before the next one to the right */
} work;

/** The tile number `t` of a block of the cluster: a band of tiles down, then one to the right, so that tiles computed together
 * share rows of A and columns of B. */
INSIDE void place(const work *w, int t, int *row, int *column) {
  int band = t / (w->band * w->tiles_n), top = w->band * band, in = t - top * w->tiles_n;
  int high = w->tiles_m - top < w->band ? w->tiles_m - top : w->band;
  *row = top + in % high;
  *column = in / high;
}

/** Of this block, one of `blocks` of a cluster, which are neighbours down the rows; the barriers lie at `barriers`, and
 * `arrivals` empty a stage. */
INSIDE work work_of(unsigned char *shared, int barriers, int stages, int arrivals, int blocks, int m, int n, int k,
                    int tile_m, int tile_n, int tile_k) {
  work w;
  w.base = shared_address(shared);
  w.full = w.base + barriers;
  w.empty = w.full + 8 * stages;
  w.blocks = blocks;
  w.rank = blocks > 1 ? (int)cluster_rank() : 0;
  w.tiles_m = (m + blocks * tile_m - 1) / (blocks * tile_m);
  w.tiles_n = (n + tile_n - 1) / tile_n;
  w.steps = (k + tile_k - 1) / tile_k;
  w.first = (int)blockIdx.x / blocks;
  w.stride = (int)gridDim.x / blocks;
  w.band = BAND;
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; s++) {
      barrier_init(w.full + 8 * s, 1);
      barrier_init(w.empty + 8 * s, arrivals);
    }
    barrier_fence();
  }
  cluster_sync();
  return w;
}

/** Signals to every block that copies into this one that the stage may be written. */
INSIDE void release(const work *w, int stage) {
  int thread = (int)threadIdx.x & 127;
  if (thread < w->blocks) {
    barrier_arrive(w->empty + 8 * stage, thread);
  }
}

/** The warpgroup's 64 x 64 sums from column 64 `box` on: to shared memory in the copy engine's layout, then stored. */
INSIDE void store_box(const float *sums, uint32_t to, const CUtensorMap *map_c, int group, int box, int row,
                      int column) {
  int thread = (int)threadIdx.x & 127, lane = thread & 31, warp = thread / 32;
  int r = warp * 16 + (lane & 15);
#pragma unroll
  for (int j = 0; j < 4; j++) {
    uint32_t packed[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      packed[i] = pack_bf16(sums[32 * box + 8 * j + 2 * i], sums[32 * box + 8 * j + 2 * i + 1]);
    }
    store_matrices(to + SWIZZLED(r, 2 * j + (lane >> 4)), packed);
  }
  fence_async();
  group_sync(1 + group, 128);
  if (thread == 0) {
    tensor_store(map_c, column + 64 * box, row, to);
    store_commit();
  }
}

/** All `count` boxes of a warpgroup's 64 rows, through `room` of shared memory in turn: two or four. */
INSIDE void store_tile(const float *sums, int count, int room, uint32_t boxes, const CUtensorMap *map_c,
                       int group, int row, int column) {
#pragma unroll
  for (int box = 0; box < count; box++) {
    if ((threadIdx.x & 127) == 0 && room == 4) {
      store_wait_read(3);
    } else if ((threadIdx.x & 127) == 0) {
      store_wait_read(1);
    }
    group_sync(1 + group, 128);
    store_box(sums, boxes + box % room * WGMMA_BOX, map_c, group, box, row, column);
  }
}

#endif
