/* Between host and accelerator: transfers, and what starting a kernel costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/figures.h"
#include "core/stats.h"
#include "host/clock.h"
#include "measure/device/bench.h"
#include "roofline/documents.h"

enum { TRANSFERS = 15, QUICK_TRANSFERS = 3, MODES = RF_LAUNCH_MODE_COUNT, ROUNDS = 9 };

/** One kind of transfer, to be timed. */
typedef struct passage {
  rf_device_bench *bench;
  rf_device_way way;
  bool pageable;
  int peer;         /**< or -1 */
  rf_device *other; /**< where copies go through the host's memory, to `landing`; NULL: not this way */
  void *landing;
  void *host;
  double bytes;
} passage;

/** To another device by way of the host's memory, for a driver that has no other. */
static roof_status pass_by_host(const passage *p, double *seconds, roof_error *error) {
  const rf_device_driver *driver = p->bench->device->driver;
  double start = rf_clock_seconds();
  roof_status status = driver->read(p->bench->device, p->host, p->bench->buffers[2], p->bytes, error);
  if (status == ROOF_OK) {
    status = driver->write(p->other, p->landing, p->host, p->bytes, error);
  }
  *seconds = rf_clock_seconds() - start;
  return status;
}

static roof_status pass(const passage *p, double *seconds, roof_error *error) {
  rf_device *device = p->bench->device;
  const rf_device_driver *driver = device->driver;
  if (p->other != NULL) {
    return pass_by_host(p, seconds, error);
  }
  if (p->peer >= 0) {
    return driver->to_peer(device, p->peer, p->bytes, seconds, error);
  }
  if (!p->pageable) {
    return driver->transfer(device, p->way, p->bench->buffers[2], p->bytes, seconds, error);
  }
  double start = rf_clock_seconds();
  roof_status status = driver->write(device, p->bench->buffers[2], p->host, p->bytes, error);
  *seconds = rf_clock_seconds() - start;
  return status;
}

static double median(double *values, int count) {
  rf_stats_sort(values, (size_t)count);
  return values[count / 2];
}

/** The median of some transfers after one that is not counted. */
static roof_status time_passage(const passage *p, const char *name, double *seconds, roof_error *error) {
  double times[TRANSFERS];
  int count = p->bench->options->quick ? QUICK_TRANSFERS : TRANSFERS;
  roof_status status = pass(p, &times[0], error);
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = pass(p, &times[i], error);
  }
  if (status == ROOF_OK) {
    rf_device_keep(p->bench, name, p->bytes, times, (size_t)count);
    *seconds = median(times, count);
  }
  return status;
}

/** One to the host, which joins no other device. */
static roof_link *add_link(rf_device_bench *bench, const char *name, double rate, const char *how) {
  roof_machine *m = bench->machine;
  roof_link *link = roof_machine_add_link(m);
  snprintf(link->name, sizeof link->name, "%s", name);
  snprintf(link->source, sizeof link->source, "measured: %s", how);
  snprintf(link->date, sizeof link->date, "%s", m->date);
  link->kind = ROOF_MEASURED;
  link->bytes_per_second = rate;
  link->count = link->joins = 1;
  link->both_ways_bytes_per_second = link->latency_seconds = NAN;
  return link;
}

/** Bandwidth, and what four bytes take. */
static roof_status measure_way(rf_device_bench *bench, rf_device_way way, double bytes, const char *name,
                               roof_error *error) {
  passage p = {.bench = bench, .way = way, .peer = -1, .bytes = bytes};
  double seconds = NAN, least = NAN;
  char small[96];
  roof_status status = time_passage(&p, name, &seconds, error);
  p.bytes = 4;
  snprintf(small, sizeof small, "%s, 4 B", name);
  if (status == ROOF_OK) {
    status = time_passage(&p, small, &least, error);
  }
  if (status == ROOF_OK) {
    roof_link *link =
        add_link(bench, name, bytes / seconds, "median of transfers from and to pinned memory, host's clock");
    link->latency_seconds = least;
  }
  return status;
}

static roof_status measure_pageable(rf_device_bench *bench, double bytes, roof_error *error) {
  static const char name[] = "host to device, pageable";
  passage p = {.bench = bench, .pageable = true, .peer = -1, .bytes = bytes};
  double seconds = NAN;
  roof_status status = rf_data_new(name, bytes, &p.host, error);
  if (status == ROOF_OK) {
    rf_data_fill(p.host, ROOF_FP32, (size_t)bytes / 4, 1, rf_device_host_threads());
    status = time_passage(&p, name, &seconds, error);
  }
  if (status == ROOF_OK) {
    add_link(bench, name, bytes / seconds, "median of transfers from ordinary memory, host's clock");
  }
  free(p.host);
  return status;
}

/** A link to the device of that number, as its machine will be named. */
static roof_status measure_peer(const passage *p, int number, const char *how, roof_error *error) {
  char name[48];
  double seconds = NAN;
  snprintf(name, sizeof name, ROOF_DEVICE_LINK "%d", number);
  roof_status status = time_passage(p, name, &seconds, error);
  if (status == ROOF_OK && p->bench->machine->link_count < ROOF_LINK_MAX) {
    add_link(p->bench, name, p->bytes / seconds, how)->joins = 2;
  }
  return status;
}

static roof_status measure_by_host(rf_device_bench *bench, int number, double bytes, roof_error *error) {
  const rf_device_driver *driver = bench->device->driver;
  passage p = {.bench = bench, .peer = -1, .bytes = bytes};
  roof_status status = driver->open(number, &p.other, error);
  if (status != ROOF_OK) {
    return status;
  }
  status = driver->allocate(p.other, bytes, &p.landing, error);
  if (status == ROOF_OK) {
    status = rf_data_new("copies between devices", bytes, &p.host, error);
  }
  if (status == ROOF_OK) {
    status = measure_peer(&p, number, "median of copies to this device through the host's memory", error);
  }
  free(p.host);
  driver->release(p.other, p.landing);
  driver->close(p.other);
  return status;
}

/** To each other device: directly where the driver can, else through the host. */
static roof_status measure_peers(rf_device_bench *bench, double bytes, roof_error *error) {
  const rf_device *device = bench->device;
  bool direct = device->driver->to_peer != NULL;
  int others = direct ? device->info.peers : device->driver->count() - 1;
  roof_status status = ROOF_OK;
  if (others <= 0) {
    rf_device_note(bench, "peer to peer: not measured: no other device can be reached from this one");
  }
  for (int i = 0; i < others && status == ROOF_OK; i++) {
    const passage p = {.bench = bench, .peer = i, .bytes = bytes};
    status = direct ? measure_peer(&p, device->info.peer_at[i], "median of copies to this device", error)
                    : measure_by_host(bench, i + (i >= bench->index), bytes, error);
  }
  return status;
}

roof_status rf_device_links(rf_device_bench *bench, roof_error *error) {
  static const double most = 256e6, quick_most = 4e6;
  double bytes = floor(fmin(bench->bytes, bench->options->quick ? quick_most : most) / 8) * 8, seconds = NAN;
  passage both = {.bench = bench, .way = RF_BOTH_WAYS, .peer = -1, .bytes = bytes};
  rf_device_step(bench, "host to device and back");
  roof_status status = measure_way(bench, RF_HOST_TO_DEVICE, bytes, "host to device, pinned", error);
  if (status == ROOF_OK) {
    status = measure_way(bench, RF_DEVICE_TO_HOST, bytes, "device to host, pinned", error);
  }
  if (status == ROOF_OK) {
    status = time_passage(&both, "both ways, pinned", &seconds, error);
  }
  if (status == ROOF_OK) {
    add_link(bench, "both ways at once, pinned", bytes / seconds / 2,
             "median of transfers both ways at once, host's clock")
        ->both_ways_bytes_per_second = bytes / seconds;
    status = measure_pageable(bench, bytes, error);
  }
  return status == ROOF_OK ? measure_peers(bench, bytes, error) : status;
}

static void add_cost(rf_device_bench *bench, const char *name, double *times, int count, int launches) {
  roof_machine *m = bench->machine;
  roof_cost *cost = roof_machine_add_cost(m);
  cost->kind = ROOF_MEASURED;
  cost->cores = 0;
  cost->seconds = median(times, count);
  cost->least_seconds = times[0];
  cost->most_seconds = times[count - 1];
  cost->clock_hz = NAN;
  cost->samples = count;
  cost->spread = (times[count * 3 / 4] - times[count / 4]) / cost->seconds;
  snprintf(cost->name, sizeof cost->name, "%s", name);
  snprintf(cost->source, sizeof cost->source, "measured: %d empty kernels per sample, host's clock",
           launches);
  snprintf(cost->date, sizeof cost->date, "%s", m->date);
}

/** Seconds per launch in one mode; a mode that the driver lacks is noted. */
static roof_status measure_mode(rf_device_bench *bench, rf_launch_mode mode, const char *name,
                                const rf_device_launch *launch, roof_error *error) {
  const rf_device_driver *driver = bench->device->driver;
  int launches = bench->options->quick ? 20 : 500, rounds = bench->options->quick ? 3 : ROUNDS;
  double times[ROUNDS] = {0};
  roof_error why = {0};
  roof_status status = driver->empty(bench->device, mode, launch, launches, &times[0], &why);
  if (status != ROOF_OK && mode == RF_LAUNCH_GRAPH) {
    rf_device_note(bench, "%s: not measured: %.200s", name, why.message);
    return ROOF_OK;
  }
  if (status != ROOF_OK) {
    return roof_error_set(error, status, "%s", why.message);
  }
  for (int i = 0; i < rounds && status == ROOF_OK; i++) {
    status = driver->empty(bench->device, mode, launch, launches, &times[i], error);
    times[i] /= launches;
  }
  if (status == ROOF_OK) {
    rf_device_keep(bench, name, 1, times, (size_t)rounds);
    add_cost(bench, name, times, rounds, launches);
  }
  return status;
}

roof_status rf_device_launches(rf_device_bench *bench, roof_error *error) {
  static const char *const names[MODES] = {"launch, back to back", "launch, synchronised",
                                           "launch, in a graph", "launch, dependent"};
  rf_device_launch launch = rf_device_launch_of("memory_nothing", 1, 1, 1, 1);
  rf_device_add_int(&launch, 0);
  roof_status status = rf_device_find(bench, bench->memory, &launch, error);
  for (int i = 0; i < MODES && status == ROOF_OK; i++) {
    rf_device_step(bench, names[i]);
    status = measure_mode(bench, (rf_launch_mode)i, names[i], &launch, error);
  }
  if (status == ROOF_OK) {
    roof_machine *m = bench->machine;
    const roof_cost *launches = &m->report->costs[0];
    m->launch_seconds = m->overhead_cutoff_seconds = launches->seconds;
    rf_origin_set(&m->launch_origin, ROOF_MEASURED, launches->source, m->date);
    rf_origin_set(&m->overhead_origin, ROOF_MEASURED, launches->source, m->date);
  }
  return status;
}
