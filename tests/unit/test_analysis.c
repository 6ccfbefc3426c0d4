/* What a model's answer is made of: sums by kind, sides, formats, ways to launch. */
#include "test.h"

#include <string.h>

#include "roofline/analysis.h"
#include "roofline/catalog.h"
#include "roofline/weights.h"

static roof_machine *machine;
static roof_model llama;
static roof_model_target target;
static roof_model_answer answer;

static int setup(void **state) {
  (void)state;
  if (roof_catalog_load("h100", &machine, NULL) != ROOF_OK ||
      roof_model_load("llama-3.1-8b", &llama, NULL) != ROOF_OK) {
    return -1;
  }
  roof_model_settings s = roof_model_settings_default(&llama);
  if (roof_model_target_init(&target, &llama, machine, &s, NULL) != ROOF_OK) {
    return -1;
  }
  roof_model_answer_of(&target, &answer);
  return 0;
}

/** Kinds together are the phase; products of one token are of vectors. */
static void kinds_make_the_phase(void **state) {
  (void)state;
  for (int i = 0; i < ROOF_PHASE_COUNT; i++) {
    const roof_model_phase *p = &answer.phases[i];
    roof_model_kind kinds[ROOF_OPERATION_KIND_COUNT];
    int count = roof_model_kinds(p, kinds);
    double flops = 0, bytes = 0, share = 0, kernels = 0, joules = 0;
    assert_true(p->present ? count > 2 && p->kind == (roof_phase)i : count == 0);
    for (int k = 0; k < count; k++) {
      flops += kinds[k].flops;
      bytes += kinds[k].bytes;
      share += kinds[k].share;
      kernels += kinds[k].kernels;
      joules += kinds[k].joules;
      assert_true(kinds[k].phase == (roof_phase)i && kinds[k].seconds > 0);
      if (kinds[k].kind == ROOF_KIND_PRODUCT) {
        assert_string_equal(kinds[k].name, i == ROOF_PHASE_DECODE ? "GEMV" : "GEMM");
        assert_int_equal(kinds[k].regime, i == ROOF_PHASE_DECODE ? ROOF_MEMORY_BOUND : ROOF_COMPUTE_BOUND);
      }
    }
    if (p->present) {
      assert_near(flops, p->flops, 1e-12);
      assert_near(bytes, p->memory_bytes, 1e-12);
      assert_near(kernels, p->kernels, 1e-12);
      assert_near(joules, p->energy_joules, 1e-12);
      assert_near(share, 1, 1e-12);
    }
  }
}

static void sides(void **state) {
  (void)state;
  roof_model_side s = {.ridge = 7};
  assert_false(roof_model_phase_side(&answer.phases[ROOF_PHASE_TRAIN], &s));
  assert_true(s.ridge == 7);
  assert_true(roof_model_phase_side(&answer.phases[ROOF_PHASE_PREFILL], &s));
  assert_true(s.compute && s.intensity > s.ridge);
  assert_true(roof_model_phase_side(&answer.phases[ROOF_PHASE_DECODE], &s));
  assert_true(!s.compute && s.intensity < s.ridge && s.most == ROOF_BYTES_WEIGHTS && s.most_share > 0.9);
}

static void formats(void **state) {
  (void)state;
  roof_model_format f[ROOF_PART_COUNT];
  int count = roof_model_formats(&target, f);
  assert_int_equal(count, 3); /* no experts, no router */
  for (int i = 0; i < count; i++) {
    assert_string_equal(f[i].name, "bf16");
    assert_true(f[i].bytes == 2 && f[i].native && f[i].compute == ROOF_BF16);
    assert_near(f[i].ridge, 295.2, 1e-3);
    assert_true(f[i].batch == ceil(f[i].ridge));
  }
}

/** An A100 multiplies no fp8: those weights are dequantised, and what is kept as it is does not count as quantised. */
static void formats_without_a_path(void **state) {
  (void)state;
  roof_machine *a100 = NULL;
  roof_model_settings s = roof_model_settings_default(&llama);
  roof_model_target t;
  roof_model_format f[ROOF_PART_COUNT];
  char text[64];
  assert_int_equal(roof_catalog_load("a100", &a100, NULL), ROOF_OK);
  assert_string_equal(roof_model_own_formats(&llama, &s.precision, text, sizeof text), "");
  assert_int_equal(roof_model_precision_parse("mlp=fp8", &s.precision, NULL), ROOF_OK);
  assert_string_equal(roof_model_own_formats(&llama, &s.precision, text, sizeof text), "mlp fp8");
  assert_int_equal(roof_model_target_init(&t, &llama, a100, &s, NULL), ROOF_OK);
  assert_int_equal(roof_model_formats(&t, f), 3);
  for (int i = 0; i < 3; i++) {
    bool mlp = f[i].part == ROOF_PART_MLP;
    assert_true(f[i].quantized == mlp && f[i].native == !mlp && f[i].lacks == mlp);
    assert_true(f[i].wanted == (mlp ? ROOF_FP8 : ROOF_BF16) && f[i].compute == ROOF_BF16);
  }
  roof_machine_free(a100);
}

static void what_binds(void **state) {
  (void)state;
  const roof_model_phase *p = &answer.phases[ROOF_PHASE_DECODE];
  for (int i = 0; i < p->count; i++) {
    const roof_model_operation *o = &p->operations[i];
    const char *name = roof_model_operation_binding(&target, o);
    assert_string_equal(name, o->regime == ROOF_MEMORY_BOUND ? o->level->name : roof_regime_name(o->regime));
  }
  roof_model_operation sent = {.regime = ROOF_NETWORK_BOUND, .span = ROOF_SPAN_CLUSTER};
  assert_string_equal(roof_model_operation_binding(&target, &sent), target.links[ROOF_SPAN_CLUSTER].name);
}

static void ways_to_launch(void **state) {
  (void)state;
  roof_model_launches ways[ROOF_LAUNCH_COUNT];
  assert_int_equal(roof_model_launches_of(&target, ways, NULL), ROOF_OK);
  for (int i = 0; i < ROOF_LAUNCH_COUNT; i++) {
    assert_true(ways[i].launch == (roof_launch)i && ways[i].chosen == (i == ROOF_LAUNCH_GRAPH));
  }
  const roof_model_launches *graph = &ways[ROOF_LAUNCH_GRAPH];
  assert_true(graph->step_seconds == answer.phases[ROOF_PHASE_DECODE].expected_seconds);
  assert_true(graph->ttft_seconds == answer.ttft_seconds && graph->barriers == 0);
  assert_true(graph->layer_kernels == graph->kernels / 32);
  assert_true(ways[ROOF_LAUNCH_EAGER].step_seconds > graph->step_seconds);
  assert_true(ways[ROOF_LAUNCH_PERSISTENT].barriers > 100);
  roof_model_target wrong = target;
  roof_error error = {0};
  wrong.settings.batch = 0;
  ways[0].kernels = 7;
  assert_int_equal(roof_model_launches_of(&wrong, ways, &error), ROOF_E_ARGUMENT);
  assert_true(ways[0].kernels == 7);
}

static void said_in_words(void **state) {
  (void)state;
  roof_text text = {0};
  roof_model_training run = {.tokens = 1e12,
                             .steps = 10,
                             .seconds = 2 * 86400,
                             .low_seconds = 86400,
                             .high_seconds = 3 * 86400,
                             .device_seconds = 7200,
                             .price = 5};
  roof_model_describe(&text, &target, &answer);
  assert_non_null(strstr(text.data, "  model       llama: 8.03 B parameters; 32 layers of width 4096"));
  assert_non_null(strstr(text.data, "  memory      "));
  assert_null(strstr(text.data, "  plan        ")); /* one device has none */
  roof_model_rates_describe(&text, &target, &answer);
  assert_non_null(strstr(text.data, "  rates       "));
  roof_text_done(&text);
  const roof_listed_price listed = {.value = 2.5, .source = "a page", .date = "2026-11-01"};
  target.settings.price = 2.5;
  roof_model_training_describe(&text, &run, &target.settings, NAN, NULL);
  assert_non_null(strstr(text.data, "10 steps, 2 days (1 to 3)"));
  assert_non_null(strstr(text.data, "2 device-hours"));
  roof_text_done(&text);
  const roof_failures failures = {.lost = 0.5, .seconds = 2 * run.seconds, .between_seconds = 3600};
  roof_model_training_describe(&text, &run, &target.settings, NAN, &failures);
  assert_non_null(strstr(text.data, "4 days with them"));
  assert_non_null(strstr(text.data, "4 device-hours"));
  roof_text_done(&text);
  run.tokens = NAN;
  roof_model_training_describe(&text, &run, &target.settings, NAN, NULL);
  assert_true(text.length == 0);
  target.settings.listed = &listed;
  roof_model_training_describe(&text, &run, &target.settings, 0.25, NULL);
  assert_string_equal(
      text.data, "  cost        0.25 per million tokens at 2.5 per device and hour (a page, 2026-11-01)\n");
  roof_text_done(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_make_the_phase),
      cmocka_unit_test(sides),
      cmocka_unit_test(formats),
      cmocka_unit_test(formats_without_a_path),
      cmocka_unit_test(what_binds),
      cmocka_unit_test(ways_to_launch),
      cmocka_unit_test(said_in_words),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
