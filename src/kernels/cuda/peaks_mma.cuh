/* How fast a warp's products of matrices can go: mma.sync from registers, sixteen sums that do not wait for
 * each other. */
#ifndef KERNELS_CUDA_PEAKS_MMA_CUH
#define KERNELS_CUDA_PEAKS_MMA_CUH

#include "peaks.cuh"
#include "tiles.h"

enum { THREADS = 256, CHAINS = 16 };

/* Each thread's words of four matrices A and four B, and their scales. */
typedef struct fragments {
  uint32_t a[4][4], b[4][2], of_a[4], of_b[4];
} fragments;

INSIDE void load_fragments(fragments *f, const uint4 *data) {
  const uint32_t *scales = (const uint32_t *)data + PEAK_SCALES / 4 + threadIdx.x / 32 * 32;
  uint32_t lane = threadIdx.x % 32;
  _Pragma("unroll") for (int i = 0; i < 4; i++) {
    uint4 one = data[i * THREADS + threadIdx.x], two = data[(i + 4) * THREADS + threadIdx.x];
    f->a[i][0] = one.x, f->a[i][1] = one.y, f->a[i][2] = one.z, f->a[i][3] = one.w;
    f->b[i][0] = two.x, f->b[i][1] = two.y;
    f->of_a[i] = scales[i * THREADS + lane / 4 + 8 * (lane % 2)];
    f->of_b[i] = scales[i * THREADS + 16 + lane / 4];
  }
}

/* `order` is product i of CHAINS. A round is CHAINS products of every warp. */
#define PEAK(name, type, order)                                                                              \
  KERNEL __launch_bounds__(THREADS) name(const uint4 *data, float *out, int rounds) {                        \
    fragments f;                                                                                             \
    type d[CHAINS][4];                                                                                       \
    load_fragments(&f, data);                                                                                \
    _Pragma("unroll") for (int i = 0; i < CHAINS; i++) {                                                     \
      d[i][0] = d[i][1] = d[i][2] = d[i][3] = 0;                                                             \
    }                                                                                                        \
    for (int round = 0; round < rounds; round++) {                                                           \
      _Pragma("unroll") for (int i = 0; i < CHAINS; i++) {                                                   \
        order;                                                                                               \
      }                                                                                                      \
    }                                                                                                        \
    float sum = 0;                                                                                           \
    _Pragma("unroll") for (int i = 0; i < CHAINS; i++) {                                                     \
      sum += (float)d[i][0] + (float)d[i][1] + (float)d[i][2] + (float)d[i][3];                              \
    }                                                                                                        \
    out[blockIdx.x * THREADS + threadIdx.x] = sum;                                                           \
  }

#define PEAK_FLOAT(name, instruction)                                                                        \
  PEAK(name, float, MMA(instruction, IN_FLOAT, d[i], f.a[i / 4], f.b[i % 4]))
#define PEAK_SCALED(name, instruction)                                                                       \
  PEAK(name, float, MMA_SCALED(instruction, d[i], f.a[i / 4], f.b[i % 4], f.of_a[i / 4], f.of_b[i % 4]))

#endif
