/* The checks of kernels' results find what is wrong with them. */
#include "each_kernel.h"

static void unwritten_output_is_found(const roof_kernel *kernel, roof_dtype dtype, const char *sizes) {
  roof_kernel_run run;
  if (!start(kernel, dtype, sizes, &run)) {
    return;
  }
  assert_int_equal(kernel->check(&run, NULL), ROOF_E_INTERNAL);
  kernel->release(&run);
}

static void checks_find_an_output_nobody_wrote(void **state) {
  (void)state;
  each_kernel(unwritten_output_is_found);
}

static void set(const roof_kernel_run *run, size_t i, double value) {
  rf_data_set(((rf_operands *)run->state)->out, run->dtype, i, value);
}

static void wrong_element_is_found(const roof_kernel *kernel, roof_dtype dtype, const char *sizes) {
  roof_kernel_run run;
  if (!start(kernel, dtype, sizes, &run)) {
    return;
  }
  roof_error error = {0};
  kernel->execute(&run);
  double right = rf_data_at(((rf_operands *)run.state)->out, dtype, 0);
  set(&run, 0, dtype == ROOF_INT8 ? right + (right > 0 ? -2 : 2) : right + 0.01 * (1 + fabs(right)));
  assert_int_equal(kernel->check(&run, &error), ROOF_E_INTERNAL);
  assert_non_null(strstr(error.message, "wrong result: element 0"));
  kernel->release(&run);
}

static double one_half(const roof_kernel_run *run, size_t index, double *tolerance) {
  (void)run;
  (void)index;
  *tolerance = 0;
  return 0.5;
}

static void assert_found(roof_kernel_run *run, size_t count, size_t at, double value) {
  char where[32];
  roof_error error = {0};
  snprintf(where, sizeof where, "element %zu is", at);
  set(run, at, value);
  assert_int_equal(rf_kernel_compare(run, count, 100, one_half, &error), ROOF_E_INTERNAL);
  assert_non_null(strstr(error.message, where));
  set(run, at, 0.5);
}

/** Where a hundred of many are compared, all must be numbers, the first and the last are right, and a part that is wrong is
 * found. */
static void of_many_results_some_are_compared(void **state) {
  (void)state;
  enum { COUNT = 50001, STEP = COUNT / 100 + 1 };
  static const roof_dtype formats[] = {ROOF_FP32, ROOF_FP64};
  for (size_t f = 0; f < 2; f++) {
    roof_kernel_run run;
    const roof_kernel *kernel = NULL;
    assert_int_equal(roof_kernel_find("relu", &kernel, NULL), ROOF_OK);
    assert_true(start(kernel, formats[f], "n=50001", &run));
    for (size_t i = 0; i < COUNT; i++) {
      set(&run, i, 0.5);
    }
    assert_int_equal(rf_kernel_compare(&run, COUNT, 100, one_half, NULL), ROOF_OK);
    assert_found(&run, COUNT, 12345, NAN);
    assert_found(&run, COUNT, 40000, INFINITY);
    assert_found(&run, COUNT, 0, 0.6);
    assert_found(&run, COUNT, COUNT - 1, 0.6);
    for (size_t i = 20000; i < 20000 + 2 * STEP; i++) {
      set(&run, i, 0.6);
    }
    assert_int_equal(rf_kernel_compare(&run, COUNT, 100, one_half, NULL), ROOF_E_INTERNAL);
    kernel->release(&run);
  }
}

static void checks_find_a_wrong_element(void **state) {
  (void)state;
  each_kernel(wrong_element_is_found);
}

static void checks_find_a_hole_far_from_the_sampled_rows(void **state) {
  (void)state;
  static const char *const names[] = {"gemm-blocked", "gemv", "softmax", "triad", "axpy"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const roof_kernel *kernel = NULL;
    assert_int_equal(roof_kernel_find(names[i], &kernel, NULL), ROOF_OK);
    roof_kernel_run run;
    assert_true(start(kernel, ROOF_FP64, small_sizes(kernel, 2), &run));
    kernel->execute(&run);
    set(&run, 230, NAN);
    assert_int_equal(kernel->check(&run, NULL), ROOF_E_INTERNAL);
    kernel->release(&run);
  }
}

/** A wrong column is found, whichever it is, also where rows are a multiple of the step between samples. */
static void checks_look_at_every_column(void **state) {
  (void)state;
  enum { SIZE = 512 };
  const roof_kernel *kernel = NULL;
  assert_int_equal(roof_kernel_find("gemm-blocked", &kernel, NULL), ROOF_OK);
  roof_kernel_run run;
  assert_true(start(kernel, ROOF_FP32, "m=512 n=512 k=3", &run));
  float *c = ((rf_operands *)run.state)->out;
  kernel->execute(&run);
  assert_int_equal(kernel->check(&run, NULL), ROOF_OK);
  for (size_t column = 0; column < SIZE; column += 7) {
    for (size_t row = 0; row < SIZE; row++) {
      c[row * SIZE + column] += 1;
    }
    assert_int_equal(kernel->check(&run, NULL), ROOF_E_INTERNAL);
    for (size_t row = 0; row < SIZE; row++) {
      c[row * SIZE + column] -= 1;
    }
  }
  kernel->release(&run);
}

/** Of a transform few points are compared with the sums that define them: any that is wrong, and any two that are exchanged,
 * change the sum of all. */
static void checks_of_a_transform_look_at_every_point(void **state) {
  (void)state;
  const roof_kernel *kernel = NULL;
  assert_int_equal(roof_kernel_find("fft", &kernel, NULL), ROOF_OK);
  for (int d = 0; d < 2; d++) {
    roof_kernel_run run;
    roof_dtype dtype = d == 0 ? ROOF_FP64 : ROOF_FP32;
    assert_true(start(kernel, dtype, "n=16384", &run));
    kernel->execute(&run);
    assert_int_equal(kernel->check(&run, NULL), ROOF_OK);
    for (size_t i = 1; i < 32768; i += 2730) {
      const void *out = ((rf_operands *)run.state)->out;
      double right = rf_data_at(out, dtype, i), other = rf_data_at(out, dtype, i - 1);
      set(&run, i, right + 16);
      assert_int_equal(kernel->check(&run, NULL), ROOF_E_INTERNAL);
      set(&run, i, other);
      set(&run, i - 1, right);
      assert_int_equal(kernel->check(&run, NULL), ROOF_E_INTERNAL);
      set(&run, i, right);
      set(&run, i - 1, other);
    }
    kernel->release(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(checks_find_an_output_nobody_wrote),
      cmocka_unit_test(checks_find_a_wrong_element),
      cmocka_unit_test(of_many_results_some_are_compared),
      cmocka_unit_test(checks_find_a_hole_far_from_the_sampled_rows),
      cmocka_unit_test(checks_look_at_every_column),
      cmocka_unit_test(checks_of_a_transform_look_at_every_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
