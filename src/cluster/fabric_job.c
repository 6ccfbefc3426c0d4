#include "cluster/fabric_job.h"

#include "cluster/collectives_ledger.h"

enum { LARGEST = 1 << 20, FACTOR = 8 };

void rf_fabric_prepare(const rf_job *job, rf_fabric_task *task) {
  task->place = rf_rank_place_here(job->nodes[job->node].name);
  CPU_ZERO(&task->bound);
  sched_getaffinity(0, sizeof task->bound, &task->bound);
}

roof_status rf_fabric_of_job(const rf_job *job, const rf_fabric_task *task, roof_fabric *fabric,
                             roof_error *error) {
  sched_setaffinity(0, sizeof task->bound, &task->bound);
  roof_status status = rf_fabric_measure(job->mpi, RF_MPI_WORLD, &task->place, &task->plan, fabric, error);
  if (status != ROOF_OK || job->size < 2) {
    return status;
  }
  rf_collectives_ledger ledger = {
      .path = task->ledger, .how = task->how, .fabric = fabric, .machine = "network", .prefix = ""};
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
