/* Memory, launches and their times for drivers that have streams, events and graphs: CUDA's and HIP's. */
#include "measure/device/streams.h"

#include <math.h>
#include <stdio.h>

#include "host/clock.h"

static rf_streams *of(rf_device *device) {
  return (rf_streams *)device;
}

/** A fault of a kernel is an internal error; all other codes mean that this device or driver cannot do it now.
 *  hipError_t has the numbers of CUresult here. */
static roof_status status_of(int code) {
  enum { ILLEGAL_ADDRESS = 700, LAUNCH_RESOURCES = 701, LAUNCH_FAILED = 719, TENSOR_MEMORY_LEAK = 721 };
  bool fault = (code >= ILLEGAL_ADDRESS && code <= LAUNCH_FAILED) || code == TENSOR_MEMORY_LEAK;
  return fault && code != LAUNCH_RESOURCES ? ROOF_E_INTERNAL : ROOF_E_UNSUPPORTED;
}

roof_status rf_streams_check(const rf_streams_api *api, int code, const char *what, roof_error *error) {
  const char *name = NULL, *text = NULL;
  if (code == 0) {
    return ROOF_OK;
  }
  api->explain(code, &name, &text);
  return roof_error_set(error, status_of(code), "%s: %s (%s)", what, text != NULL ? text : "unknown error",
                        name != NULL ? name : "?");
}

double rf_streams_attribute(const rf_streams *o, int which) {
  int value = 0;
  return o->api->device_attribute(&value, which, o->id) == 0 ? (double)value : (double)NAN;
}

static void find_peers(rf_streams *o) {
  rf_device_info *info = &o->device.info;
  int count = 0, can;
  o->api->device_count(&count);
  for (int i = 0; i < count && info->peers < RF_DEVICE_PEERS; i++) {
    can = 0;
    if (i != o->id && o->api->peer(&can, o->id, i) == 0 && can) {
      info->peer_at[info->peers] = i;
      o->peers[info->peers++] = i;
    }
  }
}

void rf_streams_describe(rf_streams *o) {
  rf_device_info *info = &o->device.info;
  size_t bytes = 0;
  rf_device_info_init(info);
  snprintf(info->device_class, sizeof info->device_class, "gpu");
  o->api->device_name(info->name, sizeof info->name, o->id);
  info->memory_bytes = o->api->device_memory(&bytes, o->id) == 0 ? (double)bytes : NAN;
  info->allocation_bytes = info->memory_bytes;
  find_peers(o);
}

roof_status rf_streams_start(rf_streams *o, roof_error *error) {
  roof_status status = ROOF_OK;
  RF_STREAMS_TRY(status, o, stream_new(&o->stream, RF_STREAM_NON_BLOCKING), "making a stream", error);
  RF_STREAMS_TRY(status, o, stream_new(&o->second, RF_STREAM_NON_BLOCKING), "making a stream", error);
  RF_STREAMS_TRY(status, o, event_new(&o->start, 0), "making an event", error);
  RF_STREAMS_TRY(status, o, event_new(&o->stop, 0), "making an event", error);
  return status;
}

static void release_pinned(rf_streams *o) {
  for (int i = 0; i < 2; i++) {
    if (o->pinned[i] != NULL) {
      o->api->release_host(o->pinned[i]);
    }
    o->pinned[i] = NULL;
  }
  o->pinned_bytes = 0;
}

void rf_streams_stop(rf_streams *o) {
  rf_event events[] = {o->start, o->stop};
  rf_stream_handle streams[] = {o->stream, o->second};
  release_pinned(o);
  for (int i = 0; i < 2; i++) {
    if (events[i] != NULL) {
      o->api->event_free(events[i]);
    }
    if (streams[i] != NULL) {
      o->api->stream_free(streams[i]);
    }
  }
}

/* Memory. */

roof_status rf_streams_allocate(rf_device *device, double bytes, void **buffer, roof_error *error) {
  rf_streams *o = of(device);
  void *memory = NULL;
  char what[64];
  snprintf(what, sizeof what, "allocating %.0f bytes of device memory", bytes);
  roof_status status = rf_streams_check(o->api, o->api->allocate(&memory, (size_t)bytes), what, error);
  if (status == ROOF_OK) {
    *buffer = memory;
  }
  return status;
}

void rf_streams_release(rf_device *device, void *buffer) {
  if (buffer != NULL) {
    of(device)->api->release(buffer);
  }
}

/* Uses the kernels' stream: a copy in another stream would not be ordered with them, and might not be
 * complete when the call returns. */

roof_status rf_streams_write(rf_device *device, void *buffer, const void *from, double bytes,
                             roof_error *error) {
  rf_streams *o = of(device);
  static const char what[] = "copying to the device";
  roof_status status = ROOF_OK;
  RF_STREAMS_TRY(status, o, write_async(buffer, from, (size_t)bytes, o->stream), what, error);
  RF_STREAMS_TRY(status, o, stream_wait(o->stream), what, error);
  return status;
}

roof_status rf_streams_read(rf_device *device, void *to, void *buffer, double bytes, roof_error *error) {
  rf_streams *o = of(device);
  static const char what[] = "copying from the device";
  roof_status status = ROOF_OK;
  RF_STREAMS_TRY(status, o, read_async(to, buffer, (size_t)bytes, o->stream), what, error);
  RF_STREAMS_TRY(status, o, stream_wait(o->stream), what, error);
  return status;
}

/** Two buffers of pinned memory, of at least `bytes` each. */
static roof_status pin(rf_streams *o, size_t bytes, roof_error *error) {
  roof_status status = ROOF_OK;
  if (bytes <= o->pinned_bytes) {
    return ROOF_OK;
  }
  release_pinned(o);
  RF_STREAMS_TRY(status, o, allocate_host(&o->pinned[0], bytes, 0), "pinning host memory", error);
  RF_STREAMS_TRY(status, o, allocate_host(&o->pinned[1], bytes, 0), "pinning host memory", error);
  o->pinned_bytes = status == ROOF_OK ? bytes : 0;
  return status;
}

roof_status rf_streams_transfer(rf_device *device, rf_device_way way, void *buffer, double bytes,
                                double *seconds, roof_error *error) {
  rf_streams *o = of(device);
  size_t part = way == RF_BOTH_WAYS ? (size_t)(bytes / 2) : (size_t)bytes;
  char *other = (char *)buffer + (way == RF_BOTH_WAYS ? part : 0);
  static const char what[] = "copying between host and device";
  roof_status status = pin(o, part, error);
  double start = rf_clock_seconds();
  if (way != RF_DEVICE_TO_HOST) {
    RF_STREAMS_TRY(status, o, write_async(buffer, o->pinned[0], part, o->stream), what, error);
  }
  if (way != RF_HOST_TO_DEVICE) {
    RF_STREAMS_TRY(status, o, read_async(o->pinned[1], other, part, o->second), what, error);
  }
  RF_STREAMS_TRY(status, o, stream_wait(o->stream), what, error);
  RF_STREAMS_TRY(status, o, stream_wait(o->second), what, error);
  if (status == ROOF_OK) {
    *seconds = rf_clock_seconds() - start;
  }
  return status;
}

/** One copy between two buffers by the stream's clock. */
static roof_status time_peer(rf_streams *o, int peer, void *to, void *from, size_t bytes, double *seconds,
                             roof_error *error) {
  roof_status status = rf_streams_clock_start(o, error);
  if (status == ROOF_OK) {
    status = rf_streams_check(o->api, o->copy_peer(o, peer, to, from, bytes), "copying to the peer", error);
  }
  return status == ROOF_OK ? rf_streams_clock_stop(o, "a copy to the peer", seconds, error) : status;
}

/** Allocates memory on the peer (`release` NULL), or releases it. */
static roof_status on_peer(rf_streams *o, int peer, size_t bytes, void **memory, void *release,
                           roof_error *error) {
  roof_status status = o->go_to(o, peer, error);
  if (release != NULL) {
    o->api->release(release);
  } else {
    RF_STREAMS_TRY(status, o, allocate(memory, bytes), "allocating on the peer", error);
  }
  o->go_to(o, -1, NULL);
  return status;
}

roof_status rf_streams_to_peer(rf_device *device, int index, double bytes, double *seconds,
                               roof_error *error) {
  rf_streams *o = of(device);
  void *to = NULL, *from = NULL;
  roof_status status = on_peer(o, index, (size_t)bytes, &to, NULL, error);
  RF_STREAMS_TRY(status, o, allocate(&from, (size_t)bytes), "allocating for the peer", error);
  if (status == ROOF_OK) {
    status = time_peer(o, index, to, from, (size_t)bytes, seconds, error);
  }
  if (from != NULL) {
    o->api->release(from);
  }
  if (to != NULL) {
    on_peer(o, index, 0, NULL, to, NULL);
  }
  return status;
}

/* Programs. */

roof_status rf_streams_load(rf_streams *o, const char *name, const void *image, void **program,
                            roof_error *error) {
  rf_module module = NULL;
  char what[96];
  snprintf(what, sizeof what, "program %.30s on %.50s", name, o->device.info.architecture);
  roof_status status = rf_streams_check(o->api, o->api->load(&module, image), what, error);
  if (status == ROOF_OK) {
    *program = module;
  }
  return status;
}

void rf_streams_unload(rf_device *device, void *program) {
  if (program != NULL) {
    of(device)->api->unload(program);
  }
}

roof_status rf_streams_find(rf_device *device, void *program, const char *entry, void **function,
                            roof_error *error) {
  rf_streams *o = of(device);
  void *found = NULL;
  char what[96];
  snprintf(what, sizeof what, "kernel %.60s on %.20s", entry, o->device.info.architecture);
  roof_status status = rf_streams_check(o->api, o->api->function(&found, program, entry), what, error);
  if (status == ROOF_OK) {
    *function = found;
  }
  return status;
}

/* Launches. */

static roof_status prepare(rf_streams *o, const rf_device_launch *launch, rf_ready_launch *p,
                           roof_error *error) {
  p->launch = launch;
  p->grid_x = launch->groups[0];
  for (int i = 0; i < launch->arg_count; i++) { /* every kind of argument begins at the start of the union */
    p->arguments[i] = (void *)(uintptr_t)&launch->args[i].index;
  }
  return o->prepare != NULL ? o->prepare(o, p, error) : ROOF_OK;
}

static roof_status start_one(rf_streams *o, rf_ready_launch *p, rf_stream_handle stream, roof_error *error) {
  const rf_device_launch *l = p->launch;
  int code = l->early && o->start_early != NULL
                 ? o->start_early(o, p, stream)
                 : o->api->launch(l->function, p->grid_x, l->groups[1], l->groups[2], l->items[0],
                                  l->items[1], l->items[2], l->shared, stream, p->arguments, NULL);
  if (code == 0) {
    return ROOF_OK;
  }
  char what[96];
  snprintf(what, sizeof what, "launching %.80s", l->entry);
  return rf_streams_check(o->api, code, what, error);
}

roof_status rf_streams_clock_start(rf_streams *o, roof_error *error) {
  return rf_streams_check(o->api, o->api->event_record(o->start, o->stream), "starting the device's clock",
                          error);
}

roof_status rf_streams_clock_stop(rf_streams *o, const char *work, double *seconds, roof_error *error) {
  roof_status status = ROOF_OK;
  float milliseconds = 0;
  char waiting[96];
  snprintf(waiting, sizeof waiting, "waiting for %.80s", work);
  RF_STREAMS_TRY(status, o, event_record(o->stop, o->stream), waiting, error); /* a kernel's fault is reported
                                                                                  by any later call */
  if (status == ROOF_OK && o->look != NULL) {
    o->look(o);
  }
  RF_STREAMS_TRY(status, o, event_wait(o->stop), waiting, error);
  RF_STREAMS_TRY(status, o, event_elapsed(&milliseconds, o->start, o->stop), "reading the device's clock",
                 error);
  if (status == ROOF_OK) {
    *seconds = 1e-3 * (double)milliseconds;
  }
  return status;
}

roof_status rf_streams_time(rf_device *device, const rf_device_launch *launches, int count, int repeats,
                            double *seconds, roof_error *error) {
  rf_streams *o = of(device);
  rf_ready_launch p[RF_DEVICE_LAUNCHES] = {0};
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = prepare(o, &launches[i], &p[i], error);
  }
  if (status == ROOF_OK) {
    status = rf_streams_clock_start(o, error);
  }
  for (int i = 0; i < repeats && status == ROOF_OK; i++) {
    for (int k = 0; k < count && status == ROOF_OK; k++) {
      status = start_one(o, &p[k], o->stream, error);
    }
  }
  return status == ROOF_OK ? rf_streams_clock_stop(o, launches[0].entry, seconds, error) : status;
}

/* The launch modes: each function starts `count` empty kernels. */

static roof_status back_to_back(rf_streams *o, rf_ready_launch *p, int count, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = start_one(o, p, o->stream, error);
  }
  return status;
}

static roof_status synchronised(rf_streams *o, rf_ready_launch *p, int count, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = start_one(o, p, o->stream, error);
    RF_STREAMS_TRY(status, o, stream_wait(o->stream), "waiting for a kernel", error);
  }
  return status;
}

/** Each kernel waits on the other stream for the event after the previous one. */
static roof_status dependent(rf_streams *o, rf_ready_launch *p, int count, roof_error *error) {
  rf_stream_handle streams[] = {o->stream, o->second};
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = start_one(o, p, streams[i % 2], error);
    RF_STREAMS_TRY(status, o, event_record(o->stop, streams[i % 2]), "marking a kernel's end", error);
    RF_STREAMS_TRY(status, o, stream_after(streams[(i + 1) % 2], o->stop, 0), "waiting for an event", error);
  }
  RF_STREAMS_TRY(status, o, stream_wait(o->second), "waiting for the device", error);
  return status;
}

static roof_status time_starts(rf_streams *o,
                               roof_status (*starts)(rf_streams *, rf_ready_launch *, int, roof_error *),
                               rf_ready_launch *p, int count, double *seconds, roof_error *error) {
  double start = rf_clock_seconds();
  roof_status status = starts(o, p, count, error);
  RF_STREAMS_TRY(status, o, stream_wait(o->stream), "waiting for the device", error);
  *seconds = rf_clock_seconds() - start;
  return status;
}

/** Captures `count` launches as a graph. */
static roof_status capture(rf_streams *o, rf_ready_launch *p, int count, rf_graph *graph, roof_error *error) {
  roof_status status = ROOF_OK;
  RF_STREAMS_TRY(status, o, capture_begin(o->stream, RF_CAPTURE_THREAD_LOCAL), "recording a graph", error);
  if (status == ROOF_OK) {
    status = back_to_back(o, p, count, error);
    roof_status ended = rf_streams_check(o->api, o->api->capture_end(o->stream, graph), "recording a graph",
                                         status == ROOF_OK ? error : NULL);
    status = status == ROOF_OK ? ended : status;
  }
  return status;
}

/** One launch before the timing. */
static roof_status replay(rf_streams *o, rf_graph_exec exec, double *seconds, roof_error *error) {
  static const char what[] = "replaying a graph";
  roof_status status = ROOF_OK;
  for (int i = 0; i < 2; i++) {
    double start = rf_clock_seconds();
    RF_STREAMS_TRY(status, o, graph_launch(exec, o->stream), what, error);
    RF_STREAMS_TRY(status, o, stream_wait(o->stream), what, error);
    *seconds = rf_clock_seconds() - start;
  }
  return status;
}

static roof_status graph(rf_streams *o, rf_ready_launch *p, int count, double *seconds, roof_error *error) {
  rf_graph recorded = NULL;
  rf_graph_exec exec = NULL;
  roof_status status = capture(o, p, count, &recorded, error);
  RF_STREAMS_TRY(status, o, graph_make(&exec, recorded, 0), "making a graph", error);
  if (status == ROOF_OK) {
    status = replay(o, exec, seconds, error);
  }
  if (exec != NULL) {
    o->api->graph_exec_free(exec);
  }
  if (recorded != NULL) {
    o->api->graph_free(recorded);
  }
  return status;
}

roof_status rf_streams_empty(rf_device *device, rf_launch_mode mode, const rf_device_launch *launch,
                             int count, double *seconds, roof_error *error) {
  static roof_status (*const starts[RF_LAUNCH_MODE_COUNT])(
      rf_streams *, rf_ready_launch *, int, roof_error *) = {[RF_LAUNCH_BACK_TO_BACK] = back_to_back,
                                                             [RF_LAUNCH_SYNCHRONISED] = synchronised,
                                                             [RF_LAUNCH_DEPENDENT] = dependent};
  rf_streams *o = of(device);
  rf_ready_launch p = {0};
  double taken = 0;
  roof_status status = prepare(o, launch, &p, error);
  if (status == ROOF_OK) {
    status = mode == RF_LAUNCH_GRAPH ? graph(o, &p, count, &taken, error)
                                     : time_starts(o, starts[mode], &p, count, &taken, error);
  }
  if (status == ROOF_OK) {
    *seconds = taken;
  }
  return status;
}
