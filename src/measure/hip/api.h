/** What is used of AMD's HIP runtime (libamdhip64) and of its compiler (libhiprtc), of ROCm 5.2 and later: both are loaded
 *  at run time, and neither building nor running needs ROCm. The numbers are those of hip_runtime_api.h and hiprtc.h, the same from ROCm
 *  5.2.3 (Debian 12) to github.com/ROCm/rocm-systems of 2026; tests/unit/test_hip_api.c compares them where these headers are installed. */
#ifndef MEASURE_HIP_API_H
#define MEASURE_HIP_API_H

#include "measure/device/streams.h"

/** The environment variable that names the folder of AMD's libraries. */
#define RF_HIP_FOLDER "ROOFLINE_HIP_LIBRARIES"

typedef struct hip_program_ *hip_program; /* hiprtcProgram */

/* hipError_t */
enum { HIP_NO_DEVICE = 100, HIP_INVALID_DEVICE = 101 };

/* hipDeviceAttribute_t */
enum {
  HIP_ECC = 0,
  HIP_CLOCK_KHZ = 5,
  HIP_L2_BYTES = 19,
  HIP_MAX_THREADS = 56,
  HIP_MEMORY_CLOCK_KHZ = 60,
  HIP_UNITS = 63,
  HIP_MAX_SHARED = 74,
  HIP_WAVEFRONT = 87,
};

/** Of hipDeviceProp_t, whose layout changed with ROCm 6: where gcnArchName ("gfx90a:sramecc+:xnack-") begins, by the function
 *  that fills it in. */
enum { HIP_NAME_AT_R0600 = 1160, HIP_NAME_AT_R0000 = 396, HIP_NAME_BYTES = 256 };

/** X(member, symbol, parameters): functions that CUDA's driver has not alike. */
#define HIP_FUNCTIONS(X)                                                                                     \
  X(const char *, error_name, hipGetErrorName, (int code))                                                   \
  X(const char *, error_text, hipGetErrorString, (int code))                                                 \
  X(int, set_device, hipSetDevice, (int device))                                                             \
  X(int, enable_peer, hipDeviceEnablePeerAccess, (int peer, unsigned flags))                                 \
  X(int, copy_peer, hipMemcpyPeerAsync,                                                                      \
    (void *to, int to_device, const void *from, int from_device, size_t bytes, rf_stream_handle stream))

#define HIPRTC_FUNCTIONS(X)                                                                                  \
  X(const char *, compiler_text, hiprtcGetErrorString, (int code))                                           \
  X(int, create, hiprtcCreateProgram,                                                                        \
    (hip_program * program, const char *text, const char *name, int count, const char *const *headers,       \
     const char *const *names))                                                                              \
  X(int, compile, hiprtcCompileProgram, (hip_program program, int count, const char *const *options))        \
  X(int, log_size, hiprtcGetProgramLogSize, (hip_program program, size_t * bytes))                           \
  X(int, log, hiprtcGetProgramLog, (hip_program program, char *log))                                         \
  X(int, code_size, hiprtcGetCodeSize, (hip_program program, size_t * bytes))                                \
  X(int, code, hiprtcGetCode, (hip_program program, char *code))                                             \
  X(int, destroy, hiprtcDestroyProgram, (hip_program * program))

typedef struct hip_api {
  rf_streams_api common; /**< what CUDA has alike */
#define HIP_MEMBER(type, member, symbol, parameters) type(*member) parameters;
  HIP_FUNCTIONS(HIP_MEMBER)
  HIPRTC_FUNCTIONS(HIP_MEMBER)
#undef HIP_MEMBER
  int (*properties)(void *properties, int device);
  size_t name_at; /**< of gcnArchName in what `properties` fills in */
  int version;    /**< 60140092 is 6.1.40092 */
} hip_api;

/** The runtime and the compiler, loaded and started once.
 *  Units: none. Ownership: static; *reason (nullable) is static text. Errors: NULL, and why in *reason. */
const hip_api *rf_hip_load(const char **reason);

/** Unloads them, so that tests can load others.
 *  Units: none. Ownership: closes the libraries. Errors: none. */
void rf_hip_forget(void);

#endif
