/** Scaling studies in the ledger: every number of ranks predicted before it runs, recorded after. */
#ifndef CLUSTER_SCALING_LEDGER_H
#define CLUSTER_SCALING_LEDGER_H

#include "cluster/scaling_measure.h"

/** Seals a prediction for each point.
 *  Units: s. Ownership: none. Errors: as roof_ledger_seal. */
roof_status rf_scaling_seal(const rf_scaling_task *task, const rf_scaling_study *study, roof_error *error);

/** Records a point's samples, which are sorted, and fills in what was measured and its verdict.
 *  Units: s. Ownership: `samples` stays the caller's. Errors: as roof_ledger_record. */
roof_status rf_scaling_record(const rf_scaling_task *task, rf_scaling_study *study, rf_scaling_point *point,
                              double *samples, size_t count, roof_error *error);

#endif
