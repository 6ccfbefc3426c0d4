/** The job that a launcher (mpirun, srun) started this process in: which ranks there are, on which nodes, and the MPI between
 *  them. A node is what has one name, Slurm's or the host's, and was booted once: containers of one host are nodes of their own. */
#ifndef CLUSTER_JOB_H
#define CLUSTER_JOB_H

#include "cluster/mpi/mpi.h"
#include "host/library.h"
#include "roofline/status.h"

enum { RF_JOB_NODE_MAX = 65 };

/** A launcher, known by the environment that it gives. */
typedef struct rf_launcher {
  const char *name;     /**< "mpirun of Open MPI" */
  const char *plugin;   /**< of the MPI that it is for: "openmpi" */
  const char *signs[2]; /**< variables that all are there */
  const char *size;     /**< the variable that says how many ranks it started, or NULL */
  const char *rank;     /**< which of them this is */
  const char *local;    /**< which of those of its node, or NULL */
} rf_launcher;

/** A place of a rank, for messages. */
typedef struct rf_job_node {
  char name[RF_JOB_NODE_MAX]; /**< as it may be shown */
  int ranks;
} rf_job_node;

typedef struct rf_job {
  const rf_launcher *launcher;
  const rf_mpi *mpi;
  int rank, size;
  int node;                 /**< index into `nodes`, which are in the order of their first ranks */
  int node_group;           /**< of the MPI: the ranks of this node; the first of them is its rank 0 */
  int node_rank, node_size; /**< in that group */
  rf_job_node *nodes;
  int node_count;
  int *node_of; /**< of each rank */
  int *process; /**< of each rank the number that this system knows its process by, 0 on other systems */
} rf_job;

/** What every rank sends all others first: the same bytes in every version, so that versions find out about each other. */
typedef struct rf_hello {
  unsigned order; /**< 1 in the order of the writer's bytes */
  char version[28];
  char node[RF_JOB_NODE_MAX];
  char boot[63]; /**< the boot of its system, "" where it is not known */
  int process;   /**< its number there */
} rf_hello;

/** The launcher that started this process, or NULL; `*tasks` (nullable): how many ranks it says it started, 0 unknown. */
const rf_launcher *rf_job_under_launcher(int *tasks);

/** Fails where ranks are of another version or byte order than the first, naming the node. */
roof_status rf_job_check(const rf_hello *all, int count, roof_error *error);

/** Starts the MPI and meets all ranks, which must have come within `patience` seconds: else the process ends, saying so.
 *  All ranks fail alike, and one line is enough: the first one has the error, the others ROOF_OK with `job->size` 0,
 *  to end as well.
 *  Units: s. Ownership: *job is filled on success only; end it with rf_job_end where its size is not 0.
 *  Errors: ROOF_E_UNSUPPORTED where there is no launcher or no MPI, saying what to type or install; ROOF_E_INPUT where
 *  versions differ; ROOF_E_MEMORY. */
roof_status rf_job_begin(rf_job *job, double patience, roof_error *error);

/** Ends it, by all ranks: MPI is gone afterwards. `finished`: nothing is left to be said or written, so that the process ends well where the MPI
 *  does not end within 5 s. */
void rf_job_end(rf_job *job, bool finished);

/** Ends all ranks at once with the exit code of `status`; does not return. */
void rf_job_abort(const rf_job *job, roof_status status);

/** Whether a rank's process has ended: false too where it is on another system. */
bool rf_job_is_gone(const rf_job *job, int rank);

/** "rank 3 (node7)"; returns `text`. */
const char *rf_job_rank_name(const rf_job *job, int rank, char *text, size_t size);

#endif
