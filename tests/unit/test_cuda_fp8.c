/* The kernels of gemm_fp8.cu on an emulated multiprocessor: layouts, barriers, scales, edges. */
#include "test.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "kernels/cuda/gemm_fp8.cu"

typedef struct call {
  CUtensorMap a, b, scales, c;
  const float *scales_a, *scales_b;
  int m, n, k;
} call;

static void run_plain(const void *arguments) {
  const call *x = arguments;
  gemm_fp8(x->a, x->b, x->c, x->scales_a, x->scales_b, x->m, x->n, x->k);
}

static void run_cluster(const void *arguments) {
  const call *x = arguments;
  gemm_fp8_cluster(x->a, x->b, x->c, x->scales_a, x->scales_b, x->m, x->n, x->k);
}

static void run_scaled(const void *arguments) {
  const call *x = arguments;
  gemm_fp8_scaled(x->a, x->b, x->scales, x->c, x->scales_b, x->m, x->n, x->k);
}

/** Numbers of -1, 0 and 1 in e4m3: exact sums. */
static uint8_t *numbers(size_t count, size_t seed) {
  uint8_t *data = malloc(count);
  for (size_t i = 0; i < count; i++) {
    data[i] = (const uint8_t[]){0xB8, 0x00, 0x38}[((i + seed) * 2654435761u >> 7) % 3];
  }
  return data;
}

/** Powers of two, so that what is scaled stays exact. */
static float *scales_of(size_t count, size_t seed) {
  float *data = aligned_alloc(128, (count * sizeof *data + 127) / 128 * 128);
  for (size_t i = 0; i < count; i++) {
    data[i] = (const float[]){0.5F, 1, 2}[((i + seed) * 2246822519u >> 9) % 3];
  }
  return data;
}

/** What the scales of a block of k are multiplied to. */
static float scale_at(const call *x, bool scaled, int row, int column, int step) {
  int steps = (x->k + 127) / 128, rows = (x->m + 127) / 128 * 128;
  return scaled ? x->scales_a[step * rows + row] * x->scales_b[column / 128 * steps + step]
                : *x->scales_a * *x->scales_b;
}

static void compare(const call *x, const uint8_t *a, const uint8_t *b, bool scaled) {
  for (int i = 0; i < x->m * x->n; i++) {
    int row = i / x->n, column = i % x->n;
    float sum = 0;
    for (int q = 0; q < x->k; q++) {
      sum += scale_at(x, scaled, row, column, q / 128) * from_e4m3(a[row * x->k + q]) *
             from_e4m3(b[column * x->k + q]);
    }
    if (from_bf16(x->c.data[i]) != from_bf16(to_bf16(sum))) {
      fail_msg("C[%d][%d] is %g, not %g", row, column, (double)from_bf16(x->c.data[i]), (double)sum);
    }
  }
}

/** Multiplies m x k by k x n on a grid and compares all of C. */
static void multiplies(void (*kernel)(const void *), bool scaled, int m, int n, int k, index3 grid,
                       int blocks) {
  for (int late = 0; late < 2; late++) {
    int steps = (k + 127) / 128, strips = (m + 127) / 128 * SCALED_ROWS,
        half = (scaled ? SCALED_TILE_N : TILE_N) / 2;
    uint8_t *a = numbers((size_t)(m * k), 1), *b = numbers((size_t)(n * k), 77);
    float *scales_a = scales_of((size_t)(steps * strips * 32), 5),
          *scales_b = scales_of((size_t)((n + 127) / 128 * steps), 9);
    bf16 *c = small_matrix((size_t)(m * n), 0);
    call x = {{(bf16 *)a, k / 2, m, TILE_M, 0},
              {(bf16 *)b, k / 2, n, half, 0},
              {(bf16 *)scales_a, 64, steps * strips, SCALED_ROWS, 0},
              {c, n, m, 64, 0},
              scales_a,
              scales_b,
              m,
              n,
              k};
    emulated_late = late != 0;
    assert_true(emulate(kernel, &x, grid, 384, blocks));
    compare(&x, a, b, scaled);
    free(a);
    free(b);
    free(scales_a);
    free(scales_b);
    free(c);
  }
}

static void test_plain(void **state) {
  (void)state;
  multiplies(run_plain, false, 136, 264, 144, (index3){2, 1, 1}, 1);
}

static void test_cluster(void **state) {
  (void)state;
  multiplies(run_cluster, false, 136, 264, 656, (index3){2, 1, 1}, 2);
}

static void test_scaled(void **state) {
  (void)state;
  multiplies(run_scaled, true, 264, 136, 784, (index3){2, 1, 1}, 2);
  multiplies(run_scaled, true, 8, 8, 16, (index3){2, 1, 1}, 2);
}

/** All numbers of e4m3 (OCP, "8-bit Floating Point Specification"). */
static void test_numbers(void **state) {
  (void)state;
  assert_true(from_e4m3(0x38) == 1 && from_e4m3(0xB8) == -1 && from_e4m3(0x7E) == 448 &&
              isnan(from_e4m3(0xFF)));
  assert_true(from_e4m3(0x01) == 0x1p-9F && from_e4m3(0x07) == 7 * 0x1p-9F && from_e4m3(0x08) == 0x1p-6F);
}

static int done(void **state) {
  (void)state;
  emulate_done();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_plain),
      cmocka_unit_test(test_cluster),
      cmocka_unit_test(test_scaled),
  };
  return cmocka_run_group_tests(tests, NULL, done);
}
