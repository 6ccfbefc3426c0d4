/* Ceilings by cores and by intensity: what is found in them, and what a disturbance changes. */
#include "test.h"

#include "measure/cpu/growth.h"
#include "measure/cpu/laws.h"
#include "owned.h"
#include "roofline/overlap.h"

/** A resource that `enough` cores saturate; the first windows of one core are `disturbed` times as slow. */
typedef struct resource {
  double enough;
  double disturbed;
  int slow_windows;
  int windows;
} resource;

static double rate(void *user, int threads) {
  resource *r = user;
  r->windows++;
  double slower = threads == 1 && r->slow_windows-- > 0 ? r->disturbed : 1;
  return 10e9 * fmin(threads, r->enough) / slower;
}

static void cores_are_doubled_up_to_all(void **state) {
  (void)state;
  roof_scaling s;
  resource r = {.enough = 4, .disturbed = 1};
  rf_growth_measure(&s, 12, 3, rate, &r);
  static const double counts[] = {1, 2, 4, 8, 12};
  assert_int_equal(s.core_count, 5);
  assert_int_equal(s.rate_count, 5);
  for (int i = 0; i < 5; i++) {
    assert_near(s.cores[i], counts[i], 0);
    assert_near(s.per_second[i], 10e9 * fmin(counts[i], 4), 1e-12);
  }
  assert_near(s.saturating_cores, 4, 0);
  assert_int_equal(r.windows, 3 * 5);
  rf_growth_measure(&s, 1, 2, rate, &r);
  assert_int_equal(s.core_count, 1);
  assert_true(isnan(s.saturating_cores));
}

static void what_grows_to_the_end_is_not_saturated(void **state) {
  (void)state;
  roof_scaling s;
  resource r = {.enough = 64, .disturbed = 1};
  rf_growth_measure(&s, 4, 1, rate, &r);
  assert_true(isnan(s.saturating_cores));
  s.per_second[1] = 0.96 * s.per_second[2];
  assert_near(roof_scaling_saturation(&s), 2, 0);
  s.rate_count = 0;
  assert_true(isnan(roof_scaling_saturation(&s)));
}

/** Two cores cannot do three times the work of one: all are tried again, and the disturbed one recovers. */
static void more_than_as_many_times_one_core_is_tried_again(void **state) {
  (void)state;
  roof_scaling s;
  resource r = {.enough = 2, .disturbed = 3, .slow_windows = 4};
  rf_growth_measure(&s, 2, 3, rate, &r);
  assert_near(s.per_second[0], 10e9, 1e-12);
  assert_int_equal(r.windows, 5 * 2);
  resource never = {.enough = 2, .disturbed = 3, .slow_windows = 1000};
  rf_growth_measure(&s, 2, 3, rate, &never);
  assert_int_equal(never.windows, 6 * 2);
}

/** One core has all memory of its domain to read, not the part of it that it filled. */
static void few_cores_read_what_their_domain_filled(void **state) {
  (void)state;
  rf_core cores[8];
  rf_bench bench = {.data_bytes = (size_t)8 << 30,
                    .team = {.threads = 8, .topology = {.cores = cores, .core_count = 8}}};
  for (int i = 0; i < 8; i++) {
    cores[i] = (rf_core){.threads = {i}, .thread_count = 1, .node = i / 4};
  }
  static const struct {
    int threads;
    double bytes;
  } cases[] = {{1, 0x1p32}, {4, 0x1p32}, {5, 0x1p33}, {8, 0x1p33}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_near(rf_cpu_near_bytes(&bench, cases[i].threads), cases[i].bytes, 0);
  }
  bench.team.threads = 2;
  assert_near(rf_cpu_near_bytes(&bench, 1), 0x1p33, 0);
}

/** A machine of 100 GFLOP/s and 10 GB/s whose loop takes, next to its longest wall, `exposed` of the other. */
static roof_machine *machine_of(double exposed) {
  roof_machine *m = roof_machine_new();
  roof_peak *peak = roof_machine_add_peak(m);
  roof_level *memory = roof_machine_add_level(m);
  peak->dtype = ROOF_FP64;
  peak->unit = ROOF_VECTOR;
  peak->kind = memory->kind = ROOF_MEASURED;
  peak->flops_per_second = 100e9;
  memory->level = ROOF_MEMORY;
  memory->read_bytes_per_second = 10e9;
  for (double intensity = 1e-4; intensity < 1e6; intensity *= 10) {
    double compute = 1 / 100e9, bytes = 1 / (intensity * 10e9);
    *roof_machine_add_intensity(m) =
        (roof_intensity_point){intensity, 1 / (fmax(compute, bytes) + exposed * fmin(compute, bytes))};
  }
  return m;
}

static void both_ceilings_overlap_at_the_ridge_or_not(void **state) {
  (void)state;
  static const double exposed[] = {0, 0.25, 1};
  for (int i = 0; i < 3; i++) {
    owned roof_machine *m = machine_of(exposed[i]);
    roof_overlap o = roof_machine_overlap(m);
    assert_near(o.ridge, 10, 1e-12);
    assert_near(o.intensity, 10, 1e-9);
    assert_near(o.share, 1 / (1 + exposed[i]), 1e-3);
    assert_near(o.hidden + 1, 2 - exposed[i], 1e-3);
    assert_near(roof_intensity_bound(m, 2), 20e9, 1e-12);
    assert_near(roof_intensity_bound(m, 50), 100e9, 1e-12);
  }
  owned roof_machine *none = roof_machine_new();
  assert_true(isnan(roof_machine_overlap(none).share) && isnan(roof_intensity_bound(none, 1)));
}

/** N cores do N times the operations of one, near enough. */
static void rates_of_all_cores_obey_the_law_of_cores(void **state) {
  (void)state;
  static const double factors[] = {4, 2.5, 4.6};
  for (int i = 0; i < 3; i++) {
    owned roof_machine *m = roof_machine_new();
    rf_breach breaches[RF_BREACH_MAX];
    for (int all = 0; all < 2; all++) {
      roof_rate *r = roof_machine_add_rate(m);
      snprintf(r->name, sizeof r->name, "fp64 divide");
      r->cores = all ? 0 : 1;
      r->per_second = all ? factors[i] * 1e9 : 1e9;
    }
    int count = rf_laws_check(m, 4, breaches);
    assert_int_equal(count, i > 0);
    assert_true(count == 0 || breaches[0].law == RF_LAW_CORES);
    rf_laws_mark(breaches, count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cores_are_doubled_up_to_all),
      cmocka_unit_test(what_grows_to_the_end_is_not_saturated),
      cmocka_unit_test(few_cores_read_what_their_domain_filled),
      cmocka_unit_test(more_than_as_many_times_one_core_is_tried_again),
      cmocka_unit_test(both_ceilings_overlap_at_the_ridge_or_not),
      cmocka_unit_test(rates_of_all_cores_obey_the_law_of_cores),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
