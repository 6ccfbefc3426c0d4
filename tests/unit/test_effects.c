/* The effects between the bare roofline and the expected time, on a machine written for it. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/effects.h"
#include "roofline/ops.h"
#include "roofline/plan.h"
#include "roofline/shape.h"

static const char text[] =
    "{\"schema\": \"roofline.machine/1\", \"name\": \"m\", \"device_class\": \"gpu\", \"kind\": "
    "\"datasheet\","
    " \"unit_kind\": \"SM\", \"unit_count\": 100, \"peaks\": [{\"dtype\": \"fp32\", \"unit\": \"vector\","
    " \"flops_per_second\": 1e13, \"kind\": \"datasheet\"}], \"levels\": [{\"name\": \"L2\", \"level\": "
    "\"L2\","
    " \"bytes\": 4e7, \"bytes_per_second\": 5e12, \"kind\": \"datasheet\"}, {\"name\": \"HBM\", \"bytes\": "
    "8e10,"
    " \"bytes_per_second\": 1e12, \"kind\": \"datasheet\"}], \"constants\": [{\"kernel\": \"stream\","
    " \"dtype\": \"fp32\", \"latency_seconds\": 3e-6, \"bandwidth\": 0.8, \"cache_gain\": 2, \"time_low\": "
    "0.9,"
    " \"time_high\": 1.25, \"kind\": \"measured\", \"source\": \"here\"}, {\"kernel\": \"stream\", "
    "\"dtype\": "
    "\"fp64\", \"framework\": \"eager\", \"latency_seconds\": 1e-5, \"host_seconds\": 3e-5, \"kind\": "
    "\"measured\","
    " \"source\": \"here\"}]}";

static roof_machine *machine;

/** An accelerator with constants of attention. */
static const char attention_text[] =
    "{\"schema\": \"roofline.machine/1\", \"name\": \"a\", \"device_class\": \"gpu\", \"kind\": "
    "\"datasheet\","
    " \"unit_kind\": \"SM\", \"unit_count\": 100, \"peaks\": [{\"dtype\": \"bf16\", \"unit\": \"matrix\","
    " \"flops_per_second\": 1e15, \"kind\": \"datasheet\"}], \"levels\": [{\"name\": \"HBM\", \"bytes\": "
    "8e10,"
    " \"bytes_per_second\": 4e12, \"kind\": \"datasheet\"}], \"constants\": [{\"kernel\": \"decode\","
    " \"dtype\": \"bf16\", \"latency_seconds\": 9e-6, \"wave_seconds\": 3e-6, \"efficiency\": 0.5, "
    "\"bandwidth\": 0.9,"
    " \"unit_bandwidth\": 2, \"corner\": 2, \"split_seconds\": 1e-6, \"time_low\": 0.9, \"time_high\": 1.25,"
    " \"kind\": \"measured\", \"source\": \"here\"}, {\"kernel\": \"prefill\", \"dtype\": \"bf16\","
    " \"latency_seconds\": 9e-6, \"wave_seconds\": 3e-6, \"efficiency\": 0.5, \"bandwidth\": 0.5, "
    "\"corner\": 2,"
    " \"store_passes\": 2, \"time_low\": 0.9, \"time_high\": 1.25, \"kind\": \"measured\", \"source\": "
    "\"here\"}]}";

static int start(void **state) {
  (void)state;
  return roof_machine_read(text, sizeof text - 1, "m", &machine, NULL) == ROOF_OK ? 0 : -1;
}

static int end(void **state) {
  (void)state;
  roof_machine_free(machine);
  return 0;
}

static roof_prediction copy_of(double elements, const roof_options *options, roof_target *target) {
  roof_types types = roof_types_of(ROOF_FP32);
  const roof_op *op = NULL;
  roof_prediction p;
  assert_int_equal(roof_target_init(target, machine, &types, options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("copy", &op, NULL), ROOF_OK);
  roof_predict(target, op, (double[ROOF_PARAM_MAX]){elements}, &p);
  return p;
}

static void all_effects_make_the_expected_time(void **state) {
  (void)state;
  roof_options options = roof_options_default();
  roof_target target;
  for (double n = 1e3; n < 1e10; n *= 7) {
    roof_prediction p = copy_of(n, &options, &target);
    roof_effect_part parts[ROOF_EFFECT_COUNT];
    int count = roof_effects_of(&target, &p, parts);
    double sum = p.memory_seconds;
    for (int i = 0; i < count; i++) {
      assert_true(strlen(parts[i].text) > 0);
      sum += parts[i].seconds;
    }
    assert_true(fabs(sum / p.expected_seconds - 1) < 1e-9 || p.expected_seconds == p.lower_seconds);
    assert_true(p.lower_seconds <= p.expected_low_seconds && p.expected_low_seconds <= p.expected_seconds);
    assert_true(p.expected_seconds < p.expected_high_seconds);
  }
}

static void a_small_copy_takes_the_latency(void **state) {
  (void)state;
  roof_options options = roof_options_default();
  roof_target target;
  assert_true(fabs(copy_of(1, &options, &target).expected_seconds / 3e-6 - 1) < 1e-3);
  options.without = 1u << ROOF_EFFECT_LATENCY;
  assert_true(copy_of(1, &options, &target).expected_seconds < 1e-9);
}

/** What a host takes is of the host: it holds in all formats, and covers what is shorter. */
static void a_host_covers_short_kernels(void **state) {
  (void)state;
  roof_options options = roof_options_default();
  roof_target target;
  double large = copy_of(1e8, &options, &target).expected_seconds;
  options.framework = ROOF_EAGER;
  roof_prediction p = copy_of(1e5, &options, &target);
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  int count = roof_effects_of(&target, &p, parts);
  assert_true(fabs(p.expected_seconds / 3e-5 - 1) < 1e-12);
  assert_int_equal(parts[count - 1].effect, ROOF_EFFECT_HOST);
  assert_true(copy_of(1e8, &options, &target).expected_seconds == large);
  options.without = 1u << ROOF_EFFECT_HOST;
  assert_true(copy_of(1e5, &options, &target).expected_seconds < 1e-5);
}

/** Norms wait for the sums of their rows; a copy has none. */
static void rows_are_read_again(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_FP32);
  roof_options options = roof_options_default();
  roof_target target;
  const roof_op *norm = NULL, *softmax = NULL;
  roof_prediction few, p;
  double values[ROOF_CONSTANT_COUNT];
  assert_int_equal(roof_op_find("rmsnorm", &norm, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("softmax", &softmax, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  roof_predict(&target, norm, (double[ROOF_PARAM_MAX]){80000, 4096}, &p);
  memcpy(values, target.forms[ROOF_KERNEL_STREAM].values, sizeof values);
  double plain = roof_effects_seconds(&target, &p, values);
  values[ROOF_ROW_PASSES] = 1;
  double again = roof_effects_seconds(&target, &p, values);
  assert_true(fabs((again - plain) / (plain - 3e-6) - 0.5) < 1e-9); /* half of the bytes are read */
  values[ROOF_WAVE_SECONDS] = 1e-6;
  assert_true(fabs(roof_effects_seconds(&target, &p, values) - again - 99e-6) < 1e-12);
  roof_predict(&target, norm, (double[ROOF_PARAM_MAX]){8, 4096}, &few);
  assert_true(roof_effects_seconds(&target, &few, values) < 3.6e-6);
  roof_predict(&target, softmax, (double[ROOF_PARAM_MAX]){80000, 1024, 2}, &p);
  assert_true(p.work.kernel.rows == 0); /* a warp keeps its row */
}

/** Engines' activations wait for each element that they read: reads alone, two of three for a gated one. */
static void activations_read_slowly(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_FP32);
  roof_options options = roof_options_default();
  roof_target target;
  const char *names[] = {"residual", "swiglu", "gelu"};
  const double reads[] = {0, 2.0 / 3, 1.0 / 2};
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  for (int i = 0; i < 3; i++) {
    const roof_op *op = NULL;
    roof_prediction p;
    double values[ROOF_CONSTANT_COUNT];
    assert_int_equal(roof_op_find(names[i], &op, NULL), ROOF_OK);
    roof_predict(&target, op, (double[ROOF_PARAM_MAX]){1e8}, &p);
    memcpy(values, target.forms[ROOF_KERNEL_STREAM].values, sizeof values);
    double free = roof_effects_seconds(&target, &p, values) - values[ROOF_LATENCY_SECONDS];
    values[ROOF_UNIT_BANDWIDTH] = 0.25;
    double slow = roof_effects_seconds(&target, &p, values) - values[ROOF_LATENCY_SECONDS];
    double wait = p.memory_seconds * reads[i] / 0.25;
    assert_true(fabs(slow / cbrt(free * free * free + wait * wait * wait) - 1) < 1e-9);
  }
}

/** Activations are still in the cache from the run before; weights have those of other products between. */
static void weights_are_not_kept(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_FP32);
  roof_options options = roof_options_default();
  options.without = 1u << ROOF_EFFECT_TILES | 1u << ROOF_EFFECT_WAVES | 1u << ROOF_EFFECT_CORNER |
                    1u << ROOF_EFFECT_UNITS | 1u << ROOF_EFFECT_SPLIT;
  roof_target target;
  const roof_op *op = NULL;
  roof_prediction wide, high;
  double values[ROOF_CONSTANT_COUNT], shape[ROOF_PARAM_MAX];
  assert_int_equal(roof_op_find("gemm", &op, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_true(target.cache_bytes > 0);
  double n = floor(target.cache_bytes / 5 / 4 / 256);
  roof_op_defaults(op, shape);
  memcpy(shape, (double[]){4, n, 256}, 3 * sizeof *shape);
  roof_predict(&target, op, shape, &wide);
  memcpy(shape, (double[]){n, 4, 256}, 3 * sizeof *shape);
  roof_predict(&target, op, shape, &high);
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    values[i] = roof_constant_row_of((roof_constant)i)->neutral;
  }
  double of_wide = roof_effects_seconds(&target, &wide, values);
  double of_high = roof_effects_seconds(&target, &high, values);
  values[ROOF_CACHE_GAIN] = 4;
  double left_of_wide = roof_effects_seconds(&target, &wide, values) / of_wide;
  double left_of_high = roof_effects_seconds(&target, &high, values) / of_high;
  assert_true(left_of_high < 0.9 && left_of_wide <= 1 && left_of_wide > 1.1 * left_of_high);
}

/** Winograd's tiles of 4 x 4 outputs: an image of 5 x 5 takes as many as one of 8 x 8. */
static void convolutions_fill_tiles(void **state) {
  (void)state;
  roof_types fp32 = roof_types_of(ROOF_FP32), fp16 = roof_types_of(ROOF_FP16);
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_work five, eight, direct;
  assert_int_equal(roof_op_find("conv2d", &op, NULL), ROOF_OK);
  roof_op_defaults(op, values);
  memcpy(values, (double[]){32, 256, 256, 5, 5, 3, 1, 1}, 8 * sizeof *values);
  assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
  roof_work_init(&five);
  op->work(op, values, &fp32, &five);
  roof_work_init(&direct);
  op->work(op, values, &fp16, &direct);
  values[3] = values[4] = 8;
  roof_work_init(&eight);
  op->work(op, values, &fp32, &eight);
  assert_true(five.flops < eight.flops);
  assert_true(fabs(five.kernel.group * five.flops / (eight.kernel.group * eight.flops) - 1) < 1e-12);
  assert_true(eight.kernel.group == 0.25);
  assert_true(direct.kernel.depth == 9 * 256 && direct.kernel.group == 0);
}

static roof_prediction convolution(const roof_target *target, double in, double out) {
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  assert_int_equal(roof_op_find("conv2d", &op, NULL), ROOF_OK);
  roof_op_defaults(op, values);
  memcpy(values, (double[]){32, in, out, 64, 64, 3, 1, 1}, 8 * sizeof *values);
  assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
  roof_predict(target, op, values, &p);
  return p;
}

/** Passes over four channels and their 512 results take longer than the product as it is; where they do not, they save a
 * good part of it; and few channels of the output are one kernel's. */
static void convolutions_take_the_faster_way(void **state) {
  (void)state;
  owned roof_machine *v100 = NULL;
  roof_types fp32 = roof_types_of(ROOF_FP32);
  roof_options options = roof_options_default();
  roof_target target;
  options.framework = "cuDNN";
  assert_int_equal(roof_catalog_load("nvidia-v100-pcie-32gb", &v100, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, v100, &fp32, &options, NULL), ROOF_OK);
  roof_prediction thin = convolution(&target, 4, 512), deep = convolution(&target, 512, 512);
  roof_prediction few = convolution(&target, 512, 16);
  assert_true(thin.work.kernel.routed / 900e9 > thin.expected_seconds);
  assert_true(deep.work.kernel.routed > 0 && deep.expected_seconds < 0.8 * deep.compute_seconds);
  assert_true(few.work.kernel.routed == 0 && few.work.kernel.columns == 64);
  assert_true(fabs(few.work.kernel.group - 32 / (2.25 * 16)) < 1e-12);
}

/** A host makes three results for a layernorm, and calls no module for an add. */
static void hosts_take_as_long_as_what_they_make(void **state) {
  (void)state;
  owned roof_machine *v100 = NULL;
  roof_types fp32 = roof_types_of(ROOF_FP32);
  roof_options options = roof_options_default();
  roof_target target;
  options.framework = ROOF_EAGER;
  assert_int_equal(roof_catalog_load("nvidia-v100-pcie-32gb", &v100, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, v100, &fp32, &options, NULL), ROOF_OK);
  const char *const names[] = {"relu", "layernorm", "residual"};
  double seconds[3];
  for (int i = 0; i < 3; i++) {
    const roof_op *op = NULL;
    double values[ROOF_PARAM_MAX] = {64, 64};
    roof_prediction p;
    assert_int_equal(roof_op_find(names[i], &op, NULL), ROOF_OK);
    assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
    roof_predict(&target, op, values, &p);
    seconds[i] = p.expected_seconds;
  }
  assert_true(fabs(seconds[1] / seconds[0] - 1.5) < 1e-9);
  assert_true(fabs(seconds[2] / seconds[0] - 0.85) < 1e-9);
}

static void without_effects_a_share_of_the_bound(void **state) {
  (void)state;
  roof_options options = roof_options_default();
  roof_target target;
  options.without = ROOF_EFFECTS_ALL;
  roof_prediction p = copy_of(1e9, &options, &target);
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  assert_true(fabs(p.expected_seconds * 0.78 / p.memory_seconds - 1) < 1e-12);
  assert_int_equal(roof_effects_of(&target, &p, parts), 0);
}

static double expected_of(roof_machine *of, const char *name, const double *sizes, int count, bool achieved) {
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  roof_prediction p;
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  options.achieved = achieved;
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  roof_op_defaults(op, values);
  memcpy(values, sizes, (size_t)count * sizeof *values);
  assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, of, &types, &options, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  assert_true(p.expected_seconds >= p.lower_seconds);
  return p.expected_seconds;
}

/** Constants are shares of the datasheet's ceilings: measured ones do not change what kernels took. */
static void measured_ceilings_are_not_discounted_twice(void **state) {
  (void)state;
  const char *const machines[] = {"nvidia-a100-sxm-80gb", "nvidia-l40s"};
  const struct {
    const char *op;
    double sizes[5];
  } kernels[] = {{"gemm", {4096, 4096, 4096}},
                 {"gemm", {8, 8192, 8192}},
                 {"attention", {64, 32, 1, 8192, 128}},
                 {"attention", {1, 32, 4096, 4096, 128}},
                 {"allreduce", {1e8, 2}},
                 {"relu", {1e9}}};
  for (int m = 0; m < 2; m++) {
    owned roof_machine *of = NULL;
    assert_int_equal(roof_catalog_load(machines[m], &of, NULL), ROOF_OK);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
      int count = 0;
      while (count < 5 && kernels[i].sizes[count] > 0) {
        count++;
      }
      double rated = expected_of(of, kernels[i].op, kernels[i].sizes, count, false);
      double measured = expected_of(of, kernels[i].op, kernels[i].sizes, count, true);
      assert_true(fabs(measured / rated - 1) < 0.07);
    }
  }
}

static void the_cache_may_keep_what_fits(void **state) {
  (void)state;
  roof_options options = roof_options_default();
  roof_target target;
  roof_prediction kept = copy_of(1e6, &options, &target), large = copy_of(1e9, &options, &target);
  options.cold = true;
  roof_prediction cold = copy_of(1e6, &options, &target);
  assert_true(fabs(kept.lower_seconds / (8e6 / 5e12) - 1) < 1e-9);
  assert_true(fabs(cold.lower_seconds / (8e6 / 1e12) - 1) < 1e-9);
  assert_true(kept.expected_seconds < cold.expected_seconds);
  assert_true(fabs(large.lower_seconds / (8e9 / 1e12) - 1) < 1e-9);
}

static void lower_grows_with_the_bytes(void **state) {
  (void)state;
  roof_options options = roof_options_default();
  roof_target target;
  double last = 0;
  for (double n = 1e5; n < 1e8; n *= 1.07) {
    double lower = copy_of(n, &options, &target).lower_seconds;
    assert_true(lower > last);
    last = lower;
  }
}

static roof_machine *attention_machine(void) {
  roof_machine *made = NULL;
  assert_int_equal(roof_machine_read(attention_text, sizeof attention_text - 1, "a", &made, NULL), ROOF_OK);
  return made;
}

static roof_prediction attention_of(const roof_machine *of, const char *shape, unsigned without,
                                    roof_target *target) {
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  options.without = without;
  assert_int_equal(roof_target_init(target, of, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("attention", &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, shape, values, NULL), ROOF_OK);
  roof_predict(target, op, values, &p);
  return p;
}

static const char *const attention_shapes[] = {
    "batch=1 heads=32 q_len=1 kv_len=1 head_dim=128 kv_heads=8",
    "batch=64 heads=64 q_len=1 kv_len=8192 head_dim=128 kv_heads=8",
    "batch=7 heads=96 q_len=3 kv_len=777 head_dim=64 kv_heads=1",
    "batch=1 heads=32 q_len=16 kv_len=16 head_dim=128 kv_heads=8 causal=1",
    "batch=3 heads=40 q_len=3001 kv_len=3001 head_dim=128 kv_heads=8 causal=1",
    "batch=3 heads=40 q_len=512 kv_len=3001 head_dim=128 kv_heads=8 causal=1 window=128"};

static void effects_of_attention_start_at_the_bound(void **state) {
  (void)state;
  roof_machine *of = attention_machine();
  for (size_t i = 0; i < sizeof attention_shapes / sizeof *attention_shapes; i++) {
    roof_target target;
    roof_effect_part parts[ROOF_EFFECT_COUNT];
    roof_prediction p = attention_of(of, attention_shapes[i], 0, &target);
    int count = roof_effects_of(&target, &p, parts);
    double sum = fmax(p.compute_seconds, p.memory_seconds);
    for (int k = 0; k < count; k++) {
      sum += parts[k].seconds;
    }
    assert_true(fabs(sum / p.expected_seconds - 1) < 1e-9);
  }
  roof_machine_free(of);
}

/** A split is decided with all effects, and all of them are of that one. */
static void effects_agree_on_the_split(void **state) {
  (void)state;
  roof_machine *of = attention_machine();
  for (int keys = 64; keys <= 65536; keys *= 2) {
    roof_target target;
    roof_effect_part parts[ROOF_EFFECT_COUNT];
    char shape[96];
    const char *waves = "", *split = "";
    snprintf(shape, sizeof shape, "batch=1 heads=8 q_len=1 kv_len=%d head_dim=128", keys);
    roof_prediction p = attention_of(of, shape, 0, &target);
    for (int i = roof_effects_of(&target, &p, parts) - 1; i >= 0; i--) {
      waves = parts[i].effect == ROOF_EFFECT_WAVES ? parts[i].text : waves;
      split = parts[i].effect == ROOF_EFFECT_SPLIT ? parts[i].text : split;
    }
    const char *cut = strstr(waves, "split in");
    assert_true((cut != NULL) == (split[0] != '\0'));
    assert_true(cut == NULL || atoi(cut + 9) == atoi(split + 9));
  }
  roof_machine_free(of);
}

/** Blocks are counted where a group of heads fills two of them too, and one is one. */
static void few_sequences_are_split_over_the_units(void **state) {
  (void)state;
  static const struct {
    const char *shape, *text;
  } cases[] = {{"batch=2 heads=8", "2 blocks of query heads, split in 32, on 100 SMs: 1 wave, 36 % idle"},
               {"batch=1 heads=128", "2 blocks of query heads, split in 32, on 100 SMs: 1 wave, 36 % idle"},
               {"batch=1 heads=8", "1 block of query heads, split in 64, on 100 SMs: 1 wave, 36 % idle"}};
  roof_machine *of = attention_machine();
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    char shape[96];
    roof_target target;
    roof_effect_part parts[ROOF_EFFECT_COUNT];
    snprintf(shape, sizeof shape, "%s q_len=1 kv_len=16384 head_dim=128 kv_heads=1", cases[c].shape);
    roof_prediction p = attention_of(of, shape, 0, &target);
    int count = roof_effects_of(&target, &p, parts);
    bool said = false;
    for (int i = 0; i < count; i++) {
      said = said || strcmp(parts[i].text, cases[c].text) == 0;
    }
    assert_true(said);
  }
  roof_machine_free(of);
}

static void each_wave_of_sequences_costs_its_start(void **state) {
  (void)state;
  roof_machine *of = attention_machine();
  roof_target target;
  roof_prediction one =
      attention_of(of, "batch=100 heads=8 q_len=1 kv_len=2 head_dim=64 kv_heads=1", 0, &target);
  roof_prediction many =
      attention_of(of, "batch=1001 heads=8 q_len=1 kv_len=2 head_dim=64 kv_heads=1", 0, &target);
  double more = many.expected_seconds - one.expected_seconds;
  assert_true(more > 10 * 3e-6 && more < 10 * 5e-6);
  roof_machine_free(of);
}

static void a_framework_has_constants_of_its_own(void **state) {
  (void)state;
  roof_machine *of = attention_machine();
  roof_types types = roof_types_of(ROOF_BF16);
  roof_constants *own = roof_machine_add_constants(of);
  assert_non_null(own);
  const roof_constants *any = roof_constants_find(of, ROOF_KERNEL_DECODE, &types, NULL);
  *own = *any;
  snprintf(own->framework, sizeof own->framework, "vllm");
  assert_ptr_equal(roof_constants_find(of, ROOF_KERNEL_DECODE, &types, NULL), any);
  assert_ptr_equal(roof_constants_find(of, ROOF_KERNEL_DECODE, &types, "sglang"), any);
  assert_ptr_equal(roof_constants_find(of, ROOF_KERNEL_DECODE, &types, "vllm"), own);
  roof_machine_free(of);
}

/** A whole prompt is read by the kernels of prompts, however short; few queries after a prefix by those of decoding. */
static void short_prompts_are_prompts(void **state) {
  (void)state;
  roof_machine *of = attention_machine();
  roof_target target;
  static const char *const prompts[] = {"batch=64 heads=8 q_len=2 kv_len=2 head_dim=128 causal=1",
                                        "batch=1 heads=8 q_len=8 kv_len=8 head_dim=128 causal=1"},
                           *const steps[] = {"batch=64 heads=8 q_len=1 kv_len=2 head_dim=128",
                                             "batch=1 heads=8 q_len=8 kv_len=99 head_dim=128 causal=1"};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(attention_of(of, prompts[i], 0, &target).work.kernel.kind, ROOF_KERNEL_PREFILL);
    assert_int_equal(attention_of(of, steps[i], 0, &target).work.kernel.kind, ROOF_KERNEL_DECODE);
  }
  roof_machine_free(of);
}

/** A cache narrower than the arithmetic has kernels of its own, and so has a latent; without, those of attention. */
static void what_is_stored_narrower_has_constants_of_its_own(void **state) {
  (void)state;
  roof_machine *of = attention_machine();
  roof_types types = roof_types_of(ROOF_BF16);
  const roof_constants *any = roof_constants_find(of, ROOF_KERNEL_DECODE, &types, NULL);
  assert_ptr_equal(roof_constants_find(of, ROOF_KERNEL_MLA_DECODE, &types, NULL), any);
  roof_constants *narrow = roof_machine_add_constants(of), *latent = roof_machine_add_constants(of);
  assert_true(narrow != NULL && latent != NULL);
  any = roof_constants_find(of, ROOF_KERNEL_DECODE, &types, NULL);
  *narrow = *latent = *any;
  narrow->narrow = true;
  latent->kernel = ROOF_KERNEL_MLA_DECODE;
  assert_ptr_equal(roof_constants_find(of, ROOF_KERNEL_DECODE, &types, NULL), any);
  assert_ptr_equal(roof_constants_find(of, ROOF_KERNEL_MLA_DECODE, &types, NULL), latent);
  types.kv = ROOF_FP8;
  assert_ptr_equal(roof_constants_find(of, ROOF_KERNEL_DECODE, &types, NULL), narrow);
  roof_machine_free(of);
}

static roof_constants *decode_constants(roof_machine *of) {
  for (int i = 0; i < of->constants_count; i++) {
    if (of->constants[i].kernel == ROOF_KERNEL_DECODE) {
      return &of->constants[i];
    }
  }
  fail();
  return NULL;
}

/** Where a kernel serves 32 heads at most, those of a larger group read the keys that they share one by one. */
static void heads_of_too_large_a_group_read_their_own_keys(void **state) {
  (void)state;
  static const char shape[] = "batch=256 heads=64 q_len=1 kv_len=1024 head_dim=128 kv_heads=1";
  roof_machine *of = attention_machine();
  roof_target target;
  roof_prediction shared = attention_of(of, shape, 0, &target);
  decode_constants(of)->values[ROOF_GROUP_MOST] = 32;
  roof_prediction own = attention_of(of, shape, 0, &target);
  roof_prediction without = attention_of(of, shape, 1u << ROOF_EFFECT_GROUPS, &target);
  assert_true(own.expected_seconds > 8 * shared.expected_seconds);
  assert_true(without.expected_seconds == shared.expected_seconds);
  roof_machine_free(of);
}

/** Blocks of one query head are small: several at once take the time that one of a group takes to start. */
static void blocks_of_a_single_head_share_a_unit(void **state) {
  (void)state;
  static const char single[] = "batch=1000 heads=8 q_len=1 kv_len=2 head_dim=64 kv_heads=8",
                    group[] = "batch=1000 heads=16 q_len=1 kv_len=2 head_dim=64 kv_heads=8";
  roof_machine *of = attention_machine();
  roof_target target;
  roof_prediction one = attention_of(of, single, 0, &target), two = attention_of(of, group, 0, &target);
  decode_constants(of)->values[ROOF_RESIDENTS] = 4;
  roof_prediction resident = attention_of(of, single, 0, &target);
  assert_true(resident.expected_seconds < 0.4 * one.expected_seconds);
  assert_true(attention_of(of, group, 0, &target).expected_seconds == two.expected_seconds);
  roof_machine_free(of);
}

/** One expert is as much a kernel of experts as two are; a product with its activation in one kernel is a product. */
static void one_group_is_of_experts(void **state) {
  (void)state;
  static const struct {
    const char *op, *shape;
    roof_kernel_kind kind;
  } cases[] = {{"grouped", "groups=1 batch=64 in=128 out=256", ROOF_KERNEL_EXPERTS},
               {"grouped", "groups=2 batch=64 in=128 out=256", ROOF_KERNEL_EXPERTS},
               {"linear_act", "batch=64 in=128 out=256 activation=4 gated=1", ROOF_KERNEL_PRODUCT}};
  roof_types types = roof_types_of(ROOF_BF16);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const roof_op *op = NULL;
    double values[ROOF_PARAM_MAX];
    roof_work work;
    assert_int_equal(roof_op_find(cases[i].op, &op, NULL), ROOF_OK);
    assert_int_equal(roof_shape_values(op, cases[i].shape, values, NULL), ROOF_OK);
    roof_work_init(&work);
    op->work(op, values, &types, &work);
    assert_int_equal(work.kernel.kind, cases[i].kind);
    assert_true(work.flops == (i == 2 ? 2.0 * 64 * 128 * 256 + 64 * 128 * 5 : 2.0 * 64 * 128 * 256));
    assert_true(work.write_bytes == (i == 2 ? 64 * 128 * 2.0 : 64 * 256 * 2.0));
  }
}

static void names_are_read_as_they_are_written(void **state) {
  (void)state;
  for (int e = 0; e < ROOF_EFFECT_COUNT; e++) {
    roof_effect effect;
    assert_int_equal(roof_effect_parse(roof_effect_name((roof_effect)e), &effect, NULL), ROOF_OK);
    assert_int_equal(effect, e);
  }
  for (int k = 0; k < ROOF_KERNEL_KIND_COUNT; k++) {
    roof_kernel_kind kind;
    assert_int_equal(roof_kernel_kind_parse(roof_kernel_kind_name((roof_kernel_kind)k), &kind, NULL),
                     ROOF_OK);
    assert_int_equal(kind, k);
  }
  roof_error error;
  roof_effect effect;
  assert_int_equal(roof_effect_parse("wave", &effect, &error), ROOF_E_NAME);
  assert_non_null(strstr(error.message, "waves"));
}

static void constants_are_written_and_read(void **state) {
  (void)state;
  roof_text out = {0};
  roof_machine *again = NULL;
  assert_int_equal(roof_machine_write(machine, &out, NULL), ROOF_OK);
  assert_int_equal(roof_machine_read(out.data, out.length, "again", &again, NULL), ROOF_OK);
  assert_int_equal(again->constants_count, 2);
  const roof_constants *c = &again->constants[0];
  assert_int_equal(c->kernel, ROOF_KERNEL_STREAM);
  assert_true(c->values[ROOF_CACHE_GAIN] == 2 && isnan(c->values[ROOF_SPLIT_SECONDS]));
  assert_string_equal(c->source, "here");
  roof_machine_free(again);
  roof_text_done(&out);
}

/** The time to expect of a sum over ranks of the catalogue's H200, with and without effects. */
static roof_prediction sum_of(const roof_machine *h200, double bytes, double ranks, unsigned without,
                              roof_target *target) {
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  const roof_op *op = NULL;
  roof_prediction p;
  options.without = without;
  assert_int_equal(roof_target_init(target, h200, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("allreduce", &op, NULL), ROOF_OK);
  roof_predict(target, op, (double[ROOF_PARAM_MAX]){bytes, ranks, 0}, &p);
  return p;
}

/** A sum has a floor, by ranks, the same alone, in a plan and in a cluster; without effects it is the bare link's. */
static void a_collective_has_a_floor(void **state) {
  (void)state;
  roof_machine *h200 = NULL;
  roof_target target;
  const roof_op *op = NULL;
  const char *algorithm;
  roof_work work;
  assert_int_equal(roof_catalog_load("h200", &h200, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("allreduce", &op, NULL), ROOF_OK);
  double two = sum_of(h200, 1e3, 2, 0, &target).expected_seconds;
  double eight = sum_of(h200, 1e3, 8, 0, &target).expected_seconds;
  assert_true(two > 4e-6 && two < 9e-6 && eight > two && eight < 25e-6);
  roof_cluster cluster = {.target = &target, .node = 8, .links = {*target.link, *target.link}};
  assert_true(roof_cluster_all_reduce(&cluster, ROOF_ROUTE_HIERARCHY, 1e3, 8) == eight);
  assert_true(roof_collective_seconds(&target, op, target.link, 1e3, 8, &algorithm, &work) == eight);
  for (unsigned e = 0; e < ROOF_EFFECT_COUNT; e++) {
    unsigned rest = ROOF_EFFECTS_ALL & ~(1u << e);
    roof_prediction p = sum_of(h200, 1e9, 8, rest, &target);
    assert_true(p.expected_seconds >= 0.99 * p.lower_seconds && p.expected_seconds < INFINITY);
  }
  roof_prediction bare = sum_of(h200, 1e9, 8, ROOF_EFFECTS_ALL & ~(1u << ROOF_EFFECT_CORNER), &target);
  assert_true(fabs(bare.expected_seconds / (2 * 7.0 / 8 * 1e9 / 450e9) - 1) < 1e-12);
  assert_true(bare.network_seconds == bare.expected_seconds);
  roof_machine_free(h200);
}

static roof_prediction experts_of(const roof_machine *h200, const char *words, unsigned without) {
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  options.without = without;
  assert_int_equal(roof_target_init(&target, h200, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("moe", &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, words, values, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  return p;
}

/** Experts: bare without effects, never under that; several kernels for one token, tiles of few rows each cost more. */
static void experts_take_tiles_of_their_rows(void **state) {
  (void)state;
  static const char layer[] = "hidden=4096 intermediate=1536 experts=128 top_k=8 router=0 tokens=";
  roof_machine *h200 = NULL;
  double last = 0;
  assert_int_equal(roof_catalog_load("h200", &h200, NULL), ROOF_OK);
  for (int tokens = 1; tokens < 100000; tokens *= 4) {
    char words[128];
    snprintf(words, sizeof words, "%s%d", layer, tokens);
    roof_prediction p = experts_of(h200, words, 0);
    roof_prediction bare = experts_of(h200, words, ROOF_EFFECTS_ALL & ~(1u << ROOF_EFFECT_STORE));
    assert_true(fabs(bare.expected_seconds / fmax(bare.compute_seconds, bare.memory_seconds) - 1) < 1e-9);
    assert_true(p.expected_seconds > 15e-6 && p.expected_seconds > bare.expected_seconds);
    assert_true(p.expected_seconds > last);
    last = p.expected_seconds;
  }
  roof_machine_free(h200);
}

/** A tile for few rows is small: where arithmetic is dear it does not take as long as a full one. InferSim's H20: 153 us for one
 * product of 112 experts of a row each, in fp8, 119 us at the memory; a tile of 16 rows as long as one of 64 made it 337. */
static void few_rows_of_an_expert_take_a_small_tile(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_FP8);
  roof_options options = roof_options_default();
  roof_machine *h20 = NULL;
  roof_target target;
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  types.output = ROOF_BF16;
  assert_int_equal(roof_catalog_load("h20", &h20, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, h20, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("grouped", &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, "batch=96 groups=112 in=2560 out=1664", values, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  assert_true(p.expected_seconds < 1.8 * p.memory_seconds);
  roof_machine_free(h20);
}

/** Tiles below one another share the weights that they draw: more rows take no less. */
static void rows_of_an_expert_take_no_less_time(void **state) {
  (void)state;
  static const char *const on[] = {"h100", "b200", "l40s", "a100", "mi300x"};
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  const roof_op *op = NULL;
  assert_int_equal(roof_op_find("grouped", &op, NULL), ROOF_OK);
  for (size_t i = 0; i < sizeof on / sizeof on[0]; i++) {
    owned roof_machine *gpu = NULL;
    roof_target target;
    assert_int_equal(roof_catalog_load(on[i], &gpu, NULL), ROOF_OK);
    assert_int_equal(roof_target_init(&target, gpu, &types, &options, NULL), ROOF_OK);
    for (int groups = 1; groups <= 64; groups *= 2) {
      double last = 0;
      for (int rows = 1; rows <= 1024; rows++) {
        char words[80];
        double values[ROOF_PARAM_MAX];
        roof_prediction p;
        snprintf(words, sizeof words, "batch=%d groups=%d in=4096 out=4096", rows * groups, groups);
        assert_int_equal(roof_shape_values(op, words, values, NULL), ROOF_OK);
        roof_predict(&target, op, values, &p);
        assert_true(p.expected_seconds >= last * (1 - 1e-9));
        last = p.expected_seconds;
      }
    }
  }
}

static roof_prediction in_fp32(const char *name, const char *on, const char *words, roof_effect_part *tiles) {
  roof_types types = roof_types_of(ROOF_FP32);
  roof_options options = roof_options_default();
  owned roof_machine *gpu = NULL;
  roof_target target;
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  assert_int_equal(roof_catalog_load(on, &gpu, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, gpu, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, words, values, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  *tiles = (roof_effect_part){.factor = 1};
  for (int i = roof_effects_of(&target, &p, parts) - 1; i >= 0; i--) {
    *tiles = parts[i].effect == ROOF_EFFECT_TILES ? parts[i] : *tiles;
  }
  return p;
}

/** Rows are padded to what an instruction of a matrix unit takes: vector lanes have none, so four heads are four rows. */
static void vector_lanes_fill_up_no_tiles(void **state) {
  (void)state;
  static const char decode[] = "batch=8 heads=32 kv_heads=8 q_len=1 kv_len=4096 head_dim=128";
  static const char layer[] = "hidden=4096 intermediate=1536 experts=128 top_k=8 router=0 tokens=64";
  roof_effect_part tiles;
  in_fp32("attention", "b200", decode, &tiles);
  assert_true(tiles.factor < 1.05);
  in_fp32("moe", "b200", layer, &tiles);
  assert_true(tiles.factor < 1.05);
}

/** L40 and L40S are one die, whose matrix units alone differ in rate. */
static void vector_lanes_go_by_their_own_rate(void **state) {
  (void)state;
  roof_effect_part tiles;
  double slower = in_fp32("gemm", "l40", "8192x8192x8192", &tiles).expected_seconds;
  double faster = in_fp32("gemm", "l40s", "8192x8192x8192", &tiles).expected_seconds;
  assert_true(slower > 0.99 * faster && slower < 1.05 * faster);
}

/** Narrow keys of a latent have timings of two families: a third has not an interval much wider than of wide keys. */
static void what_two_families_show_leaves_no_wide_interval(void **state) {
  (void)state;
  owned roof_machine *gpu = NULL;
  roof_types types = roof_types_of(ROOF_BF16);
  assert_int_equal(roof_catalog_load("mi300x", &gpu, NULL), ROOF_OK);
  const roof_constants *wide = roof_constants_find(gpu, ROOF_KERNEL_MLA_DECODE, &types, NULL);
  types.kv = ROOF_FP8;
  const roof_constants *narrow = roof_constants_find(gpu, ROOF_KERNEL_MLA_DECODE, &types, NULL);
  assert_true(narrow->narrow && !wide->narrow);
  assert_true(narrow->values[ROOF_TIME_LOW] > 0.79 * wide->values[ROOF_TIME_LOW]);
  assert_true(narrow->values[ROOF_TIME_HIGH] < 1.26 * wide->values[ROOF_TIME_HIGH]);
}

/** A row is worked on by one unit: few rows draw 64 bytes per clock and row, enough of them the whole bandwidth. */
static void few_rows_draw_what_their_units_can(void **state) {
  (void)state;
  owned roof_machine *h100 = NULL;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  const roof_op *op = NULL;
  roof_prediction p;
  roof_effect_part parts[ROOF_EFFECT_COUNT];
  options.cold = true;
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, h100, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("softmax", &op, NULL), ROOF_OK);
  double row = 4e7 / (64 * h100->clock_hz), before = 0;
  for (double rows = 1; rows <= 256; rows *= 2) {
    roof_predict(&target, op, (double[ROOF_PARAM_MAX]){rows, 1e7, 2}, &p);
    assert_true(p.expected_seconds > row * (1 - 1e-9) && p.expected_seconds > before * (1 - 1e-9));
    assert_true(rows > 8 || p.expected_seconds < 1.1 * row);
    assert_true(rows < 64 || p.expected_seconds < 1.5 * p.memory_seconds);
    before = p.expected_seconds;
  }
  roof_predict(&target, op, (double[ROOF_PARAM_MAX]){1, 1e7, 2}, &p);
  int said = 0;
  for (int i = roof_effects_of(&target, &p, parts) - 1; i >= 0; i--) {
    said += strcmp(parts[i].text, "1 part draws too little of the bandwidth") == 0;
  }
  assert_int_equal(said, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_effects_make_the_expected_time),
      cmocka_unit_test(a_small_copy_takes_the_latency),
      cmocka_unit_test(a_host_covers_short_kernels),
      cmocka_unit_test(rows_are_read_again),
      cmocka_unit_test(activations_read_slowly),
      cmocka_unit_test(weights_are_not_kept),
      cmocka_unit_test(convolutions_fill_tiles),
      cmocka_unit_test(convolutions_take_the_faster_way),
      cmocka_unit_test(hosts_take_as_long_as_what_they_make),
      cmocka_unit_test(without_effects_a_share_of_the_bound),
      cmocka_unit_test(measured_ceilings_are_not_discounted_twice),
      cmocka_unit_test(the_cache_may_keep_what_fits),
      cmocka_unit_test(lower_grows_with_the_bytes),
      cmocka_unit_test(effects_of_attention_start_at_the_bound),
      cmocka_unit_test(effects_agree_on_the_split),
      cmocka_unit_test(few_sequences_are_split_over_the_units),
      cmocka_unit_test(each_wave_of_sequences_costs_its_start),
      cmocka_unit_test(a_framework_has_constants_of_its_own),
      cmocka_unit_test(short_prompts_are_prompts),
      cmocka_unit_test(what_is_stored_narrower_has_constants_of_its_own),
      cmocka_unit_test(heads_of_too_large_a_group_read_their_own_keys),
      cmocka_unit_test(blocks_of_a_single_head_share_a_unit),
      cmocka_unit_test(one_group_is_of_experts),
      cmocka_unit_test(names_are_read_as_they_are_written),
      cmocka_unit_test(constants_are_written_and_read),
      cmocka_unit_test(a_collective_has_a_floor),
      cmocka_unit_test(experts_take_tiles_of_their_rows),
      cmocka_unit_test(few_rows_of_an_expert_take_a_small_tile),
      cmocka_unit_test(rows_of_an_expert_take_no_less_time),
      cmocka_unit_test(few_rows_draw_what_their_units_can),
      cmocka_unit_test(vector_lanes_fill_up_no_tiles),
      cmocka_unit_test(vector_lanes_go_by_their_own_rate),
      cmocka_unit_test(what_two_families_show_leaves_no_wide_interval),
  };
  return cmocka_run_group_tests(tests, start, end);
}
