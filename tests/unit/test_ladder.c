/* The ladder of an operation, from the library alone, on the scripted backend. */
#include "test.h"

#include "roofline/ladder.h"
#include "roofline/ops.h"

static const roof_backend *fake(void) {
  const roof_backend *backend = NULL;
  assert_int_equal(roof_backend_find("fake", &backend, NULL), ROOF_OK);
  return backend;
}

static const roof_op *op_of(const char *name) {
  const roof_op *op = NULL;
  assert_int_equal(roof_op_find(name, &op, NULL), ROOF_OK);
  return op;
}

static void rungs_in_order_predicted_then_measured(void **state) {
  (void)state;
  const char *const words[] = {"m=n=k=64"};
  roof_measure_options how = roof_measure_options_default();
  roof_machine *machine = NULL;
  roof_ladder l;
  roof_text text = {0};
  roof_error error = {0};
  how.quick = true;
  if (roof_ladder_find(&l, fake(), op_of("gemm"), ROOF_FP32, &how, words, 1, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  assert_true(l.count >= 7);
  for (int i = 0; i < l.count; i++) {
    assert_true(i < 7 ? l.rungs[i].kernel->rung == i + 1 : l.rungs[i].kernel->library != NULL);
    assert_true(l.rungs[i].values[0] == 64 && l.rungs[i].values[2] == 64);
  }
  assert_int_equal(fake()->measure(&how, &machine, &error), ROOF_OK);
  assert_int_equal(roof_ladder_predict(&l, machine, 0, &error), ROOF_OK);
  assert_string_equal(l.rungs[0].label, "gemm-naive m=64 n=64 k=64 fp32");
  assert_true(l.rungs[0].alone && !l.rungs[6].alone);
  assert_true(l.rungs[0].prediction.compute_seconds > l.rungs[6].prediction.compute_seconds);
  for (int i = 0; i < 7; i++) {
    assert_int_equal(roof_ladder_measure(&l, i, &how, &error), ROOF_OK);
    assert_near(l.rungs[i].at.share, 0.8, 1e-9);
    assert_string_equal(l.rungs[i].measurement.label, l.rungs[i].label);
  }
  assert_true(isnan(l.rungs[0].step) && isnan(l.rungs[1].share_of_library));
  assert_near(l.rungs[1].step, 1, 1e-9);
  assert_int_equal(roof_ladder_write(&l, NULL, &text, &error), ROOF_OK);
  assert_non_null(strstr(text.data, "\"ledger\": null"));
  assert_non_null(strstr(text.data, "\"times_rung_before\": 1,"));
  roof_text_done(&text);
  roof_ladder_done(&l);
  roof_machine_free(machine);
}

static void what_has_no_ladder(void **state) {
  (void)state;
  const char *const words[] = {"m=1,2"};
  roof_measure_options how = roof_measure_options_default();
  roof_ladder l;
  roof_error error = {0};
  assert_int_equal(roof_ladder_find(&l, fake(), op_of("add"), ROOF_FP32, &how, NULL, 0, &error),
                   ROOF_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, "there is one of: "));
  roof_ladder_done(&l);
  assert_int_equal(roof_ladder_find(&l, fake(), op_of("gemm"), ROOF_FP32, &how, words, 1, &error),
                   ROOF_E_ARGUMENT);
  roof_ladder_done(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rungs_in_order_predicted_then_measured),
      cmocka_unit_test(what_has_no_ladder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
