/* Kernels of attention that engines have on some machines alone: fp8 keys on Hopper, windows before it, a latent on Ampere. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "roofline/catalog.h"
#include "roofline/effects.h"
#include "roofline/ops.h"
#include "roofline/shape.h"

/** Seconds of attention on a machine of the catalogue, or on one like it whose family nobody knows: where no engine has a kernel
 * of its own. */
static double seconds_on(const char *name, bool of_family, const char *framework, roof_dtype kv,
                         const char *op_name, const char *shape, unsigned without) {
  roof_machine *machine = NULL;
  roof_types types = roof_types_of(ROOF_BF16);
  roof_options options = roof_options_default();
  roof_target target;
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p;
  types.kv = kv;
  options.framework = framework;
  options.without = without;
  assert_int_equal(roof_catalog_load(name, &machine, NULL), ROOF_OK);
  if (!of_family) {
    machine->family[0] = '\0';
  }
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find(op_name, &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, shape, values, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  roof_machine_free(machine);
  return p.expected_seconds;
}

/** What the family makes of the time but for looking sequences up: 1 where it has no kernel of its own. */
static double gain_of(const char *name, const char *framework, roof_dtype kv, const char *shape) {
  unsigned waves = 1u << ROOF_EFFECT_WAVES;
  return seconds_on(name, true, framework, kv, "attention", shape, waves) /
         seconds_on(name, false, framework, kv, "attention", shape, waves);
}

/** Groups of up to 32 heads of 128 elements and more are multiplied in fp8 on Hopper, without a kernel before. */
static void fp8_keys_have_a_kernel_on_hopper(void **state) {
  (void)state;
  static const struct {
    const char *machine, *framework, *shape;
    roof_dtype kv;
    bool own;
  } cases[] = {{"h200", "trtllm", "heads=64 kv_heads=8 head_dim=128", ROOF_FP8, true},
               {"h100", "trtllm", "heads=32 kv_heads=4 head_dim=256", ROOF_FP8, true},
               {"h200", "trtllm", "heads=64 kv_heads=8 head_dim=64", ROOF_FP8, false},
               {"h200", "trtllm", "heads=64 kv_heads=64 head_dim=128", ROOF_FP8, false},
               {"h200", "trtllm", "heads=64 kv_heads=1 head_dim=128", ROOF_FP8, false},
               {"h200", "trtllm", "heads=64 kv_heads=8 head_dim=128", ROOF_BF16, false},
               {"h200", "vllm", "heads=64 kv_heads=8 head_dim=128", ROOF_FP8, false},
               {"b200", "trtllm", "heads=64 kv_heads=8 head_dim=128", ROOF_FP8, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char shape[128];
    snprintf(shape, sizeof shape, "batch=64 q_len=1 kv_len=256 %s", cases[i].shape);
    double gain = gain_of(cases[i].machine, cases[i].framework, cases[i].kv, shape);
    assert_true(cases[i].own ? gain < 0.85 : gain == 1);
  }
}

/** What it saves of the latency is none of an expected time without latency. */
static void the_kernel_before_is_latency(void **state) {
  (void)state;
  static const char shape[] = "batch=1 q_len=1 kv_len=2 heads=8 kv_heads=1 head_dim=128";
  unsigned latency = 1u << ROOF_EFFECT_LATENCY;
  assert_true(seconds_on("h200", true, "trtllm", ROOF_FP8, "attention", shape, latency) > 0);
  assert_true(gain_of("h200", "trtllm", ROOF_FP8, shape) < 0.75);
}

/** FlashAttention 2 takes heads one by one as soon as there is a window, though it may have room for more keys. */
static void windows_part_the_heads_before_hopper(void **state) {
  (void)state;
  static const char shape[] = "batch=128 q_len=1 heads=32 kv_heads=4 head_dim=128 kv_len=";
  static const struct {
    const char *machine, *framework, *keys;
    roof_dtype kv;
    bool parts;
  } cases[] = {{"l40s", "vllm", "4096 window=128", ROOF_BF16, true},
               {"l40s", "vllm", "128 window=1024", ROOF_BF16, true},
               {"l40s", "vllm", "128", ROOF_BF16, false},
               {"l40s", "vllm", "4096 window=128", ROOF_FP8, false},
               {"l40s", "trtllm", "128 window=1024", ROOF_BF16, false},
               {"h200", "vllm", "4096 window=128", ROOF_BF16, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char windowed[128], whole[128];
    snprintf(windowed, sizeof windowed, "%s%s", shape, cases[i].keys);
    snprintf(whole, sizeof whole, "%s128", shape);
    double ratio =
        seconds_on(cases[i].machine, true, cases[i].framework, cases[i].kv, "attention", windowed, 0) /
        seconds_on(cases[i].machine, true, cases[i].framework, cases[i].kv, "attention", whole, 0);
    assert_true(cases[i].parts ? ratio > 3 : ratio < 2);
  }
}

/** Before Hopper keys of a latent are not split, and 64 heads take as long as one. */
static void a_latent_is_read_by_one_block_on_ampere(void **state) {
  (void)state;
  static const char few[] = "batch=1 heads=16 q_len=1 kv_len=1024",
                    many[] = "batch=1 heads=16 q_len=1 kv_len=65536",
                    one[] = "batch=1 heads=1 q_len=1 kv_len=65536",
                    most[] = "batch=1 heads=64 q_len=1 kv_len=65536";
  double split = seconds_on("h200", true, "trtllm", ROOF_BF16, "mla", many, 0) /
                 seconds_on("h200", true, "trtllm", ROOF_BF16, "mla", few, 0);
  double whole = seconds_on("a100", true, "trtllm", ROOF_BF16, "mla", many, 0) /
                 seconds_on("a100", true, "trtllm", ROOF_BF16, "mla", few, 0);
  assert_true(split < 8 && whole > 30);
  assert_true(seconds_on("a100", true, "trtllm", ROOF_BF16, "mla", most, 0) <
              1.3 * seconds_on("a100", true, "trtllm", ROOF_BF16, "mla", one, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fp8_keys_have_a_kernel_on_hopper),
      cmocka_unit_test(the_kernel_before_is_latency),
      cmocka_unit_test(windows_part_the_heads_before_hopper),
      cmocka_unit_test(a_latent_is_read_by_one_block_on_ampere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
