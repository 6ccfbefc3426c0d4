/** Two GPUs alone, whose ranks agree over the MPI on what comes; and whether collectives are right. */
#ifndef CLUSTER_GPUS_PAIR_H
#define CLUSTER_GPUS_PAIR_H

#include "cluster/fabric_measure.h"
#include "cluster/gpu.h"

enum { RF_GPUS_LARGEST = 1 << 26 }; /* bytes of a message, and of a collective's buffer */

typedef struct rf_gpus_pair {
  const rf_mpi *mpi;
  int group, partner;
  rf_gpu *gpu;
} rf_gpus_pair;

/** By the leader: round trips of all sizes that the plan has time for, fitted. LogGP, trains and overlap are not measured.
 *  Units: s, bytes. Ownership: fills *out. Errors: false where NCCL or the MPI refused, or without memory. */
bool rf_gpus_lead(const rf_gpus_pair *pair, const rf_fabric_plan *plan, roof_distance_fit *out);

/** By its partner, until it is released. */
bool rf_gpus_obey(const rf_gpus_pair *pair);

/** By all GPUs that met: runs each collective once, of a kilobyte for each, and looks at every number of the result.
 *  Units: none. Ownership: none. Errors: ROOF_E_UNSUPPORTED naming the collective whose result is wrong, or that was refused. */
roof_status rf_gpus_check(rf_gpu *gpu, int rank, int size, roof_error *error);

#endif
