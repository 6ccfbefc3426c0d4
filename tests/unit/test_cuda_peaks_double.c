/* The kernels of peaks_double.cu on an emulated multiprocessor: each thread comes to the sum that the measurement checks it
 * against. */
#include "test.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "emulate_sums.h"
#include "kernels/cuda/peaks_double.cu"

static void test_doubles(void **state) {
  (void)state;
  sums_right(peak_mma_fp64, "peak_mma_fp64", 2, false);
  sums_right(peak_mma_fp64_k16, "peak_mma_fp64_k16", 2, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_doubles),
  };
  return cmocka_run_group_tests(tests, NULL, done);
}
