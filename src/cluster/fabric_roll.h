/** Who still answers, when a rank has waited for too long: those that wait at a gate report to rank 0, which names the others. */
#ifndef CLUSTER_FABRIC_ROLL_H
#define CLUSTER_FABRIC_ROLL_H

#include "cluster/job.h"

/** When, by rf_clock_seconds, a rank that waits takes another to hang; infinity: never.
 *  Units: s. Ownership: none. Errors: none. */
void rf_roll_at(double end);

/** Whether that is past.
 *  Units: none. Ownership: none. Errors: none. */
bool rf_roll_is_due(void);

/** By every rank that waits at a gate then: rank 0 learns of it within two seconds; the others stay until it ends the job, or
 *  for ten.
 *  Units: none. Ownership: none. Errors: none. */
void rf_roll_call(const rf_mpi *mpi);

/** Whom this rank exchanges messages with, which it cannot leave: a rank of the job, -1 nobody, or one that is not known.
 *  Units: none. Ownership: none. Errors: none. */
void rf_roll_meets(const rf_mpi *mpi, int group, int partner);

/** Names the ranks that no longer answer: those whose processes are stopped, as far as this system sees them; else those that did not
 *  report (the partner of one that hangs is among them) or, where rank 0 itself does not wait at a gate, its partner.
 *  Units: none. Ownership: fills and returns `text`. Errors: "a rank" where none is known. */
const char *rf_roll_silent(const rf_job *job, char *text, size_t size);

#endif
