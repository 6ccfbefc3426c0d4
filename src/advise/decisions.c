/* What to do next, by what was observed: the table that ends an analysis of an inference system. */
#include <math.h>

#include "roofline/advise.h"

enum { LOW_INTENSITY, IDLE_MATRIX, COLLECTIVE, CAPACITY, BUSY_BUT_SLOW, STARVED, DECISION_COUNT };

static const roof_decision decisions[DECISION_COUNT] = {
    [LOW_INTENSITY] = {"low intensity, much memory traffic", "quantization, fusion, a better layout"},
    [IDLE_MATRIX] = {"high intensity, the matrix unit little used", "tiling, a larger batch, another kernel"},
    [COLLECTIVE] = {"collectives take most of the time", "another way to shard, or another topology"},
    [CAPACITY] = {"it does not fit", "quantization, sharding, a narrower KV cache"},
    [BUSY_BUT_SLOW] = {"the device is busy, its FLOP/s are low",
                       "profile it: the throughput of the SMs and of the memory say what it is busy with"},
    [STARVED] = {"the device waits for work", "fewer, larger launches: fusion, a larger batch, no host sync"},
};

/** Shares past which a figure counts: those of Nsight Compute's rule for a busy resource (seen.c), of the
 * classes of compute-bound kernels (actions.c), and half of the ceiling. */
static const double busy = 0.6, paged = 0.05, good = 0.7, half = 0.5, always_busy = 0.9;

const roof_decision *roof_decision_at(int index) {
  return index >= 0 && index < DECISION_COUNT ? &decisions[index] : NULL;
}

static bool over(const roof_evidence *e, roof_clue clue, double threshold) {
  return e->clue[clue] > threshold;
}

static bool under(const roof_evidence *e, roof_clue clue, double threshold) {
  return e->clue[clue] < threshold;
}

const roof_decision *roof_decision_of(const roof_evidence *e) {
  roof_regime regime = e->prediction->regime;
  bool worked = over(e, ROOF_CLUE_MEMORY, busy) || over(e, ROOF_CLUE_COMPUTE, busy);
  if (regime == ROOF_CAPACITY_BOUND || over(e, ROOF_CLUE_PAGED, paged)) {
    return &decisions[CAPACITY];
  }
  if (regime == ROOF_NETWORK_BOUND || over(e, ROOF_CLUE_LINK, busy)) {
    return &decisions[COLLECTIVE];
  }
  if (regime == ROOF_OVERHEAD_BOUND || roof_evidence_is_starved(e)) {
    return &decisions[STARVED];
  }
  if (over(e, ROOF_CLUE_ACTIVE, always_busy) && under(e, ROOF_CLUE_FRACTION, half) && !worked) {
    return &decisions[BUSY_BUT_SLOW];
  }
  if (regime == ROOF_MEMORY_BOUND) {
    return under(e, ROOF_CLUE_MEMORY, half) ? NULL : &decisions[LOW_INTENSITY];
  }
  bool matrix = e->prediction->peak == NULL || e->prediction->peak->unit == ROOF_MATRIX;
  bool idle = isnan(e->clue[ROOF_CLUE_MATRIX]) ? under(e, ROOF_CLUE_FRACTION, good)
                                               : under(e, ROOF_CLUE_MATRIX, busy);
  return regime == ROOF_COMPUTE_BOUND && matrix && idle ? &decisions[IDLE_MATRIX] : NULL;
}
