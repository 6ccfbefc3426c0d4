/* The kernels of gemm_fp8.cu on an emulated multiprocessor: layouts, barriers, scales, edges, parts along k; and which of them
 * a shape is given. */
#include "test.h"

#include "kernels/device/_device.h"
#include "roofline/roofline.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* what nvcc unrolls after inlining */
#endif
#include "kernels/cuda/gemm_fp8.cu"

typedef struct call {
  CUtensorMap a, b, scales, c;
  const float *scales_a, *scales_b;
  int m, n, k;
  float *sums;
  int splits;
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

static void run_split(const void *arguments) {
  const call *x = arguments;
  gemm_fp8_split(x->a, x->b, x->c, x->scales_a, x->scales_b, x->m, x->n, x->k, x->sums, x->splits);
}

static void run_split_64(const void *arguments) {
  const call *x = arguments;
  gemm_fp8_split_64(x->a, x->b, x->c, x->scales_a, x->scales_b, x->m, x->n, x->k, x->sums, x->splits);
}

static void run_add(const void *arguments) {
  const call *x = arguments;
  gemm_fp8_add(x->sums, x->c.data, x->scales_a, x->scales_b, x->splits, (long long)x->m * x->n);
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

/** Multiplies m x k by k x n on a grid, in so many parts along k, and compares all of C. */
static void multiplies_in(int splits, void (*kernel)(const void *), bool scaled, int m, int n, int k,
                          index3 grid, int blocks) {
  for (int late = 0; late < 2; late++) {
    int steps = (k + 127) / 128, strips = (m + 127) / 128 * SCALED_ROWS,
        half = (scaled ? SCALED_TILE_N : TILE_N) / 2, rows = kernel == run_split_64 ? TILE_M / 2 : TILE_M;
    uint8_t *a = numbers((size_t)(m * k), 1), *b = numbers((size_t)(n * k), 77);
    float *scales_a = scales_of((size_t)(steps * strips * 32), 5),
          *scales_b = scales_of((size_t)((n + 127) / 128 * steps), 9);
    bf16 *c = small_matrix((size_t)(m * n), 0);
    float *sums = aligned_alloc(16, (size_t)(m * n * splits) * sizeof *sums);
    memset(sums, 0xFF, (size_t)(m * n * splits) * sizeof *sums); /* NaN */
    call x = {{(bf16 *)a, k / 2, m, rows, 0},
              {(bf16 *)b, k / 2, n, half, 0},
              {(bf16 *)scales_a, 64, steps * strips, SCALED_ROWS, 0},
              {c, n, m, 64, 0},
              scales_a,
              scales_b,
              m,
              n,
              k,
              sums,
              splits};
    emulated_late = late != 0;
    assert_true(emulate(kernel, &x, grid, 384, blocks));
    if (splits > 1) {
      emulate_early(sums, (size_t)(m * n * splits) * sizeof *sums);
      assert_true(emulate(run_add, &x, (index3){(unsigned)(m * n + 1023) / 1024, 1, 1}, 256, 1));
    }
    compare(&x, a, b, scaled);
    free(sums);
    free(a);
    free(b);
    free(scales_a);
    free(scales_b);
    free(c);
  }
}

static void multiplies(void (*kernel)(const void *), bool scaled, int m, int n, int k, index3 grid,
                       int blocks) {
  multiplies_in(1, kernel, scaled, m, n, k, grid, blocks);
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

/** Parts of 2, 2 and 1 steps, whole tiles of both heights, more parts than blocks. */
static void test_split(void **state) {
  (void)state;
  multiplies_in(3, run_split, false, 72, 136, 592, (index3){3, 1, 1}, 1);
  multiplies_in(2, run_split_64, false, 72, 264, 272, (index3){3, 1, 1}, 1);
  multiplies(run_split, false, 136, 8, 144, (index3){2, 1, 1}, 1);
  multiplies(run_split_64, false, 72, 264, 144, (index3){2, 1, 1}, 1);
}

/** Every step of every tile has its part, none is empty. */
static void test_pieces(void **state) {
  (void)state;
  for (int steps = 1; steps < 20; steps++) {
    for (int splits = 1; splits <= steps; splits++) {
      const work w = {.tiles_m = 3, .tiles_n = 1, .steps = steps};
      int next = 0;
      for (int task = 0; task < 3 * splits; task++) {
        piece p = piece_of(&w, task, splits);
        assert_true(p.tile * steps + p.from == next && p.to > p.from && p.part == task % splits);
        next += p.to - p.from;
      }
      assert_int_equal(next, 3 * steps);
    }
  }
}

/** What 132 multiprocessors are given: few rows low tiles, few columns tall ones, both in parts; large ones pairs. */
static void test_choice(void **state) {
  (void)state;
  static const struct {
    double values[3];
    const char *entry;
    double tasks;
    int launches;
  } given[] = {
      {{8192, 8192, 8192}, "gemm_fp8_cluster", 1024, 1}, {{4096, 4096, 4096}, "gemm_fp8_cluster", 256, 1},
      {{64, 8192, 8192}, "gemm_fp8_split_64", 128, 2},   {{16, 4096, 4096}, "gemm_fp8_split_64", 128, 2},
      {{8192, 64, 8192}, "gemm_fp8_split", 128, 2},      {{128, 7168, 2048}, "gemm_fp8_split", 112, 2},
      {{192, 8192, 512}, "gemm_fp8_cluster", 32, 1},     {{8, 8, 16}, "gemm_fp8_cluster", 1, 1},
  };
  char space[256];
  const rf_device_operands o = {.in = {space, space}, .out = space, .scratch = space, .units = 132};
  roof_kernel_run run = {.dtype = ROOF_FP8};
  assert_int_equal(roof_kernel_find("gemm-fp8-split", &run.kernel, NULL), ROOF_OK);
  const rf_device_kernel *kernel = rf_device_kernel_of(run.kernel);
  for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
    rf_device_launch launches[RF_DEVICE_LAUNCHES];
    memcpy(run.values, given[i].values, sizeof given[i].values);
    int count = kernel->plan(&run, &o, launches);
    if (strcmp(launches[0].entry, given[i].entry) != 0 || launches[0].tasks != given[i].tasks ||
        count != given[i].launches) {
      fail_msg("shape %zu: %s with %g tasks, %d launches", i, launches[0].entry, launches[0].tasks, count);
    }
    double splits = count == 2 ? (double)launches[1].args[4].number : 0;
    assert_true(splits * given[i].values[0] * given[i].values[1] * 4 <= kernel->scratch(&run));
  }
}

/** The last cache supplies each tile's operands, and takes and gives back the sums of four parts. */
static void test_predicts(void **state) {
  (void)state;
  enum { M = 64, N = 8192, K = 8192 };
  const roof_kernel *kernel = NULL;
  roof_machine *machine = NULL;
  roof_options options = roof_options_default();
  roof_target target;
  roof_prediction out, moved;
  double found = 0, values[ROOF_PARAM_MAX];
  assert_int_equal(roof_kernel_find("gemm-fp8-split", &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_catalog_load("h100", &machine, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, "m=64 n=8192 k=8192", values, NULL), ROOF_OK);
  roof_types types = roof_kernel_types(kernel, ROOF_FP8);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_predict(kernel, &target, &target, values, &out, &moved, NULL), ROOF_OK);
  for (int i = 0; i < moved.level_count; i++) {
    found = moved.levels[i].level->level == ROOF_L2 ? moved.levels[i].bytes : found;
  }
  assert_true(found == 32.0 * M * K + (double)N * K + M * N + 2 * 4 * 4.0 * M * N);
  roof_machine_free(machine);
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
      cmocka_unit_test(test_numbers), cmocka_unit_test(test_plain),    cmocka_unit_test(test_cluster),
      cmocka_unit_test(test_scaled),  cmocka_unit_test(test_split),    cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_choice),  cmocka_unit_test(test_predicts),
  };
  return cmocka_run_group_tests(tests, NULL, done);
}
