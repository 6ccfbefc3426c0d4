#include "kernels/lanes/lanes.h"

#if defined(__x86_64__)
#include <float.h>
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define TARGET __attribute__((target("avx2,fma")))
#define FENCE _mm_sfence()
#define REGISTER(v) "x"(v)
#define ROWS 6
#define COLUMNS 2
#define STEPS 4 /* of more gcc moves sums between its 16 registers and memory */

#define V __m256d
#define LANES 4
#define SET1(s) _mm256_set1_pd(s)
#define LOAD(p) _mm256_loadu_pd(p)
#define STORE(p, v) _mm256_storeu_pd(p, v)
#define STREAM(p, v) _mm256_stream_pd(p, v)
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define MAX(a, b) _mm256_max_pd(a, b)
#include "kernels/lanes/fp64.h"

#define V __m256
#define LANES 8
#define SET1(s) _mm256_set1_ps(s)
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define STREAM(p, v) _mm256_stream_ps(p, v)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define MAX(a, b) _mm256_max_ps(a, b)
#include "kernels/lanes/fp32.h"

static bool available(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

const rf_lanes rf_lanes_avx2 = {"AVX2+FMA", true, available, &loops_fp64, &loops_fp32, transfers};
#endif
