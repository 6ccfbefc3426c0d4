#include "kernels/lanes/lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define TARGET __attribute__((target("avx512f,fma")))
#define FENCE _mm_sfence()
#define REGISTER(v) "v"(v)
#define ROWS 8
#define COLUMNS 3

#define T double
#define BITS uint64_t
#define V __m512d
#define NAME(x) x##_fp64
#define SET1(s) _mm512_set1_pd(s)
#define LOAD(p) _mm512_loadu_pd(p)
#define STORE(p, v) _mm512_storeu_pd(p, v)
#define STREAM(p, v) _mm512_stream_pd(p, v)
#define FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define MAX(a, b) _mm512_max_pd(a, b)
#define EXPONENT_SHIFT 52
#define EXPONENT_BIAS 1023
#define ROUNDER 0x1.8p52
#define LN2_HIGH 0x1.62e42fefa3800p-1
#define LN2_LOW 0x1.ef35793c76730p-45
#define LEAST -708
#define DEGREE 12
#include "kernels/lanes/body.h"

#define T float
#define BITS uint32_t
#define V __m512
#define NAME(x) x##_fp32
#define SET1(s) _mm512_set1_ps(s)
#define LOAD(p) _mm512_loadu_ps(p)
#define STORE(p, v) _mm512_storeu_ps(p, v)
#define STREAM(p, v) _mm512_stream_ps(p, v)
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define MAX(a, b) _mm512_max_ps(a, b)
#define EXPONENT_SHIFT 23
#define EXPONENT_BIAS 127
#define ROUNDER 0x1.8p23f
#define LN2_HIGH 0.693359375f
#define LN2_LOW -2.12194440e-4f
#define LEAST -87
#define DEGREE 7
#include "kernels/lanes/body.h"

static bool available(void) {
  return __builtin_cpu_supports("avx512f");
}

const roof_lanes roof_lanes_avx512 = {"AVX-512", true, available, &loops_fp64, &loops_fp32, transfers};
#endif
