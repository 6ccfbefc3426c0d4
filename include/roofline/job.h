/** A program that a launcher (mpirun, srun) started as several ranks, each under a `run -- PROGRAM` of its own: the documents of all
 *  ranks as one answer. What ranks do at the same time is added up by node and for the job, and placed under the roof of
 *  the cores that they use there.
 *
 *  Example:
 *    roof_job *job = NULL;
 *    roof_text text = {0};
 *    if (roof_job_new("solver", 2, &job, NULL) == ROOF_OK) {
 *      roof_job_miss(job, 1, "node2", "it gave no answer");
 *      roof_job_describe(&text, job);
 *      puts(text.data);
 *      roof_text_done(&text);
 *      roof_job_free(job);
 *    } */
#ifndef ROOFLINE_JOB_H
#define ROOFLINE_JOB_H

#include "roofline/place.h"
#include "roofline/program.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ROOF_JOB_NODE = 72, ROOF_JOB_LIST = 512, ROOF_JOB_RANKS = 1 << 20 };

/** Where a rank is: what the launcher lets it use. */
typedef struct roof_job_place {
  int rank;
  char node[ROOF_JOB_NODE];
  char processors
      [ROOF_JOB_LIST];       /**< hardware threads that it may run on: "0-3,8"; a longer list ends in "..." */
  char cores[ROOF_JOB_LIST]; /**< the first hardware thread of each of their cores; the same */
  int node_processors;       /**< hardware threads that its node has; 0: unknown */
} roof_job_place;

/** One rank. */
typedef struct roof_job_rank {
  roof_job_place place;
  int node;          /**< index into the job's nodes; -1: its answer is missing */
  int cores;         /**< that it may run on; 0: unknown */
  double seconds;    /**< that its program ran */
  double cores_busy; /**< in the mean */
  double peak_bytes; /**< resident */
  char why[256];     /**< why its answer is missing; "": it is there */
  bool is_bound;     /**< it may not run on all hardware threads of its node */
} roof_job_rank;

/** What one rank did in one region. */
typedef struct roof_job_share {
  int rank, part; /**< indices into ranks and parts */
  double calls;
  double threads;          /**< that called it; NaN unknown */
  double seconds;          /**< median call */
  double busy_seconds;     /**< all its calls, of each thread */
  double flops_per_second; /**< of all its threads while they work; NaN unknown */
  double bytes_per_second; /**< from and to memory, the same */
} roof_job_share;

/** A region, or the program itself where none is marked, over the ranks of one node or of the job. */
typedef struct roof_job_part {
  char name[ROOF_LABEL_MAX];
  int node;                    /**< index into nodes; -1: the job */
  int ranks;                   /**< that called it */
  int cores;                   /**< that its roof is for, of all its nodes; 0: unknown */
  double threads;              /**< of all its ranks; NaN unknown */
  double flops_per_second;     /**< sum over the ranks; NaN unknown */
  double bytes_per_second;     /**< the same */
  double share;                /**< of the ceiling; NaN unknown */
  char binding[ROOF_NAME_MAX]; /**< what gives the roof, on its slowest rank's node */
  roof_regime regime;          /**< ROOF_REGIME_COUNT: unknown */
  int slowest;                 /**< the rank that took longest in it */
  double slowest_seconds;      /**< what that took */
  double mean_seconds;         /**< what its ranks took */
} roof_job_part;

/** Ranks that are bound to the same hardware threads, or may at least use the same. */
typedef enum roof_job_pinning {
  ROOF_JOB_PINNING_UNKNOWN,
  ROOF_JOB_APART,  /**< no two ranks of a node may use the same core */
  ROOF_JOB_SHARED, /**< some may, though they are bound */
  ROOF_JOB_FREE    /**< no rank is bound */
} roof_job_pinning;

typedef struct roof_job {
  char name[ROOF_LABEL_MAX]; /**< of the program */
  char launcher[64];         /**< "" unknown; the caller's to fill in */
  roof_job_rank *ranks;
  int rank_count;
  int missing; /**< ranks whose answer is not there */
  char (*nodes)[ROOF_JOB_NODE];
  int *node_cores; /**< of each node, those that its ranks may use together; 0: unknown */
  int node_count;
  roof_job_share *shares; /**< in the order of the ranks' documents */
  size_t share_count;
  int region_count;     /**< parts of the job */
  roof_job_part *parts; /**< the job's, then each node's in the same order: region_count * (1 + node_count) */
  bool is_marked;       /**< the parts are regions, not the program itself */
  roof_job_pinning pinning;
  int twice[2];                /**< two ranks that may use the same core; -1: none */
  roof_measurements measured;  /**< the job's parts, one call each, for `record` and `check` */
  const roof_machine *machine; /**< whose ceilings they are under; NULL: unknown */
  struct rf_job_sums *sums;    /**< private */
} roof_job;

/** An empty job of that many ranks.
 *  Units: none.
 *  Ownership: *job is the caller's, roof_job_free.
 *  Errors: ROOF_E_ARGUMENT for a number out of 1 to ROOF_JOB_RANKS, ROOF_E_MEMORY. */
ROOF_API roof_status roof_job_new(const char *name, int ranks, roof_job **job, roof_error *error);

/** Where this process is.
 *  Units: none.
 *  Ownership: fills *place.
 *  Errors: what is not known stays 0 or "". */
ROOF_API void roof_job_place_here(roof_job_place *place);

/** Appends the document of one rank: what its program did (roof_program_write) and, under `rank`, where.
 *  Units: s, FLOP, bytes.
 *  Ownership: appends to the caller's `out`.
 *  Errors: as roof_program_write. */
ROOF_API roof_status roof_job_rank_write(const roof_program *program, const roof_job_place *place,
                                         roof_text *out, roof_error *error);

/** Adds a rank's document; `file` is for messages.
 *  Units: s, FLOP, bytes.
 *  Ownership: `text` is not kept.
 *  Errors: as roof_measurements_parse, ROOF_E_INPUT where it is no rank's document, or that rank has answered already. */
ROOF_API roof_status roof_job_add(roof_job *job, const char *text, size_t length, const char *file,
                                  roof_error *error);

/** Says why a rank has no answer.
 *  Units: none.
 *  Ownership: copies.
 *  Errors: none; a rank that is not of the job is ignored. */
ROOF_API void roof_job_miss(roof_job *job, int rank, const char *node, const char *why);

/** Adds up and places what was added, under the ceilings of `machine` (NULL: unknown), taken for all nodes; `cores` of each node,
 *  0: those that its ranks use.
 *  Units: none.
 *  Ownership: `machine` must outlive the job.
 *  Errors: as roof_ceilings_init, ROOF_E_MEMORY. */
ROOF_API roof_status roof_job_settle(roof_job *job, const roof_machine *machine, int cores,
                                     roof_error *error);

/** Appends the answer in one sentence: the rate of the region that takes longest, against the roof, what binds, the imbalance.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_job_describe(roof_text *out, const roof_job *job);

/** Appends how the ranks are pinned, which regions are uneven, who is missing, and whose ceilings these are, a line each.
 *  Units: as printed.
 *  Ownership: appends to the caller's text.
 *  Errors: none; a text that runs out of memory says so itself. */
ROOF_API void roof_job_remarks_describe(roof_text *out, const roof_job *job);

/** Appends the roofline.measurements/1 document of the job, with ranks and nodes under `job`; `program` is the first rank's.
 *  Units: s, FLOP, bytes.
 *  Ownership: appends to the caller's `out`.
 *  Errors: as roof_program_write. */
ROOF_API roof_status roof_job_write(const roof_job *job, const roof_program *program, roof_text *out,
                                    roof_error *error);

/** Releases a job.
 *  Units: none.
 *  Ownership: releases.
 *  Errors: none; NULL is fine. */
ROOF_API void roof_job_free(roof_job *job);

#ifdef __cplusplus
}
#endif
#endif
