#include "kernels/lanes/lanes.h"

extern const roof_lanes roof_lanes_avx512, roof_lanes_avx2, roof_lanes_sve, roof_lanes_base;

static const roof_lanes *const table[] = {
#if defined(__x86_64__)
    &roof_lanes_avx512,
    &roof_lanes_avx2,
#elif defined(ROOF_LANES_SVE)
    &roof_lanes_sve,
#endif
    &roof_lanes_base,
};

const roof_lanes *roof_lanes_at(int index) {
  return index >= 0 && index < (int)(sizeof table / sizeof table[0]) ? table[index] : NULL;
}

const roof_lanes *roof_lanes_best(void) {
  int i = 0;
  while (!table[i]->available() || table[i]->fp64 == NULL) {
    i++;
  }
  return table[i];
}

const roof_loops *roof_lanes_loops(const roof_lanes *lanes, roof_dtype dtype) {
  return dtype == ROOF_FP64 ? lanes->fp64 : lanes->fp32;
}
