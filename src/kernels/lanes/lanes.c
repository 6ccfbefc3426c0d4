#include "kernels/lanes/lanes.h"

extern const rf_lanes rf_lanes_avx512, rf_lanes_avx2, rf_lanes_sve, rf_lanes_base;

static const rf_lanes *const table[] = {
#if defined(__x86_64__)
    &rf_lanes_avx512,
    &rf_lanes_avx2,
#elif defined(RF_LANES_SVE)
    &rf_lanes_sve,
#endif
    &rf_lanes_base,
};

const rf_lanes *rf_lanes_at(int index) {
  return index >= 0 && index < (int)(sizeof table / sizeof table[0]) ? table[index] : NULL;
}

const rf_lanes *rf_lanes_best(void) {
  size_t i = 0, last = sizeof table / sizeof table[0] - 1; /* the last is there on every processor */
  while (i < last && (!table[i]->available() || table[i]->fp64 == NULL)) {
    i++;
  }
  return table[i];
}

const rf_loops *rf_lanes_loops(const rf_lanes *lanes, roof_dtype dtype) {
  return dtype == ROOF_FP64 ? lanes->fp64 : lanes->fp32;
}
