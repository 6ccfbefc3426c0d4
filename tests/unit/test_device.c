/* What is common to all accelerators, over a driver that exists only here: its times are scripted, any of its
 * calls can fail, and everything it hands out is counted. */
#include "test.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/device/bench.h"
#include "measure/device/device.h"
#include "owned.h"
#include "roofline/documents.h"

/* What the scripted device reaches. */
static const double rate = 100e9, latency = 5e-6, operations = 1e12, pass_rate = 10e9, launch_time = 2e-6;

static struct {
  int calls, fail_at; /**< the call that fails, from 1; 0: none */
  int devices, buffers, programs;
  int wrong;     /**< what is */
  double faster; /**< than `operations` */
  int present;   /**< devices that there are */
  double drift;  /**< each timed call takes so much longer than the one before, as a share */
  double few;    /**< times as long as a copy by FULL work-items one by fewer takes */
  double other;  /**< the same of every other one */
  int lasts;     /**< of those, so many; then they take as long */
} script = {.faster = 1, .present = 1};

enum { FULL = 256 };
enum { NOTHING, RESULTS, READS, SUMS, SUMS_OF_SOME, CHAINS, LOCALS, TIMES };

static roof_status call(const char *what, roof_error *error) {
  return ++script.calls == script.fail_at
             ? roof_error_set(error, ROOF_E_UNSUPPORTED, "scripted: %s: device lost", what)
             : ROOF_OK;
}

static const char *no_reason(void) {
  return NULL;
}

static int present(void) {
  return script.present;
}

static const rf_device_driver driver;

static roof_status open_device(int index, rf_device **device, roof_error *error) {
  roof_status status = call("open", error);
  if (status == ROOF_OK) {
    rf_device *d = calloc(1, sizeof *d);
    assert_non_null(d);
    assert_true(index >= 0 && index < script.present);
    rf_device_info_init(&d->info);
    d->driver = &driver;
    snprintf(d->info.name, sizeof d->info.name, "NVIDIA Scripted");
    snprintf(d->info.device_class, sizeof d->info.device_class, "gpu");
    snprintf(d->info.unit_kind, sizeof d->info.unit_kind, "SM");
    d->info.units = 4;
    d->info.group_items = 256;
    d->info.memory_bytes = 64 << 20;
    d->info.allocation_bytes = 32 << 20;
    d->info.cache_bytes = 64 << 10;
    d->info.local_bytes = 48 << 10;
    d->info.max_clock_hz = 1e9;
    d->info.formats = d->info.arithmetic = 1u << ROOF_FP32 | 1u << ROOF_INT8;
    script.devices++;
    *device = d;
  }
  return status;
}

static void close_device(rf_device *device) {
  script.devices -= device != NULL;
  free(device);
}

static roof_status allocate(rf_device *device, double bytes, void **buffer, roof_error *error) {
  (void)device;
  roof_status status = call("allocate", error);
  if (status == ROOF_OK) {
    *buffer = calloc(1, (size_t)bytes);
    script.buffers++;
  }
  return status;
}

static void release(rf_device *device, void *buffer) {
  (void)device;
  script.buffers -= buffer != NULL;
  free(buffer);
}

static roof_status copy_in(rf_device *device, void *buffer, const void *from, double bytes,
                           roof_error *error) {
  (void)device;
  memcpy(buffer, from, (size_t)bytes);
  return call("write", error);
}

static roof_status copy_out(rf_device *device, void *to, void *buffer, double bytes, roof_error *error) {
  (void)device;
  memcpy(to, buffer, (size_t)bytes);
  return call("read", error);
}

static roof_status transfer(rf_device *device, rf_device_way way, void *buffer, double bytes, double *seconds,
                            roof_error *error) {
  (void)device, (void)buffer;
  *seconds = 1e-6 + bytes / pass_rate / (way == RF_BOTH_WAYS ? 2 : 1);
  return call("transfer", error);
}

static roof_status build(rf_device *device, const rf_device_text *text, roof_dtype dtype, void **program,
                         roof_error *error) {
  (void)device, (void)dtype;
  roof_status status = call("build", error);
  if (status == ROOF_OK) {
    *program = (void *)(uintptr_t)text;
    script.programs++;
  }
  return status;
}

static void unload(rf_device *device, void *program) {
  (void)device;
  script.programs -= program != NULL;
}

static roof_status find(rf_device *device, void *program, const char *entry, void **function,
                        roof_error *error) {
  (void)device, (void)program;
  *function = (void *)(uintptr_t)entry;
  return call("find", error);
}

/** Of a kernel that moves memory: INDEX arguments are where it begins and how many elements it takes, the
 * entry's last digit is their width. */
static double memory_seconds(const rf_device_launch *l) {
  double elements = 0, buffers = 0, passes = 1;
  bool reads = strncmp(l->entry, "memory_read", 11) == 0;
  for (int i = 0; i < l->arg_count; i++) {
    elements = l->args[i].kind == RF_ARG_INDEX ? (double)l->args[i].index : elements;
    buffers += l->args[i].kind == RF_ARG_BUFFER;
    passes = l->args[i].kind == RF_ARG_INT ? l->args[i].number : passes;
  }
  return latency +
         elements * 4 * (l->entry[strlen(l->entry) - 1] - '0') * (reads ? 1 : buffers) * passes / rate;
}

/** What it leaves, of the few work-groups of a check: a read leaves the sum of all work-items
 * in the place of the first. */
static void move(const rf_device_launch *l) {
  int buffers = 0;
  while (l->args[buffers].kind == RF_ARG_BUFFER) {
    buffers++;
  }
  size_t width = (size_t)(l->entry[strlen(l->entry) - 1] - '0');
  size_t from = (size_t)l->args[buffers].index * width, count = (size_t)l->args[buffers + 1].index * width;
  const float *a = l->args[0].buffer;
  float *out = l->args[buffers - 1].buffer;
  double sum = 0;
  if (l->groups[0] > 3) {
    return;
  }
  for (size_t i = from; i < from + count && strncmp(l->entry, "memory_read", 11) == 0; i++) {
    sum += (double)a[i];
  }
  if (strncmp(l->entry, "memory_read", 11) == 0) {
    out[0] = l->args[buffers + 3].real < 0 ? (float)sum + (script.wrong == READS) : out[0];
    return;
  }
  for (size_t i = from; i < from + count; i++) {
    out[i] = buffers == 1   ? l->args[3].real + (float)(i / width % l->items[0])
             : buffers == 2 ? a[i]
                            : fmaf(0.75f, ((const float *)l->args[1].buffer)[i], a[i]);
  }
}

/** One work-item's sums as the program computes them. */
static float chains(const rf_device_launch *l, int chains, int width, unsigned item) {
  const float *numbers = l->args[0].buffer;
  float sum = 0;
  for (int i = 0; i < chains * width; i++) {
    float x = numbers[2 * l->items[0] + item * (unsigned)(chains * width) + (unsigned)i];
    for (int step = 0; step < 16 * l->args[2].number; step++) {
      x = fmaf(x, numbers[item], numbers[item + l->items[0]]);
    }
    sum += x;
  }
  return sum;
}

static int32_t words(const rf_device_launch *l, int chains, unsigned item) {
  const int32_t *numbers = l->args[0].buffer;
  uint32_t all = 0;
  for (int i = 0; i < chains; i++) {
    uint32_t x = (uint32_t)numbers[2 * l->items[0] + item * (unsigned)chains + (unsigned)i];
    for (int step = 0; step < 16 * l->args[2].number; step++) {
      uint32_t factor = (uint32_t)numbers[item], sum = (uint32_t)numbers[item + l->items[0]];
      for (int shift = 0; shift < 32; shift += 8) {
        sum += (uint32_t)((int8_t)(factor >> shift) * (int8_t)(x >> shift));
      }
      x = sum;
    }
    all ^= x;
  }
  return (int32_t)all;
}

/** The rate grows with the chains up to four. */
static double arithmetic_seconds(const rf_device_launch *l) {
  int count = 1, width = 1;
  assert_int_equal(sscanf(l->entry, "arithmetic_%d_%d", &count, &width), 2);
  for (unsigned item = 0; item < l->items[0] && l->groups[0] == 1; item += 37) { /* what a check looks at */
    bool spoiled = script.wrong == SUMS || (script.wrong == SUMS_OF_SOME && count == 8);
    if (l->args[3].kind == RF_ARG_INT) {
      ((int32_t *)l->args[1].buffer)[item] = words(l, count * width, item) + spoiled;
    } else {
      ((float *)l->args[1].buffer)[item] = chains(l, count, width, item) + (spoiled ? 1 : 0);
    }
  }
  double work = 16.0 * 2 * count * width * l->groups[0] * l->items[0] * l->args[2].number;
  return script.wrong == TIMES ? 1e-6 : work / (operations * script.faster * fmin(count, 4) / 4);
}

static double chase_seconds(const rf_device_launch *l) {
  const int32_t *next = l->args[0].buffer;
  int32_t *at = l->args[1].buffer;
  for (int32_t i = script.wrong == CHAINS; i < l->args[2].number && l->args[2].number <= 2000; i++) {
    *at = next[*at];
  }
  return l->args[2].number * 100e-9;
}

/** The sum of all work-items in the place of the first. */
static double local_seconds(const rf_device_launch *l) {
  const float *slots = l->args[0].buffer;
  int items = (int)l->items[0], apart = items < 32 ? items : 32;
  double sum = 0;
  for (int i = 0; i < items * l->args[2].number * 8 && l->groups[0] == 1; i++) {
    int item = i % items, load = i / items;
    for (int j = 0; j < 4; j++) {
      sum += (double)slots[4 * (((item + load / 8 * 8) & 511) + load % 8 * apart) + j];
    }
  }
  ((float *)l->args[1].buffer)[0] = (float)sum + (script.wrong == LOCALS);
  return script.wrong == TIMES ? 1e-6 : l->args[2].number * 1e-7;
}

/** By one work-item it copies nothing. */
static double copy_seconds(const rf_device_launch *l) {
  static int copies;
  double seconds = latency + (double)l->args[2].index * 8 / rate;
  if (l->items[0] > 1) {
    memcpy(l->args[1].buffer, l->args[0].buffer, (size_t)l->args[2].index * 4);
  }
  ((float *)l->args[1].buffer)[0] += script.wrong == RESULTS ? 1 : 0;
  if (l->items[0] == FULL || script.few == 0 || script.lasts == 0) {
    return seconds;
  }
  script.lasts--;
  return seconds * (++copies % 2 ? script.few : script.other);
}

static double launch_seconds(const rf_device_launch *l) {
  if (strcmp(l->entry, "stream_copy") == 0) {
    return copy_seconds(l);
  }
  if (strcmp(l->entry, "memory_chase") == 0) {
    return chase_seconds(l);
  }
  if (strcmp(l->entry, "memory_local") == 0) {
    return local_seconds(l);
  }
  if (strncmp(l->entry, "arith", 5) == 0) {
    return arithmetic_seconds(l);
  }
  move(l);
  return script.wrong == TIMES ? 1e-6 : memory_seconds(l);
}

static roof_status time_launches(rf_device *device, const rf_device_launch *launches, int count, int repeats,
                                 double *seconds, roof_error *error) {
  (void)device;
  *seconds = 0;
  for (int i = 0; i < count; i++) {
    assert_string_equal(launches[i].entry, (const char *)launches[i].function);
    *seconds += repeats * launch_seconds(&launches[i]) * pow(1 + script.drift, script.calls);
  }
  return call("launch", error);
}

static roof_status empty(rf_device *device, rf_launch_mode mode, const rf_device_launch *launch, int count,
                         double *seconds, roof_error *error) {
  (void)device, (void)launch;
  *seconds = count * launch_time * (mode == RF_LAUNCH_SYNCHRONISED ? 4 : 1);
  return call("empty launch", error);
}

static void telemetry(rf_device *device, rf_telemetry *now) {
  (void)device;
  *now = (rf_telemetry){
      .watts = 650, .clock_hz = 1.5e9, .memory_clock_hz = 2e9, .celsius = 70, .throttled = "power limit"};
}

static const rf_device_driver driver = {.name = "opencl",
                                        .disabled_reason = no_reason,
                                        .count = present,
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

static roof_status measure(double seconds, roof_machine **m, roof_error *error) {
  roof_measure_options o = roof_measure_options_default();
  o.quick = true;
  o.seconds_per_item = seconds;
  script.calls = 0;
  return rf_device_measure(&driver, &o, m, error);
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
  owned roof_machine *m = NULL;
  roof_error error = {0};
  script.fail_at = 0;
  if (measure(1e-2, &m, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  const roof_level *memory = roof_machine_level(m, ROOF_MEMORY, ROOF_MEASURED);
  assert_non_null(memory);
  assert_near(memory->latency_seconds, 100e-9, 1e-9);
  assert_near(memory->read_bytes_per_second, 262144 / (latency + 262144 / rate), 0.05);
  assert_true(memory->triad_bytes_per_second > memory->read_bytes_per_second); /* starting it weighs less */
  const roof_peak *peak = roof_machine_peak(m, ROOF_FP32, ROOF_VECTOR, false, ROOF_MEASURED);
  assert_non_null(peak);
  assert_near(peak->flops_per_second, operations, 1e-6);
  assert_non_null(strstr(peak->conditions->noisy, "clock lowered: power limit"));
  assert_near(m->links[0].bytes_per_second, 262144 / (1e-6 + 262144 / pass_rate), 1e-6);
  assert_near(m->links[2].both_ways_bytes_per_second, 262144 / (1e-6 + 262144 / pass_rate / 2), 1e-6);
  assert_near(m->launch_seconds, launch_time, 1e-6);
  assert_string_equal(m->report->costs[1].name, "launch, synchronised");
  assert_near(m->report->costs[1].seconds, 4 * launch_time, 1e-6);
  assert_near(m->energy.watts, 650, 1e-9);
  const roof_level *local = roof_machine_level(m, ROOF_L1, ROOF_MEASURED);
  assert_non_null(local);
  assert_near(local->read_bytes_per_second, 32 * 256 * 8 * 16 / 1e-7, 1e-6);
  assert_true(has_note(
      m, "reads of 4 KiB to 256 KiB, again and again, take 5.000 µs + bytes / 100.0 GB/s, within 0 % at"));
  assert_true(has_note(m, "the device says: highest clock 1.000 GHz"));
  assert_true(has_note(m, "not reported by the driver: clock now"));
  assert_true(has_note(m, "peer to peer: not measured: "));
  assert_true(has_note(m, "last cache read: no figure: 1/")); /* all memory is as fast */
  assert_null(roof_machine_level(m, ROOF_L2, ROOF_MEASURED));
  nothing_is_left();
}

/** A driver without copies between devices: they go through the host, and the link has the name of the other's machine. */
static void devices_are_linked_through_the_host(void **state) {
  (void)state;
  static const char *const numbers[] = {"0", "1"};
  roof_machine *m[2] = {NULL, NULL};
  roof_measure_options o = roof_measure_options_default();
  script.present = 2;
  script.fail_at = 0;
  o.quick = true;
  for (int i = 0; i < 2; i++) {
    o.device = numbers[i];
    assert_int_equal(rf_device_measure(&driver, &o, &m[i], NULL), ROOF_OK);
    nothing_is_left();
  }
  assert_string_equal(m[1]->name, "host-gpu1");
  assert_string_equal(m[0]->links[4].name, "to host-gpu1");
  assert_non_null(strstr(m[0]->links[4].source, "through the host's memory"));
  roof_text json = {0};
  assert_true(roof_device_link(m[0], m[1]) > 0 && roof_device_link(m[1], m[0]) > 0);
  assert_true(isnan(roof_device_link(m[0], m[0])));
  assert_int_equal(roof_machines_write((const roof_machine *const *)m, 2, &json, NULL), ROOF_OK);
  assert_non_null(strstr(json.data, "\"device_links\": [[null, "));
  roof_text_done(&json);
  script.present = 1;
  roof_machine_free(m[0]);
  roof_machine_free(m[1]);
}

/** What is measured with one thing wrong. */
static void spoil(int wrong, double faster, roof_machine **m) {
  roof_error error = {0};
  roof_machine_free(*m);
  *m = NULL;
  script.fail_at = 0;
  script.wrong = wrong;
  script.faster = faster;
  if (measure(1e-2, m, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  script.wrong = NOTHING;
  script.faster = 1;
  nothing_is_left();
}

static const roof_peak *fp32_of(const roof_machine *m) {
  return roof_machine_peak(m, ROOF_FP32, ROOF_VECTOR, false, ROOF_MEASURED);
}

static void a_variant_with_wrong_sums_is_left_out(void **state) {
  (void)state;
  owned roof_machine *m = NULL;
  spoil(SUMS_OF_SOME, 1, &m);
  assert_true(has_note(m, "fp32 vector: 2 of 4 variants gave wrong sums and are left out"));
  assert_near(fp32_of(m)->flops_per_second, operations, 1e-6);
  spoil(SUMS, 1, &m);
  assert_true(has_note(m, "fp32 vector: 4 of 4 variants gave wrong sums and are left out"));
  assert_null(fp32_of(m));
  assert_int_equal(m->peak_count, 0);
}

static void buffers_are_large_where_memory_is(void **state) {
  (void)state;
  rf_device_info info;
  rf_device_info_init(&info);
  info.cache_bytes = 50e6;
  info.memory_bytes = info.allocation_bytes = 80e9;
  snprintf(info.device_class, sizeof info.device_class, "gpu");
  assert_near(rf_device_buffer_bytes(&info, false, 128e9), 4294967296.0, 0);
  assert_near(rf_device_buffer_bytes(&info, false, 4e9), 1e9, 1e-5); /* a quarter of what the host has */
  assert_near(rf_device_buffer_bytes(&info, true, 128e9), 200e6, 1e-4);
  info.memory_bytes = info.allocation_bytes = 24e9;
  assert_near(rf_device_buffer_bytes(&info, false, 128e9), 1073741824.0, 0);
}

static void blocks_that_stay_make_even_rounds(void **state) {
  (void)state;
  rf_device_launch launch = {.tasks = 1024, .cluster = 2};
  assert_int_equal(rf_device_staying(&launch, 132), 128); /* 66 pairs need 16 rounds, and so do 64 */
  launch = (rf_device_launch){.tasks = 512, .cluster = 1};
  assert_int_equal(rf_device_staying(&launch, 132), 128);
  launch.tasks = 7;
  assert_int_equal(rf_device_staying(&launch, 132), 7);
  launch = (rf_device_launch){.tasks = 67, .cluster = 2};
  assert_int_equal(rf_device_staying(&launch, 133), 68);
}

static void time_that_does_not_grow_makes_no_figure(void **state) {
  (void)state;
  owned roof_machine *m = NULL;
  spoil(TIMES, 1, &m);
  assert_int_equal(m->peak_count, 0);
  assert_true(has_note(m, "fp32 vector: not measured: twice the multiply-adds took 1.00 times as long"));
  assert_true(has_note(m, "memory triad: not measured: twice the bytes took 1.00 times as long"));
  assert_true(has_note(m, "local memory read: not measured: twice the loads took 1.00 times as long"));
  assert_null(roof_machine_level(m, ROOF_L1, ROOF_MEASURED));
  assert_null(roof_machine_memory(m, ROOF_MEASURED));
}

static void a_rate_beyond_any_device_is_no_figure(void **state) {
  (void)state;
  owned roof_machine *m = NULL;
  spoil(NOTHING, 2, &m);
  assert_near(fp32_of(m)->flops_per_second, 2 * operations, 1e-6);
  spoil(NOTHING, 3, &m);
  assert_null(fp32_of(m));
  assert_true(has_note(m,
                       "fp32 vector: not measured: 3.000 TFLOP/s came out, and 4 SM at 1 GHz cannot do more "
                       "than 2.048 TFLOP/s"));
}

static void loads_that_were_not_done_make_no_figure(void **state) {
  (void)state;
  owned roof_machine *m = NULL;
  spoil(READS, 1, &m);
  assert_true(has_note(m, "memory read: 5 of 5 layouts gave wrong results and are left out"));
  assert_true(isnan(roof_machine_level(m, ROOF_MEMORY, ROOF_MEASURED)->read_bytes_per_second));
  spoil(CHAINS, 1, &m);
  assert_true(has_note(m, "memory latency: not measured: the loads did not follow the chain"));
  assert_true(isnan(roof_machine_level(m, ROOF_MEMORY, ROOF_MEASURED)->latency_seconds));
  spoil(LOCALS, 1, &m);
  assert_true(has_note(m, "local memory read: 2 of 2 layouts gave wrong sums and are left out"));
  assert_null(roof_machine_level(m, ROOF_L1, ROOF_MEASURED));
}

static void a_call_that_fails_ends_a_measurement_cleanly(void **state) {
  (void)state;
  roof_status status = ROOF_E_INTERNAL;
  int failed = 0, noted = 0;
  for (int n = 1; status != ROOF_OK; n++) {
    owned roof_machine *m = NULL;
    roof_error error = {0};
    script.fail_at = n;
    status = measure(1e-5, &m, &error);
    nothing_is_left();
    if (status != ROOF_OK) {
      failed++;
      assert_null(m);
      assert_non_null(strstr(error.message, "device lost"));
      assert_null(strchr(error.message, '\n'));
    } else if (script.calls >= n) {
      status =
          ROOF_E_INTERNAL; /* a part that fails takes nothing from the others, and a graph nothing from its part */
      bool part = has_note(m, ": not all of it measured: scripted: ");
      noted += part;
      assert_true(part ||
                  has_note(m, "launch, in a graph: not measured: scripted: empty launch: device lost"));
      assert_true(roof_machine_level(m, ROOF_MEMORY, ROOF_MEASURED)->read_bytes_per_second > 0);
    }
  }
  assert_true(failed > 50);
  assert_true(noted > 50);
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
  return rf_device_run(&driver, kernel, ROOF_FP32, values, &o, m, error);
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
  script.wrong = RESULTS;
  assert_int_equal(run_copy(&m, &error), ROOF_E_INTERNAL);
  assert_non_null(strstr(error.message, "device-copy fp32: wrong result: element 0"));
  script.wrong = NOTHING;
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
  return rf_device_run_in_turns(&driver, kernels, ROOF_FP32, values, &o, out, error);
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
  script.wrong = RESULTS;
  assert_int_equal(run_two("device-copy", m, &error), ROOF_E_INTERNAL);
  script.wrong = NOTHING;
  nothing_is_left();
}

/** A device that slows down as it works is timed at the pace that it has then; alone, and in turns. */
static void what_is_sustained_is_timed_after_work(void **state) {
  (void)state;
  const roof_kernel *kernels[2] = {NULL, NULL};
  double values[ROOF_PARAM_MAX];
  roof_measure_options o = roof_measure_options_default();
  roof_measurement at_once, later, both[2];
  o.seconds_per_item = 0.02;
  script.fail_at = 0;
  script.drift = 0.01;
  assert_int_equal(roof_kernel_find("device-copy", &kernels[0], NULL), ROOF_OK);
  kernels[1] = kernels[0];
  assert_int_equal(roof_kernel_values(kernels[0], "n=1000", values, NULL), ROOF_OK);
  script.calls = 0;
  assert_int_equal(rf_device_run(&driver, kernels[0], ROOF_FP32, values, &o, &at_once, NULL), ROOF_OK);
  o.sustain_seconds = 0.1;
  script.calls = 0;
  assert_int_equal(rf_device_run(&driver, kernels[0], ROOF_FP32, values, &o, &later, NULL), ROOF_OK);
  script.calls = 0;
  assert_int_equal(rf_device_run_in_turns(&driver, kernels, ROOF_FP32, values, &o, both, NULL), ROOF_OK);
  script.drift = 0;
  assert_true(later.samples[0] > 1.1 * at_once.samples[0]);
  assert_true(both[0].samples[0] > 1.1 * at_once.samples[0]);
  assert_null(strstr(at_once.note, "of work"));
  assert_non_null(strstr(later.note, " per sample, after 0.1 s of work; "));
  assert_non_null(strstr(both[1].note, ", after 0.1 s of work; "));
  roof_measurement *const all[] = {&at_once, &later, &both[0], &both[1]};
  for (int i = 0; i < 4; i++) {
    roof_measurement_done(all[i]);
  }
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
  assert_int_equal(rf_device_run(&driver, kernel, ROOF_FP64, values, &o, &m, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message, "device-copy: NVIDIA Scripted has no fp64");
  values[0] = 1e7;
  assert_int_equal(rf_device_run(&driver, kernel, ROOF_FP32, values, &o, &m, &error), ROOF_E_UNSUPPORTED);
  assert_string_equal(error.message,
                      "device-copy: needs 80.00 MB of the device's memory, 40.00 MB in one buffer; it has "
                      "67.11 MB and allows 33.55 MB");
  nothing_is_left();
}

/* Variants: a copy by 256 work-items, by 64, and by 1, which copies nothing. */

static int copy_by(int items, const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *l) {
  l[0] = rf_device_launch_of("stream_copy", rf_device_tiles(run->values[0], items), 1, items, 1);
  rf_device_add_buffer(l, o->in[0]);
  rf_device_add_buffer(l, o->out);
  rf_device_add_index(l, run->values[0]);
  return 1;
}

static int by_all(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *l) {
  return copy_by(FULL, run, o, l);
}

static int by_few(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *l) {
  return copy_by(64, run, o, l);
}

static int by_one(const roof_kernel_run *run, const rf_device_operands *o, rf_device_launch *l) {
  return copy_by(1, run, o, l);
}

static const rf_device_variant few_only[] = {{"same", by_all}, {"items=64", by_few}, {NULL, NULL}};
static const rf_device_variant with_idle[] = {{"items=1", by_one}, {NULL, NULL}};

/** device-copy with such variants; the detail is the caller's. */
static roof_kernel varied_copy(rf_device_kernel *detail, const rf_device_variant *variants) {
  const roof_kernel *kernel = NULL;
  assert_int_equal(roof_kernel_find("device-copy", &kernel, NULL), ROOF_OK);
  *detail = *rf_device_kernel_of(kernel);
  detail->plan = by_all;
  detail->variants = variants;
  detail->tile[0] = detail->tile[1] = detail->tile[2] = 1;
  roof_kernel copy = *kernel;
  copy.detail = detail;
  return copy;
}

/** Tries them at n=1000, where every copy by few takes `few`, then `other` times as long, `lasts` of them. */
static roof_status vary(const rf_device_variant *variants, double few, double other, int lasts,
                        roof_machine *machine, roof_error *error) {
  rf_device_kernel detail;
  roof_kernel kernel = varied_copy(&detail, variants);
  roof_measure_options o = roof_measure_options_default();
  rf_device_bench bench = {.options = &o, .machine = machine, .budget = o.seconds_per_item};
  script.calls = 0;
  script.few = few;
  script.other = other;
  script.lasts = lasts;
  roof_status status = driver.open(0, &bench.device, error);
  if (status == ROOF_OK) {
    status = rf_device_vary(&bench, &kernel, ROOF_FP32, "n=1000", error);
    driver.close(bench.device);
  }
  script.few = 0;
  nothing_is_left();
  return status;
}

static void the_fastest_variant_is_kept(void **state) {
  (void)state;
  owned roof_machine *m = NULL;
  roof_error error = {0};
  script.fail_at = 0;
  empty_machine(&m);
  if (vary(few_only, 0.8, 0.8, INT_MAX, m, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(m->report->block_count, 1);
  const roof_blocks *b = &m->report->blocks[0];
  assert_string_equal(b->kernel, "device-copy");
  assert_string_equal(b->variant, "items=64");
  assert_string_equal(b->parameters, "n=1000");
  assert_near(b->gain, 1.25, 1e-9);
  assert_true(b->dtype == ROOF_FP32 && b->kind == ROOF_MEASURED && b->depth == 1 && b->date[0] != '\0');
  assert_string_equal(b->source,
                      "best of 2 variants, each in turns with the kernel as it is, the best once more");
  assert_null(roof_machine_blocks(m, ROOF_FP32)); /* those are the processor's */
}

/** As good as the kernel on the whole; slower; hardly better; better when they were tried, but not when the best had to win
 * again. */
static void a_variant_that_wins_by_chance_is_not(void **state) {
  (void)state;
  int most = INT_MAX;
  const struct {
    double few, other;
    bool half; /**< of the copies that it took before are faster: all of its trial, none of the last turns */
  } cases[] = {
      {0.97, 1.03, false}, {1.2, 1.2, false}, {0.997, 0.997, false}, {0.8, 0.8, false}, {0.8, 0.8, true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    owned roof_machine *m = NULL;
    roof_error error = {0};
    empty_machine(&m);
    int lasts = cases[i].half ? (INT_MAX - most) / 2 : INT_MAX;
    assert_int_equal(vary(few_only, cases[i].few, cases[i].other, lasts, m, &error), ROOF_OK);
    most = script.lasts;
    bool kept = cases[i].few == 0.8 && !cases[i].half;
    assert_string_equal(m->report->blocks[0].variant, kept ? "items=64" : "");
    assert_near(m->report->blocks[0].gain, kept ? 1.25 : 1, 1e-9);
  }
}

/** What the kernel itself left in memory does not pass for a variant's result. */
static void a_variant_that_does_nothing_is_found(void **state) {
  (void)state;
  owned roof_machine *m = NULL;
  roof_error error = {0};
  empty_machine(&m);
  assert_int_equal(vary(with_idle, 0.5, 0.5, INT_MAX, m, &error), ROOF_E_INTERNAL);
  assert_non_null(strstr(error.message, "device-copy fp32: wrong result"));
  assert_int_equal(roof_machine_report(m)->block_count, 0);
}

static void a_call_that_fails_ends_trials_cleanly(void **state) {
  (void)state;
  roof_status status = ROOF_E_INTERNAL;
  int failed = 0;
  for (int n = 1; status != ROOF_OK && n < 40; n++) {
    owned roof_machine *m = NULL;
    roof_error error = {0};
    script.fail_at = n;
    empty_machine(&m);
    status = vary(few_only, 0.8, 0.8, INT_MAX, m, &error);
    failed += status != ROOF_OK;
    assert_true(status == ROOF_OK || strstr(error.message, "device lost") != NULL);
  }
  assert_true(failed > 8);
  script.fail_at = 0;
}

static roof_status run_kept(const roof_machine *machine, const char *shape, bool *varied, roof_error *error) {
  rf_device_kernel detail;
  roof_kernel kernel = varied_copy(&detail, few_only);
  roof_measure_options o = roof_measure_options_default();
  roof_measurement m;
  double values[ROOF_PARAM_MAX];
  o.seconds_per_item = 1e-4;
  o.machine = machine;
  assert_int_equal(roof_kernel_values(&kernel, shape, values, NULL), ROOF_OK);
  roof_status status = rf_device_run(&driver, &kernel, ROOF_FP32, values, &o, &m, error);
  if (status == ROOF_OK) {
    *varied = strstr(m.note, "; items=64; NVIDIA Scripted") != NULL;
    roof_measurement_done(&m);
  }
  nothing_is_left();
  return status;
}

static bool runs_varied(const roof_machine *machine, const char *shape) {
  roof_error error = {0};
  bool varied = false;
  if (run_kept(machine, shape, &varied, &error) != ROOF_OK) {
    fail_msg("%s", error.message);
  }
  return varied;
}

/** A kernel runs by what was found for its shape or the nearest one, on that device alone. */
static void what_was_kept_is_run(void **state) {
  (void)state;
  owned roof_machine *m = NULL;
  roof_error error = {0};
  bool varied = false;
  empty_machine(&m);
  assert_false(runs_varied(NULL, "n=1000"));
  assert_false(runs_varied(m, "n=1000"));
  *roof_machine_add_blocks(m) = (roof_blocks){
      .dtype = ROOF_FP32, .kernel = "device-copy", .variant = "items=64", .parameters = "n=1000"};
  assert_false(runs_varied(m, "n=1000")); /* another machine's */
  snprintf(m->name, sizeof m->name, "%s", RF_DEVICE_MACHINE);
  assert_true(runs_varied(m, "n=1000") && runs_varied(m, "n=2000") && runs_varied(m, "n=500"));
  assert_false(runs_varied(m, "n=2001") || runs_varied(m, "n=499"));
  *roof_machine_add_blocks(m) =
      (roof_blocks){.dtype = ROOF_FP32, .kernel = "device-copy", .parameters = "n=2000"};
  assert_true(runs_varied(m, "n=1300") && !runs_varied(m, "n=1500") && !runs_varied(m, "n=3000"));
  m->report->blocks[0].dtype = ROOF_FP64;
  assert_false(runs_varied(m, "n=1000"));
  m->report->blocks[0] = (roof_blocks){
      .dtype = ROOF_FP32, .kernel = "device-copy", .variant = "items=65", .parameters = "n=1000"};
  assert_int_equal(run_kept(m, "n=1000", &varied, &error), ROOF_E_NAME);
  assert_string_equal(error.message, "host-gpu0: variant of device-copy `items=65`: unknown; known: "
                                     "same, items=64; `roofline measure` finds it anew");
  snprintf(m->report->blocks[0].parameters, sizeof m->report->blocks[0].parameters, "m=1000");
  assert_int_not_equal(run_kept(m, "n=1000", &varied, &error), ROOF_OK);
  assert_non_null(strstr(error.message, "host-gpu0: blocks of device-copy: "));
}

/** Those of every kernel that the driver runs, and a note where the device has no room; none in a quick run. */
static void all_variants_are_tried(void **state) {
  (void)state;
  owned roof_machine *m = NULL;
  roof_error error = {0};
  rf_device_driver cuda = driver;
  roof_measure_options o = roof_measure_options_default();
  rf_device_bench bench = {.options = &o, .budget = 1e-3};
  cuda.name = "cuda";
  script.calls = 0;
  empty_machine(&m);
  bench.machine = m;
  assert_int_equal(driver.open(0, &bench.device, &error), ROOF_OK);
  bench.device->driver = &cuda;
  bench.device->info.formats |= 1u << ROOF_BF16;
  o.quick = true;
  assert_int_equal(rf_device_variants(&bench, &error), ROOF_OK);
  assert_int_equal(m->note_count, 0);
  o.quick = false;
  assert_int_equal(rf_device_variants(&bench, &error), ROOF_OK);
  assert_int_equal(m->note_count, 1);
  assert_true(
      has_note(m, "variants of gemm-cluster: none tried at m=4096 n=4096 k=4096: gemm-cluster: needs"));
  driver.close(bench.device);
  nothing_is_left();
}

static void a_line_is_fitted(void **state) {
  (void)state;
  double bytes[10], seconds[10], start, slope, worst;
  for (int i = 0; i < 10; i++) {
    bytes[i] = 1000 << i;
    seconds[i] = 3e-6 + bytes[i] / 2e9;
  }
  rf_device_fit(bytes, seconds, 10, &start, &slope, &worst);
  assert_near(start, 3e-6, 1e-9);
  assert_near(slope, 2e9, 1e-9);
  assert_true(worst < 1e-9);
  assert_near(rf_device_reach(bytes, seconds, 10, 6e-6), 6000, 1e-9);
  assert_true(isnan(rf_device_reach(bytes, seconds, 10, 1)));
}

/** A curve that bends where a cache ends, with a point that was disturbed. */
static void a_ramp_is_reported_where_it_holds(void **state) {
  (void)state;
  double bytes[24], seconds[24];
  for (int i = 0; i < 24; i++) {
    bytes[i] = 1000.0 * (1 << i);
    seconds[i] = 3e-6 + bytes[i] / (i < 14 ? 50e9 : 5e9);
  }
  rf_device_ramp r = rf_device_ramp_of(bytes, seconds, 24);
  assert_int_equal(r.first, 0);
  assert_true(r.count >= 14 && r.count <= 15);
  assert_near(r.latency, 3e-6, 0.1);
  assert_near(r.bandwidth, 50e9, 0.1);
  assert_true(r.worst <= 0.25 && r.missed == 0);
  seconds[5] *= 8;
  r = rf_device_ramp_of(bytes, seconds, 24);
  assert_true(r.first == 0 && r.count >= 14 && r.missed >= 1 && r.missed <= 3);
  assert_near(r.bandwidth, 50e9, 0.1);
  for (int i = 0; i < 24; i++) {
    seconds[i] = i % 2 ? 1e-6 : 1e-3;
  }
  assert_int_equal(rf_device_ramp_of(bytes, seconds, 24).count, 0);
  assert_int_equal(rf_device_ramp_of(bytes, seconds, 4).count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figures_are_as_scripted),
      cmocka_unit_test(devices_are_linked_through_the_host),
      cmocka_unit_test(a_variant_with_wrong_sums_is_left_out),
      cmocka_unit_test(time_that_does_not_grow_makes_no_figure),
      cmocka_unit_test(a_rate_beyond_any_device_is_no_figure),
      cmocka_unit_test(loads_that_were_not_done_make_no_figure),
      cmocka_unit_test(a_call_that_fails_ends_a_measurement_cleanly),
      cmocka_unit_test(buffers_are_large_where_memory_is),
      cmocka_unit_test(blocks_that_stay_make_even_rounds),
      cmocka_unit_test(a_kernel_is_checked_then_timed),
      cmocka_unit_test(a_call_that_fails_ends_a_run_cleanly),
      cmocka_unit_test(two_kernels_take_turns),
      cmocka_unit_test(what_is_sustained_is_timed_after_work),
      cmocka_unit_test(a_call_that_fails_ends_turns_cleanly),
      cmocka_unit_test(what_the_device_lacks_is_refused),
      cmocka_unit_test(the_fastest_variant_is_kept),
      cmocka_unit_test(a_variant_that_wins_by_chance_is_not),
      cmocka_unit_test(a_variant_that_does_nothing_is_found),
      cmocka_unit_test(a_call_that_fails_ends_trials_cleanly),
      cmocka_unit_test(what_was_kept_is_run),
      cmocka_unit_test(all_variants_are_tried),
      cmocka_unit_test(a_line_is_fitted),
      cmocka_unit_test(a_ramp_is_reported_where_it_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
