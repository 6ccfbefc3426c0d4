/** The parts of measuring a network, each by the ranks that take part in it. */
#ifndef CLUSTER_FABRIC_SERIES_H
#define CLUSTER_FABRIC_SERIES_H

#include "cluster/fabric_exchange.h"
#include "cluster/fabric_measure.h"

/** By the leader of two ranks, whose partner obeys: fills the times and the fits.
 *  Units: s, bytes. Ownership: none. Errors: false where the MPI refused, or without memory. */
bool rf_distance_lead(const rf_exchange *with, const rf_fabric_plan *plan, roof_distance_fit *out);

/** What a rank found of all others that it met; NaN: it met none. */
typedef struct rf_met {
  double latency_seconds, bytes_per_second; /* medians over its partners */
} rf_met;

/** By all ranks of a group: each meets all others in rounds.
 *  Units: s, bytes/s. Ownership: fills *met. Errors: as rf_distance_lead. */
bool rf_pairs_meet(rf_exchange *with, const rf_fabric_plan *plan, rf_met *met);

/** By all ranks of a group: the lower half sends to the upper one at once; the sum at rank 0.
 *  Units: bytes/s. Ownership: none. Errors: as rf_distance_lead. */
bool rf_pairs_bisect(rf_exchange *with, const rf_fabric_plan *plan, double *bytes_per_second);

#endif
