/* How a ceiling is distributed over the nodes: a curve each, as shares of its median. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cluster/nodes.h"
#include "draw/glyph.h"

enum { CURVES = 6 };

/** The speed of a node as a share of the median. */
typedef struct place {
  double share;
  size_t node;
} place;

static int by_share(const void *a, const void *b) {
  const place *x = a, *y = b;
  return (x->share > y->share) - (x->share < y->share);
}

static double slowest_share(const roof_nodes_ceiling *c) {
  return 1 - rf_nodes_loss(c->unit, c->low, c->median);
}

/** The ceilings with the slowest nodes, at most CURVES; returns how many. */
static int choose(const roof_nodes *nodes, size_t chosen[CURVES]) {
  int count = 0;
  for (size_t i = 0; i < nodes->ceiling_count; i++) {
    const roof_nodes_ceiling *c = &nodes->ceilings[i];
    if (c->count < 2) {
      continue;
    }
    int at = count < CURVES ? count++ : CURVES;
    while (at > 0 && slowest_share(c) < slowest_share(&nodes->ceilings[chosen[at - 1]])) {
      if (at < CURVES) {
        chosen[at] = chosen[at - 1];
      }
      at--;
    }
    if (at < CURVES) {
      chosen[at] = i;
    }
  }
  return count;
}

/** Where a node that stands out is on the curve of its ceiling. */
static void add_dots(const roof_nodes *nodes, size_t ceiling, int series, const place *places, size_t count,
                     roof_panel *panel) {
  for (size_t f = 0; f < nodes->outlier_count && panel->dot_count < ROOF_PANEL_DOTS / 4; f++) {
    const roof_outlier *finding = &nodes->outliers[f];
    for (size_t i = 0; i < count && finding->ceiling == (int)ceiling; i++) {
      if (places[i].node == finding->node) {
        roof_curve_dot *dot = &panel->dots[panel->dot_count++];
        *dot = (roof_curve_dot){.x = ((double)i + 1) / (double)count, .y = places[i].share, .series = series};
        snprintf(dot->label, sizeof dot->label, "%s", nodes->list[finding->node].name);
        rf_glyph_trim(dot->label, sizeof dot->label);
        break;
      }
    }
  }
}

static bool add_curve(const roof_nodes *nodes, size_t ceiling, roof_curves *chart) {
  const roof_nodes_ceiling *c = &nodes->ceilings[ceiling];
  roof_panel *panel = &chart->panels[0];
  place *places = calloc(c->count, sizeof *places);
  size_t count = 0;
  for (size_t i = 0; i < nodes->count && places != NULL; i++) {
    double value = roof_nodes_figure(nodes, i, ceiling).value;
    if (!isnan(value) && count < c->count) {
      places[count++] = (place){1 - rf_nodes_loss(c->unit, value, c->median), i};
    }
  }
  if (places == NULL) {
    return false;
  }
  qsort(places, count, sizeof *places, by_share);
  int series = chart->series_count++;
  roof_curve *curve = &panel->curves[panel->curve_count++];
  curve->series = series;
  curve->count = count < ROOF_PANEL_POINTS ? (int)count : ROOF_PANEL_POINTS;
  curve->solid = curve->count;
  for (int i = 0; i < curve->count; i++) {
    size_t last = curve->count > 1 ? (size_t)curve->count - 1 : 1, at = (size_t)i * (count - 1) / last;
    curve->x[i] = ((double)at + 1) / (double)count;
    curve->y[i] = places[at].share;
  }
  snprintf(chart->series[series], sizeof chart->series[series], "%.79s", c->name);
  rf_glyph_trim(chart->series[series], sizeof chart->series[series]);
  add_dots(nodes, ceiling, series, places, count, panel);
  free(places);
  return true;
}

roof_status roof_nodes_chart(const roof_nodes *nodes, roof_curves *chart, roof_error *error) {
  size_t chosen[CURVES];
  int count = choose(nodes, chosen);
  if (count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "cluster: no ceiling was measured on two nodes");
  }
  roof_curves *made = calloc(1, sizeof *made);
  bool fits = made != NULL;
  for (int i = 0; i < count && fits; i++) {
    fits = add_curve(nodes, chosen[i], made);
  }
  if (fits) {
    snprintf(made->title, sizeof made->title, "Nodes from the slowest to the fastest");
    snprintf(made->subtitle, sizeof made->subtitle,
             "%zu nodes; the ceilings whose slowest are farthest from the median", nodes->count);
    snprintf(made->x_title, sizeof made->x_title, "share of the nodes");
    snprintf(made->x_unit, sizeof made->x_unit, "%%");
    made->linear = true;
    made->panel_count = 1;
    made->panels[0].linear = true;
    snprintf(made->panels[0].title, sizeof made->panels[0].title, "share of the median");
    snprintf(made->panels[0].unit, sizeof made->panels[0].unit, "%%");
    *chart = *made;
  }
  free(made);
  return fits ? ROOF_OK : roof_error_set(error, ROOF_E_MEMORY, "cluster: out of memory");
}
