/* A libcuda, libnvidia-ml and libcublasLt that have no device: memory is the host's, kernels whose effect the
 * tests need are a few lines, everything handed out is counted. FAKE_CUDA says what goes wrong: version=12000
 * count=0 init=999 major=7   what the driver and the device say fail=cuMemAlloc_v2:2 fail=...:719@3      a
 * call fails with a code, from its third time on  fault=NAME  a kernel faults */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/cuda/peaks.c"

#define API __attribute__((visibility("default")))

typedef unsigned long long pointer;

/** What was handed out and not given back; the tests read it. */
API int fake_cuda_live;
API int fake_cuda_launches;

static int number(const char *key, int otherwise) {
  const char *script = getenv("FAKE_CUDA"), *at = script != NULL ? strstr(script, key) : NULL;
  return at != NULL ? atoi(at + strlen(key)) : otherwise;
}

/** The code that `call` fails with now, or 0. */
static int failing(const char *call) {
  static char last[128];
  static int times;
  const char *script = getenv("FAKE_CUDA"), *at = script != NULL ? strstr(script, "fail=") : NULL;
  size_t length = strlen(call);
  if (script == NULL || strcmp(script, last) != 0) {
    snprintf(last, sizeof last, "%s", script != NULL ? script : "");
    times = 0;
  }
  if (at == NULL || strncmp(at + 5, call, length) != 0 || at[5 + length] != ':') {
    return 0;
  }
  const char *from = strchr(at, '@');
  return ++times >= (from != NULL ? atoi(from + 1) : 1) ? atoi(at + 6 + length) : 0;
}

#define FAIL(call)                                                                                           \
  do {                                                                                                       \
    int code_ = failing(call);                                                                               \
    if (code_ != 0) {                                                                                        \
      return code_;                                                                                          \
    }                                                                                                        \
  } while (0)

static int give(void **handle, size_t bytes) {
  *handle = calloc(1, bytes > 0 ? bytes : 1);
  fake_cuda_live++;
  return *handle != NULL ? 0 : 2;
}

static int take(void *handle) {
  free(handle);
  fake_cuda_live--;
  return 0;
}

API int cuInit(unsigned flags) {
  (void)flags;
  return number("init=", 0);
}

API int cuDriverGetVersion(int *version) {
  *version = number("version=", 13000);
  return 0;
}

API int cuGetErrorName(int code, const char **name) {
  static const struct {
    int code;
    const char *name, *text;
  } known[] = {
      {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
      {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "device busy or unavailable"},
      {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
      {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
      {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"}};
  *name = "CUDA_ERROR_UNKNOWN";
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    *name = known[i].code == code ? known[i].name : *name;
  }
  return 0;
}

API int cuGetErrorString(int code, const char **text) {
  *text = code == 2 ? "out of memory" : code == 719 ? "unspecified launch failure" : "an error of the fake";
  return 0;
}

API int cuDeviceGetCount(int *count) {
  *count = number("count=", 1);
  return 0;
}

API int cuDeviceGet(int *device, int index) {
  FAIL("cuDeviceGet");
  *device = index;
  return 0;
}

API int cuDeviceGetName(char *name, int size, int device) {
  (void)device;
  snprintf(name, (size_t)size, "NVIDIA Fake");
  return 0;
}

API int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  *bytes = (size_t)8 << 30;
  return 0;
}

API int cuDeviceGetAttribute(int *value, int attribute, int device) {
  static const int values[128] = {[1] = 1024,     [10] = 32,      [13] = 1000000, [16] = 2,     [32] = 1,
                                  [36] = 2000000, [38] = 1 << 20, [75] = 9,       [97] = 232448};
  (void)device;
  *value = attribute == 75 ? number("major=", 9) : values[attribute];
  return 0;
}

API int cuDeviceGetPCIBusId(char *id, int size, int device) {
  (void)device;
  snprintf(id, (size_t)size, "0000:01:00.0");
  return 0;
}

API int cuDeviceCanAccessPeer(int *can, int device, int peer) {
  *can = device != peer;
  return 0;
}

API int cuCtxEnablePeerAccess(void *context, unsigned flags) {
  (void)context, (void)flags;
  return 0;
}

API int cuDevicePrimaryCtxRetain(void **context, int device) {
  static int contexts[8];
  FAIL("cuDevicePrimaryCtxRetain");
  *context = &contexts[device];
  fake_cuda_live++;
  return 0;
}

API int cuDevicePrimaryCtxRelease_v2(int device) {
  (void)device;
  fake_cuda_live--;
  return 0;
}

API int cuCtxSetCurrent(void *context) {
  (void)context;
  return 0;
}

API int cuCtxSynchronize(void) {
  return 0;
}

API int cuMemAlloc_v2(pointer *memory, size_t bytes) {
  void *handle = NULL;
  FAIL("cuMemAlloc_v2");
  int code = give(&handle, bytes);
  *memory = (pointer)(uintptr_t)handle;
  return code;
}

API int cuMemFree_v2(pointer memory) {
  return take((void *)(uintptr_t)memory);
}

API int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  (void)flags;
  FAIL("cuMemHostAlloc");
  return give(memory, bytes);
}

API int cuMemFreeHost(void *memory) {
  return take(memory);
}

API int cuMemcpyHtoD_v2(pointer to, const void *from, size_t bytes) {
  FAIL("cuMemcpyHtoD_v2");
  memcpy((void *)(uintptr_t)to, from, bytes);
  return 0;
}

API int cuMemcpyDtoH_v2(void *to, pointer from, size_t bytes) {
  FAIL("cuMemcpyDtoH_v2");
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return 0;
}

API int cuMemcpyHtoDAsync_v2(pointer to, const void *from, size_t bytes, void *stream) {
  (void)stream;
  return cuMemcpyHtoD_v2(to, from, bytes);
}

API int cuMemcpyDtoHAsync_v2(void *to, pointer from, size_t bytes, void *stream) {
  (void)stream;
  return cuMemcpyDtoH_v2(to, from, bytes);
}

API int cuMemcpyPeerAsync(pointer to, void *to_context, pointer from, void *from_context, size_t bytes,
                          void *stream) {
  (void)to_context, (void)from_context, (void)stream;
  FAIL("cuMemcpyPeerAsync");
  memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
  return 0;
}

/** A fatbin begins with 0xba55ed50; what follows is not looked at. */
API int cuModuleLoadData(void **module, const void *image) {
  uint32_t magic;
  FAIL("cuModuleLoadData");
  memcpy(&magic, image, sizeof magic);
  return magic == 0xba55ed50u ? give(module, 1) : 200;
}

API int cuModuleUnload(void *module) {
  return take(module);
}

/** A function is its name, which lives in the caller's tables. */
API int cuModuleGetFunction(void **function, void *module, const char *name) {
  (void)module;
  FAIL("cuModuleGetFunction");
  *function = (void *)(uintptr_t)name;
  return 0;
}

API int cuFuncSetAttribute(void *function, int attribute, int value) {
  (void)function, (void)attribute, (void)value;
  FAIL("cuFuncSetAttribute");
  return 0;
}

/** The sums that a peak's lanes come to, or wrong ones. */
static void peak_effect(const char *name, unsigned lanes, void **arguments) {
  const tensor_peak *peak = NULL;
  double sums[256];
  float *out = *(float **)arguments[1];
  for (int i = 0; (peak = tensor_peak_at(i)) != NULL && strcmp(peak->entry, name) != 0; i++) {
  }
  if (peak != NULL) {
    peak->sums(peak, *(const unsigned char **)arguments[0], sums);
    for (unsigned i = 0; i < lanes; i++) {
      out[i] =
          number("wrong=", 0) != 0 ? 1 : (float)(sums[i % (unsigned)peak->lanes] * *(int32_t *)arguments[2]);
    }
  }
}

/** STREAM's copy of fp32, and the peaks. */
static void effect(const char *name, unsigned lanes, void **arguments) {
  if (strcmp(name, "stream_copy") == 0) {
    memcpy(*(void **)arguments[1], *(void **)arguments[0], 4 * (size_t) * (int64_t *)arguments[2]);
  } else if (strncmp(name, "peak_", 5) == 0) {
    peak_effect(name, lanes, arguments);
  }
}

API int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                       unsigned bz, unsigned shared, void *stream, void **arguments, void **extra) {
  (void)shared, (void)stream, (void)extra;
  FAIL("cuLaunchKernel");
  if (gx * gy * gz == 0 || bx * by * bz == 0) {
    return 1;
  }
  const char *script = getenv("FAKE_CUDA"), *fault = script != NULL ? strstr(script, "fault=") : NULL;
  if (fault != NULL && strcmp(fault + 6, function) == 0) {
    return 719;
  }
  fake_cuda_launches++;
  effect(function, gx * bx, arguments);
  return 0;
}

API int cuStreamCreate(void **stream, unsigned flags) {
  (void)flags;
  FAIL("cuStreamCreate");
  return give(stream, 1);
}

API int cuStreamDestroy_v2(void *stream) {
  return take(stream);
}

API int cuStreamSynchronize(void *stream) {
  (void)stream;
  FAIL("cuStreamSynchronize");
  return 0;
}

API int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  (void)stream, (void)event, (void)flags;
  return 0;
}

API int cuEventCreate(void **event, unsigned flags) {
  (void)flags;
  FAIL("cuEventCreate");
  return give(event, 1);
}

API int cuEventDestroy_v2(void *event) {
  return take(event);
}

API int cuEventRecord(void *event, void *stream) {
  (void)event, (void)stream;
  return 0;
}

API int cuEventSynchronize(void *event) {
  (void)event;
  FAIL("cuEventSynchronize");
  return 0;
}

API int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  (void)start, (void)end;
  *milliseconds = 1;
  return 0;
}

API int cuStreamBeginCapture_v2(void *stream, int mode) {
  (void)stream, (void)mode;
  FAIL("cuStreamBeginCapture_v2");
  return 0;
}

API int cuStreamEndCapture(void *stream, void **graph) {
  (void)stream;
  return give(graph, 1);
}

API int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags) {
  (void)graph, (void)flags;
  FAIL("cuGraphInstantiateWithFlags");
  return give(exec, 1);
}

API int cuGraphLaunch(void *exec, void *stream) {
  (void)exec, (void)stream;
  FAIL("cuGraphLaunch");
  return 0;
}

API int cuGraphExecDestroy(void *exec) {
  return take(exec);
}

API int cuGraphDestroy(void *graph) {
  return take(graph);
}

#ifndef FAKE_OLD
API int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
                               const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                               int interleave, int swizzle, int promotion, int fill) {
  (void)map, (void)type, (void)address, (void)steps, (void)interleave, (void)swizzle, (void)promotion,
      (void)fill;
  int rows = strides[0] == 2 * sizes[0] && strides[0] % 16 == 0 && box[0] == 64 && box[1] <= 256;
  int planes = rank == 3 && strides[1] == strides[0] * sizes[1] && sizes[2] > 0 && box[2] == 1;
  return rows && (rank == 2 || planes) ? 0 : 1;
}
#endif

/* NVML: one device at 700 W, 1980 MHz, held by its power cap. */

API int nvmlInit_v2(void) {
  fake_cuda_live++;
  return 0;
}

API int nvmlShutdown(void) {
  fake_cuda_live--;
  return 0;
}

API int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device) {
  static int one;
  *device = &one;
  return strcmp(bus, "0000:01:00.0") == 0 ? 0 : 6;
}

API int nvmlSystemGetDriverVersion(char *version, unsigned size) {
  snprintf(version, size, "580.1.2");
  return 0;
}

API int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts) {
  (void)device;
  *milliwatts = 650500;
  return 0;
}

API int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts) {
  (void)device;
  *milliwatts = 700000;
  return 0;
}

API int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz) {
  (void)device;
  *mhz = type == 1 ? 1755 : 3201;
  return 0;
}

API int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz) {
  (void)device;
  *mhz = type == 1 ? 1980 : 3201;
  return 0;
}

API int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius) {
  (void)device, (void)sensor;
  *celsius = 61;
  return 0;
}

API int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons) {
  (void)device;
  *reasons = 0x4;
  return 0;
}

/* cuBLASLt: accepts everything, multiplies nothing. */

API size_t cublasLtGetVersion(void) {
  return 130203;
}

API int cublasLtCreate(void **handle) {
  return give(handle, 1);
}

API int cublasLtDestroy(void *handle) {
  return take(handle);
}

API int cublasLtMatmulDescCreate(void **desc, int compute, int scale) {
  (void)compute, (void)scale;
  return give(desc, 1);
}

API int cublasLtMatmulDescDestroy(void *desc) {
  return take(desc);
}

API int cublasLtMatmulDescSetAttribute(void *desc, int attribute, const void *value, size_t size) {
  (void)desc, (void)value;
  return size == (attribute == 25 ? 1 : attribute == 17 || attribute == 18 ? 8 : 4) ? 0 : 7;
}

API int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t columns, int64_t lead) {
  (void)type, (void)columns;
  return (uint64_t)lead == rows ? give(layout, 1) : 7;
}

API int cublasLtMatrixLayoutDestroy(void *layout) {
  return take(layout);
}

API int cublasLtMatmulPreferenceCreate(void **preference) {
  return give(preference, 1);
}

API int cublasLtMatmulPreferenceDestroy(void *preference) {
  return take(preference);
}

API int cublasLtMatmulPreferenceSetAttribute(void *preference, int attribute, const void *value,
                                             size_t size) {
  (void)preference, (void)attribute, (void)value;
  return size == sizeof(size_t) ? 0 : 7;
}

API int cublasLtMatmulAlgoGetHeuristic(void *handle, void *desc, void *a, void *b, void *c, void *d,
                                       void *preference, int wanted, void *choices, int *found) {
  (void)handle, (void)desc, (void)a, (void)b, (void)c, (void)d, (void)preference, (void)choices;
  FAIL("cublasLtMatmulAlgoGetHeuristic");
  *found = wanted;
  return 0;
}

API int cublasLtMatmul(void *handle, void *desc, const void *alpha, const void *a, void *la, const void *b,
                       void *lb, const void *beta, const void *c, void *lc, void *d, void *ld,
                       const void *algorithm, void *workspace, size_t bytes, void *stream) {
  (void)handle, (void)desc, (void)alpha, (void)a, (void)la, (void)b, (void)lb, (void)beta, (void)c, (void)lc,
      (void)d;
  (void)ld, (void)algorithm, (void)workspace, (void)bytes, (void)stream;
  FAIL("cublasLtMatmul");
  return 0;
}
