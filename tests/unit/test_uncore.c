/* The memory controllers' counters as the kernel describes them. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "region/uncore.h"

static rf_uncore uncore;

static void reads_what_the_kernel_describes(void **state) {
  (void)state;
  char root[512];
  snprintf(root, sizeof root, "%s/tests/fixtures/uncore", getenv("ROOFLINE_SOURCE"));
  assert_true(rf_uncore_find(root, &uncore));
  assert_int_equal(uncore.count, 8); /* two controllers, reads and writes, two sockets */
  assert_int_equal(uncore.events[0].type, 10);
  assert_int_equal(uncore.events[0].config, 0x0304);
  assert_int_equal(uncore.events[2].config, 0x0c04);
  assert_int_equal(uncore.events[0].cpu, 0);
  assert_int_equal(uncore.events[1].cpu, 28);
  assert_int_equal(uncore.events[4].type, 11);
  assert_true(uncore.events[0].bytes == 64); /* a command moves a line */
}

/** Two sockets in one range of processors, and the names that clients have from Tiger Lake on. */
static void reads_ranges_and_the_names_of_clients(void **state) {
  (void)state;
  char root[512];
  snprintf(root, sizeof root, "%s/tests/fixtures/uncore/client", getenv("ROOFLINE_SOURCE"));
  assert_true(rf_uncore_find(root, &uncore));
  assert_int_equal(uncore.count, 6);
  static const int cpus[] = {0, 1, 8, 0, 1, 8};
  for (int i = 0; i < 6; i++) {
    assert_int_equal(uncore.events[i].config, i < 3 ? 0x20ff : 0x30ff);
    assert_int_equal(uncore.events[i].cpu, cpus[i]);
    assert_true(uncore.events[i].bytes == 64);
  }
}

static void finds_none_where_there_are_none(void **state) {
  (void)state;
  assert_false(rf_uncore_find("/nowhere", &uncore));
  assert_int_equal(uncore.count, 0);
}

/** A kind of event that no kernel has. */
static void says_why_it_cannot_count(void **state) {
  (void)state;
  char why[160] = "";
  uncore = (rf_uncore){.count = 1, .events = {{.type = 0x7fffffff, .cpu = 0, .bytes = 64, .file = -1}}};
  assert_non_null(rf_uncore_start(&uncore, why, sizeof why));
  assert_true(strlen(why) > 0);
  assert_int_equal(uncore.events[0].file, -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads_what_the_kernel_describes),
                                     cmocka_unit_test(reads_ranges_and_the_names_of_clients),
                                     cmocka_unit_test(finds_none_where_there_are_none),
                                     cmocka_unit_test(says_why_it_cannot_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
