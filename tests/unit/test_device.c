/* What is common to all accelerators, over a driver that exists only here: its times are scripted, any of its
 * calls can fail, and everything it hands out is counted. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "measure/device.h"
#include "measure/device_bench.h"

/* What the scripted device reaches. */
static const double rate = 100e9, latency = 5e-6, operations = 1e12, pass_rate = 10e9, launch_time = 2e-6;

static struct {
  int calls, fail_at; /**< the call that fails, from 1; 0: none */
  int devices, buffers, programs;
  bool wrong;   /**< results are */
  double drift; /**< each timed call takes so much longer than the one before, as a share */
} script;

static roof_status call(const char *what, roof_error *error) {
  return ++script.calls == script.fail_at
             ? roof_error_set(error, ROOF_E_UNSUPPORTED, "scripted: %s: device lost", what)
             : ROOF_OK;
}

static const char *no_reason(void) {
  return NULL;
}

static int one(void) {
  return 1;
}

static const roof_device_driver driver;

static roof_status open_device(int index, roof_device **device, roof_error *error) {
  roof_status status = call("open", error);
  if (status == ROOF_OK) {
    roof_device *d = calloc(1, sizeof *d);
    assert_non_null(d);
    assert_int_equal(index, 0);
    roof_device_info_init(&d->info);
    d->driver = &driver;
    snprintf(d->info.name, sizeof d->info.name, "NVIDIA Scripted");
    snprintf(d->info.device_class, sizeof d->info.device_class, "gpu");
    d->info.units = 4;
    d->info.group_lanes = 256;
    d->info.memory_bytes = 64 << 20;
    d->info.allocation_bytes = 32 << 20;
    d->info.cache_bytes = 64 << 10;
    d->info.local_bytes = 48 << 10;
    d->info.formats = 1u << ROOF_FP32 | 1u << ROOF_INT8;
    script.devices++;
    *device = d;
  }
  return status;
}

static void close_device(roof_device *device) {
  script.devices -= device != NULL;
  free(device);
}

static roof_status allocate(roof_device *device, double bytes, void **buffer, roof_error *error) {
  (void)device;
  roof_status status = call("allocate", error);
  if (status == ROOF_OK) {
    *buffer = calloc(1, (size_t)bytes);
    script.buffers++;
  }
  return status;
}

static void release(roof_device *device, void *buffer) {
  (void)device;
  script.buffers -= buffer != NULL;
  free(buffer);
}

static roof_status copy_in(roof_device *device, void *buffer, const void *from, double bytes,
                           roof_error *error) {
  (void)device;
  memcpy(buffer, from, (size_t)bytes);
  return call("write", error);
}

static roof_status copy_out(roof_device *device, void *to, void *buffer, double bytes, roof_error *error) {
  (void)device;
  memcpy(to, buffer, (size_t)bytes);
  return call("read", error);
}

static roof_status transfer(roof_device *device, roof_device_way way, void *buffer, double bytes,
                            double *seconds, roof_error *error) {
  (void)device, (void)buffer;
  *seconds = 1e-6 + bytes / pass_rate / (way == ROOF_BOTH_WAYS ? 2 : 1);
  return call("transfer", error);
}

static roof_status build(roof_device *device, const roof_device_text *text, roof_dtype dtype, void **program,
                         roof_error *error) {
  (void)device, (void)dtype;
  roof_status status = call("build", error);
  if (status == ROOF_OK) {
    *program = (void *)(uintptr_t)text;
    script.programs++;
  }
  return status;
}

static void unload(roof_device *device, void *program) {
  (void)device;
  script.programs -= program != NULL;
}

static roof_status find(roof_device *device, void *program, const char *entry, void **function,
                        roof_error *error) {
  (void)device, (void)program;
  *function = (void *)(uintptr_t)entry;
  return call("find", error);
}

/** The last INDEX argument counts elements, the entry's last digit is their width. */
static double memory_seconds(const roof_device_launch *l) {
  double elements = 0, buffers = 0, passes = 1;
  for (int i = 0; i < l->arg_count; i++) {
    elements = l->args[i].kind == ROOF_ARG_INDEX ? (double)l->args[i].index : elements;
    buffers += l->args[i].kind == ROOF_ARG_BUFFER;
    passes = l->args[i].kind == ROOF_ARG_INT ? l->args[i].number : passes;
  }
  double moved = strncmp(l->entry, "memory_read", 11) == 0 ? 1 : buffers;
  return latency + elements * 4 * (l->entry[strlen(l->entry) - 1] - '0') * moved * passes / rate;
}

/** The rate grows with the chains up to four. */
static double arithmetic_seconds(const roof_device_launch *l) {
  int chains = 1, width = 1;
  assert_int_equal(sscanf(l->entry, "arithmetic_%d_%d", &chains, &width), 2);
  double work = 16.0 * 2 * chains * width * l->groups[0] * l->lanes[0] * l->args[2].number;
  return work / (operations * fmin(chains, 4) / 4);
}

static double launch_seconds(const roof_device_launch *l) {
  if (strcmp(l->entry, "stream_copy") == 0) {
    memcpy(l->args[1].buffer, l->args[0].buffer, (size_t)l->args[2].index * 4);
    ((float *)l->args[1].buffer)[0] += script.wrong ? 1 : 0;
    return latency + (double)l->args[2].index * 8 / rate;
  }
  return strcmp(l->entry, "memory_chase") == 0   ? l->args[2].number * 100e-9
         : strcmp(l->entry, "memory_local") == 0 ? 1e-5
         : strncmp(l->entry, "arith", 5) == 0    ? arithmetic_seconds(l)
                                                 : memory_seconds(l);
}

static roof_status time_launches(roof_device *device, const roof_device_launch *launches, int count,
                                 int repeats, double *seconds, roof_error *error) {
  (void)device;
  *seconds = 0;
  for (int i = 0; i < count; i++) {
    assert_string_equal(launches[i].entry, (const char *)launches[i].function);
    *seconds += repeats * launch_seconds(&launches[i]) * pow(1 + script.drift, script.calls);
  }
  return call("launch", error);
}

static roof_status empty(roof_device *device, roof_launch_mode mode, const roof_device_launch *launch,
                         int count, double *seconds, roof_error *error) {
  (void)device, (void)launch;
  *seconds = count * launch_time * (mode == ROOF_LAUNCH_SYNCHRONISED ? 4 : 1);
  return call("empty launch", error);
}

static void telemetry(roof_device *device, roof_telemetry *now) {
  (void)device;
  *now = (roof_telemetry){650, 1.5e9, 2e9, 70, "power limit"};
}

static const roof_device_driver driver = {.name = "opencl",
                                          .disabled_reason = no_reason,
                                          .count = one,
                                          .open = open_device,
                                          .close = close_device,
                                          .allocate = allocate,
                                          .release = release,
                                          .write = copy_in,
                                          .read = copy_out,
                                          .transfer = transfer,
                                          .build = build,
                                          .unload = unload,
                                          .find = find,
                                          .time = time_launches,
                                          .empty = empty,
                                          .telemetry = telemetry};

static void nothing_is_left(void) {
  assert_int_equal(script.devices, 0);
  assert_int_equal(script.buffers, 0);
  assert_int_equal(script.programs, 0);
}

static roof_status measure(roof_machine *m, roof_error *error) {
  roof_measure_options o = roof_measure_options_default();
  o.quick = true;
  o.seconds_per_item = 1e-4;
  script.calls = 0;
  return roof_device_measure(&driver, &o, m, error);
}

static bool has_note(const roof_machine *m, const char *text) {
  bool found = false;
  for (int i = 0; i < m->note_count; i++) {
    found = found || strstr(m->notes[i], text) != NULL;
  }
  return found;
}

static void figures_are_as_scripted(void **state) {
  (void)state;
  roof_machine m;
  roof_error error = {0};
  script.fail_at = 0;
  if (measure(&m, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  const roof_level *memory = roof_machine_level(&m, ROOF_MEMORY, ROOF_MEASURED);
  assert_non_null(memory);
  assert_near(memory->latency_seconds, 100e-9, 1e-9);
  assert_near(memory->read_bytes_per_second, 262144 / (latency + 262144 / rate), 0.05);
  assert_true(memory->triad_bytes_per_second > memory->read_bytes_per_second); /* starting it weighs less */
  const roof_peak *peak = roof_machine_peak(&m, ROOF_FP32, ROOF_VECTOR, false, ROOF_MEASURED);
  assert_non_null(peak);
  assert_near(peak->flops_per_second, operations, 1e-6);
  assert_non_null(strstr(peak->conditions.noisy, "clock lowered: power limit"));
  assert_near(m.links[0].bytes_per_second, 262144 / (1e-6 + 262144 / pass_rate), 1e-6);
  assert_near(m.links[2].both_ways_bytes_per_second, 262144 / (1e-6 + 262144 / pass_rate / 2), 1e-6);
  assert_near(m.launch_seconds, launch_time, 1e-6);
  assert_string_equal(m.costs[1].name, "launch, synchronised");
  assert_near(m.costs[1].seconds, 4 * launch_time, 1e-6);
  assert_near(m.energy.watts, 650, 1e-9);
  assert_true(has_note(&m, "reads take 5.000 µs + bytes / 100.0 GB/s, within 0 %"));
  nothing_is_left();
}

static void a_call_that_fails_ends_a_measurement_cleanly(void **state) {
  (void)state;
  roof_status status = ROOF_E_INTERNAL;
  int failed = 0;
  for (int n = 1; status != ROOF_OK; n++) {
    roof_machine m = {.note_count = -7};
    roof_error error = {0};
    script.fail_at = n;
    status = measure(&m, &error);
    nothing_is_left();
    if (status != ROOF_OK) {
      failed++;
      assert_int_equal(m.note_count, -7);
      assert_non_null(strstr(error.message, "device lost"));
      assert_null(strchr(error.message, '\n'));
    } else if (script.calls >= n) {
      status = ROOF_E_INTERNAL; /* a graph that cannot be captured is noted */
      assert_true(has_note(&m, "launch, in a graph: not measured: scripted: empty launch: device lost"));
    }
  }
  assert_true(failed > 100);
  script.fail_at = 0;
}

static roof_status run_copy(roof_measurement *m, roof_error *error) {
  const roof_kernel *kernel = NULL;
  double values[ROOF_PARAM_MAX];
  roof_measure_options o = roof_measure_options_default();
  o.seconds_per_item = 1e-4;
  assert_int_equal(roof_kernel_find("device-copy", &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, "n=1000", values, NULL), ROOF_OK);
  script.calls = 0;
  return roof_device_run(&driver, kernel, ROOF_FP32, values, &o, m, error);
}

static void a_kernel_is_checked_then_timed(void **state) {
  (void)state;
  roof_measurement m;
  roof_error error = {0};
  script.fail_at = 0;
  assert_int_equal(run_copy(&m, &error), ROOF_OK);
  assert_near(m.seconds, latency + 8000 / rate, 1e-6);
  assert_near(m.bytes, 8000, 1e-12);
  assert_non_null(strstr(m.conditions.noisy, "clock lowered"));
  roof_measurement_done(&m);
  script.wrong = true;
  assert_int_equal(run_copy(&m, &error), ROOF_E_INTERNAL);
  assert_non_null(strstr(error.message, "device-copy fp32: wrong result: element 0"));
  script.wrong = false;
  nothing_is_left();
}

static void a_call_that_fails_ends_a_run_cleanly(void **state) {
  (void)state;
  roof_status status = ROOF_E_INTERNAL;
  int failed = 0;
  for (int n = 1; status != ROOF_OK; n++) {
    roof_measurement m;
    roof_error error = {0};
    script.fail_at = n;
    status = run_copy(&m, &error);
    nothing_is_left();
    if (status == ROOF_OK) {
      roof_measurement_done(&m);
    } else {
      assert_non_null(strstr(error.message, "device lost"));
      failed++;
    }
  }
  assert_true(failed > 8);
  script.fail_at = 0;
}

static roof_status run_two(const char *second, roof_measurement out[2], roof_error *error) {
  const roof_kernel *kernels[2] = {NULL, NULL};
  double values[ROOF_PARAM_MAX];
  roof_measure_options o = roof_measure_options_default();
  o.seconds_per_item = 0.02;
  assert_int_equal(roof_kernel_find("device-copy", &kernels[0], NULL), ROOF_OK);
  assert_int_equal(roof_kernel_find(second, &kernels[1], NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernels[0], "n=1000", values, NULL), ROOF_OK);
  script.calls = 0;
  return roof_device_run_in_turns(&driver, kernels, ROOF_FP32, values, &o, out, error);
}

/** One that slows down by a percent a call: in turns the other is always one percent slower. */
static void two_kernels_take_turns(void **state) {
  (void)state;
  roof_measurement m[2];
  roof_error error = {0};
  script.fail_at = 0;
  script.drift = 0.01;
  assert_int_equal(run_two("device-copy", m, &error), ROOF_OK);
  script.drift = 0;
  assert_true(m[0].sample_count >= 5);
  assert_int_equal(m[0].sample_count, m[1].sample_count);
  for (size_t i = 0; i < m[0].sample_count; i++) {
    assert_near(m[1].samples[i], 1.01 * m[0].samples[i], 1e-9);
  }
  assert_near(roof_share_in_turns(&m[0], &m[1]), 1.01, 1e-9);
  assert_near(m[1].seconds, m[1].stats.median, 0);
  roof_measurement_done(&m[0]);
  roof_measurement_done(&m[1]);
  assert_true(isnan(roof_share_in_turns(&m[0], &m[1])));
  assert_int_equal(run_two("device-triad", m, &error), ROOF_E_ARGUMENT);
  assert_string_equal(error.message, "device-copy and device-triad: two operations, copy and triad");
  script.wrong = true;
  assert_int_equal(run_two("device-copy", m, &error), ROOF_E_INTERNAL);
  script.wrong = false;
  nothing_is_left();
}

static void a_call_that_fails_ends_turns_cleanly(void **state) {
  (void)state;
  roof_status status = ROOF_E_INTERNAL;
  int failed = 0;
  for (int n = 1; status != ROOF_OK; n++) {
    roof_measurement m[2];
    roof_error error = {0};
    script.fail_at = n;
    status = run_two("device-copy", m, &error);
    nothing_is_left();
    if (status == ROOF_OK) {
      roof_measurement_done(&m[0]);
      roof_measurement_done(&m[1]);
    } else {
      assert_non_null(strstr(error.message, "device lost"));
      failed++;
    }
  }
  assert_true(failed > 20);
  script.fail_at = 0;
}

static void what_the_device_lacks_is_refused(void **state) {
  (void)state;
  const roof_kernel *kernel = NULL;
  double values[ROOF_PARAM_MAX];
  roof_measure_options o = roof_measure_options_default();
  roof_measurement m;
  roof_error error = {0};
  assert_int_equal(roof_kernel_find("device-copy", &kernel, NULL), ROOF_OK);
  assert_int_equal(roof_kernel_values(kernel, "n=1000", values, NULL), ROOF_OK);
  assert_int_equal(roof_device_run(&driver, kernel, ROOF_FP64, values, &o, &m, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "device-copy: NVIDIA Scripted has no fp64");
  values[0] = 1e7;
  assert_int_equal(roof_device_run(&driver, kernel, ROOF_FP32, values, &o, &m, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message,
                      "device-copy: needs 80.00 MB of the device's memory, 40.00 MB in one buffer; it has "
                      "67.11 MB and allows 33.55 MB");
  nothing_is_left();
}

static void a_line_is_fitted(void **state) {
  (void)state;
  double bytes[10], seconds[10], start, slope, worst;
  for (int i = 0; i < 10; i++) {
    bytes[i] = 1000 << i;
    seconds[i] = 3e-6 + bytes[i] / 2e9;
  }
  roof_device_fit(bytes, seconds, 10, &start, &slope, &worst);
  assert_near(start, 3e-6, 1e-9);
  assert_near(slope, 2e9, 1e-9);
  assert_true(worst < 1e-9);
  assert_near(roof_device_reach(bytes, seconds, 10, 6e-6), 6000, 1e-9);
  assert_true(isnan(roof_device_reach(bytes, seconds, 10, 1)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figures_are_as_scripted),
      cmocka_unit_test(a_call_that_fails_ends_a_measurement_cleanly),
      cmocka_unit_test(a_kernel_is_checked_then_timed),
      cmocka_unit_test(a_call_that_fails_ends_a_run_cleanly),
      cmocka_unit_test(two_kernels_take_turns),
      cmocka_unit_test(a_call_that_fails_ends_turns_cleanly),
      cmocka_unit_test(what_the_device_lacks_is_refused),
      cmocka_unit_test(a_line_is_fitted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
