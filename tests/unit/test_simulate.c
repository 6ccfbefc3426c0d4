/* A plan of the search under its load: the simulation is near the closed form where that is exact, and never under the step. */
#include "test.h"

#include <math.h>

#include "owned.h"
#include "roofline/catalog.h"
#include "roofline/simulate.h"
#include "roofline/weights.h"

static roof_model llama;
static roof_model_settings settings;
static roof_model_precisions precisions;
static roof_choices choices;

static void a_light_load_is_as_the_search_says(void **state) {
  (void)state;
  owned roof_machine *h100 = NULL;
  roof_service_answer a;
  assert_int_equal(roof_model_load("llama-3.1-8b", &llama, NULL), ROOF_OK);
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  settings = roof_model_settings_default(&llama);
  settings.chunk = settings.prompt; /* whole prompts */
  assert_int_equal(roof_model_precisions_parse(NULL, &settings.precision, &precisions, NULL), ROOF_OK);
  const roof_offer offer = {h100, 2};
  roof_choice_question q = {&llama,      &settings,
                            &precisions, &offer,
                            1,           {.devices = 1, .ttft_seconds = NAN, .tpot_seconds = NAN, .rate = 1}};
  assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
  assert_int_equal(roof_choice_simulate(&q, &choices.list[0], &a, NULL), ROOF_OK);
  assert_false(a.overloaded);
  assert_near(a.ttft.mean, choices.list[0].point.ttft_seconds, 0.15);
  assert_near(a.tpot.mean, choices.list[0].point.tpot_seconds, 0.15);
  assert_near(a.requests_per_second, 1, 0.1);
  roof_choice none = choices.list[0];
  none.point.batch = 0;
  assert_int_equal(roof_choice_simulate(&q, &none, &a, NULL), ROOF_E_ARGUMENT);
}

/** A limit between what the closed form says and what the load brings. */
static void what_fails_under_its_load_is_refused(void **state) {
  (void)state;
  owned roof_machine *h100 = NULL;
  roof_service_answer a;
  bool simulated;
  char why[128];
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  settings.generate = 500;
  const roof_offer offer = {h100, 2};
  roof_choice_question q = {&llama, &settings, &precisions,
                            &offer, 1,         {.devices = 1, .tpot_seconds = NAN, .rate = 4, .share = 0.9}};
  q.limits.ttft_seconds = 10;
  assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
  assert_int_equal(roof_choices_simulate(&q, &choices, &a, &simulated, NULL), ROOF_OK);
  assert_true(simulated && choices.meeting == 1 && choices.count == 1);
  assert_true(a.ttft.p90 > choices.list[0].point.ttft_seconds);

  q.limits.ttft_seconds = (a.ttft.p90 + choices.list[0].point.ttft_seconds) / 2;
  assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
  assert_int_equal(choices.meeting, 1);
  assert_int_equal(roof_choices_simulate(&q, &choices, &a, &simulated, NULL), ROOF_OK);
  assert_true(!simulated && choices.meeting == 0 && choices.count == 1);
  assert_true(choices.list[0].result == ROOF_CHOICE_SLOW && choices.list[0].point.ttft_seconds == a.ttft.p90);
  assert_non_null(strstr(roof_choice_why(&q, &choices.list[0], why, sizeof why), "over the limit"));
  roof_choices_refuse(&q, &choices, 1, 1);
  assert_int_equal(choices.count, 1);
}

/** The next takes the place of a refused one; one that cannot keep up says so. */
static void the_next_is_first(void **state) {
  (void)state;
  owned roof_machine *h100 = NULL, *h200 = NULL;
  char why[128];
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  assert_int_equal(roof_catalog_load("h200", &h200, NULL), ROOF_OK);
  const roof_offer offers[] = {{h100, 2}, {h200, 9}};
  roof_choice_question q = {
      &llama, &settings, &precisions,
      offers, 2,         {.devices = 1, .ttft_seconds = 10, .tpot_seconds = NAN, .rate = 1, .share = 0.9}};
  assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
  assert_true(choices.meeting == 2 && choices.list[0].offer == 0);
  roof_choices_refuse(&q, &choices, INFINITY, INFINITY);
  assert_true(choices.meeting == 1 && choices.count == 2 && choices.list[0].offer == 1);
  assert_string_equal(roof_choice_why(&q, &choices.list[1], why, sizeof why),
                      "cannot keep up with 1 requests/s");
}

static void shares_have_their_time(void **state) {
  (void)state;
  const roof_service_times t = {.mean = 1, .p50 = 2, .p90 = 3, .p99 = 4};
  assert_true(roof_service_time_at(&t, 0) == 1 && roof_service_time_at(&t, 0.5) == 2);
  assert_true(roof_service_time_at(&t, 0.9) == 3 && roof_service_time_at(&t, 0.99) == 4);
  assert_true(isnan(roof_service_time_at(&t, 0.75)));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_light_load_is_as_the_search_says),
                                     cmocka_unit_test(what_fails_under_its_load_is_refused),
                                     cmocka_unit_test(the_next_is_first),
                                     cmocka_unit_test(shares_have_their_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
