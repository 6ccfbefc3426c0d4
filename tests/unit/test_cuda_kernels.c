/* Every kernel of the CUDA backend on the emulated device. */
#include "emulated_kernels.h"
#include "measure/cuda/cuda.h"

/** Before Hopper a kernel begins when the one before it has ended. */
static void nothing_begins_early_on_ampere(void **state) {
  (void)state;
  const roof_kernel *kernel = NULL;
  int before = counter("fake_cuda_early");
  setenv("FAKE_CUDA", "major=8", 1);
  assert_int_equal(roof_kernel_find("attention-decode", &kernel, NULL), ROOF_OK);
  run(kernel, ROOF_BF16, "batch=1 heads=2 q_len=1 kv_len=133 head_dim=128 kv_heads=1");
  assert_int_equal(counter("fake_cuda_early"), before);
  setenv("FAKE_CUDA", "", 1);
}

int main(void) {
  const struct CMUnitTest own_tests[] = {cmocka_unit_test(nothing_begins_early_on_ampere)};
  tested.forget = rf_cuda_forget;
  tested.driver = &rf_cuda_driver;
  tested.folder = "cuda";
  tested.library = "libcuda.so.1";
  tested.illegal = "CUDA_ERROR_ILLEGAL_ADDRESS";
  tested.least = 61;
  tested.early = 3; /* decode's merge, that of a cache in pages, parts of fp8 */
  tested.formats = ~0u;
  setenv("ROOFLINE_CUDA_LIBRARIES", emulated_folder("cuda"), 1);
  if (rf_cuda_images_version == 0) {
    printf("skipped: built without nvcc\n");
    return 77;
  }
  return test_kernels() + cmocka_run_group_tests(own_tests, NULL, NULL);
}
