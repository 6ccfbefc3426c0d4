/* An operation over one of its parameters: what it attains and its intensity, as curves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "draw/glyph.h"
#include "roofline/charts.h"
#include "roofline/formats.h"
#include "roofline/units.h"

enum { RATE, INTENSITY, YIELD, PANELS };

/** Whether a batch grows: then the last panel is what comes out of it per second, else the share of the peak. */
static bool has_batch(const roof_sweep *s) {
  const roof_axis *axis = &s->shape->axes[0];
  const char *name = s->shape->op->params[axis->param].name;
  return axis->params == 1u << axis->param && (strcmp(name, "batch") == 0 || strcmp(name, "tokens") == 0);
}

/** Points between neighbours on the first axis: the others vary inside it. */
static size_t stride_of(const roof_shape *shape) {
  return shape->points / shape->axes[0].count;
}

static void name_line(const roof_sweep *s, const roof_target *target, size_t start, char *name, size_t size) {
  roof_text text = {0};
  roof_text_add(&text, s->target_count > 1 ? target->machine->name : "");
  roof_text_add(&text, s->target_count > 1 && s->shape->axis_count > 1 ? " " : "");
  roof_shape_add_point(&text, s->shape, start, s->shape->axes[0].param);
  snprintf(name, size, "%s", text.length > 0 ? text.data : s->shape->op->name);
  rf_glyph_trim(name, size);
  roof_text_done(&text);
}

/** A point of a line in each panel, and in the first what the ceilings allow, from curve `bound` (0: not drawn). */
static void add_point(const roof_sweep *s, double x, const roof_prediction *p, int bound, roof_curves *c) {
  double rate = p->work.flops / p->expected_seconds;
  const double figures[] = {[RATE] = rate,
                            [INTENSITY] = p->intensity,
                            [YIELD] = has_batch(s)      ? x / p->expected_seconds
                                      : p->peak != NULL ? rate / p->peak->flops_per_second
                                                        : (double)NAN};
  for (int panel = 0; panel < PANELS; panel++) {
    roof_curve *curve = &c->panels[panel].curves[c->series_count];
    if (figures[panel] > 0) {
      curve->x[curve->count] = x;
      curve->y[curve->count] = figures[panel];
      curve->solid = ++curve->count;
    }
  }
  roof_curve *allowed = &c->panels[RATE].curves[bound];
  if (bound > 0) {
    allowed->x[allowed->count] = x;
    allowed->y[allowed->count++] = p->attainable;
  }
}

/** One line over the first axis from point `start` of a target. */
static roof_status add_curve(const roof_sweep *s, size_t target, size_t start, int bound, roof_curves *c,
                             roof_error *error) {
  const roof_axis *axis = &s->shape->axes[0];
  size_t step = (axis->count + ROOF_PANEL_POINTS - 1) / ROOF_PANEL_POINTS;
  for (int panel = 0; panel < PANELS; panel++) {
    c->panels[panel].curves[c->series_count] = (roof_curve){.series = c->series_count};
  }
  if (bound > 0) {
    c->panels[RATE].curves[bound] = (roof_curve){.series = c->series_count};
  }
  for (size_t i = 0; i < axis->count; i += step) {
    double values[ROOF_PARAM_MAX];
    roof_prediction p;
    roof_status status =
        roof_sweep_point(s, target * s->shape->points + start + i * stride_of(s->shape), values, &p, error);
    if (status != ROOF_OK || !(p.attainable > 0) || !(p.intensity > 0)) {
      return status != ROOF_OK
                 ? status
                 : roof_error_set(error, ROOF_E_ARGUMENT, "%s: no FLOPs, or no ceiling is known: no rate",
                                  s->shape->op->name);
    }
    add_point(s, axis->values[i], &p, bound, c);
  }
  name_line(s, &s->targets[target], start, c->series[c->series_count], sizeof c->series[0]);
  c->series_count++;
  return ROOF_OK;
}

/** The critical values of a line that lie on the axis. */
static void add_mark(const roof_sweep *s, const roof_target *target, size_t start, int series,
                     roof_curves *c) {
  const roof_axis *axis = &s->shape->axes[0];
  double typed[ROOF_PARAM_MAX];
  roof_crossing at;
  roof_shape_typed(s->shape, start, typed);
  roof_crossing_critical(target, s->shape->op, typed, axis->param, &at);
  do {
    if (at.value >= axis->values[0] && at.value <= axis->values[axis->count - 1] &&
        c->mark_count < ROOF_PANEL_MARKS) {
      roof_curve_dot *mark = &c->marks[c->mark_count++];
      *mark = (roof_curve_dot){.x = at.value, .series = series};
      rf_format(mark->label, sizeof mark->label, "ridge passed at %.4g", at.value);
    }
  } while (roof_crossing_next(target, s->shape->op, typed, &at));
}

/** The peak over the rates and the ridge over the intensities. */
static void add_limits(const roof_sweep *s, size_t target, int series, roof_curves *c) {
  roof_prediction p;
  double values[ROOF_PARAM_MAX];
  char text[32];
  if (roof_sweep_point(s, target * s->shape->points, values, &p, NULL) != ROOF_OK || p.peak == NULL ||
      c->panels[RATE].limit_count == ROOF_PANEL_MARKS) {
    return;
  }
  roof_curve_dot *peak = &c->panels[RATE].limits[c->panels[RATE].limit_count++];
  *peak = (roof_curve_dot){.y = p.peak->flops_per_second, .series = series};
  snprintf(peak->label, sizeof peak->label, "%s %s %s", roof_dtype_name(p.peak->dtype),
           roof_unit_name(p.peak->unit),
           roof_quantity_format(text, sizeof text, p.peak->flops_per_second, "FLOP/s"));
  if (p.ridge > 0) {
    roof_curve_dot *ridge = &c->panels[INTENSITY].limits[c->panels[INTENSITY].limit_count++];
    *ridge = (roof_curve_dot){.y = p.ridge, .series = series};
    rf_format(ridge->label, sizeof ridge->label, "ridge %.4g FLOP/B", p.ridge);
  }
}

static void name_chart(const roof_sweep *s, roof_curves *c) {
  const roof_types *types = &s->targets[0].types;
  char axis[ROOF_NAME_MAX], apart[ROOF_FORMATS_APART];
  snprintf(c->title, sizeof c->title, "%s on %.80s", s->shape->op->name,
           s->target_count > 1 ? "several machines" : roof_machine_title(s->targets[0].machine));
  snprintf(c->subtitle, sizeof c->subtitle,
           "in %s%.80s: the rate that is expected, under what the ceilings allow",
           roof_dtype_name(types->compute), roof_formats_apart(types, apart, sizeof apart));
  snprintf(c->x_title, sizeof c->x_title, "%s", roof_shape_axis_name(s->shape, 0, axis, sizeof axis));
  snprintf(c->panels[RATE].title, sizeof c->panels[0].title, "rate");
  snprintf(c->panels[RATE].unit, sizeof c->panels[0].unit, "FLOP/s");
  snprintf(c->panels[INTENSITY].title, sizeof c->panels[0].title, "intensity (FLOP/byte)");
  if (has_batch(s)) {
    snprintf(c->panels[YIELD].title, sizeof c->panels[0].title, "throughput (%.40s)", axis);
    snprintf(c->panels[YIELD].unit, sizeof c->panels[0].unit, "/s");
  } else {
    snprintf(c->panels[YIELD].title, sizeof c->panels[0].title, "share of the peak");
    snprintf(c->panels[YIELD].unit, sizeof c->panels[0].unit, "%%");
    c->panels[YIELD].linear = true;
  }
  c->panel_count = c->panels[YIELD].curves[0].count > 0 ? PANELS : YIELD;
}

static roof_status fill(const roof_sweep *s, roof_curves *c, roof_error *error) {
  roof_status status = ROOF_OK;
  size_t lines = stride_of(s->shape);
  int all = (int)lines * s->target_count;
  if (lines * (size_t)s->target_count > ROOF_PANEL_CURVES) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "a chart holds at most %d lines: fewer machines or values of other parameters",
                          ROOF_PANEL_CURVES);
  }
  bool bounds = 2 * all <= ROOF_PANEL_CURVES;
  for (size_t t = 0; t < (size_t)s->target_count && status == ROOF_OK; t++) {
    add_limits(s, t, c->series_count, c);
    for (size_t start = 0; start < lines && status == ROOF_OK; start++) {
      add_mark(s, &s->targets[t], start, c->series_count, c);
      status = add_curve(s, t, start, bounds ? all + c->series_count : 0, c, error);
    }
  }
  c->panels[RATE].curve_count = bounds ? 2 * all : all;
  c->panels[INTENSITY].curve_count = c->panels[YIELD].curve_count = all;
  snprintf(c->dashed, sizeof c->dashed, "%s", bounds ? "what the ceilings allow" : "");
  return status;
}

roof_status roof_sweep_chart(const roof_sweep *sweep, roof_curves *chart, roof_error *error) {
  const roof_shape *shape = sweep->shape;
  if (shape->axis_count == 0 || shape->axes[0].count < 2) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "a chart needs several values of a parameter: batch=1..1024*2");
  }
  for (size_t i = 0; i < shape->axes[0].count; i++) {
    if (!(shape->axes[0].values[i] > 0)) {
      return roof_error_set(error, ROOF_E_ARGUMENT,
                            "%s: not over 0, so it has no place on a logarithmic axis",
                            shape->op->params[shape->axes[0].param].name);
    }
  }
  roof_curves *made = calloc(1, sizeof *made);
  roof_status status =
      made != NULL ? fill(sweep, made, error) : roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory");
  if (status == ROOF_OK) {
    name_chart(sweep, made);
    *chart = *made;
  }
  free(made);
  return status;
}
