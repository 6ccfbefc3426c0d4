/* The kernels that move memory: how they are launched, and whether they do what they should. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/data.h"
#include "measure/device/bench.h"

enum { AHEAD = 4 };

static const float filled = 0.625f;

/** What a pattern takes, and what it leaves in element `index` of its output. */
static const struct {
  const char *name;
  const char *entries[3]; /**< by width: 1, 2, 4 */
  int buffers;            /**< arguments, the last of them written */
  int moved;              /**< times the bytes of one buffer */
} patterns[RF_DEVICE_PATTERNS] = {
    {"memory read", {"memory_read_1", "memory_read_2", "memory_read_4"}, 1, 1},
    {"memory write", {"memory_write_1", "memory_write_2", "memory_write_4"}, 1, 1},
    {"memory copy", {"memory_copy_1", "memory_copy_2", "memory_copy_4"}, 2, 2},
    {"memory triad", {"memory_triad_1", "memory_triad_2", "memory_triad_4"}, 3, 3},
};

const char *rf_device_pattern_name(rf_device_pattern pattern) {
  return patterns[pattern].name;
}

double rf_device_elements(const rf_device_layout *l, double bytes) {
  double together = (double)AHEAD * l->items * l->groups;
  return fmax(1, floor(bytes / 4 / l->width / together)) * together;
}

/** With the buffers, the first element and their number. */
static rf_device_launch start(const rf_device_bench *bench, rf_device_pattern pattern,
                              const rf_device_layout *layout, double from, double elements) {
  rf_device_launch launch =
      rf_device_launch_of(patterns[pattern].entries[layout->width / 2], layout->groups, 1, layout->items, 1);
  if (pattern == RF_DEVICE_READ) {
    rf_device_add_buffer(&launch, bench->buffers[0]);
    rf_device_add_buffer(&launch, bench->results);
  }
  for (int i = RF_DEVICE_BUFFERS - patterns[pattern].buffers;
       i < RF_DEVICE_BUFFERS && pattern != RF_DEVICE_READ; i++) {
    rf_device_add_buffer(&launch, bench->buffers[i]);
  }
  rf_device_add_index(&launch, floor(from / 4 / layout->width));
  rf_device_add_index(&launch, elements);
  return launch;
}

static rf_device_launch read_launch(const rf_device_bench *bench, const rf_device_layout *layout, double from,
                                    double elements, int passes, float keep) {
  rf_device_launch launch = start(bench, RF_DEVICE_READ, layout, from, elements);
  rf_device_add_int(&launch, passes);
  rf_device_add_float(&launch, keep);
  return launch;
}

rf_device_launch rf_device_mover(const rf_device_bench *bench, rf_device_pattern pattern,
                                 const rf_device_layout *layout, double from, double *bytes) {
  double elements = rf_device_elements(layout, *bytes);
  *bytes = elements * layout->width * 4 * patterns[pattern].moved;
  if (pattern == RF_DEVICE_READ) {
    return read_launch(bench, layout, from, elements, 1, FLT_MAX);
  }
  rf_device_launch launch = start(bench, pattern, layout, from, elements);
  if (pattern == RF_DEVICE_WRITE) {
    rf_device_add_float(&launch, filled);
  }
  return launch;
}

rf_device_launch rf_device_reader(const rf_device_bench *bench, const rf_device_layout *layout, double *bytes,
                                  int passes) {
  double elements = rf_device_elements(layout, *bytes);
  *bytes = elements * layout->width * 4 * passes;
  return read_launch(bench, layout, 0, elements, passes, FLT_MAX);
}

roof_status rf_device_sums(rf_device_bench *bench, const rf_device_launch *launch, void *sums, size_t count,
                           roof_error *error) {
  const rf_device_driver *driver = bench->device->driver;
  double bytes = 4.0 * (double)count, seconds;
  memset(sums, 0, (size_t)bytes);
  roof_status status = driver->write(bench->device, bench->results, sums, bytes, error);
  if (status == ROOF_OK) {
    status = driver->time(bench->device, launch, 1, 1, &seconds, error);
  }
  return status == ROOF_OK ? driver->read(bench->device, sums, bench->results, bytes, error) : status;
}

static float random_at(size_t index) {
  return (float)rf_random_at(RF_DEVICE_SEED, index);
}

/** All work-items' sums together are the sum of what was read. */
static roof_status check_read(rf_device_bench *bench, const rf_device_layout *layout, double elements,
                              float *sums, bool *right, roof_error *error) {
  size_t items = (size_t)layout->items * (size_t)layout->groups;
  size_t count = (size_t)elements * (size_t)layout->width;
  rf_device_launch launch = read_launch(bench, layout, 4.0 * layout->width, elements, 1, -FLT_MAX);
  roof_status status = rf_device_find(bench, bench->memory, &launch, error);
  if (status == ROOF_OK) {
    status = rf_device_sums(bench, &launch, sums, items, error);
  }
  double total = 0, expected = 0;
  for (size_t i = 0; i < items && status == ROOF_OK; i++) {
    total += (double)sums[i];
  }
  for (size_t i = 0; i < count; i++) {
    expected += (double)random_at(i + (size_t)layout->width);
  }
  *right = fabs(total - expected) <= 1e-4 * sqrt((double)count); /* a part left out is of the order of 1 */
  return status;
}

static double expected_at(rf_device_pattern pattern, const rf_device_layout *layout, size_t index) {
  double number = (double)random_at(index);
  return pattern == RF_DEVICE_WRITE
             ? (double)filled + (double)(index / (size_t)layout->width % (size_t)layout->items)
         : pattern == RF_DEVICE_COPY ? number
                                     : number + 0.75 * number;
}

/** Every element that was written is what it should be. */
static roof_status check_written(rf_device_bench *bench, rf_device_pattern pattern,
                                 const rf_device_layout *layout, double elements, float *data, bool *right,
                                 roof_error *error) {
  static const double rounding = 1e-6;
  const rf_device_driver *driver = bench->device->driver;
  double bytes = elements * layout->width * 4, seconds, moved = bytes;
  rf_device_launch launch = rf_device_mover(bench, pattern, layout, 0, &moved);
  memset(data, 0, (size_t)bytes);
  roof_status status = rf_device_find(bench, bench->memory, &launch, error);
  if (status == ROOF_OK) {
    status = driver->write(bench->device, bench->buffers[2], data, bytes, error);
  }
  if (status == ROOF_OK) {
    status = driver->time(bench->device, &launch, 1, 1, &seconds, error);
  }
  if (status == ROOF_OK) {
    status = driver->read(bench->device, data, bench->buffers[2], bytes, error);
  }
  *right = true;
  for (size_t i = 0; i < (size_t)(bytes / 4) && status == ROOF_OK; i++) {
    double expected = expected_at(pattern, layout, i);
    *right = *right && fabs((double)data[i] - expected) <= rounding * fabs(expected);
  }
  return status;
}

roof_status rf_device_check_pattern(rf_device_bench *bench, rf_device_pattern pattern,
                                    const rf_device_layout *layout, bool *right, roof_error *error) {
  enum { GROUPS = 3, ROUNDS = 2 };
  rf_device_layout few = *layout;
  few.groups = (int)fmin(GROUPS, layout->groups);
  double elements = (double)ROUNDS * AHEAD * few.items * few.groups, bytes = elements * few.width * 4;
  *right = false;
  if (bytes + 4 * few.width > bench->bytes) {
    return ROOF_OK;
  }
  float *data = malloc((size_t)bytes);
  if (data == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", patterns[pattern].name);
  }
  roof_status status = pattern == RF_DEVICE_READ
                           ? check_read(bench, &few, elements, data, right, error)
                           : check_written(bench, pattern, &few, elements, data, right, error);
  free(data);
  return status;
}
