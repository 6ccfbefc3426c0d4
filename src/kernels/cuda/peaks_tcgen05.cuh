/* How fast Blackwell's tensor cores can go: tcgen05.mma from shared to tensor memory, one product of 128 x
 * 256 after the other into the same sums, by one block per multiprocessor (group 1) or by pairs of them, each
 * of which holds half of B (group 2). */
#ifndef KERNELS_CUDA_PEAKS_TCGEN05_CUH
#define KERNELS_CUDA_PEAKS_TCGEN05_CUH

#include "peaks.cuh"
#include "tiles.h"

#define MEET_1() __syncthreads()
#define MEET_2() cluster_sync()
#define RANK_1() 0
#define RANK_2() cluster_rank()
#define CLUSTER_1
#define CLUSTER_2 __cluster_dims__(2, 1, 1)

/* Columns of tensor memory: the sums, then the scales of each step along k. */
enum { THREADS = 128, COLUMNS = 512, OF_A = PEAK5_N, OF_B = OF_A + PEAK5_STEPS * PEAK5_M / 32 };

/** A, and the columns of B that are this block's. */
INSIDE void load_operands(unsigned char *shared, const uint4 *data, int group, int rank) {
  int a = PEAK5_M * 128 / 16, b = PEAK5_N / group * 128 / 16;
  for (int i = (int)threadIdx.x; i < a + b; i += THREADS) {
    ((uint4 *)shared)[i] = data[i < a ? i : i + rank * b];
  }
}

/** The scales of `rows` rows and one step: row r in column r / 32 of lane r % 32, the same in each warp's
 * lanes (PTX ISA, "Layout of the Scale Factor A Matrix for scale_vec::4X"). */
INSIDE void load_scales(uint32_t memory, const uint32_t *scales, int rows) {
  for (int column = 0; column < rows / 32; column += 4) {
    uint32_t r[4];
    for (int i = 0; i < 4; i++) {
      r[i] = scales[32 * (column + i) + (int)threadIdx.x % 32];
    }
    memory_store(memory + (threadIdx.x / 32 << 21) + (uint32_t)column, r);
  }
}

INSIDE void load_all_scales(uint32_t memory, const uint4 *data) {
  const uint32_t *scales = (const uint32_t *)data + PEAK_SCALES / 4;
  for (int k = 0; k < PEAK5_STEPS; k++) {
    load_scales(memory + OF_A + (uint32_t)(k * PEAK5_M / 32), scales + k * PEAK5_M, PEAK5_M);
    load_scales(memory + OF_B + (uint32_t)(k * PEAK5_N / 32), scales + PEAK5_STEPS * PEAK5_M + k * PEAK5_N,
                PEAK5_N);
  }
  memory_store_wait();
}

/** Scales of one in all columns that the sums do not use. */
INSIDE void load_ones(uint32_t memory) {
  const uint32_t ones[4] = {0x38383838, 0x38383838, 0x38383838, 0x38383838};
  for (uint32_t column = OF_A; column < COLUMNS; column += 4) {
    memory_store(memory + (threadIdx.x / 32 << 21) + column, ones);
  }
  memory_store_wait();
}

/** Adds up this thread's row of the sums. */
#define ROW_SUM(type, memory, sum)                                                                           \
  for (uint32_t column = 0; column < PEAK5_N; column += 16) {                                                \
    uint32_t r[16];                                                                                          \
    memory_load(r, (memory) + (threadIdx.x / 32 << 21) + column);                                            \
    _Pragma("unroll") for (int i = 0; i < 16; i++) {                                                         \
      type value;                                                                                            \
      memcpy(&value, &r[i], sizeof value);                                                                   \
      sum += (float)value;                                                                                   \
    }                                                                                                        \
  }

/* `order` is one product, step k of `steps` along the rows; `prepare` what goes before the first. A round is
 * all steps.
 */
#define PEAK_5(name, group, type, steps, prepare, order)                                                     \
  KERNEL CLUSTER_##group __launch_bounds__(THREADS, 1) name(const uint4 *data, float *out, int rounds) {     \
    SHARED(shared);                                                                                          \
    uint32_t a = shared_address(shared), b = a + PEAK5_M * 128, barrier = a + PEAK5_BARRIER;                 \
    int rank = (int)RANK_##group();                                                                          \
    load_operands(shared, data, group, rank);                                                                \
    if (threadIdx.x < 32) {                                                                                  \
      memory_take(#group, barrier + 8, COLUMNS);                                                             \
    }                                                                                                        \
    if (threadIdx.x == 0) {                                                                                  \
      barrier_init(barrier, 1);                                                                              \
      barrier_fence();                                                                                       \
    }                                                                                                        \
    fence_async();                                                                                           \
    memory_fence_before();                                                                                   \
    MEET_##group();                                                                                          \
    memory_fence_after();                                                                                    \
    uint32_t memory = *(const uint32_t *)(const void *)(shared + PEAK5_BARRIER + 8);                         \
    prepare;                                                                                                 \
    memory_fence_before();                                                                                   \
    MEET_##group();                                                                                          \
    memory_fence_after();                                                                                    \
    if (rank == 0 && threadIdx.x < 32 && elect_one()) {                                                      \
      for (int round = 0; round < rounds; round++) {                                                         \
        _Pragma("unroll") for (int k = 0; k < steps; k++) {                                                  \
          order;                                                                                             \
        }                                                                                                    \
      }                                                                                                      \
      PRODUCT_5_COMMIT_##group(barrier);                                                                     \
    }                                                                                                        \
    int over = barrier_over(barrier, 0);                                                                     \
    memory_fence_after();                                                                                    \
    float sum = 0;                                                                                           \
    ROW_SUM(type, memory, sum)                                                                               \
    out[blockIdx.x * THREADS + threadIdx.x] = over ? sum : 0;                                                \
    memory_fence_before();                                                                                   \
    MEET_##group();                                                                                          \
    memory_fence_after();                                                                                    \
    if (threadIdx.x < 32) {                                                                                  \
      memory_give(#group, memory, COLUMNS);                                                                  \
    }                                                                                                        \
  }

/** Products without scales, of one block and of a pair: sums and factors as PRODUCT_5_OF has them. */
#define PEAKS_5(name, kind, type, sums, factor)                                                              \
  PEAK_5(name, 1, type, PEAK5_STEPS, ,                                                                       \
         PRODUCT_5("1", kind, memory, MATRIX_5(a + 32 * k, 1024), MATRIX_5(b + 32 * k, 1024),                \
                   PRODUCT_5_OF(sums, factor, PEAK5_M, PEAK5_N), round + k > 0))                             \
  PEAK_5(name##_pair, 2, type, PEAK5_STEPS, ,                                                                \
         PRODUCT_5("2", kind, memory, MATRIX_5(a + 32 * k, 1024), MATRIX_5(b + 32 * k, 1024),                \
                   PRODUCT_5_OF(sums, factor, 2 * PEAK5_M, PEAK5_N), round + k > 0))

/** The same with scales. */
#define PEAKS_5_SCALED(name, kind, factor)                                                                   \
  PEAK_5(name, 1, float, PEAK5_STEPS, load_all_scales(memory, data),                                         \
         PRODUCT_5_SCALED("1", kind, memory, MATRIX_5(a + 32 * k, 1024), MATRIX_5(b + 32 * k, 1024),         \
                          PRODUCT_5_OF(0, factor, PEAK5_M, PEAK5_N), memory + OF_A + k * PEAK5_M / 32,       \
                          memory + OF_B + k * PEAK5_N / 32, round + k > 0))                                  \
  PEAK_5(name##_pair, 2, float, PEAK5_STEPS, load_all_scales(memory, data),                                  \
         PRODUCT_5_SCALED("2", kind, memory, MATRIX_5(a + 32 * k, 1024), MATRIX_5(b + 32 * k, 1024),         \
                          PRODUCT_5_OF(0, factor, 2 * PEAK5_M, PEAK5_N), memory + OF_A + k * PEAK5_M / 32,   \
                          memory + OF_B + k * PEAK5_N / 32, round + k > 0))

#endif
