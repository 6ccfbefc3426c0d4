/* Numbers as text. Each test also runs in a locale with a decimal comma, as unit-comma/test_number. */
#include "test.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

#include "core/number.h"
#include "roofline/status.h"
#include "roofline/text.h"
#include "roofline/units.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t seed;

static double draw(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-53;
}

/** What the C library reads in the C locale. */
static double oracle(const char *text, char **end) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c);
  double value = strtod(text, end);
  uselocale(before);
  freelocale(c);
  return value;
}

static void the_first_characters_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length;
    double value;
  } cases[] = {
      {"4096", 4, 4096},
      {"-1.5", 4, -1.5},
      {"+.25e1 ms", 6, 2.5},
      {"5.", 2, 5},
      {"4E", 1, 4},
      {"4e+", 1, 4},
      {"2e9", 3, 2e9},
      {"1,5", 1, 1},
      {"0x10", 1, 0},
      {"00000000000000000000000.00000000000000000000001e0", 49, 1e-23},
      {"9007199254740993", 16, 9007199254740992},
      {"0.1000000000000000055511151231257827021181583404541015625", 57, 0.1},
      {"1e400", 5, INFINITY},
      {"-1e-400", 7, 0},
      {"5e-324", 6, 5e-324},
      {"", 0, -7},
      {".", 0, -7},
      {"-", 0, -7},
      {"e5", 0, -7},
      {" 1", 0, -7},
      {"inf", 0, -7},
      {"nan", 0, -7},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    double value = -7;
    assert_int_equal(roof_number_read(cases[i].text, strlen(cases[i].text), &value), cases[i].length);
    assert_true(value == cases[i].value);
  }
  double value = -7;
  assert_int_equal(roof_number_read("12345", 3, &value), 3);
  assert_true(value == 123);
  errno = 0;
  roof_number_read("1e-400", 6, &value);
  assert_int_equal(errno, 0);
  char longest[1200];
  memset(longest, '1', sizeof longest);
  assert_int_equal(roof_number_read(longest, sizeof longest, &value), 0);
}

static void reading_rounds_as_the_c_library(void **state) {
  (void)state;
  seed = 7;
  for (int i = 0; i < 100000; i++) {
    char text[64], *end = NULL;
    int digits = (int)(20 * draw());
    double drawn = (draw() - 0.5) * pow(10, 40 * draw() - 20);
    rf_format(text, sizeof text, i % 2 == 0 ? "%.*e" : "%.*f", digits, drawn);
    double value = NAN, expected = oracle(text, &end);
    size_t length = roof_number_read(text, strlen(text), &value);
    if (length != (size_t)(end - text) || value != expected) {
      fail_msg("`%s` reads %.17g from %zu characters, not %.17g", text, value, length, expected);
    }
  }
}

/** 16 to 18 digits of what lies in the middle between two doubles, or next to it: the last place decides. */
static void the_middle_between_doubles_is_rounded_once(void **state) {
  (void)state;
  seed = 11;
  for (int i = 0; i < 100000; i++) {
    char text[64];
    double low = draw() * pow(10, 40 * draw() - 20), value = NAN;
    long double middle = ((long double)low + (long double)nextafter(low, INFINITY)) / 2;
    int length = snprintf(text, sizeof text, "%.*Le", 15 + i % 3, middle);
    char *point = strchr(text, ',');
    if (point != NULL) {
      *point = '.';
    }
    assert_int_equal(roof_number_read(text, (size_t)length, &value), length);
    if (value != oracle(text, NULL)) {
      fail_msg("`%s` reads %.17g", text, value);
    }
  }
}

static void numbers_read_back(void **state) {
  (void)state;
  static const double special[] = {0,     1,     -1,     0.5,      1e15, 0x1p53,  1e22, 1e-22,    5e-324,
                                   1e308, 1e300, 1e-300, 999999.5, 0.1,  2.0 / 3, 1e21, INFINITY, -INFINITY};
  seed = 1;
  for (size_t i = 0; i < 20000; i++) {
    double value = i < COUNT_OF(special) ? special[i] : (draw() - 0.5) * pow(10, 60 * draw() - 30);
    int digits = (int)(draw() * 18);
    char text[ROOF_NUMBER_SIZE], *end = NULL;
    memset(text, '#', sizeof text);
    size_t length = roof_number_write(text, value, digits);
    assert_true(length > 0 && length < sizeof text);
    assert_int_equal(strlen(text), length);
    double back = oracle(text, &end);
    bool whole = fabs(value) < 0x1p53 && value == floor(value);
    double error = value == back ? 0 : fabs(back - value) / fabs(value);
    double allowed = whole || digits == 0 ? 0 : 0.5000001 * pow(10, 1 - digits) + 2.3e-16;
    if (*end != '\0' || !(error <= allowed)) {
      fail_msg("%.17g with %d digits reads `%s`", value, digits, text);
    }
  }
  char text[ROOF_NUMBER_SIZE] = "#";
  assert_int_equal(roof_number_write(text, NAN, 6), 0);
  assert_string_equal(text, "");
}

static void the_shortest_is_written(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {
      {0.1, "0.1"}, {-1.0 / 3, "-0.3333333333333333"}, {3.35e12, "3350000000000"}, {1e300, "1e+300"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char text[ROOF_NUMBER_SIZE];
    roof_number_write(text, cases[i].value, 0);
    assert_string_equal(text, cases[i].text);
  }
}

static void a_locale_changes_nothing(void **state) {
  (void)state;
  char buffer[64];
  double value = 0, several[3] = {0};
  roof_text text = {0};
  roof_error error;
  assert_int_equal(roof_quantity_parse_unit("-.25e1 ms", "s", &value, NULL), ROOF_OK);
  assert_near(value, -2.5e-3, 1e-15);
  assert_int_equal(roof_quantity_parse("1,5", &value, NULL), ROOF_E_PARSE);
  assert_string_equal(roof_quantity_format(buffer, sizeof buffer, 3.35e12, "B/s"), "3.350 TB/s");
  assert_string_equal(roof_bytes_format(buffer, sizeof buffer, 1536), "1.5 KiB");
  roof_number_write(buffer, 0.1, 17);
  assert_string_equal(buffer, "0.10000000000000001");
  assert_int_equal(rf_numbers_read("\t0.5 .25  3/4", several, 3), 3);
  assert_true(several[0] == 0.5 && several[1] == 0.25 && several[2] == 3);
  roof_text_addf(&text, "%.1f %g", 1.5, 0.25);
  assert_string_equal(text.data, "1.5 0.25");
  roof_text_done(&text);
  roof_error_set(&error, ROOF_E_ARGUMENT, "%.2f", 0.5);
  assert_string_equal(error.message, "0.50");
}

static int write_often(void *point) {
  int wrong = 0;
  for (int i = 0; i < 20000; i++) {
    char text[32], own[32], expected[32];
    rf_format(text, sizeof text, "%.1f", 1.5);
    snprintf(own, sizeof own, "%.1f", 1.5);
    snprintf(expected, sizeof expected, "1%s5", (const char *)point);
    wrong += strcmp(text, "1.5") != 0 || strcmp(own, expected) != 0;
  }
  return wrong;
}

static void each_thread_keeps_its_locale(void **state) {
  (void)state;
  thrd_t threads[4];
  for (int i = 0; i < 4; i++) {
    assert_int_equal(thrd_create(&threads[i], write_often, localeconv()->decimal_point), thrd_success);
  }
  for (int i = 0; i < 4; i++) {
    int wrong = -1;
    thrd_join(threads[i], &wrong);
    assert_int_equal(wrong, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_characters_are_read),
      cmocka_unit_test(reading_rounds_as_the_c_library),
      cmocka_unit_test(the_middle_between_doubles_is_rounded_once),
      cmocka_unit_test(numbers_read_back),
      cmocka_unit_test(the_shortest_is_written),
      cmocka_unit_test(a_locale_changes_nothing),
      cmocka_unit_test(each_thread_keeps_its_locale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
