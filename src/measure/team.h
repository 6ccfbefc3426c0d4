/** Threads, each bound to a core of its own. */
#ifndef MEASURE_TEAM_H
#define MEASURE_TEAM_H

#include <hwloc.h>
#include <stdbool.h>

#include "host/topology.h"
#include "roofline/status.h"

/** Threads bound to places of the topology: thread 0, the calling one, to the first, and so on. */
typedef struct rf_team {
  hwloc_topology_t hwloc;
  hwloc_cpuset_t before; /**< where the calling thread might run, put back at the end */
  rf_topology topology;  /**< what the process may use (affinity, control group) */
  int threads;
  int setup_threads; /**< threads that fill and check data: where one is measured, all cores as near to its memory */
} rf_team;

/** What a thread of the team does; `thread` counts from 0. */
typedef void rf_team_body(void *user, int thread, int threads);

/** Binds `threads` OpenMP threads (0: one per core), the calling one among them: to distinct cores, and what
 *  is more than cores to their other hardware threads.
 *  Units: threads.
 *  Ownership: undone by rf_team_done; *team is untouched on failure.
 *  Errors: ROOF_E_ARGUMENT for more threads than hardware threads, ROOF_E_UNSUPPORTED when threads cannot be
 *  bound. */
roof_status rf_team_init(rf_team *team, int threads, roof_error *error);

/** Binds the calling thread to place `place` of the topology. False when it cannot be.
 *  Units: none. Ownership: none. Errors: none. */
bool rf_team_move(const rf_team *team, int place);

/** Lets the calling thread, and those it will start, run on the places of the team's first `threads` threads.
 *  Units: none. Ownership: none. Errors: false when it cannot be. */
bool rf_team_spread(const rf_team *team, int threads);

/** Lets the calling thread, and those it will start, run on all cores of its `setup_threads`.
 *  Units: none. Ownership: undone by rf_team_narrow. Errors: none. */
void rf_team_widen(const rf_team *team);

/** Ends those threads, and binds the calling one as before.
 *  Units: none. Ownership: none. Errors: none. */
void rf_team_narrow(const rf_team *team);

/** Puts the bindings back and frees the topology.
 *  Units: none. Ownership: releases the team. Errors: none. */
void rf_team_done(rf_team *team);

/** Runs `body` on the first `threads` threads at once; the time from the first start to the last end.
 *  Units: s. Ownership: none. Errors: none. */
double rf_team_time(const rf_team *team, int threads, rf_team_body *body, void *user);

/** The width of the narrowest core of the first `threads` threads, all looked at at once (rf_clock_width).
 *  Units: 1/cycle. Ownership: none. Errors: NaN or infinite on processors it is not written for. */
double rf_team_width(const rf_team *team, int threads);

/** Waits until those threads of this process sleep that wait for work without sleeping, 0.2 s at most.
 *  Units: none. Ownership: none. Errors: none. */
void rf_team_settle(void);

/** Time of `count` parallel regions that do nothing.
 *  Units: s. Ownership: none. Errors: none. */
double rf_team_empty_regions(const rf_team *team, int count);

#endif
