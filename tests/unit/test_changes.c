/* What changed between two measurements of the scripted machine. */
#include "test.h"

#include "roofline/changes.h"
#include "roofline/measure.h"

static void found_and_written(void **state) {
  (void)state;
  const roof_backend *backend = NULL;
  roof_measure_options how = roof_measure_options_default();
  roof_machine *before = NULL, *after = NULL;
  roof_changes changes;
  roof_text text = {0};
  assert_int_equal(roof_backend_find("fake", &backend, NULL), ROOF_OK);
  assert_int_equal(backend->measure(&how, &before, NULL), ROOF_OK);
  assert_int_equal(backend->measure(&how, &after, NULL), ROOF_OK);
  assert_int_equal(roof_machine_changes(before, after, &changes, NULL), ROOF_OK);
  assert_true(changes.count > 0 && changes.counts[ROOF_CHANGE_SAME] == (int)changes.count);
  roof_changes_sentence(&changes, &text);
  assert_non_null(strstr(text.data, " same within noise"));
  assert_null(strstr(text.data, "faster"));
  roof_text_done(&text);
  const roof_changes none = {0};
  roof_changes_sentence(&none, &text);
  assert_string_equal(text.data, "neither machine has a measured figure");
  roof_text_done(&text);
  assert_int_equal(roof_changes_write(&changes, before, after, &text, NULL), ROOF_OK);
  assert_non_null(strstr(text.data, "\"schema\": \"roofline.change/1\""));
  assert_non_null(strstr(text.data, "\"verdict\": \"same within noise\""));
  assert_non_null(strstr(text.data, "\"noisy_new\": null"));
  roof_text_done(&text);
  roof_changes_done(&changes);
  roof_machine_free(before);
  roof_machine_free(after);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(found_and_written)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
