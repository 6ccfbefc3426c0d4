/* A model over several values of its settings: how they are read, every run, the best, where a line turns. */
#include "test.h"

#include "roofline/catalog.h"
#include "roofline/model_sweep.h"
#include "roofline/weights.h"

static roof_machine *machines[2];
static roof_model llama;

static int setup(void **state) {
  (void)state;
  bool ready = roof_catalog_load("h100", &machines[0], NULL) == ROOF_OK &&
               roof_catalog_load("a100", &machines[1], NULL) == ROOF_OK &&
               roof_model_load("llama-3.1-8b", &llama, NULL) == ROOF_OK;
  return ready ? 0 : -1;
}

static void settings_are_read(void **state) {
  (void)state;
  static const char *const words[] = {"batch=1..8*2", "prompt=4k", "workspace=1GiB,2GiB", "price=2.5"};
  roof_model_settings s = roof_model_settings_default(&llama);
  roof_model_axes axes = {0};
  assert_int_equal(roof_model_settings_read(words, 4, &s, &axes, NULL), ROOF_OK);
  assert_true(s.batch == 1 && s.prompt == 4000 && s.workspace == 0x1p30 && s.price == 2.5);
  assert_int_equal(axes.count, 2);
  assert_string_equal(axes.list[0].name, "batch");
  assert_true(axes.list[0].offset == offsetof(roof_model_settings, batch));
  assert_true(axes.list[0].values.count == 4 && axes.list[0].values.values[3] == 8);
  assert_true(axes.list[1].values.count == 2 && axes.list[1].values.values[1] == 0x1p31);
  roof_model_axes_done(&axes);
  assert_int_equal(axes.count, 0);
}

/** What is wrong leaves settings and axes as they were. */
static void settings_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *word, *why;
  } rows[] = {{"bach=8", "did you mean `batch`?"},
              {"batch", "settings are key=value"},
              {"batch=x", "batch: "},
              {"batch=1,x", "batch: "},
              {"tp=2,4", "given twice"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const char *const first[] = {"tp=1,2"}, *const words[] = {"prompt=7", "dp=1,2", rows[i].word};
    roof_model_settings s = roof_model_settings_default(&llama);
    roof_model_axes axes = {0};
    roof_error error = {0};
    assert_int_equal(roof_model_settings_read(first, 1, &s, &axes, NULL), ROOF_OK);
    assert_int_not_equal(roof_model_settings_read(words, 3, &s, &axes, &error), ROOF_OK);
    if (strstr(error.message, rows[i].why) == NULL) {
      fail_msg("%s: %s", rows[i].word, error.message);
    }
    assert_true(s.prompt == 2048 && axes.count == 1);
    assert_int_equal(roof_model_settings_read(first, 1, &s, NULL, &error), ROOF_E_ARGUMENT);
    assert_non_null(strstr(error.message, "one value here"));
    roof_model_axes_done(&axes);
  }
}

static void precisions_are_read(void **state) {
  (void)state;
  roof_model_precisions p;
  roof_error error = {0};
  assert_int_equal(roof_model_precisions_parse(NULL, &llama.precision, &p, NULL), ROOF_OK);
  assert_true(p.count == 1 && p.list[0].weights[ROOF_PART_MLP].stored == ROOF_BF16);
  assert_string_equal(p.names[0], "as stored");
  assert_int_equal(roof_model_precisions_parse("bf16/fp8,head=fp8", &llama.precision, &p, NULL), ROOF_OK);
  assert_int_equal(p.count, 2);
  assert_string_equal(p.names[1], "fp8,head=fp8");
  assert_true(p.list[0].weights[ROOF_PART_HEAD].stored == ROOF_BF16);
  assert_true(p.list[1].weights[ROOF_PART_HEAD].stored == ROOF_FP8);
  assert_int_equal(roof_model_precisions_parse("bf16/fp9", &llama.precision, &p, &error), ROOF_E_NAME);
  assert_int_equal(
      roof_model_precisions_parse("fp8/fp8/fp8/fp8/fp8/fp8/fp8/fp8/fp8", &llama.precision, &p, &error),
      ROOF_E_ARGUMENT);
  assert_int_equal(p.count, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(settings_are_read),
      cmocka_unit_test(settings_are_refused),
      cmocka_unit_test(precisions_are_read),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
