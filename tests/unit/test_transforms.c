/* The lengths of the transform, which take the same way on every processor; its registers are those of test_kernels. */
#include "kernels/kernels.h"
#include "test.h"

/** Of every length on the way: that of each codelet, odd numbers of passes, one thread alone and two together. */
static void every_length_of_transform(void **state) {
  (void)state;
  const roof_kernel *kernel = NULL;
  assert_int_equal(roof_kernel_find("fft", &kernel, NULL), ROOF_OK);
  static const int lengths[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 32768};
  for (size_t which = 0; which < 4 * sizeof lengths / sizeof lengths[0]; which++) {
    roof_kernel_run run = {.kernel = kernel, .dtype = which % 2 ? ROOF_FP64 : ROOF_FP32};
    roof_error error = {0};
    run.threads = 1 + (int)(which / 2 % 2);
    run.values[0] = lengths[which / 4];
    assert_int_equal(kernel->prepare(&run, NULL), ROOF_OK);
    kernel->execute(&run);
    if (kernel->check(&run, &error) != ROOF_OK) {
      fail_msg("n=%.0f, %d threads: %s", run.values[0], run.threads, error.message);
    }
    kernel->release(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_length_of_transform),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
