/** Trains of messages between two ranks, of which one leads: it says what comes, the other obeys until it is released. Each call is
 *  false when the MPI refused. */
#ifndef CLUSTER_FABRIC_EXCHANGE_H
#define CLUSTER_FABRIC_EXCHANGE_H

#include "cluster/mpi/mpi.h"

enum { RF_TRAIN_MAX = 64, RF_EXCHANGE_ROOM = 1 << 24 };

typedef struct rf_exchange {
  const rf_mpi *mpi;
  int group, partner;
  unsigned char *out, *in; /* RF_EXCHANGE_ROOM bytes each */
} rf_exchange;

/** `messages` of `bytes` there, before each but the first a computation of `delay` s, then one of `busy` s while they are in flight; a
 * message of `answer` bytes back. `repeats` of all this. It crosses the network as it lies in memory: 0 repeats release. */
typedef struct rf_train {
  double delay, busy;
  int bytes, answer, messages, repeats;
} rf_train;

/** Memory that all messages come from and go to.
 *  Units: bytes. Ownership: undone by rf_exchange_done. Errors: false without memory. */
bool rf_exchange_init(rf_exchange *with, const rf_mpi *mpi, int group);
void rf_exchange_done(rf_exchange *with);

/** Leads a train; each sample is from the first send to the answer's arrival. What comes before the samples warms up.
 *  Units: s. Ownership: fills `samples` (repeats). Errors: false. */
bool rf_exchange_lead(const rf_exchange *with, const rf_train *train, double *samples);

/** Releases the partner.
 *  Units: none. Ownership: none. Errors: false. */
bool rf_exchange_release(const rf_exchange *with);

/** Obeys the partner until it releases.
 *  Units: none. Ownership: none. Errors: false. */
bool rf_exchange_obey(const rf_exchange *with);

/** Waits for all ranks of a group, asleep between looks, so that ranks which measure keep their processors.
 *  Units: none. Ownership: none. Errors: false. */
bool rf_gate(const rf_mpi *mpi, int group);

#endif
