/** Threads, each bound to a core of its own. */
#ifndef MEASURE_TEAM_H
#define MEASURE_TEAM_H

#include <hwloc.h>
#include <stdbool.h>

#include "roofline/status.h"

/** The cores this process may use (affinity, control group), and how many threads are bound to them. */
typedef struct roof_team {
  hwloc_topology_t topology;
  hwloc_cpuset_t before; /**< where the calling thread might run, put back at the end */
  int cores;             /**< cores the process may use */
  int threads;
} roof_team;

/** What a thread of the team does; `thread` counts from 0. */
typedef void roof_team_body(void *user, int thread, int threads);

/** Binds `threads` OpenMP threads (0: one a core), the calling one among them, to distinct cores.
 *  Units: threads. Ownership: undone by roof_team_done; *team is untouched on failure.
 *  Errors: ROOF_E_ARGUMENT for more threads than cores, ROOF_E_UNSUPPORTED when threads cannot be bound. */
roof_status roof_team_init(roof_team *team, int threads, roof_error *error);

/** Puts the bindings back and frees the topology.
 *  Units: none. Ownership: releases the team. Errors: none. */
void roof_team_done(roof_team *team);

/** Runs `body` on the first `threads` threads at once; the time from the first start to the last end.
 *  Units: s. Ownership: none. Errors: none. */
double roof_team_time(const roof_team *team, int threads, roof_team_body *body, void *user);

/** Time of `count` parallel regions that do nothing.
 *  Units: s. Ownership: none. Errors: none. */
double roof_team_empty_regions(const roof_team *team, int count);

#endif
