/* Several values of a model's settings as curves: tokens per second and device, and time per token. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/grid.h"
#include "cli/model/sweep.h"
#include "core/number.h"

enum { RATE, TIME, TABLE_COLUMNS = 6 };

/** A chart being filled: the axis along x, and what its lines show. */
typedef struct plot {
  const cli_sweep *sweep;
  roof_curves *curves;
  int axis, rate, time;
  bool room; /**< false: more lines than a chart holds */
} plot;

/** The points of a line along the axis follow each other by so many. */
static size_t stride_of(const plot *p) {
  size_t stride = 1;
  for (int i = p->axis + 1; i < p->sweep->axes->count; i++) {
    stride *= p->sweep->axes->list[i].values.count;
  }
  return stride;
}

/** What tells a line from the others. */
static void name_line(const plot *p, const cli_sweep_point *point, char name[80]) {
  const cli_sweep *s = p->sweep;
  roof_text words = {0};
  if (s->machine_count > 1) {
    roof_text_addf(&words, "%s ", s->machines[point->machine]->name);
  }
  cli_sweep_add_words(&words, s, point, p->axis);
  snprintf(name, 80, "%.79s", words.length > 0 ? words.data : s->machines[0]->name);
  roof_text_done(&words);
}

/** The line of points from `start`; those that cannot be or are not known are left out, those after the first
 * that does not fit are dashed. */
static void add_line(plot *p, size_t start) {
  const cli_sweep *s = p->sweep;
  roof_curves *c = p->curves;
  const int figures[] = {p->rate, p->time};
  int series = c->series_count;
  size_t stride = stride_of(p), count = s->axes->list[p->axis].values.count;
  size_t step = (count + ROOF_PANEL_POINTS - 1) / ROOF_PANEL_POINTS;
  for (int panel = 0; panel < 2; panel++) {
    roof_curve *curve = &c->panels[panel].curves[series];
    *curve = (roof_curve){.series = series};
    bool fits = true;
    for (size_t i = 0; i < count; i += step) {
      const cli_sweep_point *point = &s->points[start + i * stride];
      double value = point->figures[figures[panel]];
      fits = fits && (point->fits || isnan(point->figures[CLI_SWEEP_spare_bytes]));
      if (point->why[0] == '\0' && value > 0) {
        curve->x[curve->count] = cli_sweep_value(s, point, p->axis);
        curve->y[curve->count++] = value;
        curve->solid += fits;
      }
    }
    if (curve->solid < curve->count) {
      snprintf(c->dashed, sizeof c->dashed, "does not fit in memory");
    }
  }
  if (c->panels[RATE].curves[series].count > 0) {
    name_line(p, &s->points[start], c->series[series]);
    c->panels[RATE].curve_count = c->panels[TIME].curve_count = c->series_count = series + 1;
  }
}

static void add_lines(plot *p) {
  const cli_sweep *s = p->sweep;
  size_t stride = stride_of(p), count = s->axes->list[p->axis].values.count;
  for (size_t i = 0; i < s->count; i++) {
    if (s->points[i].index / stride % count == 0) {
      p->room = p->room && p->curves->series_count < ROOF_PANEL_CURVES;
      if (p->room) {
        add_line(p, i);
      }
    }
  }
}

/** The line that a crossing is of; -1: none. */
static int series_of(const plot *p, const cli_sweep_point *point) {
  char wanted[80];
  name_line(p, point, wanted);
  for (int i = 0; i < p->curves->series_count; i++) {
    if (strcmp(p->curves->series[i], wanted) == 0) {
      return i;
    }
  }
  return -1;
}

/** A mark where a decoding step's products (or the only phase) turn, unless that is far off the axis. */
static void add_mark(void *context, const cli_sweep *s, const cli_sweep_crossing *crossing) {
  const plot *p = context;
  const roof_axis *values = &s->axes->list[p->axis].values;
  double low = values->values[0], high = values->values[values->count - 1], at = crossing->at.value;
  int series = series_of(p, crossing->point);
  bool near = at >= low / 4 && at <= high * 4;
  if (crossing->axis != p->axis || series < 0 || !near || p->curves->mark_count == ROOF_PANEL_MARKS) {
    return;
  }
  roof_curve_dot *mark = &p->curves->marks[p->curves->mark_count++];
  *mark = (roof_curve_dot){.x = at, .series = series};
  snprintf(mark->label, sizeof mark->label, "%s%s %s-bound from %.0f", roof_phase_name(crossing->phase),
           crossing->products ? " products" : "", crossing->at.compute_last ? "compute" : "memory",
           crossing->at.at);
}

static void name_chart(plot *p) {
  const cli_sweep *s = p->sweep;
  const roof_model_settings *set = &s->settings;
  roof_curves *c = p->curves;
  bool only = !cli_sweep_generates(s);
  snprintf(c->title, sizeof c->title, "%.60s on %.50s", s->model->name,
           s->machine_count > 1 ? "several machines" : s->machines[0]->title);
  snprintf(c->subtitle, sizeof c->subtitle, "where not said: batch %.0f, %.0f tokens in, %.0f out",
           set->batch, set->prompt, set->generate);
  snprintf(c->x_title, sizeof c->x_title, "%s", s->axes->list[p->axis].name);
  snprintf(c->panels[RATE].title, sizeof c->panels[0].title, only ? "tokens/s" : "tokens/s per device");
  snprintf(c->panels[TIME].title, sizeof c->panels[0].title, only ? "step" : "TPOT");
  snprintf(c->panels[TIME].unit, sizeof c->panels[0].unit, "s");
  c->panel_count = 2;
}

static roof_status write_chart(const plot *p, const char *path, roof_error *error) {
  static const int figures[] = {CLI_SWEEP_ttft_seconds, CLI_SWEEP_tpot_seconds,
                                CLI_SWEEP_device_tokens_per_second};
  const cli_sweep *s = p->sweep;
  roof_text svg = {0};
  cli_grid grid = {0};
  const char *const heads[TABLE_COLUMNS] = {
      "machine", "values", "TTFT (s)", "TPOT (s)", "tokens/s per device", "memory"};
  for (int i = 0; i < TABLE_COLUMNS; i++) {
    cli_grid_add(&grid, "%s", heads[i]);
  }
  for (size_t i = 0; i < s->count; i++) {
    const cli_sweep_point *point = &s->points[i];
    roof_text words = {0};
    cli_sweep_add_words(&words, s, point, -1);
    cli_grid_add(&grid, "%s", s->machines[point->machine]->name);
    cli_grid_add(&grid, "%s", words.data != NULL ? words.data : "");
    for (int f = 0; f < 3; f++) {
      char number[32] = "";
      if (point->why[0] == '\0' && !isnan(point->figures[figures[f]])) {
        rf_format(number, sizeof number, "%.4g", point->figures[figures[f]]);
      }
      cli_grid_add(&grid, "%s", number);
    }
    cli_grid_add(&grid, "%s", point->why[0] != '\0' ? point->why : point->fits ? "fits" : "does not fit");
    roof_text_done(&words);
  }
  roof_status status = roof_draw_curves_svg(p->curves, &svg, error);
  const char **cells = cli_grid_cells(&grid);
  const roof_table table = {"Runs", cells, TABLE_COLUMNS, (int)s->count};
  if (status == ROOF_OK) {
    status = cells != NULL ? cli_chart_write_svg(path, p->curves->title, &svg, &table, error)
                           : roof_error_set(error, ROOF_E_MEMORY, "model: out of memory");
  }
  free(cells);
  cli_grid_done(&grid);
  roof_text_done(&svg);
  return status;
}

roof_status cli_sweep_draw(const cli_sweep *s, const char *path, roof_error *error) {
  bool only = !cli_sweep_generates(s);
  plot p = {.sweep = s,
            .curves = calloc(1, sizeof *p.curves),
            .rate = only ? CLI_SWEEP_prompt_tokens_per_second : CLI_SWEEP_device_tokens_per_second,
            .time = only ? CLI_SWEEP_ttft_seconds : CLI_SWEEP_tpot_seconds,
            .room = true};
  roof_status status = ROOF_OK;
  if (p.curves == NULL) {
    status = roof_error_set(error, ROOF_E_MEMORY, "model: out of memory");
  } else if (s->axes->count == 0) {
    status = roof_error_set(error, ROOF_E_ARGUMENT,
                            "--to %s: draws several values of a setting (batch=1..256*2)", path);
  } else {
    add_lines(&p);
    if (!p.room) {
      status = roof_error_set(error, ROOF_E_ARGUMENT, "--to %s: a chart holds at most %d lines", path,
                              ROOF_PANEL_CURVES);
    }
  }
  if (status == ROOF_OK) {
    name_chart(&p);
    cli_sweep_crossings(s, add_mark, &p);
    status = write_chart(&p, path, error);
  }
  free(p.curves);
  return status;
}
