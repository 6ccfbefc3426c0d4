/* What a prediction must be to be sealed: no contradiction, and recomputed only where every figure is what predicting it gives. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "roofline/catalog.h"
#include "roofline/ledger.h"
#include "roofline/ops.h"
#include "roofline/shape.h"

static char path[64];

/** An operation on an H100, as a document of it is read. */
static roof_sealing predicted(const char *name, const char *shape) {
  const roof_op *op = NULL;
  double values[ROOF_PARAM_MAX];
  roof_machine *machine = NULL;
  roof_types types = roof_types_of(ROOF_FP16);
  roof_options options = roof_options_default();
  roof_target target;
  roof_prediction p;
  roof_sealing s;
  assert_int_equal(roof_catalog_load("h100", &machine, NULL), ROOF_OK);
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  assert_int_equal(roof_shape_values(op, shape, values, NULL), ROOF_OK);
  assert_int_equal(roof_target_init(&target, machine, &types, &options, NULL), ROOF_OK);
  roof_predict(&target, op, values, &p);
  assert_int_equal(roof_sealing_of(&target, op, values, &p, &s, NULL), ROOF_OK);
  roof_machine_free(machine);
  s.types = types;
  s.options = options;
  s.origin = ROOF_SEALING_HAND;
  return s;
}

/** Predicts it anew; whether it is what was said. */
static bool is_recomputed(roof_sealing *s) {
  roof_sealings one = {s, 1};
  assert_int_equal(roof_sealings_complete(&one, NULL), ROOF_OK);
  assert_int_equal(s->origin, s->doubt[0] == '\0' ? ROOF_SEALING_RECOMPUTED : ROOF_SEALING_HAND);
  return s->origin == ROOF_SEALING_RECOMPUTED;
}

static const struct {
  const char *name;
  size_t offset;
} figures[] = {
    {"flops", offsetof(roof_sealing, flops)},
    {"bytes", offsetof(roof_sealing, bytes)},
    {"seconds.compute", offsetof(roof_sealing, compute_seconds)},
    {"seconds.memory", offsetof(roof_sealing, memory_seconds)},
    {"seconds.overhead", offsetof(roof_sealing, overhead_seconds)},
    {"seconds.network", offsetof(roof_sealing, network_seconds)},
    {"seconds.lower", offsetof(roof_sealing, lower_seconds)},
    {"seconds.upper", offsetof(roof_sealing, upper_seconds)},
    {"seconds.expected", offsetof(roof_sealing, expected_seconds)},
    {"seconds.expected_low", offsetof(roof_sealing, expected_low_seconds)},
    {"seconds.expected_high", offsetof(roof_sealing, expected_high_seconds)},
};

static double *figure(roof_sealing *s, size_t i) {
  return (double *)(void *)((char *)s + figures[i].offset);
}

/** A millionth more or less of any figure is somebody's hand; less than a text rounds is not. */
static void every_figure_is_predicted_anew(void **state) {
  (void)state;
  roof_sealing asked = predicted("gemm", "m=8192 n=8192 k=8192"), s = asked;
  char start[64];
  assert_true(is_recomputed(&s));
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
    for (int sign = -1; sign <= 1; sign += 2) {
      s = asked;
      double *value = figure(&s, i);
      *value = *value > 0 ? *value * (1 + 1e-6 * sign) : 1e-9;
      assert_false(is_recomputed(&s));
      snprintf(start, sizeof start, "its %s is ", figures[i].name);
      if (strncmp(s.doubt, start, strlen(start)) != 0) {
        fail_msg("%s: %s", figures[i].name, s.doubt);
      }
      s = asked;
      *figure(&s, i) *= 1 + 1e-13 * sign;
      assert_true(is_recomputed(&s));
      s = asked;
      *figure(&s, i) = NAN; /* not said */
      assert_true(is_recomputed(&s));
    }
  }
}

static void what_binds_is_predicted_anew(void **state) {
  (void)state;
  static const char other[ROOF_DIGEST_MAX] =
      "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  roof_sealing asked = predicted("add", "n=1000000000"), s = asked;
  assert_true(is_recomputed(&s));
  s = asked;
  strcpy(s.regime, "network");
  assert_false(is_recomputed(&s));
  assert_string_equal(s.doubt, "its regime is network, predicting it gives memory");
  s = asked;
  strcpy(s.binding, "L2");
  assert_false(is_recomputed(&s));
  assert_non_null(strstr(s.doubt, "its binding is L2, predicting it gives HBM"));
  s = asked;
  memcpy(s.machine_digest, other, sizeof other);
  assert_false(is_recomputed(&s));
  assert_non_null(strstr(s.doubt, "is another than the catalogue's"));
  assert_string_equal(s.machine_digest, other);
  s = asked;
  strcpy(s.parameters, "n=0");
  assert_false(is_recomputed(&s));
  assert_non_null(strstr(s.doubt, "it cannot be predicted anew: "));
}

/** The times of a prediction have one order, whose neighbours may be equal. */
static void times_are_in_order(void **state) {
  (void)state;
  static const struct {
    double lower, upper, low, expected, high;
    const char *why;
  } cases[] = {{1, 1, 1, 1, 1, NULL},
               {1, 4, 2, 3, 4, NULL},
               {3.1, 4, 2, 3, 4, "its lower bound is above the expected time"},
               {1, 0.9, 2, 3, 4, "its lower bound is above the upper one"},
               {1, 4, 3.1, 3, 4, "`expected_low` is above the expected time"},
               {1, 4, 2, 3, 2.9, "`expected_high` is below the expected time"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_sealing s = predicted("add", "n=1000000");
    roof_error error = {0};
    s.lower_seconds = cases[i].lower;
    s.upper_seconds = cases[i].upper;
    s.expected_low_seconds = cases[i].low;
    s.expected_seconds = cases[i].expected;
    s.expected_high_seconds = cases[i].high;
    unlink(path);
    roof_status status = roof_ledger_seal(path, &s, 1, NULL, &error);
    assert_int_equal(status, cases[i].why == NULL ? ROOF_OK : ROOF_E_ARGUMENT);
    assert_true(cases[i].why == NULL || strstr(error.message, cases[i].why) != NULL);
  }
}

/** The time of a measurement lies among its samples, where these are all of its calls. */
static void a_time_is_among_its_samples(void **state) {
  (void)state;
  static const struct {
    double seconds, calls;
    bool taken;
  } cases[] = {{5e-3, NAN, true},  {6e-3, NAN, true},  {4.9e-3, NAN, false}, {6.1e-3, NAN, false},
               {4.9e-3, 2, false}, {6.1e-3, 2, false}, {4.9e-3, 3, true},    {6.1e-3, 3, true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double samples[] = {6e-3, 5e-3};
    roof_ledger_options how = {.unsealed = true};
    roof_measurement m;
    roof_error error = {0};
    roof_measurement_init(&m);
    strcpy(m.label, "k");
    m.seconds = cases[i].seconds;
    m.calls = cases[i].calls;
    m.samples = samples;
    m.sample_count = 2;
    unlink(path);
    roof_status status = roof_ledger_record(path, &m, 1, &how, &error);
    assert_int_equal(status, cases[i].taken ? ROOF_OK : ROOF_E_ARGUMENT);
    assert_true(cases[i].taken || strstr(error.message, "its samples are from 0.005 to 0.006 s") != NULL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_figure_is_predicted_anew),
      cmocka_unit_test(what_binds_is_predicted_anew),
      cmocka_unit_test(times_are_in_order),
      cmocka_unit_test(a_time_is_among_its_samples),
  };
  strcpy(path, "/tmp/test_sealing.XXXXXX");
  int file = mkstemp(path);
  if (file < 0 || close(file) != 0) {
    return 1;
  }
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  return failed;
}
