/* Programs, launches and their times. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/clock.h"
#include "measure/cuda/cuda.h"

roof_status rf_cuda_build(rf_device *device, const rf_device_text *text, roof_dtype dtype, void **program,
                          roof_error *error) {
  cuda_open *o = cuda_of(device);
  const cuda_image *image = rf_cuda_image_find(text->name, roof_dtype_name(dtype));
  cuda_module module = NULL;
  char what[96];
  if (image == NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "program %s: not built for %s", text->name,
                          roof_dtype_name(dtype));
  }
  snprintf(what, sizeof what, "program %s on %.60s", text->name, o->device.info.architecture);
  roof_status status = rf_cuda_check(o->api, o->api->load(&module, image->data), what, error);
  if (status == ROOF_OK) {
    *program = module;
  }
  return status;
}

void rf_cuda_unload(rf_device *device, void *program) {
  if (program != NULL) {
    cuda_of(device)->api->unload(program);
  }
}

roof_status rf_cuda_find(rf_device *device, void *program, const char *entry, void **function,
                         roof_error *error) {
  cuda_open *o = cuda_of(device);
  cuda_function found = NULL;
  char what[96];
  snprintf(what, sizeof what, "kernel %.60s on %.20s", entry, o->device.info.architecture);
  roof_status status = rf_cuda_check(o->api, o->api->function(&found, program, entry), what, error);
  if (status == ROOF_OK) {
    *function = found;
  }
  return status;
}

/** A launch with its arguments in the form that cuLaunchKernel expects. */
typedef struct prepared {
  const rf_device_launch *launch;
  unsigned grid_x;
  cuda_pointer buffers[RF_DEVICE_ARGS];
  cuda_tensor_map maps[RF_DEVICE_ARGS];
  void *arguments[RF_DEVICE_ARGS];
} prepared;

/** The copy engine's description of bf16 matrices (fp16 is moved in the same way): boxes of 64 columns, 128
 * bytes, swizzled. */
static roof_status encode(cuda_open *o, const rf_device_arg *arg, cuda_tensor_map *map, roof_error *error) {
  const rf_device_tensor *t = &arg->tensor;
  const uint64_t sizes[] = {(uint64_t)t->columns, (uint64_t)t->rows, (uint64_t)t->planes};
  const uint64_t strides[] = {2 * sizes[0], 2 * sizes[0] * sizes[1]};
  const uint32_t box[] = {64, (uint32_t)t->box_rows, 1}, steps[] = {1, 1, 1};
  return rf_cuda_check(o->api,
                       o->api->tensor_map(map, CUDA_TENSOR_BF16, t->planes > 0 ? 3 : 2, t->buffer, sizes,
                                          strides, box, steps, 0, CUDA_TENSOR_SWIZZLE_128B,
                                          CUDA_TENSOR_L2_256B, 0),
                       "describing a matrix to the copy engine", error);
}

static roof_status prepare_argument(cuda_open *o, prepared *p, int i, roof_error *error) {
  const rf_device_arg *arg = &p->launch->args[i];
  if (arg->kind == RF_ARG_TENSOR) {
    p->arguments[i] = &p->maps[i];
    return encode(o, arg, &p->maps[i], error);
  }
  if (arg->kind == RF_ARG_BUFFER) {
    p->buffers[i] = cuda_address(arg->buffer);
    p->arguments[i] = &p->buffers[i];
  } else {
    p->arguments[i] = (void *)(uintptr_t)&arg->index; /* all other kinds of argument begin at the start of the
                                                         union */
  }
  return ROOF_OK;
}

/** Multiprocessors that blocks which stay can have: some cannot be paired where a chip has groups of odd size. */
static roof_status staying_units(cuda_open *o, const rf_device_launch *l, double *units, roof_error *error) {
  cuda_launch_attribute cluster = {.id = CUDA_CLUSTER_DIMENSION,
                                   .value.cluster = {(unsigned)l->cluster, 1, 1}};
  const cuda_launch_config config = {.grid = {(unsigned)l->cluster, 1, 1},
                                     .block = {l->items[0], l->items[1], l->items[2]},
                                     .shared = l->shared,
                                     .stream = o->stream,
                                     .attributes = &cluster,
                                     .count = 1};
  int clusters = 0;
  roof_status status = ROOF_OK;
  *units = o->device.info.units;
  if (l->cluster < 2) {
    return ROOF_OK;
  }
  CUDA_TRY(status, o, clusters(&clusters, l->function, &config), "asking how many clusters fit", error);
  if (status == ROOF_OK && clusters < 1) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%.60s: no cluster of %d blocks fits %.60s", l->entry,
                          l->cluster, o->device.info.name);
  }
  *units = fmin(*units, (double)clusters * l->cluster);
  return status;
}

static roof_status prepare(cuda_open *o, const rf_device_launch *launch, prepared *p, roof_error *error) {
  enum { ALWAYS = 48 << 10 }; /* bytes of shared memory available without opting in */
  roof_status status = ROOF_OK;
  p->launch = launch;
  p->grid_x = launch->groups[0];
  if (launch->shared > ALWAYS) {
    CUDA_TRY(status, o, function_set(launch->function, CUDA_FUNCTION_MAX_DYNAMIC_SHARED, (int)launch->shared),
             "requesting shared memory", error);
  }
  if (launch->groups[0] == 0 && status == ROOF_OK) {
    double units;
    status = staying_units(o, launch, &units, error);
    p->grid_x = status == ROOF_OK ? rf_device_staying(launch, units) : 0;
  }
  for (int i = 0; i < launch->arg_count && status == ROOF_OK; i++) {
    status = prepare_argument(o, p, i, error);
  }
  return status;
}

static roof_status start_one(cuda_open *o, prepared *p, cuda_stream stream, roof_error *error) {
  const rf_device_launch *l = p->launch;
  cuda_code code = o->api->launch(l->function, p->grid_x, l->groups[1], l->groups[2], l->items[0],
                                  l->items[1], l->items[2], l->shared, stream, p->arguments, NULL);
  if (code == 0) {
    return ROOF_OK;
  }
  char what[96];
  snprintf(what, sizeof what, "launching %.80s", l->entry);
  return rf_cuda_check(o->api, code, what, error);
}

roof_status rf_cuda_clock_start(cuda_open *o, roof_error *error) {
  return rf_cuda_check(o->api, o->api->event_record(o->start, o->stream), "starting the device's clock",
                       error);
}

/** Reads the sensors while the device works, at most twenty times per second because they are slow. */
static void look(cuda_open *o) {
  static const double apart = 0.05;
  double now = rf_clock_seconds();
  if (o->sensors != NULL && now - o->seen_at > apart) {
    rf_nvml_read(o->sensors, &o->seen);
    o->seen_at = now;
  }
}

roof_status rf_cuda_clock_stop(cuda_open *o, const char *of, double *seconds, roof_error *error) {
  roof_status status = ROOF_OK;
  float milliseconds = 0;
  char waiting[96];
  snprintf(waiting, sizeof waiting, "waiting for %.80s", of);
  CUDA_TRY(status, o, event_record(o->stop, o->stream), waiting, error); /* a kernel's fault is reported by
                                                                            any later call */
  if (status == ROOF_OK) {
    look(o);
  }
  CUDA_TRY(status, o, event_wait(o->stop), waiting, error);
  CUDA_TRY(status, o, event_elapsed(&milliseconds, o->start, o->stop), "reading the device's clock", error);
  if (status == ROOF_OK) {
    *seconds = 1e-3 * (double)milliseconds;
  }
  return status;
}

roof_status rf_cuda_time(rf_device *device, const rf_device_launch *launches, int count, int repeats,
                         double *seconds, roof_error *error) {
  cuda_open *o = cuda_of(device);
  prepared p[RF_DEVICE_LAUNCHES];
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = prepare(o, &launches[i], &p[i], error);
  }
  if (status == ROOF_OK) {
    status = rf_cuda_clock_start(o, error);
  }
  for (int i = 0; i < repeats * count && status == ROOF_OK; i++) {
    status = start_one(o, &p[i % count], o->stream, error);
  }
  return status == ROOF_OK ? rf_cuda_clock_stop(o, launches[0].entry, seconds, error) : status;
}

/* The launch modes: each function starts `count` empty kernels. */

static roof_status back_to_back(cuda_open *o, prepared *p, int count, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = start_one(o, p, o->stream, error);
  }
  return status;
}

static roof_status synchronised(cuda_open *o, prepared *p, int count, roof_error *error) {
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = start_one(o, p, o->stream, error);
    CUDA_TRY(status, o, stream_wait(o->stream), "waiting for a kernel", error);
  }
  return status;
}

/** Each kernel waits on the other stream for the event after the previous one. */
static roof_status dependent(cuda_open *o, prepared *p, int count, roof_error *error) {
  cuda_stream streams[] = {o->stream, o->second};
  roof_status status = ROOF_OK;
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    status = start_one(o, p, streams[i % 2], error);
    CUDA_TRY(status, o, event_record(o->stop, streams[i % 2]), "marking a kernel's end", error);
    CUDA_TRY(status, o, stream_after(streams[(i + 1) % 2], o->stop, 0), "waiting for an event", error);
  }
  CUDA_TRY(status, o, stream_wait(o->second), "waiting for the device", error);
  return status;
}

static roof_status time_starts(cuda_open *o,
                               roof_status (*starts)(cuda_open *, prepared *, int, roof_error *), prepared *p,
                               int count, double *seconds, roof_error *error) {
  double start = rf_clock_seconds();
  roof_status status = starts(o, p, count, error);
  CUDA_TRY(status, o, stream_wait(o->stream), "waiting for the device", error);
  *seconds = rf_clock_seconds() - start;
  return status;
}

/** Captures `count` launches as a graph. */
static roof_status capture(cuda_open *o, prepared *p, int count, cuda_graph *graph, roof_error *error) {
  roof_status status = ROOF_OK;
  CUDA_TRY(status, o, capture_begin(o->stream, CUDA_CAPTURE_THREAD_LOCAL), "recording a graph", error);
  if (status == ROOF_OK) {
    status = back_to_back(o, p, count, error);
    roof_status ended = rf_cuda_check(o->api, o->api->capture_end(o->stream, graph), "recording a graph",
                                      status == ROOF_OK ? error : NULL);
    status = status == ROOF_OK ? ended : status;
  }
  return status;
}

/** One launch before the timing. */
static roof_status replay(cuda_open *o, cuda_graph_exec exec, double *seconds, roof_error *error) {
  static const char what[] = "replaying a graph";
  roof_status status = ROOF_OK;
  for (int i = 0; i < 2; i++) {
    double start = rf_clock_seconds();
    CUDA_TRY(status, o, graph_launch(exec, o->stream), what, error);
    CUDA_TRY(status, o, stream_wait(o->stream), what, error);
    *seconds = rf_clock_seconds() - start;
  }
  return status;
}

static roof_status graph(cuda_open *o, prepared *p, int count, double *seconds, roof_error *error) {
  cuda_graph recorded = NULL;
  cuda_graph_exec exec = NULL;
  roof_status status = capture(o, p, count, &recorded, error);
  CUDA_TRY(status, o, graph_make(&exec, recorded, 0), "making a graph", error);
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

roof_status rf_cuda_empty(rf_device *device, rf_launch_mode mode, const rf_device_launch *launch, int count,
                          double *seconds, roof_error *error) {
  static roof_status (*const starts[RF_LAUNCH_MODE_COUNT])(cuda_open *, prepared *, int, roof_error *) = {
      [RF_LAUNCH_BACK_TO_BACK] = back_to_back,
      [RF_LAUNCH_SYNCHRONISED] = synchronised,
      [RF_LAUNCH_DEPENDENT] = dependent};
  cuda_open *o = cuda_of(device);
  prepared p;
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
