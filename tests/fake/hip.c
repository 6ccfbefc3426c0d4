/* AMD's HIP runtime: the same device by other names. It has no contexts: each thread has a current device, the first until it
 * says otherwise, and what was wrong with one goes when the runtime is started again. */
#include <stdio.h>
#include <string.h>

#include "fake.h"

struct module;
struct function;
struct event;
struct graph;

/** X(hip, cuda, parameters, arguments): does what libcuda's function does. */
#define FORWARDED(X)                                                                                         \
  X(hipGetDeviceCount, cuDeviceGetCount, (int *count), (count))                                              \
  X(hipDeviceGetName, cuDeviceGetName, (char *name, int size, int device), (name, size, device))             \
  X(hipDeviceTotalMem, cuDeviceTotalMem_v2, (size_t * bytes, int device), (bytes, device))                   \
  X(hipDeviceGetPCIBusId, cuDeviceGetPCIBusId, (char *id, int size, int device), (id, size, device))         \
  X(hipDeviceCanAccessPeer, cuDeviceCanAccessPeer, (int *can, int device, int peer), (can, device, peer))    \
  X(hipMalloc, cuMemAlloc_v2, (pointer * memory, size_t bytes), (memory, bytes))                             \
  X(hipFree, cuMemFree_v2, (pointer memory), (memory))                                                       \
  X(hipHostMalloc, cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags), (memory, bytes, flags))    \
  X(hipHostFree, cuMemFreeHost, (void *memory), (memory))                                                    \
  X(hipMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (pointer to, const void *from, size_t bytes, stream *in),      \
    (to, from, bytes, in))                                                                                   \
  X(hipMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void *to, pointer from, size_t bytes, stream *in),            \
    (to, from, bytes, in))                                                                                   \
  X(hipModuleLoadData, cuModuleLoadData, (struct module * *out, const void *image), (out, image))            \
  X(hipModuleUnload, cuModuleUnload, (struct module * m), (m))                                               \
  X(hipModuleGetFunction, cuModuleGetFunction,                                                               \
    (struct function * *out, struct module * m, const char *name), (out, m, name))                           \
  X(hipModuleLaunchKernel, cuLaunchKernel,                                                                   \
    (struct function * f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,      \
     unsigned shared, stream *in, void **arguments, void **extra),                                           \
    (f, gx, gy, gz, bx, by, bz, shared, in, arguments, extra))                                               \
  X(hipStreamCreateWithFlags, cuStreamCreate, (stream * *out, unsigned flags), (out, flags))                 \
  X(hipStreamDestroy, cuStreamDestroy_v2, (stream * in), (in))                                               \
  X(hipStreamSynchronize, cuStreamSynchronize, (stream * in), (in))                                          \
  X(hipStreamWaitEvent, cuStreamWaitEvent, (stream * in, const struct event *e, unsigned flags),             \
    (in, e, flags))                                                                                          \
  X(hipEventCreateWithFlags, cuEventCreate, (struct event * *out, unsigned flags), (out, flags))             \
  X(hipEventDestroy, cuEventDestroy_v2, (struct event * e), (e))                                             \
  X(hipEventRecord, cuEventRecord, (struct event * e, stream * in), (e, in))                                 \
  X(hipEventSynchronize, cuEventSynchronize, (const struct event *e), (e))                                   \
  X(hipEventElapsedTime, cuEventElapsedTime,                                                                 \
    (float *milliseconds, const struct event *start, const struct event *end), (milliseconds, start, end))   \
  X(hipStreamBeginCapture, cuStreamBeginCapture_v2, (stream * in, int mode), (in, mode))                     \
  X(hipStreamEndCapture, cuStreamEndCapture, (stream * in, struct graph * *out), (in, out))                  \
  X(hipGraphLaunch, cuGraphLaunch, (const struct graph *exec, stream *in), (exec, in))                       \
  X(hipGraphExecDestroy, cuGraphExecDestroy, (struct graph * exec), (exec))                                  \
  X(hipGraphDestroy, cuGraphDestroy, (struct graph * g), (g))

#define FORWARD(hip, cuda, parameters, arguments)                                                            \
  int cuda parameters;                                                                                       \
  API int hip parameters;                                                                                    \
  int hip parameters {                                                                                       \
    int code = fake_scripted(#hip);                                                                          \
    return code != 0 ? code : cuda arguments;                                                                \
  }
FORWARDED(FORWARD)

#ifndef FAKE_OLD
#define GRAPH(X)                                                                                             \
  X(hipGraphInstantiateWithFlags, cuGraphInstantiateWithFlags,                                               \
    (struct graph * *exec, const struct graph *g, unsigned long long flags), (exec, g, flags))
GRAPH(FORWARD)
#endif

int cuInit(unsigned flags);
int cuGetErrorString(int code, const char **text);
int cuDevicePrimaryCtxRetain(context **out, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxSetCurrent(context *next);
int cuCtxEnablePeerAccess(context *peer, unsigned flags);
int cuMemcpyPeerAsync(pointer to, context *to_context, pointer from, context *from_context, size_t bytes,
                      stream *in);

static context *contexts[DEVICES_MAX];

/** The context behind a device, which nobody gives back. */
static int context_of(int device, context **out) {
  bool known = device >= 0 && device < DEVICES_MAX;
  int code = !known                     ? INVALID_DEVICE
             : contexts[device] == NULL ? cuDevicePrimaryCtxRetain(&contexts[device], device)
                                        : 0;
  if (code == 0) {
    *out = contexts[device];
    fake_cuda_live -= (*out)->uncounted ? 0 : 1;
    (*out)->uncounted = true;
  }
  return code;
}

ENTRY(int, hipInit, unsigned flags) {
  for (int i = 0; i < DEVICES_MAX; i++) {
    if (contexts[i] != NULL) {
      fake_cuda_live++;
      cuDevicePrimaryCtxRelease_v2(i);
      contexts[i] = NULL;
    }
  }
  return cuInit(flags);
}

ENTRY(int, hipSetDevice, int device) {
  context *next = NULL;
  int code = fake_scripted("hipSetDevice");
  code = code == 0 ? context_of(device, &next) : code;
  return code == 0 ? cuCtxSetCurrent(next) : code;
}

ENTRY(int, hipRuntimeGetVersion, int *version) {
  *version = fake_number("version=", 60140092);
  return 0;
}

/** hipDeviceAttribute_t, and what it is in CUdevice_attribute; 0: `value` itself. */
ENTRY(int, hipDeviceGetAttribute, int *value, int attribute, int device) {
  static const struct {
    int hip, cuda, value;
  } known[] = {{0, 32, 0},  {5, 13, 0},  {19, 38, 0},       {56, 1, 0},
               {60, 36, 0}, {63, 16, 0}, {74, 0, 64 << 10}, {87, 0, 64}};
  for (size_t i = 0; i < sizeof known / sizeof known[0] && device < fake_number("count=", 1); i++) {
    if (known[i].hip == attribute) {
      *value = known[i].cuda != 0 ? fake_attribute(known[i].cuda) : known[i].value;
      return 0;
    }
  }
  return INVALID_VALUE;
}

/** hipDeviceProp_tR0600: 1472 bytes, gcnArchName from 1160 on. Script `arch=gfx1100`. */
ENTRY(int, hipGetDevicePropertiesR0600, char *properties, int device) {
  memset(properties, 0, 1472);
  fake_word("arch=", "gfx90a:sramecc+:xnack-", properties + 1160, 256);
  return device < fake_number("count=", 1) ? 0 : INVALID_DEVICE;
}

ENTRY(int, hipDeviceEnablePeerAccess, int peer, unsigned flags) {
  context *of = NULL;
  int code = context_of(peer, &of);
  return code == 0 ? cuCtxEnablePeerAccess(of, flags) : code;
}

ENTRY(int, hipMemcpyPeerAsync, pointer to, int to_device, pointer from, int from_device, size_t bytes,
      stream *in) {
  context *contexts_of[2] = {NULL, NULL};
  int code = fake_scripted("hipMemcpyPeerAsync");
  code = code == 0 ? context_of(to_device, &contexts_of[0]) : code;
  code = code == 0 ? context_of(from_device, &contexts_of[1]) : code;
  return code == 0 ? cuMemcpyPeerAsync(to, contexts_of[0], from, contexts_of[1], bytes, in) : code;
}

ENTRY(const char *, hipGetErrorName, int code) {
  static const struct {
    int code;
    const char *name;
  } names[] = {{INVALID_VALUE, "hipErrorInvalidValue"},   {OUT_OF_MEMORY, "hipErrorOutOfMemory"},
               {INVALID_DEVICE, "hipErrorInvalidDevice"}, {NO_BINARY, "hipErrorNoBinaryForGpu"},
               {NOT_FOUND, "hipErrorNotFound"},           {ILLEGAL_ADDRESS, "hipErrorIllegalAddress"},
               {LAUNCH_FAILED, "hipErrorLaunchFailure"},  {801, "hipErrorNotSupported"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (names[i].code == code) {
      return names[i].name;
    }
  }
  return "hipErrorUnknown";
}

ENTRY(const char *, hipGetErrorString, int code) {
  const char *text = NULL;
  cuGetErrorString(code, &text);
  return text;
}
