#include "models/front.h"

#include <stdbool.h>
#include <string.h>

#include "roofline/plan.h"

static bool better(const model_front_kind *k, const void *a, const void *b) {
  return k->first(a) <= k->first(b) && k->second(a) <= k->second(b);
}

void rf_model_front_add(const model_front_kind *kind, void *points, int *count, const void *point) {
  char *all = points;
  int kept = 0, place = 0;
  for (int i = 0; i < *count; i++) {
    if (better(kind, all + (size_t)i * kind->size, point)) {
      return;
    }
  }
  for (int i = 0; i < *count; i++) {
    const char *old = all + (size_t)i * kind->size;
    if (!better(kind, point, old)) {
      memmove(all + (size_t)kept++ * kind->size, old, kind->size);
    }
  }
  *count = kept;
  if (kept == ROOF_FRONT_MAX) {
    return;
  }
  while (place < kept && kind->first(all + (size_t)place * kind->size) < kind->first(point)) {
    place++;
  }
  char *at = all + (size_t)place * kind->size;
  memmove(at + kind->size, at, (size_t)(kept - place) * kind->size);
  memcpy(at, point, kind->size);
  *count = kept + 1;
}
