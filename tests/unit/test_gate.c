/* The gate: both sides of the least share, of the allowed regression, and of what the runs can show. */
#include "test.h"

#include <stdio.h>

#include "roofline/documents.h"

static roof_placed placed_at(double share) {
  roof_placed placed;
  roof_place_time(share, ROOF_THEORETICAL, 1, NAN, &placed);
  placed.flops = 1e9;
  return placed;
}

static roof_status judge_share(const roof_gate *gate, double share, double *now, roof_gate_result *result) {
  roof_placed placed = placed_at(share);
  return roof_gate_judge(gate, &placed, now, 1, NULL, 0, result, NULL);
}

/** Judges `now` against `before`, both `count` runs long. */
static roof_gate_result judge(double fraction, const double *now, const double *before, size_t count) {
  double a[16], b[16];
  roof_gate gate = roof_gate_default();
  roof_gate_result result;
  memcpy(a, now, count * sizeof *a);
  memcpy(b, before, count * sizeof *b);
  roof_placed placed = placed_at(fraction);
  assert_int_equal(roof_gate_judge(&gate, &placed, a, count, b, count, &result, NULL), ROOF_OK);
  return result;
}

static void the_least_share(void **state) {
  (void)state;
  roof_gate gate = roof_gate_default();
  double now = 1;
  roof_gate_result result;
  assert_int_equal(judge_share(&gate, 0.65, &now, &result), ROOF_OK);
  assert_int_equal(result.state, ROOF_GATE_NEW);
  assert_false(roof_gate_misses(result.state));
  assert_int_equal(judge_share(&gate, nextafter(0.65, 0), &now, &result), ROOF_OK);
  assert_int_equal(result.state, ROOF_GATE_LOW);
  assert_true(roof_gate_misses(result.state));
  assert_int_equal(judge_share(&gate, NAN, &now, &result), ROOF_OK);
  assert_int_equal(result.state, ROOF_GATE_NO_CEILING);
  gate.least = 0;
  assert_int_equal(judge_share(&gate, NAN, &now, &result), ROOF_OK);
  assert_int_equal(result.state, ROOF_GATE_NEW);
}

static void what_cannot_be_and_what_nobody_knows(void **state) {
  (void)state;
  roof_gate gate = roof_gate_default();
  double now = 1;
  roof_gate_result result;
  assert_int_equal(judge_share(&gate, 1.004, &now, &result), ROOF_OK); /* a datasheet's rounding */
  assert_false(roof_gate_misses(result.state));
  assert_int_equal(judge_share(&gate, 4.96, &now, &result), ROOF_OK);
  assert_int_equal(result.state, ROOF_GATE_IMPOSSIBLE);
  assert_true(roof_gate_misses(result.state));
  roof_placed nothing = placed_at(NAN);
  nothing.flops = NAN;
  assert_int_equal(roof_gate_judge(&gate, &nothing, &now, 1, NULL, 0, &result, NULL), ROOF_OK);
  assert_int_equal(result.state, ROOF_GATE_UNKNOWN);
  assert_false(roof_gate_misses(result.state));
}

static void the_allowed_regression(void **state) {
  (void)state;
  const double before[] = {1.00, 1.001, 0.999, 1.002, 0.998};
  double now[5];
  for (int i = 0; i < 5; i++) {
    now[i] = before[i] * 1.049;
  }
  roof_gate_result got = judge(0.8, now, before, 5);
  assert_int_equal(got.state, ROOF_GATE_PASS);
  assert_near(got.regression, 0.049, 1e-9);
  assert_true(isnan(got.p));
  for (int i = 0; i < 5; i++) {
    now[i] = before[i] * 1.051;
  }
  got = judge(0.8, now, before, 5);
  assert_int_equal(got.state, ROOF_GATE_SLOWER);
  assert_near(got.p, 1.0 / 252, 1e-9);
  assert_int_equal(judge(0.6, now, before, 5).state, ROOF_GATE_LOW);
}

static void noise_is_no_regression(void **state) {
  (void)state;
  const double before[] = {1.0, 1.4, 0.8, 1.2, 0.9, 1.5}, now[] = {1.1, 1.5, 0.85, 1.3, 1.2, 1.45};
  roof_gate_result got = judge(0.8, now, before, 6);
  assert_true(got.regression > 0.05);
  assert_int_equal(got.state, ROOF_GATE_NOISE);
  assert_true(got.p > 0.05);
  assert_false(roof_gate_misses(got.state));
}

static void not_enough_runs(void **state) {
  (void)state;
  const double before[] = {1, 1.01, 1.02}, now[] = {1.3, 1.31, 1.32};
  /* 1 / C(4, 2) = 0.17 and 1 / C(6, 3) = 0.05: three runs a side are the least. */
  roof_gate_result got = judge(0.8, now, before, 2);
  assert_int_equal(got.state, ROOF_GATE_FEW);
  assert_true(roof_gate_misses(got.state));
  assert_int_equal(got.runs_needed, 3);
  assert_int_equal(judge(0.8, now, before, 3).state, ROOF_GATE_SLOWER);
  assert_int_equal(judge(0.8, before, now, 1).state, ROOF_GATE_PASS);
}

static void names(void **state) {
  (void)state;
  assert_string_equal(roof_gate_name(ROOF_GATE_FEW), "few runs");
  assert_string_equal(roof_gate_name(ROOF_GATE_STATE_COUNT), "?");
  assert_string_equal(roof_gate_meaning(ROOF_GATE_STATE_COUNT), "?");
  assert_true(roof_gate_misses(ROOF_GATE_STATE_COUNT));
  double bad = NAN, good = 1;
  roof_gate gate = roof_gate_default();
  roof_gate_result result;
  roof_placed placed = placed_at(1);
  assert_int_equal(roof_gate_judge(&gate, &placed, &bad, 1, &good, 1, &result, NULL), ROOF_E_ARGUMENT);
}

/** Two kernels of a run as a document would hold them: one under its ceiling, one far from it. */
static void add_kernels(roof_measurements *all) {
  static const struct {
    const char *label;
    double ceiling;
  } rows[] = {{"near <it>", 0.9}, {"far: 1,2", 0.1}};
  for (size_t i = 0; i < 2; i++) {
    roof_measurement *m = NULL;
    assert_int_equal(roof_measurements_add(all, &m, NULL), ROOF_OK);
    snprintf(m->label, sizeof m->label, "%s", rows[i].label);
    snprintf(m->machine, sizeof m->machine, "host");
    m->seconds = 1;
    m->flops = 1e9;
    m->given.ceiling_seconds = rows[i].ceiling;
  }
}

static void a_report_is_written_as_documents(void **state) {
  (void)state;
  roof_measurements all = {0};
  roof_gate_report report;
  roof_gate gate = roof_gate_default();
  roof_text text = {0};
  add_kernels(&all);
  roof_gate_side side = roof_gate_side_of(&all, NULL);
  assert_int_equal(roof_gate_check(&gate, &side, NULL, &report, NULL), ROOF_OK);
  assert_string_equal(report.machine, "host");
  roof_gate_sentence(&report, NULL, &text);
  assert_string_equal(text.data, "1 of 2 kernels pass on host: at least 65 % of the ceiling");
  roof_text_done(&text);
  assert_int_equal(roof_gate_write(&report, "old.json", &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\"schema\": \"roofline.check/1\",\n  \"passed\": false"));
  assert_non_null(strstr(text.data, "\"against\": \"old.json\""));
  roof_text_done(&text);
  assert_int_equal(roof_gate_write_junit(&report, &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "tests=\"2\" failures=\"1\""));
  assert_non_null(strstr(text.data, "name=\"near &lt;it&gt;\""));
  roof_text_done(&text);
  assert_int_equal(roof_gate_write_github(&report, NULL, &text, NULL), ROOF_OK);
  assert_string_equal(text.data, "::error title=far%3A 1%2C2::10.0 %25 of its ceiling, under 65.0 %25\n");
  roof_text_done(&text);
  assert_int_equal(roof_gate_write_github(&report, "a,b.json", &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "::error file=a%2Cb.json,title=far%3A 1%2C2::10.0"));
  roof_text_done(&text);
  roof_gate_report_done(&report);
  roof_measurements_done(&all);
}

static void add_gemm(roof_measurements *all, double seconds) {
  roof_measurement *m = NULL;
  assert_int_equal(roof_measurements_add(all, &m, NULL), ROOF_OK);
  snprintf(m->label, sizeof m->label, "gemm");
  m->seconds = seconds;
  m->flops = 1e9;
  m->given.ceiling_seconds = 0.8 * seconds;
}

static void kernels_of_one_name_are_matched_in_their_order(void **state) {
  (void)state;
  roof_measurements two = {0}, one = {0};
  roof_gate_report report;
  roof_gate gate = roof_gate_default();
  add_gemm(&two, 1);
  add_gemm(&two, 2);
  two.list[1].given.ceiling_seconds = 1.5;
  add_gemm(&one, 1);
  roof_gate_side both = roof_gate_side_of(&two, NULL), first = roof_gate_side_of(&one, NULL);
  assert_int_equal(roof_gate_check(&gate, &both, &both, &report, NULL), ROOF_OK);
  assert_int_equal(report.count, 2);
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(report.lines[i].result.state, ROOF_GATE_PASS);
    assert_near(report.lines[i].result.regression, 0, 1e-12);
  }
  roof_gate_report_done(&report);
  assert_int_equal(roof_gate_check(&gate, &both, &first, &report, NULL), ROOF_OK);
  assert_int_equal(report.lines[1].result.state, ROOF_GATE_NEW);
  roof_gate_report_done(&report);
  assert_int_equal(roof_gate_check(&gate, &first, &both, &report, NULL), ROOF_OK);
  assert_int_equal(report.count, 2);
  assert_int_equal(report.lines[1].result.state, ROOF_GATE_GONE);
  roof_gate_report_done(&report);
  roof_measurements_done(&two);
  roof_measurements_done(&one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_least_share),
      cmocka_unit_test(what_cannot_be_and_what_nobody_knows),
      cmocka_unit_test(the_allowed_regression),
      cmocka_unit_test(noise_is_no_regression),
      cmocka_unit_test(not_enough_runs),
      cmocka_unit_test(names),
      cmocka_unit_test(a_report_is_written_as_documents),
      cmocka_unit_test(kernels_of_one_name_are_matched_in_their_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
