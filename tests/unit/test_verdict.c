/* The verdict bands, on both sides of every threshold. */
#include "test.h"

#include "roofline/advise.h"

static const roof_verdict *of_datasheet(double share) {
  return roof_verdict_on(ROOF_THEORETICAL, share);
}

static const char *name_of(double fraction) {
  return of_datasheet(fraction)->name;
}

static void both_sides_of_every_threshold(void **state) {
  (void)state;
  static const struct {
    double threshold;
    const char *below, *at;
  } thresholds[] = {
      {0.50, "bug", "low"},
      {0.65, "low", "normal"},
      {0.85, "normal", "good"},
      {0.90, "good", "remeasure"},
  };
  for (size_t i = 0; i < sizeof thresholds / sizeof thresholds[0]; i++) {
    double threshold = thresholds[i].threshold;
    assert_string_equal(name_of(nextafter(threshold, 0)), thresholds[i].below);
    assert_string_equal(name_of(threshold), thresholds[i].at);
    assert_true(of_datasheet(threshold)->from == threshold);
  }
  assert_string_equal(name_of(1), "remeasure");
  assert_string_equal(name_of(nextafter(1, 2)), "explain");
}

static void the_worked_fractions(void **state) {
  (void)state;
  assert_string_equal(name_of(0.05), "bug");
  assert_string_equal(name_of(0.30), "bug");
  assert_string_equal(name_of(0.49), "bug");
  assert_string_equal(name_of(0.70), "normal");
  assert_string_equal(name_of(0.78), "normal");
  assert_string_equal(name_of(0.91), "remeasure");
}

static void the_ends(void **state) {
  (void)state;
  assert_string_equal(name_of(0), "bug");
  assert_string_equal(name_of(-0.0), "bug");
  assert_string_equal(name_of(INFINITY), "explain");
  assert_null(of_datasheet(NAN));
  assert_null(of_datasheet(-1e-300));
}

static void the_wall_decides_the_words(void **state) {
  (void)state;
  assert_string_equal(roof_verdict_in(ROOF_OVERHEAD_BOUND, of_datasheet(0.03))->name, "overhead");
  assert_string_equal(roof_verdict_in(ROOF_OVERHEAD_BOUND, of_datasheet(1))->name, "overhead");
  assert_string_equal(roof_verdict_in(ROOF_OVERHEAD_BOUND, of_datasheet(1.5))->name, "explain");
  assert_null(roof_verdict_in(ROOF_OVERHEAD_BOUND, NULL));
  const roof_verdict *close = of_datasheet(0.95);
  assert_non_null(strstr(roof_verdict_in(ROOF_MEMORY_BOUND, close)->meaning, "cache"));
  assert_string_equal(roof_verdict_in(ROOF_COMPUTE_BOUND, close)->name, "remeasure");
  assert_null(strstr(roof_verdict_in(ROOF_COMPUTE_BOUND, close)->meaning, "cache"));
  assert_ptr_equal(roof_verdict_in(ROOF_COMPUTE_BOUND, of_datasheet(0.3)), of_datasheet(0.3));
}

/** What is slow and was predicted to be is as predicted; a faster time never reads calmer. */
static void a_prediction_is_heeded(void **state) {
  (void)state;
  assert_string_equal(roof_verdict_heed(of_datasheet(0.4), 0.4, 2e-3, 1e-3, 2e-3)->name, "expected");
  assert_string_equal(roof_verdict_heed(of_datasheet(0.4), 0.4, 2.01e-3, 1e-3, 2e-3)->name, "bug");
  assert_string_equal(roof_verdict_heed(of_datasheet(0.6), 0.6, 1e-3, 1e-3, 2e-3)->name, "expected");
  assert_string_equal(roof_verdict_heed(of_datasheet(0.6), 0.6, 0.99e-3, 1e-3, 2e-3)->name, "faster");
  assert_string_equal(roof_verdict_heed(of_datasheet(0.6), 0.6, 1e-3, NAN, 2e-3)->name, "expected");
  assert_string_equal(roof_verdict_heed(of_datasheet(0.7), 0.7, 1.5e-3, 1e-3, 2e-3)->name, "normal");
  assert_string_equal(roof_verdict_heed(of_datasheet(0.7), 0.7, 0.5e-3, 1e-3, 2e-3)->name, "faster");
  assert_string_equal(roof_verdict_heed(of_datasheet(0.89), 0.89, 0.5e-3, 1e-3, 2e-3)->name, "faster");
  assert_string_equal(roof_verdict_heed(of_datasheet(0.86), 0.86, 0.98e-3, 1e-3, 2e-3)->name, "faster");
  assert_string_equal(roof_verdict_heed(of_datasheet(0.86), 0.86, 0.99e-3, 1e-3, 2e-3)->name, "good");
  assert_string_equal(roof_verdict_heed(of_datasheet(0.95), 0.95, 0.5e-3, 1e-3, 2e-3)->name, "remeasure");
  assert_string_equal(roof_verdict_heed(of_datasheet(1.5), 1.5, 0.5e-3, 1e-3, 2e-3)->name, "explain");
  assert_string_equal(roof_verdict_heed(of_datasheet(0.4), 0.4, 1e-3, NAN, NAN)->name, "bug");
  const roof_verdict *launches = roof_verdict_in(ROOF_OVERHEAD_BOUND, of_datasheet(0.1));
  assert_ptr_equal(roof_verdict_heed(launches, 0.1, 1e-3, 1e-3, 2e-3), launches);
  assert_null(roof_verdict_heed(NULL, NAN, 1e-3, 1e-3, 2e-3));
}

/** The words of a regime and a prediction's interval are found in the bands of a measured ceiling too. */
static void a_measured_ceiling_has_bands_of_its_own(void **state) {
  (void)state;
  static const struct {
    roof_regime regime;
    double share;
    const char *name;
  } rows[] = {
      {ROOF_OVERHEAD_BOUND, 0.30, "overhead"}, {ROOF_OVERHEAD_BOUND, 0.68, "overhead"},
      {ROOF_OVERHEAD_BOUND, 0.80, "normal"},   {ROOF_OVERHEAD_BOUND, 0.95, "overhead"},
      {ROOF_OVERHEAD_BOUND, 1.50, "explain"},  {ROOF_COMPUTE_BOUND, 0.95, "done"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const roof_verdict *band = roof_verdict_on(ROOF_ACHIEVED, rows[i].share);
    assert_string_equal(roof_verdict_in(rows[i].regime, band)->name, rows[i].name);
  }
  assert_string_equal(roof_verdict_heed(roof_verdict_on(ROOF_ACHIEVED, 0.68), 0.68, 1e-3, 1e-3, 2e-3)->name,
                      "expected");
  assert_string_equal(roof_verdict_heed(roof_verdict_on(ROOF_ACHIEVED, 0.95), 0.95, 1e-3, 1e-3, 2e-3)->name,
                      "done");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_measured_ceiling_has_bands_of_its_own),
      cmocka_unit_test(the_wall_decides_the_words),
      cmocka_unit_test(both_sides_of_every_threshold),
      cmocka_unit_test(the_worked_fractions),
      cmocka_unit_test(the_ends),
      cmocka_unit_test(a_prediction_is_heeded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
