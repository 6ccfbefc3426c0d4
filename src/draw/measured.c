/* What `measure` finds beyond single figures: bandwidth by working set, ceilings by cores, rates by intensity. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "draw/hue.h"
#include "roofline/charts.h"
#include "roofline/overlap.h"
#include "roofline/report.h"
#include "roofline/units.h"

#define NOT_MEASURED(what) what ": not measured; `roofline measure` finds it on a processor"

/** Hands over what was made, or says why there is `none`; frees `made`. */
static roof_status finish_bars(roof_bars *made, roof_bars *chart, const char *none, roof_error *error) {
  roof_status status = made == NULL       ? roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory")
                       : made->count == 0 ? roof_error_set(error, ROOF_E_ARGUMENT, "%s", none)
                                          : ROOF_OK;
  if (status == ROOF_OK) {
    *chart = *made;
  }
  free(made);
  return status;
}

static roof_status finish_curves(roof_curves *made, roof_curves *chart, const char *none, roof_error *error) {
  roof_status status = made == NULL ? roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory")
                       : made->panels[0].curve_count == 0 ? roof_error_set(error, ROOF_E_ARGUMENT, "%s", none)
                                                          : ROOF_OK;
  if (status == ROOF_OK) {
    *chart = *made;
  }
  free(made);
  return status;
}

/** The level that a working set of one core lies in; NULL where no cache is known. */
static const roof_level *level_of(const roof_machine *machine, double bytes) {
  const roof_level *found = NULL;
  bool cached = false;
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level *l = &machine->levels[i];
    double holds = l->level == ROOF_MEMORY ? INFINITY : l->bytes;
    bool inner = found == NULL || l->level < found->level;
    found = holds >= bytes && inner ? l : found;
    cached = cached || l->level != ROOF_MEMORY;
  }
  return cached ? found : NULL;
}

static const char curve_title[] = "%.70s: what one core reads by working set";

roof_status roof_working_set_bars(const roof_machine *machine, roof_bars *chart, roof_error *error) {
  const roof_report *report = roof_machine_report(machine);
  roof_bars *made = calloc(1, sizeof *made);
  for (int i = 0; made != NULL && i < report->curve_count; i++) {
    const roof_level *level = level_of(machine, report->curve[i].bytes);
    roof_bar *bar = &made->bars[made->count++];
    bar->value = report->curve[i].bytes_per_second;
    bar->series = level != NULL ? rf_hue_of_level(level->level) : 0;
    roof_bytes_format(bar->label, sizeof bar->label, report->curve[i].bytes);
    snprintf(bar->note, sizeof bar->note, "%s", level != NULL ? level->name : "");
  }
  if (made != NULL) {
    rf_format(made->title, sizeof made->title, curve_title, roof_machine_title(machine));
    snprintf(made->x_title, sizeof made->x_title, "bytes per second, logarithmic");
    snprintf(made->unit, sizeof made->unit, "B/s");
  }
  return finish_bars(made, chart, NOT_MEASURED("curve"), error);
}

/** An upright line at the capacity of each cache as one core sees it. */
static void mark_capacities(const roof_machine *machine, roof_curves *c) {
  char size[32];
  for (int i = 0; i < machine->level_count; i++) {
    const roof_level *l = &machine->levels[i];
    bool again = i > 0 && machine->levels[i - 1].level == l->level;
    if (l->level != ROOF_MEMORY && l->bytes > 0 && !again && c->mark_count < ROOF_PANEL_MARKS) {
      roof_curve_dot *mark = &c->marks[c->mark_count++];
      *mark = (roof_curve_dot){.x = l->bytes, .series = rf_hue_of_level(l->level)};
      snprintf(mark->label, sizeof mark->label, "%.30s %s", l->name,
               roof_bytes_format(size, sizeof size, l->bytes));
    }
  }
}

roof_status roof_working_set_chart(const roof_machine *machine, roof_curves *chart, roof_error *error) {
  const roof_report *report = roof_machine_report(machine);
  roof_curves *made = calloc(1, sizeof *made);
  if (made != NULL && report->curve_count > 0) {
    roof_curve *curve = &made->panels[0].curves[made->panels[0].curve_count++];
    for (int i = 0; i < report->curve_count; i++) {
      curve->x[i] = report->curve[i].bytes;
      curve->y[i] = report->curve[i].bytes_per_second;
    }
    curve->count = curve->solid = report->curve_count;
    rf_format(made->title, sizeof made->title, curve_title, roof_machine_title(machine));
    snprintf(made->x_title, sizeof made->x_title, "working set");
    snprintf(made->x_unit, sizeof made->x_unit, "B");
    snprintf(made->panels[0].title, sizeof made->panels[0].title, "read by one core");
    snprintf(made->panels[0].unit, sizeof made->panels[0].unit, "B/s");
    made->panel_count = 1;
    mark_capacities(machine, made);
  }
  return finish_curves(made, chart, NOT_MEASURED("curve"), error);
}

static const char scaling_title[] = "%.80s: rates by cores, of one core";

static const char *no_scaling(const roof_machine *machine) {
  return machine->unit_count == 1 ? "scaling: a machine of one core has none" : NOT_MEASURED("scaling");
}

static double growth(const roof_scaling *s, int i) {
  return s->per_second[i] / s->per_second[0];
}

/** "memory ran at 54 % of its ceiling meanwhile": what all cores read here is far from what they read when the ceiling was
 *  measured, so memory was in another mode; else "". */
static char *describe_mode(const roof_machine *machine, char *text, size_t size) {
  static const double one_mode = 0.8; /* bandwidth wanders by a tenth on a shared machine */
  const roof_report *report = roof_machine_report(machine);
  const roof_level *memory = roof_machine_memory(machine, ROOF_MEASURED);
  char name[ROOF_NAME_MAX + 8];
  text[0] = '\0';
  snprintf(name, sizeof name, "%s read", memory != NULL ? memory->name : "");
  for (int k = 0; memory != NULL && memory->kind == ROOF_MEASURED && k < report->scaling_count; k++) {
    const roof_scaling *s = &report->scaling[k];
    double all = s->rate_count > 0 ? s->per_second[s->rate_count - 1] : NAN;
    double pace = all / memory->read_bytes_per_second;
    if (strcmp(s->name, name) == 0 && (pace < one_mode || pace > 1 / one_mode)) {
      rf_format(text, size, "memory ran at %.0f %% of its ceiling meanwhile", 100 * pace);
    }
  }
  return text;
}

roof_status roof_scaling_bars(const roof_machine *machine, roof_bars *chart, roof_error *error) {
  const roof_report *report = roof_machine_report(machine);
  roof_bars *made = calloc(1, sizeof *made);
  for (int k = 0; made != NULL && k < report->scaling_count; k++) {
    const roof_scaling *s = &report->scaling[k];
    for (int i = 0; i < s->rate_count && made->count < ROOF_BARS_MAX; i++) {
      char rate[32];
      roof_bar *bar = &made->bars[made->count++];
      bar->value = growth(s, i);
      bar->whole = s->cores[i];
      bar->series = k;
      rf_format(bar->label, sizeof bar->label, "%.40s, %g core%s", s->name, s->cores[i],
                s->cores[i] == 1 ? "" : "s");
      snprintf(bar->note, sizeof bar->note, "%s%s",
               roof_quantity_format(rate, sizeof rate, s->per_second[i], s->unit),
               s->cores[i] == s->saturating_cores ? ", saturated" : "");
    }
  }
  if (made != NULL) {
    made->linear = true;
    rf_format(made->title, sizeof made->title, scaling_title, roof_machine_title(machine));
    describe_mode(machine, made->subtitle, sizeof made->subtitle);
    snprintf(made->x_title, sizeof made->x_title, "times one core; pale: as many times as cores");
    snprintf(made->unit, sizeof made->unit, "x");
  }
  return finish_bars(made, chart, no_scaling(machine), error);
}

static void add_growth(roof_curves *c, const roof_scaling *s) {
  roof_panel *panel = &c->panels[0];
  roof_curve *curve = &panel->curves[panel->curve_count++];
  *curve = (roof_curve){.series = c->series_count, .count = s->rate_count, .solid = s->rate_count};
  for (int i = 0; i < s->rate_count; i++) {
    curve->x[i] = s->cores[i];
    curve->y[i] = growth(s, i);
    if (s->cores[i] == s->saturating_cores) {
      roof_curve_dot *dot = &panel->dots[panel->dot_count++];
      *dot = (roof_curve_dot){.x = curve->x[i], .y = curve->y[i], .series = c->series_count};
      rf_format(dot->label, sizeof dot->label, "%g core%s", s->cores[i], s->cores[i] == 1 ? "" : "s");
    }
  }
  snprintf(c->series[c->series_count++], sizeof c->series[0], "%s", s->name);
}

roof_status roof_scaling_chart(const roof_machine *machine, roof_curves *chart, roof_error *error) {
  const roof_report *report = roof_machine_report(machine);
  roof_curves *made = calloc(1, sizeof *made);
  for (int k = 0; made != NULL && k < report->scaling_count && made->series_count < ROOF_PANEL_CURVES; k++) {
    add_growth(made, &report->scaling[k]);
  }
  if (made != NULL) {
    rf_format(made->title, sizeof made->title, scaling_title, roof_machine_title(machine));
    char mode[80];
    describe_mode(machine, mode, sizeof mode);
    snprintf(made->subtitle, sizeof made->subtitle, "a dot: as many cores saturate it%s%s",
             mode[0] != '\0' ? "; " : "", mode);
    snprintf(made->x_title, sizeof made->x_title, "cores");
    snprintf(made->panels[0].title, sizeof made->panels[0].title, "times one core");
    snprintf(made->panels[0].unit, sizeof made->panels[0].unit, "x");
    made->panel_count = 1;
  }
  return finish_curves(made, chart, no_scaling(machine), error);
}

/** "at the ridge of 6.35 FLOP/B 92.1 % of the roofline; memory hides 88 % of the shorter time". */
static void describe_overlap(const roof_machine *machine, char *text, size_t size) {
  roof_overlap o = roof_machine_overlap(machine);
  if (!isnan(o.share)) {
    rf_format(text, size,
              "at %.3g FLOP/B, next to the ridge of %.3g: %.1f %% of the roofline, %.0f %% of the shorter "
              "time hidden",
              o.intensity, o.ridge, 100 * o.share, 100 * o.hidden);
  }
}

static const char intensity_title[] = "%.60s: loads mixed with arithmetic, fp64, all cores";

roof_status roof_intensity_bars(const roof_machine *machine, roof_bars *chart, roof_error *error) {
  const roof_report *report = roof_machine_report(machine);
  roof_bars *made = calloc(1, sizeof *made);
  for (int i = 0; made != NULL && i < report->intensity_count; i++) {
    const roof_intensity_point *p = &report->intensities[i];
    double bound = roof_intensity_bound(machine, p->intensity);
    roof_bar *bar = &made->bars[made->count++];
    bar->value = p->flops_per_second;
    bar->whole = isnan(bound) ? 0 : bound;
    rf_format(bar->label, sizeof bar->label, "%.4g FLOP/B", p->intensity);
    if (!isnan(bound)) {
      rf_format(bar->note, sizeof bar->note, "%.1f %% of the roofline", 100 * p->flops_per_second / bound);
    }
  }
  if (made != NULL) {
    rf_format(made->title, sizeof made->title, intensity_title, roof_machine_title(machine));
    describe_overlap(machine, made->subtitle, sizeof made->subtitle);
    snprintf(made->x_title, sizeof made->x_title, "FLOP/s, logarithmic; pale: the roofline");
    snprintf(made->unit, sizeof made->unit, "FLOP/s");
  }
  return finish_bars(made, chart, NOT_MEASURED("intensity"), error);
}

/** The roofline over what was measured: its ends, and the ridge. */
static void add_roofline(const roof_machine *machine, const roof_report *report, roof_curves *c) {
  double low = report->intensities[0].intensity,
         high = report->intensities[report->intensity_count - 1].intensity;
  double ridge = roof_machine_overlap(machine).ridge;
  const double x[] = {low, fmin(fmax(ridge, low), high), high};
  roof_curve *curve = &c->panels[0].curves[c->panels[0].curve_count++];
  *curve = (roof_curve){.series = 1, .count = 3};
  for (int i = 0; i < 3; i++) {
    curve->x[i] = x[i];
    curve->y[i] = roof_intensity_bound(machine, x[i]);
  }
  snprintf(c->series[1], sizeof c->series[1], "roofline of the measured ceilings");
  snprintf(c->dashed, sizeof c->dashed, "predicted");
  c->series_count = 2;
  c->marks[0] = (roof_curve_dot){.x = ridge, .series = 1};
  rf_format(c->marks[0].label, sizeof c->marks[0].label, "ridge %.3g FLOP/B", ridge);
  c->mark_count = ridge >= low && ridge <= high;
}

roof_status roof_intensity_chart(const roof_machine *machine, roof_curves *chart, roof_error *error) {
  const roof_report *report = roof_machine_report(machine);
  roof_curves *made = calloc(1, sizeof *made);
  if (made != NULL && report->intensity_count > 1) {
    roof_curve *curve = &made->panels[0].curves[made->panels[0].curve_count++];
    for (int i = 0; i < report->intensity_count; i++) {
      curve->x[i] = report->intensities[i].intensity;
      curve->y[i] = report->intensities[i].flops_per_second;
    }
    curve->count = curve->solid = report->intensity_count;
    snprintf(made->series[0], sizeof made->series[0], "measured");
    made->series_count = 1;
    if (!isnan(roof_intensity_bound(machine, 1))) {
      add_roofline(machine, report, made);
    }
    rf_format(made->title, sizeof made->title, intensity_title, roof_machine_title(machine));
    describe_overlap(machine, made->subtitle, sizeof made->subtitle);
    snprintf(made->x_title, sizeof made->x_title, "intensity (FLOP/byte of memory)");
    snprintf(made->panels[0].title, sizeof made->panels[0].title, "attained");
    snprintf(made->panels[0].unit, sizeof made->panels[0].unit, "FLOP/s");
    made->panel_count = 1;
  }
  return finish_curves(made, chart, NOT_MEASURED("intensity"), error);
}
