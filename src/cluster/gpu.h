/** The GPU that a rank takes, and the library of collectives between GPUs: NCCL, or RCCL, whose interface is the same. A process has one
 *  GPU here. Calls return once the GPU is done; they are of what rf_gpu_open gave. */
#ifndef CLUSTER_GPU_H
#define CLUSTER_GPU_H

#include "cluster/mpi/mpi.h"
#include "roofline/fabric.h"
#include "roofline/status.h"

typedef struct rf_gpu rf_gpu;

/** What rank 0 has the others know, so that they find each other: ncclUniqueId, as it lies in memory. */
typedef struct rf_gpu_word {
  char bytes[128];
} rf_gpu_word;

/** Takes GPU `index`, modulo their number, of the first kind that has both a GPU and its library here.
 *  Units: none. Ownership: *gpu until rf_gpu_close. Errors: ROOF_E_NAME without any GPU, ROOF_E_UNSUPPORTED where a GPU is here and cannot
 *  be used, with the reason. */
roof_status rf_gpu_open(int index, rf_gpu **gpu, roof_error *error);
void rf_gpu_close(rf_gpu *gpu);

/** Where it is on its node: "0000:41:00.0". */
const char *rf_gpu_bus(const rf_gpu *gpu);

/** "NCCL 2.18.3 on NVIDIA H100 80GB HBM3" */
const char *rf_gpu_title(const rf_gpu *gpu);

/** Room for `bytes` that go out and as many that come in.
 *  Units: bytes. Ownership: the GPU's. Errors: ROOF_E_UNSUPPORTED where its memory is full. */
roof_status rf_gpu_room(rf_gpu *gpu, size_t bytes, roof_error *error);
void *rf_gpu_out(const rf_gpu *gpu);
void *rf_gpu_in(const rf_gpu *gpu);
bool rf_gpu_write(rf_gpu *gpu, void *to, const void *from, size_t bytes);
bool rf_gpu_read(rf_gpu *gpu, void *to, const void *from, size_t bytes);

/** By the first of the GPUs that meet. */
roof_status rf_gpu_word_make(rf_gpu *gpu, rf_gpu_word *word, roof_error *error);

/** By all of them: they are the ranks 0 to `size` - 1.
 *  Units: none. Ownership: none. Errors: ROOF_E_UNSUPPORTED with the library's reason. */
roof_status rf_gpu_meet(rf_gpu *gpu, const rf_gpu_word *word, int rank, int size, roof_error *error);

/** A message there and one back; the partner, which does not lead, answers.
 *  Units: bytes. Ownership: none. Errors: false. */
bool rf_gpu_exchange(rf_gpu *gpu, int partner, size_t bytes, bool leads);

/** Collectives between the GPUs that met, of memory of the GPU: all that an rf_collective runs but the barrier, and `reason`. The group is
 *  not looked at. */
extern const rf_mpi rf_gpu_collectives;

#endif
