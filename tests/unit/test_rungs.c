/* The rungs of the product of matrices. On emulated processors this takes as long as all other kernels together. */
#include <stdio.h>

#include "kernels/kernels.h"
#include "test.h"

/** Thin, odd and just over a tile or a block; one thread and two, emulated two alone. */
static void every_rung_at_odd_shapes(void **state) {
  (void)state;
  static const char *const shapes[] = {
      "m=1 n=1 k=2",       "m=2 n=7 k=31",     "m=7 n=2 k=1",      "m=31 n=33 k=2",    "m=33 n=31 k=7",
      "m=65 n=17 k=129",   "m=8 n=192 k=70",   "m=12 n=64 k=33",   "m=13 n=64 k=33",   "m=1 n=513 k=65",
      "m=400 n=3 k=40",    "m=140 n=66 k=500", "m=16 n=530 k=450", "m=64 n=100 k=300", "m=400 n=66 k=500",
      "m=16 n=1030 k=450", "m=64 n=200 k=300"};
  size_t count = sizeof shapes / sizeof shapes[0] - (test_emulated() ? 3 : 0);
  int rungs = 0;
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    bool rung = kernel->rung > 0 && strcmp(kernel->op, "gemm") == 0 && roof_kernel_runs_on(kernel, "cpu");
    rungs += rung;
    for (size_t which = 0; rung && which < 4 * count; which++) {
      which += test_emulated() && which % 4 == 0 ? 2 : 0;
      roof_kernel_run run = {.kernel = kernel, .dtype = which % 2 ? ROOF_FP64 : ROOF_FP32};
      roof_error error = {0};
      run.threads = 1 + (int)(which / 2 % 2);
      assert_int_equal(roof_kernel_values(kernel, shapes[which / 4], run.values, NULL), ROOF_OK);
      assert_int_equal(kernel->prepare(&run, NULL), ROOF_OK);
      kernel->execute(&run);
      if (kernel->check(&run, &error) != ROOF_OK) {
        fail_msg("%s, %d threads: %s", shapes[which / 4], run.threads, error.message);
      }
      kernel->release(&run);
    }
  }
  assert_int_equal(rungs, 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_rung_at_odd_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
