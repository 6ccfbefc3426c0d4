/* The explorer's page with a machine in it: what is written is tested by the command (tests/cli/explore.bats). */
#include "test.h"

#include "roofline/documents.h"

/** Next to this program no page is built. */
static void a_page_that_is_not_there(void **state) {
  (void)state;
  roof_text out = {0};
  roof_error error = {0};
  assert_int_equal(roof_explorer_write(NULL, &out, &error), ROOF_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, "./run web"));
  assert_int_equal(out.length, 0);
  roof_text_done(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_page_that_is_not_there)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
