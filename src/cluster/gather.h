/** A text of each rank of a job brought to the first rank, without MPI: a process that runs an MPI program cannot start MPI itself.
 *  Each rank writes a file, complete or not at all, into a folder that all nodes share; the first waits for them and removes it. */
#ifndef CLUSTER_GATHER_H
#define CLUSTER_GATHER_H

#include <limits.h>
#include <signal.h>

#include "cluster/job.h"
#include "roofline/text.h"

typedef struct rf_gather {
  int rank, size;
  char node[RF_JOB_NODE_MAX];
  char folder[PATH_MAX];
} rf_gather;

/** What the first rank does with what comes. */
typedef struct rf_gather_taker {
  /** The text of a rank. A failure ends the wait. */
  roof_status (*take)(void *user, int rank, const char *text, size_t length, roof_error *error);
  /** A rank that gave none, why, and its node where that is known, else "". */
  void (*miss)(void *user, int rank, const char *node, const char *why);
  void *user;
} rf_gather_taker;

/** How many ranks the launcher started with this one, 1 without a launcher.
 *  Units: none. Ownership: none. Errors: none. */
int rf_gather_ranks(void);

/** What every rank refuses alike is said by the first alone: the others wait a second, for its message to get out before the
 *  launcher ends all, and lose theirs. Returns `status`.
 *  Units: none. Ownership: none. Errors: none. */
roof_status rf_gather_once(roof_status status, roof_error *error);

/** Meets the others in a folder of this job's own in `base`: to be called by every rank, before its work.
 *  Units: none. Ownership: fills *gather. Errors: ROOF_E_UNSUPPORTED where the launcher does not say which job this is, ROOF_E_OUTPUT. */
roof_status rf_gather_begin(rf_gather *gather, const char *base, roof_error *error);

/** Gives this rank's text. Every rank but the first is done with it, once that has been seen to use the same folder.
 *  Units: s. Ownership: `text` is not kept. Errors: ROOF_E_OUTPUT; ROOF_E_UNSUPPORTED where the first rank is not seen within `patience`. */
roof_status rf_gather_give(const rf_gather *gather, const roof_text *text, double patience,
                           roof_error *error);

/** Gives a text in addition to it, under a name: to be called before.
 *  Units: none. Ownership: `text` is not kept. Errors: ROOF_E_OUTPUT. */
roof_status rf_gather_attach(const rf_gather *gather, const char *name, const roof_text *text,
                             roof_error *error);

/** What a rank gave so, while its own text is taken or before.
 *  Units: none. Ownership: fills *text, roof_text_done. Errors: ROOF_E_INPUT where it gave none. */
roof_status rf_gather_attached(const rf_gather *gather, int rank, const char *name, roof_text *text,
                               roof_error *error);

/** By the first rank: takes the texts of all, waiting for so long and no longer, also until a signal asks it to end; then the
 *  folder is gone.
 *  Units: s. Ownership: none. Errors: as taker->take. */
roof_status rf_gather_take(const rf_gather *gather, double patience, const rf_gather_taker *taker,
                           roof_error *error);

/** Instead of giving, by a rank whose work failed: the first learns why. Where it is the first itself, the folder is gone.
 *  Units: none. Ownership: none. Errors: none. */
void rf_gather_fail(const rf_gather *gather, const char *why);

#endif
