/* A model over several values as curves: tokens per second, and time per token. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "roofline/draw.h"

enum { RATE, TIME };

/** A chart being filled: along the sweep's first axis, `figures` over it. */
typedef struct plot {
  const roof_model_sweep *sweep;
  roof_curves *chart;
  roof_run_figure figures[2];
} plot;

/** What distinguishes a line from the others. */
static void name_line(const roof_model_sweep *s, const roof_model_run *run, char name[80]) {
  char words[ROOF_RUN_WORDS_MAX];
  const char *machine = s->machines[run->machine]->name;
  roof_model_run_words(s, run, 0, words, sizeof words);
  if (s->machine_count > 1) {
    rf_format(name, 80, "%s %s", machine, words);
  } else {
    rf_format(name, 80, "%s", words[0] != '\0' ? words : machine);
  }
}

/** The line of runs from `first`: those that cannot be, do not fit or are not known are left out. */
static void add_curve(const plot *p, const roof_model_run *first, int panel) {
  const roof_model_sweep *s = p->sweep;
  size_t stride = roof_model_sweep_stride(s, 0), count = s->axes->list[0].values.count;
  size_t step = (count + ROOF_PANEL_POINTS - 1) / ROOF_PANEL_POINTS;
  int series = p->chart->series_count;
  roof_curve *curve = &p->chart->panels[panel].curves[series];
  *curve = (roof_curve){.series = series};
  for (size_t i = 0; i < count; i += step) {
    const roof_model_run *run = first + i * stride;
    double value = run->figures[p->figures[panel]];
    if (run->why[0] == '\0' && value > 0) {
      curve->x[curve->count] = roof_model_sweep_value(s, run, 0);
      curve->y[curve->count++] = value;
    }
  }
  curve->solid = curve->count;
}

/** Every line; false when there are more than a chart holds. */
static bool add_lines(const plot *p) {
  roof_curves *c = p->chart;
  for (size_t i = 0; i < p->sweep->count; i++) {
    const roof_model_run *run = &p->sweep->runs[i];
    if (!roof_model_sweep_starts(p->sweep, run, 0)) {
      continue;
    }
    if (c->series_count == ROOF_PANEL_CURVES) {
      return false;
    }
    add_curve(p, run, RATE);
    add_curve(p, run, TIME);
    if (c->panels[RATE].curves[c->series_count].count > 0) {
      name_line(p->sweep, run, c->series[c->series_count]);
      c->panels[RATE].curve_count = c->panels[TIME].curve_count = ++c->series_count;
    }
  }
  return true;
}

/** The line that a crossing is of; -1: none. */
static int series_of(const plot *p, const roof_model_run *run) {
  char wanted[80];
  name_line(p->sweep, run, wanted);
  for (int i = 0; i < p->chart->series_count; i++) {
    if (strcmp(p->chart->series[i], wanted) == 0) {
      return i;
    }
  }
  return -1;
}

/** A mark at `x` on a line, unless that is unknown or off the axis. */
static void add_mark_at(const plot *p, const roof_model_run *run, double x, const char *words) {
  const roof_axis *values = &p->sweep->axes->list[0].values;
  int series = series_of(p, run);
  if (series >= 0 && x >= values->values[0] && x <= values->values[values->count - 1] &&
      p->chart->mark_count < ROOF_PANEL_MARKS) {
    roof_curve_dot *mark = &p->chart->marks[p->chart->mark_count++];
    *mark = (roof_curve_dot){.x = x, .series = series};
    rf_format(mark->label, sizeof mark->label, "%s %.0f", words, x);
  }
}

static void add_batches(const plot *p) {
  for (size_t i = 0; i < p->sweep->count; i++) {
    roof_model_batches b = roof_model_sweep_batches(p->sweep, &p->sweep->runs[i], 0);
    add_mark_at(p, &p->sweep->runs[i], b.knee, "knee at");
    add_mark_at(p, &p->sweep->runs[i], b.largest, "memory ends at");
  }
}

/** A mark where a phase or its products turn, unless that is far off the axis. */
static void add_mark(void *context, const roof_model_sweep *s, const roof_model_sweep_crossing *crossing) {
  const plot *p = context;
  const roof_axis *values = &s->axes->list[0].values;
  double low = values->values[0], high = values->values[values->count - 1], at = crossing->at.value;
  int series = series_of(p, crossing->run);
  bool near = at >= low / 4 && at <= high * 4;
  if (crossing->axis != 0 || series < 0 || !near || p->chart->mark_count == ROOF_PANEL_MARKS) {
    return;
  }
  roof_curve_dot *mark = &p->chart->marks[p->chart->mark_count++];
  *mark = (roof_curve_dot){.x = at, .series = series};
  snprintf(mark->label, sizeof mark->label, "%s%s %s-bound from %.0f", roof_phase_name(crossing->phase),
           crossing->products ? " products" : "", crossing->at.compute_last ? "compute" : "memory",
           crossing->at.at);
}

static void name_chart(const plot *p) {
  const roof_model_sweep *s = p->sweep;
  roof_curves *c = p->chart;
  roof_run_figure time = p->figures[TIME];
  snprintf(c->title, sizeof c->title, "%.60s on %.50s", roof_model_title(s->model),
           s->machine_count > 1 ? "several machines" : s->machines[0]->title);
  char settings[ROOF_RUN_WORDS_MAX];
  snprintf(c->subtitle, sizeof c->subtitle, "where not said: %s",
           roof_model_sweep_settings(s, settings, sizeof settings));
  snprintf(c->x_title, sizeof c->x_title, "%s", s->axes->list[0].name);
  snprintf(c->panels[RATE].title, sizeof c->panels[0].title, "tokens/s per device");
  snprintf(c->panels[TIME].title, sizeof c->panels[0].title,
           time == ROOF_RUN_TPOT   ? "TPOT"
           : time == ROOF_RUN_STEP ? "step"
           : s->model->encoder     ? "one batch"
                                   : "TTFT");
  snprintf(c->panels[TIME].unit, sizeof c->panels[0].unit, "s");
  c->panel_count = 2;
}

roof_status roof_model_sweep_chart(const roof_model_sweep *sweep, roof_curves *chart, roof_error *error) {
  roof_run_figure time = roof_model_sweep_knows(sweep, ROOF_RUN_TPOT)   ? ROOF_RUN_TPOT
                         : roof_model_sweep_knows(sweep, ROOF_RUN_STEP) ? ROOF_RUN_STEP
                                                                        : ROOF_RUN_TTFT;
  plot p = {sweep, chart, {ROOF_RUN_DEVICE_RATE, time}};
  memset(chart, 0, sizeof *chart);
  if (sweep->axes->count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "draws several values of a setting (batch=1..256*2)");
  }
  if (!add_lines(&p)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "a chart holds at most %d lines", ROOF_PANEL_CURVES);
  }
  name_chart(&p);
  add_batches(&p);
  roof_model_sweep_crossings(sweep, add_mark, &p);
  return ROOF_OK;
}
