/** Clocks of ranks against that of rank 0. */
#ifndef CLUSTER_FABRIC_CLOCK_H
#define CLUSTER_FABRIC_CLOCK_H

#include "cluster/mpi/mpi.h"
#include "roofline/fabric.h"

/** One exchange: what the other's clock said, at the middle of the round trip by this one's. */
typedef struct rf_clock_reading {
  double local, remote, round_trip; /* s */
} rf_clock_reading;

/** Fits offset and drift to readings in the order of time, the shortest round trips of each third alone.
 *  Units: s. Ownership: writes *clock on success only. Errors: false without readings. */
bool rf_clock_fit(const rf_clock_reading *readings, size_t count, roof_clock *clock);

/** The other clock's time at a local one.
 *  Units: s. Ownership: none. Errors: none. */
double rf_clock_remote(const roof_clock *clock, double local);

/** The local time at which the other clock says `remote`.
 *  Units: s. Ownership: none. Errors: none. */
double rf_clock_local(const roof_clock *clock, double remote);

/** By all ranks of a group: each learns rank 0's clock (rf_clock_seconds) from one that knows it already, which takes log2 of their number
 * (Hunold and Carpen-Amarie 2015: in a tree).
 *  Units: s. Ownership: none. Errors: false where the MPI refused. */
bool rf_clock_agree(const rf_mpi *mpi, int group, roof_clock *clock);

#endif
