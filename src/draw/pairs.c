/* What was measured over what was predicted, as dots around the line where both are the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "draw/glyph.h"
#include "roofline/charts.h"
#include "roofline/units.h"

enum { SAME = 0, MEASURED = 1 };

static bool is_known(const roof_pair *pair) {
  return pair->predicted_seconds > 0 && pair->measured_seconds > 0 && isfinite(pair->predicted_seconds) &&
         isfinite(pair->measured_seconds);
}

static void add_dot(const roof_pair *pair, roof_curves *c) {
  roof_panel *panel = &c->panels[0];
  roof_curve_dot *dot = &panel->dots[panel->dot_count++];
  *dot = (roof_curve_dot){.x = pair->predicted_seconds, .y = pair->measured_seconds, .series = MEASURED};
  snprintf(dot->label, sizeof dot->label, "%s", pair->label);
  rf_glyph_trim(dot->label, sizeof dot->label);
}

/** The line where measured is as predicted, over all that is drawn. */
static void add_line(roof_curves *c) {
  const roof_panel *panel = &c->panels[0];
  double low = INFINITY, high = 0;
  for (int i = 0; i < panel->dot_count; i++) {
    low = fmin(low, fmin(panel->dots[i].x, panel->dots[i].y));
    high = fmax(high, fmax(panel->dots[i].x, panel->dots[i].y));
  }
  c->panels[0].curves[0] =
      (roof_curve){.series = SAME, .count = 2, .x = {low / 1.5, high * 1.5}, .y = {low / 1.5, high * 1.5}};
  c->panels[0].curve_count = 1;
}

roof_status roof_pairs_chart(const roof_pair *pairs, size_t count, roof_curves *chart, roof_error *error) {
  roof_curves *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory");
  }
  for (size_t i = 0; i < count && made->panels[0].dot_count < ROOF_PANEL_DOTS; i++) {
    if (is_known(&pairs[i])) {
      add_dot(&pairs[i], made);
    }
  }
  snprintf(made->title, sizeof made->title, "Measured against predicted");
  snprintf(made->subtitle, sizeof made->subtitle, "%d of %zu; above the line: slower than predicted",
           made->panels[0].dot_count, count);
  snprintf(made->x_title, sizeof made->x_title, "predicted");
  snprintf(made->x_unit, sizeof made->x_unit, "s");
  snprintf(made->panels[0].title, sizeof made->panels[0].title, "measured");
  snprintf(made->panels[0].unit, sizeof made->panels[0].unit, "s");
  snprintf(made->dashed, sizeof made->dashed, "as predicted");
  made->panel_count = 1;
  roof_status status =
      made->panels[0].dot_count > 0
          ? ROOF_OK
          : roof_error_set(error, ROOF_E_ARGUMENT, "nothing was both predicted and measured");
  if (status == ROOF_OK) {
    add_line(made);
    *chart = *made;
  }
  free(made);
  return status;
}
