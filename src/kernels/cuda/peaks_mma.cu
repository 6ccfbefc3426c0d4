// targets: sm_80 sm_89 sm_90 compute_80 compute_89
/* How fast a warp's products of matrices can go: mma.sync from registers, sixteen sums that do not wait for each other. */
#include "tensor.cuh"

enum { THREADS = 256, CHAINS = 16 };

/* One product of each shape: d (D words of its type) += a (A words) b (B words). */
#define MMA_F32(name, instruction)                                                                           \
  INSIDE void name(float *d, const uint32_t *a, const uint32_t *b) {                                         \
    asm volatile("mma.sync.aligned." instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "           \
                 "{%0, %1, %2, %3};"                                                                         \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                            \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                        \
  }

MMA_F32(tf32, "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA_F32(fp16, "m16n8k16.row.col.f32.f16.f16.f32")
MMA_F32(bf16_, "m16n8k16.row.col.f32.bf16.bf16.f32")
#if __CUDA_ARCH__ >= 890
MMA_F32(fp8, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
#endif

INSIDE void int8(int *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* `data`: 16 bytes a thread and chain are read of it once. A round is CHAINS products of every warp. */
#define PEAK(name, product, type)                                                                            \
  KERNEL __launch_bounds__(THREADS) name(const uint4 *data, float *out, int rounds) {                        \
    uint32_t a[4][4], b[4][2];                                                                               \
    type d[CHAINS][4];                                                                                       \
    for (int i = 0; i < 4; i++) {                                                                            \
      uint4 one = data[i * THREADS + threadIdx.x], two = data[(i + 4) * THREADS + threadIdx.x];              \
      a[i][0] = one.x, a[i][1] = one.y, a[i][2] = one.z, a[i][3] = one.w;                                    \
      b[i][0] = two.x, b[i][1] = two.y;                                                                      \
    }                                                                                                        \
    for (int i = 0; i < CHAINS; i++) {                                                                       \
      d[i][0] = d[i][1] = d[i][2] = d[i][3] = 0;                                                             \
    }                                                                                                        \
    for (int round = 0; round < rounds; round++) {                                                           \
      _Pragma("unroll") for (int i = 0; i < CHAINS; i++) {                                                   \
        product(d[i], a[i / 4], b[i % 4]);                                                                   \
      }                                                                                                      \
    }                                                                                                        \
    float sum = 0;                                                                                           \
    for (int i = 0; i < CHAINS; i++) {                                                                       \
      sum += (float)d[i][0] + (float)d[i][1] + (float)d[i][2] + (float)d[i][3];                              \
    }                                                                                                        \
    out[blockIdx.x * THREADS + threadIdx.x] = sum;                                                           \
  }

PEAK(peak_mma_tf32, tf32, float)
PEAK(peak_mma_fp16, fp16, float)
PEAK(peak_mma_bf16, bf16_, float)
PEAK(peak_mma_int8, int8, int)
#if __CUDA_ARCH__ >= 890
PEAK(peak_mma_fp8, fp8, float)
#endif
