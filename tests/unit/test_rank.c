/* The Mann-Whitney test against published tables, against counting every order, and at its ends. */
#include "test.h"

#include "roofline/stats.h"

static roof_rank_test test_of(const double *a, size_t n, const double *b, size_t m) {
  double x[512], y[512];
  roof_rank_test result;
  memcpy(x, a, n * sizeof *a);
  memcpy(y, b, m * sizeof *b);
  assert_int_equal(roof_stats_mann_whitney(x, n, y, m, &result, NULL), ROOF_OK);
  return result;
}

/** a has the ranks of the bits set in `order`, of n + m ranks. */
static size_t split(unsigned order, size_t all, double *a, double *b) {
  size_t n = 0, m = 0;
  for (size_t i = 0; i < all; i++) {
    *(order & 1u << i ? &a[n++] : &b[m++]) = (double)i;
  }
  return n;
}

static void every_order_of_few_samples(void **state) {
  (void)state;
  enum { ALL = 9 };
  for (size_t n = 1; n < ALL; n++) {
    double us[1 << ALL];
    size_t orders = 0;
    double a[ALL], b[ALL];
    for (unsigned order = 0; order < 1u << ALL; order++) {
      if (split(order, ALL, a, b) == n) {
        us[orders++] = test_of(a, n, b, ALL - n).u;
      }
    }
    for (unsigned order = 0; order < 1u << ALL; order += 7) {
      if (split(order, ALL, a, b) != n) {
        continue;
      }
      roof_rank_test got = test_of(a, n, b, ALL - n);
      size_t larger = 0;
      for (size_t i = 0; i < orders; i++) {
        larger += us[i] >= got.u;
      }
      assert_true(got.exact);
      assert_near(got.p_greater, (double)larger / (double)orders, 1e-12);
      assert_near(got.least, 1 / (double)orders, 1e-9);
    }
  }
}

/** Critical values of U, two-sided 5 %: the largest U that is still significant (Mann and Whitney 1947, as
 * tabled in textbooks). */
static void critical_values_of_the_table(void **state) {
  (void)state;
  static const struct {
    size_t n, m;
    int critical;
  } table[] = {{4, 4, 0},  {5, 5, 2},    {6, 6, 5},  {7, 7, 8},
               {8, 8, 13}, {10, 10, 23}, {5, 10, 8}, {20, 20, 127}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    size_t n = table[i].n, m = table[i].m;
    for (int u = table[i].critical; u <= table[i].critical + 1; u++) {
      /* Values of b at whole numbers; those of a between them so that u pairs have a larger. */
      double a[20], b[20];
      int left = u;
      for (size_t k = 0; k < m; k++) {
        b[k] = (double)k;
      }
      for (size_t k = 0; k < n; k++) {
        int below = left < (int)m ? left : (int)m;
        a[k] = below - 0.5 + (double)k * 1e-3;
        left -= below;
      }
      roof_rank_test got = test_of(a, n, b, m);
      assert_true(got.u == u);
      assert_true(got.exact);
      if ((got.p <= 0.05) != (u == table[i].critical)) {
        fail_msg("n=%zu m=%zu U=%d: p=%g", n, m, u, got.p);
      }
    }
  }
}

static void both_sides(void **state) {
  (void)state;
  const double low[] = {1, 2, 3, 4}, high[] = {5, 6, 7, 8};
  roof_rank_test t = test_of(high, 4, low, 4);
  assert_true(t.u == 16);
  assert_near(t.p_greater, 1.0 / 70, 1e-12);
  assert_near(t.p, 2.0 / 70, 1e-12);
  t = test_of(low, 4, high, 4);
  assert_true(t.u == 0 && t.p_greater == 1);
  assert_near(t.p, 2.0 / 70, 1e-12);
}

static void ties_and_many_samples(void **state) {
  (void)state;
  /* U = 2 + 3.5 + 3 x 5, mean 12.5; the ties 2, 2, 2 and 4, 4 take (24 + 6) / 90 from 11 in 25/12 x 11. */
  const double a[] = {1, 2, 2, 4, 5}, b[] = {2, 4, 6, 7, 8};
  roof_rank_test t = test_of(b, 5, a, 5);
  assert_false(t.exact);
  assert_near(t.u, 20.5, 1e-12);
  double sigma = sqrt(25.0 / 12 * (11 - 30.0 / 90));
  assert_near(t.p_greater, 0.5 * erfc(7.5 / sigma / sqrt(2)), 1e-12);
  /* Where both are at hand, exact and approximate agree. */
  double x[21], y[21];
  for (int i = 0; i < 21; i++) {
    x[i] = i * 2 + 3.1;
    y[i] = i * 2.01;
  }
  roof_rank_test approximate = test_of(x, 21, y, 21), exact = test_of(x, 20, y, 20);
  assert_true(exact.exact && !approximate.exact);
  assert_near(approximate.p_greater, exact.p_greater, 0.05);
  const double same[] = {3, 3, 3};
  t = test_of(same, 3, same, 3);
  assert_true(t.u == 4.5 && t.p_greater == 1 && t.p == 1);
}

static void what_cannot_be_tested(void **state) {
  (void)state;
  double a[] = {1, 2}, bad[] = {1, NAN};
  roof_rank_test t = {.u = -1};
  roof_error error;
  assert_int_equal(roof_stats_mann_whitney(a, 0, a, 2, &t, &error), ROOF_E_ARGUMENT);
  assert_int_equal(roof_stats_mann_whitney(a, 2, a, 0, &t, &error), ROOF_E_ARGUMENT);
  assert_int_equal(roof_stats_mann_whitney(a, 2, bad, 2, &t, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "not finite"));
  assert_true(t.u == -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_order_of_few_samples),
      cmocka_unit_test(critical_values_of_the_table),
      cmocka_unit_test(both_sides),
      cmocka_unit_test(ties_and_many_samples),
      cmocka_unit_test(what_cannot_be_tested),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
