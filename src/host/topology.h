/** What hwloc reports of a machine, as plain data: which cores this process may use and in which order. */
#ifndef HOST_TOPOLOGY_H
#define HOST_TOPOLOGY_H

#include <hwloc.h>

#include "roofline/status.h"

enum { RF_CORE_KIND_MAX = 8, RF_NODE_MAX = 16, RF_CACHE_MAX = 3 * RF_CORE_KIND_MAX, RF_SMT_MAX = 8 };

/** A core and its hardware threads, by the operating system's numbers. */
typedef struct rf_core {
  int threads[RF_SMT_MAX];
  int thread_count;
  int kind; /**< index of its rf_core_kind */
  int node; /**< index of the rf_node nearest to it, -1 beyond RF_NODE_MAX */
  int package;
} rf_core;

/** Cores that are alike. */
typedef struct rf_core_kind {
  char name[32]; /**< "P-core", "3.9 GHz core"; "core" where there is one kind */
  int cores;
  double highest_hz; /**< NaN unknown */
} rf_core_kind;

/** The data or unified caches of one level that belong to the cores of one kind. */
typedef struct rf_cache {
  int level; /**< 1 to 3 */
  int kind;  /**< index of the kind of core, -1: the same for every kind */
  double bytes;
  int instances;
} rf_cache;

/** A memory domain. */
typedef struct rf_node {
  int number;   /**< the operating system's */
  int cores;    /**< nearest to it; 0 for memory without cores */
  double bytes; /**< of memory */
} rf_node;

/** What the process may use. Cores of the fastest kind are first; within a kind, neighbours follow each
 *  other. */
typedef struct rf_topology {
  rf_core *cores;
  int core_count;
  int thread_count; /**< hardware threads of the cores */
  rf_core_kind kinds[RF_CORE_KIND_MAX];
  int kind_count;
  rf_cache caches[RF_CACHE_MAX];
  int cache_count;
  rf_node nodes[RF_NODE_MAX];
  int node_count;
  int package_count;
  int machine_threads; /**< hardware threads of the whole machine */
  int refused_cores;   /**< cores allowed, but beyond the control group's CPU quota */
} rf_topology;

/** Reads a loaded topology. `allowed` are the hardware threads the process may run on (NULL or empty: all
 *  that the topology allows), `paid` the processors of its CPU quota (infinity: no quota).
 *  Units: bytes, Hz.
 *  Ownership: undone by rf_topology_done; *out is untouched on failure.
 *  Errors: ROOF_E_MEMORY, ROOF_E_UNSUPPORTED when there is no core to use. */
roof_status rf_topology_read(hwloc_topology_t hwloc, hwloc_const_cpuset_t allowed, double paid,
                             rf_topology *out, roof_error *error);

/** Frees what rf_topology_read allocated.
 *  Units: none. Ownership: releases the topology. Errors: none. */
void rf_topology_done(rf_topology *topology);

/** The core that thread `thread` of a team is bound to: every core once, then again those with a second
 *  hardware thread, and so on.
 *  Units: none.
 *  Ownership: points into the topology.
 *  Errors: none; `thread` is below thread_count. */
const rf_core *rf_topology_core(const rf_topology *topology, int thread);

/** The operating system's number of the hardware thread that thread `thread` of a team is bound to.
 *  Units: none. Ownership: none. Errors: none; `thread` is below thread_count. */
int rf_topology_place(const rf_topology *topology, int thread);

/** The first of the cores of a kind: where "one core" of that kind is measured.
 *  Units: none. Ownership: none. Errors: none. */
int rf_topology_first(const rf_topology *topology, int kind);

/** Bytes of the last cache that so many cores have together: an instance each until all are taken. Where the
 *  caches of an inner level hold more, theirs.
 *  Units: bytes. Ownership: none. Errors: 0 when the system reports no cache. */
double rf_topology_last_cache(const rf_topology *topology, int cores);

#endif
