/* What `advise` answers, asked of the library: shares of a time, a change, the machines, everything at once. */
#include "test.h"

#include <stdlib.h>

#include "roofline/advise.h"
#include "roofline/catalog.h"
#include "roofline/ops.h"

static roof_machine *h100 = NULL, *h200 = NULL;
static roof_target before, after;
static const roof_op *gemv;
static double values[ROOF_PARAM_MAX];

static int load(void **state) {
  (void)state;
  roof_types half = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  bool good = roof_catalog_load("h100", &h100, NULL) == ROOF_OK &&
              roof_catalog_load("h200", &h200, NULL) == ROOF_OK &&
              roof_target_init(&before, h100, &half, &options, NULL) == ROOF_OK &&
              roof_op_find("gemv", &gemv, NULL) == ROOF_OK;
  roof_op_defaults(gemv, values);
  values[0] = 8192;
  values[1] = 28672;
  return !good;
}

static int unload(void **state) {
  (void)state;
  roof_machine_free(h100);
  roof_machine_free(h200);
  return 0;
}

static void fresh(const roof_machine *machine, roof_target *target) {
  roof_types half = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  assert_int_equal(roof_target_init(target, machine, &half, &options, NULL), ROOF_OK);
}

static void shares_of_a_time_move_with_what_they_wait_on(void **state) {
  (void)state;
  roof_time_mix mix;
  fresh(h200, &after);
  assert_int_equal(roof_time_mix_parse("decode=0.8,prefill=0.2", &mix, NULL), ROOF_OK);
  assert_int_equal(mix.count, 2);
  assert_int_equal(roof_time_mix_solve(&mix, &before, &after, NULL), ROOF_OK);
  assert_near(mix.parts[0].gain, 4.8 / 3.35, 1e-3);
  assert_near(mix.parts[1].gain, 1, 1e-9);
  assert_near(mix.gain, 1 / (0.8 / mix.parts[0].gain + 0.2), 1e-12);
  assert_near(mix.parts[0].after + mix.parts[1].after, 1, 1e-12);
  static const struct {
    const char *text, *why;
  } bad[] = {{"decod=1", "did you mean `decode`"},
             {"decode=0.9", "add up to 0.9"},
             {"decode=2", "0 to 1"},
             {"decode", "PHASE=SHARE"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    roof_error error;
    assert_int_not_equal(roof_time_mix_parse(bad[i].text, &mix, &error), ROOF_OK);
    assert_non_null(strstr(error.message, bad[i].why));
    assert_int_equal(mix.count, 2); /* as it was */
  }
}

static void a_change_is_set_against_what_was(void **state) {
  (void)state;
  roof_what_if out;
  roof_change twice = {.peak = 1, .bandwidth = 2}, dearer = {.peak = 1, .bandwidth = 1};
  assert_int_equal(roof_what_if_of(&before, values, &before, values, gemv, &twice, &out, NULL), ROOF_OK);
  assert_near(out.gain, 2, 1e-9);
  assert_non_null(strstr(out.moved, "bandwidth"));
  dearer.seconds = out.predictions[0].expected_seconds;
  assert_int_equal(roof_what_if_of(&before, values, &before, values, gemv, &dearer, &out, NULL), ROOF_OK);
  assert_near(out.gain, 0.5, 1e-9);
}

static void machines_are_ranked_by_time_and_energy(void **state) {
  (void)state;
  roof_ranked_machine *all = NULL;
  int count = 0, own = 0;
  assert_int_equal(roof_catalog_rank(&before, gemv, values, &all, &count, NULL), ROOF_OK);
  assert_true(count > 10);
  for (int i = 0; i < count; i++) {
    assert_int_equal(all[i].rank, i + 1);
    assert_true(i == 0 || all[i].seconds >= all[i - 1].seconds);
    assert_true(isnan(all[i].joules) == (all[i].energy_rank == -1));
    if (all[i].own) {
      own++;
      assert_string_equal(all[i].name, h100->name);
      assert_near(all[i].gain, 1, 1e-12);
    }
  }
  assert_int_equal(own, 1);
  free(all);
}

static void advice_is_complete(void **state) {
  (void)state;
  static roof_advice advice;
  roof_question question = roof_question_init();
  roof_error error;
  assert_int_equal(roof_advise(&before, gemv, values, &question, &advice, NULL), ROOF_OK);
  assert_true(isnan(advice.placed.share) && !advice.done && advice.lever_count > 3 && advice.best != NULL);
  question.measured_seconds = 2 * advice.now.lower_seconds;
  question.clue[ROOF_CLUE_SECTOR] = 0.5;
  assert_int_equal(roof_advise(&before, gemv, values, &question, &advice, NULL), ROOF_OK);
  assert_near(advice.placed.share, 0.5, 1e-12);
  assert_true(advice.cause_count > 0 && advice.causes[0].certainty == ROOF_SHOWN);
  assert_ptr_equal(advice.evidence.prediction, &advice.now);
  question.measured_seconds = NAN;
  assert_int_equal(roof_advise(&before, gemv, values, &question, &advice, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "needs a time"));
  assert_near(advice.placed.share, 0.5, 1e-12); /* as it was */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_of_a_time_move_with_what_they_wait_on),
      cmocka_unit_test(a_change_is_set_against_what_was),
      cmocka_unit_test(machines_are_ranked_by_time_and_energy),
      cmocka_unit_test(advice_is_complete),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
