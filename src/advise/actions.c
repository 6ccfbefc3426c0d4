#include <math.h>
#include <stdbool.h>

#include "advise/rules.h"

enum { CPU = RF_ON_CPU, GPU = RF_ON_GPU, OTHER = RF_ON_OTHER, DEVICE = GPU | OTHER, ANY = RF_ON_ANY };

/** A bit next to those of the devices: where the rate is more than vector units give, the matrix unit is used. */
enum { ON_MATRIX = 1 << 3 };
_Static_assert((RF_ON_ANY & ON_MATRIX) == 0, "a bit of its own");

/** What to do in a class on some devices. */
typedef struct row {
  int devices;
  roof_actions actions;
} row;

/** The thresholds are the usual teaching ones (a memory-bound kernel under half of its roof has an access
 * problem, over 80 % it has none; tensor-core kernels land over 70 %); docs/advise.md shows them at work. */
static const row rows[] = {
    {GPU,
     {ROOF_MEMORY_BOUND,
      0,
      "memory-bound, low efficiency",
      {"repair the access pattern: coalesced, aligned, no wasted sectors",
       "keep what is reused in a nearer level", "count bank conflicts and page walks"}}},
    {CPU | OTHER,
     {ROOF_MEMORY_BOUND,
      0,
      "memory-bound, low efficiency",
      {"repair the access pattern: consecutive, aligned, every byte of a line used",
       "keep what is reused in a nearer level",
       "use enough threads, each on data near it; count page walks"}}},
    {ANY,
     {ROOF_MEMORY_BOUND,
      0.5,
      "memory-bound, moderate efficiency",
      {"fuse with the producer or the consumer", "tile so that each byte is read once",
       "store in a narrower format"}}},
    {ANY,
     {ROOF_MEMORY_BOUND,
      0.8,
      "memory-bound, high efficiency",
      {"change the algorithm: more FLOP per byte", "store in a narrower format, the main lever left",
       "accept the memory's roof and work elsewhere"}}},
    {GPU,
     {ROOF_COMPUTE_BOUND,
      0,
      "compute-bound, low efficiency",
      {"use the matrix unit, if it is not used yet",
       "keep more warps resident, or more independent work in each", "reduce register pressure"}}},
    {GPU | ON_MATRIX,
     {ROOF_COMPUTE_BOUND,
      0,
      "compute-bound, low efficiency",
      {"keep more warps resident, or more independent work in each",
       "load the next tiles while these are multiplied", "reduce register pressure"}}},
    {CPU | OTHER,
     {ROOF_COMPUTE_BOUND,
      0,
      "compute-bound, low efficiency",
      {"use the widest vector or matrix instructions, and fused multiply-add",
       "unroll: as many independent sums as latency times throughput", "block for the nearest caches"}}},
    {CPU | OTHER | ON_MATRIX,
     {ROOF_COMPUTE_BOUND,
      0,
      "compute-bound, low efficiency",
      {"block for the nearest caches", "load the next tiles while these are multiplied",
       "unroll: as many independent sums as latency times throughput"}}},
    {ANY,
     {ROOF_COMPUTE_BOUND,
      0.7,
      "compute-bound, high efficiency",
      {"leave the kernel: it is where good ones land", "spread the work over more devices",
       "compute in a narrower format, if the result allows it"}}},
    {DEVICE,
     {ROOF_OVERHEAD_BOUND,
      0,
      "overhead-bound",
      {"launch once: a graph or a persistent kernel", "fuse it with its neighbours",
       "give each launch a larger batch"}}},
    {CPU,
     {ROOF_OVERHEAD_BOUND,
      0,
      "overhead-bound",
      {"start the threads once, or use fewer of them", "fuse it with its neighbours",
       "give each call a larger batch"}}},
    {ANY,
     {ROOF_NETWORK_BOUND,
      0,
      "network-bound",
      {"overlap the transfer with arithmetic", "send fewer bytes: a narrower format, another parallel plan",
       "keep the ranks that talk on the faster link"}}},
    {ANY,
     {ROOF_CAPACITY_BOUND,
      0,
      "capacity-bound",
      {"store weights or cache in a narrower format", "split it over more devices",
       "recompute or offload what is not used now"}}},
};

/** An unknown machine is taken for a GPU where the two differ. */
static int device_of(const roof_machine *machine) {
  int device = rf_device_of(machine);
  return device == ANY ? GPU : device;
}

static const roof_actions *find(const roof_machine *machine, roof_regime regime, double fraction,
                                bool matrix) {
  const roof_actions *found = NULL;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const roof_actions *a = &rows[i].actions;
    bool here = (rows[i].devices & device_of(machine)) != 0 && (matrix || (rows[i].devices & ON_MATRIX) == 0);
    found = here && a->regime == regime && fraction >= a->from ? a : found;
  }
  return found;
}

const roof_actions *roof_actions_of(const roof_machine *machine, roof_regime regime, double fraction) {
  return find(machine, regime, fraction, false);
}

/** The share of the ceiling; where that is a cache's, which may not have kept the data, of what kernels like it reach at best. */
static double efficiency_of(const roof_evidence *e) {
  const roof_prediction *p = e->prediction;
  double share = e->clue[ROOF_CLUE_FRACTION], foreseen = p->expected_low_seconds / e->measured_seconds;
  return roof_prediction_bound_level(p) != NULL ? fmax(share, foreseen) : share;
}

const roof_actions *roof_actions_for(const roof_evidence *e) {
  bool starved = roof_evidence_is_starved(e);
  return find(e->machine, starved ? ROOF_OVERHEAD_BOUND : e->prediction->regime, efficiency_of(e),
              e->clue[ROOF_CLUE_VECTOR] > 1);
}

const char *roof_actions_check(const roof_machine *machine, int index) {
  static const struct {
    int devices;
    const char *text;
  } checks[] = {
      {ANY, "host time between kernels: the sum of the kernels' times compared with the elapsed time"},
      {GPU, "lanes active in an instruction: threads that work over the width of a warp"},
      {CPU | OTHER, "vector instructions: the share of the arithmetic that uses the full width"},
  };
  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
    if ((checks[i].devices & device_of(machine)) != 0 && index-- == 0) {
      return checks[i].text;
    }
  }
  return NULL;
}
