#include "measure/team.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <time.h>

#include "host/clock.h"
#include "host/quota.h"
#include "host/threads.h"

/** Processors of the CPU quota, or infinity without one. */
static double paid(void) {
  rf_quota quota;
  return rf_quota_read("", &quota) ? quota.processors : INFINITY;
}

/** Threads of the OpenMP team that are bound. */
static int bind_threads(const rf_team *team) {
  int bound = 0;
#pragma omp parallel num_threads(team->threads) reduction(+ : bound)
  bound += rf_team_move(team, omp_get_thread_num());
  return bound;
}

/** Binds the calling thread to the places from `first` to before `end`. */
static bool bind_to(const rf_team *team, int first, int end) {
  hwloc_cpuset_t set = hwloc_bitmap_alloc();
  bool bound = set != NULL;
  for (int place = first; place < end && bound; place++) {
    bound = hwloc_bitmap_set(set, (unsigned)rf_topology_place(&team->topology, place)) == 0;
  }
  bound = bound && hwloc_set_cpubind(team->hwloc, set, HWLOC_CPUBIND_THREAD) == 0;
  hwloc_bitmap_free(set);
  return bound;
}

bool rf_team_move(const rf_team *team, int place) {
  return bind_to(team, place, place + 1);
}

bool rf_team_spread(const rf_team *team, int threads) {
  return bind_to(team, 0, threads);
}

/** Where the process may run that is as near to memory as the first place. */
static hwloc_cpuset_t near_first(const rf_team *t) {
  hwloc_cpuset_t near = hwloc_bitmap_alloc();
  hwloc_obj_t first = hwloc_get_pu_obj_by_os_index(t->hwloc, (unsigned)rf_topology_place(&t->topology, 0));
  if (near != NULL && first != NULL) {
    hwloc_cpuset_from_nodeset(t->hwloc, near, first->nodeset);
    hwloc_bitmap_and(near, near, t->before);
  }
  return near;
}

void rf_team_widen(const rf_team *team) {
  hwloc_cpuset_t near = team->setup_threads > team->threads ? near_first(team) : NULL;
  if (near != NULL) {
    hwloc_set_cpubind(team->hwloc, near, HWLOC_CPUBIND_THREAD);
  }
  hwloc_bitmap_free(near);
}

void rf_team_narrow(const rf_team *team) {
  if (team->setup_threads > team->threads) {
#pragma omp parallel num_threads(1) /* the runtime ends the other threads */
    rf_team_move(team, 0);
  }
}

static roof_status check_threads(const rf_team *team, roof_error *error) {
  const rf_topology *t = &team->topology;
  char siblings[48] = "";
  if (team->threads <= t->thread_count) {
    return ROOF_OK;
  }
  if (t->thread_count > t->core_count) {
    snprintf(siblings, sizeof siblings, " of %d hardware threads together", t->thread_count);
  }
  return roof_error_set(error, ROOF_E_ARGUMENT, "threads=%d: this process may use %d core%s%s", team->threads,
                        t->core_count, t->core_count == 1 ? "" : "s", siblings);
}

static int count_setup_threads(const rf_team *t) {
  hwloc_cpuset_t near = t->threads == 1 ? near_first(t) : NULL;
  int cores = near != NULL ? hwloc_get_nbobjs_inside_cpuset_by_type(t->hwloc, near, HWLOC_OBJ_CORE) : 1;
  hwloc_bitmap_free(near);
  return (int)fmax(t->threads, fmin(cores, paid()));
}

/** Reads the machine, and binds the threads. */
static roof_status gather(rf_team *t, int threads, roof_error *error) {
  if (hwloc_topology_set_flags(t->hwloc, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 ||
      hwloc_topology_load(t->hwloc) != 0) {
    return roof_error_set(error, ROOF_E_UNSUPPORTED, "cores: hwloc cannot read this machine's topology");
  }
  hwloc_get_cpubind(t->hwloc, t->before, HWLOC_CPUBIND_THREAD);
  roof_status status = rf_topology_read(t->hwloc, t->before, paid(), &t->topology, error);
  if (status == ROOF_OK && threads > 0 && threads < t->topology.core_count) {
    int refused = t->topology.refused_cores;
    rf_topology_done(&t->topology);
    status = rf_topology_read(t->hwloc, t->before, threads, &t->topology, error);
    t->topology.refused_cores = refused;
  }
  if (status != ROOF_OK) {
    return status;
  }
  t->threads = threads > 0 ? threads : t->topology.core_count;
  status = check_threads(t, error);
  if (status != ROOF_OK) {
    return status;
  }
  t->setup_threads = count_setup_threads(t);
  omp_set_dynamic(0);
  int bound = bind_threads(t);
  return bound == t->threads
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_UNSUPPORTED, "threads: %d of %d could be bound to a core", bound,
                              t->threads);
}

static void release(rf_team *t) {
  rf_topology_done(&t->topology);
  hwloc_topology_destroy(t->hwloc);
  hwloc_bitmap_free(t->before);
}

roof_status rf_team_init(rf_team *team, int threads, roof_error *error) {
  rf_team t = {.before = hwloc_bitmap_alloc()};
  if (t.before == NULL || hwloc_topology_init(&t.hwloc) != 0) {
    hwloc_bitmap_free(t.before);
    return roof_error_set(error, ROOF_E_MEMORY, "cores: out of memory");
  }
  roof_status status = gather(&t, threads, error);
  if (status == ROOF_OK) {
    *team = t;
  } else {
    release(&t);
  }
  return status;
}

void rf_team_done(rf_team *team) {
#pragma omp parallel num_threads(team->threads)
  hwloc_set_cpubind(team->hwloc, team->before, HWLOC_CPUBIND_THREAD);
  release(team);
  *team = (rf_team){0};
}

double rf_team_time(const rf_team *team, int threads, rf_team_body *body, void *user) {
  if (threads == 1) { /* not a region of one: the runtime would end the other threads */
    double start = rf_clock_seconds();
    body(user, 0, 1);
    return rf_clock_seconds() - start;
  }
  double first = INFINITY, last = 0;
#pragma omp parallel num_threads(team->threads) reduction(min : first) reduction(max : last)
  {
    int thread = omp_get_thread_num();
#pragma omp barrier
    if (thread < threads) {
      first = rf_clock_seconds();
      body(user, thread, threads);
      last = rf_clock_seconds();
    }
  }
  return last - first;
}

double rf_team_width(const rf_team *team, int threads) {
  double least = INFINITY;
  if (threads == 1) {
    return rf_clock_width();
  }
#pragma omp parallel num_threads(team->threads) reduction(min : least)
  {
    int thread = omp_get_thread_num();
#pragma omp barrier
    least = thread < threads ? rf_clock_width() : least;
  }
  return least;
}

double rf_team_empty_regions(const rf_team *team, int count) {
  double start = rf_clock_seconds();
  for (int i = 0; i < count; i++) {
#pragma omp parallel num_threads(team->threads)
    { __asm__ volatile(""); }
  }
  return rf_clock_seconds() - start;
}

void rf_team_settle(void) {
  static const double most = 0.2;
  for (double end = rf_clock_seconds() + most; rf_threads_awake() > 0 && rf_clock_seconds() < end;) {
    nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
  }
}
