/** Sizes that a kernel and its launch must agree on. */
#ifndef KERNELS_CUDA_TILES_H
#define KERNELS_CUDA_TILES_H

/* gemm_mma.cu */
enum {
  MMA_TILE_M = 128,
  MMA_TILE_N = 128,
  MMA_TILE_K = 32,
  MMA_STAGES = 4,
  MMA_THREADS = 256,
  MMA_SHARED = MMA_STAGES * 2 * (MMA_TILE_M + MMA_TILE_N) * MMA_TILE_K,
};

/* gemm_tma.cu */
enum {
  TMA_TILE_M = 256,
  TMA_TILE_N = 128,
  TMA_TILE_K = 32,
  TMA_STAGES = 4,
  TMA_THREADS = 384,
  TMA_STAGE = 4 * (TMA_TILE_M + TMA_TILE_N) * TMA_TILE_K, /* bytes of A and B */
  TMA_SHARED = TMA_STAGES * (TMA_STAGE + 2 * 8),
};

enum { BAND = 8 }; /* tiles down before the next one to the right, where a launch does not say it */

/* gemm_wgmma.cu */
enum {
  WGMMA_TILE_M = 128,
  WGMMA_TILE_N = 256,
  WGMMA_TILE_K = 64,
  WGMMA_STAGES = 4,
  WGMMA_BOX = 64 * 64 * 2,                                        /* of B, and of C */
  WGMMA_STAGE = 2 * (WGMMA_TILE_M + WGMMA_TILE_N) * WGMMA_TILE_K, /* bytes of A and B */
  WGMMA_C_BOXES = 2,                                              /* a warpgroup's, in turn */
  WGMMA_FEW_STAGES = 3,                                           /* which leave room for all of C's boxes */
};
/** Their place, behind the tiles, and all bytes. */
#define WGMMA_BARRIERS(stages, boxes) ((stages)*WGMMA_STAGE + 2 * (boxes)*WGMMA_BOX)
#define WGMMA_SHARED(stages, boxes) (WGMMA_BARRIERS(stages, boxes) + 2 * 8 * (stages))
/* Parts of sums that blocks leave to others: a flag for each warpgroup of the most blocks, then their sums. */
enum {
  PARTS_BLOCKS = 512,
  PARTS_FLAGS = 2 * PARTS_BLOCKS,
  PARTS_SUMS = WGMMA_TILE_M / 2 * WGMMA_TILE_N, /* of a warpgroup */
  PARTS_STEPS = 8,                              /* along k, the fewest that a part should have */
};

/* gemm_fp8.cu: boxes of 128 numbers along k; B comes in halves. */
enum {
  FP8_TILE_M = 128,
  FP8_TILE_N = 256,
  FP8_TILE_K = 128,
  FP8_STAGES = 4,
  FP8_STAGE = (FP8_TILE_M + FP8_TILE_N) * FP8_TILE_K, /* bytes of A and B */
  FP8_C = 2 * WGMMA_C_BOXES * WGMMA_BOX,              /* of both warpgroups */
  FP8_BARRIERS = FP8_STAGES * FP8_STAGE + FP8_C,
  FP8_SHARED = FP8_BARRIERS + 2 * 8 * FP8_STAGES,
};
/* With a scale for each 128 numbers of a row of A and each 128 x 128 of B. The scales of a tile's rows are a box of
 * four rows of 32, as the copy engine takes them: for each 128 of k, all rows of whole tiles. */
enum {
  SCALED_TILE_N = 128,
  SCALED_ROWS = 4,
  SCALED_STAGES = 5,
  SCALED_STAGE = (FP8_TILE_M + SCALED_TILE_N) * FP8_TILE_K + 1024,
  SCALED_BARRIERS = SCALED_STAGES * SCALED_STAGE + FP8_C,
  SCALED_SHARED = SCALED_BARRIERS + 2 * 8 * SCALED_STAGES,
};

/* peaks_*.cu: bytes of random numbers, and where their scales begin: one 32-bit word per row, A's and
 * then B's. */
enum { PEAK_DATA = 64 << 10, PEAK_SCALES = 48 << 10 };

/* peaks_tcgen05.cuh */
enum {
  PEAK5_M = 128, /* of a block */
  PEAK5_N = 256,
  PEAK5_STEPS = 4, /* of 32 bytes along k */
  PEAK5_BARRIER = (PEAK5_M + PEAK5_N) * 128,
  PEAK5_SHARED = 128 << 10, /* more than half of a multiprocessor's, so that one block has it alone */
};

/* attention_mma.cu */
enum {
  ATTENTION_MMA_ROWS = 128,
  ATTENTION_MMA_KEYS = 64,
  ATTENTION_MMA_THREADS = 128,
};
/** Bytes: the queries, and two tiles of keys and values. */
#define ATTENTION_MMA_SHARED(dim) ((ATTENTION_MMA_ROWS + 4 * ATTENTION_MMA_KEYS) * (dim)*2)

/* attention_decode.cu: 16 rows per warp, whose warps have rows or keys of their own. */
enum {
  ATTENTION_DECODE_ROWS = 16,
  ATTENTION_DECODE_KEYS = 64,
  ATTENTION_DECODE_STAGES = 3,
  ATTENTION_DECODE_WARPS = 4,
  ATTENTION_DECODE_THREADS = 32 * ATTENTION_DECODE_WARPS,
  ATTENTION_DECODE_BLOCKS = 2, /* on a multiprocessor */
  ATTENTION_DECODE_PAGE = 16,  /* keys of a page */
};
/** Bytes: tiles of keys and values. */
#define ATTENTION_DECODE_SHARED(dim) (ATTENTION_DECODE_STAGES * 2 * ATTENTION_DECODE_KEYS * (dim)*2)
/** Bytes: sums, largest score and total of what each group of threads has merged, 8 numbers of a row per thread. */
#define ATTENTION_MERGE_LANES(dim) (ATTENTION_DECODE_THREADS * 8 / (dim))
#define ATTENTION_MERGE_SHARED(dim) (ATTENTION_MERGE_LANES(dim) * ((dim) + 2) * 4)

/* attention_wgmma.cu: wider tiles of keys where head_dim is 128 and no mask needs registers. */
enum {
  ATTENTION_WGMMA_ROWS = 128,
  ATTENTION_WGMMA_KEYS = 128,
  ATTENTION_WGMMA_KEYS_PLAIN = 176,
  ATTENTION_WGMMA_STAGES = 2,
  ATTENTION_WGMMA_THREADS = 384,
};
/** Bytes: the queries, tiles of keys and values, their barriers, and each warpgroup's task. */
#define ATTENTION_WGMMA_SHARED(keys, dim)                                                                    \
  ((ATTENTION_WGMMA_ROWS + 2 * ATTENTION_WGMMA_STAGES * (keys)) * (dim)*2 +                                  \
   8 * (4 + 4 * ATTENTION_WGMMA_STAGES) + 8)

#endif
