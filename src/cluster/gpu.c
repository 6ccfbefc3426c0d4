/* NCCL and RCCL, found while the program runs. The interface is that of nccl.h 2.7 and later, which both have. */
#include "cluster/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/gpu_memory.h"
#include "host/cublas.h"
#include "host/library.h"
#include "measure/hip/api.h"

typedef struct nccl_group_ *nccl_group; /* ncclComm_t */

enum { NCCL_BYTES = 1, NCCL_FLOATS = 7, NCCL_SUM = 0 }; /* ncclUint8, ncclFloat32, ncclSum */

/** X(member, symbol, parameters): functions that return 0 or a code. */
#define NCCL_FUNCTIONS(X)                                                                                    \
  X(version, ncclGetVersion, (int *version))                                                                 \
  X(word, ncclGetUniqueId, (rf_gpu_word * word))                                                             \
  X(meet, ncclCommInitRank, (nccl_group * group, int size, rf_gpu_word word, int rank))                      \
  X(leave, ncclCommDestroy, (nccl_group group))                                                              \
  X(begin, ncclGroupStart, (void))                                                                           \
  X(end, ncclGroupEnd, (void))                                                                               \
  X(send, ncclSend, (const void *from, size_t count, int type, int to, nccl_group group, void *stream))      \
  X(receive, ncclRecv, (void *to, size_t count, int type, int from, nccl_group group, void *stream))         \
  X(broadcast, ncclBroadcast,                                                                                \
    (const void *in, void *out, size_t count, int type, int root, nccl_group group, void *stream))           \
  X(all_reduce, ncclAllReduce,                                                                               \
    (const void *in, void *out, size_t count, int type, int op, nccl_group group, void *stream))             \
  X(all_gather, ncclAllGather,                                                                               \
    (const void *in, void *out, size_t count, int type, nccl_group group, void *stream))                     \
  X(reduce_scatter, ncclReduceScatter,                                                                       \
    (const void *in, void *out, size_t count, int type, int op, nccl_group group, void *stream))

static struct {
#define NCCL_MEMBER(member, symbol, parameters) int(*member) parameters;
  NCCL_FUNCTIONS(NCCL_MEMBER)
  const char *(*text)(int code);
} nccl;

#define NCCL_SYMBOL(member, symbol, parameters) {#symbol, &nccl.member},
static const rf_symbol symbols[] = {NCCL_FUNCTIONS(NCCL_SYMBOL){"ncclGetErrorString", &nccl.text}};

#define SYMBOLS .symbols = symbols, .count = sizeof symbols / sizeof symbols[0]

/** A kind of GPU. */
static const struct kind {
  const rf_gpu_memory *memory;
  rf_library library;
} kinds[] = {
    {&rf_gpu_cuda, {.what = "NCCL", .folder = RF_CUDA_FOLDER, .sonames = {"libnccl.so.2"}, SYMBOLS}},
    {&rf_gpu_hip, {.what = "RCCL", .folder = RF_HIP_FOLDER, .sonames = {"librccl.so.1"}, SYMBOLS}},
};

struct rf_gpu {
  const rf_gpu_memory *memory;
  rf_loaded library;
  int index, rank, size;
  nccl_group group;
  void *stream, *out, *in;
  char bus[RF_GPU_NAME], title[ROOF_FABRIC_NAME];
};

/* What the functions of rf_gpu_collectives are of, and what its library said last. */
static rf_gpu *opened;
static char refused[200];

static bool check(int code, const char *what) {
  if (code != 0) {
    snprintf(refused, sizeof refused, "%s: %s", what, nccl.text(code));
  }
  return code == 0;
}

static roof_status status_of(const rf_gpu *gpu, bool done, roof_error *error) {
  return done ? ROOF_OK : roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: %s", gpu->title, refused);
}

/* --- the GPU --- */

/** "NCCL 2.18.3 on NVIDIA H100"; versions before 2.9 have a digit less. */
static void name_it(rf_gpu *gpu, const char *library, const char *device) {
  int version = 0, of_major = 10000;
  nccl.version(&version);
  of_major = version < of_major ? 1000 : of_major;
  snprintf(gpu->title, sizeof gpu->title, "%s %d.%d.%d on %s", library, version / of_major,
           version % of_major / 100, version % 100, device);
}

static roof_status open_kind(const struct kind *kind, int index, rf_gpu *gpu, roof_error *error) {
  char device[RF_GPU_NAME] = "";
  const char *absent = kind->memory->load();
  int count = 0;
  if (absent != NULL || kind->memory->count(&count) != 0 || count == 0) {
    return roof_error_set(error, ROOF_E_NAME, "%s", absent != NULL ? absent : "no GPU");
  }
  if (!rf_library_load(&kind->library, &gpu->library)) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s", gpu->library.reason);
  }
  gpu->memory = kind->memory;
  gpu->index = index % count;
  int code = kind->memory->open(gpu->index, gpu->bus, device);
  code = code == 0 ? kind->memory->stream_new(&gpu->stream) : code;
  if (code != 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "GPU %d cannot be opened: code %d of its driver",
                          gpu->index, code);
  }
  name_it(gpu, kind->library.what, device);
  return ROOF_OK;
}

roof_status rf_gpu_open(int index, rf_gpu **gpu, roof_error *error) {
  roof_status status = ROOF_E_NAME;
  rf_gpu *found = calloc(1, sizeof *found);
  if (found == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "GPU: out of memory");
  }
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && status == ROOF_E_NAME; i++) {
    status = open_kind(&kinds[i], index, found, error);
  }
  if (status != ROOF_OK) {
    rf_library_close(&found->library);
    free(found);
    return status;
  }
  *gpu = opened = found;
  return ROOF_OK;
}

void rf_gpu_close(rf_gpu *gpu) {
  if (gpu == NULL) {
    return;
  }
  if (gpu->group != NULL) {
    nccl.leave(gpu->group);
  }
  if (gpu->in != NULL) {
    gpu->memory->release(gpu->in);
  }
  if (gpu->out != NULL) {
    gpu->memory->release(gpu->out);
  }
  gpu->memory->stream_free(gpu->stream);
  gpu->memory->close(gpu->index);
  opened = NULL;
  free(gpu); /* its library stays: threads of it may still end */
}

const char *rf_gpu_bus(const rf_gpu *gpu) {
  return gpu->bus;
}

const char *rf_gpu_title(const rf_gpu *gpu) {
  return gpu->title;
}

roof_status rf_gpu_room(rf_gpu *gpu, size_t bytes, roof_error *error) {
  bool fits = gpu->memory->allocate(&gpu->out, bytes) == 0 && gpu->memory->allocate(&gpu->in, bytes) == 0;
  return fits ? ROOF_OK
              : roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: no room for twice %zu MB", gpu->title,
                               bytes / 1000000);
}

void *rf_gpu_out(const rf_gpu *gpu) {
  return gpu->out;
}

void *rf_gpu_in(const rf_gpu *gpu) {
  return gpu->in;
}

static bool wait_for(rf_gpu *gpu, int code, const char *what) {
  code = code == 0 ? gpu->memory->stream_wait(gpu->stream) : code;
  if (code != 0) {
    snprintf(refused, sizeof refused, "%s: code %d of the GPU's driver", what, code);
  }
  return code == 0;
}

bool rf_gpu_write(rf_gpu *gpu, void *to, const void *from, size_t bytes) {
  return wait_for(gpu, gpu->memory->write(to, from, bytes, gpu->stream), "write");
}

bool rf_gpu_read(rf_gpu *gpu, void *to, const void *from, size_t bytes) {
  return wait_for(gpu, gpu->memory->read(to, from, bytes, gpu->stream), "read");
}

/* --- between GPUs --- */

roof_status rf_gpu_word_make(rf_gpu *gpu, rf_gpu_word *word, roof_error *error) {
  return status_of(gpu, check(nccl.word(word), "ncclGetUniqueId"), error);
}

roof_status rf_gpu_meet(rf_gpu *gpu, const rf_gpu_word *word, int rank, int size, roof_error *error) {
  gpu->rank = rank, gpu->size = size;
  return status_of(gpu, check(nccl.meet(&gpu->group, size, *word, rank), "ncclCommInitRank"), error);
}

/** Until the GPU has done what was asked. */
static bool done(int code, const char *what) {
  return check(code, what) && wait_for(opened, 0, what);
}

bool rf_gpu_exchange(rf_gpu *gpu, int partner, size_t bytes, bool leads) {
  int first = leads ? nccl.send(gpu->out, bytes, NCCL_BYTES, partner, gpu->group, gpu->stream)
                    : nccl.receive(gpu->in, bytes, NCCL_BYTES, partner, gpu->group, gpu->stream);
  int second = first != 0 ? first
               : leads    ? nccl.receive(gpu->in, bytes, NCCL_BYTES, partner, gpu->group, gpu->stream)
                          : nccl.send(gpu->out, bytes, NCCL_BYTES, partner, gpu->group, gpu->stream);
  return done(second, "ncclSend and ncclRecv");
}

static const char *reason(void) {
  return refused;
}

static int size_of(int group) {
  (void)group;
  return opened->size;
}

static bool broadcast(int group, int root, void *data, size_t bytes) {
  (void)group;
  return done(nccl.broadcast(data, data, bytes, NCCL_BYTES, root, opened->group, opened->stream),
              "ncclBroadcast");
}

static bool all_gather(int group, const void *in, void *out, size_t bytes) {
  (void)group;
  return done(nccl.all_gather(in, out, bytes, NCCL_BYTES, opened->group, opened->stream), "ncclAllGather");
}

static bool all_reduce(int group, const float *in, float *out, size_t count) {
  (void)group;
  return done(nccl.all_reduce(in, out, count, NCCL_FLOATS, NCCL_SUM, opened->group, opened->stream),
              "ncclAllReduce");
}

static bool reduce_scatter(int group, const float *in, float *out, size_t count) {
  (void)group;
  return done(nccl.reduce_scatter(in, out, count, NCCL_FLOATS, NCCL_SUM, opened->group, opened->stream),
              "ncclReduceScatter");
}

/** NCCL has none: messages to and from all, in one group. */
static bool all_to_all(int group, const void *in, void *out, size_t bytes) {
  int code = nccl.begin();
  (void)group;
  for (int i = 0; i < opened->size && code == 0; i++) {
    code =
        nccl.send((const char *)in + (size_t)i * bytes, bytes, NCCL_BYTES, i, opened->group, opened->stream);
    code = code != 0 ? code
                     : nccl.receive((char *)out + (size_t)i * bytes, bytes, NCCL_BYTES, i, opened->group,
                                    opened->stream);
  }
  int end = nccl.end();
  return done(code != 0 ? code : end, "ncclSend and ncclRecv of all");
}

const rf_mpi rf_gpu_collectives = {.table = RF_MPI_TABLE,
                                   .reason = reason,
                                   .size = size_of,
                                   .broadcast = broadcast,
                                   .all_gather = all_gather,
                                   .all_to_all = all_to_all,
                                   .all_reduce = all_reduce,
                                   .reduce_scatter = reduce_scatter};
