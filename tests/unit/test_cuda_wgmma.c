/* The kernels of gemm_wgmma.cu on an emulated multiprocessor: layouts, barriers, roles, edges. */
#include "test.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "kernels/cuda/gemm_wgmma.cu"

typedef struct call {
  CUtensorMap a, b, c;
  int m, n, k;
} call;

static void run_wgmma(const void *arguments) {
  const call *x = arguments;
  gemm_wgmma(x->a, x->b, x->c.data, x->m, x->n, x->k);
}

static void run_specialised(const void *arguments) {
  const call *x = arguments;
  gemm_specialised(x->a, x->b, x->c, x->m, x->n, x->k);
}

static void run_cluster(const void *arguments) {
  const call *x = arguments;
  gemm_cluster(x->a, x->b, x->c, x->m, x->n, x->k);
}

/** Multiplies m x k by k x n on a grid and compares all of C. */
static void multiplies(void (*kernel)(const void *), int m, int n, int k, index3 grid, int threads,
                       int blocks) {
  for (int late = 0; late < 2; late++) {
    bf16 *a = small_matrix((size_t)(m * k), 1), *b = small_matrix((size_t)(k * n), 77),
         *c = small_matrix((size_t)(m * n), 0);
    call x = {{a, k, m, TILE_M, 0}, {b, n, k, TILE_K, 0}, {c, n, m, 64, 0}, m, n, k};
    emulated_late = late != 0;
    assert_true(emulate(kernel, &x, grid, threads, blocks));
    assert_true(product_right(a, b, c, m, n, k));
    free(a);
    free(b);
    free(c);
  }
}

static void test_wgmma(void **state) {
  (void)state;
  multiplies(run_wgmma, 136, 264, 328, (index3){2, 2, 1}, 256, 1);
  multiplies(run_wgmma, 128, 256, 64, (index3){1, 1, 1}, 256, 1);
}

static void test_specialised(void **state) {
  (void)state;
  multiplies(run_specialised, 264, 264, 200, (index3){2, 1, 1}, 384, 1);
}

static void test_cluster(void **state) {
  (void)state;
  multiplies(run_cluster, 392, 264, 328, (index3){2, 1, 1}, 384, 2);
}

/** Every tile has its turn once, whatever the shape. */
static void test_places(void **state) {
  (void)state;
  for (int tiles_m = 1; tiles_m < 20; tiles_m++) {
    for (int tiles_n = 1; tiles_n < 20; tiles_n++) {
      char seen[400] = {0};
      for (int t = 0; t < tiles_m * tiles_n; t++) {
        int row = -1, column = -1;
        place(t, tiles_m, tiles_n, &row, &column);
        assert_true(row >= 0 && row < tiles_m && column >= 0 && column < tiles_n);
        assert_int_equal(seen[row * tiles_n + column]++, 0);
      }
    }
  }
}

static int done(void **state) {
  (void)state;
  emulate_done();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_wgmma),
      cmocka_unit_test(test_specialised),
      cmocka_unit_test(test_cluster),
  };
  return cmocka_run_group_tests(tests, NULL, done);
}
