/* The ceilings of an accelerator: all that its driver lets be measured. */
#include "core/figures.h"
#include "measure/device/device.h"

#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "host/memory.h"
#include "measure/device/bench.h"
#include "measure/run.h"
#include "roofline/units.h"

/** One more item of a list with commas. */
ROOF_PRINTF(2, 3) static void append(char list[ROOF_SOURCE_MAX], const char *format, ...) {
  size_t used = strlen(list);
  va_list arguments;
  if (used > 0) {
    used += (size_t)snprintf(list + used, ROOF_SOURCE_MAX - used, ", ");
  }
  va_start(arguments, format);
  rf_vformat(list + used, ROOF_SOURCE_MAX - used, format, arguments);
  va_end(arguments);
}

/** Of a run: fill, four patterns, two caches, four peaks, three latencies, links, four launches, curve. */
enum { STEPS = 20 };

/** What a device reports and no machine file has a field for, and what it does not report. */
static void describe(rf_device_bench *bench) {
  const rf_device_info *info = &bench->device->info;
  const struct {
    const char *name, *unit;
    double value;
    bool bytes;
  } items[] = {{"clock now", "Hz", info->clock_hz, false},
               {"highest clock", "Hz", info->max_clock_hz, false},
               {"memory clock", "Hz", info->memory_clock_hz, false},
               {"memory", "", info->memory_bytes, true},
               {"largest buffer", "", info->allocation_bytes, true},
               {"last cache", "", info->cache_bytes, true},
               {"its line", "", info->line_bytes, true},
               {"local memory of a work-group", "", info->local_bytes, true},
               {"power limit", "W", info->power_limit_watts, false}};
  char known_items[ROOF_SOURCE_MAX] = "", missing[ROOF_SOURCE_MAX] = "", value[32];
  for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
    bool known = !isnan(items[i].value);
    if (known && items[i].bytes) {
      roof_bytes_format(value, sizeof value, items[i].value);
    } else {
      roof_quantity_format(value, sizeof value, items[i].value, items[i].unit);
    }
    append(known ? known_items : missing, "%s%s%s", items[i].name, known ? " " : "", known ? value : "");
  }
  if (!isnan(info->subgroup_items)) {
    append(known_items, "subgroups of %.0f work-items", info->subgroup_items);
  } else {
    append(missing, "work-items of a subgroup");
  }
  append(info->ecc[0] != '\0' ? known_items : missing, "ECC%s%s", info->ecc[0] != '\0' ? " " : "", info->ecc);
  rf_device_note(bench, "the device says: %s", known_items);
  if (missing[0] != '\0') {
    rf_device_note(bench, "not reported by the driver: %s", missing);
  }
}

/** Names the machine from what the device reports. */
static void identify(rf_device_bench *bench) {
  const rf_device_info *info = &bench->device->info;
  roof_machine *m = bench->machine;
  snprintf(m->name, sizeof m->name, "%s", RF_DEVICE_MACHINE);
  snprintf(m->title, sizeof m->title, "%s", info->name);
  snprintf(m->vendor, sizeof m->vendor, "%s", info->vendor);
  snprintf(m->architecture, sizeof m->architecture, "%s", info->architecture);
  snprintf(m->device_class, sizeof m->device_class, "%s", info->device_class);
  snprintf(m->unit_kind, sizeof m->unit_kind, "%s", info->unit_kind);
  m->kind = ROOF_MEASURED;
  m->unit_count = info->units;
  m->clock_hz = !isnan(info->clock_hz) ? info->clock_hz : info->max_clock_hz;
  rf_origin_set(&m->unit_origin, ROOF_MEASURED, "the driver", m->date);
  rf_origin_set(&m->clock_origin, ROOF_MEASURED,
                !isnan(info->clock_hz) ? "the driver: clock now" : "the driver: highest clock", m->date);
  rf_device_note(bench, "%s, driver %s", info->platform, info->driver);
  describe(bench);
}

double rf_device_buffer_bytes(const rf_device_info *info, bool is_quick, double available) {
  static const double gibibyte = 1 << 30,
                      large = 32e9; /* 1 GiB takes 0.2 ms of an H200, of which it starts and ends for 2 % */
  bool processor = strcmp(info->device_class, "cpu") == 0;
  double quick = processor ? 8 << 20 : 256 << 20;
  double least = processor || !(info->memory_bytes >= large) ? gibibyte : 4 * gibibyte;
  double wanted = is_quick ? fmin(4 * info->cache_bytes, quick) : fmax(4 * info->cache_bytes, least);
  double most = fmin(info->allocation_bytes, info->memory_bytes / 6);
  return floor(fmin(wanted, fmin(most, available / 4)) / 4096) * 4096;
}

/** Random numbers in every buffer. */
static roof_status fill_buffers(rf_device_bench *bench, roof_error *error) {
  static const double results = 1 << 16;
  const rf_device_driver *driver = bench->device->driver;
  void *numbers = NULL;
  rf_device_step(bench, "random numbers");
  bench->bytes = rf_device_buffer_bytes(&bench->device->info, bench->options->quick, rf_memory_available(""));
  roof_status status = rf_data_new("random numbers", bench->bytes, &numbers, error);
  if (status == ROOF_OK) {
    rf_data_fill(numbers, ROOF_FP32, (size_t)bench->bytes / 4, RF_DEVICE_SEED, rf_device_host_threads());
  }
  for (int i = 0; i < RF_DEVICE_BUFFERS && status == ROOF_OK; i++) {
    status = driver->allocate(bench->device, bench->bytes, &bench->buffers[i], error);
    if (status == ROOF_OK) {
      status = driver->write(bench->device, bench->buffers[i], numbers, bench->bytes, error);
    }
  }
  free(numbers);
  bench->result_bytes = fmin(bench->bytes, results);
  return status == ROOF_OK ? driver->allocate(bench->device, bench->result_bytes, &bench->results, error)
                           : status;
}

static roof_status load_programs(rf_device_bench *bench, roof_error *error) {
  return bench->device->driver->build(bench->device, rf_device_text_find("memory"), ROOF_FP32, &bench->memory,
                                      error);
}

static roof_status add_extras(rf_device_bench *bench, roof_error *error) {
  const rf_device_driver *driver = bench->device->driver;
  return driver->extras != NULL ? driver->extras(bench->device, bench->options, bench->machine, error)
                                : ROOF_OK;
}

/** Power, clock and temperature that were seen. */
static void note_load(rf_device_bench *bench) {
  const rf_telemetry *load = &bench->load;
  if (!isnan(load->watts)) {
    bench->machine->energy.watts = load->watts;
    bench->machine->energy.kind = ROOF_MEASURED;
    snprintf(bench->machine->energy.source, sizeof bench->machine->energy.source,
             "the highest draw seen right after a load");
    memcpy(bench->machine->energy.date, bench->machine->date, sizeof bench->machine->date);
    rf_device_note(bench,
                   "under load: up to %.0f W of %.0f W allowed%s, clock down to %.0f MHz, %.0f degrees C%s%s",
                   load->watts, bench->device->info.power_limit_watts,
                   load->at_power_cap ? " (the power cap)" : "", load->clock_hz * 1e-6, load->celsius,
                   load->throttled[0] != '\0' ? ", clock lowered: " : "", load->throttled);
  }
}

static void finish(rf_device_bench *bench) {
  const rf_device_driver *driver = bench->device->driver;
  for (int i = 0; i < RF_DEVICE_BUFFERS; i++) {
    driver->release(bench->device, bench->buffers[i]);
  }
  driver->release(bench->device, bench->results);
  driver->unload(bench->device, bench->memory);
  driver->close(bench->device);
}

/** What a run measures, what most ask for first: a part that fails takes nothing from those before it. */
static const struct part {
  const char *name;
  roof_status (*measure)(rf_device_bench *, roof_error *);
} parts[] = {{"programs", load_programs},
             {"random numbers", fill_buffers},
             {"memory reads", rf_device_reads},
             {"memory", rf_device_memory},
             {"local memory and the last cache", rf_device_caches},
             {"peaks", rf_device_peaks},
             {"peaks of matrix units and the library", add_extras},
             {"latency", rf_device_latency},
             {"launches", rf_device_launches},
             {"links", rf_device_links},
             {"bandwidth against size", rf_device_curve},
             {"variants of kernels", rf_device_variants}};
enum { PARTS = sizeof parts / sizeof parts[0], NEEDED = 3 };

/** What cannot be done now leaves the other parts; after a kernel's fault the device cannot be used. Without reads of
 *  memory, or memory of the host, there is nothing to keep. */
static roof_status measure_parts(rf_device_bench *bench, roof_error *error) {
  for (int i = 0; i < PARTS; i++) {
    if (i >= NEEDED && bench->options->so_far != NULL) {
      bench->options->so_far(bench->options->user, bench->machine);
    }
    roof_error why = {.message = ""};
    roof_status status = parts[i].measure(bench, &why);
    bool kept = i >= NEEDED && (status == ROOF_E_UNSUPPORTED || status == ROOF_E_INTERNAL);
    if (status != ROOF_OK && !kept) {
      if (error != NULL) {
        *error = why;
      }
      return status;
    }
    if (status != ROOF_OK) {
      bool last = status == ROOF_E_INTERNAL && i + 1 < PARTS;
      rf_device_note(bench, "warning: %s: not all of it measured: %s%s", parts[i].name, why.message,
                     last ? "; nothing after it was" : "");
    }
    if (status == ROOF_E_INTERNAL) {
      break;
    }
  }
  return ROOF_OK;
}

roof_status rf_device_measure(const rf_device_driver *driver, const roof_measure_options *options,
                              roof_machine **machine, roof_error *error) {
  static const double quick_budget = 0.02;
  roof_machine *result = roof_machine_new();
  if (result == NULL || roof_machine_make_report(result) == NULL) {
    roof_machine_free(result);
    return roof_error_set(error, ROOF_E_MEMORY, "machine: out of memory");
  }
  rf_device_bench bench = {.steps = STEPS,
                           .options = options,
                           .machine = result,
                           .budget = options->quick ? fmin(options->seconds_per_item, quick_budget)
                                                    : options->seconds_per_item,
                           .cache_rate = NAN,
                           .load = {.watts = NAN, .clock_hz = NAN, .memory_clock_hz = NAN, .celsius = NAN}};
  roof_status status = rf_device_open(driver, options->device, &bench.index, &bench.device, error);
  if (status != ROOF_OK) {
    roof_machine_free(result);
    return status;
  }
  rf_run_date(result->date);
  identify(&bench);
  snprintf(result->name, sizeof result->name, "host-gpu%d", bench.index);
  status = measure_parts(&bench, error);
  if (status == ROOF_OK) {
    note_load(&bench);
    *machine = result;
  } else {
    roof_machine_free(result);
  }
  finish(&bench);
  return status;
}
