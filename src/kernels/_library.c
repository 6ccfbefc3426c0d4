#include "kernels/_library.h"

cpu_set_t rf_library_cores(int threads) {
  cpu_set_t team;
  CPU_ZERO(&team);
#pragma omp parallel num_threads(threads)
  {
    cpu_set_t bound;
    if (sched_getaffinity(0, sizeof bound, &bound) == 0) {
#pragma omp critical
      CPU_OR(&team, &team, &bound);
    }
  }
  return team;
}

cpu_set_t rf_library_bind(cpu_set_t cores) {
  cpu_set_t before = cores;
  sched_getaffinity(0, sizeof before, &before);
  sched_setaffinity(0, sizeof cores, &cores);
  return before;
}
