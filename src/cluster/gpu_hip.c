/* Memory of AMD's GPUs, by the HIP runtime, which RCCL uses as well. */
#include "cluster/gpu_memory.h"
#include "host/library.h"
#include "measure/hip/api.h"

enum { TO_DEVICE = 1, TO_HOST = 2 }; /* hipMemcpyKind */

/** X(member, symbol, parameters), of hip_runtime_api.h */
#define GPU_FUNCTIONS(X)                                                                                     \
  X(count, hipGetDeviceCount, (int *count))                                                                  \
  X(set, hipSetDevice, (int device))                                                                         \
  X(bus, hipDeviceGetPCIBusId, (char *id, int size, int device))                                             \
  X(name, hipDeviceGetName, (char *name, int size, int device))                                              \
  X(allocate, hipMalloc, (void **at, size_t bytes))                                                          \
  X(release, hipFree, (void *at))                                                                            \
  X(copy, hipMemcpyAsync, (void *to, const void *from, size_t bytes, int kind, void *stream))                \
  X(stream_new, hipStreamCreate, (void **stream))                                                            \
  X(stream_free, hipStreamDestroy, (void *stream))                                                           \
  X(stream_wait, hipStreamSynchronize, (void *stream))

static struct {
#define HIP_MEMBER(member, symbol, parameters) int(*member) parameters;
  GPU_FUNCTIONS(HIP_MEMBER)
} hip;

#define HIP_SYMBOL(member, symbol, parameters) {#symbol, &hip.member},
static const rf_symbol symbols[] = {GPU_FUNCTIONS(HIP_SYMBOL)};

static const rf_library library = {
    .what = "HIP",
    .folder = RF_HIP_FOLDER,
    .sonames = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"},
    .symbols = symbols,
    .count = sizeof symbols / sizeof symbols[0]};

static const char *load(void) {
  static rf_loaded loaded;
  return loaded.handle != NULL || rf_library_load(&library, &loaded) ? NULL : loaded.reason;
}

static int count(int *devices) {
  return hip.count(devices);
}

static int open(int index, char bus[RF_GPU_NAME], char name[RF_GPU_NAME]) {
  int code = hip.bus(bus, RF_GPU_NAME, index);
  code = code == 0 ? hip.name(name, RF_GPU_NAME, index) : code;
  return code == 0 ? hip.set(index) : code;
}

static void close(int index) {
  (void)index; /* nothing is held but memory and streams */
}

static int allocate(void **at, size_t bytes) {
  return hip.allocate(at, bytes);
}

static int release(void *at) {
  return hip.release(at);
}

static int write(void *to, const void *from, size_t bytes, void *stream) {
  return hip.copy(to, from, bytes, TO_DEVICE, stream);
}

static int read(void *to, const void *from, size_t bytes, void *stream) {
  return hip.copy(to, from, bytes, TO_HOST, stream);
}

static int stream_new(void **stream) {
  return hip.stream_new(stream);
}

static int stream_free(void *stream) {
  return hip.stream_free(stream);
}

static int stream_wait(void *stream) {
  return hip.stream_wait(stream);
}

const rf_gpu_memory rf_gpu_hip = {load,  count, open,       close,       allocate,   release,
                                  write, read,  stream_new, stream_free, stream_wait};
