/* Claims judged by the library, as a program would ask. */
#include "test.h"

#include "roofline/catalog.h"
#include "roofline/claim.h"
#include "roofline/ops.h"

static roof_machine *machine;
static roof_target target;

static int load(void **state) {
  (void)state;
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  options.launch = 0;
  return roof_catalog_load("h100", &machine, NULL) != ROOF_OK ||
         roof_target_init(&target, machine, &types, &options, NULL) != ROOF_OK;
}

static int unload(void **state) {
  (void)state;
  roof_machine_free(machine);
  return 0;
}

static roof_claim_judged judge(roof_claim_kind kind, double value) {
  roof_claim claim;
  roof_claim_judged judged;
  roof_claim_init(&claim);
  claim.value[kind] = value;
  assert_int_equal(roof_claim_judge(&target, &claim, &judged, NULL), ROOF_OK);
  return judged;
}

static void a_rate_of_the_machine(void **state) {
  (void)state;
  const roof_peak *dense = roof_machine_peak(machine, ROOF_FP16, ROOF_MATRIX, false, ROOF_DATASHEET);
  double peak = dense->flops_per_second;
  roof_claim_judged j = judge(ROOF_CLAIM_RATE, 1.7 * peak);
  assert_false(j.possible);
  assert_string_equal(j.limit_name, "dense fp16 matrix peak");
  assert_near(j.limit, peak, 1e-12);
  assert_near(j.placed.share, 1.7, 1e-12);
  assert_near(j.sparse_share, 0.85, 1e-3);
  j = judge(ROOF_CLAIM_SHARE, 0.9);
  assert_true(j.possible && isnan(j.sparse_share));
  assert_near(j.claimed, 0.9 * peak, 1e-12);
  assert_string_equal(j.placed.verdict->name, "remeasure");
  assert_true(judge(ROOF_CLAIM_RATE, 1.004 * peak).possible); /* a datasheet's rounding */
  assert_false(judge(ROOF_CLAIM_RATE, 1.006 * peak).possible);
}

static void a_bandwidth_is_another_figure(void **state) {
  (void)state;
  roof_claim_judged j = judge(ROOF_CLAIM_BANDWIDTH, 900e9);
  assert_true(j.possible && j.match_count > 0);
  assert_non_null(strstr(j.matches[0].name, "both ways together"));
}

static void an_operation_at_any_speed(void **state) {
  (void)state;
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_claim claim;
  roof_claim_judged time, rate;
  roof_prediction p;
  assert_int_equal(roof_op_find("gemm", &op, NULL), ROOF_OK);
  roof_op_defaults(op, values);
  values[0] = values[1] = values[2] = 4096;
  assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  roof_claim_init(&claim);
  claim.op = op;
  claim.values = values;
  claim.value[ROOF_CLAIM_TIME] = p.lower_seconds / 0.8;
  assert_int_equal(roof_claim_judge(&target, &claim, &time, NULL), ROOF_OK);
  claim.value[ROOF_CLAIM_RATE] = p.work.flops / claim.value[ROOF_CLAIM_TIME];
  assert_int_equal(roof_claim_judge(&target, &claim, &rate, NULL), ROOF_E_ARGUMENT); /* one at once */
  claim.value[ROOF_CLAIM_TIME] = NAN;
  assert_int_equal(roof_claim_judge(&target, &claim, &rate, NULL), ROOF_OK);
  assert_near(time.placed.share, 0.8, 1e-12);
  assert_near(rate.placed.share, 0.8, 1e-12);
  assert_near(time.limit, p.lower_seconds, 1e-12);
  assert_string_equal(time.limit_name, "compute-bound (fp16 matrix)");
  assert_true(time.fits);
  assert_string_equal(roof_claim_kind_name(ROOF_CLAIM_KIND_COUNT), "?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rate_of_the_machine),
      cmocka_unit_test(a_bandwidth_is_another_figure),
      cmocka_unit_test(an_operation_at_any_speed),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
