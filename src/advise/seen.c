/* The regime that counters show: a table of rules, the first group that applies decides. */
#include <math.h>

#include "roofline/advise.h"

#define SOL                                                                                                  \
  "Nsight Compute, rule SOLBottleneck: under 60 % of every peak a kernel waits on latency, over it on the "  \
  "busiest"
#define HALF "a convention of this tool: more than half of the time"

/** The clue counts past `threshold`; `below`: less is worse. Rules of the first group count shares of time
 * and decide by themselves; of the second the one nearest to its peak does, past its threshold or not. */
static const struct rule {
  bool decides;
  roof_regime regime;
  const char *resource;
  roof_clue clue;
  bool below;
  double threshold;
  const char *rule;
  const char *source;
} rules[] = {
    {true, ROOF_OVERHEAD_BOUND, "launches", ROOF_CLUE_ACTIVE, true, 0.50, "the device had nothing to do",
     "Nsight Compute practice: sm__cycles_active under 50 % of elapsed is a starved device"},
    {true, ROOF_OVERHEAD_BOUND, "the host", ROOF_CLUE_IDLE, false, 0.50, "no kernel was running", HALF},
    {true, ROOF_OVERHEAD_BOUND, "launches", ROOF_CLUE_LAUNCH, false, 0.50,
     "starting it takes longer than the work", HALF},
    {true, ROOF_CAPACITY_BOUND, "paging", ROOF_CLUE_PAGED, false, 0.05,
     "the data do not fit: pages move in while it runs",
     "a link is 20 to 100 times slower than the memory, so 5 % of the bytes double the time; a convention"},
    {false, ROOF_COMPUTE_BOUND, "compute", ROOF_CLUE_COMPUTE, false, 0.60, "the arithmetic is busy", SOL},
    {false, ROOF_COMPUTE_BOUND, "matrix unit", ROOF_CLUE_MATRIX, false, 0.60, "the matrix unit is busy", SOL},
    {false, ROOF_MEMORY_BOUND, "memory", ROOF_CLUE_MEMORY, false, 0.60, "the memory is busy", SOL},
    {false, ROOF_MEMORY_BOUND, "L3", ROOF_CLUE_L3, false, 0.60, "the L3 cache is busy", SOL},
    {false, ROOF_MEMORY_BOUND, "L2", ROOF_CLUE_L2, false, 0.60, "the L2 cache is busy", SOL},
    {false, ROOF_MEMORY_BOUND, "L1", ROOF_CLUE_L1, false, 0.60, "the L1 cache is busy", SOL},
    {false, ROOF_MEMORY_BOUND, "shared memory", ROOF_CLUE_SHARED, false, 0.60, "shared memory is busy", SOL},
    {false, ROOF_NETWORK_BOUND, "link", ROOF_CLUE_LINK, false, 0.60, "the link is busy", SOL},
};

static roof_seen seen_by(const struct rule *r, double value) {
  return (roof_seen){.regime = r->regime,
                     .resource = r->resource,
                     .clue = r->clue,
                     .share = r->below ? 1 - value : value,
                     .threshold = r->threshold,
                     .busy = r->below ? value < r->threshold : value > r->threshold,
                     .rule = r->rule,
                     .source = r->source};
}

roof_seen roof_regime_seen(const double clue[ROOF_CLUE_COUNT]) {
  roof_seen best = {.share = NAN};
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    roof_seen seen = seen_by(&rules[i], clue[rules[i].clue]);
    if (rules[i].decides && seen.busy) {
      return seen;
    }
    if (!rules[i].decides && !isnan(seen.share) && !(seen.share <= best.share)) {
      best = seen;
    }
  }
  return best;
}
