/* The OpenCL backend on whatever device is here (PoCL makes the processor one): every kernel of accelerators
 * in every format against the scalar reference. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/device/_device.h"
#include "measure/device.h"

/* Sizes that are no multiple of a tile or a group. */
static const struct {
  const char *op;
  const char *sizes[2];
} small[] = {
    {"gemm", {"m=1 n=1 k=1", "m=137 n=149 k=67"}},
};

static const char *const vectors[] = {"n=1", "n=10007"};

static const char *small_sizes(const roof_kernel *kernel, int which) {
  for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
    if (strcmp(small[i].op, kernel->op) == 0) {
      return small[i].sizes[which];
    }
  }
  return vectors[which];
}

static const roof_backend *backend;

static roof_status run(const roof_kernel *kernel, roof_dtype dtype, const char *sizes, roof_error *error) {
  double values[ROOF_PARAM_MAX];
  char shape[256];
  const char *algorithm = strstr(kernel->sizes, "algorithm=");
  roof_measure_options o = roof_measure_options_default();
  roof_measurement m;
  o.seconds_per_item = 1e-6;
  snprintf(shape, sizeof shape, "%s %s", sizes, algorithm != NULL ? algorithm : "");
  roof_status status = roof_kernel_values(kernel, shape, values, error);
  if (status == ROOF_OK) {
    status = backend->run(kernel, dtype, values, &o, &m, error);
  }
  if (status == ROOF_OK) {
    assert_true(m.seconds > 0 && m.sample_count > 0);
    assert_string_equal(m.machine, "host-gpu0");
    roof_measurement_done(&m);
  }
  return status;
}

static void every_kernel_agrees_with_its_reference(void **state) {
  (void)state;
  int done = 0;
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    for (int which = 0; which < 2 * ROOF_DTYPE_COUNT && roof_kernel_runs_on(kernel, "opencl"); which++) {
      roof_error error = {0};
      if (kernel->supports((roof_dtype)(which / 2))) {
        roof_status status = run(kernel, (roof_dtype)(which / 2), small_sizes(kernel, which % 2), &error);
        if (status != ROOF_OK) {
          fail_msg("%s %s: %s", kernel->name, small_sizes(kernel, which % 2), error.message);
        }
        done++;
      }
    }
  }
  assert_true(done > 0);
}

/** A row's text has to be there, in each format that the row supports. */
static void every_kernel_has_its_text(void **state) {
  (void)state;
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    if (!roof_kernel_runs_on(kernel, "opencl")) {
      continue;
    }
    const roof_device_kernel *detail = roof_device_kernel_of(kernel);
    const roof_device_text *text = roof_device_text_find(detail->program);
    const roof_kernel *reference = NULL;
    assert_non_null(text);
    assert_int_equal(roof_kernel_find(detail->reference, &reference, NULL), ROOF_OK);
    for (int d = 0; d < ROOF_DTYPE_COUNT; d++) {
      assert_true(!kernel->supports((roof_dtype)d) || (text->formats >> d & 1u) != 0);
    }
  }
}

static void what_cannot_run_is_refused(void **state) {
  (void)state;
  const roof_kernel *kernel = NULL;
  roof_error error = {0};
  assert_int_equal(roof_kernel_find("triad", &kernel, NULL), ROOF_OK);
  assert_int_equal(run(kernel, ROOF_FP32, "n=10", &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "triad: not a kernel of the backend opencl");
}

/** The compiler inside the driver keeps memory to itself until the end. What the backend holds is counted by
 * test_device.c. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0";
}

int main(void) {
  assert_int_equal(roof_backend_find("opencl", &backend, NULL), ROOF_OK);
  const char *reason = backend->disabled_reason();
  if (reason != NULL) {
    print_message("skipped: %s\n", reason);
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kernel_has_its_text),
      cmocka_unit_test(every_kernel_agrees_with_its_reference),
      cmocka_unit_test(what_cannot_run_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
