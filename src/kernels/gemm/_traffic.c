/* The bytes that a product moves at each level, counted as in Goto and van de Geijn, "Anatomy of high-performance
 * matrix multiplication" (2008), section 4: how often a matrix passes into each cache. */
#include <math.h>

#include "kernels/gemm/_gemm.h"

/* 16 bytes: SSE2 and NEON, what every x86-64 and AArch64 processor has. */
enum { COMPILED_VECTOR = 16 };

static double beyond(const roof_kernel_run *run, double cache, bool first, rf_gemm_traffic *passes) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  double element = roof_dtype_bytes(run->dtype);
  double m = (double)s.m, n = (double)s.n, k = (double)s.k;
  double a = m * k * element, b = k * n * element, c = m * n * element;
  rf_gemm_passes p = passes(run, cache, first);
  return a + b + c <= cache ? a + b + c : p.a * a + p.b * b + p.c * c;
}

void rf_gemm_moves(const roof_kernel_run *run, const roof_target *cores, double asked,
                   rf_gemm_traffic *passes, roof_algorithm *out) {
  rf_gemm_sizes s = rf_gemm_shape(run);
  double inside = NAN;
  out->level_bytes[ROOF_L1] = asked * roof_dtype_bytes(run->dtype) * (double)s.m * (double)s.n * (double)s.k;
  for (int level = ROOF_L1; level < ROOF_LEVEL_KIND_COUNT; level++) {
    if (level > ROOF_L1 && !isnan(inside)) {
      out->level_bytes[level] = beyond(run, inside, level == ROOF_L2, passes);
    }
    const roof_level *cache = cores->level[level];
    inside = cache != NULL && !isnan(cache->bytes) ? cache->bytes : inside;
  }
}

/* A multiplication, an addition, two loads and a store for each vector: a cycle, since no core of these sets stores
 * more than one vector a cycle or takes more than about five instructions (uops.info; Agner Fog, Instruction
 * tables). Where four rows go together the two arithmetic ports take as long. */
double rf_gemm_compiled_rate(const roof_kernel_run *run) {
  return 2 * COMPILED_VECTOR / roof_dtype_bytes(run->dtype);
}
