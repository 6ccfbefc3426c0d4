/** As much of cmocka as a unit test needs that runs under an emulator, where no cmocka is installed. */
#ifndef CROSS_CMOCKA_H
#define CROSS_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>

struct CMUnitTest {
  const char *name;
  void (*run)(void **state);
};

#define cmocka_unit_test(test)                                                                               \
  { #test, test }
#define print_message(...) printf(__VA_ARGS__)
#define fail_msg(...) (printf(__VA_ARGS__), printf("\n"), exit(1))
#define assert_true(condition) ((condition) ? (void)0 : fail_msg("%s:%d: %s", __FILE__, __LINE__, #condition))
#define assert_null(pointer) assert_true((pointer) == NULL)
#define cmocka_run_group_tests(tests, setup, teardown) cross_run(tests, sizeof(tests) / sizeof(tests)[0])

static inline int cross_run(const struct CMUnitTest *tests, size_t count) {
  for (size_t i = 0; i < count; i++) {
    tests[i].run(NULL);
    printf("ok %s\n", tests[i].name);
  }
  return 0;
}

#endif
