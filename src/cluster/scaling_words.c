/* What a scaling study says: its sentence, its chart. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/scaling.h"
#include "core/number.h"
#include "roofline/ops.h"
#include "roofline/units.h"

/** Efficiencies of the last point that was measured. */
typedef struct ends {
  const rf_scaling_point *first, *last;
  double measured, predicted; /* speed-ups */
} ends;

static ends ends_of(const rf_scaling_study *s) {
  const rf_scaling_point *first = &s->points[0], *last = &s->points[s->measured - 1];
  return (ends){first, last, rf_scaling_speedup(first, first->measured.seconds, last, last->measured.seconds),
                rf_scaling_speedup(first, first->predicted.seconds, last, last->predicted.seconds)};
}

/** What one step's time goes to, as predicted. */
static void add_binding(const rf_scaling_point *p, roof_text *out) {
  bool memory = p->predicted.regime == ROOF_MEMORY_BOUND;
  roof_text_addf(out, "; %s binds", p->predicted.binding);
  if (memory && p->place.most > 1) {
    roof_text_addf(out, ", which %d ranks of a node share", p->place.most);
  }
  if (!isnan(p->measured.network_seconds)) {
    roof_text_addf(out, ", %.0f %% is communication",
                   100 * p->measured.network_seconds / p->measured.seconds);
  }
  if (p->place.cores > 0 && p->place.most > p->place.cores) {
    roof_text_addf(out, "; %d ranks take turns on %d core%s", p->place.most, p->place.cores,
                   p->place.cores == 1 ? "" : "s");
  }
}

void rf_scaling_sentence(const rf_scaling_study *study, roof_text *out) {
  const roof_op *op = NULL;
  char problem[ROOF_LABEL_MAX], time[32], expected[32];
  if (study->measured == 0 || roof_op_find(study->kernel->op, &op, NULL) != ROOF_OK) {
    roof_text_addf(out, "%s: no number of ranks was measured", study->kernel->name);
    return;
  }
  ends e = ends_of(study);
  int ranks = e.last->part.ranks;
  roof_op_label(op, study->kernel->name, study->kernel->dtype, study->values, problem, sizeof problem);
  roof_text_addf(out, "%s%s, %s: ", problem, study->weak ? " per rank" : "", study->weak ? "weak" : "strong");
  if (ranks == 1) {
    roof_text_addf(out, "1 rank takes %s (predicted %s)",
                   roof_quantity_format(time, sizeof time, e.last->measured.seconds, "s"),
                   roof_quantity_format(expected, sizeof expected, e.last->predicted.seconds, "s"));
    return;
  }
  roof_text_addf(out, "efficiency %.0f %% at %d ranks (predicted %.0f %%), %.3g times one rank's pace",
                 100 * e.measured / ranks, ranks, 100 * e.predicted / ranks, e.measured);
  add_binding(e.last, out);
}

/* --- chart --- */

/** FLOPs of all for each byte sent. */
static double intensity_of(const rf_scaling_point *p) {
  return p->part.flops / p->part.sent_bytes;
}

/** NaN where none was found; of a distance that was not measured that of the farthest. */
static double bandwidth_at(const rf_scaling_study *s, roof_distance distance) {
  double found = s->link_count > 0 ? s->links[s->link_count - 1].bytes_per_second : (double)NAN;
  for (int i = 0; i < s->link_count; i++) {
    found = s->links[i].distance == distance ? s->links[i].bytes_per_second : found;
  }
  return found;
}

static double rate_of(const rf_scaling_point *p, double seconds) {
  return p->part.flops / p->part.ranks / seconds;
}

static void add_ramp(const rf_scaling_study *s, const rf_scaling_point *p, double peak, double low,
                     double high, roof_curves *c) {
  char rate[32];
  double bandwidth = bandwidth_at(s, p->place.distance);
  int series = c->series_count++;
  roof_curve *curve = &c->panels[0].curves[c->panels[0].curve_count++];
  const double x[] = {low, peak / bandwidth, high};
  curve->series = series;
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
    if (x[i] >= low && x[i] <= high) {
      curve->x[curve->count] = x[i];
      curve->y[curve->count++] = fmin(peak, bandwidth * x[i]);
    }
  }
  curve->solid = curve->count;
  snprintf(c->series[series], sizeof c->series[series], "%s, %s", roof_distance_name(p->place.distance),
           isnan(bandwidth) ? "no bandwidth found"
                            : roof_quantity_format(rate, sizeof rate, bandwidth, "B/s"));
}

static void add_dot(roof_panel *panel, const rf_scaling_point *p, double seconds, int series,
                    bool predicted) {
  roof_curve_dot *dot = &panel->dots[panel->dot_count];
  if (seconds > 0 && panel->dot_count < ROOF_PANEL_DOTS) {
    *dot = (roof_curve_dot){
        .x = intensity_of(p), .y = rate_of(p, seconds), .series = series, .hollow = predicted};
    if (!predicted) {
      snprintf(dot->label, sizeof dot->label, "%d ranks", p->part.ranks);
    }
    panel->dot_count++;
  }
}

static void name_chart(const rf_scaling_study *s, roof_curves *c) {
  snprintf(c->title, sizeof c->title, "%s, %s scaling: communication roofline", s->kernel->name,
           s->weak ? "weak" : "strong");
  snprintf(c->subtitle, sizeof c->subtitle, "%.40s, %.40s; filled as measured, hollow as predicted before",
           s->machine_title[0] != '\0' ? s->machine_title : s->machine, s->library);
  snprintf(c->x_title, sizeof c->x_title, "FLOP/byte sent");
  snprintf(c->panels[0].title, sizeof c->panels[0].title, "rate of one rank");
  snprintf(c->panels[0].unit, sizeof c->panels[0].unit, "FLOP/s");
  c->panel_count = 1;
}

/** What a rank computes while nothing is sent. */
static void add_peak(roof_panel *panel, const rf_scaling_point *p) {
  char text[32];
  roof_curve_dot *limit = &panel->limits[panel->limit_count++];
  *limit = (roof_curve_dot){.y = rate_of(p, p->predicted.compute_seconds), .series = ROOF_PANEL_CURVES - 1};
  snprintf(limit->label, sizeof limit->label, "%d ranks, no messages: %s", p->part.ranks,
           roof_quantity_format(text, sizeof text, limit->y, "FLOP/s"));
}

roof_status rf_scaling_chart(const rf_scaling_study *study, roof_curves *chart, roof_error *error) {
  if (study->count < 2) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "%s: one rank sends nothing, so that there is no communication to draw",
                          study->kernel->name);
  }
  const rf_scaling_point *first = &study->points[1], *last = &study->points[study->count - 1];
  double peak = rate_of(last, last->predicted.compute_seconds);
  double low = intensity_of(first), high = low;
  roof_distance drawn = ROOF_DISTANCE_CORE;
  memset(chart, 0, sizeof *chart);
  name_chart(study, chart);
  for (int i = 1; i < study->count; i++) {
    const rf_scaling_point *p = &study->points[i];
    double ridge = peak / bandwidth_at(study, p->place.distance), shown = ridge > 0 ? ridge : intensity_of(p);
    low = fmin(low, fmin(intensity_of(p), shown));
    high = fmax(high, fmax(intensity_of(p), shown));
  }
  for (int i = 1; i < study->count; i++) {
    const rf_scaling_point *p = &study->points[i];
    if (i == 1 || p->place.distance > drawn) {
      drawn = p->place.distance;
      add_ramp(study, p, peak, low / 4, high * 4, chart);
    }
    add_dot(&chart->panels[0], p, p->predicted.seconds, chart->series_count - 1, true);
    add_dot(&chart->panels[0], p, p->measured.seconds, chart->series_count - 1, false);
  }
  add_peak(&chart->panels[0], last);
  return ROOF_OK;
}
