/* Expected times on a processor: what its form obeys, and constants fitted without the kernel that they predict. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/lanes/peak.h"
#include "loop/calibrate.h"
#include "loop/plan.h"
#include "roofline/documents.h"
#include "roofline/effects.h"
#include "roofline/ops.h"
#include "roofline/report.h"

/** A processor of two cores: ceilings of one kind, times `faster`. */
static roof_machine *processor(const char *kind, double faster) {
  static const char format[] =
      "{\"schema\": \"roofline.machine/1\", \"name\": \"p\", \"device_class\": \"cpu\", \"kind\": \"%s\","
      " \"unit_kind\": \"core\", \"unit_count\": 2, \"launch_seconds\": 1e-6, \"peaks\": [{\"dtype\": "
      "\"fp32\","
      " \"unit\": \"vector\", \"flops_per_second\": %g, \"kind\": \"%s\"}], \"levels\": [{\"name\": \"L2\","
      " \"bytes\": 1048576, \"instances\": 2, \"bytes_per_second\": %g, \"kind\": \"%s\"}, {\"name\": "
      "\"DRAM\","
      " \"bytes\": 16e9, \"instances\": 1, \"bytes_per_second\": %g, \"kind\": \"%s\"}], \"constants\": "
      "[{\"kernel\":"
      " \"stream\", \"dtype\": \"fp32\", \"latency_seconds\": 1e-6, \"wave_seconds\": 1e-8, \"efficiency\": "
      "0.5,"
      " \"bandwidth\": 0.8, \"cache_bandwidth\": 0.9, \"corner\": 2, \"time_low\": 0.9, \"time_high\": 1.25,"
      " \"kind\": \"measured\", \"source\": \"here\"}]}";
  char text[1600];
  roof_machine *made = NULL;
  int length = snprintf(text, sizeof text, format, kind, faster * 2e11, kind, faster * 2e11, kind,
                        faster * 4e10, kind);
  assert_int_equal(roof_machine_read(text, (size_t)length, "p", &made, NULL), ROOF_OK);
  return made;
}

static roof_target target_of(const roof_machine *machine, unsigned without) {
  roof_types types = roof_types_of(ROOF_FP32);
  roof_options options = roof_options_default();
  roof_target target;
  options.warm = true;
  options.without = without;
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  return target;
}

static roof_prediction triad_of(const roof_target *target, double elements) {
  const roof_op *op = NULL;
  roof_prediction p;
  assert_int_equal(roof_op_find("triad", &op, NULL), ROOF_OK);
  roof_predict(target, op, (double[ROOF_PARAM_MAX]){elements}, &p);
  return p;
}

static void more_bytes_take_longer(void **state) {
  (void)state;
  roof_machine *machine = processor("measured", 1);
  roof_target target = target_of(machine, 0);
  double last = 0;
  for (double n = 16; n < 1e9; n *= 1.1) {
    roof_prediction p = triad_of(&target, n);
    assert_true(p.expected_seconds > last);
    assert_true(p.lower_seconds <= p.expected_low_seconds && p.expected_low_seconds <= p.expected_seconds);
    assert_true(p.expected_seconds < p.expected_high_seconds);
    last = p.expected_seconds;
  }
  roof_machine_free(machine);
}

static void twice_the_rates_half_the_time(void **state) {
  (void)state;
  roof_machine *machine = processor("measured", 1), *twice = processor("measured", 2);
  unsigned latency = 1u << ROOF_EFFECT_LATENCY;
  roof_target target = target_of(machine, latency), faster = target_of(twice, latency);
  for (double n = 1e5; n < 1e9; n *= 3) {
    double ratio = triad_of(&target, n).expected_seconds / triad_of(&faster, n).expected_seconds;
    assert_true(fabs(ratio - 2) < 1e-9);
  }
  roof_machine_free(machine);
  roof_machine_free(twice);
}

/** Data larger than the last cache: the memory supplies what one core's reads show, its part on each core; never more than
 * all, and a larger set never takes less. */
static void the_last_cache_keeps_part_of_larger_data(void **state) {
  (void)state;
  static const struct {
    double mebi, gbs;
  } reads[] = {{0.25, 100}, {0.5, 98}, {1, 80},   {2, 50},   {4, 10},   {8, 40},   {16, 20},
               {32, 20},    {64, 20},  {128, 20}, {256, 20}, {512, 20}, {1024, 20}};
  const double mebi = 1048576;
  roof_machine *machine = processor("measured", 1), *plain = processor("measured", 1);
  for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
    *roof_machine_add_curve_point(machine) = (roof_curve_point){reads[i].mebi * mebi, reads[i].gbs * 1e9};
  }
  roof_target target = target_of(machine, 0), without = target_of(plain, 0);
  roof_prediction p =
      triad_of(&target, 8 * mebi / 12); /* 4 MiB on each core; 40 GB/s, as a disturbance only slows down */
  roof_prediction all = triad_of(&without, 8 * mebi / 12);
  assert_true(fabs(p.memory_seconds / all.memory_seconds - 20. / 40) < 1e-6);
  assert_string_equal(p.binding->name, "DRAM");
  assert_true(fabs(triad_of(&target, 4 * mebi / 12).levels[1].bytes / (4 * mebi) - 20. / 50) < 1e-6);
  double last = 0;
  for (double n = 1e4; n < 1e9; n *= 1.05) {
    p = triad_of(&target, n);
    all = triad_of(&without, n);
    assert_true(p.lower_seconds >= last && p.lower_seconds <= all.lower_seconds);
    assert_true(p.expected_seconds >= p.lower_seconds && p.expected_seconds <= all.expected_seconds);
    last = p.lower_seconds;
  }
  assert_true(last == all.lower_seconds);
  roof_machine_free(machine);
  roof_machine_free(plain);
}

/** Of each level its own share of the bandwidth, in words and in seconds; without effects the bare ceilings. */
static void each_level_has_its_share(void **state) {
  (void)state;
  roof_machine *machine = processor("measured", 1);
  roof_target target = target_of(machine, 0);
  const double sizes[] = {1e5, 1e8};
  const char *const words[] = {"90 % of the bandwidth of L2", "80 % of the bandwidth of DRAM"};
  for (int i = 0; i < 2; i++) {
    roof_prediction p = triad_of(&target, sizes[i]);
    roof_effect_part parts[ROOF_EFFECT_COUNT];
    int count = roof_effects_of(&target, &p, parts);
    double sum = fmax(p.compute_seconds, p.memory_seconds);
    bool said = false;
    for (int k = 0; k < count; k++) {
      sum += parts[k].seconds;
      said = said || strcmp(parts[k].text, words[i]) == 0;
    }
    assert_true(said);
    assert_true(fabs(sum / p.expected_seconds - 1) < 1e-9);
  }
  roof_machine_free(machine);
}

/** Rows that each start and end, shared out among the cores. */
static void each_row_costs_its_start(void **state) {
  (void)state;
  roof_machine *machine = processor("measured", 1);
  roof_target target = target_of(machine, 0);
  const roof_kernel *gemv = NULL;
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_prediction p, moved, plain;
  assert_int_equal(roof_kernel_find("gemv", &gemv, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(gemv, "m=1000 n=100", values, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_predict(gemv, &target, &target, values, &p, &moved, NULL), ROOF_OK);
  assert_int_equal(roof_op_find("gemv", &op, NULL), ROOF_OK);
  roof_predict(&target, op, values, &plain);
  assert_true(fabs(p.expected_seconds - plain.expected_seconds - 500 * 1e-8) < 1e-12);
  roof_machine_free(machine);
}

/** Constants are shares of measured ceilings; without any a measured ceiling is expected as it is, a datasheet's is not. */
static void a_measured_ceiling_is_not_discounted(void **state) {
  (void)state;
  roof_machine *machine = processor("measured", 1), *sheet = processor("datasheet", 1);
  roof_target target = target_of(sheet, 0);
  roof_prediction p = triad_of(&target, 1e8);
  assert_true(!target.forms[ROOF_KERNEL_STREAM].known);
  assert_true(fabs(p.expected_seconds - p.overhead_seconds - p.memory_seconds / 0.78) < 1e-12);
  machine->constants_count = 0;
  target = target_of(machine, 0);
  p = triad_of(&target, 1e8);
  assert_true(fabs(p.expected_seconds - p.overhead_seconds - p.memory_seconds) < 1e-12);
  assert_true(roof_expected_shares(&target, &p).typical == 1);
  target.options.without = ROOF_EFFECTS_ALL;
  assert_true(roof_expected_shares(&target, &p).typical == 0.78);
  roof_machine_free(machine);
  roof_machine_free(sheet);
}

/** Each time reaches what its own ceiling lets expect: more arithmetic takes no less time where it comes to bind. */
static void one_measured_ceiling_is_not_both(void **state) {
  (void)state;
  roof_machine *machine = processor("measured", 1);
  machine->constants_count = 0;
  machine->peaks[0].kind = ROOF_DATASHEET;
  roof_target target = target_of(machine, 0);
  roof_prediction p = triad_of(&target, 1e8), q;
  double last = 0, each = p.memory_seconds / p.compute_seconds * p.work.flops / 10;
  for (int tenths = 1; tenths < 20; tenths++) {
    p.work.flops = tenths * each;
    roof_predict_work(&target, &p.work, &q);
    double longest = fmax(q.memory_seconds, q.compute_seconds / 0.78);
    assert_true(fabs(q.expected_seconds - q.overhead_seconds - longest) < 1e-12);
    assert_true(q.expected_seconds >= last && q.expected_low_seconds <= q.expected_seconds);
    last = q.expected_seconds;
  }
  assert_true(last > 1.9 * p.memory_seconds);
  roof_machine_free(machine);
}

/** What a kernel would take by these constants. */
static double seconds_of(const roof_kernel *kernel, const roof_target *target, const double *values,
                         double bandwidth) {
  roof_prediction p, moved;
  double constants[ROOF_CONSTANT_COUNT];
  for (int i = 0; i < ROOF_CONSTANT_COUNT; i++) {
    constants[i] = roof_constant_row_of((roof_constant)i)->neutral;
  }
  constants[ROOF_LATENCY_SECONDS] = 3e-6;
  constants[ROOF_BANDWIDTH] = bandwidth;
  constants[ROOF_CACHE_BANDWIDTH] = 0.9;
  assert_int_equal(roof_kernel_predict(kernel, target, target, values, &p, &moved, NULL), ROOF_OK);
  return roof_effects_seconds(target, &moved, constants);
}

/** Adds timings of a kernel that takes `slower` times as long as the constants say. */
static void add_timings(rf_calibration *c, const char *name, roof_loop_cores cores, double slower) {
  static const char *const shapes[] = {"n=1000", "n=100000", "n=30000000"};
  const roof_kernel *kernel = NULL;
  assert_int_equal(roof_kernel_find(name, &kernel, NULL), ROOF_OK);
  for (int s = 0; s < 3; s++) {
    double values[ROOF_PARAM_MAX];
    assert_int_equal(roof_kernel_values(kernel, shapes[s], values, NULL), ROOF_OK);
    double seconds = seconds_of(kernel, &c->targets[cores], values, 0.7) * slower;
    assert_int_equal(rf_calibration_add(c, kernel, cores, values, seconds, 0, NULL), ROOF_OK);
  }
}

static rf_calibration *calibration_of(const roof_target *targets) {
  rf_calibration *c = calloc(1, sizeof *c);
  assert_non_null(c);
  c->targets = targets;
  return c;
}

/** Timings of four kernels on all cores, of which triad is slower. */
static rf_calibration *timed(const roof_target *targets, double slower) {
  rf_calibration *c = calibration_of(targets);
  add_timings(c, "copy", ROOF_LOOP_ALL, 1);
  add_timings(c, "add", ROOF_LOOP_ALL, 1);
  add_timings(c, "reduce", ROOF_LOOP_ALL, 1);
  add_timings(c, "triad", ROOF_LOOP_ALL, slower);
  return c;
}

static bool is_known(rf_calibration *c, roof_kernel_kind kind, roof_loop_cores cores,
                     const roof_kernel *without, roof_constants *constants) {
  bool known = false;
  assert_int_equal(rf_calibration_fit(c, kind, cores, without, constants, &known, NULL), ROOF_OK);
  return known;
}

static roof_constants fitted(const roof_target *targets, double slower, const char *without) {
  const roof_kernel *kernel = NULL;
  roof_constants constants;
  rf_calibration *c = timed(targets, slower);
  assert_true(without == NULL || roof_kernel_find(without, &kernel, NULL) == ROOF_OK);
  assert_true(is_known(c, ROOF_KERNEL_STREAM, ROOF_LOOP_ALL, kernel, &constants));
  assert_true(!is_known(c, ROOF_KERNEL_PRODUCT, ROOF_LOOP_ALL, kernel, &constants));
  assert_true(!is_known(c, ROOF_KERNEL_STREAM, ROOF_LOOP_ALONE, kernel, &constants));
  rf_calibration_free(c);
  return constants;
}

static void the_fit_finds_what_was_put_in(void **state) {
  (void)state;
  roof_machine *machine = processor("measured", 1);
  roof_target targets[ROOF_LOOP_CORES_COUNT] = {target_of(machine, 0), target_of(machine, 0)};
  roof_constants c = fitted(targets, 1, NULL);
  assert_true(fabs(c.values[ROOF_BANDWIDTH] / 0.7 - 1) < 0.01);
  assert_true(fabs(c.values[ROOF_CACHE_BANDWIDTH] / 0.9 - 1) < 0.05);
  assert_true(fabs(c.values[ROOF_LATENCY_SECONDS] / 3e-6 - 1) < 0.02);
  assert_true(c.kind == ROOF_MEASURED && isnan(c.values[ROOF_SPLIT_SECONDS]));
  assert_string_equal(c.source, "fitted to 12 timings here of copy, add, reduce, triad");
  roof_machine_free(machine);
}

/** Its own timings change nothing of what a kernel is predicted with, and what the others are. */
static void a_kernel_is_left_out_of_its_own_fit(void **state) {
  (void)state;
  roof_machine *machine = processor("measured", 1);
  roof_target targets[ROOF_LOOP_CORES_COUNT] = {target_of(machine, 0), target_of(machine, 0)};
  roof_constants own = fitted(targets, 1, "triad"), slow = fitted(targets, 3, "triad");
  assert_memory_equal(own.values, slow.values, sizeof own.values);
  assert_string_equal(own.source, "fitted to 9 timings here of copy, add, reduce");
  own = fitted(targets, 1, "copy");
  slow = fitted(targets, 3, "copy");
  assert_memory_not_equal(own.values, slow.values, sizeof own.values);
  assert_true(slow.values[ROOF_TIME_HIGH] > 1.5 && own.values[ROOF_TIME_HIGH] < 1.1);
  roof_machine_free(machine);
}

/** One kernel of ten that is off is what the next one may be too: a tenth of the timings alone would leave it out. */
static void an_interval_counts_kernels(void **state) {
  (void)state;
  static const char *const names[] = {"copy", "add", "scal", "reduce", "silu", "gelu", "dot", "axpy", "relu"};
  roof_machine *machine = processor("measured", 1);
  roof_target targets[ROOF_LOOP_CORES_COUNT] = {target_of(machine, 0), target_of(machine, 0)};
  rf_calibration *c = calibration_of(targets);
  roof_constants constants;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    add_timings(c, names[i], ROOF_LOOP_ALL, 1);
  }
  add_timings(c, "triad", ROOF_LOOP_ALL, 2);
  assert_true(is_known(c, ROOF_KERNEL_STREAM, ROOF_LOOP_ALL, NULL, &constants));
  assert_true(constants.values[ROOF_TIME_HIGH] > 1.8 && constants.values[ROOF_TIME_LOW] > 0.9);
  rf_calibration_free(c);
  roof_machine_free(machine);
}

/** Three timings on all cores do not say which of two kernels is the usual one: those of one core count too, and each kernel is
 * named once. */
static void few_timings_are_joined_by_those_of_one_core(void **state) {
  (void)state;
  roof_machine *machine = processor("measured", 1);
  roof_target targets[ROOF_LOOP_CORES_COUNT] = {target_of(machine, 0), target_of(machine, 0)};
  rf_calibration *c = calibration_of(targets);
  roof_constants constants;
  add_timings(c, "copy", ROOF_LOOP_ALL, 3);
  add_timings(c, "copy", ROOF_LOOP_ALONE, 1);
  add_timings(c, "add", ROOF_LOOP_ALONE, 1);
  add_timings(c, "reduce", ROOF_LOOP_ALONE, 1);
  assert_true(is_known(c, ROOF_KERNEL_STREAM, ROOF_LOOP_ALL, NULL, &constants));
  assert_true(fabs(constants.values[ROOF_BANDWIDTH] / 0.7 - 1) < 0.02);
  assert_string_equal(constants.source, "fitted to 12 timings here of copy, add, reduce");
  assert_true(is_known(c, ROOF_KERNEL_STREAM, ROOF_LOOP_ALONE, NULL, &constants));
  assert_string_equal(constants.source, "fitted to 9 timings here of copy, add, reduce");
  rf_calibration_free(c);
  roof_machine_free(machine);
}

/** A product too small for several cores has a size for a cache of one, none for those of all. */
static void small_products_are_left_to_one_core(void **state) {
  (void)state;
  static const char *const names[] = {"gemm-blocked", "gemm-blas", "gemm-prefetched", "copy"};
  static const bool alone[] = {true, true, true, false};
  const roof_kernel *kernel = NULL;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(roof_kernel_find(names[i], &kernel, NULL), ROOF_OK);
    assert_int_equal(roof_kernel_is_alone(kernel, 2.0 * 48 * 48 * 48), alone[i]);
    assert_int_equal(roof_kernel_is_alone(kernel, 2e9), kernel->serial);
  }
  roof_machine *machine = processor("measured", 1);
  roof_target targets[ROOF_LOOP_CORES_COUNT] = {target_of(machine, 0), target_of(machine, 0)};
  char shape[ROOF_LOOP_SHAPE];
  assert_int_equal(roof_kernel_find("gemm-blocked", &kernel, NULL), ROOF_OK);
  for (int cores = 0; cores < ROOF_LOOP_CORES_COUNT; cores++) {
    assert_int_equal(
        rf_plan_shape(kernel, targets, (roof_loop_cores)cores, ROOF_L2, "m=48 n=48 k=48", shape, NULL),
        ROOF_OK);
    assert_string_equal(shape, cores == ROOF_LOOP_ALONE ? "m=48 n=48 k=48" : "");
  }
  roof_machine_free(machine);
}

static double blas_seconds(const roof_machine *machine, const roof_kernel *kernel) {
  roof_target target = target_of(machine, 0);
  roof_prediction p;
  assert_int_equal(roof_kernel_predict(kernel, &target, &target,
                                       (double[ROOF_PARAM_MAX]){1024, 1024, 1024, 1, 0}, &p, NULL, NULL),
                   ROOF_OK);
  return p.expected_seconds;
}

/** The last peak kernel here whose name is a lesser core type's; NULL: a processor without such. */
static const rf_peak_kernel *peak_named(const char *isa) {
  const rf_peak_kernel *found = NULL;
  for (int i = 0; rf_peak_kernel_at(i) != NULL; i++) {
    found = strcmp(rf_peak_kernel_at(i)->isa, isa) == 0 ? rf_peak_kernel_at(i) : found;
  }
  return found;
}

/** OpenBLAS as Nehalem has it reaches what SSE2 was measured at, under the name that `measure` gives it. */
static void a_library_of_a_lesser_core_type_reaches_less(void **state) {
  (void)state;
  const roof_kernel *kernel = NULL;
  setenv("OPENBLAS_CORETYPE", "Nehalem", 1);
  assert_int_equal(roof_kernel_find("gemm-blas", &kernel, NULL), ROOF_OK);
  bool there = kernel->disabled_reason() == NULL && roof_kernel_core_type(kernel) != NULL;
  unsetenv("OPENBLAS_CORETYPE");
  if (!there) {
    skip(); /* no OpenBLAS, or a processor with no more than Nehalem has */
  }
  roof_machine *machine = processor("measured", 1);
  machine->clock_hz = 3e9;
  double whole = blas_seconds(machine, kernel);
  roof_peak *lesser = roof_machine_add_peak(machine);
  assert_non_null(lesser);
  assert_non_null(peak_named("SSE2 mul+add"));
  *lesser = machine->peaks[0];
  lesser->flops_per_second /= 8;
  snprintf(lesser->isa, sizeof lesser->isa, "%s", peak_named("SSE2 mul+add")->isa);
  double less = blas_seconds(machine, kernel);
  assert_true(less > 7 * whole && less < 9 * whole);
  roof_machine_free(machine);
}

static void add_rate(roof_machine *machine, const char *name, double nanoseconds) {
  roof_rate *rate = roof_machine_add_rate(machine);
  assert_non_null(rate);
  snprintf(rate->name, sizeof rate->name, "%s", name);
  rate->cores = 1;
  rate->kind = ROOF_MEASURED;
  rate->per_second = 1e9 / nanoseconds;
}

static double naive_seconds(const roof_machine *machine, double side, double *doubt) {
  const roof_kernel *kernel = NULL;
  roof_target target = target_of(machine, 0);
  roof_prediction p;
  assert_int_equal(roof_kernel_find("gemm-naive", &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_predict(kernel, &target, &target,
                                       (double[ROOF_PARAM_MAX]){side, side, side, 1, 0}, &p, NULL, NULL),
                   ROOF_OK);
  *doubt = p.expected_high_seconds / p.expected_seconds;
  return p.expected_seconds;
}

/** An addition that waits takes what was measured here; 3 cycles where nothing was. */
static void a_chain_waits_as_long_as_was_measured(void **state) {
  (void)state;
  roof_machine *machine = processor("measured", 1);
  double terms = 96.0 * 96 * 96, assumed, timed;
  machine->clock_hz = 3e9;
  roof_constants *products = roof_machine_add_constants(machine);
  assert_non_null(products);
  products->kernel = ROOF_KERNEL_PRODUCT;
  products->dtype = ROOF_FP32;
  products->kind = ROOF_MEASURED;
  products->values[ROOF_EFFICIENCY] = 0.5;
  products->values[ROOF_CORNER] = 8;
  products->values[ROOF_TIME_LOW] = 0.9;
  products->values[ROOF_TIME_HIGH] = 1.1;
  assert_true(fabs(naive_seconds(machine, 96, &assumed) / terms * 1e9 - 0.75) <
              0.05); /* 3 (96 - 24) cycles of 96 */
  assert_non_null(roof_machine_make_report(machine));
  add_rate(machine, "fp32 sum of 1024", 0.7);
  assert_true(fabs(naive_seconds(machine, 96, &timed) / terms * 1e9 - 0.75) < 0.05);
  add_rate(machine, "fp32 sum of 64", 0.35); /* half of 64 terms hide */
  assert_true(fabs(naive_seconds(machine, 96, &timed) / terms * 1e9 - 0.7 * (96 - 32) / 96) < 0.05);
  assert_true(fabs(assumed - 4.0 / 3) < 1e-9 && fabs(timed - 1.1) < 1e-9);
  add_rate(machine, "fp32 sum down 256 rows",
           1.4); /* no line of a column waits in a first cache that is unknown */
  assert_true(fabs(naive_seconds(machine, 96, &timed) / terms * 1e9 - 0.7 * (96 - 32) / 96) < 0.05);
  roof_level *first = roof_machine_add_level(machine);
  first->level = ROOF_L1;
  first->kind = ROOF_MEASURED;
  first->bytes = 32768;
  first->instances = 2;
  first->read_bytes_per_second = 4e11;
  snprintf(first->name, sizeof first->name, "L1");
  assert_true(naive_seconds(machine, 96, &timed) / terms * 1e9 <
              0.6); /* 36 KiB, but all lines of a column stay */
  assert_true(fabs(naive_seconds(machine, 128, &timed) / (128.0 * 128 * 128) * 1e9 - 1.4) < 0.1);
  roof_machine_free(machine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_library_of_a_lesser_core_type_reaches_less), /* before others load it */
      cmocka_unit_test(a_chain_waits_as_long_as_was_measured),
      cmocka_unit_test(more_bytes_take_longer),
      cmocka_unit_test(twice_the_rates_half_the_time),
      cmocka_unit_test(the_last_cache_keeps_part_of_larger_data),
      cmocka_unit_test(each_level_has_its_share),
      cmocka_unit_test(each_row_costs_its_start),
      cmocka_unit_test(a_measured_ceiling_is_not_discounted),
      cmocka_unit_test(one_measured_ceiling_is_not_both),
      cmocka_unit_test(the_fit_finds_what_was_put_in),
      cmocka_unit_test(a_kernel_is_left_out_of_its_own_fit),
      cmocka_unit_test(an_interval_counts_kernels),
      cmocka_unit_test(few_timings_are_joined_by_those_of_one_core),
      cmocka_unit_test(small_products_are_left_to_one_core),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
