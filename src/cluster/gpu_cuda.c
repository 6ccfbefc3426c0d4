/* Memory of NVIDIA's GPUs, by the driver: NCCL brings its own runtime, which uses the context that is current. */
#include "cluster/gpu_memory.h"
#include "measure/cuda/api.h"

static const cuda_api *api;

static const char *load(void) {
  const char *reason = NULL;
  api = rf_cuda_load_driver(&reason);
  return reason;
}

static int count(int *devices) {
  return api->common.device_count(devices);
}

static int open(int index, char bus[RF_GPU_NAME], char name[RF_GPU_NAME]) {
  int device;
  cuda_context context;
  int code = api->device_get(&device, index);
  code = code == 0 ? api->common.device_bus(bus, RF_GPU_NAME, device) : code;
  code = code == 0 ? api->common.device_name(name, RF_GPU_NAME, device) : code;
  code = code == 0 ? api->retain(&context, device) : code;
  return code == 0 ? api->set_current(context) : code;
}

static void close(int index) {
  int device;
  if (api->device_get(&device, index) == 0) {
    api->let_go(device);
  }
}

static int allocate(void **at, size_t bytes) {
  return api->common.allocate(at, bytes);
}

static int release(void *at) {
  return api->common.release(at);
}

static int write(void *to, const void *from, size_t bytes, void *stream) {
  return api->common.write_async(to, from, bytes, stream);
}

static int read(void *to, const void *from, size_t bytes, void *stream) {
  return api->common.read_async(to, from, bytes, stream);
}

static int stream_new(void **stream) {
  return api->common.stream_new((rf_stream_handle *)stream, RF_STREAM_NON_BLOCKING);
}

static int stream_free(void *stream) {
  return api->common.stream_free(stream);
}

static int stream_wait(void *stream) {
  return api->common.stream_wait(stream);
}

const rf_gpu_memory rf_gpu_cuda = {load,  count, open,       close,       allocate,   release,
                                   write, read,  stream_new, stream_free, stream_wait};
