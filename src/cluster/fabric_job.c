#include "cluster/fabric_job.h"

#include "cluster/collectives_ledger.h"

enum { LARGEST = 1 << 20, FACTOR = 8 };

roof_status rf_fabric_of_job(const rf_job *job, const rf_fabric_task *task, roof_fabric *fabric,
                             roof_error *error) {
  rf_rank_place here = rf_rank_place_here(job->nodes[job->node].name);
  roof_status status = rf_fabric_measure(job->mpi, RF_MPI_WORLD, &here, &task->plan, fabric, error);
  if (status != ROOF_OK || job->size < 2) {
    return status;
  }
  rf_collectives_ledger ledger = {.path = task->ledger, .how = task->how, .fabric = fabric};
  const rf_collectives_plan plan = {.seconds = task->plan.seconds,
                                    .largest = LARGEST,
                                    .factor = FACTOR,
                                    .sealer = rf_collectives_seal,
                                    .keeper = rf_collectives_keep,
                                    .user = &ledger};
  status = rf_collectives_measure(job->mpi, RF_MPI_WORLD, &plan, fabric, error);
  roof_status recorded = rf_collectives_record(&ledger, status == ROOF_OK ? error : NULL);
  status = status == ROOF_OK ? recorded : status;
  if (status != ROOF_OK) {
    roof_fabric_done(fabric);
  }
  return status;
}
