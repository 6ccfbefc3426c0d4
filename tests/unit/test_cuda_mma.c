/* The kernel of gemm_mma.cu on an emulated multiprocessor: fragments, turned chunks, stages, edges. */
#include "test.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "kernels/cuda/gemm_mma.cu"

typedef struct call {
  const bf16 *a, *b;
  bf16 *c;
  int m, n, k;
} call;

static void run(const void *arguments) {
  const call *x = arguments;
  gemm_mma(x->a, x->b, x->c, x->m, x->n, x->k);
}

static void multiplies(int m, int n, int k, bool late) {
  bf16 *a = small_matrix((size_t)(m * k), 1), *b = small_matrix((size_t)(k * n), 77),
       *c = small_matrix((size_t)(m * n), 0);
  call x = {a, b, c, m, n, k};
  index3 grid = {(unsigned)(m + TILE_M - 1) / TILE_M, (unsigned)(n + TILE_N - 1) / TILE_N, 1};
  emulated_late = late;
  assert_true(emulate(run, &x, grid, THREADS, 1));
  assert_true(product_right(a, b, c, m, n, k));
  free(a);
  free(b);
  free(c);
}

static void test_mma(void **state) {
  (void)state;
  multiplies(136, 136, 200, false);
  multiplies(136, 136, 200, true);
  multiplies(3, 8, 8, true);
}

/** Eight rows read together lie in different banks. */
static void test_banks(void **state) {
  (void)state;
  for (int chunk = 0; chunk < 4; chunk++) {
    unsigned a = 0, b = 0;
    for (int row = 0; row < 8; row++) {
      a |= 1u << (a_offset(row, chunk) / 16 % 8);
      b |= 1u << (b_offset(row, chunk) / 16 % 8);
    }
    assert_int_equal(a, 255);
    assert_int_equal(b, 255);
  }
}

static int done(void **state) {
  (void)state;
  emulate_done();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mma), cmocka_unit_test(test_banks)};
  return cmocka_run_group_tests(tests, NULL, done);
}
