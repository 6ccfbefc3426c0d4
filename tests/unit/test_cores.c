/* The ceilings of some cores: between one and all, equal at both ends, never falling. */
#include "test.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "owned.h"
#include "roofline/predict.h"

enum { CORES = 12 };

/** A random machine in which all cores reach at least what one does, at most CORES times that and a tenth. */
static void random_machine(roof_machine **slot) {
  roof_machine *m = empty_machine(slot);
  m->unit_count = CORES;
  fill_machine(m, 2, 2, 0);
  for (int i = 0; i < 2; i++) {
    double one = 1e9 * (1 + rand() % 1000), all = one * (1 + (CORES + 0.1) * (rand() % 1000) / 1000);
    m->peaks[i].dtype = ROOF_FP64;
    m->peaks[i].kind = m->levels[i].kind = ROOF_MEASURED;
    m->peaks[i].cores = m->levels[i].cores = i == 0 ? 1 : 0;
    m->levels[i].level = ROOF_MEMORY;
    m->levels[i].bytes = 1e12;
    snprintf(m->peaks[i].source, sizeof m->peaks[i].source, "%s", i == 0 ? "alone" : "together");
    m->peaks[0].flops_per_second = i == 0 ? one : m->peaks[0].flops_per_second;
    m->levels[0].read_bytes_per_second = i == 0 ? one / 7 : m->levels[0].read_bytes_per_second;
    if (i == 1) {
      double factor = all / one;
      m->peaks[1].flops_per_second = m->peaks[0].flops_per_second * fmax(1, factor);
      m->levels[1].read_bytes_per_second = m->levels[0].read_bytes_per_second * fmax(1, factor);
      m->peaks[1].limit_flops_per_second = m->peaks[1].flops_per_second * 1.1;
      m->peaks[0].limit_flops_per_second = m->peaks[0].flops_per_second * 1.1;
    }
  }
}

static double peak_of(const roof_machine *m) {
  return roof_machine_peak(m, ROOF_FP64, ROOF_VECTOR, false, ROOF_MEASURED)->flops_per_second;
}

static double memory_of(const roof_machine *m) {
  return roof_level_bandwidth(roof_machine_level(m, ROOF_MEMORY, ROOF_MEASURED), 0, 0);
}

static void between_one_and_all(void **state) {
  (void)state;
  static roof_machine *m = NULL, *some = NULL;
  for (int round = 0; round < 500; round++) {
    random_machine(&m);
    double peak = 0, memory = 0;
    for (int cores = 1; cores <= CORES + 3; cores++) {
      roof_machine_free(some);
      some = roof_machine_copy(m);
      roof_machine_for_cores(some, cores);
      assert_true(peak_of(some) >= peak && memory_of(some) >= memory);
      peak = peak_of(some);
      memory = memory_of(some);
      if (cores == 1) {
        assert_true(peak == m->peaks[0].flops_per_second);
        assert_near(memory, m->levels[0].read_bytes_per_second, 1e-12);
      }
      assert_true(peak <= m->peaks[1].flops_per_second * (1 + 1e-12));
      assert_true(peak <= cores * m->peaks[0].flops_per_second * (1 + 1e-12) || cores >= CORES);
    }
    assert_true(peak == m->peaks[1].flops_per_second);
    assert_near(memory, m->levels[1].read_bytes_per_second, 1e-12);
  }
}

static void says_where_it_comes_from(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  random_machine(&m);
  roof_machine_for_cores(m, 5);
  const roof_peak *peak = roof_machine_peak(m, ROOF_FP64, ROOF_VECTOR, false, ROOF_MEASURED);
  assert_int_equal(peak->cores, 5);
  assert_string_equal(peak->source, "interpolated from 1 and 12 cores: together");
}

static void leaves_what_has_no_counterpart(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  random_machine(&m);
  fill_machine(m, 3, 0, 0);
  m->peaks[2] = m->peaks[1];
  m->peaks[2].dtype = ROOF_FP32;
  m->peaks[0].kind = ROOF_DATASHEET;
  double fp32 = m->peaks[2].flops_per_second, fp64 = m->peaks[1].flops_per_second;
  roof_machine_for_cores(m, 3);
  assert_true(m->peaks[2].flops_per_second == fp32 && m->peaks[1].flops_per_second == fp64);
  assert_int_equal(m->peaks[1].cores, 0);
}

static void the_fastest_kind_of_core_comes_first(void **state) {
  (void)state;
  static roof_machine *m = NULL, *some = NULL;
  static const struct {
    const char *kind;
    int cores;
    double instances, rate;
  } rows[] = {{"P-core", 1, 4, 100}, {"E-core", 1, 8, 40}, {"", 0, 12, 700}};
  static const struct {
    int cores;
    double rate;
  } cases[] = {{1, 100}, {4, 400}, {5, 440}, {11, 680}};
  empty_machine(&m);
  m->unit_count = CORES;
  for (int i = 0; i < 3; i++) {
    roof_peak *peak = roof_machine_add_peak(m);
    roof_level *level = roof_machine_add_level(m);
    peak->dtype = ROOF_FP64;
    peak->kind = level->kind = ROOF_MEASURED;
    peak->cores = level->cores = rows[i].cores;
    level->level = ROOF_L1;
    level->instances = rows[i].instances;
    peak->flops_per_second = level->read_bytes_per_second = rows[i].rate;
    snprintf(peak->core_kind, sizeof peak->core_kind, "%s", rows[i].kind);
    snprintf(level->core_kind, sizeof level->core_kind, "%s", rows[i].kind);
  }
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_machine_free(some);
    some = roof_machine_copy(m);
    roof_machine_for_cores(some, cases[i].cores);
    assert_near(some->peaks[2].flops_per_second, cases[i].rate, 1e-12);
    assert_near(some->levels[2].read_bytes_per_second, cases[i].rate, 1e-12);
  }
}

static void private_caches_are_fewer(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  random_machine(&m);
  m->levels[0].level = m->levels[1].level = ROOF_L2;
  m->levels[0].instances = m->levels[1].instances = CORES;
  roof_machine_for_cores(m, 5);
  assert_true(m->levels[1].instances == 5);
}

static void one_core_has_its_own_caches(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  random_machine(&m);
  m->levels[0].level = m->levels[1].level = ROOF_L2;
  m->levels[0].instances = m->levels[1].instances = CORES;
  roof_machine_for_cores(m, 1);
  assert_true(roof_machine_level(m, ROOF_L2, ROOF_MEASURED)->instances == 1);
}

static void one_core_wakes_no_threads(void **state) {
  (void)state;
  static roof_machine *m = NULL;
  static const roof_provenance kinds[] = {ROOF_MEASURED, ROOF_ASSUMED};
  for (int i = 0; i < 2; i++) {
    for (int cores = 1; cores <= 2; cores++) {
      random_machine(&m);
      m->launch_seconds = m->overhead_cutoff_seconds = 1e-6;
      m->launch_origin.kind = kinds[i];
      roof_machine_for_cores(m, cores);
      double left = cores == 1 && kinds[i] == ROOF_MEASURED ? 0 : 1e-6;
      assert_true(m->launch_seconds == left && m->overhead_cutoff_seconds == left);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(between_one_and_all),
                                     cmocka_unit_test(says_where_it_comes_from),
                                     cmocka_unit_test(leaves_what_has_no_counterpart),
                                     cmocka_unit_test(private_caches_are_fewer),
                                     cmocka_unit_test(one_core_has_its_own_caches),
                                     cmocka_unit_test(one_core_wakes_no_threads),
                                     cmocka_unit_test(the_fastest_kind_of_core_comes_first)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
