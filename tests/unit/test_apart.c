/* Prefill and decode apart: rates that match, limits that hold, the cheaper machine for each. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "owned.h"
#include "roofline/apart.h"
#include "roofline/catalog.h"
#include "roofline/documents.h"
#include "roofline/weights.h"

static roof_model llama;
static roof_model_settings settings;
static roof_model_precisions precisions;
static roof_machine *h100, *h200;

static int setup(void **state) {
  (void)state;
  bool ready = roof_model_load("llama-3.1-70b", &llama, NULL) == ROOF_OK &&
               roof_catalog_load("h100", &h100, NULL) == ROOF_OK &&
               roof_catalog_load("h200", &h200, NULL) == ROOF_OK;
  settings = roof_model_settings_default(&llama);
  settings.prompt = 4000;
  return ready && roof_model_precisions_parse("fp8", &settings.precision, &precisions, NULL) == ROOF_OK ? 0
                                                                                                        : -1;
}

static int teardown(void **state) {
  (void)state;
  roof_machine_free(h100);
  roof_machine_free(h200);
  return 0;
}

static roof_choice_question question(const roof_offer *offers, int count) {
  return (roof_choice_question){
      &llama, &settings, &precisions,
      offers, count,     {.ttft_seconds = 1, .tpot_seconds = 0.03, .rate = 4, .share = 0.9}};
}

static double devices_of(const roof_pool *p) {
  return p->devices * p->instances;
}

static void rates_match_and_limits_hold(void **state) {
  (void)state;
  const roof_offer offers[] = {{h100, 2.5}, {h200, 3.5}};
  roof_choice_question q = question(offers, 2);
  roof_apart a;
  assert_int_equal(roof_apart_of(&q, &a, NULL), ROOF_OK);
  assert_true(a.found && a.ttft_seconds <= 1 && a.tpot_seconds <= 0.03);
  assert_near(a.prefill.busy, 4 * a.prefill.seconds / a.prefill.instances, 1e-12);
  assert_true(a.prefill.busy < 1 && a.decode.busy <= 1);
  double there = 4 * (settings.generate - 1) * a.decode.seconds / a.decode.instances; /* Little's law */
  assert_near(a.decode.busy, there / a.decode.batch, 1e-12);
  assert_true(a.ttft_seconds > a.prefill.seconds + a.transfer_seconds);
  double cost = devices_of(&a.prefill) * offers[a.prefill.offer].price +
                devices_of(&a.decode) * offers[a.decode.offer].price;
  assert_near(a.price_per_million_tokens, 1e6 * cost / 3600 / (4 * settings.generate), 1e-12);
}

/** Energy that is paid for costs pools of their own as it costs one pool. */
static void energy_is_paid_for(void **state) {
  (void)state;
  static roof_choices all;
  const roof_offer offer = {h100, 2.5};
  roof_choice_question q = question(&offer, 1);
  roof_apart a;
  q.limits.energy_price = 3;
  assert_int_equal(roof_apart_of(&q, &a, NULL), ROOF_OK);
  assert_int_equal(roof_choices_of(&q, &all, NULL), ROOF_OK);
  double cost = (devices_of(&a.prefill) + devices_of(&a.decode)) * offer.price, tokens = settings.generate;
  double joules = (a.prefill.joules + (tokens - 1) * a.decode.joules) / tokens;
  assert_near(a.price_per_million_tokens, 1e6 * cost / 3600 / (4 * tokens) + 3 * joules / 3.6, 1e-12);
  double together = all.list[0].point.joules_per_token;
  assert_true(joules > together / 3 && joules < 3 * together);
}

/** A machine that costs next to nothing gets the work; both are searched for either. */
static void each_pool_has_the_machine_that_pays(void **state) {
  (void)state;
  roof_apart a;
  for (int cheap = 0; cheap < 2; cheap++) {
    const roof_offer offers[] = {{h100, cheap == 0 ? 0.01 : 10}, {h200, cheap == 1 ? 0.01 : 10}};
    roof_choice_question q = question(offers, 2);
    assert_int_equal(roof_apart_of(&q, &a, NULL), ROOF_OK);
    assert_true(a.found && a.prefill.offer == cheap && a.decode.offer == cheap);
  }
}

static void tighter_limits_cost_no_less(void **state) {
  (void)state;
  const roof_offer offer = {h100, 2.5};
  roof_choice_question q = question(&offer, 1);
  roof_apart loose, tight;
  assert_int_equal(roof_apart_of(&q, &loose, NULL), ROOF_OK);
  q.limits.tpot_seconds = 0.015;
  q.limits.ttft_seconds = 0.6;
  assert_int_equal(roof_apart_of(&q, &tight, NULL), ROOF_OK);
  assert_true(tight.found && tight.price_per_million_tokens >= loose.price_per_million_tokens);
  q.limits.tpot_seconds = 1e-6;
  assert_int_equal(roof_apart_of(&q, &tight, NULL), ROOF_OK);
  assert_false(tight.found);
}

static void users_fill_no_more_than_they_are(void **state) {
  (void)state;
  const roof_offer offer = {h200, NAN};
  roof_choice_question q = question(&offer, 1);
  roof_apart a;
  q.limits.rate = 0;
  q.limits.users = 16;
  assert_int_equal(roof_apart_of(&q, &a, NULL), ROOF_OK);
  assert_true(a.found && isnan(a.price_per_million_tokens) && a.decode.instances == 1);
  assert_near(a.requests_per_second,
              16 / (a.prefill.seconds + a.transfer_seconds + (settings.generate - 1) * a.decode.seconds),
              1e-12);
}

/** Without a limit of TTFT the cheapest pool of prompts is full at the slow end; a dearer one keeps up there. */
static void pools_keep_up_at_the_slow_end(void **state) {
  (void)state;
  const roof_offer offer = {h100, 2.5};
  roof_choice_question q = question(&offer, 1);
  roof_apart a;
  q.limits.ttft_seconds = NAN;
  q.limits.rate = 0;
  assert_int_equal(roof_apart_of(&q, &a, NULL), ROOF_OK);
  assert_true(a.found && isfinite(a.ttft_high_seconds));
  assert_true(a.requests_per_second * a.prefill.high_seconds < a.prefill.instances);
}

static void words_and_document(void **state) {
  (void)state;
  static roof_choices all;
  const roof_offer offer = {h100, 2.5};
  roof_choice_question q = question(&offer, 1);
  roof_apart a;
  roof_text text = {0};
  assert_int_equal(roof_choices_of(&q, &all, NULL), ROOF_OK);
  assert_int_equal(roof_apart_of(&q, &a, NULL), ROOF_OK);
  bool cheaper = a.price_per_million_tokens < all.list[0].point.price_per_million_tokens;
  assert_true(roof_apart_pays(&q, &all, &a) ==
              (all.meeting == 0 ||
               (cheaper && (roof_apart_is_sure(&q, &a) || !roof_choice_is_sure(&q, &all.list[0])))));
  roof_apart_sentence(&text, &q, &all, &a);
  assert_non_null(strstr(text.data, "prefill and decode apart: "));
  assert_non_null(strstr(text.data, cheaper ? "cheaper than together" : "dearer than together"));
  roof_text_done(&text);
  assert_int_equal(roof_choices_write(&q, &all, &a, "M", &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\"prefill\": {"));
  roof_text_done(&text);
  if (all.meeting > 0) { /* what may not keep up is not named before what does */
    all.list[0].result = ROOF_CHOICE_MEETS;
    all.list[0].high = (roof_plan_point){.busy = 0.5, .ttft_seconds = 0, .tpot_seconds = 0};
    a.price_per_million_tokens = all.list[0].point.price_per_million_tokens / 2;
    a.ttft_high_seconds = a.tpot_high_seconds = 1e-9;
    assert_true(roof_apart_pays(&q, &all, &a));
    a.ttft_high_seconds = INFINITY;
    assert_false(roof_apart_is_sure(&q, &a) || roof_apart_pays(&q, &all, &a));
    all.list[0].high.tpot_seconds = 1; /* over a limit, and yet it keeps up */
    assert_false(roof_choice_is_sure(&q, &all.list[0]) || roof_apart_pays(&q, &all, &a));
    all.list[0].high.busy = 1;
    assert_true(roof_apart_pays(&q, &all, &a));
  }
  a.found = false;
  assert_false(roof_apart_pays(&q, &all, &a));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_match_and_limits_hold),         cmocka_unit_test(energy_is_paid_for),
      cmocka_unit_test(each_pool_has_the_machine_that_pays), cmocka_unit_test(tighter_limits_cost_no_less),
      cmocka_unit_test(users_fill_no_more_than_they_are),    cmocka_unit_test(words_and_document),
      cmocka_unit_test(pools_keep_up_at_the_slow_end),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
