/** The network of a job: messages, then collectives, whose predictions are sealed before they run. */
#ifndef CLUSTER_FABRIC_JOB_H
#define CLUSTER_FABRIC_JOB_H

#include <sched.h>

#include "cluster/fabric_measure.h"
#include "cluster/job.h"
#include "roofline/ledger.h"

typedef struct rf_fabric_task {
  rf_fabric_plan plan;     /* its seconds for the collectives too */
  const char *ledger;      /* of rank 0 */
  roof_ledger_options how; /* of the ledger */
  rf_rank_place place;     /* by rf_fabric_prepare, with where the launcher bound this rank */
  cpu_set_t bound;
} rf_fabric_task;

/** By all ranks, before anything else binds them: notes where this rank is.
 *  Units: none. Ownership: fills place and bound. Errors: none. */
void rf_fabric_prepare(const rf_job *job, rf_fabric_task *task);

/** By all ranks, bound again as they were.
 *  Units: s, bytes. Ownership: rank 0 has it in *fabric on success, released by roof_fabric_done; the others have it empty.
 *  Errors: as rf_fabric_measure, rf_collectives_measure and rf_collectives_record. */
roof_status rf_fabric_of_job(const rf_job *job, const rf_fabric_task *task, roof_fabric *fabric,
                             roof_error *error);

#endif
