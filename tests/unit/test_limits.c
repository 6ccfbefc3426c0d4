/* Limits of plans and loads of services as they are typed. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "roofline/catalog.h"
#include "roofline/choice.h"
#include "roofline/service.h"
#include "roofline/weights.h"

static void test_limits_are_read(void **state) {
  (void)state;
  roof_plan_limits l;
  assert_int_equal(roof_plan_limits_read(&(roof_plan_limits_text){0}, &l, NULL), ROOF_OK);
  assert_true(l.devices == 0 && isnan(l.ttft_seconds) && isnan(l.tpot_seconds) && l.rate == 0 &&
              l.share == 0.9);
  const roof_plan_limits_text typed = {
      .devices = "8", .ttft = "500ms", .tpot = "0.02", .rate = "240/min", .percentile = "p99"};
  assert_int_equal(roof_plan_limits_read(&typed, &l, NULL), ROOF_OK);
  assert_true(l.devices == 8 && l.ttft_seconds == 0.5 && l.tpot_seconds == 0.02 && l.rate == 4 &&
              l.share == 0.99);
}

static void test_limits_that_are_none_change_nothing(void **state) {
  (void)state;
  const roof_plan_limits_text wrong[] = {
      {.ttft = "0s"}, {.tpot = "fast"}, {.rate = "4/day"}, {.percentile = "20"}, {.devices = "-1"}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    roof_plan_limits l = {.devices = 3};
    roof_error error = {0};
    assert_int_not_equal(roof_plan_limits_read(&wrong[i], &l, &error), ROOF_OK);
    assert_true(l.devices == 3 && error.message[0] == '-');
  }
}

/** Nobody means 20 s per token: a long time says its unit, on plans and services alike. */
static void test_a_long_time_has_a_unit(void **state) {
  (void)state;
  static const struct {
    const char *ttft, *tpot, *wrong;
  } cases[] = {{.tpot = "20", .wrong = "--tpot 20: 20 s? write 20ms, or 20s"},
               {.ttft = "200", .wrong = "--ttft 200: 200 s? write 200ms, or 200s"},
               {.ttft = "60", .tpot = "1"},
               {.ttft = "200s", .tpot = "20s"},
               {.ttft = "0.2", .tpot = "20 ms"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_error error = {0};
    roof_plan_limits l;
    const roof_plan_limits_text typed = {.ttft = cases[i].ttft, .tpot = cases[i].tpot};
    roof_status status = roof_plan_limits_read(&typed, &l, &error);
    assert_int_equal(status, cases[i].wrong != NULL ? ROOF_E_ARGUMENT : ROOF_OK);
    assert_string_equal(error.message, cases[i].wrong != NULL ? cases[i].wrong : "");
  }
}

/** A service that was prepared for nothing keeps nothing. */
static void test_a_load_that_is_none_leaves_an_empty_study(void **state) {
  (void)state;
  roof_machine *machine = NULL;
  roof_model *model = malloc(sizeof *model);
  roof_model_target *target = malloc(sizeof *target);
  roof_service_study study;
  assert_int_equal(roof_catalog_load("h100", &machine, NULL), ROOF_OK);
  assert_int_equal(roof_model_load("llama-3.1-8b", model, NULL), ROOF_OK);
  roof_model_settings settings = roof_model_settings_default(model);
  roof_service_text typed = {.rate = "1..4*2"};
  const char *const words[] = {"prompt=uniform:100:300", "generate=20", "batch=8"};
  assert_int_equal(roof_service_settings_read(words, 3, &settings, &typed, NULL), ROOF_OK);
  assert_true(settings.prompt == 200 && settings.generate == 20 &&
              settings.memory_share == ROOF_ENGINE_MEMORY_SHARE);
  assert_int_equal(roof_service_target_init(target, model, machine, &settings, NULL), ROOF_OK);
  assert_int_equal(roof_service_study_init(&study, target, &typed, NULL), ROOF_OK);
  assert_true(study.count == 3 && study.rates[2] == 4 && study.settings.sequences == 8);
  assert_true(study.settings.prompt.kind == ROOF_LENGTHS_UNIFORM);
  roof_service_study_done(&study);
  typed.route = "nearest";
  assert_int_equal(roof_service_study_init(&study, target, &typed, NULL), ROOF_E_NAME);
  assert_true(study.service == NULL && study.rates == NULL);
  free(target);
  free(model);
  roof_machine_free(machine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limits_are_read),
      cmocka_unit_test(test_limits_that_are_none_change_nothing),
      cmocka_unit_test(test_a_long_time_has_a_unit),
      cmocka_unit_test(test_a_load_that_is_none_leaves_an_empty_study),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
