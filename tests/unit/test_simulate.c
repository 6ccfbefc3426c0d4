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

/** A limit between what the closed form says and what the load brings: more devices are tried. */
static void what_fails_under_its_load_takes_more_devices(void **state) {
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
  const roof_choice *best = &choices.list[0];
  q.limits.ttft_seconds = 10;
  assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
  double formula = best->point.ttft_seconds;
  assert_false(best->simulated);
  assert_int_equal(roof_choices_simulate(&q, &choices, &a, &simulated, NULL), ROOF_OK);
  assert_true(simulated && choices.meeting == 1 && choices.count == 1 && best->simulated);
  assert_true(a.ttft.p90 > formula && best->point.ttft_seconds == a.ttft.asked);
  assert_near(best->high.ttft_seconds / best->low.ttft_seconds, 1.5, 0.3);

  q.limits.ttft_seconds = (a.ttft.p90 + formula) / 2;
  assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
  assert_int_equal(choices.meeting, 1);
  assert_int_equal(roof_choices_simulate(&q, &choices, &a, &simulated, NULL), ROOF_OK);
  assert_true(!simulated && choices.meeting == 0 && choices.count == 1);
  assert_true(best->result == ROOF_CHOICE_SLOW && best->point.ttft_seconds == a.ttft.asked);
  assert_non_null(strstr(roof_choice_why(&q, best, why, sizeof why), "simulated: TTFT "));

  q.limits.devices = 0;
  assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
  assert_true(best->devices == 1);
  assert_int_equal(roof_choices_simulate(&q, &choices, &a, &simulated, NULL), ROOF_OK);
  assert_true(simulated && choices.meeting == 1 && best->devices > 1);
  assert_true(best->point.ttft_seconds <= q.limits.ttft_seconds);
  assert_true(choices.fewer[0].devices == 1 && choices.fewer[0].simulated);
}

static void what_cannot_keep_up_says_so(void **state) {
  (void)state;
  char why[128];
  roof_choice_question q = {.limits = {.rate = 3}};
  const roof_choice c = {.result = ROOF_CHOICE_SLOW, .simulated = true, .point = {.batch = 1, .busy = 1}};
  assert_string_equal(roof_choice_why(&q, &c, why, sizeof why), "cannot keep up with 3 requests/s");
}

/** Users begin all at once, which says nothing of a service in full swing. */
static void the_first_burst_of_users_does_not_count(void **state) {
  (void)state;
  owned roof_machine *h100 = NULL;
  roof_service_answer a;
  roof_model_settings brief = settings;
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  brief.prompt = brief.chunk = 256, brief.generate = 64;
  const roof_offer offer = {h100, 2};
  roof_choice_question q = {
      &llama, &brief, &precisions,
      &offer, 1,      {.devices = 1, .ttft_seconds = NAN, .tpot_seconds = NAN, .users = 500, .share = 0.75}};
  assert_int_equal(roof_choices_of(&q, &choices, NULL), ROOF_OK);
  assert_int_equal(roof_choice_simulate(&q, &choices.list[0], &a, NULL), ROOF_OK);
  assert_true(a.ttft.p90 < 100 * choices.list[0].point.prompt_seconds);
  assert_true(a.requests == 6500 && a.ttft.count == 5000);
  assert_true(a.ttft.p50 <= a.ttft.asked && a.ttft.asked <= a.ttft.p90);
}

/** Replicas admit as many sequences each as the service does, however many replicas there are. */
static void replicas_take_as_long_as_their_service(void **state) {
  (void)state;
  static roof_model_target target;
  owned roof_machine *h100 = NULL;
  roof_service *service = NULL;
  roof_service_answer planned, served;
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  roof_model_settings s = roof_model_settings_default(&llama);
  s.prompt = 2000, s.generate = 200;
  const roof_offer offer = {h100, 2};
  const roof_choice_question q = {
      &llama, &s, &precisions,
      &offer, 1,  {.devices = 2, .ttft_seconds = NAN, .tpot_seconds = NAN, .rate = 20, .share = 0.9}};
  const roof_choice c = {.point = {.tp = 1, .pp = 1, .dp = 2, .ep = 1, .cp = 1, .batch = 4}};
  assert_int_equal(roof_choice_simulate(&q, &c, &planned, NULL), ROOF_OK);

  s.dp = s.batch = 2;
  assert_int_equal(roof_model_target_init(&target, &llama, h100, &s, NULL), ROOF_OK);
  assert_int_equal(roof_service_new(&target, &service, NULL), ROOF_OK);
  roof_service_settings load = roof_service_settings_default(&target);
  load.rate = 20, load.requests = 2000, load.sequences = 256, load.share = 0.9, load.whole_prompts = true;
  load.budget = s.prompt + load.sequences;
  load.host_seconds = load.host_token_seconds = 0;
  assert_int_equal(roof_service_run(service, &load, &served, NULL), ROOF_OK);
  assert_near(planned.ttft.asked, served.ttft.asked, 0.001);
  assert_near(planned.tpot.asked, served.tpot.asked, 0.001);
  roof_service_free(service);
}

/** Two pools of equal instances, run for the plan, take as long as the service with as many replicas of which some prefill. */
static void two_pools_take_as_long_as_their_service(void **state) {
  (void)state;
  static roof_model_target target;
  owned roof_machine *h100 = NULL;
  roof_service *service = NULL;
  roof_service_answer planned, served;
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  roof_model_settings s = roof_model_settings_default(&llama);
  s.prompt = 4000;
  const roof_offer offer = {h100, 2};
  const roof_choice_question q = {
      &llama, &s, &precisions,
      &offer, 1,  {.ttft_seconds = 1, .tpot_seconds = 0.05, .rate = 40, .share = 0.9}};
  roof_apart a;
  assert_int_equal(roof_apart_of(&q, &a, NULL), ROOF_OK);
  a.prefill.tp = a.decode.tp = 2, a.prefill.pp = a.decode.pp = 1;
  a.prefill.instances = 5, a.decode.instances = 3, a.decode.batch = 256;

  s.tp = 2, s.dp = s.batch = 8;
  assert_int_equal(roof_model_target_init(&target, &llama, h100, &s, NULL), ROOF_OK);
  assert_int_equal(roof_service_new(&target, &service, NULL), ROOF_OK);
  roof_service_settings load = roof_service_settings_default(&target);
  load.rate = 40, load.requests = 2000, load.prefills = 5, load.sequences = 256, load.share = 0.9;
  load.host_seconds = load.host_token_seconds = 0;
  assert_int_equal(roof_service_run(service, &load, &served, NULL), ROOF_OK);
  a.transfer_seconds = 4000 * roof_model_capacity_of(&target).kv_bytes_per_token / 50e9;
  assert_int_equal(roof_apart_simulate(&q, &a, &planned, NULL), ROOF_OK);
  assert_near(planned.ttft.asked, served.ttft.asked, 0.01);
  assert_near(planned.tpot.asked, served.tpot.asked, 0.01);
  assert_true(fabs(planned.ttft.mean - served.ttft.mean) < 1e-3);
  roof_service_free(service);
}

/** A pool of its own for prompts: of the same plan it takes as long as replicas of which some prefill. With another format of the
 *  cache it is refused. */
static void a_pool_for_prompts(void **state) {
  (void)state;
  static roof_model_target target, prefill;
  owned roof_machine *h100 = NULL;
  roof_service *service = NULL;
  roof_service_answer together, apart;
  roof_error error = {0};
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  roof_model_settings s = roof_model_settings_default(&llama);
  s.prompt = 4000, s.price = 3, s.tp = 2, s.dp = s.batch = 8;
  assert_int_equal(roof_model_target_init(&target, &llama, h100, &s, NULL), ROOF_OK);
  assert_int_equal(roof_service_new(&target, &service, NULL), ROOF_OK);
  roof_service_settings load = roof_service_settings_default(&target);
  load.rate = 40, load.requests = 2000, load.prefills = 5, load.sequences = 256,
  load.host_seconds = load.host_token_seconds = 0;
  assert_int_equal(roof_service_run(service, &load, &together, NULL), ROOF_OK);
  roof_service_free(service);

  s.dp = s.batch = 3;
  assert_int_equal(roof_model_target_init(&target, &llama, h100, &s, NULL), ROOF_OK);
  assert_int_equal(roof_service_new(&target, &service, NULL), ROOF_OK);
  s.dp = s.batch = 5;
  assert_int_equal(roof_model_target_init(&prefill, &llama, h100, &s, NULL), ROOF_OK);
  assert_int_equal(roof_service_prefill(service, &prefill, NULL), ROOF_OK);
  assert_int_equal(roof_service_run(service, &load, &apart, &error), ROOF_E_ARGUMENT);
  load.prefills = 0;
  assert_int_equal(roof_service_run(service, &load, &apart, NULL), ROOF_OK);
  assert_int_equal(apart.devices, together.devices);
  assert_near(apart.ttft.mean, together.ttft.mean, 0.01);
  assert_near(apart.tpot.mean, together.tpot.mean, 0.01);
  assert_near(apart.price_per_million_tokens, together.price_per_million_tokens, 0.01);
  s.precision.kv = ROOF_FP8;
  assert_int_equal(roof_model_target_init(&prefill, &llama, h100, &s, NULL), ROOF_OK);
  assert_int_equal(roof_service_prefill(service, &prefill, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "one format of its cache"));
  roof_service_free(service);
}

/** Pools that are found keep the limits under their load, cost no more than those of the closed form, and say that they were run. */
static void two_pools_keep_the_limits_under_their_load(void **state) {
  (void)state;
  owned roof_machine *h100 = NULL;
  roof_service_answer answer;
  roof_text text = {0};
  assert_int_equal(roof_catalog_load("h100", &h100, NULL), ROOF_OK);
  roof_model_settings s = roof_model_settings_default(&llama);
  s.prompt = 4000;
  const roof_offer offer = {h100, 2};
  roof_choice_question q = {
      &llama, &s, &precisions,
      &offer, 1,  {.ttft_seconds = 0.5, .tpot_seconds = 0.02, .rate = 20, .share = 0.9}};
  roof_apart form, a;
  assert_int_equal(roof_apart_of(&q, &form, NULL), ROOF_OK);
  assert_int_equal(roof_apart_simulated_of(&q, &a, NULL), ROOF_OK);
  assert_true(form.found && !form.simulated && a.found && a.simulated);
  assert_true(a.price_per_million_tokens <= form.price_per_million_tokens);
  assert_int_equal(roof_apart_simulate(&q, &a, &answer, NULL), ROOF_OK);
  assert_true(answer.ttft.asked == a.ttft_seconds && a.ttft_seconds <= 0.5 && a.tpot_seconds <= 0.02);
  roof_apart_sentence(&text, &q, &choices, &a);
  assert_non_null(
      strstr(text.data, "simulated request by request, with the queue, without the host's time\n"));
  roof_text_done(&text);
  q.limits.ttft_seconds = form.prefill.seconds / 10;
  assert_int_equal(roof_apart_simulated_of(&q, &a, NULL), ROOF_OK);
  assert_false(a.found);
  assert_int_equal(roof_apart_simulate(&q, &a, &answer, NULL), ROOF_E_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_light_load_is_as_the_search_says),
                                     cmocka_unit_test(what_fails_under_its_load_takes_more_devices),
                                     cmocka_unit_test(what_cannot_keep_up_says_so),
                                     cmocka_unit_test(the_first_burst_of_users_does_not_count),
                                     cmocka_unit_test(replicas_take_as_long_as_their_service),
                                     cmocka_unit_test(two_pools_take_as_long_as_their_service),
                                     cmocka_unit_test(a_pool_for_prompts),
                                     cmocka_unit_test(two_pools_keep_the_limits_under_their_load)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
