/* Latency and bandwidth over the size of a message, as measured and as fitted. */
#include <stdio.h>
#include <string.h>

#include "roofline/fabric.h"

enum { SECONDS, RATE, PANELS, SHOWN = ROOF_PANEL_CURVES / 2 };

static void add_point(roof_curve *curve, double x, double y, bool solid) {
  if (y > 0) {
    curve->x[curve->count] = x;
    curve->y[curve->count++] = y;
    curve->solid = solid ? curve->count : 0;
  }
}

/** A line as measured, and the same as fitted, dashed. */
static void add_distance(const roof_distance_fit *d, int series, roof_curves *chart) {
  for (int panel = 0; panel < PANELS; panel++) {
    roof_panel *p = &chart->panels[panel];
    roof_curve *measured = &p->curves[p->curve_count++], *fitted = &p->curves[p->curve_count++];
    measured->series = fitted->series = series;
    for (int i = 0; i < d->time_count; i++) {
      const roof_message_time *t = &d->times[i];
      double fit = roof_message_seconds(&d->fit, t->bytes);
      add_point(measured, t->bytes, panel == SECONDS ? t->seconds : t->bytes / t->seconds, true);
      add_point(fitted, t->bytes, panel == SECONDS ? fit : t->bytes / fit, false);
    }
  }
  snprintf(chart->series[series], sizeof chart->series[series], "%s, %s to %s",
           roof_distance_name(d->distance), d->nodes[0], d->nodes[1]);
}

/** Where the protocol of the farthest distance changes. */
static void mark_change(const roof_distance_fit *far, roof_curves *chart) {
  if (far->fit.count == 2) {
    roof_curve_dot *mark = &chart->marks[chart->mark_count++];
    mark->x = far->fit.of[1].from_bytes;
    mark->series = chart->series_count - 1;
    snprintf(mark->label, sizeof mark->label, "rendezvous");
  }
}

static void name_panel(roof_panel *panel, const char *title, const char *unit) {
  snprintf(panel->title, sizeof panel->title, "%s", title);
  snprintf(panel->unit, sizeof panel->unit, "%s", unit);
}

roof_status roof_fabric_chart(const roof_fabric *fabric, roof_curves *chart, roof_error *error) {
  int first = fabric->distance_count > SHOWN ? fabric->distance_count - SHOWN : 0;
  const roof_distance_fit *far = roof_fabric_farthest(fabric);
  if (far == NULL || far->time_count == 0 || far->fit.count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "network: nothing was measured");
  }
  memset(chart, 0, sizeof *chart);
  snprintf(chart->title, sizeof chart->title, "Messages between two ranks");
  snprintf(chart->subtitle, sizeof chart->subtitle, "%s, %d ranks; one way, half of a round trip",
           fabric->library, fabric->ranks);
  snprintf(chart->x_title, sizeof chart->x_title, "bytes of a message");
  snprintf(chart->x_unit, sizeof chart->x_unit, "B");
  snprintf(chart->dashed, sizeof chart->dashed, "fitted");
  name_panel(&chart->panels[SECONDS], "time of a message", "s");
  name_panel(&chart->panels[RATE], "bandwidth", "B/s");
  chart->panel_count = PANELS;
  for (int i = first; i < fabric->distance_count; i++) {
    add_distance(&fabric->distances[i], chart->series_count++, chart);
  }
  mark_change(far, chart);
  return ROOF_OK;
}
