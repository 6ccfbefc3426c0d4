/* The lines of the roofline of energy: FLOPs per joule and power over intensity. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/number.h"
#include "roofline/draw.h"
#include "roofline/units.h"

enum { EFFICIENCY, POWER };

/** The intensities drawn: around all balances and points. */
typedef struct reach {
  double low, high;
} reach;

static void widen(reach *r, double intensity, double factor) {
  if (intensity > 0 && isfinite(intensity)) {
    r->low = fmin(r->low, intensity / factor);
    r->high = fmax(r->high, intensity * factor);
  }
}

static roof_status find_reach(const roof_energy_subject *all, int count, reach *r, roof_error *error) {
  roof_status status = ROOF_OK;
  *r = (reach){NAN, NAN};
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    const roof_energy_subject *s = &all[i];
    if (isnan(s->energy_balance)) {
      return roof_error_set(error, ROOF_E_UNSUPPORTED, "%s: no peak or bandwidth is known for its line",
                            s->target.machine->name);
    }
    widen(r, s->time_balance, 60);
    widen(r, s->energy_balance, 60);
    for (size_t k = 0; s->shape != NULL && k < s->shape->points && status == ROOF_OK; k++) {
      roof_energy_point p;
      status = roof_energy_point_at(s, k, &p, error);
      widen(r, status == ROOF_OK ? p.intensity : NAN, 1.5);
    }
  }
  return status;
}

static void add_curve(roof_curves *c, const roof_energy_subject *s, int series, const reach *r) {
  roof_curve *efficiency = &c->panels[EFFICIENCY].curves[series];
  roof_curve *power = &c->panels[POWER].curves[series];
  enum { POINTS = 160 };
  *efficiency = (roof_curve){.series = series, .count = POINTS, .solid = POINTS};
  for (int i = 0; i < POINTS; i++) {
    efficiency->x[i] = r->low * pow(r->high / r->low, (double)i / (POINTS - 1));
    efficiency->y[i] = roof_energy_efficiency(&s->line, efficiency->x[i]);
  }
  *power = *efficiency;
  for (int i = 0; i < POINTS; i++) {
    power->y[i] = roof_energy_watts(&s->line, power->x[i]);
  }
  c->panels[EFFICIENCY].curve_count = c->panels[POWER].curve_count = series + 1;
}

/** The limit, the balances, and the power the machine may draw. */
static void add_lines(roof_curves *c, const roof_energy_subject *s, int series, int count) {
  char text[32];
  roof_panel *top = &c->panels[EFFICIENCY], *bottom = &c->panels[POWER];
  const double balances[] = {s->time_balance, s->energy_balance};
  static const char *const names[] = {"time balance", "energy balance"};
  /* at constant power the second is half the first, whatever the machine */
  int shown = s->target.costs.power_only ? 1 : 2;
  int skipped = count > 1 && shown > 1 ? 1 : 0; /* of several machines that of energy alone */
  if (top->limit_count < ROOF_PANEL_MARKS) {
    roof_curve_dot *limit = &top->limits[top->limit_count++];
    *limit = (roof_curve_dot){.y = s->best_flops_per_joule, .series = series};
    snprintf(limit->label, sizeof limit->label, "limit %s",
             roof_quantity_format(text, sizeof text, limit->y, "FLOP/J"));
  }
  for (int i = skipped; i < shown && c->mark_count < ROOF_PANEL_MARKS; i++) {
    roof_curve_dot *mark = &c->marks[c->mark_count++];
    *mark = (roof_curve_dot){.x = balances[i], .series = series};
    rf_format(mark->label, sizeof mark->label, "%s %.4g FLOP/B", names[i], balances[i]);
  }
  if (s->target.machine->energy.watts > 0 && !s->target.costs.power_only &&
      bottom->limit_count < ROOF_PANEL_MARKS) {
    roof_curve_dot *limit = &bottom->limits[bottom->limit_count++];
    *limit = (roof_curve_dot){.y = s->target.machine->energy.watts, .series = series};
    snprintf(limit->label, sizeof limit->label, "the machine's %s",
             roof_quantity_format(text, sizeof text, limit->y, "W"));
  }
}

/** A point at its expected rate, with its limit over it. */
static void set_dot(roof_curve_dot *dot, const roof_energy_point *p, int series) {
  char expected[32], best[32];
  *dot = (roof_curve_dot){.x = p->intensity,
                          .y = p->flops_per_joule,
                          .limit = p->best_flops_per_joule,
                          .series = series,
                          .hollow = true};
  snprintf(dot->label, sizeof dot->label, "%.79s", p->label);
  rf_format(dot->detail, sizeof dot->detail, "%.4g FLOP/byte, %s expected, %s at the bound", p->intensity,
            roof_quantity_format(expected, sizeof expected, p->flops_per_joule, "FLOP/J"),
            roof_quantity_format(best, sizeof best, p->best_flops_per_joule, "FLOP/J"));
}

static roof_status add_dots(roof_curves *c, const roof_energy_subject *s, int series, roof_error *error) {
  roof_panel *panel = &c->panels[EFFICIENCY];
  for (size_t i = 0; s->shape != NULL && i < s->shape->points; i++) {
    roof_energy_point p;
    roof_status status = roof_energy_point_at(s, i, &p, error);
    if (status != ROOF_OK || panel->dot_count == ROOF_PANEL_DOTS) {
      return status != ROOF_OK ? status
                               : roof_error_set(error, ROOF_E_ARGUMENT,
                                                "energy: a chart holds at most %d dots", ROOF_PANEL_DOTS);
    }
    if (p.use.lower_joules > 0 && p.flops_per_joule > 0) {
      set_dot(&panel->dots[panel->dot_count++], &p, series);
    }
  }
  return ROOF_OK;
}

static void name_chart(roof_curves *c, const roof_energy_subject *all, int count) {
  const roof_energy_subject *s = &all[0];
  const char *title = roof_machine_title(s->target.machine);
  snprintf(c->title, sizeof c->title, "%.70s: %s %s roofline of energy",
           count > 1 ? "Several machines" : title, roof_dtype_name(s->dtype), roof_unit_name(s->unit));
  bool power_only = false, constant = true;
  for (int i = 0; i < count; i++) {
    power_only |= all[i].target.costs.power_only;
    constant &= all[i].target.costs.power_only;
    snprintf(c->series[i], sizeof c->series[i], "%.40s%s", all[i].target.machine->name,
             all[i].target.costs.power_only ? " (its power, drawn all the time)" : "");
  }
  snprintf(c->subtitle, sizeof c->subtitle, "%s",
           power_only
               ? "at full power: joules are not known, the machine's power is taken as drawn all the time"
               : "1 / (joules of a FLOP + of its bytes + constant power x the longer time)");
  snprintf(c->x_title, sizeof c->x_title, "intensity (FLOP/byte)");
  c->series_count = count;
  c->panel_count = constant ? 1 : 2; /* a power that is always the same is no curve */
  snprintf(c->panels[EFFICIENCY].title, sizeof c->panels[0].title, "FLOPs per joule = FLOP/s per watt");
  snprintf(c->panels[EFFICIENCY].unit, sizeof c->panels[0].unit, "FLOP/J");
  snprintf(c->panels[POWER].title, sizeof c->panels[0].title, "average power");
  snprintf(c->panels[POWER].unit, sizeof c->panels[0].unit, "W");
  c->panels[POWER].linear = true;
}

roof_status roof_energy_chart(const roof_energy_subject *subjects, int count, roof_curves *chart,
                              roof_error *error) {
  reach r;
  roof_curves *made = calloc(1, sizeof *made);
  roof_status status = made != NULL ? find_reach(subjects, count, &r, error)
                                    : roof_error_set(error, ROOF_E_MEMORY, "energy: out of memory");
  if (status == ROOF_OK) {
    name_chart(made, subjects, count);
  }
  for (int i = 0; i < count && status == ROOF_OK; i++) {
    add_curve(made, &subjects[i], i, &r);
    add_lines(made, &subjects[i], i, count);
    status = add_dots(made, &subjects[i], i, error);
  }
  if (status == ROOF_OK) {
    *chart = *made;
  }
  free(made);
  return status;
}
