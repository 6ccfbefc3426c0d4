/** One run over all nodes of a job: each node's first rank measures it, the first rank of all collects. Those that wait sleep, so
 *  that nothing disturbs what is measured. */
#ifndef CLUSTER_COLLECT_H
#define CLUSTER_COLLECT_H

#include <pthread.h>

#include "cluster/job.h"
#include "cluster/node.h"
#include "cluster/nodes.h"
#include "roofline/measure.h"

typedef struct rf_collect_options {
  const char *backends; /**< as of rf_node_measure */
  roof_measure_options how;
  double patience;  /**< s that nodes may take longer than the first; 0: as long as that took, and a minute */
  const char *path; /**< the file that it is for: until it is complete, what there is lies in PATH.part */
} rf_collect_options;

/** What the first rank has so far. Another thread may call rf_collection_keep. */
typedef struct rf_collection {
  const rf_job *job;
  const rf_collect_options *options;
  roof_nodes *nodes;
  bool *has;      /**< of each node of the job */
  int *node_of;   /**< of each of nodes->list: they come in any order */
  int missing;    /**< nodes */
  double kept;    /**< when PATH.part was last written */
  double writing; /**< s that it took */
  bool changed;   /**< since then */
  pthread_mutex_t lock;
} rf_collection;

/** Prepares the collection of a job; the other ranks need none.
 *  Units: none. Ownership: undone by rf_collection_done; `job` and `options` must outlive it. Errors: ROOF_E_MEMORY. */
roof_status rf_collection_init(rf_collection *collection, const rf_job *job,
                               const rf_collect_options *options, roof_error *error);

/** Takes a node's line. What is no node is refused.
 *  Units: none. Ownership: `text` is not kept. Errors: as roof_nodes_add. */
roof_status rf_collection_take(rf_collection *collection, int node, const char *text, size_t length,
                               roof_error *error);

/** Writes what there is to PATH.part, `why` the run ended; ranks that have ended are named. Returns that
 *  and where it is, as a message.
 *  Units: none. Ownership: static text. Errors: none; a file that cannot be written is not there. */
const char *rf_collection_keep(rf_collection *collection, const char *why);

void rf_collection_done(rf_collection *collection);

/** Measures all nodes: to be called by every rank, `collection` is NULL for all but the first. On success PATH.part is gone
 *  and collection->nodes complete and judged.
 *  Units: SI. Ownership: none.
 *  Errors: ROOF_E_UNSUPPORTED where a rank died, or did not answer in time: it is named, and PATH.part has the others. */
roof_status rf_collect(const rf_job *job, const rf_collect_options *options, rf_collection *collection,
                       roof_error *error);

/** After the file is written: all ranks let go together, so that none waits in the MPI for one that is gone.
 *  Units: s. Ownership: none. Errors: ROOF_E_UNSUPPORTED naming a rank that no longer answers. */
roof_status rf_collect_leave(const rf_job *job, double patience, roof_error *error);

#endif
