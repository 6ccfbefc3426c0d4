/* The bandwidth of a level by what is read, written and updated in place. */
#include "test.h"

#include "owned.h"
#include "roofline/ops.h"
#include "roofline/predict.h"

static roof_machine *machine = NULL;
static uint64_t seed;

/** From 0 to 1. */
static double chance(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-53;
}

/** Memory that reads 30, writes 45, copies 42, updates 54 and does triads at 40 GB/s. */
static roof_level *measured(void) {
  empty_machine(&machine);
  roof_level *level = roof_machine_add_level(machine);
  level->level = ROOF_MEMORY;
  level->kind = ROOF_MEASURED;
  level->bytes = 1e15;
  level->read_bytes_per_second = 30e9;
  level->triad_bytes_per_second = 40e9;
  level->copy_bytes_per_second = 42e9;
  level->write_bytes_per_second = 45e9;
  level->update_bytes_per_second = 54e9;
  return level;
}

static roof_target target_of(void) {
  roof_types types = roof_types_of(ROOF_FP64);
  roof_options options = roof_options_default();
  options.launch = 0;
  roof_target target;
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  return target;
}

static roof_prediction predict(const char *name, double m, double n, double k) {
  roof_target target = target_of();
  const roof_op *op;
  double values[ROOF_PARAM_MAX], sizes[] = {m, n, k};
  roof_prediction p;
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  roof_op_defaults(op, values);
  for (int i = 0; i < 3; i++) {
    values[i] = sizes[i] > 0 ? sizes[i] : values[i];
  }
  assert_int_equal(roof_op_complete(op, values, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  return p;
}

static double rate(const char *name) {
  roof_prediction p = predict(name, 1e9, 0, 0);
  return p.bytes / p.memory_seconds;
}

static void each_operation_has_the_ceiling_of_its_pattern(void **state) {
  (void)state;
  measured();
  assert_near(rate("dot"), 30e9, 1e-6);
  assert_near(rate("asum"), 30e9, 1e-6);
  assert_near(rate("triad"), 40e9, 1e-12);
  assert_near(rate("add"), 40e9, 1e-12);
  assert_near(rate("copy"), 42e9, 1e-12);
  assert_near(rate("relu"), 42e9, 1e-12);
  assert_near(rate("scal"), 54e9, 1e-12);
  assert_near(rate("axpy"), 45e9, 1e-12); /* two arrays at 30 take longer than one updated at 54 */
  roof_prediction ger = predict("ger", 4096, 4096, 0);
  assert_near(ger.bytes / ger.memory_seconds, 54e9, 1e-3);
}

static void updates_hide_behind_reads_or_reads_behind_updates(void **state) {
  (void)state;
  roof_level *level = measured();
  level->update_bytes_per_second = 31e9; /* n read and written take less than 2 n read */
  assert_near(rate("axpy"), 45e9, 1e-12);
  level->update_bytes_per_second = 24e9;
  assert_near(rate("axpy"), 36e9, 1e-12);
  assert_near(roof_level_bandwidth(level, 0.4, 0.1), 40e9 / 0.9, 1e-12); /* of the rest a third is written */
  level->update_bytes_per_second = 90e9; /* nothing is faster than the fastest of the patterns */
  level->read_bytes_per_second = 80e9;
  level->triad_bytes_per_second = level->copy_bytes_per_second = level->write_bytes_per_second = 80e9;
  assert_near(rate("axpy"), 90e9, 1e-12);
}

static void one_bandwidth_serves_all(void **state) {
  (void)state;
  static const char *const names[] = {"dot", "triad", "copy", "scal", "axpy"};
  empty_machine(&machine);
  roof_level *level = roof_machine_add_level(machine);
  level->level = ROOF_MEMORY;
  level->bytes_per_second = 3.35e12;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    assert_near(rate(names[i]), 3.35e12, 1e-12);
  }
  measured()->update_bytes_per_second = NAN; /* an update without a figure is a copy, axpy a triad */
  assert_near(rate("scal"), 42e9, 1e-12);
  assert_near(rate("axpy"), 40e9, 1e-12);
}

static void more_is_never_asked_of_less_time(void **state) {
  (void)state;
  double costs[ROOF_MIX_COUNT];
  roof_level *level = measured();
  level->write_bytes_per_second = 10e9; /* a copy writes as much in 2 / 42 */
  assert_near(roof_level_bandwidth(level, 1, 0), 21e9, 1e-12);
  level->update_bytes_per_second = NAN;
  level->read_bytes_per_second = 10e9; /* a triad reads as much in 1.5 / 40 */
  assert_near(roof_level_bandwidth(level, 0, 0), 80e9 / 3, 1e-12);
  level->update_bytes_per_second = 80e9;
  assert_near(roof_level_bandwidth(level, 0, 0), 40e9, 1e-12);
  level->copy_bytes_per_second = 10e9;
  assert_near(roof_level_bandwidth(level, 0.5, 0), 80e9 / 3, 1e-12);
  level->copy_bytes_per_second = NAN; /* between its neighbours */
  level->write_bytes_per_second = 30e9;
  roof_level_costs(level, costs);
  assert_near(costs[ROOF_MIX_COPY], 0.75 / 40e9 + 0.25 / 30e9, 1e-12);
}

/** Some machine: any of its figures may be missing, but for the read one. */
static void any_level(void) {
  roof_level *level = measured();
  double *rates[] = {&level->read_bytes_per_second, &level->triad_bytes_per_second,
                     &level->copy_bytes_per_second, &level->write_bytes_per_second,
                     &level->update_bytes_per_second};
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
    *rates[i] = i > 0 && chance() < 0.2 ? NAN : 1e9 * pow(10, 2 * chance());
  }
}

static double seconds_of(double read, double elsewhere, double updated) {
  roof_target target = target_of();
  roof_work work;
  roof_prediction p;
  roof_work_init(&work);
  work.read_bytes = read + updated;
  work.write_bytes = elsewhere + updated;
  work.update_bytes = updated;
  work.working_set = read + elsewhere + updated;
  roof_predict_work(&target, &work, &p);
  assert_true(p.lower_seconds <= p.expected_seconds && p.lower_seconds <= p.upper_seconds * (1 + 1e-12));
  assert_near(p.bytes / p.memory_seconds,
              roof_level_bandwidth(&machine->levels[0], work.write_bytes / p.bytes, updated / p.bytes),
              1e-12);
  return p.memory_seconds;
}

static void time_grows_with_every_byte(void **state) {
  (void)state;
  static const double most = 1 + 1e-12;
  seed = 7;
  for (int i = 0; i < 20000; i++) {
    any_level();
    double r = 1e9 * chance(), w = chance() < 0.2 ? 0 : 1e9 * chance(),
           u = chance() < 0.3 ? 0 : 1e9 * chance();
    double more = 1e9 * chance(), seconds = seconds_of(r, w, u);
    assert_true(seconds > 0 && seconds <= seconds_of(r + more, w, u) * most);
    assert_true(seconds <= seconds_of(r, w + more, u) * most);
    assert_true(seconds <= seconds_of(r, w, u + more) * most);
    assert_near(seconds_of(3 * r, 3 * w, 3 * u), 3 * seconds, 1e-12);
  }
}

static void operands_may_change_places(void **state) {
  (void)state;
  seed = 11;
  for (int i = 0; i < 2000; i++) {
    any_level();
    double m = floor(1 + 1e4 * chance()), n = floor(1 + 1e4 * chance()), k = floor(1 + 1e4 * chance());
    assert_near(predict("gemm", m, n, k).memory_seconds, predict("gemm", n, m, k).memory_seconds, 1e-12);
    assert_near(predict("ger", m, n, 0).memory_seconds, predict("ger", n, m, 0).memory_seconds, 1e-12);
  }
}

static void limits_are_those_of_the_pattern(void **state) {
  (void)state;
  roof_level *level = measured();
  const roof_op *op;
  double values[ROOF_PARAM_MAX] = {1e9};
  roof_work work;
  roof_target target = target_of();
  roof_work_init(&work);
  assert_int_equal(roof_op_find("scal", &op, NULL), ROOF_OK);
  op->work(op, values, &target.types, &work);
  assert_true(isnan(roof_ceiling_of(&target, ROOF_THEORETICAL, &work).bytes_per_second));
  level->limit_bytes_per_second = 40e9;
  level->update_limit_bytes_per_second = 60e9;
  assert_near(roof_ceiling_of(&target, ROOF_THEORETICAL, &work).bytes_per_second, 60e9, 1e-12);
  assert_near(roof_ceiling_of(&target, ROOF_ACHIEVED, &work).bytes_per_second, 54e9, 1e-12);
  level->update_limit_bytes_per_second = NAN;
  assert_near(roof_ceiling_of(&target, ROOF_THEORETICAL, &work).bytes_per_second, 40e9, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_operation_has_the_ceiling_of_its_pattern),
      cmocka_unit_test(updates_hide_behind_reads_or_reads_behind_updates),
      cmocka_unit_test(one_bandwidth_serves_all),
      cmocka_unit_test(more_is_never_asked_of_less_time),
      cmocka_unit_test(time_grows_with_every_byte),
      cmocka_unit_test(operands_may_change_places),
      cmocka_unit_test(limits_are_those_of_the_pattern),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
