/* The network roofline: FLOP/s that a device attains over the FLOPs per byte that it sends. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "roofline/draw.h"
#include "roofline/units.h"

enum { POINTS = 128 };

/** The intensities drawn: around the gradients' own, where they are sent at all. */
typedef struct reach {
  double low, high;
} reach;

static reach reach_of(double own) {
  reach r = {10, 3e5};
  if (isfinite(own)) {
    r = (reach){fmin(r.low, own / 2), fmax(r.high, own * 2)};
  }
  return r;
}

/** A link's line up to the device's peak, and its ridge. */
static void add_link(roof_curves *c, const roof_cluster_link *l, double rate, reach r) {
  int i = c->series_count++;
  roof_curve *curve = &c->panels[0].curves[c->panels[0].curve_count++];
  *curve = (roof_curve){.series = i, .count = POINTS, .solid = POINTS};
  for (int k = 0; k < POINTS; k++) {
    curve->x[k] = r.low * pow(r.high / r.low, (double)k / (POINTS - 1));
    curve->y[k] = fmin(rate, l->bytes_per_second * curve->x[k]);
  }
  snprintf(c->series[i], sizeof c->series[i], "%.60s", l->name);
  roof_curve_dot *mark = &c->marks[c->mark_count++];
  *mark = (roof_curve_dot){.x = l->flops_per_byte, .series = i};
  rf_format(mark->label, sizeof mark->label, "%.5g FLOP/B", l->flops_per_byte);
}

static void name_chart(roof_curves *c, const roof_target *target, const roof_cluster_settings *s) {
  snprintf(c->title, sizeof c->title, "%.60s: %s roofline of its links", target->machine->title,
           roof_dtype_name(target->types.compute));
  char parameters[32], tokens[32];
  rf_format(c->subtitle, sizeof c->subtitle,
            "one way; training of %s parameters, %s tokens per step, %.0f device%s",
            roof_quantity_format(parameters, sizeof parameters, s->parameters, ""),
            roof_quantity_format(tokens, sizeof tokens, s->tokens, ""), s->devices,
            s->devices == 1 ? "" : "s");
  snprintf(c->x_title, sizeof c->x_title, "FLOP/byte sent");
  snprintf(c->panels[0].title, sizeof c->panels[0].title, "attainable per device");
  snprintf(c->panels[0].unit, sizeof c->panels[0].unit, "FLOP/s");
}

void roof_cluster_chart(const roof_target *target, const roof_cluster_settings *settings,
                        const roof_cluster_answer *a, roof_curves *chart) {
  char text[64];
  double rate = a->cluster.flops_per_second, own = a->flops_per_byte_sent;
  roof_panel *panel = &chart->panels[0];
  memset(chart, 0, sizeof *chart);
  name_chart(chart, target, settings);
  chart->panel_count = 1;
  panel->limit_count = 1;
  panel->limits[0] = (roof_curve_dot){.y = rate, .series = ROOF_PANEL_CURVES - 1};
  snprintf(panel->limits[0].label, sizeof panel->limits[0].label, "peak %s",
           roof_quantity_format(text, sizeof text, rate, "FLOP/s"));
  for (int i = 0; i < a->link_count && i < ROOF_PANEL_CURVES; i++) {
    add_link(chart, &a->links[i], rate, reach_of(own));
  }
  if (isfinite(own) && chart->series_count > 0) {
    int last = chart->series_count - 1;
    roof_curve_dot *dot = &panel->dots[panel->dot_count++];
    *dot = (roof_curve_dot){
        .x = own, .y = fmin(rate, own * a->links[last].bytes_per_second), .series = last, .hollow = true};
    snprintf(dot->label, sizeof dot->label, "gradients over %.0f devices", settings->devices);
  }
}
