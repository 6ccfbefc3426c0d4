/** What is used of NVIDIA's driver (libcuda), its management library (NVML) and cuBLASLt: all are loaded at
 *  run time, and neither building nor running needs NVIDIA's toolkit. The constants are those of cuda.h,
 *  nvml.h and cublasLt.h; tests/unit/test_cuda_api.c compares them where the toolkit is installed. */
#ifndef MEASURE_CUDA_API_H
#define MEASURE_CUDA_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/device/streams.h"

typedef int cuda_code; /* CUresult */
typedef struct cuda_context_ *cuda_context;

/** CUtensorMap: the description of a matrix for Hopper's copy engine (TMA). */
typedef struct rf_tensor_map cuda_tensor_map;

/** CUlaunchAttribute: a cluster's size, or whether a launch may begin before the one before it has ended. */
typedef struct cuda_launch_attribute {
  int id, pad;
  union {
    unsigned cluster[3]; /* blocks */
    int early;
    char bytes[64];
  } value;
} cuda_launch_attribute;

/** CUlaunchConfig: a launch with attributes, or one of which the driver is asked something. */
typedef struct cuda_launch_config {
  unsigned grid[3], block[3], shared;
  rf_stream_handle stream;
  cuda_launch_attribute *attributes;
  unsigned count;
} cuda_launch_config;

/* CUresult */
enum {
  CUDA_OUT_OF_MEMORY = 2,
  CUDA_NO_DEVICE = 100,
  CUDA_NO_BINARY = 209,
  CUDA_NOT_FOUND = 500,
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
  CUDA_UNIT_SHARED = 81,
  CUDA_MAX_SHARED = 97,
};

enum {
  CUDA_FUNCTION_MAX_DYNAMIC_SHARED = 8, /* CUfunction_attribute */
  CUDA_CLUSTER_DIMENSION = 4,           /* CUlaunchAttributeID */
  CUDA_EARLY = 6,                       /* programmatic stream serialization */
  CUDA_TENSOR_BF16 = 9,                 /* CUtensorMapDataType */
  CUDA_TENSOR_SWIZZLE_128B = 3,         /* CUtensorMapSwizzle */
  CUDA_TENSOR_L2_256B = 3,              /* CUtensorMapL2promotion */
};

/** X(member, symbol, parameters): required functions that HIP has not alike. CUDA 12.0 has them all. */
#define CUDA_FUNCTIONS(X)                                                                                    \
  X(error_name, cuGetErrorName, (cuda_code code, const char **name))                                         \
  X(error_text, cuGetErrorString, (cuda_code code, const char **text))                                       \
  X(enable_peer, cuCtxEnablePeerAccess, (cuda_context peer, unsigned flags))                                 \
  X(retain, cuDevicePrimaryCtxRetain, (cuda_context * context, int device))                                  \
  X(let_go, cuDevicePrimaryCtxRelease_v2, (int device))                                                      \
  X(set_current, cuCtxSetCurrent, (cuda_context context))                                                    \
  X(device_get, cuDeviceGet, (int *device, int index))                                                       \
  X(copy_peer, cuMemcpyPeerAsync,                                                                            \
    (void *to, cuda_context to_context, void *from, cuda_context from_context, size_t bytes,                 \
     rf_stream_handle stream))                                                                               \
  X(function_set, cuFuncSetAttribute, (void *function, int attribute, int value))                            \
  X(launch_with, cuLaunchKernelEx,                                                                           \
    (const cuda_launch_config *config, void *function, void **arguments, void **extra))                      \
  X(clusters, cuOccupancyMaxActiveClusters, (int *count, void *function, const cuda_launch_config *config))  \
  X(tensor_map, cuTensorMapEncodeTiled,                                                                      \
    (cuda_tensor_map * map, int type, uint32_t rank, void *address, const uint64_t *sizes,                   \
     const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle,       \
     int promotion, int fill))

typedef struct cuda_api {
  rf_streams_api common; /**< what HIP has alike */
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

/** Keeps a device's context from one opening of it to the next, until the process ends, or no longer: libraries that stay
 *  loaded keep what they made in it.
 *  Units: none. Ownership: a reference to the context. Errors: none; a context that cannot be kept is not. */
void rf_cuda_keep(int device, bool keep);

/** Unloads the driver, so that tests can load another.
 *  Units: none. Ownership: closes the library and gives back what is kept. Errors: none. */
void rf_cuda_forget(void);

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
