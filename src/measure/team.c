#include "measure/team.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>

#include "measure/clock.h"

/** Processors that the control group's time quota pays for, or infinity. */
static double quota(void) {
  double allowed = INFINITY, time = 0, period = 0;
  FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
  if (file != NULL) {
    if (fscanf(file, "%lf %lf", &time, &period) == 2 && period > 0) {
      allowed = time / period;
    }
    fclose(file);
  }
  return allowed;
}

/** Restricts the topology to what the calling thread may run on and counts the cores. */
static int usable_cores(hwloc_topology_t topology, hwloc_const_cpuset_t allowed) {
  if (!hwloc_bitmap_iszero(allowed)) {
    hwloc_topology_restrict(topology, allowed, 0);
  }
  int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  cores = cores > 0 ? cores : hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
  double paid = fmax(1, floor(quota()));
  return cores < paid ? cores : (int)paid;
}

/** One hardware thread of core `index`. */
static hwloc_cpuset_t core_set(hwloc_topology_t topology, int index) {
  hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, (unsigned)index);
  if (core == NULL) {
    core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)index);
  }
  hwloc_cpuset_t set = hwloc_bitmap_dup(core->cpuset);
  hwloc_bitmap_singlify(set);
  return set;
}

/** Threads of the OpenMP team that are bound. */
static int bind_threads(const roof_team *team) {
  int bound = 0;
#pragma omp parallel num_threads(team->threads) reduction(+ : bound)
  {
    hwloc_cpuset_t set = core_set(team->topology, omp_get_thread_num());
    bound += hwloc_set_cpubind(team->topology, set, HWLOC_CPUBIND_THREAD) == 0;
    hwloc_bitmap_free(set);
  }
  return bound;
}

roof_status roof_team_init(roof_team *team, int threads, roof_error *error) {
  roof_team t = {.before = hwloc_bitmap_alloc()};
  if (t.before == NULL || hwloc_topology_init(&t.topology) != 0) {
    hwloc_bitmap_free(t.before);
    return roof_error_set(error, ROOF_E_MEMORY, "cores: out of memory");
  }
  roof_status status = ROOF_OK;
  if (hwloc_topology_load(t.topology) != 0) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "cores: hwloc cannot read this machine's topology");
    goto done;
  }
  hwloc_get_cpubind(t.topology, t.before, HWLOC_CPUBIND_THREAD);
  t.cores = usable_cores(t.topology, t.before);
  t.threads = threads > 0 ? threads : t.cores;
  if (t.threads > t.cores) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "threads=%d: this process may use %d core%s", threads,
                            t.cores, t.cores == 1 ? "" : "s");
    goto done;
  }
  omp_set_dynamic(0);
  int bound = bind_threads(&t);
  if (bound != t.threads) {
    status = roof_error_set(error, ROOF_E_UNSUPPORTED, "threads: %d of %d could be bound to a core", bound,
                            t.threads);
  }
done:
  if (status == ROOF_OK) {
    *team = t;
  } else {
    hwloc_topology_destroy(t.topology);
    hwloc_bitmap_free(t.before);
  }
  return status;
}

void roof_team_done(roof_team *team) {
#pragma omp parallel num_threads(team->threads)
  hwloc_set_cpubind(team->topology, team->before, HWLOC_CPUBIND_THREAD);
  hwloc_topology_destroy(team->topology);
  hwloc_bitmap_free(team->before);
  *team = (roof_team){0};
}

double roof_team_time(const roof_team *team, int threads, roof_team_body *body, void *user) {
  if (threads == 1) { /* not a region of one: the runtime would end the other threads */
    double start = roof_clock_seconds();
    body(user, 0, 1);
    return roof_clock_seconds() - start;
  }
  double first = INFINITY, last = 0;
#pragma omp parallel num_threads(team->threads) reduction(min : first) reduction(max : last)
  {
    int thread = omp_get_thread_num();
#pragma omp barrier
    if (thread < threads) {
      first = roof_clock_seconds();
      body(user, thread, threads);
      last = roof_clock_seconds();
    }
  }
  return last - first;
}

double roof_team_empty_regions(const roof_team *team, int count) {
  double start = roof_clock_seconds();
  for (int i = 0; i < count; i++) {
#pragma omp parallel num_threads(team->threads)
    { __asm__ volatile(""); }
  }
  return roof_clock_seconds() - start;
}
