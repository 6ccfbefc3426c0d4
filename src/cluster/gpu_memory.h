/** Memory and streams of a kind of GPU, as little as its library of collectives needs. Codes are 0, or the driver's. */
#ifndef CLUSTER_GPU_MEMORY_H
#define CLUSTER_GPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

enum { RF_GPU_NAME = 65 };

typedef struct rf_gpu_memory {
  const char *(*load)(void); /**< why there is no such GPU here, or NULL */
  int (*count)(int *count);
  int (*open)(int index, char bus[RF_GPU_NAME], char name[RF_GPU_NAME]); /**< of this thread from now on */
  void (*close)(int index);
  int (*allocate)(void **at, size_t bytes);
  int (*release)(void *at);
  int (*write)(void *to, const void *from, size_t bytes, void *stream);
  int (*read)(void *to, const void *from, size_t bytes, void *stream);
  int (*stream_new)(void **stream);
  int (*stream_free)(void *stream);
  int (*stream_wait)(void *stream);
} rf_gpu_memory;

extern const rf_gpu_memory rf_gpu_cuda, rf_gpu_hip;

#endif
