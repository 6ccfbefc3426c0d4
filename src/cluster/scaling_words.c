/* What a scaling study says: its sentence, its document, its chart. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/scaling.h"
#include "core/number.h"
#include "documents/json.h"
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
  roof_text_addf(out, ", %.0f %% is communication", 100 * p->measured.network_seconds / p->measured.seconds);
  if (p->place.most > p->place.cores) {
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

/* --- document --- */

static json_t *predicted_json(const rf_scaling_point *first, const rf_scaling_point *p) {
  double times = rf_scaling_speedup(first, first->predicted.seconds, p, p->predicted.seconds);
  json_t *object = json_object();
  const rf_json_member members[] = {{"seconds", p->predicted.seconds},
                                    {"seconds_low", p->predicted.low},
                                    {"seconds_high", p->predicted.high},
                                    {"compute_seconds", p->predicted.compute_seconds},
                                    {"network_seconds", p->predicted.network_seconds},
                                    {"lower_seconds", p->predicted.lower_seconds},
                                    {"speedup", times},
                                    {"efficiency", times / p->part.ranks}};
  RF_JSON_SET(object, members);
  rf_json_set_text(object, "regime", roof_regime_name(p->predicted.regime));
  rf_json_set_text(object, "binding", p->predicted.binding);
  return object;
}

static json_t *measured_json(const rf_scaling_point *first, const rf_scaling_point *p) {
  double times = rf_scaling_speedup(first, first->measured.seconds, p, p->measured.seconds);
  json_t *object = json_object();
  const rf_json_member members[] = {{"seconds", p->measured.seconds},
                                    {"seconds_low", p->measured.low},
                                    {"seconds_high", p->measured.high},
                                    {"network_seconds", p->measured.network_seconds},
                                    {"speedup", times},
                                    {"efficiency", times / p->part.ranks},
                                    {"steps", (double)p->measured.steps}};
  RF_JSON_SET(object, members);
  rf_json_set(object, "verdict",
              p->measured.verdict != NULL ? json_string(p->measured.verdict) : json_null());
  return object;
}

static json_t *point_json(const rf_scaling_study *s, const roof_op *op, const rf_scaling_point *p) {
  json_t *object = json_object();
  const rf_json_member members[] = {{"ranks", p->part.ranks},         {"nodes", p->place.nodes},
                                    {"ranks_of_node", p->place.most}, {"cores_of_node", p->place.cores},
                                    {"rows", p->part.rows},           {"columns", p->part.columns},
                                    {"flops", p->part.flops},         {"sent_bytes", p->part.sent_bytes}};
  RF_JSON_SET(object, members);
  rf_json_set(object, "distance",
              p->part.ranks > 1 ? json_string(roof_distance_name(p->place.distance)) : json_null());
  rf_json_set(object, "parameters", rf_parameters_json(op, p->part.whole));
  rf_json_set(object, "predicted", predicted_json(&s->points[0], p));
  rf_json_set(object, "measured", measured_json(&s->points[0], p));
  return object;
}

/** Infinite where messages took no longer the larger they were: too few were measured, or the ranks did not all have a core. */
static double bandwidth_of(const roof_alpha_beta *fit) {
  double beta = fit->of[fit->count - 1].beta.value;
  return beta > 0 ? 1 / beta : INFINITY;
}

/** The link of each distance that the predictions took. */
static json_t *links_json(const rf_scaling_study *s) {
  json_t *list = json_array();
  for (int i = 0; i < s->fabric->distance_count; i++) {
    const roof_distance_fit *d = &s->fabric->distances[i];
    json_t *link = json_object();
    const rf_json_member members[] = {{"latency_seconds", d->fit.count > 0 ? d->fit.of[0].alpha.value : NAN},
                                      {"bytes_per_second", d->fit.count > 0 ? bandwidth_of(&d->fit) : NAN}};
    rf_json_set_text(link, "distance", roof_distance_name(d->distance));
    RF_JSON_SET(link, members);
    rf_json_append(list, link);
  }
  return list;
}

roof_status rf_scaling_write(const rf_scaling_study *study, roof_text *out, roof_error *error) {
  const roof_op *op = NULL;
  roof_status status = roof_op_find(study->kernel->op, &op, error);
  if (status != ROOF_OK) {
    return status;
  }
  rf_json_begin();
  json_t *object = json_object(), *points = json_array();
  rf_json_set_text(object, "schema", "roofline.scaling/1");
  rf_json_set_text(object, "kernel", study->kernel->name);
  rf_json_set_text(object, "op", study->kernel->op);
  rf_json_set_text(object, "scaling", study->weak ? "weak" : "strong");
  rf_json_set_text(object, "dtype", roof_dtype_name(study->kernel->dtype));
  rf_json_set(object, "parameters", rf_parameters_json(op, study->values));
  rf_json_set_text(object, "machine", study->machine->name);
  rf_json_set_text(object, "launcher", study->launcher);
  rf_json_set_text(object, "library", study->fabric->library);
  rf_json_set(object, "links", links_json(study));
  for (int i = 0; i < study->count; i++) {
    rf_json_append(points, point_json(study, op, &study->points[i]));
  }
  rf_json_set(object, "points", points);
  return rf_json_write(object, "scaling", out, error);
}

/* --- chart --- */

enum { POINTS = 64 };

/** FLOPs of all for each byte sent. */
static double intensity_of(const rf_scaling_point *p) {
  return p->part.flops / p->part.sent_bytes;
}

static double rate_of(const rf_scaling_point *p, double seconds) {
  return p->part.flops / p->part.ranks / seconds;
}

static void add_ramp(roof_curves *c, const rf_scaling_point *p, double peak, double low, double high) {
  char rate[32];
  double bandwidth = bandwidth_of(p->place.fit);
  int series = c->series_count++;
  roof_curve *curve = &c->panels[0].curves[c->panels[0].curve_count++];
  *curve = (roof_curve){.series = series, .count = POINTS, .solid = POINTS};
  for (int i = 0; i < POINTS; i++) {
    curve->x[i] = low * pow(high / low, (double)i / (POINTS - 1));
    curve->y[i] = fmin(peak, bandwidth * curve->x[i]);
  }
  snprintf(c->series[series], sizeof c->series[series], "%s, %s", roof_distance_name(p->place.distance),
           isinf(bandwidth) ? "no bandwidth found"
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
           s->machine->name, s->fabric->library);
  snprintf(c->x_title, sizeof c->x_title, "FLOP/byte sent");
  snprintf(c->panels[0].title, sizeof c->panels[0].title, "of one rank");
  snprintf(c->panels[0].unit, sizeof c->panels[0].unit, "FLOP/s");
  c->panel_count = 1;
}

/** What a rank computes while nothing is sent. */
static void add_peak(roof_panel *panel, const rf_scaling_point *p) {
  char text[32];
  roof_curve_dot *limit = &panel->limits[panel->limit_count++];
  *limit = (roof_curve_dot){.y = rate_of(p, p->predicted.compute_seconds), .series = ROOF_PANEL_CURVES - 1};
  snprintf(limit->label, sizeof limit->label, "%d ranks without messages: %s each", p->part.ranks,
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
  memset(chart, 0, sizeof *chart);
  name_chart(study, chart);
  for (int i = 1; i < study->count; i++) {
    const rf_scaling_point *p = &study->points[i];
    double ridge = peak / bandwidth_of(p->place.fit), shown = ridge > 0 ? ridge : intensity_of(p);
    low = fmin(low, fmin(intensity_of(p), shown));
    high = fmax(high, fmax(intensity_of(p), shown));
  }
  for (int i = 1; i < study->count; i++) {
    const rf_scaling_point *p = &study->points[i];
    bool farther = i == 1 || p->place.distance != p[-1].place.distance;
    if (farther) {
      add_ramp(chart, p, peak, low / 4, high * 4);
    }
    add_dot(&chart->panels[0], p, p->predicted.seconds, chart->series_count - 1, true);
    add_dot(&chart->panels[0], p, p->measured.seconds, chart->series_count - 1, false);
  }
  add_peak(&chart->panels[0], last);
  return ROOF_OK;
}
