/* Loads of an accelerator that wait for each other, from each level. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/device/bench.h"

enum { LOADS_ARGUMENT = 2 };

/** Slots one line apart, each with the number of the next: one cycle through all, in an order that no
 * prefetcher follows. `slots` is a power of two. */
static void link_slots(int32_t *next, size_t slots, size_t apart) {
  const size_t factor = 0x9E3779B97F4A7C15u / 8 * 8 + 5, term = 0xB5297A4Du | 1;
  for (size_t i = 0; i < slots; i++) {
    next[i * apart] = (int32_t)(((i * factor + term) & (slots - 1)) * apart);
  }
}

/** The largest power of two of lines in `bytes`. */
static size_t slots_in(double bytes, size_t line) {
  size_t slots = 16;
  while ((double)(2 * slots * line) <= bytes) {
    slots *= 2;
  }
  return slots;
}

/** A chain on the device and here. */
typedef struct chain {
  int32_t *next;
  size_t slots, line;
} chain;

static roof_status upload_chain(rf_device_bench *bench, chain *c, roof_error *error) {
  const rf_device_driver *driver = bench->device->driver;
  c->next = calloc(c->slots, c->line);
  if (c->next == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "latency: out of memory");
  }
  link_slots(c->next, c->slots, c->line / sizeof *c->next);
  return driver->write(bench->device, bench->buffers[2], c->next, (double)(c->slots * c->line), error);
}

/** Follows the chain once from its start on the device, and here. */
static roof_status check_chain(rf_device_bench *bench, const chain *c, const rf_device_launch *launch,
                               bool *right, roof_error *error) {
  int32_t end = 0, expected = 0;
  roof_status status = rf_device_sums(bench, launch, &end, 1, error);
  for (int32_t i = 0; i < launch->args[LOADS_ARGUMENT].number; i++) {
    expected = c->next[expected];
  }
  *right = end == expected;
  return status;
}

/** Loads for a millisecond, in proportion to whose count the time grows. */
static roof_status sample_chain(rf_device_bench *bench, const char *name, rf_device_launch *launch,
                                double *seconds, roof_error *error) {
  static const double least = 1.5;
  rf_device_result result;
  double ratio = NAN, loads = NAN;
  roof_status status = rf_device_try(bench, launch, 1, &ratio, error);
  if (status == ROOF_OK) {
    rf_device_lengthen(launch, LOADS_ARGUMENT, ratio);
    loads = launch->args[LOADS_ARGUMENT].number;
    status = rf_device_growth(bench, launch, LOADS_ARGUMENT, &ratio, error);
  }
  if (status == ROOF_OK && ratio < least) {
    rf_device_note(bench, "%s: not measured: twice the loads took %.2f times as long: not all were done",
                   name, ratio);
    return ROOF_OK;
  }
  if (status == ROOF_OK) {
    status = rf_device_figure(bench, name, launch, 1, loads, &result, error);
  }
  if (status == ROOF_OK) {
    *seconds = result.seconds / loads;
  }
  return status;
}

/** One work-item follows the chain through `bytes`, again and again, so that caches hold what they can. */
static roof_status chase(rf_device_bench *bench, const char *name, double bytes, double *seconds,
                         roof_error *error) {
  enum { LOADS = 2000 };
  double line = bench->device->info.line_bytes;
  chain c = {.line = isnan(line) ? 128 : (size_t)line};
  bool right = false;
  rf_device_launch launch = rf_device_launch_of("memory_chase", 1, 1, 1, 1);
  c.slots = slots_in(fmin(bytes, bench->bytes), c.line);
  rf_device_add_buffer(&launch, bench->buffers[2]);
  rf_device_add_buffer(&launch, bench->results);
  rf_device_add_int(&launch, LOADS);
  rf_device_step(bench, name);
  roof_status status = upload_chain(bench, &c, error);
  if (status == ROOF_OK) {
    status = rf_device_find(bench, bench->memory, &launch, error);
  }
  if (status == ROOF_OK) {
    status = check_chain(bench, &c, &launch, &right, error);
  }
  if (status == ROOF_OK && !right) {
    rf_device_note(bench, "%s: not measured: the loads did not follow the chain", name);
  } else if (status == ROOF_OK) {
    status = sample_chain(bench, name, &launch, seconds, error);
  }
  free(c.next);
  return status;
}

roof_status rf_device_latency(rf_device_bench *bench, roof_error *error) {
  static const double smallest = 16384;
  roof_machine *m = bench->machine;
  roof_status status = ROOF_OK;
  for (int i = 0; i < m->level_count && status == ROOF_OK; i++) {
    roof_level *level = &m->levels[i];
    bool memory = level->level == ROOF_MEMORY, first = level->level == ROOF_L1;
    double bytes = memory ? bench->bytes : first ? smallest : level->bytes / 2;
    char name[96];
    snprintf(name, sizeof name, "%.40s latency", first ? "first cache" : level->name);
    status = chase(bench, name, bytes, &level->latency_seconds, error);
  }
  return status;
}
