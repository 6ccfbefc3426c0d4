/* What every processor of the architecture has: SSE2, NEON, or whatever the compiler makes of 16-byte
 * vectors. */
#include "kernels/lanes/lanes.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#define TARGET
#define ROWS 4
#define COLUMNS 2

#if defined(__SSE2__)
#include <emmintrin.h>
#define ISA "SSE2"
#define FUSED false
#define FENCE _mm_sfence()
#define REGISTER(v) "x"(v)
#define PICK(sse2, neon, plain) sse2
#elif defined(__aarch64__)
#include <arm_neon.h>
#define ISA "NEON"
#define FUSED true
#define FENCE
#define REGISTER(v) "w"(v)
#define PICK(sse2, neon, plain) neon
#else
#define ISA "scalar"
#define FUSED false
#define FENCE
#define REGISTER(v) "m"(v)
#define PICK(sse2, neon, plain) plain

#define PLAIN(format, type, unsigned_type)                                                                   \
  typedef type plain_##format __attribute__((vector_size(16)));                                              \
  typedef unsigned_type mask_##format __attribute__((vector_size(16)));                                      \
  static inline plain_##format set1_##format(type s) {                                                       \
    return s - (plain_##format){0};                                                                          \
  }                                                                                                          \
  static inline plain_##format load_##format(const type *p) {                                                \
    plain_##format v;                                                                                        \
    memcpy(&v, p, sizeof v);                                                                                 \
    return v;                                                                                                \
  }                                                                                                          \
  static inline void store_##format(type *p, plain_##format v) {                                             \
    memcpy(p, &v, sizeof v);                                                                                 \
  }                                                                                                          \
  static inline plain_##format max_##format(plain_##format a, plain_##format b) {                            \
    mask_##format greater = (mask_##format)(a > b);                                                          \
    return (plain_##format)((greater & (mask_##format)a) | (~greater & (mask_##format)b));                   \
  }
PLAIN(fp64, double, uint64_t)
PLAIN(fp32, float, uint32_t)
#endif

#define V PICK(__m128d, float64x2_t, plain_fp64)
#define LANES 2
#define SET1(s) PICK(_mm_set1_pd(s), vdupq_n_f64(s), set1_fp64(s))
#define LOAD(p) PICK(_mm_loadu_pd(p), vld1q_f64(p), load_fp64(p))
#define STORE(p, v) PICK(_mm_storeu_pd(p, v), vst1q_f64(p, v), store_fp64(p, v))
#define STREAM(p, v) PICK(_mm_stream_pd(p, v), vst1q_f64(p, v), store_fp64(p, v))
#define FMA(a, b, c) PICK(_mm_add_pd(_mm_mul_pd(a, b), c), vfmaq_f64(c, a, b), ((a) * (b) + (c)))
#define MAX(a, b) PICK(_mm_max_pd(a, b), vmaxq_f64(a, b), max_fp64(a, b))
#include "kernels/lanes/fp64.h"

#define V PICK(__m128, float32x4_t, plain_fp32)
#define LANES 4
#define SET1(s) PICK(_mm_set1_ps(s), vdupq_n_f32(s), set1_fp32(s))
#define LOAD(p) PICK(_mm_loadu_ps(p), vld1q_f32(p), load_fp32(p))
#define STORE(p, v) PICK(_mm_storeu_ps(p, v), vst1q_f32(p, v), store_fp32(p, v))
#define STREAM(p, v) PICK(_mm_stream_ps(p, v), vst1q_f32(p, v), store_fp32(p, v))
#define FMA(a, b, c) PICK(_mm_add_ps(_mm_mul_ps(a, b), c), vfmaq_f32(c, a, b), ((a) * (b) + (c)))
#define MAX(a, b) PICK(_mm_max_ps(a, b), vmaxq_f32(a, b), max_fp32(a, b))
#include "kernels/lanes/fp32.h"

static bool available(void) {
  return true;
}

const rf_lanes rf_lanes_base = {ISA, FUSED, available, &loops_fp64, &loops_fp32, transfers};
