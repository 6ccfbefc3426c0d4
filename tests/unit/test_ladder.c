/* The ladder of an operation, from the library alone, on the scripted backend. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/memory.h"
#include "kernels/gemm/_blocks.h"
#include "roofline/ladder.h"
#include "roofline/ops.h"

static const roof_backend *fake(void) {
  const roof_backend *backend = NULL;
  assert_int_equal(roof_backend_find("fake", &backend, NULL), ROOF_OK);
  return backend;
}

static const roof_op *op_of(const char *name) {
  const roof_op *op = NULL;
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  return op;
}

static void rungs_in_order_predicted_then_measured(void **state) {
  (void)state;
  const char *const words[] = {"m=n=128", "k=64"};
  roof_measure_options how = roof_measure_options_default();
  roof_machine *machine = NULL;
  roof_ladder l;
  roof_text text = {0};
  roof_error error = {0};
  how.quick = true;
  if (roof_ladder_find(&l, fake(), op_of("gemm"), ROOF_FP32, &how, words, 2, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  assert_true(l.count >= 7);
  for (int i = 0; i < l.count; i++) {
    assert_true(i < 7 ? l.rungs[i].kernel->rung == i + 1 : l.rungs[i].kernel->library != NULL);
    assert_true(l.rungs[i].values[0] == 128 && l.rungs[i].values[2] == 64);
  }
  assert_int_equal(fake()->measure(&how, &machine, &error), ROOF_OK);
  assert_int_equal(roof_ladder_predict(&l, machine, 0, &error), ROOF_OK);
  assert_string_equal(l.rungs[0].label, "gemm-naive m=128 n=128 k=64 fp32");
  assert_true(l.rungs[0].alone && !l.rungs[6].alone);
  assert_true(l.rungs[0].prediction.compute_seconds > l.rungs[6].prediction.compute_seconds);
  for (int i = 0; i < 7; i++) {
    assert_int_equal(roof_ladder_measure(&l, i, &how, &error), ROOF_OK);
    double bound = l.rungs[i].moved.lower_seconds;
    assert_near(bound / l.rungs[i].measurement.seconds, 0.8, 1e-9);
    assert_near(l.rungs[i].at.share, 0.8 * l.rungs[i].prediction.lower_seconds / bound, 1e-9);
    assert_true(i < 4 ? l.rungs[i].at.share < 0.2 : l.rungs[i].at.share > 0.79);
    assert_string_equal(l.rungs[i].measurement.label, l.rungs[i].label);
  }
  assert_true(isnan(l.rungs[0].step) && isnan(l.rungs[1].share_of_library));
  assert_near(l.rungs[1].step, 8,
              1e-9); /* 2 cycles a multiply-add of a short sum against one for four of them */
  assert_int_equal(roof_ladder_write(&l, NULL, &text, &error), ROOF_OK);
  assert_non_null(strstr(text.data, "\"ledger\": null"));
  assert_non_null(strstr(text.data, "\"times_rung_before\": 1,"));
  roof_text_done(&text);
  roof_ladder_done(&l);
  roof_machine_free(machine);
}

static void add_level(roof_machine *machine, const char *name, roof_level_kind kind, double bytes,
                      double rate) {
  for (int cores = 0; cores < 2; cores++) {
    roof_level *level = roof_machine_add_level(machine);
    assert_non_null(level);
    snprintf(level->name, sizeof level->name, "%s", name);
    level->level = kind;
    level->kind = ROOF_MEASURED;
    level->cores = cores;
    level->bytes = bytes;
    level->read_bytes_per_second = rate;
  }
}

/** 3 GHz, 96 GFLOP/s per core, the caches of main(), by which the kernels choose their blocks. */
static roof_machine *make_machine(void) {
  roof_machine *machine = roof_machine_new();
  assert_non_null(machine);
  snprintf(machine->name, sizeof machine->name, "made");
  snprintf(machine->device_class, sizeof machine->device_class, "cpu");
  machine->kind = ROOF_MEASURED;
  machine->unit_count = 2;
  machine->clock_hz = 3e9;
  for (int cores = 0; cores < 2; cores++) {
    roof_peak *peak = roof_machine_add_peak(machine);
    assert_non_null(peak);
    peak->dtype = ROOF_FP32;
    peak->unit = ROOF_VECTOR;
    peak->kind = ROOF_MEASURED;
    peak->cores = cores;
    peak->flops_per_second = cores == 1 ? 96e9 : 192e9;
  }
  add_level(machine, "L1", ROOF_L1, rf_cache_bytes(1), 200e9);
  add_level(machine, "L2", ROOF_L2, rf_cache_bytes(2), 100e9);
  add_level(machine, "L3", ROOF_L3, rf_cache_bytes(3), 80e9);
  add_level(machine, "DRAM", ROOF_MEMORY, 1e12, 20e9);
  return machine;
}

static void predict(roof_ladder *l, const char *shape) {
  const char *const words[] = {shape};
  roof_measure_options how = roof_measure_options_default();
  roof_machine *machine = make_machine();
  roof_error error = {0};
  assert_int_equal(roof_ladder_find(l, fake(), op_of("gemm"), ROOF_FP32, &how, words, 1, &error), ROOF_OK);
  assert_int_equal(roof_ladder_predict(l, machine, 0, &error), ROOF_OK);
  roof_machine_free(machine);
}

static double all_bytes(const roof_rung *r) {
  double sum = 0;
  for (int i = 0; i < r->moved.level_count; i++) {
    sum += r->moved.levels[i].bytes;
  }
  return sum;
}

/** What the two rungs that pack ask of L2, in whole matrices: the first goes through a panel of B with all rows of a strip, for
 * which it has A once for each panel; the second keeps the rows of a tile in L1 and has all panels for each. */
static void a_tile_keeps_rows_and_not_panels(const roof_ladder *l) {
  enum { SIDE = 1024 };
  const rf_loops *loops = rf_lanes_loops(rf_lanes_best(), ROOF_FP32);
  roof_kernel_run run = {.kernel = l->rungs[4].kernel, .dtype = ROOF_FP32, .threads = 1};
  memcpy(run.values, l->rungs[4].values, sizeof run.values);
  rf_blocks b = rf_gemm_blocks(&run);
  double c = 2 * ceil(SIDE / (double)b.depth) - 1, blocks = ceil(SIDE / (double)b.width);
  double panels = ceil((double)SIDE / loops->tile_columns), tiles = ceil((double)SIDE / loops->tile_rows);
  double strips = ceil((double)SIDE / (double)b.height), matrix = 4.0 * SIDE * SIDE;
  assert_near(l->rungs[3].moved_bytes / matrix, panels + strips + c, 1e-9);
  assert_near(l->rungs[4].moved_bytes / matrix, blocks + tiles + c, 1e-9);
  if (rf_gemm_blocking(l->rungs[6].kernel, ROOF_FP32)->stay) { /* for many rows, not for a tile's */
    assert_true(l->rungs[6].moved_bytes < l->rungs[5].moved_bytes / 2);
  }
}

static void bytes_fall_along_the_ladder(void **state) {
  (void)state;
  roof_ladder l;
  predict(&l, "m=n=k=1024");
  assert_non_null(l.moved);
  assert_string_equal(l.moved->name, "L2");
  for (int i = 1; i < 7; i++) {
    /* of L2 alone packing may ask an eighth more: with 8 columns in a panel of 16-byte registers, A for each */
    if (i != 4) {
      assert_true(l.rungs[i].moved_bytes <= 1.15 * l.rungs[i - 1].moved_bytes);
    }
    assert_true(all_bytes(&l.rungs[i]) <= all_bytes(&l.rungs[i - 1]));
    assert_true(l.rungs[i].prediction.expected_seconds <= l.rungs[i - 1].prediction.expected_seconds);
    assert_near(l.rungs[i].moved_intensity, 0x1p31 / l.rungs[i].moved_bytes, 1e-9);
  }
  a_tile_keeps_rows_and_not_panels(&l);
  /* B by columns: a line of 64 bytes for a multiply-add; by rows: an element of 4; in tiles: each for some rows */
  assert_near(l.rungs[0].moved_bytes / (64 * 0x1p30), 1, 0.001);
  assert_near(l.rungs[1].moved_bytes / (4 * 0x1p30), 1, 0.01);
  assert_true(l.rungs[4].moved_bytes < l.rungs[1].moved_bytes / 3);
  const roof_rung *library = &l.rungs[7];
  assert_near(library->moved_bytes, 3 * 4 * 0x1p20, 0.5);
  assert_near(library->prediction.expected_seconds, library->prediction.lower_seconds, 1e-12);
  roof_ladder_done(&l);
}

/** Its ceiling is the machine's, its expected time that of a chain of additions, however fast the machine. */
static void three_loops_wait_for_their_sum(void **state) {
  (void)state;
  static const char *const shapes[] = {"m=n=k=64",  "m=n=k=128", "m=n=k=256",
                                       "m=n=k=384", "m=n=k=768", "m=n=k=1024"};
  double before = 0;
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    roof_ladder l;
    predict(&l, shapes[i]);
    const roof_prediction *naive = &l.rungs[0].prediction, *tiled = &l.rungs[4].prediction;
    double n = l.values[0], chain = n * n * fmax(3 * (n - 24), 2 * n) / 3e9;
    assert_true(naive->expected_seconds > before && naive->expected_seconds >= chain / 0.85 * 0.999999);
    assert_near(naive->lower_seconds, tiled->lower_seconds, 1e-12);
    assert_true(naive->expected_seconds < 1.1 * naive->upper_seconds / 0.85);
    if (n <= 64) {
      assert_near(naive->expected_seconds, chain / 0.85, 1e-9);
      assert_near(naive->expected_low_seconds, chain, 1e-9);
      assert_near(naive->expected_high_seconds, chain / 0.7, 1e-9);
    }
    before = naive->expected_seconds;
    roof_ladder_done(&l);
  }
}

/** NVIDIA RTX A6000: 84 units at 1.8 GHz, each 128 multiply-adds and 128 bytes of its first cache a cycle. */
static roof_machine *make_gpu(void) {
  static const struct {
    const char *name;
    roof_level_kind kind;
    double bytes, rate;
  } levels[] = {{"L1/shared", ROOF_L1, 128 << 10, 84 * 128 * 1.8e9},
                {"L2", ROOF_L2, 6 << 20, 2.1e12},
                {"GDDR6", ROOF_MEMORY, 48e9, 768e9}};
  roof_machine *machine = roof_machine_new();
  assert_non_null(machine);
  snprintf(machine->name, sizeof machine->name, "gpu");
  snprintf(machine->device_class, sizeof machine->device_class, "gpu");
  machine->unit_count = 84;
  machine->clock_hz = 1.8e9;
  roof_peak *peak = roof_machine_add_peak(machine);
  assert_non_null(peak);
  peak->dtype = ROOF_FP32;
  peak->unit = ROOF_VECTOR;
  peak->flops_per_second = 84 * 256 * 1.8e9;
  for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
    roof_level *level = roof_machine_add_level(machine);
    assert_non_null(level);
    snprintf(level->name, sizeof level->name, "%s", levels[i].name);
    level->level = levels[i].kind;
    level->bytes = levels[i].bytes;
    level->bytes_per_second = levels[i].rate;
  }
  return machine;
}

static roof_prediction predict_on(const roof_machine *machine, const char *name, const char *shape,
                                  roof_prediction *moved) {
  const roof_kernel *kernel = NULL;
  roof_types types = roof_types_of(ROOF_FP32);
  roof_options options = roof_options_default();
  roof_target target;
  roof_prediction out;
  double values[ROOF_PARAM_MAX];
  assert_int_equal(roof_kernel_find(name, &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, shape, values, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_predict(kernel, &target, &target, values, &out, moved, NULL), ROOF_OK);
  return out;
}

/** Rungs of the same kinds on that device as published: siboehm/SGEMM_CUDA, README.md, 4092 x 4092. Its first one has 32
 * rows for a warp, ours 16: 33 lines against 17. */
static void rungs_of_an_accelerator_as_published(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double flops_per_second;
  } published[] = {{"device-gemm-naive", 309e9 * 33 / 17},    {"device-gemm-coalesced", 1986.5e9},
                   {"device-gemm-tiled", 2980.3e9},           {"device-gemm-blocked-1d", 8474.7e9},
                   {"device-gemm-blocked-2d", 15971.7e9},     {"device-gemm-vectorised", 18237.3e9},
                   {"device-gemm-double-buffered", 21779.3e9}};
  roof_machine *machine = make_gpu();
  double intensity = 0, seconds = INFINITY;
  for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
    roof_prediction moved, p = predict_on(machine, published[i].name, "m=n=k=4092", &moved);
    double ratio = p.work.flops / p.expected_seconds / published[i].flops_per_second;
    if (!(ratio > 0.5 && ratio < 2)) {
      fail_msg("%s: %g times as fast as published", published[i].name, ratio);
    }
    assert_true(moved.levels[0].intensity > intensity && p.expected_seconds <= seconds);
    intensity = moved.levels[0].intensity;
    seconds = p.expected_seconds;
  }
  roof_machine_free(machine);
}

/** A tile of 128 x 128: each matrix 32 times from L2; of the 84 x 2 work-groups at once 5 rows of 32 share what passes of
 * B. Unknown units or caches leave the least. */
static void bytes_by_level_of_an_accelerator(void **state) {
  (void)state;
  const double matrix = 4.0 * 4096 * 4096;
  roof_machine *machine = make_gpu();
  roof_prediction moved;
  predict_on(machine, "device-gemm-waves", "m=n=k=4096", &moved);
  assert_int_equal(moved.level_count, 3);
  assert_near(moved.levels[1].bytes / matrix, 65, 1e-9);
  assert_near(moved.levels[2].bytes / matrix, 2 + 7, 1e-9);
  assert_near(moved.levels[0].bytes, 4096.0 * 4096 * 4096 * 0.25 + 65 * matrix, 1);
  predict_on(machine, "device-gemm-waves", "m=n=k=512", &moved); /* all of it stays in L2 */
  assert_near(moved.levels[2].bytes, 3 * 4.0 * 512 * 512, 1);
  machine->unit_count = NAN;
  predict_on(machine, "device-gemm-waves", "m=n=k=4096", &moved);
  assert_near(moved.levels[2].bytes / matrix, 3, 1e-9);
  roof_machine_free(machine);
}

/** Three kernels pass over what does not stay, one that reads a row twice finds it in L2. */
static void passes_over_operands_of_an_accelerator(void **state) {
  (void)state;
  const double matrix = 4.0 * 32768 * 4096;
  roof_machine *machine = make_gpu();
  roof_prediction moved, one = predict_on(machine, "device-softmax", "rows=32768 cols=4096", &moved);
  assert_near(moved.levels[2].bytes / matrix, 2, 1e-9);
  roof_prediction p = predict_on(machine, "device-softmax-unfused", "rows=32768 cols=4096", &moved);
  assert_near(moved.levels[2].bytes / matrix, 4, 1e-9);
  assert_near(p.lower_seconds, one.lower_seconds, 1e-12);
  assert_near(p.expected_seconds / one.expected_seconds, 2, 0.05);
  predict_on(machine, "device-softmax-online", "rows=32768 cols=4096", &moved);
  assert_near(moved.levels[1].bytes / matrix, 3, 1e-9);
  assert_near(moved.levels[2].bytes / matrix, 2, 1e-9);
  predict_on(machine, "device-rmsnorm-unfused", "rows=32768 cols=4096", &moved);
  assert_near(moved.levels[2].bytes / matrix, 3, 1e-9);
  double square = 4.0 * 4096 * 4096;
  predict_on(machine, "device-rmsnorm-linear-unfused", "batch=4096 in=4096 out=4096", &moved);
  assert_near(moved.levels[2].bytes / square, 5, 1e-3);
  predict_on(machine, "device-transpose-naive", "rows=4096 cols=4096", &moved);
  assert_near(moved.levels[1].bytes / square, 9, 1e-9);
  assert_near(moved.levels[2].bytes / square, 2, 1e-9);
  predict_on(machine, "device-rmsnorm-unfused", "rows=64 cols=1024", &moved);
  assert_true(moved.levels[2].bytes < 2.1 * 4 * 64 * 1024);
  roof_machine_free(machine);
}

/** Work-items one after the other: the chain of the one sum, or a multiply-add a cycle of each core. */
static void an_accelerator_that_is_a_processor(void **state) {
  (void)state;
  roof_machine *machine = make_machine();
  double adds = 256.0 * 256 * 256;
  roof_prediction naive = predict_on(machine, "device-gemm-naive", "m=n=k=256", NULL);
  roof_prediction blocked = predict_on(machine, "device-gemm-blocked-2d", "m=n=k=256", NULL);
  assert_near(naive.expected_seconds, adds * 4 / (2 * 3e9) / 0.85, 1e-9);
  assert_near(blocked.expected_seconds, adds / (2 * 3e9), 1e-9);
  assert_near(naive.lower_seconds, blocked.lower_seconds, 1e-12);
  roof_machine_free(machine);
}

static void what_has_no_ladder(void **state) {
  (void)state;
  const char *const words[] = {"m=1,2"};
  roof_measure_options how = roof_measure_options_default();
  roof_ladder l;
  roof_error error = {0};
  assert_int_equal(roof_ladder_find(&l, fake(), op_of("add"), ROOF_FP32, &how, NULL, 0, &error),
                   ROOF_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, "there is one of: "));
  roof_ladder_done(&l);
  assert_int_equal(roof_ladder_find(&l, fake(), op_of("gemm"), ROOF_FP32, &how, words, 1, &error),
                   ROOF_E_ARGUMENT);
  roof_ladder_done(&l);
}

int main(void) {
  setenv("HWLOC_SYNTHETIC", "l3:1(size=33554432) l2:1(size=1048576) l1d:1(size=32768) pu:2", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rungs_in_order_predicted_then_measured),
      cmocka_unit_test(bytes_fall_along_the_ladder),
      cmocka_unit_test(three_loops_wait_for_their_sum),
      cmocka_unit_test(rungs_of_an_accelerator_as_published),
      cmocka_unit_test(bytes_by_level_of_an_accelerator),
      cmocka_unit_test(passes_over_operands_of_an_accelerator),
      cmocka_unit_test(an_accelerator_that_is_a_processor),
      cmocka_unit_test(what_has_no_ladder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
