/* Two profiles as a chart: what each kernel took before and takes now. */
#include <stdio.h>
#include <stdlib.h>

#include "roofline/plot.h"

roof_status roof_diff_chart(const roof_diff *diff, roof_curves *chart, roof_error *error) {
  roof_pair *pairs = calloc(diff->count + 1, sizeof *pairs);
  roof_curves *made = calloc(1, sizeof *made);
  roof_status status =
      pairs != NULL && made != NULL ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory");
  for (size_t i = 0; i < diff->count && status == ROOF_OK; i++) {
    const roof_diff_row *row = &diff->rows[i];
    pairs[i] = (roof_pair){row->now.name, row->before.seconds, row->now.seconds};
  }
  status = status == ROOF_OK ? roof_pairs_chart(pairs, diff->count, made, error) : status;
  if (status == ROOF_OK) {
    snprintf(made->title, sizeof made->title, "Before and now");
    snprintf(made->subtitle, sizeof made->subtitle, "%d of %zu; above the line: slower than before",
             made->panels[0].dot_count, diff->count);
    snprintf(made->x_title, sizeof made->x_title, "before");
    snprintf(made->panels[0].title, sizeof made->panels[0].title, "now");
    snprintf(made->dashed, sizeof made->dashed, "as before");
    *chart = *made;
  }
  free(made);
  free(pairs);
  return status;
}
