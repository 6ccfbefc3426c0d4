#include "kernels/lanes/lanes.h"

#if defined(__x86_64__)
#include <float.h>
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define TARGET __attribute__((target("avx512f,fma")))
#define FENCE _mm_sfence()
#define REGISTER(v) "v"(v)
#define ROWS 8
#define COLUMNS 3

#define V __m512d
#define LANES 8
#define SET1(s) _mm512_set1_pd(s)
#define LOAD(p) _mm512_loadu_pd(p)
#define STORE(p, v) _mm512_storeu_pd(p, v)
#define STREAM(p, v) _mm512_stream_pd(p, v)
#define FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define MAX(a, b) _mm512_max_pd(a, b)
#define TOTAL(v) _mm512_reduce_add_pd(v)
#define GATHER(x, columns) _mm512_i32gather_pd(_mm256_loadu_si256((const void *)(columns)), x, sizeof *(x))
#include "kernels/lanes/fp64.h"

#define V __m512
#define LANES 16
#define SET1(s) _mm512_set1_ps(s)
#define LOAD(p) _mm512_loadu_ps(p)
#define STORE(p, v) _mm512_storeu_ps(p, v)
#define STREAM(p, v) _mm512_stream_ps(p, v)
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define MAX(a, b) _mm512_max_ps(a, b)
#define TOTAL(v) _mm512_reduce_add_ps(v)
#define GATHER(x, columns) _mm512_i32gather_ps(_mm512_loadu_si512(columns), x, sizeof *(x))
#include "kernels/lanes/fp32.h"

static bool available(void) {
  return __builtin_cpu_supports("avx512f");
}

const rf_lanes rf_lanes_avx512 = {"AVX-512", true, available, &loops_fp64, &loops_fp32, transfers};
#endif
