/* Powers by sums and products alone: near those of the C library, and the same digits everywhere. */
#include <math.h>

#include "core/power.h"
#include "test.h"

static void near_the_library(void **state) {
  (void)state;
  for (double base = 1e-8; base < 4096; base *= 1.07) {
    for (double exponent = -4; exponent < 16; exponent += 0.37) {
      double expected = pow(base, exponent), power = rf_power(base, exponent);
      if (expected > 1e-20 && expected < 1e20) {
        assert_true(fabs(power - expected) <= 1e-13 * expected);
      }
    }
  }
}

static void less_one_keeps_what_is_small(void **state) {
  (void)state;
  for (double share = 1.0 / 1024; share < 1; share *= 1.3) {
    for (double times = 1; times < 1e6; times *= 1.9) {
      double expected = expm1(times * log1p(-share));
      assert_true(fabs(rf_power_less_one(1 - share, times) - expected) <= 1e-12 * fabs(expected));
    }
  }
}

static void cube_roots_near_the_library(void **state) {
  (void)state;
  for (double x = 1; x <= 2; x += 1.0 / 4096) {
    assert_true(fabs(rf_cube_root(x) - cbrt(x)) <= 5e-16 * cbrt(x));
  }
}

/** Where the digits are known. */
static void known_digits(void **state) {
  (void)state;
  assert_true(rf_power(1, 7.25) == 1 && rf_power(4, 0) == 1);
  assert_true(fabs(rf_power(2, 10) - 1024) < 1e-11 && fabs(rf_power(27, 1.0 / 3) - 3) < 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(near_the_library), cmocka_unit_test(less_one_keeps_what_is_small),
      cmocka_unit_test(cube_roots_near_the_library), cmocka_unit_test(known_digits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
