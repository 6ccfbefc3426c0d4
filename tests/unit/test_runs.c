/* Kernels run at several sizes, from the library alone, on the scripted backend. */
#include "test.h"

#include "roofline/runs.h"

static void begin(roof_runs *runs) {
  const roof_backend *backend = NULL;
  roof_measure_options how = roof_measure_options_default();
  how.quick = true;
  assert_int_equal(roof_backend_find("fake", &backend, NULL), ROOF_OK);
  roof_runs_init(runs, backend, ROOF_DTYPE_COUNT, &how);
}

static void sizes_measured_and_placed(void **state) {
  (void)state;
  const char *const words[] = {"n=1k,64M"};
  const roof_kernel *kernel = NULL;
  roof_machine *machine = NULL;
  roof_error error = {0};
  roof_runs runs;
  begin(&runs);
  assert_int_equal(roof_runs_find(&runs, "triad", &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_runs_add(&runs, kernel, words, 1, &error), ROOF_OK);
  assert_int_equal(roof_runs_add(&runs, kernel, NULL, 0, &error), ROOF_OK);
  assert_int_equal(runs.count, 3);
  assert_string_equal(runs.list[0].point, "n=1000");
  assert_string_equal(runs.list[2].point, "");
  for (size_t i = 0; i < runs.count; i++) {
    if (roof_runs_measure(&runs, i, false, &error) != ROOF_OK) {
      fail_msg("%s", error.message);
    }
  }
  roof_runs_place(&runs, NULL);
  assert_true(isnan(runs.list[1].at.share) && runs.list[1].level == NULL);
  assert_true(runs.list[1].working_set == 3 * 4 * 64e6);
  assert_int_equal(runs.backend->measure(&runs.how, &machine, &error), ROOF_OK);
  roof_runs_place(&runs, machine);
  assert_int_equal(runs.list[1].level->level, ROOF_MEMORY);
  assert_near(runs.list[1].at.share, runs.list[1].at.ceiling_seconds / runs.list[1].measurement.seconds,
              1e-12);
  assert_true(runs.list[1].measurement.taken == runs.taken);
  roof_runs_done(&runs);
}

static void what_cannot_be_added(void **state) {
  (void)state;
  const char *const words[] = {"n=1..2000"};
  const roof_kernel *kernel = NULL;
  roof_error error = {0};
  roof_runs runs;
  begin(&runs);
  assert_int_equal(roof_runs_find(&runs, "traid", &kernel, &error), ROOF_E_NAME);
  assert_int_equal(roof_runs_find(&runs, "gemm-cublas", &kernel, &error), ROOF_E_NAME);
  assert_int_equal(roof_runs_find(&runs, "triad", &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_runs_add(&runs, kernel, words, 1, &error), ROOF_E_ARGUMENT);
  assert_non_null(strstr(error.message, "more than 1000 sizes"));
  assert_int_equal(runs.count, 0);
  roof_runs_done(&runs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_measured_and_placed),
      cmocka_unit_test(what_cannot_be_added),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
