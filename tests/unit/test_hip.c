/* The HIP driver of accelerators against the emulated device (tests/fake): what goes wrong is said in one line, and everything
 * taken is given back. */
#include "emulated.h"
#include "measure/hip/hip.h"
#include "measure/sampler.h"

/** Loads anew, with that script, from that folder of the build. */
static const char *reason_with(const char *libraries, const char *script) {
  const char *reason = NULL;
  rf_hip_forget();
  setenv("ROOFLINE_HIP_LIBRARIES", emulated_folder(libraries), 1);
  setenv("FAKE_CUDA", script, 1);
  rf_hip_load(&reason);
  return reason;
}

static int *counter(const char *name) {
  return emulated_counter("hip", "libamdhip64.so.6", name);
}

static void start(const char *script) {
  assert_null(reason_with("hip", script));
  *counter("fake_cuda_live") = 0;
}

static rf_device *open_with(const char *script) {
  rf_device *device = NULL;
  start(script);
  assert_int_equal(rf_hip_driver.open(0, &device, NULL), ROOF_OK);
  return device;
}

static void close_all(rf_device *device) {
  device->driver->close(device);
  assert_int_equal(*counter("fake_cuda_live"), 0);
}

static void test_unusable(void **state) {
  static const struct {
    const char *libraries, *script, *reason;
  } cases[] = {
      {"nowhere", "", "no libamdhip64.so: AMD's ROCm is not installed"},
      {"hip-old", "",
       "ROCm is too old: libamdhip64.so.6 has no hipGraphInstantiateWithFlags; 5.2 or later is needed"},
      {"hip", "init=100", "no device found by AMD's HIP runtime"},
      {"hip", "init=101", "no device found by AMD's HIP runtime"},
      {"hip", "count=0", "no device found by AMD's HIP runtime"},
      {"hip", "init=999", "AMD's HIP runtime does not start: hipInit returns hipErrorUnknown"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rf_device *device = NULL;
    roof_error error;
    const char *reason = reason_with(cases[i].libraries, cases[i].script);
    assert_non_null(reason);
    assert_string_equal(reason, cases[i].reason);
    assert_int_equal(rf_hip_driver.count(), 0);
    assert_int_equal(rf_hip_driver.open(0, &device, &error), ROOF_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, reason));
    assert_null(device);
  }
}

static void test_describes(void **state) {
  (void)state;
  rf_device *device = open_with("count=2");
  const rf_device_info *info = &device->info;
  assert_string_equal(info->name, "Emulated device, not a GPU");
  assert_string_equal(info->vendor, "amd");
  assert_string_equal(info->architecture, "gfx90a");
  assert_string_equal(info->platform, "HIP 6.1");
  assert_string_equal(info->driver, "6.1.40092");
  assert_string_equal(info->unit_kind, "CU");
  assert_string_equal(info->ecc, "on");
  assert_int_equal(info->peers, 1);
  assert_near(info->units, 2, 0);
  assert_near(info->max_clock_hz, 1e9, 1e-12);
  assert_near(info->memory_clock_hz, 2e9, 1e-12);
  assert_near(info->memory_bytes, 512 << 20, 0);
  assert_near(info->cache_bytes, 1 << 20, 0);
  assert_near(info->local_bytes, 64 << 10, 0);
  assert_near(info->group_items, 1024, 0);
  assert_near(info->subgroup_items, 64, 0);
  assert_true(info->dot4);
  close_all(device);
}

/** Whatever call of opening fails, what was opened before it is closed. */
static void test_open_fails(void **state) {
  static const char *const calls[] = {"fail=hipSetDevice:101", "fail=hipStreamCreateWithFlags:2",
                                      "fail=hipStreamCreateWithFlags:2@2", "fail=hipEventCreateWithFlags:2",
                                      "fail=hipEventCreateWithFlags:2@2"};
  (void)state;
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    rf_device *device = NULL;
    roof_error error;
    start(calls[i]);
    assert_int_equal(rf_hip_driver.open(0, &device, &error), ROOF_E_UNSUPPORTED);
    assert_null(device);
    assert_int_equal(*counter("fake_cuda_live"), 0);
  }
}

static roof_status run_copy(const char *script, roof_measurement *out, roof_error *error) {
  const roof_kernel *kernel = NULL;
  double values[ROOF_PARAM_MAX];
  roof_measure_options how = roof_measure_options_default();
  how.quick = true;
  how.seconds_per_item = 0.01;
  start(script);
  assert_int_equal(roof_kernel_find("device-copy", &kernel, error), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, "n=65536", values, error), ROOF_OK);
  return rf_device_run(&rf_hip_driver, kernel, ROOF_FP32, values, &how, out, error);
}

static void test_runs(void **state) {
  (void)state;
  roof_measurement out;
  roof_error error = {.message = ""};
  assert_int_equal(run_copy("", &out, &error), ROOF_OK);
  assert_near(out.bytes, 2 * 4.0 * 65536, 0);
  assert_non_null(strstr(out.note, "Emulated device"));
  roof_measurement_done(&out);
  assert_int_equal(*counter("fake_cuda_live"), 0);
}

/** Each call that a run makes may fail: the message names what was done and what the runtime said. */
static void test_run_fails(void **state) {
  static const struct {
    const char *script;
    roof_status status;
    const char *message;
  } cases[] = {
      {"fail=hipMalloc:2", ROOF_E_UNSUPPORTED,
       "allocating 262144 bytes of device memory: out of memory (hipErrorOutOfMemory)"},
      {"fail=hipMemcpyHtoDAsync:1", ROOF_E_UNSUPPORTED,
       "copying to the device: invalid argument (hipErrorInvalidValue)"},
      {"fail=hiprtcCreateProgram:1", ROOF_E_UNSUPPORTED, "hip: program stream: HIPRTC_ERROR_OTHER"},
      {"fail=hiprtcCompileProgram:6", ROOF_E_UNSUPPORTED,
       "hip: program stream does not build: the compiler says nothing"},
      {"fail=hiprtcGetCodeSize:11", ROOF_E_UNSUPPORTED, "hip: program stream: HIPRTC_ERROR_OTHER"},
      {"fail=hipModuleLoadData:209", ROOF_E_UNSUPPORTED, "program stream on gfx90a: "},
      {"fail=hipModuleGetFunction:500", ROOF_E_UNSUPPORTED, "kernel stream_copy on gfx90a: "},
      {"fail=hipModuleLaunchKernel:719", ROOF_E_INTERNAL,
       "launching stream_copy: unspecified launch failure (hipErrorLaunchFailure)"},
      {"fail=hipEventSynchronize:719", ROOF_E_INTERNAL, "waiting for stream_copy: "},
      {"fail=hipMemcpyDtoHAsync:719", ROOF_E_INTERNAL, "copying from the device: "},
      {"wrong=1", ROOF_E_INTERNAL, "wrong result"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_measurement out;
    roof_error error = {.message = ""};
    assert_int_equal(run_copy(cases[i].script, &out, &error), cases[i].status);
    assert_non_null(strstr(error.message, cases[i].message));
    assert_null(strchr(error.message, '\n'));
    assert_int_equal(*counter("fake_cuda_live"), 0);
  }
}

/** What the compiler says of a text, with the line in it. */
static void test_text_that_does_not_build(void **state) {
  static const char text[] = "// formats: fp32\nKERNEL(wrong)(GLOBAL REAL *out) {\n  out[0] = nothing;\n}\n";
  const rf_device_text program = {"wrong", text, text + sizeof text - 1, 1u << ROOF_FP32};
  void *built = NULL;
  roof_error error;
  (void)state;
  rf_device *device = open_with("");
  assert_int_equal(device->driver->build(device, &program, ROOF_FP32, &built, &error), ROOF_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, "hip: program wrong does not build: "));
  assert_non_null(strstr(error.message, "wrong.cl:3:"));
  assert_non_null(strstr(error.message, "nothing"));
  assert_null(built);
  close_all(device);
}

/** Products of four bytes by the instruction that the architecture has, or spelled out: the same sums. */
static void test_products_of_bytes(void **state) {
  static const char text[] = "KERNEL(dots)(GLOBAL int *RESTRICT out) {\n"
                             "  out[ITEM_X] = DOT4((int)0x80FF017Fu, (int)0x7F02FF80u, ITEM_X);\n}\n";
  static const struct {
    const char *script;
    bool instruction;
  } cases[] = {{"arch=gfx942:sramecc+:xnack-", true}, {"arch=gfx1100", true}, {"arch=gfx1010", false}};
  const rf_device_text program = {"dots", text, text + sizeof text - 1, 1u << ROOF_INT8};
  enum { ITEMS = 32, EXPECTED = -128 * 127 + -1 * 2 + 1 * -1 + 127 * -128 };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rf_device *device = open_with(cases[i].script);
    rf_device_launch launch = rf_device_launch_of("dots", 1, 1, ITEMS, 1);
    void *built = NULL, *out = NULL;
    int32_t results[ITEMS];
    double seconds;
    assert_int_equal(device->info.dot4, cases[i].instruction);
    assert_int_equal(device->driver->build(device, &program, ROOF_INT8, &built, NULL), ROOF_OK);
    assert_int_equal(device->driver->find(device, built, "dots", &launch.function, NULL), ROOF_OK);
    assert_int_equal(device->driver->allocate(device, sizeof results, &out, NULL), ROOF_OK);
    rf_device_add_buffer(&launch, out);
    assert_int_equal(device->driver->time(device, &launch, 1, 1, &seconds, NULL), ROOF_OK);
    assert_int_equal(device->driver->read(device, results, out, sizeof results, NULL), ROOF_OK);
    assert_int_equal(results[0], EXPECTED);
    assert_int_equal(results[ITEMS - 1], EXPECTED + ITEMS - 1);
    device->driver->release(device, out);
    device->driver->unload(device, built);
    close_all(device);
  }
}

/** The ways of launching, transfers and peers. */
static void test_launches_and_transfers(void **state) {
  (void)state;
  rf_device *device = open_with("count=2");
  const rf_device_driver *driver = device->driver;
  rf_device_launch launch = rf_device_launch_of("memory_nothing", 1, 1, 1, 1);
  void *buffer = NULL, *program = NULL;
  double seconds = 0;
  rf_device_add_int(&launch, 0);
  assert_int_equal(driver->build(device, rf_device_text_find("memory"), ROOF_FP32, &program, NULL), ROOF_OK);
  assert_int_equal(driver->find(device, program, launch.entry, &launch.function, NULL), ROOF_OK);
  assert_int_equal(driver->allocate(device, 4096, &buffer, NULL), ROOF_OK);
  for (int mode = 0; mode < RF_LAUNCH_MODE_COUNT; mode++) {
    *counter("fake_cuda_launches") = 0;
    assert_int_equal(driver->empty(device, (rf_launch_mode)mode, &launch, 10, &seconds, NULL), ROOF_OK);
    assert_int_equal(*counter("fake_cuda_launches"), mode == RF_LAUNCH_GRAPH ? 20 : 10);
    assert_true(seconds > 0);
  }
  for (int way = 0; way < RF_DEVICE_WAYS; way++) {
    assert_int_equal(driver->transfer(device, (rf_device_way)way, buffer, 4096, &seconds, NULL), ROOF_OK);
  }
  for (int i = 0; i < 2; i++) {
    assert_int_equal(driver->to_peer(device, 0, 4096, &seconds, NULL), ROOF_OK);
    assert_true(seconds > 0 && seconds < 1e-3);
  }
  driver->release(device, buffer);
  driver->unload(device, program);
  close_all(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unusable),          cmocka_unit_test(test_describes),
      cmocka_unit_test(test_open_fails),        cmocka_unit_test(test_runs),
      cmocka_unit_test(test_run_fails),         cmocka_unit_test(test_text_that_does_not_build),
      cmocka_unit_test(test_products_of_bytes), cmocka_unit_test(test_launches_and_transfers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
