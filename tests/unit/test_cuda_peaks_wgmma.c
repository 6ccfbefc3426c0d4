/* The kernels of peaks_wgmma.cu on an emulated multiprocessor: each thread comes to the sum that the
 * measurement checks it against. */
#include "test.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "emulate_sums.h"
#include "kernels/cuda/peaks_wgmma.cu"

static void test_wgmma(void **state) {
  (void)state;
  sums_right(peak_wgmma_tf32, "peak_wgmma_tf32", 1, false);
  sums_right(peak_wgmma_fp16, "peak_wgmma_fp16", 1, false);
  sums_right(peak_wgmma_bf16, "peak_wgmma_bf16", 2, false);
  sums_right(peak_wgmma_fp8, "peak_wgmma_fp8", 1, false);
  sums_right(peak_wgmma_int8, "peak_wgmma_int8", 1, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wgmma),
  };
  return cmocka_run_group_tests(tests, NULL, done);
}
