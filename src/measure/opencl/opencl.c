/* OpenCL: any accelerator with a driver, and through PoCL any processor. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "measure/opencl/api.h"

/** One kernel of a program, found before. */
typedef struct function {
  cl_kernel kernel;
  char entry[64];
  struct function *next;
} function;

typedef struct program {
  cl_program built;
  function *functions;
} program;

typedef struct opencl_device {
  rf_device base;
  const rf_opencl_api *api;
  cl_device_id id;
  cl_context context;
  cl_command_queue queues[2]; /**< the second for copies at the same time as the first's */
  cl_mem pinned;
  char *host; /**< `pinned` as the host sees it */
  double pinned_bytes;
} opencl_device;

static const char *disabled_reason(void) {
  return rf_opencl_library()->reason;
}

static int count(void) {
  return rf_opencl_library()->count;
}

/** Keeps the earlier status and its error. */
static roof_status then(roof_status status, cl_int code, const char *call, roof_error *error) {
  return status != ROOF_OK ? status : rf_opencl_check(code, call, "", error);
}

static void unpin(opencl_device *d) {
  if (d->host != NULL) {
    d->api->EnqueueUnmapMemObject(d->queues[0], d->pinned, d->host, 0, NULL, NULL);
    d->api->Finish(d->queues[0]);
  }
  if (d->pinned != NULL) {
    d->api->ReleaseMemObject(d->pinned);
  }
  d->host = NULL;
  d->pinned = NULL;
  d->pinned_bytes = 0;
}

static void close_device(rf_device *device) {
  opencl_device *d = (opencl_device *)device;
  if (d == NULL) {
    return;
  }
  unpin(d);
  for (int i = 0; i < 2; i++) {
    if (d->queues[i] != NULL) {
      d->api->ReleaseCommandQueue(d->queues[i]);
    }
  }
  if (d->context != NULL) {
    d->api->ReleaseContext(d->context);
  }
  free(d);
}

static roof_status open_device(int index, rf_device **device, roof_error *error) {
  const rf_opencl *cl = rf_opencl_library();
  if (cl->reason != NULL) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "opencl: %s", cl->reason);
  }
  opencl_device *d = calloc(1, sizeof *d);
  if (d == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "opencl: out of memory");
  }
  cl_int code = CL_SUCCESS;
  d->base.driver = &rf_opencl_driver;
  d->api = &cl->api;
  d->id = cl->devices[index];
  rf_opencl_describe(cl, index, &d->base.info);
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              (cl_context_properties)cl->platforms[index], 0};
  d->context = cl->api.CreateContext(properties, 1, &d->id, NULL, NULL, &code);
  roof_status status = then(ROOF_OK, code, "clCreateContext", error);
  for (int i = 0; i < 2 && status == ROOF_OK; i++) {
    d->queues[i] = cl->api.CreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &code);
    status = then(ROOF_OK, code, "clCreateCommandQueue", error);
  }
  if (status != ROOF_OK) {
    close_device(&d->base);
    return status;
  }
  *device = &d->base;
  return ROOF_OK;
}

static roof_status allocate(rf_device *device, double bytes, void **buffer, roof_error *error) {
  opencl_device *d = (opencl_device *)device;
  cl_int code = CL_SUCCESS;
  char what[48];
  cl_mem memory = d->api->CreateBuffer(d->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
  snprintf(what, sizeof what, "of %.0f bytes", bytes);
  roof_status status = rf_opencl_check(code, "clCreateBuffer", what, error);
  if (status == ROOF_OK) {
    *buffer = memory;
  }
  return status;
}

static void release(rf_device *device, void *buffer) {
  if (buffer != NULL) {
    ((opencl_device *)device)->api->ReleaseMemObject(buffer);
  }
}

static roof_status write_buffer(rf_device *device, void *buffer, const void *from, double bytes,
                                roof_error *error) {
  opencl_device *d = (opencl_device *)device;
  return rf_opencl_check(
      d->api->EnqueueWriteBuffer(d->queues[0], buffer, CL_TRUE, 0, (size_t)bytes, from, 0, NULL, NULL),
      "clEnqueueWriteBuffer", "", error);
}

static roof_status read_buffer(rf_device *device, void *to, void *buffer, double bytes, roof_error *error) {
  opencl_device *d = (opencl_device *)device;
  return rf_opencl_check(
      d->api->EnqueueReadBuffer(d->queues[0], buffer, CL_TRUE, 0, (size_t)bytes, to, 0, NULL, NULL),
      "clEnqueueReadBuffer", "", error);
}

/** Pinned memory of the host as OpenCL has it: allocated by the driver, mapped. */
static roof_status pin(opencl_device *d, double bytes, roof_error *error) {
  cl_int code = CL_SUCCESS;
  if (bytes <= d->pinned_bytes) {
    return ROOF_OK;
  }
  unpin(d);
  d->pinned =
      d->api->CreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, (size_t)bytes, NULL, &code);
  roof_status status = then(ROOF_OK, code, "clCreateBuffer", error);
  if (status == ROOF_OK) {
    d->host = d->api->EnqueueMapBuffer(d->queues[0], d->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                       (size_t)bytes, 0, NULL, NULL, &code);
    status = then(ROOF_OK, code, "clEnqueueMapBuffer", error);
  }
  if (status == ROOF_OK) {
    d->pinned_bytes = bytes;
    rf_data_fill(d->host, ROOF_FP32, (size_t)bytes / 4, 1, 1);
  }
  return status;
}

static roof_status transfer(rf_device *device, rf_device_way way, void *buffer, double bytes, double *seconds,
                            roof_error *error) {
  opencl_device *d = (opencl_device *)device;
  roof_status status = pin(d, bytes, error);
  if (status != ROOF_OK) {
    return status;
  }
  size_t half = (size_t)bytes / 2, in = way == RF_BOTH_WAYS ? half : (size_t)bytes, out = in;
  double start = rf_clock_seconds();
  if (way != RF_DEVICE_TO_HOST) {
    status = then(status,
                  d->api->EnqueueWriteBuffer(d->queues[0], buffer, CL_FALSE, 0, in, d->host, 0, NULL, NULL),
                  "clEnqueueWriteBuffer", error);
  }
  if (way != RF_HOST_TO_DEVICE) {
    size_t from = way == RF_BOTH_WAYS ? half : 0;
    status = then(
        status,
        d->api->EnqueueReadBuffer(d->queues[1], buffer, CL_FALSE, from, out, d->host + from, 0, NULL, NULL),
        "clEnqueueReadBuffer", error);
  }
  for (int i = 0; i < 2; i++) {
    d->api->Flush(d->queues[i]);
  }
  for (int i = 0; i < 2; i++) {
    status = then(status, d->api->Finish(d->queues[i]), "clFinish", error);
  }
  *seconds = rf_clock_seconds() - start;
  return status;
}

static void unload(rf_device *device, void *handle) {
  const rf_opencl_api *api = ((opencl_device *)device)->api;
  program *p = handle;
  while (p != NULL && p->functions != NULL) {
    function *next = p->functions->next;
    api->ReleaseKernel(p->functions->kernel);
    free(p->functions);
    p->functions = next;
  }
  if (p != NULL && p->built != NULL) {
    api->ReleaseProgram(p->built);
  }
  free(p);
}

static roof_status build_error(opencl_device *d, program *p, const char *name, roof_error *error) {
  static char log[16384];
  log[0] = '\0';
  d->api->GetProgramBuildInfo(p->built, d->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
  return rf_device_build_error("opencl", name, log, error);
}

/** "-cl-std=CL1.2 -DTYPE_FP32"; dot products of bytes are words of OpenCL C 3.0. */
static void define_of(const opencl_device *d, roof_dtype dtype, char *options, size_t size) {
  const char *standard = dtype == ROOF_INT8 && d->base.info.dot4 ? "CL3.0" : "CL1.2";
  char type[32];
  rf_device_define(dtype, type, sizeof type);
  snprintf(options, size, "-cl-std=%s %s", standard, type);
}

static roof_status build(rf_device *device, const rf_device_text *text, roof_dtype dtype, void **handle,
                         roof_error *error) {
  opencl_device *d = (opencl_device *)device;
  const rf_device_text *prelude = rf_device_prelude("opencl");
  const char *parts[] = {prelude->text, "\n#line 1\n", text->text};
  const size_t lengths[] = {(size_t)(prelude->end - prelude->text), strlen(parts[1]),
                            (size_t)(text->end - text->text)};
  program *p = calloc(1, sizeof *p);
  char options[64];
  cl_int code = CL_SUCCESS;
  if (p == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "opencl: out of memory");
  }
  define_of(d, dtype, options, sizeof options);
  p->built = d->api->CreateProgramWithSource(d->context, 3, (const char **)parts, lengths, &code);
  roof_status status = then(ROOF_OK, code, "clCreateProgramWithSource", error);
  if (status == ROOF_OK) {
    code = d->api->BuildProgram(p->built, 1, &d->id, options, NULL, NULL);
    status = code == CL_BUILD_PROGRAM_FAILURE ? build_error(d, p, text->name, error)
                                              : rf_opencl_check(code, "clBuildProgram", text->name, error);
  }
  if (status == ROOF_OK) {
    *handle = p;
  } else {
    unload(device, p);
  }
  return status;
}

static roof_status find(rf_device *device, void *handle, const char *entry, void **found, roof_error *error) {
  const rf_opencl_api *api = ((opencl_device *)device)->api;
  program *p = handle;
  for (function *f = p->functions; f != NULL; f = f->next) {
    if (strcmp(f->entry, entry) == 0) {
      *found = f->kernel;
      return ROOF_OK;
    }
  }
  cl_int code = CL_SUCCESS;
  function *f = calloc(1, sizeof *f);
  if (f == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "opencl: out of memory");
  }
  snprintf(f->entry, sizeof f->entry, "%s", entry);
  f->kernel = api->CreateKernel(p->built, entry, &code);
  roof_status status = rf_opencl_check(code, "clCreateKernel", entry, error);
  if (status != ROOF_OK) {
    free(f);
    return status;
  }
  f->next = p->functions;
  p->functions = f;
  *found = f->kernel;
  return ROOF_OK;
}

static roof_status set_arguments(const opencl_device *d, const rf_device_launch *launch, roof_error *error) {
  static const size_t sizes[] = {[RF_ARG_BUFFER] = sizeof(cl_mem),
                                 [RF_ARG_INT] = sizeof(cl_int),
                                 [RF_ARG_INDEX] = sizeof(cl_long),
                                 [RF_ARG_FLOAT] = sizeof(cl_float)};
  roof_status status = ROOF_OK;
  for (int i = 0; i < launch->arg_count && status == ROOF_OK; i++) {
    const rf_device_arg *arg = &launch->args[i];
    cl_int code = d->api->SetKernelArg(launch->function, (cl_uint)i, sizes[arg->kind], &arg->buffer);
    status = rf_opencl_check(code, "clSetKernelArg", launch->entry, error);
  }
  return status;
}

static roof_status enqueue(const opencl_device *d, const rf_device_launch *launch, cl_uint waits,
                           const cl_event *after, cl_event *event, roof_error *error) {
  size_t items[3], all[3];
  for (int i = 0; i < 3; i++) {
    items[i] = launch->items[i];
    all[i] = items[i] * launch->groups[i];
  }
  return rf_opencl_check(d->api->EnqueueNDRangeKernel(d->queues[0], launch->function, 3, NULL, all, items,
                                                      waits, waits > 0 ? after : NULL, event),
                         "clEnqueueNDRangeKernel", launch->entry, error);
}

static roof_status moment(const opencl_device *d, cl_event event, cl_profiling_info what, double *seconds,
                          roof_error *error) {
  cl_ulong nanoseconds = 0;
  cl_int code = d->api->GetEventProfilingInfo(event, what, sizeof nanoseconds, &nanoseconds, NULL);
  *seconds = (double)nanoseconds * 1e-9;
  return rf_opencl_check(code, "clGetEventProfilingInfo", "", error);
}

static void release_events(const opencl_device *d, cl_event *events, int number) {
  for (int i = 0; i < number; i++) {
    if (events[i] != NULL) {
      d->api->ReleaseEvent(events[i]);
    }
  }
}

static roof_status time_launches(rf_device *device, const rf_device_launch *launches, int number, int repeats,
                                 double *seconds, roof_error *error) {
  const opencl_device *d = (const opencl_device *)device;
  cl_event ends[2] = {NULL, NULL};
  double start = NAN, end = NAN;
  roof_status status = ROOF_OK;
  for (int i = 0; i < number * repeats && status == ROOF_OK; i++) {
    const rf_device_launch *launch = &launches[i % number];
    bool first = i == 0, last = i == number * repeats - 1;
    if (i < number || number > 1) { /* two launches may share a kernel */
      status = set_arguments(d, launch, error);
    }
    if (status == ROOF_OK) {
      status = enqueue(d, launch, 0, NULL, first ? &ends[0] : last ? &ends[1] : NULL, error);
    }
  }
  status = then(status, d->api->Finish(d->queues[0]), "clFinish", error);
  if (status == ROOF_OK) {
    status = moment(d, ends[0], CL_PROFILING_COMMAND_START, &start, error);
  }
  if (status == ROOF_OK) {
    status = moment(d, ends[ends[1] != NULL], CL_PROFILING_COMMAND_END, &end, error);
  }
  release_events(d, ends, 2);
  *seconds = end - start;
  return status;
}

enum { CHAIN = 2 };

static roof_status empty(rf_device *device, rf_launch_mode mode, const rf_device_launch *launch, int number,
                         double *seconds, roof_error *error) {
  const opencl_device *d = (const opencl_device *)device;
  cl_event chain[CHAIN] = {NULL, NULL};
  if (mode == RF_LAUNCH_GRAPH) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED,
                          "opencl: launches are not captured: cl_khr_command_buffer "
                          "is not used");
  }
  roof_status status = set_arguments(d, launch, error);
  double start = rf_clock_seconds();
  for (int i = 0; i < number && status == ROOF_OK; i++) {
    bool depends = mode == RF_LAUNCH_DEPENDENT;
    cl_event *next = &chain[i % CHAIN], *before = &chain[(i + 1) % CHAIN];
    release_events(d, next, 1);
    *next = NULL;
    status = enqueue(d, launch, depends && i > 0, before, depends ? next : NULL, error);
    if (mode == RF_LAUNCH_SYNCHRONISED) {
      status = then(status, d->api->Finish(d->queues[0]), "clFinish", error);
    }
  }
  status = then(status, d->api->Finish(d->queues[0]), "clFinish", error);
  *seconds = rf_clock_seconds() - start;
  release_events(d, chain, CHAIN);
  return status;
}

const rf_device_driver rf_opencl_driver = {.name = "opencl",
                                           .disabled_reason = disabled_reason,
                                           .count = count,
                                           .open = open_device,
                                           .close = close_device,
                                           .allocate = allocate,
                                           .release = release,
                                           .write = write_buffer,
                                           .read = read_buffer,
                                           .transfer = transfer,
                                           .build = build,
                                           .unload = unload,
                                           .find = find,
                                           .time = time_launches,
                                           .empty = empty,
                                           .extras = rf_opencl_missing};

static bool on_processor(void) {
  const rf_opencl *cl = rf_opencl_library();
  cl_device_type type = 0;
  if (cl->reason == NULL) {
    cl->api.GetDeviceInfo(cl->devices[0], CL_DEVICE_TYPE, sizeof type, &type, NULL);
  }
  return (type & CL_DEVICE_TYPE_CPU) != 0;
}

static roof_status measure(const roof_measure_options *options, roof_machine **machine, roof_error *error) {
  return rf_device_measure(&rf_opencl_driver, options, machine, error);
}

static roof_status run(const roof_kernel *kernel, roof_dtype dtype, const double *values,
                       const roof_measure_options *options, roof_measurement *out, roof_error *error) {
  return rf_device_run(&rf_opencl_driver, kernel, dtype, values, options, out, error);
}

static roof_status run_in_turns(const roof_kernel *const kernels[2], roof_dtype dtype, const double *values,
                                const roof_measure_options *options, roof_measurement out[2],
                                roof_error *error) {
  return rf_device_run_in_turns(&rf_opencl_driver, kernels, dtype, values, options, out, error);
}

const roof_backend rf_backend_opencl = {.name = "opencl",
                                        .summary = "an accelerator through OpenCL 1.2 or later",
                                        .machine = RF_DEVICE_MACHINE,
                                        .disabled_reason = disabled_reason,
                                        .device_count = count,
                                        .on_processor = on_processor,
                                        .measure = measure,
                                        .run = run,
                                        .run_in_turns = run_in_turns};
