/* A model on a device and its host together: memory is where the layers are, and times are of what each computes. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/hybrid.h"
#include "roofline/weights.h"

static roof_model qwen, llama;
static roof_machine *device, *host;

static int setup(void **state) {
  (void)state;
  bool ready = roof_model_load("qwen3-235b-a22b", &qwen, NULL) == ROOF_OK &&
               roof_model_load("llama-3.1-8b", &llama, NULL) == ROOF_OK &&
               roof_catalog_load("rtx-4090", &device, NULL) == ROOF_OK &&
               roof_catalog_load("amd-epyc-9654", &host, NULL) == ROOF_OK;
  return ready ? 0 : -1;
}

static int teardown(void **state) {
  (void)state;
  roof_machine_free(device);
  roof_machine_free(host);
  return 0;
}

static roof_hybrid way_of(const roof_model *model, roof_hybrid_kind kind, double host_bytes) {
  roof_model_settings s = roof_model_settings_default(model);
  roof_hybrid way = {.layers = -1};
  assert_int_equal(roof_model_precision_parse("w4a16", &s.precision, NULL), ROOF_OK);
  const roof_hybrid_question q = {model, &s, device, host, host_bytes};
  assert_int_equal(roof_hybrid_of(&q, kind, &way, NULL), ROOF_OK);
  return way;
}

/** The fewest layers on the host with which the device's memory suffices: with one less it does not. */
static void no_more_is_on_the_host_than_must_be(void **state) {
  (void)state;
  const roof_hybrid_kind kinds[] = {ROOF_HYBRID_EXPERTS, ROOF_HYBRID_LAYERS};
  for (int i = 0; i < 2; i++) {
    roof_hybrid way = way_of(&qwen, kinds[i], NAN);
    assert_true(way.fits && way.layers > 0 && way.layers < way.of);
    assert_true(way.device_bytes <= way.device_capacity_bytes);
    double all = way.device_bytes + way.host_bytes, most = way_of(&qwen, ROOF_HYBRID_HOST, NAN).host_bytes;
    assert_near(all, most, 1e-12);
    assert_true(way.device_bytes + way.host_bytes / way.layers > way.device_capacity_bytes);
  }
}

/** Experts alone leave attention on the device: with as little memory they answer sooner. */
static void experts_cost_less_than_layers(void **state) {
  (void)state;
  roof_hybrid experts = way_of(&qwen, ROOF_HYBRID_EXPERTS, NAN),
              layers = way_of(&qwen, ROOF_HYBRID_LAYERS, NAN);
  roof_hybrid alone = way_of(&qwen, ROOF_HYBRID_HOST, NAN);
  assert_true(experts.tokens_per_second > layers.tokens_per_second);
  assert_true(layers.tokens_per_second > alone.tokens_per_second);
  assert_near(experts.tokens_per_second, 1 / experts.token_seconds, 1e-12);
  assert_true(experts.token_low_seconds < experts.token_seconds &&
              experts.token_seconds < experts.token_high_seconds);
  assert_true(experts.link_seconds > layers.link_seconds);
}

static void what_does_not_fit_has_no_times(void **state) {
  (void)state;
  roof_hybrid way = way_of(&qwen, ROOF_HYBRID_DEVICE, NAN);
  assert_true(!way.fits && way.short_bytes > 0 && isnan(way.tokens_per_second));
  way = way_of(&qwen, ROOF_HYBRID_EXPERTS, 1e9);
  assert_true(!way.fits && way.short_bytes == way.host_bytes - 1e9);
}

/** A model that fits is as `model` has it, and the host alone is the host's own answer. */
static void the_ends_are_those_of_one_machine(void **state) {
  (void)state;
  static roof_model_target target;
  static roof_model_answer answer;
  const roof_hybrid_kind kinds[] = {ROOF_HYBRID_DEVICE, ROOF_HYBRID_HOST};
  for (int i = 0; i < 2; i++) {
    roof_model_settings s = roof_model_settings_default(&llama);
    assert_int_equal(roof_model_precision_parse("w4a16", &s.precision, NULL), ROOF_OK);
    assert_int_equal(roof_model_target_init(&target, &llama, i == 0 ? device : host, &s, NULL), ROOF_OK);
    roof_model_answer_of(&target, &answer);
    roof_hybrid way = way_of(&llama, kinds[i], NAN);
    assert_near(way.token_seconds, answer.tpot_seconds, 1e-9);
    assert_near(way.prompt_seconds, answer.ttft_seconds, 1e-9);
  }
}

static void what_is_typed_for_llama_cpp(void **state) {
  (void)state;
  char text[64];
  const roof_hybrid experts = {.kind = ROOF_HYBRID_EXPERTS, .layers = 20, .of = 48};
  const roof_hybrid layers = {.kind = ROOF_HYBRID_LAYERS, .layers = 41, .of = 80};
  const roof_hybrid alone = {.kind = ROOF_HYBRID_HOST, .layers = 80, .of = 80};
  assert_string_equal(roof_hybrid_options(&experts, text, sizeof text), "-ngl 99 --n-cpu-moe 20");
  assert_string_equal(roof_hybrid_options(&layers, text, sizeof text), "-ngl 40");
  assert_string_equal(roof_hybrid_options(&alone, text, sizeof text), "-ngl 0");
}

static void what_cannot_be_shared_is_refused(void **state) {
  (void)state;
  roof_model_settings s = roof_model_settings_default(&llama);
  roof_hybrid way;
  roof_error error;
  const roof_hybrid_question q = {&llama, &s, device, host, NAN};
  assert_int_equal(roof_hybrid_of(&q, ROOF_HYBRID_EXPERTS, &way, &error), ROOF_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, "has no experts"));
  assert_string_equal(roof_hybrid_name(ROOF_HYBRID_COUNT, NULL), "?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_more_is_on_the_host_than_must_be),
      cmocka_unit_test(experts_cost_less_than_layers),
      cmocka_unit_test(what_does_not_fit_has_no_times),
      cmocka_unit_test(the_ends_are_those_of_one_machine),
      cmocka_unit_test(what_is_typed_for_llama_cpp),
      cmocka_unit_test(what_cannot_be_shared_is_refused),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
