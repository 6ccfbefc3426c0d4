/** A scaling study in a job: the network measured, all predicted and sealed, then every number of ranks run. */
#ifndef CLUSTER_SCALING_MEASURE_H
#define CLUSTER_SCALING_MEASURE_H

#include "cluster/fabric_measure.h"
#include "cluster/job.h"
#include "cluster/scaling.h"
#include "roofline/ledger.h"

/** Hears on rank 0 what comes next, and about how long that takes, in s. */
typedef void rf_scaling_listener(void *user, const char *what, double seconds);

typedef struct rf_scaling_task {
  const rf_scaling_kernel *kernel;
  bool weak;
  const double *values;        /**< the problem as asked */
  const roof_machine *machine; /**< of rank 0: whose ceilings predict */
  double seconds;              /**< for each number of ranks, and for each part of the network */
  int factor;                  /**< from one size of a message to the next */
  const char *ledger;          /**< of rank 0 */
  roof_ledger_options how;     /**< of the ledger */
  rf_scaling_listener *listener;
  void *user;
} rf_scaling_task;

/** By all ranks. Each number of ranks is a group of the first ones; the others sleep. A result is verified before it is timed, and recorded
 * as soon as it is.
 *  Units: s. Ownership: rank 0 has the study in *study, whose fits point to *fabric, to be released by roof_fabric_done in any case; the others
 *  have both empty.
 *  Errors: the same on all ranks: ROOF_E_ARGUMENT where the problem is not shared evenly, ROOF_E_INTERNAL for a wrong result, ROOF_E_MEMORY,
 *  ROOF_E_UNSUPPORTED where the MPI refuses; as roof_ledger_seal and roof_ledger_record. */
roof_status rf_scaling_of_job(const rf_job *job, const rf_scaling_task *task, rf_scaling_study *study,
                              roof_fabric *fabric, roof_error *error);

#endif
