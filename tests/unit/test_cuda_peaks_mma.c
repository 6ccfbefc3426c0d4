/* The kernels of peaks_mma.cu on an emulated multiprocessor: each thread comes to the sum that the
 * measurement checks it against. */
#include "test.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "emulate_sums.h"
#include "kernels/cuda/peaks_mma.cu"
#include "kernels/cuda/peaks_mma_scaled.cu"

static void test_mma(void **state) {
  (void)state;
  sums_right(peak_mma_tf32, "peak_mma_tf32", 2, false);
  sums_right(peak_mma_fp16, "peak_mma_fp16", 2, false);
  sums_right(peak_mma_bf16, "peak_mma_bf16", 2, false);
  sums_right(peak_mma_fp8, "peak_mma_fp8", 2, false);
  sums_right(peak_mma_int8, "peak_mma_int8", 2, false);
}

static void test_scaled(void **state) {
  (void)state;
  sums_right(peak_mma_scaled_fp8, "peak_mma_scaled_fp8", 2, false);
  sums_right(peak_mma_scaled_fp4, "peak_mma_scaled_fp4", 2, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mma),
      cmocka_unit_test(test_scaled),
  };
  return cmocka_run_group_tests(tests, NULL, done);
}
