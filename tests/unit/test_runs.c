/* Kernels run at several sizes, from the library alone, on the scripted backend. */
#include "test.h"

#include "roofline/documents.h"
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
    if (roof_runs_measure(&runs, i, &error) != ROOF_OK) {
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

/** Each of `words` measured at its default size, under the ceilings of the scripted machine. */
static void measure_quick(roof_runs *runs, const char *const *words, int count) {
  roof_machine *machine = NULL;
  begin(runs);
  assert_int_equal(roof_runs_select(runs, words, count, NULL), ROOF_OK);
  for (size_t i = 0; i < runs->count; i++) {
    assert_int_equal(roof_runs_measure(runs, i, NULL), ROOF_OK);
  }
  assert_int_equal(runs->backend->measure(&runs->how, &machine, NULL), ROOF_OK);
  roof_runs_place(runs, machine);
}

static void judged_by_the_kernel_s_own_prediction(void **state) {
  (void)state;
  const char *const words[] = {"gemm-naive", "triad"};
  roof_text said = {0};
  roof_runs runs;
  measure_quick(&runs, words, 2);
  assert_true(runs.list[0].at.share < 0.5);
  assert_string_equal(runs.list[0].at.verdict->name, "expected");
  roof_runs_sentence(&runs, &said);
  assert_non_null(strstr(said.data, "most headroom, naive apart, in triad"));
  roof_text_done(&said);
  roof_runs_done(&runs);
  measure_quick(&runs, words, 1);
  roof_runs_sentence(&runs, &said);
  assert_non_null(strstr(said.data, "most headroom in gemm-naive"));
  roof_text_done(&said);
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

static void named_or_all(void **state) {
  (void)state;
  const char *const words[] = {"triad", "n=1k,4k", "scale"}, *const path[] = {"./a.out"};
  const char *const all[] = {"all"}, *const sizes[] = {"n=4"};
  roof_error error = {0};
  roof_runs runs;
  begin(&runs);
  assert_int_equal(roof_runs_select(&runs, words, 3, &error), ROOF_OK);
  assert_int_equal(runs.count, 4);
  assert_string_equal(runs.list[3].kernel->name, "scale");
  assert_true(!runs.skip && runs.list[3].values[0] == 4000);
  assert_int_equal(roof_runs_baseline(&runs, "copy", &error), ROOF_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, "backend fake times one kernel after the other"));
  roof_runs_done(&runs);
  begin(&runs);
  assert_int_equal(roof_runs_select(&runs, path, 1, &error), ROOF_E_NAME);
  assert_int_equal(roof_runs_select(&runs, sizes, 1, &error), ROOF_E_ARGUMENT);
  assert_int_equal(roof_runs_select(&runs, all, 1, &error), ROOF_OK);
  assert_true(runs.skip && runs.count > 20);
  roof_runs_done(&runs);
}

static void listed_by_family(void **state) {
  (void)state;
  static roof_listed list[400];
  const roof_backend *backend = NULL;
  roof_text text = {0};
  assert_int_equal(roof_backend_find("fake", &backend, NULL), ROOF_OK);
  int count = roof_backend_kernels(backend, list, 400);
  assert_true(count > 20 && count <= roof_kernel_count());
  assert_int_equal(roof_backend_kernels(backend, NULL, 0), count);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k + 1 < i && strcmp(list[i].family, list[i - 1].family) != 0; k++) {
      assert_string_not_equal(list[i].family, list[k].family);
    }
  }
  assert_string_equal(list[0].sizes, list[0].kernel->sizes);
  assert_int_equal(roof_kernels_write(backend, &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\"schema\": \"roofline.kernels/1\""));
  roof_text_done(&text);
}

static void written_and_read_back(void **state) {
  (void)state;
  const char *const words[] = {"triad", "n=64M"};
  roof_machine *machine = NULL;
  roof_measurements read = {0};
  roof_text text = {0};
  roof_runs runs;
  begin(&runs);
  assert_int_equal(roof_runs_select(&runs, words, 2, NULL), ROOF_OK);
  assert_int_equal(roof_runs_measure(&runs, 0, NULL), ROOF_OK);
  assert_int_equal(runs.backend->measure(&runs.how, &machine, NULL), ROOF_OK);
  roof_runs_place(&runs, machine);
  runs.list[0].counts =
      (roof_counts){.flops = 2, .bytes = {NAN, NAN, NAN, 8}, .outer_bytes = 8, .intensity = 0.25};
  runs.list[0].counted = true;
  assert_int_equal(roof_runs_write(&runs, &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\"operational_intensity\": 0.25"));
  assert_int_equal(roof_measurements_parse(text.data, text.length, "runs", &read, NULL), ROOF_OK);
  assert_int_equal(read.count, 1);
  assert_true(read.list[0].level_bytes[ROOF_MEMORY] == runs.list[0].measurement.bytes);
  assert_near(read.list[0].given.ceiling_seconds, runs.list[0].at.ceiling_seconds, 1e-12);
  roof_measurements_done(&read);
  roof_text_done(&text);
  roof_runs_done(&runs);
}

static void samples_of_ceilings_as_a_document(void **state) {
  (void)state;
  const double seconds[] = {0.5, 0.25}, clocks[] = {1e9, NAN};
  const size_t ends[] = {1, 2};
  const roof_windows windows = {"DRAM read", 8, seconds, clocks, 2, ends, 2};
  roof_text text = {0}, none = {0};
  roof_windows_write(&text, &windows);
  roof_windows_write(&text, &windows);
  assert_int_equal(roof_windows_finish(&text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "{\"figure\": \"DRAM read\", \"work\": 8, \"round_ends\": [1, 2], "
                                    "\"seconds\": [0.5, 0.25], \"clock_hz\": [1000000000, null]},\n"));
  assert_int_equal(roof_windows_finish(&none, NULL), ROOF_OK);
  assert_string_equal(none.data, "{\"schema\": \"roofline.samples/1\", \"figures\": []}\n");
  roof_text_done(&text);
  roof_text_done(&none);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_of_ceilings_as_a_document),
      cmocka_unit_test(sizes_measured_and_placed),
      cmocka_unit_test(judged_by_the_kernel_s_own_prediction),
      cmocka_unit_test(what_cannot_be_added),
      cmocka_unit_test(named_or_all),
      cmocka_unit_test(listed_by_family),
      cmocka_unit_test(written_and_read_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
