/** What is used of NVIDIA's driver (libcuda), its management library (NVML) and cuBLASLt: all are loaded at
 *  run time, and neither building nor running needs NVIDIA's toolkit. The constants are those of cuda.h,
 *  nvml.h and cublasLt.h; tests/unit/test_cuda_api.c compares them where the toolkit is installed. */
#ifndef MEASURE_CUDA_API_H
#define MEASURE_CUDA_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roofline/status.h"

typedef int cuda_code;   /* CUresult */
typedef int cuda_device; /* CUdevice */
typedef unsigned long long cuda_pointer;
typedef struct cuda_context_ *cuda_context;
typedef struct cuda_module_ *cuda_module;
typedef struct cuda_function_ *cuda_function;
typedef struct cuda_stream_ *cuda_stream;
typedef struct cuda_event_ *cuda_event;
typedef struct cuda_graph_ *cuda_graph;
typedef struct cuda_graph_exec_ *cuda_graph_exec;

/** CUtensorMap: the description of a matrix for Hopper's copy engine (TMA). */
typedef struct cuda_tensor_map {
  _Alignas(128) uint64_t opaque[16];
} cuda_tensor_map;

/** CUlaunchAttribute, of a cluster's size. */
typedef struct cuda_launch_attribute {
  int id, pad;
  union {
    unsigned cluster[3]; /* blocks */
    char bytes[64];
  } value;
} cuda_launch_attribute;

/** CUlaunchConfig: a launch of which the driver is asked something. */
typedef struct cuda_launch_config {
  unsigned grid[3], block[3], shared;
  cuda_stream stream;
  cuda_launch_attribute *attributes;
  unsigned count;
} cuda_launch_config;

/* CUresult */
enum {
  CUDA_OUT_OF_MEMORY = 2,
  CUDA_NO_DEVICE = 100,
  CUDA_NO_BINARY = 209,
  CUDA_NOT_FOUND = 500,
  CUDA_ILLEGAL_ADDRESS = 700,
  CUDA_LAUNCH_RESOURCES = 701,
  CUDA_LAUNCH_FAILED = 719,
};

/* CUdevice_attribute */
enum {
  CUDA_MAX_THREADS = 1,
  CUDA_WARP = 10,
  CUDA_CLOCK_KHZ = 13,
  CUDA_UNITS = 16,
  CUDA_ECC = 32,
  CUDA_MEMORY_CLOCK_KHZ = 36,
  CUDA_L2_BYTES = 38,
  CUDA_MAJOR = 75,
  CUDA_MINOR = 76,
  CUDA_MAX_SHARED = 97,
};

enum {
  CUDA_FUNCTION_MAX_DYNAMIC_SHARED = 8, /* CUfunction_attribute */
  CUDA_CLUSTER_DIMENSION = 4,           /* CUlaunchAttributeID */
  CUDA_STREAM_NON_BLOCKING = 1,
  CUDA_CAPTURE_THREAD_LOCAL = 1,
  CUDA_TENSOR_BF16 = 9,         /* CUtensorMapDataType */
  CUDA_TENSOR_SWIZZLE_128B = 3, /* CUtensorMapSwizzle */
  CUDA_TENSOR_L2_256B = 3,      /* CUtensorMapL2promotion */
};

/** X(member, symbol, parameters): required functions. CUDA 12.0 has them all. */
#define CUDA_FUNCTIONS(X)                                                                                    \
  X(init, cuInit, (unsigned flags))                                                                          \
  X(driver_version, cuDriverGetVersion, (int *version))                                                      \
  X(error_name, cuGetErrorName, (cuda_code code, const char **name))                                         \
  X(error_text, cuGetErrorString, (cuda_code code, const char **text))                                       \
  X(device_count, cuDeviceGetCount, (int *count))                                                            \
  X(device_get, cuDeviceGet, (cuda_device * device, int index))                                              \
  X(device_name, cuDeviceGetName, (char *name, int size, cuda_device device))                                \
  X(device_memory, cuDeviceTotalMem_v2, (size_t * bytes, cuda_device device))                                \
  X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, cuda_device device))                 \
  X(device_bus, cuDeviceGetPCIBusId, (char *id, int size, cuda_device device))                               \
  X(peer, cuDeviceCanAccessPeer, (int *can, cuda_device device, cuda_device peer))                           \
  X(enable_peer, cuCtxEnablePeerAccess, (cuda_context peer, unsigned flags))                                 \
  X(retain, cuDevicePrimaryCtxRetain, (cuda_context * context, cuda_device device))                          \
  X(let_go, cuDevicePrimaryCtxRelease_v2, (cuda_device device))                                              \
  X(set_current, cuCtxSetCurrent, (cuda_context context))                                                    \
  X(synchronise, cuCtxSynchronize, (void))                                                                   \
  X(allocate, cuMemAlloc_v2, (cuda_pointer * pointer, size_t bytes))                                         \
  X(release, cuMemFree_v2, (cuda_pointer pointer))                                                           \
  X(allocate_host, cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags))                           \
  X(release_host, cuMemFreeHost, (void *pointer))                                                            \
  X(write_async, cuMemcpyHtoDAsync_v2,                                                                       \
    (cuda_pointer to, const void *from, size_t bytes, cuda_stream stream))                                   \
  X(read_async, cuMemcpyDtoHAsync_v2, (void *to, cuda_pointer from, size_t bytes, cuda_stream stream))       \
  X(copy_peer, cuMemcpyPeerAsync,                                                                            \
    (cuda_pointer to, cuda_context to_context, cuda_pointer from, cuda_context from_context, size_t bytes,   \
     cuda_stream stream))                                                                                    \
  X(load, cuModuleLoadData, (cuda_module * module, const void *image))                                       \
  X(unload, cuModuleUnload, (cuda_module module))                                                            \
  X(function, cuModuleGetFunction, (cuda_function * function, cuda_module module, const char *name))         \
  X(function_set, cuFuncSetAttribute, (cuda_function function, int attribute, int value))                    \
  X(launch, cuLaunchKernel,                                                                                  \
    (cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,            \
     unsigned block_y, unsigned block_z, unsigned shared, cuda_stream stream, void **arguments,              \
     void **extra))                                                                                          \
  X(clusters, cuOccupancyMaxActiveClusters,                                                                  \
    (int *count, cuda_function function, const cuda_launch_config *config))                                  \
  X(stream_new, cuStreamCreate, (cuda_stream * stream, unsigned flags))                                      \
  X(stream_free, cuStreamDestroy_v2, (cuda_stream stream))                                                   \
  X(stream_wait, cuStreamSynchronize, (cuda_stream stream))                                                  \
  X(stream_after, cuStreamWaitEvent, (cuda_stream stream, cuda_event event, unsigned flags))                 \
  X(event_new, cuEventCreate, (cuda_event * event, unsigned flags))                                          \
  X(event_free, cuEventDestroy_v2, (cuda_event event))                                                       \
  X(event_record, cuEventRecord, (cuda_event event, cuda_stream stream))                                     \
  X(event_wait, cuEventSynchronize, (cuda_event event))                                                      \
  X(event_elapsed, cuEventElapsedTime, (float *milliseconds, cuda_event start, cuda_event end))              \
  X(capture_begin, cuStreamBeginCapture_v2, (cuda_stream stream, int mode))                                  \
  X(capture_end, cuStreamEndCapture, (cuda_stream stream, cuda_graph * graph))                               \
  X(graph_make, cuGraphInstantiateWithFlags,                                                                 \
    (cuda_graph_exec * exec, cuda_graph graph, unsigned long long flags))                                    \
  X(graph_launch, cuGraphLaunch, (cuda_graph_exec exec, cuda_stream stream))                                 \
  X(graph_exec_free, cuGraphExecDestroy, (cuda_graph_exec exec))                                             \
  X(graph_free, cuGraphDestroy, (cuda_graph graph))                                                          \
  X(tensor_map, cuTensorMapEncodeTiled,                                                                      \
    (cuda_tensor_map * map, int type, uint32_t rank, void *address, const uint64_t *sizes,                   \
     const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle,       \
     int promotion, int fill))

typedef struct cuda_api {
#define CUDA_MEMBER(member, symbol, parameters) cuda_code(*member) parameters;
  CUDA_FUNCTIONS(CUDA_MEMBER)
#undef CUDA_MEMBER
  int version; /**< of CUDA that the driver supports: 13000 */
} cuda_api;

/** The driver, loaded and started once, whether or not this build has kernels for it.
 *  Units: none. Ownership: static; *reason (nullable) is static text. Errors: NULL, and why in *reason. */
const cuda_api *rf_cuda_load_driver(const char **reason);

/** The same for what runs our kernels, which a build without nvcc has not.
 *  Units: none. Ownership: static; *reason (nullable) is static text. Errors: NULL, and why in *reason. */
const cuda_api *rf_cuda_load(const char **reason);

/** Unloads the driver, so that tests can load another.
 *  Units: none. Ownership: closes the library. Errors: none. */
void rf_cuda_forget(void);

/** Fails with the name of the call and the driver's name and text for the code.
 *  Units: none.
 *  Ownership: none.
 *  Errors: ROOF_OK for 0, ROOF_E_UNSUPPORTED for what this device or driver cannot do now (its memory is
 *  full, it is lost), ROOF_E_INTERNAL for a kernel's fault. */
roof_status rf_cuda_check(const cuda_api *api, cuda_code code, const char *what, roof_error *error);

/** A built program: an image that the driver loads. */
typedef struct cuda_image {
  const char *name;
  const char *format; /**< "fp32", "" for one that is the same for all, "bounded" for one whose waits are */
  const unsigned char *data;
} cuda_image;

/* Generated by cmake/Cuda.cmake; an entry without a name ends it. */
extern const cuda_image rf_cuda_images[];
/** Of the toolkit that built them: 13000; 0 where there was none. */
extern const int rf_cuda_images_version;
/** The driver that they need, as bench/gpu.sh finds it in the program: "NVIDIA driver 580 or later". */
extern const char rf_cuda_images_driver[];

/** The image of a program for a format; where ROOFLINE_CUDA_BOUNDED is set and there is one, that whose waits at barriers end
 *  with a fault after two seconds. Units: none. Ownership: static. Errors: NULL if there is none. */
const cuda_image *rf_cuda_image_find(const char *name, const char *format);

#endif
