/** Zero work, in line where many predictions begin. */
#ifndef CORE_WORK_H
#define CORE_WORK_H

#include <math.h>

#include "roofline/work.h"

/** roof_work_init. */
static inline void rf_work_init(roof_work *work) {
  work->flops = work->read_bytes = work->write_bytes = work->weight_bytes = work->cache_bytes =
      work->update_bytes = 0;
  work->fresh_bytes = work->link_bytes = work->link_steps = work->working_set = 0;
  work->unit = ROOF_VECTOR;
  work->launches = 1;
  work->no_reuse_bytes = NAN;
  work->kernel = (roof_kernel_shape){0};
  work->least = (roof_least){NAN, NAN, NAN, NULL};
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT; i++) {
    work->level_bytes[i] = NAN;
  }
}

#endif
