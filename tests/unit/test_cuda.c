/* The CUDA driver of accelerators against the emulated device (tests/fake): what goes wrong is said in one
 * line, and everything taken is given back. */
#include "test.h"

#include "emulated.h"
#include "measure/cuda/cuda.h"
#include "measure/device/bench.h"
#include "measure/sampler.h"
#include "owned.h"

/** Loads anew, with that script, from that folder of the build. */
static const char *reason_with(const char *libraries, const char *script) {
  const char *reason = NULL;
  rf_cuda_forget();
  setenv("ROOFLINE_CUDA_LIBRARIES", emulated_folder(libraries), 1);
  setenv("FAKE_CUDA", script, 1);
  rf_cuda_load(&reason);
  return reason;
}

static int *counter(const char *name) {
  return emulated_counter("cuda", "libcuda.so.1", name);
}

static void start(const char *script) {
  assert_null(reason_with("cuda", script));
  *counter("fake_cuda_live") = 0;
}

static void assert_all_returned(void) {
  rf_cuda_forget();
  assert_int_equal(*counter("fake_cuda_live"), 0);
}

static void assert_reason(const char *libraries, const char *script, const char *expected) {
  const char *reason = reason_with(libraries, script);
  assert_non_null(reason);
  assert_string_equal(reason, expected);
  assert_int_equal(rf_cuda_driver.count(), 0);
  rf_device *device = NULL;
  roof_error error;
  assert_int_equal(rf_cuda_driver.open(0, &device, &error), ROOF_E_UNSUPPORTED);
  assert_non_null(strstr(error.message, expected));
  assert_null(device);
}

static void test_unusable(void **state) {
  (void)state;
  assert_reason("nowhere", "", "no libcuda.so.1: NVIDIA's driver is not installed");
  char wanted[256];
  snprintf(wanted, sizeof wanted,
           "the driver is too old: libcuda.so.1 has no cuTensorMapEncodeTiled; install %s",
           rf_cuda_images_driver);
  assert_reason("cuda-old", "", wanted);
  assert_reason("cuda", "init=100", "no device found by NVIDIA's driver");
  assert_reason("cuda", "count=0", "no device found by NVIDIA's driver");
  assert_reason("cuda", "init=999", "NVIDIA's driver does not start: cuInit returns CUDA_ERROR_UNKNOWN");
  const char *reason = reason_with("cuda", "version=11080");
  assert_non_null(reason);
  assert_non_null(strstr(reason, "the driver is too old: it supports CUDA 11.8, the kernels need 1"));
  assert_non_null(strstr(reason, rf_cuda_images_driver));
  if (rf_cuda_images_version >=
      13000) { /* what most machines have: it says what to install, or how to build */
    assert_reason(
        "cuda", "version=12080",
        "the driver is too old: it supports CUDA 12.8, the kernels need 13.0 (NVIDIA driver 580 or later); "
        "built with nvcc of CUDA 12, roofline runs on driver 525 or later");
  }
}

static void test_describes(void **state) {
  (void)state;
  rf_device *device = NULL;
  roof_error error;
  start("count=2 throttled=4");
  assert_int_equal(rf_cuda_driver.open(0, &device, &error), ROOF_OK);
  const rf_device_info *info = &device->info;
  assert_string_equal(info->name, "Emulated device, not a GPU");
  assert_string_equal(info->architecture, "sm_90");
  assert_string_equal(info->platform, "CUDA 13.0");
  assert_string_equal(info->driver, "580.1.2");
  assert_string_equal(info->ecc, "on");
  assert_int_equal(info->peers, 1);
  assert_near(info->power_limit_watts, 700, 1e-12);
  assert_near(info->max_clock_hz, 1.98e9, 1e-12);
  assert_near(info->units, 2, 0);
  assert_near(info->unit_local_bytes, 228 << 10, 0);
  assert_near(info->memory_bytes, 512 << 20, 0);
  rf_telemetry now;
  device->driver->telemetry(device, &now);
  assert_near(now.watts, 650.5, 1e-12);
  assert_near(now.clock_hz, 1.755e9, 1e-12);
  assert_near(now.celsius, 61, 0);
  assert_true(now.at_power_cap);
  assert_string_equal(now.throttled, "");
  device->driver->close(device);
  assert_all_returned();
}

static void test_old_architecture(void **state) {
  (void)state;
  rf_device *device = NULL;
  roof_error error;
  start("major=7");
  assert_int_equal(rf_cuda_driver.open(0, &device, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message,
                      "Emulated device, not a GPU: is sm_70, but the kernels need sm_80 (Ampere) or later");
  assert_all_returned();
}

/** Whatever call of opening fails, what was opened before it is closed. */
static void test_open_fails(void **state) {
  (void)state;
  static const char *const calls[] = {"fail=cuDeviceGet:101",  "fail=cuDevicePrimaryCtxRetain:2",
                                      "fail=cuStreamCreate:2", "fail=cuStreamCreate:2@2",
                                      "fail=cuEventCreate:2",  "fail=cuEventCreate:46@2"};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    rf_device *device = NULL;
    roof_error error;
    start(calls[i]);
    assert_int_equal(rf_cuda_driver.open(0, &device, &error), ROOF_E_UNSUPPORTED);
    assert_null(device);
    assert_all_returned();
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
  return rf_device_run(&rf_cuda_driver, kernel, ROOF_FP32, values, &how, out, error);
}

/** The library stays loaded from one kernel to the next, and so does the context in which it has its own; but not one that a
 * kernel has spoiled. */
static void test_keeps_its_context(void **state) {
  (void)state;
  roof_measurement out;
  roof_error error = {.message = ""};
  start("");
  for (int i = 0; i < 2; i++) {
    rf_device *device = NULL;
    assert_int_equal(rf_cuda_driver.open(0, &device, &error), ROOF_OK);
    device->driver->close(device);
    assert_int_equal(*counter("fake_cuda_live"), 1);
  }
  assert_all_returned();
  assert_int_equal(run_copy("fail=cuLaunchKernel:719", &out, &error), ROOF_E_INTERNAL);
  assert_int_equal(*counter("fake_cuda_live"), 0);
}

static void test_runs(void **state) {
  (void)state;
  roof_measurement out;
  roof_error error = {.message = ""};
  assert_int_equal(run_copy("throttled=36", &out, &error), ROOF_OK);
  assert_near(out.bytes, 2 * 4.0 * 65536, 0);
  assert_string_equal(out.conditions.noisy, "clock lowered: temperature");
  assert_non_null(strstr(out.note, "; at the power cap; Emulated device"));
  roof_measurement_done(&out);
  assert_all_returned();
}

/** Each call that a run makes may fail: the message names what was done and what the driver said. */
static void test_run_fails(void **state) {
  (void)state;
  static const struct {
    const char *script;
    roof_status status;
    const char *message;
  } cases[] = {
      {"fail=cuMemAlloc_v2:2", ROOF_E_UNSUPPORTED,
       "allocating 262144 bytes of device memory: out of memory (CUDA_ERROR_OUT_OF_MEMORY)"},
      {"fail=cuMemAlloc_v2:2@2", ROOF_E_UNSUPPORTED, "CUDA_ERROR_OUT_OF_MEMORY"},
      {"fail=cuMemcpyHtoDAsync_v2:46", ROOF_E_UNSUPPORTED,
       "copying to the device: CUDA-capable device(s) is/are busy or unavailable "
       "(CUDA_ERROR_DEVICE_UNAVAILABLE)"},
      {"fail=cuModuleLoadData:209", ROOF_E_UNSUPPORTED, "program stream on sm_90: "},
      {"fail=cuModuleGetFunction:500", ROOF_E_UNSUPPORTED, "kernel stream_copy on sm_90: "},
      {"fail=cuLaunchKernel:719", ROOF_E_INTERNAL,
       "launching stream_copy: unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED)"},
      {"fail=cuLaunchKernel:719@3", ROOF_E_INTERNAL, "CUDA_ERROR_LAUNCH_FAILED"},
      {"fail=cuEventSynchronize:46", ROOF_E_UNSUPPORTED, "waiting for stream_copy: "},
      {"fail=cuEventSynchronize:46@4", ROOF_E_UNSUPPORTED, "waiting for stream_copy: "},
      {"fail=cuMemcpyDtoHAsync_v2:719", ROOF_E_INTERNAL, "copying from the device: "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    roof_measurement out;
    roof_error error = {.message = ""};
    assert_int_equal(run_copy(cases[i].script, &out, &error), cases[i].status);
    assert_non_null(strstr(error.message, cases[i].message));
    assert_null(strchr(error.message, '\n'));
    assert_all_returned();
  }
}

/** The tensor cores' figures and the library's, and the same when either is missing. */
static void test_extras(void **state) {
  (void)state;
  static roof_machine *machine = NULL;
  roof_measure_options how = roof_measure_options_default();
  rf_device *device = NULL;
  roof_error error;
  how.quick = true;
  how.seconds_per_item = 0.01;
  /* calls that happen to be short do not count; many long ones would take minutes */
  start("lucky=5 fail=cublasLtMatmul:719@400");
  empty_machine(&machine);
  assert_int_equal(rf_cuda_driver.open(0, &device, &error), ROOF_OK);
  assert_int_equal(device->driver->extras(device, &how, machine, &error), ROOF_OK);
  assert_int_equal(machine->peak_count, 30);
  assert_near(machine->report->libraries[1].best_flops_per_second,
              machine->report->libraries[1].flops_per_second, 1e-9);
  assert_int_equal(machine->report->library_count, 8);
  assert_int_equal(machine->peaks[2].dtype, ROOF_BF16);
  assert_string_equal(machine->peaks[2].isa, "mma.sync");
  assert_near(machine->peaks[2].clock_hz, 1.755e9, 1e-12);
  assert_string_equal(machine->report->libraries[0].version, "cuBLASLt 13.2.3");
  assert_string_equal(machine->report->libraries[0].skipped, "");
  assert_string_equal(machine->report->libraries[0].parameters, "m=2048 n=2048 k=2048");
  const roof_peak *doubles = roof_machine_peak(machine, ROOF_FP64, ROOF_MATRIX, false, ROOF_MEASURED);
  assert_non_null(doubles); /* the library multiplies doubles on tensor cores */
  assert_near(machine->report->libraries[0].fraction_of_peak,
              machine->report->libraries[0].flops_per_second / doubles->flops_per_second, 1e-12);
  assert_non_null(
      strstr(machine->report->libraries[0].source, "the best of the algorithms that it suggests: "));
  assert_string_equal(machine->peaks[6].isa, "mma.sync block_scale");
  assert_int_equal(machine->peaks[27].dtype, ROOF_FP4);
  assert_string_equal(machine->peaks[27].isa, "tcgen05 cta_group::2");
  assert_int_equal(machine->report->libraries[7].dtype, ROOF_FP4);
  assert_string_equal(machine->report->libraries[7].skipped, "");
  assert_true(machine->report->libraries[7].fraction_of_peak > 0);
  device->driver->close(device);
  assert_all_returned();

  start("gflops=100000 memory=1024"); /* a device on which a call is short */
  empty_machine(&machine);
  assert_int_equal(rf_cuda_driver.open(0, &device, &error), ROOF_OK);
  assert_int_equal(device->driver->extras(device, &how, machine, &error), ROOF_OK);
  assert_string_equal(machine->report->libraries[0].parameters, "m=4096 n=4096 k=4096");
  device->driver->close(device);
  assert_all_returned();

  start("fail=cuModuleGetFunction:500 memory=64"); /* no room for what the library multiplies */
  empty_machine(&machine);
  assert_int_equal(rf_cuda_driver.open(0, &device, &error), ROOF_OK);
  assert_int_equal(device->driver->extras(device, &how, machine, &error), ROOF_OK);
  assert_int_equal(machine->peak_count, 0);
  device->driver->close(device);
  assert_all_returned();

  start("wrong=1 memory=64");
  empty_machine(&machine);
  assert_int_equal(rf_cuda_driver.open(0, &device, &error), ROOF_OK);
  assert_int_equal(device->driver->extras(device, &how, machine, &error), ROOF_OK);
  assert_int_equal(machine->peak_count, 0);
  assert_string_equal(machine->notes[0],
                      "peak_mma_tf32: discarded: result check failed (error 1.23e+04, largest sum 135)");
  device->driver->close(device);
  assert_all_returned();

  start("fault=peak_tcgen05_fp8 memory=64");
  empty_machine(&machine);
  assert_int_equal(rf_cuda_driver.open(0, &device, &error), ROOF_OK);
  assert_int_equal(device->driver->extras(device, &how, machine, &error), ROOF_OK);
  assert_int_equal(machine->peak_count, 22);
  assert_int_equal(machine->report->library_count, 8);
  assert_string_equal(machine->notes[0], "waiting for peak_tcgen05_fp8: unspecified launch failure "
                                         "(CUDA_ERROR_LAUNCH_FAILED): later figures were not measured");
  device->driver->close(device);
  assert_all_returned();

  start("fail=cublasLtMatmulAlgoGetHeuristic:15");
  empty_machine(&machine);
  assert_int_equal(rf_cuda_driver.open(0, &device, &error), ROOF_OK);
  assert_int_equal(device->driver->extras(device, &how, machine, &error), ROOF_OK);
  assert_string_equal(machine->report->libraries[0].skipped, "cuBLASLt: choosing fails with status 15");
  device->driver->close(device);
  assert_all_returned();
}

/** The kernel that does nothing. */
static rf_device_launch empty_launch(rf_device *device, void **program) {
  rf_device_launch launch = rf_device_launch_of("memory_nothing", 1, 1, 1, 1);
  assert_int_equal(device->driver->build(device, rf_device_text_find("memory"), ROOF_FP32, program, NULL),
                   ROOF_OK);
  assert_int_equal(device->driver->find(device, *program, launch.entry, &launch.function, NULL), ROOF_OK);
  rf_device_add_int(&launch, 0);
  return launch;
}

/** The ways of launching, transfers and peers. */
static void test_launches_and_transfers(void **state) {
  (void)state;
  rf_device *device = NULL;
  roof_error error;
  void *buffer = NULL;
  double seconds = 0;
  start("count=2");
  assert_int_equal(rf_cuda_driver.open(0, &device, &error), ROOF_OK);
  void *program = NULL;
  rf_device_launch launch = empty_launch(device, &program);
  assert_int_equal(device->driver->allocate(device, 4096, &buffer, &error), ROOF_OK);
  for (int mode = 0; mode < RF_LAUNCH_MODE_COUNT; mode++) {
    *counter("fake_cuda_launches") = 0;
    assert_int_equal(device->driver->empty(device, (rf_launch_mode)mode, &launch, 10, &seconds, &error),
                     ROOF_OK);
    assert_int_equal(*counter("fake_cuda_launches"), mode == RF_LAUNCH_GRAPH ? 20 : 10);
    assert_true(seconds > 0);
  }
  for (int way = 0; way < RF_DEVICE_WAYS; way++) {
    assert_int_equal(device->driver->transfer(device, (rf_device_way)way, buffer, 4096, &seconds, &error),
                     ROOF_OK);
  }
  assert_int_equal(device->driver->to_peer(device, 0, 4096, &seconds, &error), ROOF_OK);
  assert_true(seconds > 0 && seconds < 1e-3);
  device->driver->release(device, buffer);
  device->driver->unload(device, program);
  device->driver->close(device);
  assert_all_returned();
}

static void test_graph_fails(void **state) {
  (void)state;
  static const char *const calls[] = {"fail=cuStreamBeginCapture_v2:801", "fail=cuLaunchKernel:1@3",
                                      "fail=cuGraphInstantiateWithFlags:2", "fail=cuGraphLaunch:719"};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    rf_device *device = NULL;
    roof_error error;
    double seconds = 7;
    void *program = NULL;
    start(calls[i]);
    assert_int_equal(rf_cuda_driver.open(0, &device, &error), ROOF_OK);
    rf_device_launch launch = empty_launch(device, &program);
    assert_int_not_equal(device->driver->empty(device, RF_LAUNCH_GRAPH, &launch, 5, &seconds, &error),
                         ROOF_OK);
    assert_near(seconds, 7, 0);
    device->driver->unload(device, program);
    device->driver->close(device);
    assert_all_returned();
  }
}

static roof_status run_wgmma(const char *script, const char *shape, roof_error *error) {
  const roof_kernel *kernel = NULL;
  double values[ROOF_PARAM_MAX];
  roof_measurement out;
  roof_measure_options how = roof_measure_options_default();
  start(script);
  assert_int_equal(roof_kernel_find("gemm-wgmma", &kernel, error), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, shape, values, error), ROOF_OK);
  roof_status status = rf_device_run(&rf_cuda_driver, kernel, ROOF_BF16, values, &how, &out, error);
  if (status == ROOF_OK) {
    roof_measurement_done(&out);
  }
  assert_all_returned();
  return status;
}

/** Rows of 16 bytes are what the copy engine asks for; a wrong element is found. */
static void test_tensor_cores(void **state) {
  (void)state;
  roof_error error;
  assert_int_equal(run_wgmma("", "m=64 n=100 k=64", &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "gemm-wgmma: n and k must be multiples of 8");
  assert_int_equal(run_wgmma("", "m=64 n=104 k=64", &error), ROOF_OK);
  assert_int_equal(run_wgmma("wrong=1", "m=64 n=104 k=64", &error), ROOF_E_INTERNAL);
  assert_non_null(strstr(error.message, "wrong result"));
}

/** Every variant of the pairs gives the right product, by the names that a machine's file has; at a shape that ends within
 * a tile of each, with less than a tile for the second block of a pair. */
static void test_variants(void **state) {
  (void)state;
  static const char *const names[] = {
      "", "band=4", "band=16", "grid=all", "stages=3", "multicast=a", "multicast=a band=16"};
  owned roof_machine *machine = NULL;
  const roof_kernel *kernel = NULL;
  roof_measure_options how = roof_measure_options_default();
  double values[ROOF_PARAM_MAX];
  how.machine = empty_machine(&machine);
  how.seconds_per_item = 0.01;
  snprintf(machine->name, sizeof machine->name, "%s", RF_DEVICE_MACHINE);
  roof_blocks *b = roof_machine_add_blocks(machine);
  *b = (roof_blocks){.dtype = ROOF_BF16, .kernel = "gemm-cluster", .parameters = "m=264 n=520 k=136"};
  assert_int_equal(roof_kernel_find("gemm-cluster", &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, b->parameters, values, NULL), ROOF_OK);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    roof_measurement out;
    roof_error error = {.message = ""};
    start("units=6");
    snprintf(b->variant, sizeof b->variant, "%s", names[i]);
    if (rf_device_run(&rf_cuda_driver, kernel, ROOF_BF16, values, &how, &out, &error) != ROOF_OK) {
      fail_msg("%s: %s", names[i], error.message);
    }
    assert_non_null(strstr(out.note, names[i]));
    roof_measurement_done(&out);
    assert_all_returned();
  }
}

/** All of them tried on the device: one entry for the shape. */
static void test_tries_variants(void **state) {
  (void)state;
  owned roof_machine *machine = NULL;
  const roof_kernel *kernel = NULL;
  roof_measure_options how = roof_measure_options_default();
  roof_error error = {.message = ""};
  rf_device_bench bench = {.options = &how, .machine = empty_machine(&machine), .budget = 0.01};
  start("");
  assert_int_equal(roof_kernel_find("gemm-cluster", &kernel, NULL), ROOF_OK);
  assert_int_equal(rf_cuda_driver.open(0, &bench.device, &error), ROOF_OK);
  if (rf_device_vary(&bench, kernel, ROOF_BF16, "m=72 n=264 k=72", &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  bench.device->driver->close(bench.device);
  assert_all_returned();
  const roof_blocks *b = machine->report->blocks;
  assert_int_equal(machine->report->block_count, 1);
  assert_string_equal(b->kernel, "gemm-cluster");
  assert_true(b->depth == 64 && b->width == 256 && b->height == 256 && b->flops_per_second > 0);
  assert_non_null(strstr(b->source, "best of 6 variants"));
}

/** What the sink saw: of each part that the ones before it measured. */
typedef struct looks {
  int count, peaks, libraries;
} looks;

static void look_at(void *user, const roof_machine *machine) {
  looks *l = user;
  assert_true(machine->levels[machine->level_count - 1].read_bytes_per_second > 0 &&
              machine->peak_count >= l->peaks);
  assert_true(machine->report->library_count >= l->libraries);
  assert_int_equal(machine->report->block_count, 0);
  *l = (looks){l->count + 1, machine->peak_count, machine->report->library_count};
}

static void test_keeps_what_was_measured_before_each_part(void **state) {
  (void)state;
  looks looked = {0, 0, 0};
  owned roof_machine *machine = NULL;
  roof_measure_options how = roof_measure_options_default();
  roof_error error = {.message = ""};
  how.quick = true;
  how.user = &looked;
  how.so_far = look_at;
  start("");
  if (rf_device_measure(&rf_cuda_driver, &how, &machine, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(looked.count, 9);
  assert_true(looked.libraries > 0);
  assert_all_returned();
}

static void test_bounded_images(void **state) {
  static const char *const waiting[] = {"gemm_tma", "gemm_wgmma", "attention_wgmma"};
  (void)state;
  for (size_t i = 0; i < sizeof waiting / sizeof waiting[0]; i++) {
    assert_string_equal(rf_cuda_image_find(waiting[i], "bf16")->format, "");
    setenv("ROOFLINE_CUDA_BOUNDED", "1", 1);
    assert_string_equal(rf_cuda_image_find(waiting[i], "bf16")->format, "bounded");
    assert_string_equal(rf_cuda_image_find("gemm_mma", "bf16")->format, "");
    unsetenv("ROOFLINE_CUDA_BOUNDED");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unusable),
      cmocka_unit_test(test_bounded_images),
      cmocka_unit_test(test_describes),
      cmocka_unit_test(test_old_architecture),
      cmocka_unit_test(test_open_fails),
      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_keeps_its_context),
      cmocka_unit_test(test_keeps_what_was_measured_before_each_part),
      cmocka_unit_test(test_run_fails),
      cmocka_unit_test(test_extras),
      cmocka_unit_test(test_launches_and_transfers),
      cmocka_unit_test(test_graph_fails),
      cmocka_unit_test(test_tensor_cores),
      cmocka_unit_test(test_variants),
      cmocka_unit_test(test_tries_variants),
  };
  if (rf_cuda_images_version == 0) {
    printf("skipped: built without nvcc\n");
    return 77;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
