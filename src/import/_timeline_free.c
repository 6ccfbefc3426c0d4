/* The end of a timeline: apart from what fills it, which uses the profile that ends it. */
#include <stdlib.h>

#include "import/_timeline.h"

void rf_import_timeline_free(roof_timeline *timeline) {
  timeline_grown *g = (timeline_grown *)timeline;
  if (g != NULL) {
    free(g->all.traces);
    free(g->all.tracks);
    free(g->all.slices);
    free(g->all.waits);
    rf_intern_done(&g->tracks);
    free(g);
  }
}
