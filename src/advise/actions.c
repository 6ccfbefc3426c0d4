#include <stddef.h>

#include "roofline/advise.h"

/** The thresholds are the usual teaching ones (a memory-bound kernel under half of its roof has an access
 * problem, over 80 % it has none; tensor-core kernels land over 70 %); docs/advise.md shows them at work. */
static const roof_actions classes[] = {
    {ROOF_MEMORY_BOUND,
     0,
     "memory-bound, low efficiency",
     {"repair the access pattern: coalesced, aligned, no wasted sectors",
      "keep what is reused in a nearer level", "count bank conflicts and page walks"}},
    {ROOF_MEMORY_BOUND,
     0.5,
     "memory-bound, moderate efficiency",
     {"fuse with the producer or the consumer", "tile so that each byte is read once",
      "store in a narrower format"}},
    {ROOF_MEMORY_BOUND,
     0.8,
     "memory-bound, high efficiency",
     {"change the algorithm: more FLOP per byte", "store in a narrower format, the main lever left",
      "accept the memory's roof and work elsewhere"}},
    {ROOF_COMPUTE_BOUND,
     0,
     "compute-bound, low efficiency",
     {"use the matrix unit, if it is not used yet",
      "keep more warps resident, or more independent work in each", "reduce register pressure"}},
    {ROOF_COMPUTE_BOUND,
     0.7,
     "compute-bound, high efficiency",
     {"leave the kernel: it is where good ones land", "spread the work over more devices",
      "compute in a narrower format, if the result allows it"}},
    {ROOF_OVERHEAD_BOUND,
     0,
     "overhead-bound",
     {"launch once: CUDA graphs or a persistent kernel", "fuse it with its neighbours",
      "give each launch a larger batch"}},
    {ROOF_NETWORK_BOUND,
     0,
     "network-bound",
     {"overlap the transfer with arithmetic", "send fewer bytes: a narrower format, another parallel plan",
      "keep the ranks that talk on the faster link"}},
    {ROOF_CAPACITY_BOUND,
     0,
     "capacity-bound",
     {"store weights or cache in a narrower format", "split it over more devices",
      "recompute or offload what is not used now"}},
};

const roof_actions *roof_actions_of(roof_regime regime, double fraction) {
  const roof_actions *found = NULL;
  for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
    if (classes[i].regime == regime && fraction >= classes[i].from) {
      found = &classes[i];
    }
  }
  return found;
}

const char *roof_actions_check(int index) {
  static const char *const checks[] = {
      "host time between kernels: the sum of the kernels' times compared with the elapsed time",
      "lanes active in an instruction: smsp__thread_inst_executed_per_inst_executed.ratio against 32"};
  return index == 0 || index == 1 ? checks[index] : NULL;
}
