/** Collectives between ranks: how long each algorithm takes by the network's fit, and how long the MPI's do. */
#ifndef CLUSTER_COLLECTIVES_H
#define CLUSTER_COLLECTIVES_H

#include "cluster/fabric_measure.h"

/** A collective, its buffer `size` bytes as an operation of that name has it: whole before or after, on each rank. */
typedef struct rf_collective {
  const char *op;
  bool has_size;
  double copies; /* of size * (ranks - 1) / ranks, bytes that pass a rank's link whatever the algorithm */
  /** By all ranks; `size` is a multiple of 4 bytes for each rank. */
  bool (*run)(const rf_mpi *mpi, int group, void *in, void *out, size_t size);
  struct {
    const char *name;
    double (*seconds)(const roof_alpha_beta *fit, double ranks, double size);
  } algorithms[ROOF_CURVES];
} rf_collective;

extern const rf_collective rf_collectives[ROOF_COLLECTIVES];

/** Predicts a collective of `ranks` at sizes from 8 bytes for each rank, each `factor` times the one before, up to `largest`.
 *  Units: s, bytes. Ownership: fills *curve. Errors: none. */
void rf_collective_predict(const rf_collective *of, const roof_alpha_beta *fit, int ranks, double largest,
                           int factor, roof_collective_curve *curve);

/** Fills in at one size what was measured, and which algorithm's curve that is nearest to. Sorts the samples.
 *  Units: s. Ownership: none. Errors: without samples the time is NaN. */
void rf_collective_settle(const roof_collective_curve *curve, roof_collective_time *time, double *samples,
                          size_t count);

/** What rank 0 does with the curves before any collective runs; its failure ends the measurement on all ranks. */
typedef roof_status rf_collectives_sealer(void *user, const roof_collective_curve *curves, int count,
                                          roof_error *error);

/** Hears each size's samples, in s, on rank 0. */
typedef void rf_collectives_keeper(void *user, const roof_collective_curve *curve, int size,
                                   const double *samples, size_t count);

typedef struct rf_collectives_plan {
  double seconds; /* for all */
  double largest; /* bytes */
  int factor;
  rf_collectives_sealer *sealer;
  rf_collectives_keeper *keeper;
  void *user;
  const rf_mpi *engine; /* whose collectives they are; NULL: the MPI's, else all but the barrier */
  void *out, *in;       /* of the engine: `largest` bytes each, and 64 for each rank */
} rf_collectives_plan;

/** By all ranks: predicts them by the fit of the farthest distance, has rank 0 seal that, then measures.
 *  Units: s. Ownership: fills the collectives of rank 0's *fabric, whose distances are measured. Errors: ROOF_E_MEMORY; ROOF_E_UNSUPPORTED
 *  where the MPI refuses; the sealer's. */
roof_status rf_collectives_measure(const rf_mpi *mpi, int group, const rf_collectives_plan *plan,
                                   roof_fabric *fabric, roof_error *error);

#endif
