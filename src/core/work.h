/** Zero work, in line where many predictions begin. */
#ifndef CORE_WORK_H
#define CORE_WORK_H

#include <math.h>

#include "roofline/work.h"

/** roof_work_init. */
static inline void rf_work_init(roof_work *work) {
  *work =
      (roof_work){.unit = ROOF_VECTOR, .launches = 1, .no_reuse_bytes = NAN, .least = {NAN, NAN, NAN, NULL}};
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT; i++) {
    work->level_bytes[i] = NAN;
  }
}

#endif
