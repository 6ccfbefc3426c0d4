/* Moments as text and back. */
#include "test.h"

#include "roofline/time.h"

static void known_moments(void **state) {
  (void)state;
  static const struct {
    double seconds;
    const char *text;
  } rows[] = {{0, "1970-01-01T00:00:00.000Z"},          {951782399.5, "2000-02-28T23:59:59.500Z"},
              {951782400, "2000-02-29T00:00:00.000Z"},  {951868800, "2000-03-01T00:00:00.000Z"},
              {1735689599, "2024-12-31T23:59:59.000Z"}, {4107542399, "2100-02-28T23:59:59.000Z"},
              {4107542400, "2100-03-01T00:00:00.000Z"}, {253402300799, "9999-12-31T23:59:59.000Z"},
              {1e18, "9999-12-31T23:59:59.999Z"},       {-5, "1970-01-01T00:00:00.000Z"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[ROOF_TIME_MAX];
    double back = NAN;
    assert_string_equal(roof_time_write(rows[i].seconds, text), rows[i].text);
    assert_int_equal(roof_time_parse(text, &back, NULL), ROOF_OK);
    if (rows[i].seconds >= 0 && rows[i].seconds < 1e17) {
      assert_near(back, rows[i].seconds, 1e-15);
    }
  }
}

static void every_day_reads_back(void **state) {
  (void)state;
  for (double day = 0; day < 2932896; day += 13) {
    char text[ROOF_TIME_MAX];
    double back = NAN;
    roof_time_write(day * 86400 + 12345.25, text);
    assert_int_equal(roof_time_parse(text, &back, NULL), ROOF_OK);
    assert_true(back == day * 86400 + 12345.25);
  }
}

static void whole_seconds_end_with_their_second(void **state) {
  (void)state;
  double seconds = NAN;
  assert_int_equal(roof_time_parse("1970-01-01T00:01:00Z", &seconds, NULL), ROOF_OK);
  assert_near(seconds, 60.999, 1e-12);
  assert_int_equal(roof_time_parse("1970-01-01T00:01:00.123456789Z", &seconds, NULL), ROOF_OK);
  assert_near(seconds, 60.123456789, 1e-12);
}

static void what_is_no_time_is_refused(void **state) {
  (void)state;
  static const char *const bad[] = {
      "",
      "now",
      "2026-01-31",
      "2026-01-31T12:00:00",
      "2026-01-31T12:00:00+01:00",
      "2026-01-31 12:00:00Z",
      "2026-02-30T12:00:00Z",
      "2026-13-01T12:00:00Z",
      "2026-00-01T12:00:00Z",
      "2026-01-31T24:00:00Z",
      "2026-01-31T12:60:00Z",
      "2026-01-31T12:00:00.Z",
      "1969-12-31T12:00:00Z",
      "2026-01-31T12:00:00Zx",
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    double seconds = 7;
    roof_error error;
    if (roof_time_parse(bad[i], &seconds, &error) != ROOF_E_PARSE || seconds != 7) {
      fail_msg("%s is taken for a time", bad[i]);
    }
    assert_non_null(strstr(error.message, "is not a time"));
  }
}

static void now_is_after_this_was_written(void **state) {
  (void)state;
  assert_true(roof_time_now() > 1700000000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_moments),
      cmocka_unit_test(every_day_reads_back),
      cmocka_unit_test(whole_seconds_end_with_their_second),
      cmocka_unit_test(what_is_no_time_is_refused),
      cmocka_unit_test(now_is_after_this_was_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
