/* Loads of an accelerator that wait for each other, from each level; and bandwidth against size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/device_bench.h"
#include "roofline/units.h"

/** Slots a line apart, each with the number of the next: a full period of all, in an order that nothing
 * follows. `slots` is a power of two. */
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

static roof_status upload_chain(roof_device_bench *bench, size_t slots, size_t line, roof_error *error) {
  int32_t *next = calloc(slots, line);
  if (next == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "latency: out of memory");
  }
  link_slots(next, slots, line / sizeof *next);
  const roof_device_driver *driver = bench->device->driver;
  roof_status status = driver->write(bench->device, bench->buffers[2], next, (double)(slots * line), error);
  int32_t start = 0;
  if (status == ROOF_OK) {
    status = driver->write(bench->device, bench->buffers[1], &start, sizeof start, error);
  }
  free(next);
  return status;
}

/** One lane follows the chain through `bytes`: once unmeasured, so that caches hold what they can. */
static roof_status chase(roof_device_bench *bench, const char *name, double bytes, double *seconds,
                         roof_error *error) {
  size_t line = isnan(bench->device->info.line_bytes) ? 128 : (size_t)bench->device->info.line_bytes;
  size_t slots = slots_in(fmin(bytes, bench->bytes), line);
  int loads = bench->options->quick ? 4000 : 20000;
  roof_device_result result;
  roof_device_launch launch = roof_device_launch_of("memory_chase", 1, 1, 1, 1);
  roof_device_add_buffer(&launch, bench->buffers[2]);
  roof_device_add_buffer(&launch, bench->buffers[1]);
  roof_device_add_int(&launch, loads);
  roof_device_step(bench, name);
  roof_status status = upload_chain(bench, slots, line, error);
  if (status == ROOF_OK) {
    status = roof_device_find(bench, bench->memory, &launch, error);
  }
  if (status == ROOF_OK) {
    status = roof_device_figure(bench, name, &launch, loads, &result, error);
  }
  if (status == ROOF_OK) {
    *seconds = result.seconds / loads;
  }
  return status;
}

roof_status roof_device_latency(roof_device_bench *bench, roof_error *error) {
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

void roof_device_fit(const double *bytes, const double *seconds, int count, double *latency,
                     double *bandwidth, double *worst) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0; /* weighted by 1 / t^2: errors count in relation to the time */
  for (int i = 0; i < count; i++) {
    double weight = 1 / (seconds[i] * seconds[i]);
    n += weight;
    x += weight * bytes[i];
    y += weight * seconds[i];
    xx += weight * bytes[i] * bytes[i];
    xy += weight * bytes[i] * seconds[i];
  }
  double slope = (n * xy - x * y) / (n * xx - x * x);
  *latency = fmax(0, (y - slope * x) / n);
  *bandwidth = 1 / slope;
  *worst = count < 2 ? NAN : 0;
  for (int i = 0; i < count; i++) {
    *worst = fmax(*worst, fabs((*latency + bytes[i] / *bandwidth) / seconds[i] - 1));
  }
}

double roof_device_reach(const double *bytes, const double *seconds, int count, double reach) {
  for (int i = 0; i < count; i++) {
    if (seconds[i] >= reach) {
      double share = i > 0 ? (reach - seconds[i - 1]) / (seconds[i] - seconds[i - 1]) : 1;
      return i > 0 ? bytes[i - 1] + share * (bytes[i] - bytes[i - 1]) : bytes[0];
    }
  }
  return NAN;
}

/** Reads `wanted` bytes with as many groups as they are worth. */
static roof_status read_size(roof_device_bench *bench, double wanted, double *bytes, double *seconds,
                             roof_error *error) {
  enum { AHEAD = 4 };
  roof_device_layout layout = bench->reading;
  double together = 4.0 * layout.width * layout.lanes * AHEAD;
  layout.groups = (int)fmax(1, fmin(layout.groups, floor(wanted / together)));
  *bytes = wanted;
  roof_device_launch launch = roof_device_reader(bench, &layout, bytes, 1);
  roof_status status = roof_device_find(bench, bench->memory, &launch, error);
  return status == ROOF_OK ? roof_device_try(bench, &launch, seconds, error) : status;
}

static void note_curve(roof_device_bench *bench, const double *bytes, const double *seconds, int count) {
  double latency, bandwidth, worst;
  char bare[32], rate[32], from[32], predicted[32];
  roof_device_fit(bytes, seconds, count, &latency, &bandwidth, &worst);
  roof_quantity_format(bare, sizeof bare, latency, "s");
  roof_quantity_format(rate, sizeof rate, bandwidth, "B/s");
  roof_device_note(bench, "reads take %s + bytes / %s, within %.0f %% at each of %d sizes", bare, rate,
                   100 * worst, count);
  double launch = bench->machine->launch_seconds;
  double escaped = roof_device_reach(bytes, seconds, count, 2 * launch);
  if (!isnan(escaped)) {
    roof_device_note(
        bench,
        "the smallest read that takes as long again as an empty launch: %s measured, %s predicted "
        "(launch x bandwidth)",
        roof_bytes_format(from, sizeof from, escaped),
        roof_bytes_format(predicted, sizeof predicted, launch * bench->read_rate));
  }
}

roof_status roof_device_curve(roof_device_bench *bench, roof_error *error) {
  roof_machine *m = bench->machine;
  double bytes[ROOF_CURVE_MAX], seconds[ROOF_CURVE_MAX], before = 0;
  double step = bench->options->quick ? 8 : sqrt(2);
  roof_status status = ROOF_OK;
  int count = 0;
  roof_device_step(bench, "bandwidth against size");
  for (double wanted = 4096; wanted <= bench->bytes && count < ROOF_CURVE_MAX && status == ROOF_OK;
       wanted *= step) {
    status = read_size(bench, wanted, &bytes[count], &seconds[count], error);
    if (status == ROOF_OK && bytes[count] > before && bytes[count] <= bench->bytes) {
      before = bytes[count];
      m->curve[m->curve_count++] = (roof_curve_point){before, before / seconds[count]};
      count++;
    }
  }
  if (status == ROOF_OK && count > 1) {
    roof_device_keep(bench, "read of growing size, a launch each", 1, seconds, (size_t)count);
    note_curve(bench, bytes, seconds, count);
  }
  return status;
}
