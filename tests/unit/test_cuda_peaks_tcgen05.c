/* The kernels of peaks_tcgen05.cu on an emulated multiprocessor: each thread comes to the sum that the
 * measurement checks it against. */
#include "test.h"

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "emulate_sums.h"
#include "kernels/cuda/peaks_tcgen05.cu"
#include "kernels/cuda/peaks_tcgen05_int8.cu"
#include "kernels/cuda/peaks_tcgen05_k96.cu"

static void test_blocks(void **state) {
  (void)state;
  SUMS_RIGHT(peak_tcgen05_tf32);
  SUMS_RIGHT(peak_tcgen05_fp16);
  SUMS_RIGHT(peak_tcgen05_bf16);
  SUMS_RIGHT(peak_tcgen05_fp8);
  SUMS_RIGHT(peak_tcgen05_int8);
  SUMS_RIGHT(peak_tcgen05_fp4);
  SUMS_RIGHT(peak_tcgen05_fp4_k96);
}

static void test_pairs(void **state) {
  (void)state;
  SUMS_RIGHT(peak_tcgen05_tf32_pair);
  SUMS_RIGHT(peak_tcgen05_fp16_pair);
  SUMS_RIGHT(peak_tcgen05_bf16_pair);
  SUMS_RIGHT(peak_tcgen05_fp8_pair);
  SUMS_RIGHT(peak_tcgen05_int8_pair);
  SUMS_RIGHT(peak_tcgen05_fp4_pair);
  SUMS_RIGHT(peak_tcgen05_fp4_k96_pair);
}

/** What others have worked out: Triton, test/Conversion/tritongpu_to_llvm_blackwell.mlir (nvfp4 of 128 x
 * 256), the same and FlashAttention (fp16 of 128 x 128), CUTLASS, include/cute/arch/mma_sm100_desc.hpp
 * (places of the fields). */
static void test_descriptors(void **state) {
  (void)state;
  assert_int_equal(PRODUCT_5_OF(0, 1, 128, 256), 138413184);
  assert_int_equal(PRODUCT_5_OF(1, 0, 128, 128), 136314896);
  assert_int_equal(PRODUCT_5_OF(1, 2, 256, 256) >> 24 & 31, 16);
  assert_true(MATRIX_5(0x12340, 1024) == (0x4000404000001234ull));
  assert_true(MATRIX_5(0x12340 + 32, 1024) - MATRIX_5(0x12340, 1024) == 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_descriptors),
  };
  return cmocka_run_group_tests(tests, NULL, done);
}
