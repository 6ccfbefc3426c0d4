#include "roofline/work.h"

#include <math.h>

void roof_work_init(roof_work *work) {
  *work =
      (roof_work){.unit = ROOF_VECTOR, .launches = 1, .no_reuse_bytes = NAN, .least = {NAN, NAN, NAN, NULL}};
  for (int i = 0; i < ROOF_LEVEL_KIND_COUNT; i++) {
    work->level_bytes[i] = NAN;
  }
}
