/* Starting the driver, its devices and their contexts, as libcuda has them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

int fake_cuda_live;

static bool started;
static context contexts[DEVICES_MAX];
static _Thread_local context *current;

ENTRY(int, cuInit, unsigned flags) {
  int code = flags != 0 ? INVALID_VALUE : fake_number("init=", 0);
  started = code == 0;
  return code;
}

bool fake_started(void) {
  return started;
}

ENTRY(int, cuDriverGetVersion, int *version) {
  *version = fake_number("version=", 13000);
  return 0;
}

static const struct {
  int code;
  const char *name, *text;
} errors[] = {
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALISED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {NO_BINARY, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {PEER_ENABLED, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {INVALID_CLUSTER, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "misconfigured cluster size"},
    {0, "CUDA_ERROR_UNKNOWN", "unknown error"}};

static size_t error_at(int code) {
  size_t i = 0;
  while (errors[i].code != 0 && errors[i].code != code) {
    i++;
  }
  return i;
}

ENTRY(int, cuGetErrorName, int code, const char **name) {
  *name = errors[error_at(code)].name;
  return 0;
}

ENTRY(int, cuGetErrorString, int code, const char **text) {
  *text = errors[error_at(code)].text;
  return 0;
}

context *fake_context(void) {
  return current;
}

/** Faults that leave a context good for nothing. */
static bool stays(int code) {
  return code == ILLEGAL_ADDRESS || code == LAUNCH_TIMEOUT || (code >= 710 && code <= LAUNCH_FAILED);
}

void fake_fault(int code) {
  if (current != NULL && current->fault == 0) {
    current->fault = code;
  }
}

int fake_scripted(const char *call) {
  int code = fake_failing(call);
  if (stays(code)) {
    fake_fault(code);
  }
  return code;
}

int fake_enter(const char *call) {
  return !started                                    ? NOT_INITIALISED
         : current == NULL || current->retained == 0 ? INVALID_CONTEXT
         : current->fault != 0                       ? current->fault
                                                     : fake_scripted(call);
}

/** For what needs no context. */
static int enter(const char *call, int device) {
  return !started                                           ? NOT_INITIALISED
         : device < 0 || device >= fake_number("count=", 1) ? INVALID_DEVICE
                                                            : fake_failing(call);
}

ENTRY(int, cuDeviceGetCount, int *count) {
  *count = fake_number("count=", 1);
  return started ? 0 : NOT_INITIALISED;
}

ENTRY(int, cuDeviceGet, int *device, int index) {
  int code = enter("cuDeviceGet", index);
  *device = code == 0 ? index : -1;
  return code;
}

ENTRY(int, cuDeviceGetName, char *name, int size, int device) {
  snprintf(name, (size_t)size, "Emulated device, not a GPU");
  return enter("cuDeviceGetName", device);
}

ENTRY(int, cuDeviceTotalMem_v2, size_t *bytes, int device) {
  *bytes = (size_t)fake_number("memory=", 512) << 20;
  return enter("cuDeviceTotalMem_v2", device);
}

int fake_attribute(int which) {
  static const int values[128] = {
      [1] = 1024,     [2] = 1024,     [3] = 1024, [4] = 64,       [5] = 2147483647, [6] = 65535,
      [7] = 65535,    [8] = 49152,    [10] = 32,  [13] = 1000000, [16] = 2,         [32] = 1,
      [36] = 2000000, [38] = 1 << 20, [75] = 9,   [81] = 233472,  [97] = 232448};
  return which == 75   ? fake_number("major=", 9)
         : which == 76 ? fake_number("minor=", 0)
         : which == 16 ? fake_number("units=", values[16])
                       : values[which];
}

ENTRY(int, cuDeviceGetAttribute, int *value, int attribute, int device) {
  int code = attribute < 1 || attribute >= 128 ? INVALID_VALUE : enter("cuDeviceGetAttribute", device);
  *value = code == 0 ? fake_attribute(attribute) : 0;
  return code;
}

ENTRY(int, cuDeviceGetPCIBusId, char *id, int size, int device) {
  snprintf(id, (size_t)size, "0000:%02X:00.0", 1 + device);
  return enter("cuDeviceGetPCIBusId", device);
}

ENTRY(int, cuDeviceCanAccessPeer, int *can, int device, int peer) {
  *can = device != peer && fake_number("peers=", 1) != 0;
  return enter("cuDeviceCanAccessPeer", device);
}

ENTRY(int, cuCtxEnablePeerAccess, context *peer, unsigned flags) {
  ENTER(cuCtxEnablePeerAccess);
  if (flags != 0 || peer == current || peer->retained == 0) {
    return flags != 0 ? INVALID_VALUE : INVALID_CONTEXT;
  }
  bool before = current->peers[peer->device];
  current->peers[peer->device] = true;
  return before ? PEER_ENABLED : 0;
}

ENTRY(int, cuDevicePrimaryCtxRetain, context **out, int device) {
  int code = enter("cuDevicePrimaryCtxRetain", device);
  if (code == 0) {
    contexts[device].device = device;
    contexts[device].retained++;
    *out = &contexts[device];
    fake_cuda_live++;
  }
  return code;
}

/** With the last release goes what was wrong with it. */
ENTRY(int, cuDevicePrimaryCtxRelease_v2, int device) {
  if (device < 0 || device >= DEVICES_MAX || contexts[device].retained == 0) {
    return INVALID_CONTEXT;
  }
  fake_cuda_live--;
  if (--contexts[device].retained == 0) {
    memset(&contexts[device], 0, sizeof contexts[device]);
  }
  return 0;
}

ENTRY(int, cuCtxSetCurrent, context *next) {
  int code = started ? fake_failing("cuCtxSetCurrent") : NOT_INITIALISED;
  if (code == 0 && next != NULL && next->retained == 0) {
    code = INVALID_CONTEXT;
  }
  current = code == 0 ? next : current;
  return code;
}

ENTRY(int, cuCtxSynchronize, void) {
  ENTER(cuCtxSynchronize);
  return 0;
}
