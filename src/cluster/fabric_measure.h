/** Measures the network between the ranks of a job. */
#ifndef CLUSTER_FABRIC_MEASURE_H
#define CLUSTER_FABRIC_MEASURE_H

#include "cluster/fabric_pairs.h"
#include "cluster/mpi/mpi.h"

/** Hears what is being measured, on rank 0. */
typedef void rf_fabric_listener(void *user, const char *what);

typedef struct rf_fabric_plan {
  double seconds; /* for each distance, and for all pairs together */
  int factor;     /* from one size of a message to the next */
  rf_fabric_listener *listener;
  void *user;
} rf_fabric_plan;

/** Where this rank is: `node`'s name, what Slurm says of its switches, the core and socket it is bound to.
 *  Units: none. Ownership: none. Errors: none. */
rf_rank_place rf_rank_place_here(const char *node);

/** Measures, by all ranks of the group: each distance by two ranks alone, then all pairs of nodes in rounds, then one half against the
 * other.
 *  Units: s, bytes. Ownership: rank 0 has it in *fabric on success, released by roof_fabric_done; the others have it empty.
 *  Errors: ROOF_E_MEMORY; ROOF_E_UNSUPPORTED where the MPI refuses. */
roof_status rf_fabric_measure(const rf_mpi *mpi, int group, const rf_rank_place *here,
                              const rf_fabric_plan *plan, roof_fabric *fabric, roof_error *error);

#endif
