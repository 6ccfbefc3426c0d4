/* JSON read while jansson's allocations fail, one at a time and with all later ones: refused as out of memory, never read past the end. */
#include "test.h"

#include <string.h>

#include "documents/json.h"

static long count, failing;
static bool from_then_on;

static void *allocate(size_t size) {
  count++;
  return count == failing || (from_then_on && count > failing) ? NULL : malloc(size);
}

/** One reading in which allocation `at` fails (0: none); false: it makes fewer. */
static bool read_failing(const char *text, long at, bool on) {
  json_error_t why;
  count = 0;
  failing = at;
  from_then_on = at > 0 && on;
  json_t *document = rf_json_load(text, strlen(text), 0, &why);
  bool failed = at > 0 && count >= at;
  failing = 0;
  from_then_on = false;
  assert_int_equal(document == NULL, failed);
  if (failed) {
    assert_int_equal(json_error_code(&why), json_error_out_of_memory);
  }
  json_decref(document);
  return failed;
}

/** What jansson's buffer holds when it is full ends in the middle of each of these: texts, escapes, numbers, exponents. */
static void test_full_buffer(void **state) {
  static const char *const texts[] = {
      "[\"0123456789abcde\"]",
      "[\"0123456789abcdef0123456789abcdef\"]",
      "[\"0123456789abc\\n\\n\"]",
      "[\"0123456789abcd\\u00e4\\u00e4\"]",
      "[0.1234567890123, 0.12345678901234]",
      "[1234567890123e+10, 12345678901234e-1]",
      "{\"0123456789abcdef\": {\"0123456789abcdef0123456789abcdef\": [[], {}, [1, 2, 3, 4, 5, 6, 7, 8, 9]]}}",
      "[[[[[[[[[[\"0123456789abcdef\"]]]]]]]]]]",
  };
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    for (int on = 0; on < 2; on++) {
      long at = 1;
      while (read_failing(texts[i], at, on > 0)) {
        at++;
      }
      assert_true(at > 3);
    }
  }
}

int main(void) {
  json_set_alloc_funcs(allocate, free);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_full_buffer)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
