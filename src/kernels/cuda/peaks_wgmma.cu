// targets: sm_90a
/* How fast a warpgroup's products of matrices can go: wgmma from shared memory, two warpgroups per
 * multiprocessor. */
#include "peaks.cuh"

enum {
  THREADS = 256,
  A_BYTES = 64 * 128,  /* a warpgroup's rows of A: four steps of 32 bytes along k */
  B_BYTES = 256 * 128, /* columns of B, k along them */
  BYTES = 2 * A_BYTES + B_BYTES,
};

INSIDE void tf32(float *d, uint64_t a, uint64_t b) {
  PRODUCT("m64n256k8.f32.tf32.tf32", IN_FLOAT, ", 1, 1", d, a, b, 1);
}

INSIDE void fp16(float *d, uint64_t a, uint64_t b) {
  PRODUCT("m64n256k16.f32.f16.f16", IN_FLOAT, ", 1, 1, 0, 0", d, a, b, 1);
}

INSIDE void bf16_(float *d, uint64_t a, uint64_t b) {
  PRODUCT("m64n256k16.f32.bf16.bf16", IN_FLOAT, ", 1, 1, 0, 0", d, a, b, 1);
}

INSIDE void fp8(float *d, uint64_t a, uint64_t b) {
  PRODUCT("m64n256k32.f32.e4m3.e4m3", IN_FLOAT, ", 1, 1", d, a, b, 1);
}

INSIDE void int8(int *d, uint64_t a, uint64_t b) {
  PRODUCT("m64n256k32.s32.s8.s8", IN_INT, "", d, a, b, 1);
}

/* `data` fills shared memory once: BYTES of it. A round is four products of both warpgroups. */
#define PEAK(name, product, type)                                                                            \
  KERNEL __launch_bounds__(THREADS, 1) name(const uint4 *data, float *out, int rounds) {                     \
    SHARED(shared);                                                                                          \
    type d[128];                                                                                             \
    for (int i = (int)threadIdx.x; i < BYTES / 16; i += THREADS) {                                           \
      ((uint4 *)shared)[i] = data[i];                                                                        \
    }                                                                                                        \
    _Pragma("unroll") for (int i = 0; i < 128; i++) {                                                        \
      d[i] = 0;                                                                                              \
    }                                                                                                        \
    fence_async();                                                                                           \
    __syncthreads();                                                                                         \
    uint32_t b = shared_address(shared) + 2 * A_BYTES,                                                       \
             a = shared_address(shared) + threadIdx.x / 128 * A_BYTES;                                       \
    for (int round = 0; round < rounds; round++) {                                                           \
      product_fence();                                                                                       \
      _Pragma("unroll") for (int k = 0; k < 4; k++) {                                                        \
        product(d, MATRIX(a + 32 * k, 16, 1024), MATRIX(b + 32 * k, 16, 1024));                              \
      }                                                                                                      \
      product_commit();                                                                                      \
      product_wait(1);                                                                                       \
    }                                                                                                        \
    product_wait(0);                                                                                         \
    float sum = 0;                                                                                           \
    _Pragma("unroll") for (int i = 0; i < 128; i++) {                                                        \
      sum += (float)d[i];                                                                                    \
    }                                                                                                        \
    out[blockIdx.x * THREADS + threadIdx.x] = sum;                                                           \
  }

PEAK(peak_wgmma_tf32, tf32, float)
PEAK(peak_wgmma_fp16, fp16, float)
PEAK(peak_wgmma_bf16, bf16_, float)
PEAK(peak_wgmma_fp8, fp8, float)
PEAK(peak_wgmma_int8, int8, int)
