/* The kernels of a backend on the emulated device (tests/fake) in every format, against their references: the text that a
 * device's compiler gets, launched by the host's code; and that the device notices what a kernel must not do. */
#ifndef TESTS_UNIT_EMULATED_KERNELS_H
#define TESTS_UNIT_EMULATED_KERNELS_H

#include "emulated.h"
#include "measure/device/device.h"
#include "test.h"

/** What is tested, set by main. */
static struct {
  const rf_device_driver *driver;
  const char *folder, *library;
  const char *illegal;  /* how it calls an address that is none */
  int least;            /* runs of kernels */
  int early;            /* of those at least, begun while the launch before ended */
  unsigned formats;     /* bit `1u << dtype` for each that is run */
  void (*forget)(void); /* HIP has no other way to be rid of a fault than to start anew */
} tested;

/* Sizes that are no multiple of a tile or a group. */
static const struct {
  const char *op;
  const char *sizes[2];
} small[] = {
    {"attention",
     {"batch=2 heads=6 q_len=7 kv_len=71 head_dim=5 kv_heads=2",
      "batch=1 heads=2 q_len=37 kv_len=37 head_dim=67 causal=1"}},
    {"gemm", {"m=1 n=1 k=1", "m=137 n=149 k=67"}},
    {"gemv", {"m=1 n=128", "m=37 n=384"}},
    {"linear", {"batch=1 in=1 out=1", "batch=19 in=67 out=33"}},
    {"rmsnorm", {"rows=1 cols=1", "rows=3 cols=5001"}},
    {"softmax", {"rows=1 cols=1", "rows=3 cols=5001"}},
    {"transpose", {"rows=1 cols=1", "rows=5 cols=67"}},
};

static const char *const vectors[] = {"n=1", "n=10007"};

/** Of kernels that CUDA alone has: rows of 16 bytes for the copy engine, heads that fill a tile. */
static const struct {
  const char *name;
  const char *sizes[2];
} own[] = {
    {"gemm-fp8-split", {"m=3 n=8 k=16", "m=24 n=136 k=1552"}},
    {"gemm-fp8", {"m=3 n=8 k=16", "m=136 n=264 k=144"}},
    {"gemm-", {"m=3 n=8 k=8", "m=136 n=264 k=72"}},
    {"attention-",
     {"batch=1 heads=2 q_len=37 kv_len=37 head_dim=64 causal=1",
      "batch=1 heads=2 q_len=70 kv_len=133 head_dim=128 kv_heads=1"}},
};

static const char *sizes_of(const roof_kernel *kernel, int which) {
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
    if (strncmp(kernel->name, own[i].name, strlen(own[i].name)) == 0) {
      return own[i].sizes[which];
    }
  }
  for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
    if (strcmp(small[i].op, kernel->op) == 0) {
      return small[i].sizes[which];
    }
  }
  return vectors[which];
}

static int counter(const char *name) {
  int *at = emulated_counter(tested.folder, tested.library, name);
  return *at;
}

static void run(const roof_kernel *kernel, roof_dtype dtype, const char *sizes) {
  double values[ROOF_PARAM_MAX];
  char shape[256];
  const char *algorithm = strstr(kernel->sizes, "algorithm=");
  roof_measure_options how = roof_measure_options_default();
  roof_measurement out;
  roof_error error = {.message = ""};
  how.quick = true;
  how.seconds_per_item = 1e-6;
  snprintf(shape, sizeof shape, "%s %s", sizes, algorithm != NULL ? algorithm : "");
  assert_int_equal(roof_kernel_values(kernel, shape, values, &error), ROOF_OK);
  if (rf_device_run(tested.driver, kernel, dtype, values, &how, &out, &error) != ROOF_OK) {
    fail_msg("%s %s %s: %s", kernel->name, roof_dtype_name(dtype), shape, error.message);
  }
  roof_measurement_done(&out);
}

static void every_kernel_agrees_with_its_reference(void **state) {
  (void)state;
  int done = 0;
  for (int i = 0; i < roof_kernel_count(); i++) {
    const roof_kernel *kernel = roof_kernel_at(i);
    for (int which = 0; which < 2 * ROOF_DTYPE_COUNT && roof_kernel_runs_on(kernel, tested.driver->name);
         which++) {
      roof_dtype dtype = (roof_dtype)(which / 2);
      if ((tested.formats >> dtype & 1u) != 0 && kernel->supports(dtype) &&
          (dtype == ROOF_FP32 || which % 2 == 1)) {
        run(kernel, dtype, sizes_of(kernel, which % 2));
        done++;
      }
    }
  }
  assert_true(done >= tested.least);
  assert_true(counter("fake_cuda_executed") >= done - 8); /* but for the library's products */
  assert_true(counter("fake_cuda_early") >= tested.early);
  tested.forget();
  assert_int_equal(counter("fake_cuda_live"), 0);
}

typedef struct stage {
  rf_device *device;
  void *program, *from, *to;
  rf_device_launch launch;
} stage;

enum { NUMBERS = 1000 };

/** STREAM's copy of NUMBERS numbers, with a grid that is asked for `count` of them. */
static stage prepare(const char *script, double count) {
  stage s = {.launch = rf_device_launch_of("stream_copy", 2, 1, 256, 1)};
  setenv("FAKE_CUDA", script, 1);
  tested.forget();
  assert_int_equal(tested.driver->open(0, &s.device, NULL), ROOF_OK);
  const rf_device_driver *driver = s.device->driver;
  assert_int_equal(driver->build(s.device, rf_device_text_find("stream"), ROOF_FP32, &s.program, NULL),
                   ROOF_OK);
  assert_int_equal(driver->find(s.device, s.program, s.launch.entry, &s.launch.function, NULL), ROOF_OK);
  assert_int_equal(driver->allocate(s.device, 4 * NUMBERS, &s.from, NULL), ROOF_OK);
  assert_int_equal(driver->allocate(s.device, 4 * NUMBERS, &s.to, NULL), ROOF_OK);
  rf_device_add_buffer(&s.launch, s.from);
  rf_device_add_buffer(&s.launch, s.to);
  rf_device_add_index(&s.launch, count);
  return s;
}

static void finish(stage *s) {
  const rf_device_driver *driver = s->device->driver;
  driver->release(s->device, s->from);
  driver->release(s->device, s->to);
  driver->unload(s->device, s->program);
  driver->close(s->device);
  tested.forget();
  assert_int_equal(counter("fake_cuda_live"), 0);
}

static void memory_that_was_never_written_is_no_number(void **state) {
  (void)state;
  float numbers[NUMBERS];
  double seconds;
  stage s = prepare("", NUMBERS);
  assert_int_equal(s.device->driver->write(s.device, s.from, (const float[]){1, 2, 3}, 12, NULL), ROOF_OK);
  assert_int_equal(s.device->driver->time(s.device, &s.launch, 1, 1, &seconds, NULL), ROOF_OK);
  assert_int_equal(s.device->driver->read(s.device, numbers, s.to, sizeof numbers, NULL), ROOF_OK);
  assert_true(numbers[2] == 3.0f && isnan(numbers[3]) && isnan(numbers[NUMBERS - 1]));
  finish(&s);
}

/** A step over the end, and what is left of the context then. */
static void a_kernel_that_leaves_its_memory_fails(void **state) {
  (void)state;
  if (counter("fake_cuda_sanitized") != 0) {
    skip(); /* the sanitizer ends the test at such a step */
  }
  static const double counts[] = {NUMBERS + 1, NUMBERS + 5000};
  for (int i = 0; i < 2; i++) {
    roof_error error = {.message = ""};
    double seconds;
    stage s = prepare("", counts[i]);
    assert_int_equal(s.device->driver->time(s.device, &s.launch, 1, 1, &seconds, &error), ROOF_E_INTERNAL);
    assert_non_null(
        strstr(error.message, "waiting for stream_copy: an illegal memory access was encountered ("));
    assert_non_null(strstr(error.message, tested.illegal));
    assert_int_equal(s.device->driver->read(s.device, &seconds, s.to, 8, &error), ROOF_E_INTERNAL);
    finish(&s);
  }
}

/** What launches and copies refuse at once. */
static void a_device_refuses_what_it_cannot_do(void **state) {
  (void)state;
  double seconds;
  stage s = prepare("", NUMBERS);
  s.launch.items[0] = 2048;
  assert_int_equal(s.device->driver->time(s.device, &s.launch, 1, 1, &seconds, NULL), ROOF_E_UNSUPPORTED);
  s.launch.items[0] = 256;
  s.launch.groups[1] = 65536;
  assert_int_equal(s.device->driver->time(s.device, &s.launch, 1, 1, &seconds, NULL), ROOF_E_UNSUPPORTED);
  s.launch.groups[1] = 1;
  s.launch.shared = 300 << 10;
  assert_int_equal(s.device->driver->time(s.device, &s.launch, 1, 1, &seconds, NULL), ROOF_E_UNSUPPORTED);
  assert_int_equal(s.device->driver->write(s.device, s.from, &seconds, 4 * NUMBERS + 1, NULL),
                   ROOF_E_UNSUPPORTED);
  finish(&s);
}

static int test_kernels(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kernel_agrees_with_its_reference),
      cmocka_unit_test(memory_that_was_never_written_is_no_number),
      cmocka_unit_test(a_kernel_that_leaves_its_memory_fails),
      cmocka_unit_test(a_device_refuses_what_it_cannot_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
