/* Experts of which some are chosen more often: what the busiest device has to do, with and without copies. */
#include "test.h"

#include "models/step.h"

static double imbalance(double experts, double ep, double skew, double redundant) {
  const roof_model_block b = {.experts = experts, .experts_per_token = 8};
  const roof_model_settings s = {.ep = ep, .expert_skew = skew, .redundant_experts = redundant};
  return rf_model_expert_imbalance(&b, &s);
}

static void worked_by_hand(void **state) {
  (void)state;
  /* 4 experts on 2 devices with 12/25, 6/25, 4/25, 3/25 of the tokens: 12 + 3 against 6 + 4 */
  assert_near(imbalance(4, 2, 1, 0), 2 * 15.0 / 25, 1e-12);
  /* two copies of each of the first two: 6 6 | 4 3 3 3 are placed as 6 + 4 + 3 and 6 + 3 + 3 */
  assert_near(imbalance(4, 2, 1, 2), 2 * 13.0 / 25, 1e-12);
  /* each device has one expert: the first has all of its tokens */
  assert_near(imbalance(4, 4, 1, 0), 4 * 12.0 / 25, 1e-12);
}

/** More skew, more to do for the busiest, but for how the rest happens to be packed; copies even it out. */
static void laws(void **state) {
  (void)state;
  for (double ep = 1; ep <= 64; ep *= 2) {
    assert_true(imbalance(256, ep, 0, 0) == 1 && imbalance(256, ep, 0, 64) == 1);
    double before = 1;
    for (double skew = 0.25; skew <= 2; skew += 0.25) {
      double one = imbalance(256, ep, skew, 0), copies = imbalance(256, ep, skew, 64);
      assert_true(one >= before - 1e-2 && one <= ep + 1e-12 && copies >= 1 - 1e-12 && copies <= one + 1e-2);
      before = one;
    }
  }
}

/** The more popular some are, the fewer are touched; without preference as many as there were. */
static void fewer_experts_are_touched(void **state) {
  (void)state;
  const roof_model_block b = {.experts = 256, .experts_per_token = 8};
  roof_model_settings s = {.ep = 8};
  double before = rf_model_experts_touched(&b, &s, 64);
  s.expert_skew = 1e-9;
  assert_near(rf_model_experts_touched(&b, &s, 64), before, 1e-6);
  for (s.expert_skew = 0.5; s.expert_skew <= 2; s.expert_skew += 0.5) {
    double touched = rf_model_experts_touched(&b, &s, 64);
    assert_true(touched < before && touched >= 8);
    before = touched;
  }
}

/** As Zipf's law has it, counted. */
static void counted_experts_are_as_those_of_the_law(void **state) {
  (void)state;
  double shares[256];
  const roof_model_block b = {.experts = 256, .experts_per_token = 8};
  roof_model_settings law = {.ep = 16, .expert_skew = 1, .redundant_experts = 16},
                      counted = {
                          .ep = 16, .expert_shares = shares, .expert_count = 256, .redundant_experts = 16};
  for (int i = 0; i < 256; i++) {
    shares[i] = 1000.0 / (i + 1);
  }
  assert_near(rf_model_expert_imbalance(&b, &counted), rf_model_expert_imbalance(&b, &law), 1e-12);
  assert_near(rf_model_experts_touched(&b, &counted, 64), rf_model_experts_touched(&b, &law, 64), 1e-12);
  shares[0] = 0;
  assert_true(rf_model_expert_imbalance(&b, &counted) < rf_model_expert_imbalance(&b, &law));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(worked_by_hand), cmocka_unit_test(laws),
                                     cmocka_unit_test(fewer_experts_are_touched),
                                     cmocka_unit_test(counted_experts_are_as_those_of_the_law)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
