/* Every kernel in every format, on every instruction set this processor has, against scalar references. */
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "each_kernel.h"
#include "host/memory.h"
#include "kernels/gemm/_blocks.h"
#include "kernels/lanes/narrow.h"

static void result_is_right(const roof_kernel *kernel, roof_dtype dtype, const char *sizes) {
  roof_kernel_run run;
  if (!start(kernel, dtype, sizes, &run)) {
    return;
  }
  roof_error error = {0};
  kernel->execute(&run);
  if (kernel->check(&run, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  kernel->release(&run);
  assert_null(run.state);
}

static void kernels_agree_with_their_references(void **state) {
  (void)state;
  each_kernel(result_is_right);
}

/** Kernels whose loops may be exchanged after `prepare`. */
static bool is_of_loops(const roof_kernel *kernel) {
  static const char *const names[] = {
      "transpose", "ger", "softmax", "layernorm", "rmsnorm", "embedding", "spmv", "stencil3d", "gemv", "scal",
      "axpy",      "dot", "nrm2",    "asum",      "reduce",  "relu",      "gelu", "silu",      "copy", "add"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(kernel->name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

static void result_past_the_caches(const roof_kernel *kernel, roof_dtype dtype, const char *sizes) {
  for (int l = 0; is_of_loops(kernel) && rf_lanes_at(l) != NULL; l++) {
    const rf_lanes *lanes = rf_lanes_at(l);
    const rf_loops *loops = lanes->available() ? rf_lanes_loops(lanes, dtype) : NULL;
    roof_kernel_run run;
    roof_error error = {0};
    if (loops == NULL || !start(kernel, dtype, sizes, &run)) {
      continue;
    }
    rf_operands *operands = run.state;
    operands->loops = loops;
    operands->stream = true;
    kernel->execute(&run);
    if (kernel->check(&run, &error) != ROOF_OK) {
      fail_msg("%s: %s", lanes->isa, error.message);
    }
    kernel->release(&run);
  }
}

/* Data of the size of a test are never passed as data beyond the caches. */
static void kernels_agree_past_the_caches_and_on_every_instruction_set(void **state) {
  (void)state;
  each_kernel(result_past_the_caches);
}

static void one_row_of_softmax(const rf_loops *loops, roof_dtype dtype, int stream, double shift) {
  enum { COLUMNS = 133 };
  double x[COLUMNS], y[COLUMNS], scratch[COLUMNS], expected[COLUMNS], total = 0;
  for (int i = 0; i < COLUMNS; i++) {
    double value = (double)(float)(shift * rf_random_at(7, (size_t)i));
    if (dtype == ROOF_FP64) {
      x[i] = value;
    } else {
      ((float *)x)[i] = (float)value;
    }
    total += expected[i] = exp(value);
  }
  loops->softmax[stream](x, y, scratch, 1, COLUMNS);
  for (int i = 0; i < COLUMNS; i++) {
    double error = fabs(rf_data_at(y, dtype, (size_t)i) - expected[i] / total);
    assert_true(error <= 32 * rf_kernel_epsilon(dtype) * (expected[i] / total + shift * 1e-3));
  }
}

/** Checks that LayerNorm of rows that are alike is what sums in double give. */
static void normalised(const rf_loops *loops, roof_dtype dtype, const void *x, size_t rows, size_t columns) {
  static _Alignas(64) double y[3 * 4096], ones[4096], zeros[4096];
  double mean = 0, square = 0;
  for (size_t i = 0; i < columns; i++) {
    mean += rf_data_at(x, dtype, i) / (double)columns;
    rf_data_set(ones, dtype, i, 1);
    rf_data_set(zeros, dtype, i, 0);
  }
  for (size_t i = 0; i < columns; i++) {
    double v = rf_data_at(x, dtype, i) - mean;
    square += v * v / (double)columns;
  }
  loops->layernorm[1](x, y, ones, zeros, rows, columns);
  for (size_t i = 0; i < rows * columns; i++) {
    double expected = (rf_data_at(x, dtype, i) - mean) / sqrt(square + RF_NORM_EPSILON);
    assert_true(fabs(rf_data_at(y, dtype, i) - expected) <=
                8 * rf_kernel_epsilon(dtype) * (1 + fabs(expected)));
  }
}

/* The first number of a row is where its squares are counted from; here it is 64 deviations off. */
static void rows_that_begin_far_from_their_mean(void **state) {
  (void)state;
  enum { ROWS = 3, COLUMNS = 4096 };
  static _Alignas(64) double x[ROWS * COLUMNS];
  for (int l = 0; rf_lanes_at(l) != NULL; l++) {
    const rf_lanes *lanes = rf_lanes_at(l);
    for (int d = 0; d < 2 && lanes->fp64 != NULL && lanes->available(); d++) {
      roof_dtype dtype = d == 0 ? ROOF_FP64 : ROOF_FP32;
      for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        size_t column = i % COLUMNS;
        rf_data_set(x, dtype, i, column == 0 ? -0.9 : 1e-3 * rf_random_at(9, column));
      }
      normalised(rf_lanes_loops(lanes, dtype), dtype, x, ROWS, COLUMNS);
    }
  }
}

static void every_instruction_set(void **state) {
  (void)state;
  enum { COUNT = 133 };
  for (int l = 0; rf_lanes_at(l) != NULL; l++) {
    const rf_lanes *lanes = rf_lanes_at(l);
    for (int d = 0; d < 2 && lanes->fp64 != NULL && lanes->available(); d++) {
      roof_dtype dtype = d == 0 ? ROOF_FP64 : ROOF_FP32;
      const rf_loops *loops = rf_lanes_loops(lanes, dtype);
      _Alignas(64) double a[COUNT], b[COUNT], c[COUNT];
      rf_data_fill(b, dtype, COUNT, 1, 1);
      rf_data_fill(c, dtype, COUNT, 2, 1);
      double dot = 0;
      for (size_t i = 0; i < COUNT; i++) {
        dot += rf_data_at(b, dtype, i) * rf_data_at(c, dtype, i);
      }
      for (int stream = 0; stream < 2; stream++) {
        size_t offset = dtype == ROOF_FP64 ? sizeof(double) : sizeof(float); /* not aligned */
        rf_data_poison(a, dtype, COUNT, 1);
        loops->triad[stream]((char *)a + offset, b, c, 0.5, COUNT - 1);
        assert_true(isnan(rf_data_at(a, dtype, 0)));
        for (size_t i = 1; i < COUNT; i++) {
          double expected = rf_data_at(b, dtype, i - 1) + 0.5 * rf_data_at(c, dtype, i - 1);
          assert_true(fabs(rf_data_at(a, dtype, i) - expected) < 1e-6);
        }
        assert_true(fabs(loops->dot[stream](b, c, COUNT) - dot) < 1e-4);
        loops->read[stream](b, COUNT, 2);
        loops->scale[stream]((char *)a + offset, b, 1, COUNT - 1);
        assert_memory_equal((char *)a + offset, b, (COUNT - 1) * offset);
        loops->fill[stream](a, 0.25, COUNT);
        assert_true(rf_data_at(a, dtype, 0) == 0.25 && rf_data_at(a, dtype, COUNT - 1) == 0.25);
        one_row_of_softmax(loops, dtype, stream, 1);
        one_row_of_softmax(loops, dtype, stream, 80);
      }
    }
  }
}

enum { ADD = 2, FETCH = 4, PAST = 8, HOWS = 16 };

/** Every element of a tile, and none outside it, against sums in double. Past the caches go whole lines alone. */
static void one_tile(const rf_loops *loops, roof_dtype dtype, int height, int registers, int how) {
  size_t rows = (size_t)height, lanes = (size_t)loops->lanes;
  enum { DEPTH = 37, STRIDE = 61, LINES = 64, SIZE = 9 * LINES };
  _Alignas(64) static double a[9 * STRIDE], b[DEPTH * STRIDE], c[SIZE];
  bool past = how & PAST, add = how & ADD;
  size_t short_of = past ? 0 : (size_t)(height % 2), apart = past ? LINES : STRIDE;
  size_t columns = (size_t)registers * lanes - short_of, element = dtype == ROOF_FP64 ? 8 : 4;
  rf_data_fill(a, dtype, 9 * STRIDE, 1, 1);
  rf_data_fill(b, dtype, DEPTH * STRIDE, 2, 1);
  rf_data_poison(c, dtype, SIZE, 1);
  for (size_t i = 0; i < rows && add; i++) {
    rf_data_fill((char *)c + i * apart * element, dtype, columns, 3 + i, 1);
  }
  rf_tile tile = {.depth = DEPTH,
                  .a = a,
                  .a_stride = STRIDE,
                  .a_step = 1,
                  .b = b,
                  .b_stride = STRIDE,
                  .c = c,
                  .c_stride = apart,
                  .last = lanes - short_of,
                  .add = add,
                  .past = past,
                  .ahead = how & FETCH ? b : NULL,
                  .ahead_stride = STRIDE,
                  .ahead_apart = lanes};
  loops->tile[height - 1][registers - 1](&tile);
  loops->fence();
  for (size_t i = 0; i < SIZE; i++) {
    size_t row = i / apart, column = i % apart;
    if (row >= rows || column >= columns) {
      assert_true(isnan(rf_data_at(c, dtype, i)));
      continue;
    }
    double sum = add ? (double)(float)rf_random_at(3 + row, column) : 0;
    for (size_t p = 0; p < DEPTH; p++) {
      sum += rf_data_at(a, dtype, row * STRIDE + p) * rf_data_at(b, dtype, p * STRIDE + column);
    }
    assert_true(fabs(rf_data_at(c, dtype, i) - sum) < 1e-5);
  }
}

/** C += A B of a few rows, and nothing outside C written. */
static void one_update(const rf_loops *loops, roof_dtype dtype, size_t rows, size_t columns, int rank) {
  enum { STRIDE = 61 };
  static double a[9 * RF_RANK], b[RF_RANK * STRIDE], c[9 * STRIDE];
  size_t element = dtype == ROOF_FP64 ? 8 : 4;
  rf_data_fill(a, dtype, 9 * RF_RANK, 1, 1);
  rf_data_fill(b, dtype, RF_RANK * STRIDE, 2, 1);
  rf_data_poison(c, dtype, 9 * STRIDE, 1);
  for (size_t i = 0; i < rows; i++) {
    rf_data_fill((char *)c + i * STRIDE * element, dtype, columns, 3 + i, 1);
  }
  rf_update u = {.a = a,
                 .b = b,
                 .b_stride = STRIDE,
                 .c = c,
                 .c_stride = STRIDE,
                 .rows = rows,
                 .columns = columns,
                 .rank = rank};
  loops->update(&u);
  for (size_t i = 0; i < 9 * STRIDE; i++) {
    size_t row = i / STRIDE, column = i % STRIDE;
    if (row >= rows || column >= columns) {
      assert_true(isnan(rf_data_at(c, dtype, i)));
      continue;
    }
    double sum = (double)(float)rf_random_at(3 + row, column);
    for (size_t p = 0; p < (size_t)rank; p++) {
      sum += rf_data_at(a, dtype, row * RF_RANK + p) * rf_data_at(b, dtype, p * STRIDE + column);
    }
    assert_true(fabs(rf_data_at(c, dtype, i) - sum) < 1e-5);
  }
}

static void every_update(void **state) {
  (void)state;
  for (int l = 0; rf_lanes_at(l) != NULL; l++) {
    const rf_lanes *lanes = rf_lanes_at(l);
    for (int which = 0; which < 2 && lanes->fp64 != NULL && lanes->available(); which++) {
      roof_dtype dtype = which % 2 ? ROOF_FP64 : ROOF_FP32;
      for (int rank = 1; rank <= RF_RANK; rank++) {
        for (size_t columns = 1; columns < 60; columns += 6) {
          one_update(rf_lanes_loops(lanes, dtype), dtype, columns % 8 + 1, columns, rank);
        }
      }
    }
  }
}

static void every_tile(void **state) {
  (void)state;
  for (int l = 0; rf_lanes_at(l) != NULL; l++) {
    const rf_lanes *lanes = rf_lanes_at(l);
    for (int how = 0; how < HOWS && lanes->fp64 != NULL && lanes->available(); how++) {
      roof_dtype dtype = how % 2 ? ROOF_FP64 : ROOF_FP32;
      const rf_loops *loops = rf_lanes_loops(lanes, dtype);
      for (int height = 1; height <= loops->tile_rows; height++) {
        for (int registers = 1; registers * loops->lanes <= loops->tile_columns; registers++) {
          if (!(how & ADD && how & PAST)) {
            one_tile(loops, dtype, height, registers, how);
          }
        }
      }
    }
  }
}

/** Part `imaginary` of point k of the transform of n points of which the real parts stand before the imaginary ones. */
static double point_of(const void *x, roof_dtype dtype, size_t n, size_t k, bool imaginary) {
  double sum = 0;
  for (size_t j = 0; j < n; j++) {
    double angle = -2 * acos(-1) * (double)(j * k % n) / (double)n;
    double x_r = rf_data_at(x, dtype, j), x_i = rf_data_at(x, dtype, n + j);
    sum += imaginary ? x_r * sin(angle) + x_i * cos(angle) : x_r * cos(angle) - x_i * sin(angle);
  }
  return sum;
}

static void transform_alone(const rf_loops *loops, roof_dtype dtype, size_t n) {
  enum { POINTS = 1024 };
  static double x[2 * POINTS], y[2 * POINTS], scratch[5 * POINTS + RF_FFT_SPARES], roots[POINTS],
      powers[2 * POINTS];
  size_t lanes = (size_t)loops->lanes, rows = n / lanes;
  rf_data_fill(x, dtype, 2 * n, 1, 1);
  rf_data_poison(y, dtype, 2 * n, 1);
  for (size_t k = 0; k < rows; k++) {
    double turn = -2 * acos(-1) * (double)k / (double)rows;
    rf_data_set(roots, dtype, k, cos(turn));
    rf_data_set(roots, dtype, rows + k, sin(turn));
    for (size_t q = 0; q < lanes; q++) {
      rf_data_set(powers, dtype, 2 * k * lanes + q, cos(turn * (double)q / (double)lanes));
      rf_data_set(powers, dtype, (2 * k + 1) * lanes + q, sin(turn * (double)q / (double)lanes));
    }
  }
  loops->fft_alone(n, (rf_points){x, 1, n, 0, 1, 0}, (rf_points){y, 1, n, 0, 1, 0}, scratch, roots, powers);
  for (size_t i = 0; i < 2 * n; i++) {
    double error = fabs(rf_data_at(y, dtype, i) - point_of(x, dtype, n, i % n, i >= n));
    assert_true(error <= 16 * (1 + log2((double)n)) * sqrt((double)n) * rf_kernel_epsilon(dtype));
  }
}

/** Each instruction set's own, though a wider one would be chosen. */
static void transforms_of_every_width(void **state) {
  (void)state;
  for (int l = 0; rf_lanes_at(l) != NULL; l++) {
    const rf_lanes *lanes = rf_lanes_at(l);
    for (int which = 0; which < 2 && lanes->fp64 != NULL && lanes->available(); which++) {
      roof_dtype dtype = which ? ROOF_FP64 : ROOF_FP32;
      const rf_loops *loops = rf_lanes_loops(lanes, dtype);
      for (size_t n = (size_t)(loops->lanes * loops->lanes), i = 0; i < 3; i++, n *= 2) {
        transform_alone(loops, dtype, n);
      }
    }
  }
}

/** Blocks found by a measurement may be of any size: none changes the result, and many small ones take as many turns. */
static void products_in_given_blocks(void **state) {
  (void)state;
  static const char *const shapes[] = {"m=129 n=65 k=70", "m=150 n=331 k=33", "m=200 n=110 k=80"};
  static const double sizes[][3] = {{1, 1, 1}, {20, 50, 7}, {17, 1000, 1000}, {60, 100, 48}};
  roof_machine *machine = roof_machine_new();
  const roof_kernel *kernel = NULL;
  assert_int_equal(roof_kernel_find("gemm-blocked", &kernel, NULL), ROOF_OK);
  assert_null(roof_machine_blocks(NULL, ROOF_FP32));
  assert_null(roof_machine_blocks(machine, ROOF_FP32));
  roof_blocks *blocks = roof_machine_add_blocks(machine);
  blocks->dtype = ROOF_FP32;
  assert_null(roof_machine_blocks(machine, ROOF_FP64));
  for (size_t which = 0; which < 24; which++) {
    roof_kernel_run run = {.kernel = kernel, .dtype = ROOF_FP32, .threads = 1 + (int)(which % 2)};
    roof_error error = {0};
    blocks->depth = sizes[which / 6][0];
    blocks->width = sizes[which / 6][1];
    blocks->height = sizes[which / 6][2];
    run.blocks = roof_machine_blocks(machine, ROOF_FP32);
    assert_ptr_equal(run.blocks, blocks);
    assert_int_equal(roof_kernel_values(kernel, shapes[which / 2 % 3], run.values, NULL), ROOF_OK);
    assert_int_equal(kernel->prepare(&run, NULL), ROOF_OK);
    kernel->execute(&run);
    if (kernel->check(&run, &error) != ROOF_OK) {
      fail_msg("blocks %zu, %s: %s", which / 6, shapes[which / 2 % 3], error.message);
    }
    kernel->release(&run);
  }
  roof_machine_free(machine);
}

/** Where panels of B stay in the first cache, the last rung's rows of A fit the second one and all threads take as many of
 * them, with few rows depth by depth; few columns and shallow products keep strips of A. The fewest rows take B where it lies, and
 * there columns of C that fit the second cache; elsewhere few rows do. Where strips of A pass, few columns go deeper. */
static void rows_that_pass_a_panel_fit_a_cache(void **state) {
  (void)state;
  static const char *const names[] = {"gemm-prefetched", "gemm-blocked"};
  for (int which = 0; which < 8; which++) {
    roof_kernel_run run = {.dtype = which % 2 ? ROOF_FP32 : ROOF_FP64, .threads = 1 + which / 2 % 2};
    const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), run.dtype);
    bool last = which / 4;
    assert_int_equal(roof_kernel_find(names[last], &run.kernel, NULL), ROOF_OK);
    assert_int_equal(roof_kernel_values(run.kernel, "m=2048 n=2048 k=2048", run.values, NULL), ROOF_OK);
    const rf_blocking *blocking = rf_gemm_blocking(run.kernel, run.dtype);
    rf_blocks b = rf_gemm_blocks(&run);
    assert_int_equal(b.stay, blocking->stay);
    assert_true(last || !blocking->stay);
    assert_int_equal(roof_kernel_values(run.kernel, "m=8 n=2048 k=2048", run.values, NULL), ROOF_OK);
    rf_blocks few = rf_gemm_blocks(&run);
    assert_true(few.direct && !few.stay && few.update == blocking->update);
    assert_true(!few.update ||
                (double)(8 * few.width) * roof_dtype_bytes(run.dtype) <= 0.5 * rf_cache_bytes(2) ||
                few.width <= (size_t)loops->tile_columns);
    assert_int_equal(roof_kernel_values(run.kernel, "m=12 n=2048 k=2048", run.values, NULL), ROOF_OK);
    few = rf_gemm_blocks(&run);
    assert_int_equal(few.direct, !blocking->update);
    assert_int_equal(few.stay, blocking->update);
    assert_int_equal(few.along, b.stay);
    assert_int_equal(roof_kernel_values(run.kernel, "m=64 n=4096 k=2048", run.values, NULL), ROOF_OK);
    assert_int_equal(rf_gemm_blocks(&run).along, b.stay);
    assert_int_equal(roof_kernel_values(run.kernel, "m=2048 n=24 k=8192", run.values, NULL), ROOF_OK);
    rf_blocks narrow = rf_gemm_blocks(&run);
    size_t usual = rf_gemm_fitting(run.kernel, run.dtype, 2048).depth;
    double kept = (double)(24 * narrow.depth) * roof_dtype_bytes(run.dtype);
    assert_true(narrow.depth <= usual || (blocking->deepens && kept <= 0.5 * rf_cache_bytes(2)));
    assert_true(!blocking->deepens || narrow.depth > usual || usual > 512);
    if (b.stay) {
      double bytes = (double)(b.height * b.depth) * roof_dtype_bytes(run.dtype);
      assert_true(bytes <= blocking->height * rf_cache_bytes(2) || b.height <= (size_t)loops->tile_rows);
      assert_int_equal((2048 + b.height - 1) / b.height % (size_t)run.threads, 0);
      size_t fewest = rf_gemm_fitting(run.kernel, run.dtype, 8).width;
      bool large = rf_cache_bytes(3) / 16 >= 0.8 * rf_cache_bytes(2);
      assert_true(rf_gemm_fitting(run.kernel, run.dtype, 64).width <= (large ? fewest / 2 : fewest));
      assert_int_equal(roof_kernel_values(run.kernel, "m=2048 n=64 k=2048", run.values, NULL), ROOF_OK);
      assert_false(rf_gemm_blocks(&run).stay);
      assert_int_equal(roof_kernel_values(run.kernel, "m=2048 n=2048 k=64", run.values, NULL), ROOF_OK);
      bool deep = 2 * 64 > rf_gemm_fitting(run.kernel, run.dtype, 2048).depth;
      assert_int_equal(rf_gemm_blocks(&run).stay, deep);
    }
  }
}

/** No deeper than a block, and in the second cache as it lies: B is not packed, by as many threads as there are rows or columns
 * for. Columns that no register ends with load what lies behind B, which is theirs to load. */
static void small_products_take_b_where_it_lies(void **state) {
  (void)state;
  static const struct {
    const char *shape;
    bool small;
  } cases[] = {{"m=64 n=64 k=64", true},     {"m=17 n=17 k=17", true},    {"m=100 n=30 k=3", true},
               {"m=1000 n=7 k=100", true},   {"m=20 n=500 k=5", true},    {"m=65 n=129 k=65", true},
               {"m=20 n=1030 k=64", false},  {"m=8 n=64 k=64", false},    {"m=20 n=20 k=3000", false},
               {"m=20 n=65536 k=64", false}, {"m=300 n=20 k=3000", false}};
  size_t count = sizeof cases / sizeof cases[0] - (test_emulated() ? 2 : 0);
  for (size_t which = 0; which < 6 * count; which++) {
    roof_kernel_run run = {.dtype = which % 2 ? ROOF_FP32 : ROOF_FP64, .threads = 1 + (int)(which / 2 % 3)};
    roof_error error = {0};
    assert_int_equal(roof_kernel_find("gemm-blocked", &run.kernel, NULL), ROOF_OK);
    assert_int_equal(roof_kernel_values(run.kernel, cases[which / 6].shape, run.values, NULL), ROOF_OK);
    rf_blocks b = rf_gemm_blocks(&run);
    assert_int_equal(b.small, cases[which / 6].small);
    assert_true(!b.small || (b.direct && !b.stay && !b.update && b.depth >= (size_t)run.values[2]));
    assert_int_equal(run.kernel->prepare(&run, NULL), ROOF_OK);
#pragma omp parallel num_threads(run.threads)
    rf_gemm_product(&run, rf_gemm_multiply_tiles);
    if (run.kernel->check(&run, &error) != ROOF_OK) {
      fail_msg("%s on %d threads: %s", cases[which / 6].shape, run.threads, error.message);
    }
    run.kernel->release(&run);
  }
}

/** Of a C that is beyond the caches, what is written once and in whole lines, by threads together, is stored past them; nothing else. */
static void shallow_products_are_stored_past_the_caches(void **state) {
  (void)state;
  static const char *const shapes[] = {"m=301 n=272 k=24", "m=9 n=9408 k=7", "m=301 n=249 k=24",
                                       "m=130 n=48 k=1500", "m=130 n=272 k=1500"};
  size_t count = sizeof shapes / sizeof shapes[0] - test_emulated();
  for (size_t which = 0; which < 4 * count; which++) {
    const char *shape = shapes[which / 4];
    roof_kernel_run run = {.dtype = which % 2 ? ROOF_FP32 : ROOF_FP64, .threads = 1 + (int)(which / 2 % 2)};
    roof_error error = {0};
    assert_int_equal(roof_kernel_find("gemm-blocked", &run.kernel, NULL), ROOF_OK);
    assert_int_equal(roof_kernel_values(run.kernel, shape, run.values, NULL), ROOF_OK);
    assert_int_equal(run.kernel->prepare(&run, NULL), ROOF_OK);
    ((rf_operands *)run.state)->stream = true;
    run.kernel->execute(&run);
    if (run.kernel->check(&run, &error) != ROOF_OK) {
      fail_msg("%s on %d threads: %s", shape, run.threads, error.message);
    }
    run.kernel->release(&run);
  }
}

static int late_thread;
static atomic_int blocks_of_the_other;

/** One thread begins when the other has done three blocks: it is more than both buffers behind. */
static void multiply_late(const rf_block *block, rf_packing *next) {
  bool late = omp_get_thread_num() == late_thread;
  for (int i = 0; i < 10000 && late && blocks_of_the_other < 3; i++) {
    usleep(100);
  }
  rf_gemm_multiply_tiles(block, next);
  blocks_of_the_other += !late;
}

/** With columns of their own threads wait for nobody: whoever is late finds what he packed, also where the last block is less
 * deep or less wide than the others. */
static void a_thread_with_its_own_columns_may_be_late(void **state) {
  (void)state;
  static const char *const shapes[] = {"m=150 n=331 k=33", "m=130 n=500 k=70", "m=200 n=213 k=40"};
  const roof_kernel *kernel = NULL;
  roof_blocks blocks = {.depth = 16, .width = 48, .height = 48};
  assert_int_equal(roof_kernel_find("gemm-blocked", &kernel, NULL), ROOF_OK);
  for (int which = 0; which < 6; which++) {
    roof_kernel_run run = {.kernel = kernel, .dtype = ROOF_FP64, .threads = 2, .blocks = &blocks};
    roof_error error = {0};
    late_thread = which % 2;
    blocks_of_the_other = 0;
    assert_int_equal(roof_kernel_values(kernel, shapes[which / 2], run.values, NULL), ROOF_OK);
    assert_int_equal(kernel->prepare(&run, NULL), ROOF_OK);
    assert_true(rf_gemm_blocks(&run).share < (size_t)run.values[1]);
#pragma omp parallel num_threads(2)
    rf_gemm_product(&run, multiply_late);
    if (kernel->check(&run, &error) != ROOF_OK) {
      fail_msg("thread %d late, %s: %s", late_thread, shapes[which / 2], error.message);
    }
    kernel->release(&run);
  }
}

/** Element (i, j) of a tile's product, from the packed operands. */
static double narrow_sum(const rf_narrow *narrow, const void *a, const void *b, size_t lines, size_t i,
                         size_t j) {
  size_t together = (size_t)(4 / roof_dtype_bytes(narrow->dtype));
  size_t line = (size_t)(RF_NARROW_LINE / roof_dtype_bytes(narrow->dtype));
  double sum = 0;
  for (size_t p = 0; p < lines * line; p++) {
    size_t left = (p / line * narrow->rows + i) * line + p % line;
    size_t right = (p / together * RF_NARROW_COLUMNS + j) * together + p % together;
    sum += rf_data_at(a, narrow->dtype, left) *
           (narrow->flip != 0 ? ((const uint8_t *)b)[right] : rf_data_at(b, narrow->dtype, right));
  }
  return sum;
}

static void every_instruction_set_for_narrow_numbers(void **state) {
  (void)state;
  enum { LINES = 5, ROWS = RF_NARROW_ROWS, COLUMNS = RF_NARROW_COLUMNS, LINE = RF_NARROW_LINE };
  static uint8_t a[LINES * LINE * ROWS], b[LINES * LINE * COLUMNS];
  for (int n = 0; rf_narrow_at(n) != NULL; n++) {
    const rf_narrow *narrow = rf_narrow_at(n);
    size_t element = (size_t)roof_dtype_bytes(narrow->dtype);
    float sums[ROWS * COLUMNS];
    rf_data_fill(a, narrow->dtype, sizeof a / element, 1, 1);
    rf_data_fill(b, narrow->dtype, sizeof b / element, 2, 1);
    if (!narrow->available()) {
      print_message("%s: skipped: this processor does not have it\n", narrow->isa);
      continue;
    }
    if (narrow->begin != NULL) {
      narrow->begin();
    }
    narrow->tile(LINES, a, b, sums);
    if (narrow->end != NULL) {
      narrow->end();
    }
    for (size_t i = 0; i < narrow->rows * COLUMNS; i++) {
      int32_t whole;
      memcpy(&whole, &sums[i], sizeof whole);
      double value = narrow->dtype == ROOF_INT8 ? whole : (double)sums[i];
      double expected = narrow_sum(narrow, a, b, LINES, i / COLUMNS, i % COLUMNS);
      assert_true(fabs(value - expected) <= (narrow->dtype == ROOF_INT8 ? 0 : 1e-4));
    }
  }
}

/** Ragged strips and panels, with B in one block of columns and, where the second cache is 4 MiB at most, in several. */
static void narrow_products_of_any_shape(void **state) {
  (void)state;
  static const char *const shapes[] = {"m=1 n=1 k=1",     "m=33 n=49 k=65",  "m=70 n=95 k=31",
                                       "m=8 n=200 k=300", "m=300 n=5 k=130", "m=9 n=250 k=4097"};
  size_t count = sizeof shapes / sizeof shapes[0] - test_emulated();
  static const struct {
    const char *kernel;
    roof_dtype dtype;
  } formats[] = {{"gemm-bf16", ROOF_BF16}, {"gemm-int8", ROOF_INT8}};
  for (size_t which = 0; which < 3 * 2 * count; which++) {
    const roof_kernel *kernel = NULL;
    const char *shape = shapes[which / 6];
    roof_dtype dtype = formats[which % 2].dtype;
    roof_error error = {0};
    assert_int_equal(roof_kernel_find(formats[which % 2].kernel, &kernel, NULL), ROOF_OK);
    roof_kernel_run run = {.kernel = kernel, .dtype = dtype, .threads = 1 + (int)(which / 2 % 3)};
    assert_int_equal(roof_kernel_values(kernel, shape, run.values, NULL), ROOF_OK);
    assert_int_equal(kernel->prepare(&run, NULL), ROOF_OK);
    kernel->execute(&run);
    if (kernel->check(&run, &error) != ROOF_OK) {
      fail_msg("%s, %s, %d threads: %s", kernel->name, shape, run.threads, error.message);
    }
    kernel->release(&run);
  }
}

static void shares_cover_everything_once(void **state) {
  (void)state;
  for (size_t count = 0; count < 1000; count += 37) {
    size_t next = 0;
    for (int thread = 0; thread < 7; thread++) {
      rf_share share = rf_share_of(count, thread, 7);
      assert_int_equal(share.begin, next);
      assert_true(share.end >= share.begin);
      next = share.end;
    }
    assert_int_equal(next, count);
  }
}

/** Of e4m3 every number comes back, between two of them the even one, and beyond the last the last (OCP, "8-bit Floating Point
 * Specification"). */
static void numbers_of_eight_bits(void **state) {
  (void)state;
  static const struct {
    double number;
    uint8_t bits;
  } cases[] = {{1, 0x38},
               {-448, 0xFE},
               {17, 0x58},
               {19, 0x5A},
               {1e9, 0x7E},
               {0x1p-10, 0x00},
               {3 * 0x1p-10, 0x02},
               {0x1p-6, 0x08},
               {-0.0, 0x80},
               {0.4999, 0x30},
               {0x1p-6 - 0x1p-12, 0x08},
               {448.5, 0x7E}};
  uint8_t back = 0;
  for (int i = 0; i < 256; i++) {
    uint8_t bits = (uint8_t)i;
    double number = rf_data_at(&bits, ROOF_FP8, 0);
    rf_data_set(&back, ROOF_FP8, 0, number);
    assert_true((i & 127) == 127 ? isnan(number) && back == 0x7F : back == bits);
  }
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rf_data_set(&back, ROOF_FP8, 0, cases[i].number);
    assert_int_equal(back, cases[i].bits);
  }
}

static void random_numbers_spread(void **state) {
  (void)state;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < 100000; i++) {
    double x = rf_random_at(3, i);
    assert_true(x >= -1 && x <= 1);
    sum += x;
    squares += x * x;
  }
  assert_true(fabs(sum / 100000) < 0.01);
  assert_near(squares / 100000, 1.0 / 3, 0.01);
  assert_true(rf_random_at(3, 5) != rf_random_at(4, 5));
}

static void names_and_sizes(void **state) {
  (void)state;
  const roof_kernel *kernel = NULL;
  roof_error error;
  double values[ROOF_PARAM_MAX];
  char label[128];
  assert_int_equal(roof_kernel_find("triadd", &kernel, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message, "did you mean `triad`"));
  assert_int_equal(roof_kernel_find("gemm-naive", &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, "m=8 n=4k k=2Ki", values, NULL), ROOF_OK);
  roof_kernel_label(kernel, ROOF_FP32, values, label, sizeof label);
  assert_string_equal(label, "gemm-naive m=8 n=4000 k=2048 fp32");
  assert_int_equal(roof_kernel_values(kernel, "m=8 n=4", values, &error), ROOF_E_ARGUMENT);
  assert_int_equal(roof_kernel_values(kernel, "m=8 n=4 q=1", values, &error), ROOF_E_NAME);
  assert_int_equal(roof_kernel_values(kernel, "m=8 n=0 k=1", values, &error), ROOF_E_ARGUMENT);
  assert_int_equal(roof_kernel_values(kernel, "m", values, &error), ROOF_E_PARSE);
  for (int i = 0; i < roof_kernel_count(); i++) {
    kernel = roof_kernel_at(i);
    assert_int_equal(roof_kernel_values(kernel, kernel->sizes, values, NULL), ROOF_OK);
    assert_int_equal(roof_kernel_values(kernel, kernel->quick_sizes, values, NULL), ROOF_OK);
  }
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  const roof_kernel *kernel = NULL;
  roof_error error = {0};
  assert_int_equal(roof_kernel_find("triad", &kernel, NULL), ROOF_OK);
  roof_kernel_run run = {.kernel = kernel, .dtype = ROOF_FP64, .threads = 1, .values = {1e15}};
  assert_int_equal(kernel->prepare(&run, &error), ROOF_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, "needs 24.00 PB"));
  kernel->release(&run);
  assert_int_equal(roof_kernel_find("gemm-naive", &kernel, NULL), ROOF_OK);
  run = (roof_kernel_run){.kernel = kernel, .dtype = ROOF_FP64, .threads = 1, .values = {8, 8, 8, 2, 0}};
  assert_int_equal(kernel->prepare(&run, &error), ROOF_E_UNSUPPORTED);
  kernel->release(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_agree_with_their_references),
      cmocka_unit_test(kernels_agree_past_the_caches_and_on_every_instruction_set),
      cmocka_unit_test(rows_that_begin_far_from_their_mean),
      cmocka_unit_test(every_instruction_set),
      cmocka_unit_test(transforms_of_every_width),
      cmocka_unit_test(every_tile),
      cmocka_unit_test(every_update),
      cmocka_unit_test(products_in_given_blocks),
      cmocka_unit_test(small_products_take_b_where_it_lies),
      cmocka_unit_test(shallow_products_are_stored_past_the_caches),
      cmocka_unit_test(a_thread_with_its_own_columns_may_be_late),
      cmocka_unit_test(rows_that_pass_a_panel_fit_a_cache),
      cmocka_unit_test(every_instruction_set_for_narrow_numbers),
      cmocka_unit_test(narrow_products_of_any_shape),
      cmocka_unit_test(shares_cover_everything_once),
      cmocka_unit_test(numbers_of_eight_bits),
      cmocka_unit_test(random_numbers_spread),
      cmocka_unit_test(names_and_sizes),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
