/* Reconciling: each figure of a verdict, with numbers on both sides of every threshold. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "ledger/entry.h"
#include "owned.h"
#include "roofline/advise.h"
#include "roofline/catalog.h"
#include "roofline/ops.h"

static const double peak = 989e12, bandwidth = 3.35e12;

/** A kernel of `flops` and `bytes` sealed against an H100, its achieved roof at 80 % of the theoretical one.
 */
static roof_ledger_entry predicted(double flops, double bytes) {
  roof_ledger_entry p = {.sequence = 1, .kind = "prediction", .of = {.label = "k"}};
  double compute = flops / peak, memory = bytes / bandwidth;
  p.of.flops = flops;
  p.of.bytes = bytes;
  p.of.compute_seconds = compute;
  p.of.memory_seconds = memory;
  p.of.lower_seconds = compute > memory ? compute : memory;
  p.of.least_seconds = NAN;
  p.of.upper_seconds = compute + memory;
  p.of.expected_seconds = p.of.lower_seconds / 0.78;
  p.of.ceilings[ROOF_THEORETICAL] = (roof_ceiling){p.of.lower_seconds, peak, bandwidth};
  p.of.ceilings[ROOF_ACHIEVED] = (roof_ceiling){p.of.lower_seconds / 0.8, 0.8 * peak, 0.8 * bandwidth};
  strcpy(p.of.regime, compute > memory ? "compute" : "memory");
  strcpy(p.of.binding, compute > memory ? "fp16 matrix" : "HBM");
  return p;
}

static roof_ledger_entry measured(double seconds) {
  roof_ledger_entry m = {
      .sequence = 2, .measured = true, .seconds = seconds, .of = {.label = "k", .flops = NAN, .bytes = NAN}};
  for (int i = 0; i < ROOF_CLUE_COUNT; i++) {
    m.clue[i] = NAN;
  }
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT; i++) {
    m.level_bytes[i] = NAN;
  }
  return m;
}

/** Measured in `seconds` with bytes from a counter. */
static roof_ledger_entry counted(double seconds, double flops, double bytes) {
  roof_ledger_entry m = measured(seconds);
  m.of.flops = flops;
  m.of.bytes = bytes;
  strcpy(m.counted, "dram__bytes.sum");
  return m;
}

static roof_reconciled judge(const roof_ledger_entry *p, roof_ledger_entry m) {
  return rf_ledger_judge(p, &m);
}

/** A person's own prediction is compared with what was measured, not with the model's. */
static void a_guess_is_compared_with_the_measurement(void **state) {
  (void)state;
  roof_ledger_entry p = predicted(1e15, 1e9);
  double seconds = 2 * p.of.expected_seconds;
  assert_true(isnan(judge(&p, measured(seconds)).mine_error));
  p.of.mine_seconds = 0.75 * seconds;
  roof_reconciled r = judge(&p, measured(seconds));
  assert_true(r.mine_seconds == p.of.mine_seconds);
  assert_near(r.mine_error, -0.25, 1e-12);
}

static void shares_of_both_ceilings(void **state) {
  (void)state;
  roof_ledger_entry p = predicted(1e9, 3.35e9); /* 1 ms at best, 1.25 ms achieved */
  roof_reconciled r = judge(&p, measured(1e-3 / 0.71));
  assert_near(r.share[ROOF_THEORETICAL], 0.71, 1e-12);
  assert_near(r.share[ROOF_ACHIEVED], 0.8875, 1e-12);
  assert_near(r.headroom, 1 / 0.71, 1e-12);
  assert_near(r.gap_points, 7, 1e-9);
  assert_int_equal(r.prediction, 1);
  assert_int_equal(r.measurement, 2);
  p.of.ceilings[ROOF_ACHIEVED] = (roof_ceiling){NAN, NAN, NAN};
  r = judge(&p, measured(1e-3));
  assert_true(isnan(r.share[ROOF_ACHIEVED]));
  assert_null(r.bands[ROOF_ACHIEVED]);
  assert_false(r.done);
}

static void bands_of_both_bases(void **state) {
  (void)state;
  static const struct {
    roof_basis basis;
    double share;
    const char *name;
  } rows[] = {
      {ROOF_THEORETICAL, 0.499, "bug"},    {ROOF_THEORETICAL, 0.50, "low"},
      {ROOF_THEORETICAL, 0.649, "low"},    {ROOF_THEORETICAL, 0.65, "normal"},
      {ROOF_THEORETICAL, 0.849, "normal"}, {ROOF_THEORETICAL, 0.85, "good"},
      {ROOF_THEORETICAL, 0.899, "good"},   {ROOF_THEORETICAL, 0.90, "remeasure"},
      {ROOF_THEORETICAL, 1, "remeasure"},  {ROOF_THEORETICAL, 1.001, "explain"},
      {ROOF_ACHIEVED, 0.499, "bug"},       {ROOF_ACHIEVED, 0.50, "low"},
      {ROOF_ACHIEVED, 0.699, "low"},       {ROOF_ACHIEVED, 0.70, "normal"},
      {ROOF_ACHIEVED, 0.899, "normal"},    {ROOF_ACHIEVED, 0.90, "done"},
      {ROOF_ACHIEVED, 1, "done"},          {ROOF_ACHIEVED, 1.001, "explain"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    assert_string_equal(roof_verdict_on(rows[i].basis, rows[i].share)->name, rows[i].name);
  }
  assert_null(roof_verdict_on(ROOF_ACHIEVED, NAN));
  assert_null(roof_verdict_on(ROOF_ACHIEVED, -0.1));
}

/** The ceiling that the sealed bound is one of names the bands; launches are no ceiling of a benchmark. */
static void the_verdict_is_of_the_basis_that_was_sealed(void **state) {
  (void)state;
  roof_ledger_entry p = predicted(1e9, 3.35e9);
  assert_string_equal(judge(&p, measured(1e-3 / 0.95)).verdict, "remeasure");
  p.of.lower_seconds = p.of.ceilings[ROOF_ACHIEVED].seconds;
  assert_string_equal(judge(&p, measured(1.25e-3 / 0.95)).verdict, "done");
  p.of.ceilings[ROOF_THEORETICAL] = (roof_ceiling){NAN, NAN, NAN};
  assert_string_equal(judge(&p, measured(1.25e-3 / 0.66)).verdict, "low");
  p.of.overhead_seconds = p.of.lower_seconds;
  assert_string_equal(judge(&p, measured(1.25e-3 / 0.66)).verdict, "normal");
}

/** Memory of another mode moves the ceiling; what was sealed stays as it was. */
static void the_paced_bound_has_a_name_of_its_own(void **state) {
  (void)state;
  roof_ledger_entry p = predicted(1e9, 3.35e9);
  roof_ledger_entry m = measured(4e-3);
  m.memory_pace = 0.5;
  roof_reconciled r = judge(&p, m);
  assert_near(r.lower_seconds, 1e-3, 1e-12);
  assert_near(r.ceiling_seconds, 2e-3, 1e-12);
  assert_near(r.fraction_of_ceiling, 0.5, 1e-12);
  assert_near(r.upper_seconds, p.of.upper_seconds, 1e-12);
  m.memory_pace = NAN;
  assert_near(judge(&p, m).ceiling_seconds, 1e-3, 1e-12);
}

static void stop_at_nine_tenths_of_the_achieved_roof(void **state) {
  (void)state;
  roof_ledger_entry p = predicted(1e9, 3.35e9);
  roof_reconciled below = judge(&p, measured(1.25e-3 / 0.899));
  roof_reconciled at = judge(&p, measured(1.25e-3 / 0.901));
  assert_false(below.done);
  assert_null(below.next);
  assert_true(at.done);
  assert_non_null(strstr(at.next, "fewer bytes"));
  roof_ledger_entry q = predicted(1e12, 1e6);
  roof_reconciled compute = judge(&q, measured(q.of.ceilings[ROOF_ACHIEVED].seconds / 0.95));
  assert_non_null(strstr(compute.next, "matrix unit"));
}

static void traffic_counted_against_arithmetic(void **state) {
  (void)state;
  roof_ledger_entry p = predicted(1e9, 1e9);
  static const struct {
    double bytes;
    const char *traffic;
  } rows[] = {{1e9, "equal"},
              {1e9 / 0.951, "equal"},
              {1e9 / 0.949, "lower"},
              {1e9 / 1.049, "equal"},
              {1e9 / 1.051, "higher"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    roof_reconciled r = judge(&p, counted(1e-3, 1e9, rows[i].bytes));
    assert_string_equal(r.traffic, rows[i].traffic);
    assert_near(r.operational_intensity, 1e9 / rows[i].bytes, 1e-9);
    assert_near(r.intensity, 1, 1e-12);
  }
  roof_reconciled r = judge(&p, measured(1e-3));
  assert_null(r.traffic);
  assert_true(isnan(r.operational_intensity));
  roof_ledger_entry formula = counted(1e-3, 1e9, 2e9);
  strcpy(formula.counted, "formula");
  r = judge(&p, formula);
  assert_null(r.traffic);
  assert_string_equal(roof_traffic_meaning("lower"), "lower: redundant traffic, more bytes than needed");
  assert_string_equal(roof_traffic_meaning("low"), "?");
}

static void regime_from_counters(void **state) {
  (void)state;
  roof_ledger_entry p = predicted(1e9, 1e9);
  roof_reconciled r = judge(&p, measured(1e-3));
  assert_null(r.seen.resource);
  r = judge(&p, counted(1e-3, 1e9, 2.5e9)); /* 2.5 TB/s of 3.35 */
  assert_int_equal(r.seen.regime, ROOF_MEMORY_BOUND);
  assert_string_equal(r.seen.resource, "memory");
  assert_near(r.seen.share, 0.74627, 1e-5);
  double even = peak / bandwidth; /* FLOP/byte at the ridge */
  r = judge(&p, counted(1, 0.99 * even * 1e12, 1e12));
  assert_int_equal(r.seen.regime, ROOF_MEMORY_BOUND);
  r = judge(&p, counted(1, 1.01 * even * 1e12, 1e12));
  assert_int_equal(r.seen.regime, ROOF_COMPUTE_BOUND);
}

static void regime_from_a_profiler(void **state) {
  (void)state;
  roof_ledger_entry p = predicted(1e9, 1e9), m = measured(1e-3);
  m.clue[ROOF_CLUE_LINK] = 0.8;
  m.clue[ROOF_CLUE_MEMORY] = 0.7;
  roof_reconciled r = judge(&p, m);
  assert_int_equal(r.seen.regime, ROOF_NETWORK_BOUND);
  assert_near(r.seen.share, 0.8, 1e-12);
  assert_near(r.clue[ROOF_CLUE_LINK], 0.8, 1e-12);
  m.clue[ROOF_CLUE_ACTIVE] = 0.49;
  assert_int_equal(judge(&p, m).seen.regime, ROOF_OVERHEAD_BOUND);
  m.clue[ROOF_CLUE_ACTIVE] = 0.51;
  assert_int_equal(judge(&p, m).seen.regime, ROOF_NETWORK_BOUND);
  /* The bytes counted at the L2 against what it delivers. */
  p.of.level_bytes_per_second[ROOF_L2] = 5e12;
  m = counted(1e-3, 1e9, 1e9);
  m.level_bytes[ROOF_L2] = 4.5e9;
  r = judge(&p, m);
  assert_string_equal(r.seen.resource, "L2");
  assert_near(r.seen.share, 0.9, 1e-12);
  strcpy(m.counted, "formula");
  assert_null(judge(&p, m).seen.resource);
  /* Half of the time is the launch. */
  p.of.overhead_seconds = 0.51e-3;
  assert_string_equal(judge(&p, measured(1e-3)).seen.resource, "launches");
  p.of.overhead_assumed = true;
  assert_null(judge(&p, measured(1e-3)).seen.resource);
  p.of.overhead_assumed = false;
  p.of.overhead_seconds = 0.49e-3;
  assert_null(judge(&p, measured(1e-3)).seen.resource);
}

static void the_measured_regime_in_words(void **state) {
  (void)state;
  char text[256];
  roof_ledger_entry p = predicted(1e9, 3.35e9), m = measured(1.25e-3); /* memory-bound */
  roof_reconciled r = judge(&p, m);
  assert_string_equal(roof_reconciled_regime(&r, text, sizeof text), ""); /* not counted */
  m.clue[ROOF_CLUE_MEMORY] = 0.9;
  r = judge(&p, m);
  assert_string_equal(roof_reconciled_regime(&r, text, sizeof text), ""); /* as predicted */
  m.clue[ROOF_CLUE_MEMORY] = 0.2;
  r = judge(&p, m);
  assert_non_null(strstr(roof_reconciled_regime(&r, text, sizeof text),
                         "no resource is busy; the nearest to its peak is memory at 20.0 % (under "));
  m.clue[ROOF_CLUE_COMPUTE] = 0.95;
  r = judge(&p, m);
  assert_non_null(strstr(roof_reconciled_regime(&r, text, sizeof text),
                         "compute-bound, not memory-bound as predicted: "));
  m.clue[ROOF_CLUE_L2] = 0.99;
  r = judge(&p, m);
  assert_non_null(
      strstr(roof_reconciled_regime(&r, text, sizeof text), "memory-bound at L2, not at HBM as predicted: "));
}

static void counted_flops_without_counted_bytes(void **state) {
  (void)state;
  roof_ledger_entry p = predicted(989e9, 1e9), m = measured(1e-3);
  m.of.flops = 2 * 989e9 * 0.4;
  strcpy(m.counted, "formula");
  strcpy(m.counted_flops, "PAPI_FP_OPS");
  roof_reconciled r = judge(&p, m);
  assert_int_equal(r.seen.regime, ROOF_COMPUTE_BOUND);
  assert_near(r.seen.share, 0.8, 1e-12);
  assert_true(isnan(r.operational_intensity));
}

static void implied_overlap(void **state) {
  (void)state;
  roof_ledger_entry p = predicted(989e9, 3.35e9); /* both 1 ms: 1 to 2 ms */
  assert_near(judge(&p, measured(1e-3)).overlap, 1, 1e-12);
  assert_near(judge(&p, measured(1.25e-3)).overlap, 0.75, 1e-12);
  assert_near(judge(&p, measured(2e-3)).overlap, 0, 1e-12);
  assert_near(judge(&p, measured(3e-3)).overlap, 0, 1e-12);
  assert_near(judge(&p, measured(0.9e-3)).overlap, 1, 1e-12);
  p.of.upper_seconds = 1.009e-3;
  assert_true(isnan(judge(&p, measured(1.004e-3)).overlap));
  p.of.upper_seconds = 1.011e-3;
  assert_true(judge(&p, measured(1.004e-3)).overlap > 0);
}

/** 64 FLOP/byte at 90 % of the tensor peak cannot be: its roof is 214.4 TFLOP/s, 21.7 %. */
static void above_the_roof(void **state) {
  (void)state;
  double flops = 64e9, bytes = 1e9;
  roof_ledger_entry p = predicted(flops, bytes);
  roof_reconciled r = judge(&p, counted(flops / (0.9 * peak), flops, bytes));
  assert_string_equal(r.impossible, "890.1 TFLOP/s cannot be at 64 FLOP/B: 64 FLOP/B x 3.350 TB/s = 214.4 "
                                    "TFLOP/s = 21.7 % of the peak, not 90.0 %");
  assert_false(r.done);
  assert_near(r.roof_flops_per_second, 214.4e12, 1);
  r = judge(&p, counted(flops / (0.999 * 214.4e12), flops, bytes));
  assert_string_equal(r.impossible, "");
  assert_near(r.flops_per_second / r.roof_flops_per_second, 0.999, 1e-9);
  r = judge(&p, counted(flops / (1.004 * 214.4e12), flops, bytes)); /* a datasheet's rounding */
  assert_string_equal(r.impossible, "");
  r = judge(&p, counted(flops / (1.006 * 214.4e12), flops, bytes));
  assert_non_null(strstr(r.impossible, "214.4 TFLOP/s"));
  r = judge(&p, measured(flops / (1.006 * 214.4e12)));
  assert_non_null(strstr(r.impossible, "cannot be"));
}

/** Bytes of the formula that the last cache holds are not held against the memory: the sealed bound counts. */
static void data_that_a_cache_holds(void **state) {
  (void)state;
  roof_ledger_entry p = predicted(6e8, 3.35e8);
  p.of.ceilings[ROOF_THEORETICAL].seconds = p.of.lower_seconds = 4e-5;
  assert_string_equal(judge(&p, measured(5e-5)).impossible, "");
  assert_near(judge(&p, measured(5e-5)).roof_flops_per_second, 6e8 / 4e-5, 1e-9);
  assert_string_equal(judge(&p, measured(3e-5)).impossible,
                      "30.00 µs cannot be: its ceiling allows no less than 40.00 µs");
  assert_string_equal(judge(&p, counted(5e-5, 6e8, 3.35e8)).impossible,
                      "12.00 TFLOP/s cannot be at 1.791 FLOP/B: 1.791 FLOP/B x 3.350 TB/s = 6.000 TFLOP/s = "
                      "0.6 % of the peak, not 1.2 %");
  assert_string_equal(judge(&p, counted(9.8e-5, 6e8, 3.35e8)).impossible,
                      "6.122 TFLOP/s cannot be at 1.791 FLOP/B: 1.791 FLOP/B x 3.350 TB/s = 6.000 TFLOP/s");
  p.of.ceilings[ROOF_THEORETICAL].seconds = NAN; /* nobody knows that cache's limit */
  assert_string_equal(judge(&p, measured(3e-5)).impossible, "");
}

/** Counters of other work do not make the sealed work faster than it can be. */
static void faster_than_the_sealed_work_can_be(void **state) {
  (void)state;
  roof_ledger_entry p = predicted(989e9, 1e9); /* 1 ms */
  p.of.least_seconds = 1e-3;
  roof_ledger_entry m = counted(0.6e-3, 494.5e9, 1e9);
  assert_string_equal(judge(&p, m).impossible,
                      "600.0 µs cannot be: its ceiling allows no less than 1.000 ms; "
                      "counted 50.0 % of the sealed FLOPs: not the sealed work");
  roof_ledger_entry copy = predicted(0, 3.35e9); /* 1 ms */
  assert_string_equal(judge(&copy, counted(0.6e-3, 0, 1e9)).impossible,
                      "600.0 µs cannot be: its ceiling allows no less than 1.000 ms; "
                      "counted 29.9 % of the sealed bytes: not the sealed work");
  m = counted(0.999e-3, 494.5e9, 1e9); /* a datasheet's rounding */
  assert_string_equal(judge(&p, m).impossible, "");
  m = counted(0.6e-3, 494.5e9, 1e9);
  m.noise = 0.7;
  assert_string_equal(judge(&p, m).impossible, "");
  p.of.least_seconds = 0.25e-3; /* an assumed peak */
  m = counted(0.6e-3, 494.5e9, 1e9);
  assert_string_equal(judge(&p, m).impossible, "");
  p.of.ceilings[ROOF_THEORETICAL].seconds = NAN; /* a measured ceiling alone */
  p.of.least_seconds = NAN;
  assert_string_equal(judge(&p, m).impossible, "");
}

static void above_the_peak_and_the_bandwidth(void **state) {
  (void)state;
  roof_ledger_entry compute = predicted(1e12, 1e6);
  assert_string_equal(judge(&compute, measured(1e12 / 0.995e15)).impossible,
                      "995.0 TFLOP/s cannot be: the peak is 989.0 TFLOP/s");
  assert_string_equal(judge(&compute, measured(1e12 / 0.988e15)).impossible, "");
  roof_ledger_entry copy = predicted(0, 3.35e9);
  assert_string_equal(judge(&copy, measured(0.99e-3)).impossible,
                      "3.384 TB/s cannot be: the bandwidth is 3.350 TB/s");
  assert_string_equal(judge(&copy, measured(1e-3)).impossible, "");
  assert_true(isnan(judge(&copy, measured(1e-3)).flops_per_second));
  copy.of.ceilings[ROOF_THEORETICAL] = (roof_ceiling){NAN, NAN, NAN};
  assert_string_equal(judge(&copy, measured(0.5e-3)).impossible, "");
}

/** What a machine's figures give on each basis. */
static roof_ceiling ceiling(const char *name, roof_dtype dtype, const char *op_name, roof_basis basis) {
  owned roof_machine *machine = NULL;
  roof_target target;
  roof_types types = roof_types_of(dtype);
  roof_options options = roof_options_default();
  const roof_op *op;
  double values[ROOF_PARAM_MAX] = {8192, 8192, 8192, 1, 0};
  roof_prediction p;
  assert_int_equal(roof_catalog_load(name, &machine, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  assert_int_equal(roof_op_find(op_name, &op, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  return roof_ceiling_of(&target, basis, &p.work);
}

static void ceilings_of_a_datasheet_with_measured_figures(void **state) {
  (void)state;
  double flops = 2 * 8192.0 * 8192 * 8192;
  roof_ceiling t = ceiling("h100", ROOF_BF16, "gemm", ROOF_THEORETICAL);
  roof_ceiling a = ceiling("h100", ROOF_BF16, "gemm", ROOF_ACHIEVED);
  assert_near(t.seconds, flops / 989.4e12, 1e-9);
  assert_near(t.flops_per_second, 989.4e12, 1);
  assert_near(t.bytes_per_second, 3.35e12, 1);
  assert_true(a.flops_per_second < t.flops_per_second && a.seconds > t.seconds);
  a = ceiling("h100", ROOF_FP16, "gemm", ROOF_ACHIEVED); /* nobody measured fp16, but the memory */
  assert_true(isnan(a.seconds) && isnan(a.flops_per_second));
  assert_true(a.bytes_per_second < 3.35e12);
  a = ceiling("h100", ROOF_FP16, "gemv", ROOF_ACHIEVED); /* memory binds */
  assert_true(a.seconds > 0);
}

/** Of three labels a person predicted two: the third has no part in either median. */
static void persons_are_graded_over_all(void **state) {
  (void)state;
  roof_reconciled list[] = {
      {.label = "a",
       .machine = "m",
       .predicted_seconds = 2,
       .measured_seconds = 1,
       .mine_seconds = 1.1,
       .mine_error = 0.1},
      {.label = "b",
       .machine = "m",
       .predicted_seconds = 1.1,
       .measured_seconds = 1,
       .mine_seconds = 0.7,
       .mine_error = -0.3},
      {.label = "c",
       .machine = "n",
       .predicted_seconds = 9,
       .measured_seconds = 1,
       .mine_seconds = NAN,
       .mine_error = NAN},
  };
  roof_reconcile_machine machines[] = {{.name = "m"}, {.name = "n"}};
  roof_reconcile all = {.entries = list, .count = 3, .machines = machines, .machine_count = 2};
  roof_text text = {0};
  list[0].machine_changed = list[1].machine_changed = true;
  assert_int_equal(rf_ledger_grade(&all, &all.guesses, NULL), ROOF_OK);
  assert_true(all.guesses.count == 2 && all.guesses.nearer == 1);
  assert_true(fabs(all.guesses.median_error - 0.2) < 1e-12);
  assert_true(fabs(all.guesses.model_median_error - 0.55) < 1e-12);
  roof_reconcile_remarks(&all, &text);
  assert_string_equal(
      text.data, "  yours: nearer than the model in 1 of 2; off by 20.0 % (median), the model by 55.0 %\n"
                 "  machine m: its file has changed since 2 predictions were sealed\n");
  roof_text_done(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_guess_is_compared_with_the_measurement),
      cmocka_unit_test(shares_of_both_ceilings),
      cmocka_unit_test(persons_are_graded_over_all),
      cmocka_unit_test(bands_of_both_bases),
      cmocka_unit_test(the_verdict_is_of_the_basis_that_was_sealed),
      cmocka_unit_test(the_paced_bound_has_a_name_of_its_own),
      cmocka_unit_test(stop_at_nine_tenths_of_the_achieved_roof),
      cmocka_unit_test(traffic_counted_against_arithmetic),
      cmocka_unit_test(regime_from_counters),
      cmocka_unit_test(regime_from_a_profiler),
      cmocka_unit_test(the_measured_regime_in_words),
      cmocka_unit_test(counted_flops_without_counted_bytes),
      cmocka_unit_test(implied_overlap),
      cmocka_unit_test(above_the_roof),
      cmocka_unit_test(data_that_a_cache_holds),
      cmocka_unit_test(faster_than_the_sealed_work_can_be),
      cmocka_unit_test(above_the_peak_and_the_bandwidth),
      cmocka_unit_test(ceilings_of_a_datasheet_with_measured_figures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
