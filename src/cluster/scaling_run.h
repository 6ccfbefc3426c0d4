/** Distributed kernels as they run: what a rank holds, a step, and its verification. */
#ifndef CLUSTER_SCALING_RUN_H
#define CLUSTER_SCALING_RUN_H

#include "cluster/mpi/mpi.h"
#include "cluster/scaling.h"

/** One rank's part of a kernel. Fill in the first five members, the others 0. */
typedef struct rf_scaling_run {
  const rf_scaling_kernel *kernel;
  const rf_mpi *mpi;
  int group, rank; /**< the ranks of this part, in the order of the grid */
  rf_scaling_part part;
  int row_group, column_group; /**< of a grid: those of this rank's row, and of its column */
  roof_kernel_run local;
  void *own[2];           /**< panels of A and B of this rank; the sum of all gradients */
  double network_seconds; /**< in MPI, of all steps so far */
} rf_scaling_run;

/** How one of them runs. By all ranks of the group each; `false` where the MPI refused. */
typedef struct rf_scaling_way {
  roof_status (*prepare)(rf_scaling_run *run, roof_error *error); /**< after `local` is prepared */
  bool (*step)(rf_scaling_run *run);
  /** Whether the last step's result is that of a serial program. ROOF_E_INTERNAL with what is wrong. */
  roof_status (*verify)(rf_scaling_run *run, roof_error *error);
} rf_scaling_way;

extern const rf_scaling_way rf_scaling_gemm, rf_scaling_stencil, rf_scaling_gradients;

/** Allocates and fills a rank's part: numbers by their place in the whole problem, so that any rank knows all of them.
 *  Units: none. Ownership: released by rf_scaling_release, also after a failure. Errors: as the local kernel's; ROOF_E_UNSUPPORTED where
 *  the MPI refuses. */
roof_status rf_scaling_prepare(rf_scaling_run *run, roof_error *error);
void rf_scaling_release(rf_scaling_run *run);

#endif
