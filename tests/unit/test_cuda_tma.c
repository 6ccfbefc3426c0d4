/* The kernel of gemm_tma.cu on an emulated multiprocessor: turned chunks, stages, roles, edges. */
#include "test.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "kernels/cuda/gemm_tma.cu"
#include "kernels/cuda/layout.h"

typedef struct call {
  CUtensorMap a, b;
  float *c;
  int m, n, k;
} call;

static void run(const void *arguments) {
  const call *x = arguments;
  gemm_tma(x->a, x->b, x->c, x->m, x->n, x->k);
}

/** Numbers whose products and sums are exact. */
static float *numbers(size_t count, size_t seed) {
  float *matrix = malloc(count * sizeof *matrix);
  for (size_t i = 0; i < count; i++) {
    matrix[i] = seed != 0 ? from_bf16(small_at(i + seed)) : NAN;
  }
  return matrix;
}

static void is_product(const float *a, const float *b, const float *c, int m, int n, int k) {
  for (int i = 0; i < m * n; i++) {
    float sum = 0;
    for (int q = 0; q < k; q++) {
      sum += a[i / n * k + q] * b[q * n + i % n];
    }
    assert_true(c[i] == sum);
  }
}

/** Multiplies m x k by k x n and compares all of C. */
static void multiplies(int m, int n, int k, unsigned blocks) {
  for (int late = 0; late < 2; late++) {
    float *a = numbers((size_t)(m * k), 1), *b = numbers((size_t)(k * n), 77),
          *c = numbers((size_t)(m * n), 0);
    call x = {{(bf16 *)(void *)a, 2 * k, m, TILE_M, 0}, {(bf16 *)(void *)b, 2 * n, k, TILE_K, 0}, c, m, n, k};
    emulated_late = late != 0;
    assert_true(emulate(run, &x, (index3){blocks, 1, 1}, TMA_THREADS, 1));
    is_product(a, b, c, m, n, k);
    free(a);
    free(b);
    free(c);
  }
}

static void test_tma(void **state) {
  (void)state;
  multiplies(264, 132, 200, 2);
  multiplies(3, 4, 4, 1);
}

/** The eight rows of A that a warp reads at once, and the four chunks of B, lie in different banks; so do the
 * two halves of a B column group, whatever the row. */
static void test_banks(void **state) {
  (void)state;
  for (int k = 0; k < GROUP; k++) {
    unsigned a = 0, b[2] = {0, 0};
    for (int lane = 0; lane < 8; lane++) {
      a |= 1u << ((((uint32_t)(lane * 128 + (lane << 4)) ^ (uint32_t)(k / 4 * 16)) >> 4) % 8);
    }
    for (int i = 0; i < 8; i++) {
      uint32_t chunk =
          ((uint32_t)(i % 4 << 4) ^ (uint32_t)((k & 3) << 4)) + (uint32_t)(((i / 4 ^ (k >> 2)) & 1) * 64);
      b[0] |= 1u << (chunk >> 4) % 8;
      b[1] |= (uint32_t)SWIZZLED(k, i) % 128 == chunk ? 1u << i : 0;
    }
    assert_int_equal(a, 255);
    assert_int_equal(b[0], 255);
    assert_int_equal(b[1], 255);
  }
}

static int done(void **state) {
  (void)state;
  emulate_done();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tma), cmocka_unit_test(test_banks)};
  return cmocka_run_group_tests(tests, NULL, done);
}
