/* The kernels of gemm_wgmma.cu on an emulated multiprocessor: layouts, barriers, roles, edges. */
#include "test.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "kernels/cuda/gemm_wgmma.cu"

typedef struct call {
  CUtensorMap a, b, c;
  int m, n, k, band;
  uint32_t *flags;
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
  gemm_cluster(x->a, x->b, x->c, x->m, x->n, x->k, x->band);
}

static void run_few(const void *arguments) {
  const call *x = arguments;
  gemm_cluster_few(x->a, x->b, x->c, x->m, x->n, x->k, x->band);
}

static void run_across(const void *arguments) {
  const call *x = arguments;
  CUtensorMap halves = x->a;
  halves.box_height = TILE_M / 2;
  gemm_cluster_across(halves, x->b, x->c, x->m, x->n, x->k, x->band);
}

/** Tiles down before the next one to the right, of kernels that take it as an argument. */
static int band = BAND;

/** Multiplies m x k by k x n on a grid and compares all of C; what flags there are, are lowered. */
static void multiplies_once(void (*kernel)(const void *), int m, int n, int k, index3 grid, int threads,
                            int blocks) {
  bf16 *a = small_matrix((size_t)(m * k), 1), *b = small_matrix((size_t)(k * n), 77),
       *c = small_matrix((size_t)(m * n), 0);
  uint32_t *flags = calloc(PARTS_FLAGS + (size_t)grid.x * 2 * PARTS_SUMS, sizeof *flags);
  call x = {{a, k, m, TILE_M, 0}, {b, n, k, TILE_K, 0}, {c, n, m, 64, 0}, m, n, k, band, flags};
  assert_true(emulate(kernel, &x, grid, threads, blocks));
  assert_true(product_right(a, b, c, m, n, k));
  for (int i = 0; i < PARTS_FLAGS; i++) {
    assert_int_equal(flags[i], 0);
  }
  free(flags);
  free(a);
  free(b);
  free(c);
}

static void multiplies(void (*kernel)(const void *), int m, int n, int k, index3 grid, int threads,
                       int blocks) {
  for (int late = 0; late < 2; late++) {
    emulated_late = late != 0;
    multiplies_once(kernel, m, n, k, grid, threads, blocks);
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

static void run_stream_k(const void *arguments) {
  const call *x = arguments;
  gemm_stream_k(x->a, x->b, x->c, x->m, x->n, x->k, x->flags);
}

/** A tile of three clusters, and two tiles of three, of which the middle one has parts of both. */
static void test_stream_k(void **state) {
  (void)state;
  emulated_late = false;
  multiplies_once(run_stream_k, 72, 72, 1480, (index3){6, 1, 1}, 384, 2);
  emulated_late = true;
  multiplies_once(run_stream_k, 264, 72, 720, (index3){6, 1, 1}, 384, 2);
}

/** What is divided is had once, whatever the shape, and a cluster leaves one part at most: each has room for one. */
static void test_pieces(void **state) {
  (void)state;
  enum { STEPS = 40, TILES = 24 };
  for (int tiles = 1; tiles <= TILES; tiles++) {
    for (int clusters = 1; clusters <= 14; clusters++) {
      for (int steps = 1; steps <= STEPS; steps += 3) {
        char seen[TILES * STEPS] = {0};
        for (int c = 0; c < clusters; c++) {
          const work w = {
              .blocks = 2, .tiles_m = tiles, .tiles_n = 1, .steps = steps, .first = c, .stride = clusters};
          division d = divide(&w, 1);
          piece p;
          int left = 0;
          for (int i = 0; piece_of(&w, &d, i, &p); i++) {
            assert_true(0 <= p.from && p.from < p.to && p.to <= steps);
            left += p.to < steps;
            for (int s = p.from; s < p.to; s++) {
              assert_int_equal(seen[p.tile * steps + s]++, 0);
            }
          }
          assert_true(left <= 1);
        }
        assert_null(memchr(seen, 0, (size_t)(tiles * steps)));
      }
    }
  }
}

static void test_cluster(void **state) {
  (void)state;
  multiplies(run_cluster, 392, 264, 328, (index3){2, 1, 1}, 384, 2);
}

/** Two bands of tiles, of which the second is not as high. */
static void test_bands(void **state) {
  (void)state;
  band = 2;
  multiplies(run_cluster, 648, 264, 72, (index3){2, 1, 1}, 384, 2);
  band = BAND;
}

/** Pairs side by side: one whose second block has no column, and tiles in two rows. */
static void test_across(void **state) {
  (void)state;
  multiplies(run_across, 72, 200, 328, (index3){2, 1, 1}, 384, 2);
  multiplies(run_across, 264, 776, 136, (index3){2, 1, 1}, 384, 2);
}

static void test_few_stages(void **state) {
  (void)state;
  multiplies(run_few, 392, 520, 328, (index3){2, 1, 1}, 384, 2);
}

/** Every tile has its turn once, whatever the shape and the band. */
static void test_places(void **state) {
  (void)state;
  for (int of = 0; of < 19 * 19 * 5; of++) {
    const work w = {.tiles_m = 1 + of % 19, .tiles_n = 1 + of / 19 % 19, .band = 1 << of / 361};
    char seen[400] = {0};
    for (int t = 0; t < w.tiles_m * w.tiles_n; t++) {
      int row = -1, column = -1;
      place(&w, t, &row, &column);
      assert_true(row >= 0 && row < w.tiles_m && column >= 0 && column < w.tiles_n);
      assert_int_equal(seen[row * w.tiles_n + column]++, 0);
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
      cmocka_unit_test(test_places),     cmocka_unit_test(test_wgmma),  cmocka_unit_test(test_specialised),
      cmocka_unit_test(test_cluster),    cmocka_unit_test(test_bands),  cmocka_unit_test(test_across),
      cmocka_unit_test(test_few_stages), cmocka_unit_test(test_pieces), cmocka_unit_test(test_stream_k),
  };
  return cmocka_run_group_tests(tests, NULL, done);
}
