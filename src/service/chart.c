/* A service drawn: TTFT and TPOT over the rate, or one run over time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/words.h"
#include "roofline/service.h"
#include "roofline/units.h"

enum { SHORT = 48 };

enum { OF_TTFT, OF_TPOT, PANELS };

static double value_of(const roof_service_answer *a, int panel, int percentile) {
  const roof_service_times *t = panel == OF_TTFT ? &a->ttft : &a->tpot;
  return percentile == 0 ? t->p50 : percentile == 1 ? t->p90 : t->p99;
}

static void fill_rates(const roof_service_study *s, roof_curves *c) {
  static const char *const names[] = {"50 %", "90 %", "99 %"};
  static const char *const titles[] = {"TTFT, with the queue", "TPOT"};
  char x[SHORT], axes[64];
  snprintf(c->title, sizeof c->title, "%.60s on %.50s under load", roof_model_title(s->target->model),
           s->target->machine->name);
  snprintf(c->subtitle, sizeof c->subtitle, "%s, saturates at %s requests/s",
           rf_model_axes(axes, sizeof axes, &s->target->settings), rf_plain_number(x, SHORT, s->saturation));
  snprintf(c->x_title, sizeof c->x_title, "requests/s");
  c->linear = true;
  c->panel_count = PANELS;
  for (int p = 0; p < PANELS; p++) {
    roof_panel *panel = &c->panels[p];
    snprintf(panel->title, sizeof panel->title, "%s", titles[p]);
    snprintf(panel->unit, sizeof panel->unit, "s");
    panel->curve_count = 3;
    for (int k = 0; k < 3; k++) {
      roof_curve *curve = &panel->curves[k];
      curve->series = k;
      for (size_t i = 0; i < s->count && curve->count < ROOF_PANEL_POINTS; i++) {
        double y = value_of(&s->answers[i], p, k);
        if (y > 0 && isfinite(s->rates[i])) {
          curve->x[curve->count] = s->rates[i];
          curve->y[curve->count++] = y;
        }
      }
      curve->solid = curve->count;
    }
  }
  for (int k = 0; k < 3; k++) {
    snprintf(c->series[k], sizeof c->series[k], "%s of requests", names[k]);
  }
  c->series_count = 3;
  c->marks[0] = (roof_curve_dot){.x = s->saturation, .series = 0};
  snprintf(c->marks[0].label, sizeof c->marks[0].label, "saturation: %s/s",
           rf_plain_number(x, SHORT, s->saturation));
  c->mark_count = 1;
}

/** What the panels of a timeline show. */
static const struct {
  const char *title, *unit;
  struct {
    const char *name;
    size_t offset;
    bool rate; /**< a count of the bin, per second */
  } curves[2];
} timeline_panels[] = {
    {"requests",
     "",
     {{"wait", offsetof(roof_service_bin, queue), false},
      {"generate", offsetof(roof_service_bin, batch), false}}},
    {"cache in use", "%", {{"cache", offsetof(roof_service_bin, kv), false}}},
    {"preemptions per second", "", {{"preemptions", offsetof(roof_service_bin, preemptions), true}}}};
enum { TIMELINE_PANELS = sizeof timeline_panels / sizeof timeline_panels[0] };

static void fill_curve(const roof_service_timeline *t, size_t offset, double scale, roof_curve *curve) {
  for (size_t i = 0; i < t->count; i++) {
    double y = *(const double *)(const void *)((const char *)&t->bins[i] + offset);
    if (isfinite(y)) {
      curve->x[curve->count] = ((double)i + 0.5) * t->bin_seconds;
      curve->y[curve->count++] = scale * y;
    }
  }
  curve->solid = curve->count;
}

/** A panel without anything in it is left out. */
static void fill_timeline(const roof_service_study *s, roof_curves *c) {
  const roof_service_timeline *t = s->settings.timeline;
  const roof_service_answer *a = s->answers;
  char x[SHORT], y[SHORT];
  snprintf(c->title, sizeof c->title, "%.60s on %.50s over time", roof_model_title(s->target->model),
           s->target->machine->name);
  snprintf(c->subtitle, sizeof c->subtitle, "%.0f requests, %s/s; means of %s each", a->requests,
           rf_plain_number(x, SHORT, a->requests_per_second),
           roof_quantity_format(y, SHORT, t->bin_seconds, "s"));
  snprintf(c->x_title, sizeof c->x_title, "time");
  snprintf(c->x_unit, sizeof c->x_unit, "s");
  c->linear = true;
  for (int p = 0; p < TIMELINE_PANELS; p++) {
    roof_panel *panel = &c->panels[c->panel_count];
    int series = c->series_count;
    for (int k = 0; k < 2 && timeline_panels[p].curves[k].name != NULL; k++) {
      roof_curve *curve = &panel->curves[panel->curve_count];
      bool rate = timeline_panels[p].curves[k].rate;
      curve->series = series + panel->curve_count;
      fill_curve(t, timeline_panels[p].curves[k].offset, rate ? 1 / t->bin_seconds : 1, curve);
      if (curve->count > 0 && !(rate && a->preemptions == 0)) {
        snprintf(c->series[curve->series], sizeof c->series[0], "%s", timeline_panels[p].curves[k].name);
        panel->curve_count++;
      }
    }
    c->series_count += panel->curve_count;
    c->panel_count += panel->curve_count > 0 ? 1 : 0;
    panel->linear = true;
    snprintf(panel->title, sizeof panel->title, "%s", timeline_panels[p].title);
    snprintf(panel->unit, sizeof panel->unit, "%s", timeline_panels[p].unit);
  }
}

roof_status roof_service_study_chart(const roof_service_study *s, roof_curves *chart, roof_error *error) {
  size_t shown = 0;
  for (size_t i = 0; i < s->count; i++) {
    shown += s->answers[i].overloaded ? 0 : 1;
  }
  memset(chart, 0, sizeof *chart);
  if (s->settings.timeline != NULL) {
    fill_timeline(s, chart);
    return ROOF_OK;
  }
  if (shown < 2 || s->settings.trace != NULL || s->settings.concurrency > 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT,
                          "serve: draws several rates at which the queue does not grow, as --rate 1..16*2");
  }
  fill_rates(s, chart);
  return ROOF_OK;
}
