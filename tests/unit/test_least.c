/* The lower bound counts what no algorithm, routing or network can avoid, on a machine written for it. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "owned.h"
#include "roofline/ops.h"
#include "roofline/predict.h"

static roof_machine *machine;

/** 1 PFLOP/s in bf16 and 2 in fp8, 1 TB/s, a link of 100 GB/s. */
static int start(void **state) {
  (void)state;
  roof_machine *m = empty_machine(&machine);
  fill_machine(m, 2, 1, 1);
  for (int i = 0; i < 2; i++) {
    m->peaks[i].unit = ROOF_MATRIX;
    m->peaks[i].dtype = i == 0 ? ROOF_BF16 : ROOF_FP8;
    m->peaks[i].flops_per_second = (i + 1) * 1e15;
  }
  m->levels[0].level = ROOF_MEMORY;
  m->levels[0].bytes = 80e9;
  m->levels[0].bytes_per_second = 1e12;
  m->links[0].bytes_per_second = 100e9;
  return 0;
}

static int end(void **state) {
  (void)state;
  return 0;
}

static roof_prediction predict(const char *name, const roof_types *types, const double *given, int count) {
  roof_options options = roof_options_default();
  roof_target target;
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  assert_int_equal(roof_target_init(&target, machine, types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  roof_op_defaults(op, values);
  memcpy(values, given, (size_t)count * sizeof *given);
  assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  return p;
}

#define PREDICT(name, types, ...)                                                                            \
  predict(name, types, (const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

/** Lavin and Gray 2016: F(4x4, 3x3) makes 16 outputs of 36 products where the direct way needs 144. */
static void convolution_by_fewer_products(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_prediction three = PREDICT("conv2d", &types, 64, 2048, 2048, 28, 28, 3);
  assert_near(three.lower_seconds, three.compute_seconds / 4, 1e-12);
  assert_non_null(strstr(three.work.least.why, "Winograd"));
  assert_true(three.expected_seconds > three.compute_seconds);
  roof_prediction five = PREDICT("conv2d", &types, 64, 2048, 2048, 28, 28, 5);
  assert_near(five.lower_seconds, five.compute_seconds / (28.0 * 28 * 25 / 2048), 1e-12);
  assert_non_null(strstr(five.work.least.why, "Fourier"));
  roof_prediction one = PREDICT("conv2d", &types, 64, 2048, 2048, 28, 28, 1);
  assert_true(one.work.least.why == NULL && one.lower_seconds == one.compute_seconds);
  roof_prediction strided = PREDICT("conv2d", &types, 64, 2048, 2048, 28, 28, 3, 2);
  assert_true(strided.lower_seconds == strided.compute_seconds);
  roof_options options = roof_options_default();
  roof_target target;
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_near(roof_ceiling_of(&target, ROOF_THEORETICAL, &three.work).seconds, three.compute_seconds, 1e-12);
}

/** 64 tokens are expected to touch 221 of 256 experts; all may pick the same 8, however many an importer estimates. */
static void the_fewest_experts(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_prediction layer = PREDICT("moe", &types, 64, 7168, 2048, 256, 8, 1, 1, 4, 0);
  double expert = 3 * 7168.0 * 2048 * 2;
  assert_near(layer.work.weight_bytes, 256 * (1 - pow(1 - 8.0 / 256, 64)) * expert, 1e-12);
  assert_near(layer.lower_seconds, (8 * expert + 64 * 7168 * 4.0) / 1e12, 1e-12);
  assert_true(layer.expected_seconds > layer.work.weight_bytes / 1e12);
  roof_prediction spread = PREDICT("moe", &types, 64, 7168, 2048, 256, 8, 64, 1, 4, 0);
  assert_near(spread.lower_seconds, (expert + 8 * 7168 * 4.0) / 1e12, 1e-12);
  roof_prediction one = PREDICT("moe", &types, 1, 7168, 2048, 256, 8, 1, 1, 4, 0);
  assert_near(one.work.least.bytes, 8 * expert + 7168 * 4, 1e-12);
  roof_prediction stated = PREDICT("moe", &types, 64, 7168, 2048, 256, 8, 1, 1, 4, 0, 1, 100);
  assert_near(stated.work.least.bytes, 8 * expert + 64 * 7168 * 4,
              1e-12); /* an importer's number is an estimate */
  roof_prediction known = PREDICT("grouped", &types, 512, 221, 7168, 4096);
  assert_true(isnan(known.work.least.bytes) && known.lower_seconds == known.memory_seconds);
  roof_prediction expected = PREDICT("grouped", &types, 512, 221, 7168, 4096, 0, 0, 8);
  double spared = (221 - 8) * 7168.0 * 4096 * 2;
  assert_near(expected.lower_seconds, (expected.bytes - spared) / 1e12, 1e-12);
  roof_prediction idle = PREDICT("grouped", &types, 2, 8, 7168, 4096); /* six matrices are read for no row */
  assert_near(idle.lower_seconds, (idle.bytes - 6 * 7168.0 * 4096 * 2) / 1e12, 1e-12);
}

/** In the switch a rank sends its buffer once, not 2 (n - 1) / n times; of a ring's messages one cannot be avoided. */
static void sums_in_the_switch(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_BF16);
  machine->links[0].latency_seconds = 1e-6;
  roof_prediction ring = PREDICT("allreduce", &types, 8e9, 8);
  assert_near(ring.lower_seconds, 14e9 / 100e9 + 1e-6, 1e-12);
  machine->links[0].reduces = true;
  roof_prediction switched = PREDICT("allreduce", &types, 8e9, 8);
  assert_near(switched.lower_seconds, 8e9 / 100e9 + 1e-6, 1e-12);
  assert_true(switched.network_seconds == ring.network_seconds);
  roof_prediction two = PREDICT("allreduce", &types, 8e9, 2);
  assert_near(two.lower_seconds, 8e9 / 100e9 + 1e-6, 1e-12);
  assert_near(PREDICT("allgather", &types, 8e9, 8).lower_seconds, 7e9 / 100e9 + 1e-6, 1e-12);
}

static void stored_keys_in_their_own_format(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_prediction wide = PREDICT("attention", &types, 8, 64, 4096, 4096, 128);
  types.kv = ROOF_FP8;
  roof_prediction narrow = PREDICT("attention", &types, 8, 64, 4096, 4096, 128);
  assert_true(wide.lower_seconds == wide.compute_seconds && narrow.compute_seconds == wide.compute_seconds);
  assert_near(narrow.lower_seconds, wide.lower_seconds / 2, 1e-12);
  roof_prediction product = PREDICT("gemm", &types, 8192, 8192, 8192);
  assert_true(product.lower_seconds == product.compute_seconds);
  types.kv = ROOF_FP4; /* no peak of it */
  assert_true(PREDICT("attention", &types, 8, 64, 4096, 4096, 128).lower_seconds == wide.lower_seconds);
  machine->peaks[0].dtype = types.compute = ROOF_FP32; /* queries that no engine rounds to 8 bits */
  types.kv = ROOF_FP8;
  roof_prediction exact = PREDICT("attention", &types, 8, 64, 4096, 4096, 128);
  assert_true(exact.compute_seconds > 0 && exact.lower_seconds == exact.compute_seconds);
}

/** A kernel may convert 8 bits to what its lanes are fastest in: the bound is no later than that of 16 bits. */
static void narrow_formats_on_vector_lanes(void **state) {
  (void)state;
  static const roof_dtype lanes[] = {ROOF_FP32, ROOF_FP16, ROOF_BF16};
  static const double rates[] = {19.5e12, 78e12, 39e12};
  fill_machine(machine, 3, 1, 1);
  for (int i = 0; i < 3; i++) {
    machine->peaks[i].unit = ROOF_VECTOR;
    machine->peaks[i].dtype = lanes[i];
    machine->peaks[i].flops_per_second = rates[i];
  }
  static const roof_dtype narrow[] = {ROOF_FP8, ROOF_INT8, ROOF_FP4, ROOF_MXFP8};
  for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++) {
    roof_types types = roof_types_of(narrow[i]);
    roof_prediction p = PREDICT("fft", &types, 1e8);
    assert_int_equal(p.peak->dtype, ROOF_FP16);
    assert_true(p.expected_seconds >= p.lower_seconds);
  }
  roof_types brain = roof_types_of(ROOF_BF16), narrowest = roof_types_of(ROOF_FP8);
  assert_int_equal(PREDICT("fft", &brain, 1e8).peak->dtype, ROOF_BF16);
  machine->peaks[1].flops_per_second = machine->peaks[2].flops_per_second = 9e12; /* slower than fp32 */
  assert_int_equal(PREDICT("fft", &narrowest, 1e8).peak->dtype, ROOF_FP32);
  machine->peaks[2].dtype = ROOF_FP64; /* 16 bits are not taken for one another */
  assert_int_equal(PREDICT("fft", &brain, 1e8).peak->dtype, ROOF_FP32);
}

static void an_assumed_launch_counts_in_part(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_BF16);
  machine->launch_seconds = 5e-6;
  machine->launch_origin.kind = ROOF_ASSUMED;
  roof_prediction assumed = PREDICT("relu", &types, 1000);
  assert_true(assumed.lower_seconds == 5e-6 * ROOF_ASSUMED_LEAST && assumed.expected_seconds > 5e-6);
  machine->launch_origin.kind = ROOF_MEASURED;
  assert_true(PREDICT("relu", &types, 1000).lower_seconds == 5e-6);
}

/** The last cache may have kept what a kernel read before, but not what other kernels have displaced since. */
static void displaced_weights_are_read_again(void **state) {
  (void)state;
  fill_machine(machine, 2, 2, 1);
  snprintf(machine->device_class, sizeof machine->device_class, "gpu");
  machine->levels[1].level = ROOF_L2;
  machine->levels[1].bytes = 50e6;
  machine->levels[1].instances = 1;
  machine->levels[1].bytes_per_second = 5e12;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  roof_prediction kept = PREDICT("linear", &types, 1, 4096, 4096), fresh;
  assert_near(kept.lower_seconds, kept.bytes / 5e12, 1e-12);
  kept.work.fresh_bytes = kept.work.weight_bytes;
  roof_predict_work(&target, &kept.work, &fresh);
  assert_near(fresh.lower_seconds, kept.work.weight_bytes / 1e12, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(convolution_by_fewer_products, start, end),
      cmocka_unit_test_setup_teardown(the_fewest_experts, start, end),
      cmocka_unit_test_setup_teardown(sums_in_the_switch, start, end),
      cmocka_unit_test_setup_teardown(stored_keys_in_their_own_format, start, end),
      cmocka_unit_test_setup_teardown(narrow_formats_on_vector_lanes, start, end),
      cmocka_unit_test_setup_teardown(displaced_weights_are_read_again, start, end),
      cmocka_unit_test_setup_teardown(an_assumed_launch_counts_in_part, start, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
