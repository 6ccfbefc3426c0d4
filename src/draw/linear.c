/* A scene over linear axes: each flat roof with the outermost ramp under it, both from zero. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "draw/geometry.h"
#include "roofline/units.h"

/** The outermost ramp of a series, preferably of the same style; NULL: none. */
static const roof_scene_roof *ramp_of(const roof_scene *scene, const roof_scene_roof *flat) {
  const roof_scene_roof *best = NULL;
  int series = rf_scene_ramps(scene, flat->series);
  for (int i = 0; i < scene->roof_count; i++) {
    const roof_scene_roof *r = &scene->roofs[i];
    if (isnan(r->bytes_per_second) || r->series != series) {
      continue;
    }
    bool closer = best == NULL || (best->style != flat->style && r->style == flat->style);
    if (closer || (r->style == best->style && r->level > best->level)) {
      best = r;
    }
  }
  return best;
}

static void add_roof(const roof_scene *scene, const roof_scene_roof *flat, double end, roof_curves *c) {
  const roof_scene_roof *ramp = ramp_of(scene, flat);
  roof_panel *p = &c->panels[0];
  if (ramp == NULL || p->curve_count == ROOF_PANEL_CURVES) {
    return;
  }
  double peak = flat->flops_per_second, ridge = peak / ramp->bytes_per_second;
  roof_curve *curve = &p->curves[p->curve_count++];
  *curve = (roof_curve){.series = flat->series,
                        .count = 3,
                        .solid = flat->style == ROOF_SOLID ? 3 : 0,
                        .x = {0, ridge, fmax(end, ridge)},
                        .y = {0, peak, peak}};
  roof_curve_dot *level = &p->limits[p->limit_count++], *mark = &c->marks[c->mark_count++];
  *level = (roof_curve_dot){.y = peak, .series = flat->series};
  snprintf(level->label, sizeof level->label, "%s", flat->label);
  *mark = (roof_curve_dot){.x = ridge, .series = flat->series};
  rf_format(mark->label, sizeof mark->label, "%.4g FLOP/B", ridge);
  if (flat->style == ROOF_DASHED) {
    snprintf(c->dashed, sizeof c->dashed, "measured");
  }
}

/** Where the axis of intensity ends: beyond the last dot and, to see the roof, the last ridge. */
static double end_of(const roof_scene *scene) {
  double end = 0;
  for (int i = 0; i < scene->roof_count; i++) {
    const roof_scene_roof *flat = &scene->roofs[i];
    const roof_scene_roof *ramp = isnan(flat->flops_per_second) ? NULL : ramp_of(scene, flat);
    end = ramp != NULL ? fmax(end, 2 * flat->flops_per_second / ramp->bytes_per_second) : end;
  }
  for (int i = 0; i < scene->dot_count; i++) {
    end = fmax(end, 1.1 * scene->dots[i].intensity);
  }
  return end;
}

static void fill(const roof_scene *scene, roof_curves *c) {
  roof_panel *p = &c->panels[0];
  snprintf(c->title, sizeof c->title, "%s", scene->title);
  snprintf(c->subtitle, sizeof c->subtitle, "%s", scene->subtitle);
  snprintf(c->x_title, sizeof c->x_title, "arithmetic intensity (FLOP/byte)");
  snprintf(p->title, sizeof p->title, "performance");
  snprintf(p->unit, sizeof p->unit, "FLOP/s");
  p->linear = c->linear = true;
  c->panel_count = 1;
  for (; c->series_count < scene->series_count; c->series_count++) {
    snprintf(c->series[c->series_count], sizeof c->series[0], "%s", scene->series[c->series_count]);
  }
  double end = end_of(scene);
  for (int i = 0; i < scene->roof_count; i++) {
    if (!isnan(scene->roofs[i].flops_per_second)) {
      add_roof(scene, &scene->roofs[i], end, c);
    }
  }
  for (int i = 0; i < scene->dot_count && p->dot_count < ROOF_PANEL_DOTS; i++) {
    const roof_scene_dot *from = &scene->dots[i];
    roof_curve_dot *to = &p->dots[p->dot_count++];
    *to = (roof_curve_dot){
        .x = from->intensity, .y = from->flops_per_second, .series = from->series, .hollow = from->predicted};
    snprintf(to->label, sizeof to->label, "%s", from->label);
  }
}

roof_status roof_draw_linear_svg(const roof_scene *scene, int width, roof_text *out, roof_error *error) {
  roof_curves *curves = calloc(1, sizeof *curves);
  if (curves == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory");
  }
  fill(scene, curves);
  roof_status status = roof_draw_curves_svg(curves, width, out, error);
  free(curves);
  return status;
}
