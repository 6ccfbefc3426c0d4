/* Measured over predicted times as curves of their medians. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "core/stats.h"
#include "roofline/accuracy.h"

enum { MEASURED, RATIO };

/** Lengths of time are taken together three to an octave, from 10 ns to 100 s, where there are enough timings. */
enum { BINS = 100, PER_OCTAVE = 3, LEAST = 5 };
static const double shortest = 1e-8;

static int bin_of(const roof_accuracy_point *p) {
  double bin = floor(PER_OCTAVE * log2(p->expected / shortest));
  return bin < 0 ? 0 : bin < BINS ? (int)bin : BINS - 1;
}

static double middle_of(int bin) {
  return shortest * exp2((bin + 0.5) / PER_OCTAVE);
}

/** `what`: NULL: all. The curve of a quantile of measured over expected, times the expected
 * where `seconds`. */
static void add_curve(const roof_accuracy *a, const char *what, double quantile, bool seconds, double *room,
                      roof_curve *curve) {
  for (int bin = 0; bin < BINS; bin++) {
    size_t count = 0;
    for (size_t i = 0; i < a->all.count; i++) {
      const roof_accuracy_point *p = &a->points[i];
      if (bin_of(p) == bin && (what == NULL || strcmp(p->what, what) == 0)) {
        room[count++] = p->measured / p->expected;
      }
    }
    if (count >= LEAST) {
      rf_stats_sort(room, count);
      curve->x[curve->count] = 1e6 * middle_of(bin);
      curve->y[curve->count++] = roof_stats_quantile(room, count, quantile) * (seconds ? middle_of(bin) : 1);
    }
  }
  curve->solid = curve->count;
}

/** The line of timings that are as predicted, as long as the others. */
static void add_diagonal(roof_panel *panel, int series) {
  roof_curve *line = &panel->curves[panel->curve_count++];
  double low = INFINITY, high = 0;
  for (int i = 0; i + 1 < panel->curve_count; i++) {
    low = fmin(low, panel->curves[i].x[0]);
    high = fmax(high, panel->curves[i].x[panel->curves[i].count - 1]);
  }
  *line = (roof_curve){.series = series, .count = 2, .x = {low, high}, .y = {low * 1e-6, high * 1e-6}};
}

static void add_kind(const roof_accuracy *a, const char *what, double *room, roof_curves *c) {
  roof_panel *panel = &c->panels[MEASURED];
  roof_curve *curve = &panel->curves[panel->curve_count];
  *curve = (roof_curve){.series = c->series_count};
  add_curve(a, what, 0.5, true, room, curve);
  if (curve->count > 1) {
    snprintf(c->series[c->series_count++], sizeof c->series[0], "%s", what);
    panel->curve_count++;
  }
}

static void add_kinds(const roof_accuracy *a, double *room, roof_curves *c) {
  for (int k = 0; k < ROOF_KERNEL_KIND_COUNT; k++) {
    add_kind(a, roof_kernel_kind_name((roof_kernel_kind)k), room, c);
  }
  for (int f = 0; f < ROOF_SERVED_FIGURE_COUNT; f++) {
    add_kind(a, roof_served_figure_name((roof_served_figure)f), room, c);
  }
}

static void add_ratios(const roof_accuracy *a, double *room, roof_curves *c) {
  static const double quantiles[] = {0.1, 0.5, 0.9};
  roof_panel *panel = &c->panels[RATIO];
  for (int i = 0; i < 3; i++) {
    roof_curve *curve = &panel->curves[panel->curve_count++];
    *curve = (roof_curve){.series = c->series_count};
    add_curve(a, NULL, quantiles[i], false, room, curve);
  }
}

static void name_chart(const roof_accuracy *a, roof_curves *c) {
  snprintf(c->title, sizeof c->title, "Measured against predicted");
  rf_format(c->subtitle, sizeof c->subtitle, "%zu timings, %.1f %% off (median), %.1f %% inside the interval",
            a->all.count, 100 * a->all.median, 100 * a->all.inside);
  snprintf(c->x_title, sizeof c->x_title, "expected (µs)");
  snprintf(c->panels[MEASURED].title, sizeof c->panels[0].title, "measured, median");
  snprintf(c->panels[MEASURED].unit, sizeof c->panels[0].unit, "s");
  snprintf(c->panels[RATIO].title, sizeof c->panels[0].title, "/ expected: 10, 50, 90 %%");
  snprintf(c->dashed, sizeof c->dashed, "as predicted");
  c->panel_count = 2;
}

roof_status roof_accuracy_chart(const roof_accuracy *accuracy, roof_curves *chart, roof_error *error) {
  double *room = malloc((accuracy->all.count + 1) * sizeof *room);
  roof_curves *made = calloc(1, sizeof *made);
  roof_status status = ROOF_OK;
  if (room == NULL || made == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "accuracy: out of memory");
  } else {
    name_chart(accuracy, made);
    add_kinds(accuracy, room, made);
  }
  if (status == ROOF_OK && made->series_count == 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "too few timings of different lengths for a chart");
  }
  if (status == ROOF_OK) {
    add_diagonal(&made->panels[MEASURED], made->series_count);
    add_ratios(accuracy, room, made);
    snprintf(made->series[made->series_count++], sizeof made->series[0], "all kinds");
    *chart = *made;
  }
  free(made);
  free(room);
  return status;
}
