/** Messages and collectives between the GPUs of a job, one of each rank. */
#ifndef CLUSTER_GPUS_MEASURE_H
#define CLUSTER_GPUS_MEASURE_H

#include "cluster/fabric_job.h"

enum { RF_GPUS_WHY = 320 };

/** By all ranks, after rf_fabric_of_job: rank 0 has the GPUs' part in fabric->gpus or, where they are not measured though there are some, the
 *  reason in `why`; "" where there are none. What keeps single ranks out is in `why` as well. Collectives are checked, then predicted by the
 *  GPUs' own messages, sealed in the task's ledger as those of the ranks are, and measured.
 *  Units: s, bytes. Ownership: fills *fabric of rank 0. Errors: ROOF_E_MEMORY; ROOF_E_UNSUPPORTED where the MPI refuses; the ledger's. */
roof_status rf_gpus_measure(const rf_job *job, const rf_fabric_task *task, roof_fabric *fabric,
                            char why[RF_GPUS_WHY], roof_error *error);

#endif
