/** What CUDA's driver and HIP's runtime have alike: memory, modules, streams, events and graphs, by functions of the same parameters. A
 *  driver of either puts an rf_streams first in a struct of its own, and its row of functions is mostly that of this file. */
#ifndef MEASURE_DEVICE_STREAMS_H
#define MEASURE_DEVICE_STREAMS_H

#include "measure/device/device.h"

typedef struct rf_module_ *rf_module;
typedef struct rf_stream_handle_ *rf_stream_handle;
typedef struct rf_event_ *rf_event;
typedef struct rf_graph_ *rf_graph;
typedef struct rf_graph_exec_ *rf_graph_exec;

enum { RF_STREAM_NON_BLOCKING = 1, RF_CAPTURE_THREAD_LOCAL = 1 };

/** X(member, symbol in libcuda, symbol in libamdhip64, parameters) */
#define RF_STREAMS_FUNCTIONS(X)                                                                              \
  X(init, cuInit, hipInit, (unsigned flags))                                                                 \
  X(driver_version, cuDriverGetVersion, hipRuntimeGetVersion, (int *version))                                \
  X(device_count, cuDeviceGetCount, hipGetDeviceCount, (int *count))                                         \
  X(device_name, cuDeviceGetName, hipDeviceGetName, (char *name, int size, int device))                      \
  X(device_memory, cuDeviceTotalMem_v2, hipDeviceTotalMem, (size_t * bytes, int device))                     \
  X(device_attribute, cuDeviceGetAttribute, hipDeviceGetAttribute, (int *value, int attribute, int device))  \
  X(device_bus, cuDeviceGetPCIBusId, hipDeviceGetPCIBusId, (char *id, int size, int device))                 \
  X(peer, cuDeviceCanAccessPeer, hipDeviceCanAccessPeer, (int *can, int device, int peer))                   \
  X(allocate, cuMemAlloc_v2, hipMalloc, (void **memory, size_t bytes))                                       \
  X(release, cuMemFree_v2, hipFree, (void *memory))                                                          \
  X(allocate_host, cuMemHostAlloc, hipHostMalloc, (void **memory, size_t bytes, unsigned flags))             \
  X(release_host, cuMemFreeHost, hipHostFree, (void *memory))                                                \
  X(write_async, cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync,                                                   \
    (void *to, const void *from, size_t bytes, rf_stream_handle stream))                                     \
  X(read_async, cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync,                                                    \
    (void *to, const void *from, size_t bytes, rf_stream_handle stream))                                     \
  X(load, cuModuleLoadData, hipModuleLoadData, (rf_module * module, const void *image))                      \
  X(unload, cuModuleUnload, hipModuleUnload, (rf_module module))                                             \
  X(function, cuModuleGetFunction, hipModuleGetFunction,                                                     \
    (void **function, rf_module module, const char *name))                                                   \
  X(launch, cuLaunchKernel, hipModuleLaunchKernel,                                                           \
    (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,  \
     unsigned block_z, unsigned shared, rf_stream_handle stream, void **arguments, void **extra))            \
  X(stream_new, cuStreamCreate, hipStreamCreateWithFlags, (rf_stream_handle * stream, unsigned flags))       \
  X(stream_free, cuStreamDestroy_v2, hipStreamDestroy, (rf_stream_handle stream))                            \
  X(stream_wait, cuStreamSynchronize, hipStreamSynchronize, (rf_stream_handle stream))                       \
  X(stream_after, cuStreamWaitEvent, hipStreamWaitEvent,                                                     \
    (rf_stream_handle stream, rf_event event, unsigned flags))                                               \
  X(event_new, cuEventCreate, hipEventCreateWithFlags, (rf_event * event, unsigned flags))                   \
  X(event_free, cuEventDestroy_v2, hipEventDestroy, (rf_event event))                                        \
  X(event_record, cuEventRecord, hipEventRecord, (rf_event event, rf_stream_handle stream))                  \
  X(event_wait, cuEventSynchronize, hipEventSynchronize, (rf_event event))                                   \
  X(event_elapsed, cuEventElapsedTime, hipEventElapsedTime,                                                  \
    (float *milliseconds, rf_event start, rf_event end))                                                     \
  X(capture_begin, cuStreamBeginCapture_v2, hipStreamBeginCapture, (rf_stream_handle stream, int mode))      \
  X(capture_end, cuStreamEndCapture, hipStreamEndCapture, (rf_stream_handle stream, rf_graph * graph))       \
  X(graph_make, cuGraphInstantiateWithFlags, hipGraphInstantiateWithFlags,                                   \
    (rf_graph_exec * exec, rf_graph graph, unsigned long long flags))                                        \
  X(graph_launch, cuGraphLaunch, hipGraphLaunch, (rf_graph_exec exec, rf_stream_handle stream))              \
  X(graph_exec_free, cuGraphExecDestroy, hipGraphExecDestroy, (rf_graph_exec exec))                          \
  X(graph_free, cuGraphDestroy, hipGraphDestroy, (rf_graph graph))

typedef struct rf_streams_api {
#define RF_STREAMS_MEMBER(member, cuda, hip, parameters) int(*member) parameters;
  RF_STREAMS_FUNCTIONS(RF_STREAMS_MEMBER)
#undef RF_STREAMS_MEMBER
  /** The name and the text of a code. */
  void (*explain)(int code, const char **name, const char **text);
} rf_streams_api;

/** A launch with its arguments in the form that `launch` expects. */
typedef struct rf_ready_launch {
  const rf_device_launch *launch;
  unsigned grid_x;
  void *arguments[RF_DEVICE_ARGS];
  struct rf_tensor_map {
    _Alignas(128) uint64_t opaque[16];
  } maps[RF_DEVICE_ARGS]; /* CUDA alone has them */
} rf_ready_launch;

typedef struct rf_streams rf_streams;

/** An open device. */
struct rf_streams {
  rf_device device; /* first, because the common code uses a pointer to it */
  const rf_streams_api *api;
  int id; /* of the device */
  rf_stream_handle stream, second;
  rf_event start, stop;
  void *pinned[2];
  size_t pinned_bytes;        /* of each */
  int peers[RF_DEVICE_PEERS]; /* their ids */
  /** Nullable: what only this kind has to do before a launch. */
  roof_status (*prepare)(rf_streams *o, rf_ready_launch *p, roof_error *error);
  /** Nullable: starts a launch while the one before it ends; its blocks take the room that is free, and wait. */
  int (*start_early)(rf_streams *o, rf_ready_launch *p, rf_stream_handle stream);
  /** Nullable: looks at the device while it works. */
  void (*look)(rf_streams *o);
  /** Makes the device itself (-1) or one of its peers, which it opens, the one that memory is allocated on. */
  roof_status (*go_to)(rf_streams *o, int peer, roof_error *error);
  int (*copy_peer)(rf_streams *o, int peer, void *to, void *from, size_t bytes);
};

/** Returns the error of a failed call, with its name. */
#define RF_STREAMS_TRY(status, o, call, what, error)                                                         \
  do {                                                                                                       \
    if ((status) == ROOF_OK) {                                                                               \
      (status) = rf_streams_check((o)->api, (o)->api->call, what, error);                                    \
    }                                                                                                        \
  } while (0)

/** Fails with what was done, and the driver's name and text for the code.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_OK for 0, ROOF_E_UNSUPPORTED for what this device or driver cannot do now (its memory is
 *  full, it is lost), ROOF_E_INTERNAL for a kernel's fault. */
roof_status rf_streams_check(const rf_streams_api *api, int code, const char *what, roof_error *error);

/** An attribute of the device by its number.
 *  Units: the driver's. Ownership: none. Errors: NaN when it is not known. */
double rf_streams_attribute(const rf_streams *o, int which);

/** Fills in what both kinds say of a device alike, its peers too.
 *  Units: SI. Ownership: fills the device's info. Errors: none; what is not reported is unknown. */
void rf_streams_describe(rf_streams *o);

/** Streams and events of a device that is the thread's current one, and what is left of them.
 *  Units: none. Ownership: rf_streams_stop gives back; the struct stays. Errors: as the driver's. */
roof_status rf_streams_start(rf_streams *o, roof_error *error);
void rf_streams_stop(rf_streams *o);

/** Loads an image; `name` is the program's.
 *  Units: none. Ownership: *program is released by rf_streams_unload. Errors: as the driver's. */
roof_status rf_streams_load(rf_streams *o, const char *name, const void *image, void **program,
                            roof_error *error);

/** Seconds on the stream's clock from rf_streams_clock_start to now; `of` names the work for an error message.
 *  Units: s. Ownership: none. Errors: as the driver's. */
roof_status rf_streams_clock_start(rf_streams *o, roof_error *error);
roof_status rf_streams_clock_stop(rf_streams *o, const char *of, double *seconds, roof_error *error);

roof_status rf_streams_allocate(rf_device *device, double bytes, void **buffer, roof_error *error);
void rf_streams_release(rf_device *device, void *buffer);
roof_status rf_streams_write(rf_device *device, void *buffer, const void *from, double bytes,
                             roof_error *error);
roof_status rf_streams_read(rf_device *device, void *to, void *buffer, double bytes, roof_error *error);
roof_status rf_streams_transfer(rf_device *device, rf_device_way way, void *buffer, double bytes,
                                double *seconds, roof_error *error);
roof_status rf_streams_to_peer(rf_device *device, int index, double bytes, double *seconds,
                               roof_error *error);
void rf_streams_unload(rf_device *device, void *program);
roof_status rf_streams_find(rf_device *device, void *program, const char *entry, void **function,
                            roof_error *error);
roof_status rf_streams_time(rf_device *device, const rf_device_launch *launches, int count, int repeats,
                            double *seconds, roof_error *error);
roof_status rf_streams_empty(rf_device *device, rf_launch_mode mode, const rf_device_launch *launch,
                             int count, double *seconds, roof_error *error);

/** What a row of either kind shares. */
#define RF_STREAMS_DRIVER                                                                                    \
  .allocate = rf_streams_allocate, .release = rf_streams_release, .write = rf_streams_write,                 \
  .read = rf_streams_read, .transfer = rf_streams_transfer, .to_peer = rf_streams_to_peer,                   \
  .unload = rf_streams_unload, .find = rf_streams_find, .time = rf_streams_time, .empty = rf_streams_empty

#endif
