/* The laws that measured ceilings obey, and the clock behind a figure. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/cpu/laws.h"
#include "measure/cpu/pace.h"
#include "roofline/report.h"
#include "test.h"

enum { CORES = 2 };

/** A peak with a limit, as `measure` leaves it. */
static roof_peak *add_peak(roof_machine *m, roof_dtype dtype, const char *isa, int cores, double rate,
                           double limit) {
  roof_peak *peak = roof_machine_add_peak(m);
  assert_non_null(roof_peak_make_conditions(peak));
  peak->dtype = dtype;
  peak->kind = ROOF_MEASURED;
  peak->cores = cores;
  peak->flops_per_second = rate;
  peak->limit_flops_per_second = limit;
  peak->conditions->clock_spread = 0.01;
  snprintf(peak->isa, sizeof peak->isa, "%s", isa);
  return peak;
}

/** fp64 and fp32 of one instruction set on one core and on all, as a quiet machine has them. */
static roof_machine *sound_machine(void) {
  roof_machine *m = roof_machine_new();
  assert_non_null(m);
  add_peak(m, ROOF_FP64, "AVX2+FMA", 1, 50e9, 50e9);
  add_peak(m, ROOF_FP64, "AVX2+FMA", 0, 100e9, 100e9);
  add_peak(m, ROOF_FP32, "AVX2+FMA", 1, 100e9, 100e9);
  add_peak(m, ROOF_FP32, "AVX2+FMA", 0, 200e9, 200e9);
  add_peak(m, ROOF_FP64, "scalar FMA", 1, 12e9, 12e9);
  add_peak(m, ROOF_FP32, "scalar FMA", 1, 12e9, 12e9);
  return m;
}

static roof_level *add_level(roof_machine *m, roof_level_kind kind, int cores, double rate) {
  roof_level *level = roof_machine_add_level(m);
  assert_non_null(roof_level_make_report(level));
  level->level = kind;
  level->kind = ROOF_MEASURED;
  level->cores = cores;
  level->read_bytes_per_second = rate;
  snprintf(level->name, sizeof level->name, "L%d", (int)kind);
  return level;
}

/** The only breach of a machine. */
static rf_breach only_breach(const roof_machine *m) {
  rf_breach breaches[RF_BREACH_MAX];
  assert_int_equal(rf_laws_check(m, CORES, breaches), 1);
  return breaches[0];
}

static void test_sound(void **state) {
  (void)state;
  rf_breach breaches[RF_BREACH_MAX];
  roof_machine *m = sound_machine();
  add_level(m, ROOF_L1, 1, 200e9);
  add_level(m, ROOF_L1, 0, 400e9);
  add_level(m, ROOF_L2, 0, 200e9);
  assert_int_equal(rf_laws_check(m, CORES, breaches), 0);
  roof_machine_free(m);
}

/** Above the limit by less than the clock is known to is no breach; by more it is. */
static void test_limit(void **state) {
  (void)state;
  rf_breach breaches[RF_BREACH_MAX];
  char text[256];
  roof_machine *m = sound_machine();
  roof_peak *peak = add_peak(m, ROOF_FP64, "AVX2 mul", 1, 25e9 * 1.012, 25e9);
  assert_int_equal(rf_laws_check(m, CORES, breaches), 0);
  peak->flops_per_second = 25e9 * 1.04;
  rf_breach breach = only_breach(m);
  assert_int_equal(breach.law, RF_LAW_LIMIT);
  assert_ptr_equal(breach.figures[0], peak->conditions);
  rf_laws_describe(&breach, 1, RF_LAW_LIMIT, text, sizeof text);
  assert_non_null(strstr(text, "fp64 AVX2 mul on one core is 104.0 % of clock x work per cycle"));
  assert_non_null(strstr(text, "a clock known to 1.0 %"));
  peak->conditions->clock_spread = NAN;
  rf_laws_describe(&breach, 1, RF_LAW_LIMIT, text, sizeof text);
  assert_string_equal(
      text, "fp64 AVX2 mul on one core is 104.0 % of clock x work per cycle: the clock was read while "
            "something else ran");
  rf_laws_mark(&breach, 1);
  assert_string_equal(peak->conditions->noisy, "104.0 % of clock x work per cycle");
  roof_machine_free(m);
}

/** SSE2 multiply-add came out at half of its limit, unmarked. */
static void test_reach(void **state) {
  (void)state;
  roof_machine *m = sound_machine();
  roof_peak *peak = add_peak(m, ROOF_FP64, "SSE2 mul+add", 1, 12e9, 24e9);
  rf_breach breach = only_breach(m);
  assert_int_equal(breach.law, RF_LAW_REACH);
  rf_laws_mark(&breach, 1);
  assert_string_equal(peak->conditions->noisy, "only 50 % of clock x FLOP per cycle");
  roof_machine_free(m);
}

/** fp32 on both cores at 91.8 GFLOP/s where fp64 has 91.4: the processors were threads of one core. */
static void test_width(void **state) {
  (void)state;
  rf_breach breaches[RF_BREACH_MAX];
  roof_machine *m = sound_machine();
  m->peaks[1].flops_per_second = 91.4e9;
  m->peaks[3].flops_per_second = 91.8e9;
  m->peaks[3].limit_flops_per_second = NAN;
  int count = rf_laws_check(m, CORES, breaches);
  assert_int_equal(count, 2); /* the width, and cores that do not scale */
  assert_int_equal(breaches[0].law, RF_LAW_WIDTH);
  assert_true(fabs(breaches[0].factor - 91.8 / 91.4) < 1e-9);
  assert_int_equal(breaches[1].law, RF_LAW_CORES);
  rf_laws_mark(breaches, count);
  assert_string_equal(m->peaks[1].conditions->noisy, "fp32 is 1.00 times fp64");
  assert_string_equal(m->peaks[3].conditions->noisy, "fp32 is 1.00 times fp64");
  roof_machine_free(m);
}

/** A triad at 95 GB/s reads 63 GB/s, of a memory that reads alone at 52. */
static void test_reads(void **state) {
  (void)state;
  rf_breach breaches[RF_BREACH_MAX];
  char text[256];
  roof_machine *m = sound_machine();
  roof_level *level = add_level(m, ROOF_MEMORY, 0, 52e9);
  level->triad_bytes_per_second = 75e9;
  assert_int_equal(rf_laws_check(m, CORES, breaches), 0);
  level->triad_bytes_per_second = 95e9;
  rf_breach breach = only_breach(m);
  assert_int_equal(breach.law, RF_LAW_READS);
  assert_ptr_equal(breach.figures[0], &level->report->read);
  assert_ptr_equal(breach.figures[1], &level->report->triad);
  rf_laws_describe(&breach, 1, RF_LAW_READS, text, sizeof text);
  assert_non_null(strstr(
      text, "on all cores, read alone, does 0.82 times the reads of triad: one of the two was disturbed"));
  rf_laws_mark(&breach, 1);
  assert_string_equal(level->report->triad.noisy, "reads alone are 0.82 times those of another pattern");
  roof_machine_free(m);
}

static void test_order(void **state) {
  (void)state;
  roof_machine *m = sound_machine();
  roof_level *inner = add_level(m, ROOF_L2, 0, 100e9);
  roof_level *outer = add_level(m, ROOF_L3, 0, 120e9);
  rf_breach breach = only_breach(m);
  assert_int_equal(breach.law, RF_LAW_ORDER);
  assert_ptr_equal(breach.figures[0], &outer->report->read);
  assert_ptr_equal(breach.figures[1], &inner->report->read);
  roof_machine_free(m);
}

/** Interrupted readings are too low; what counts is the clock of the windows that gave the figure. */
static void test_pace(void **state) {
  (void)state;
  enum { WINDOWS = 40 };
  double seconds[WINDOWS], clocks[WINDOWS];
  for (int i = 0; i < WINDOWS; i++) {
    bool fast = i >= WINDOWS / 2; /* the clock rises in the second round */
    clocks[i] = i % 4 == 0 ? 1e9 : fast ? 3.0e9 : 2.8e9;
    seconds[i] = 1e6 / (fast ? 3.0e9 : 2.8e9);
  }
  size_t ends[] = {WINDOWS / 2, WINDOWS};
  rf_pace pace = rf_pace_of(seconds, clocks, ends, 2, 1e6 / 3.0e9);
  assert_true(fabs(pace.clock_hz - 3.0e9) < 1);
  assert_true(pace.spread < 1e-9);
  assert_true(isnan(rf_pace_of(seconds, clocks, ends, 0, 1).clock_hz));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sound), cmocka_unit_test(test_limit), cmocka_unit_test(test_reach),
      cmocka_unit_test(test_width), cmocka_unit_test(test_order), cmocka_unit_test(test_reads),
      cmocka_unit_test(test_pace),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
