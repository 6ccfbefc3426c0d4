// targets: sm_80 sm_90 compute_80
/* How fast multiply-adds of half-sized numbers can go without tensor cores: two in a register, sixteen sums per thread. */
#include "tensor.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { THREADS = 256, CHAINS = 16 };

/* `data`: numbers below one; a round is CHAINS multiply-adds of two numbers by every thread. */
#define PEAK(name, pair, low, high)                                                                          \
  KERNEL __launch_bounds__(THREADS) name(const uint4 *data, float *out, int rounds) {                        \
    pair a[4], b[4], d[CHAINS];                                                                              \
    uint4 one = data[threadIdx.x], two = data[THREADS + threadIdx.x];                                        \
    memcpy(a, &one, sizeof one);                                                                             \
    memcpy(b, &two, sizeof two);                                                                             \
    for (int i = 0; i < CHAINS; i++) {                                                                       \
      d[i] = __hsub2(a[0], a[0]);                                                                            \
    }                                                                                                        \
    for (int round = 0; round < rounds; round++) {                                                           \
      _Pragma("unroll") for (int i = 0; i < CHAINS; i++) {                                                   \
        d[i] = __hfma2(a[i % 4], b[i / 4], d[i]);                                                            \
      }                                                                                                      \
    }                                                                                                        \
    float sum = 0;                                                                                           \
    for (int i = 0; i < CHAINS; i++) {                                                                       \
      sum += low(d[i]) + high(d[i]);                                                                         \
    }                                                                                                        \
    out[blockIdx.x * THREADS + threadIdx.x] = sum;                                                           \
  }

PEAK(peak_vector_fp16, __half2, __low2float, __high2float)
PEAK(peak_vector_bf16, __nv_bfloat162, __low2float, __high2float)
