// targets: sm_80 sm_90 compute_80 compute_90
/* How fast a warp's products of matrices of doubles can go: by the instruction that all have since Ampere, and by
 * Hopper's, eight times as large. Either way a round adds to eight sums of 16 x 8, k being 16. */
#include "peaks.cuh"

#include <string.h>

enum { THREADS = 256, CHAINS = 8, A_MATRICES = 2, B_MATRICES = 4, WORDS = (A_MATRICES * 8 + B_MATRICES * 4) / 2 };

/** Each thread's numbers of two matrices A and four B. */
typedef struct fragments {
  double a[A_MATRICES][8], b[B_MATRICES][4];
} fragments;

INSIDE void load_fragments(fragments *f, const uint4 *data) {
  double *numbers = &f->a[0][0];
#pragma unroll
  for (int i = 0; i < WORDS; i++) {
    uint4 two = data[i * THREADS + threadIdx.x];
    memcpy(i < A_MATRICES * 4 ? numbers + 2 * i : &f->b[0][0] + 2 * i - A_MATRICES * 8, &two, sizeof two);
  }
}

/** The product of 16 x 8 x 16 in eight of 8 x 8 x 4, of the same fragments. */
INSIDE void product_by_eighths(double *d, const double *a, const double *b) {
#pragma unroll
  for (int i = 0; i < 8; i++) {
    MMA_DOUBLE_8(d + i % 2 * 2, a[i], b[i / 2]);
  }
}

#define PEAK(name, product)                                                                                  \
  KERNEL __launch_bounds__(THREADS) name(const uint4 *data, float *out, int rounds) {                        \
    fragments f;                                                                                             \
    double d[CHAINS][4], sum = 0;                                                                            \
    load_fragments(&f, data);                                                                                \
    _Pragma("unroll") for (int i = 0; i < CHAINS; i++) {                                                     \
      d[i][0] = d[i][1] = d[i][2] = d[i][3] = 0;                                                             \
    }                                                                                                        \
    _Pragma("unroll 1") for (int round = 0; round < rounds; round++) {                                       \
      _Pragma("unroll") for (int i = 0; i < CHAINS; i++) {                                                   \
        product(d[i], f.a[i / B_MATRICES], f.b[i % B_MATRICES]);                                             \
      }                                                                                                      \
    }                                                                                                        \
    _Pragma("unroll") for (int i = 0; i < CHAINS; i++) {                                                     \
      sum += d[i][0] + d[i][1] + d[i][2] + d[i][3];                                                          \
    }                                                                                                        \
    out[blockIdx.x * THREADS + threadIdx.x] = (float)sum;                                                    \
  }

PEAK(peak_mma_fp64, product_by_eighths)
#if !defined(__CUDACC__) || __CUDA_ARCH__ >= 900
PEAK(peak_mma_fp64_k16, MMA_DOUBLE)
#endif
