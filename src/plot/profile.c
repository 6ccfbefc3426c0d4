/* What a profile holds as pictures: its kernels on the roofline, one dot each or one for each level, joined; its streams over
 * time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "roofline/plot.h"
#include "roofline/units.h"

enum { STREAMS = 32 };

_Static_assert(ROOF_LANE_BINS == ROOF_DENSITY_BINS, "a row is drawn as it was counted");

/* Kernels */

static int add_dot(const roof_ceilings *ceilings, roof_scene *scene, const roof_ranked_record *row,
                   roof_level_kind kind, double bytes) {
  const roof_level *counted = ceilings->level[kind];
  const char *level = counted != NULL ? counted->name : roof_level_kind_name(kind);
  const roof_placed *at = &row->at;
  bool inner = kind != at->level;
  char time[32];
  roof_scene_dot dot = {.intensity = at->flops / bytes,
                        .flops_per_second = at->flops / at->seconds,
                        .share = row->time_share,
                        .inner = inner,
                        .level = at->regime == ROOF_MEMORY_BOUND ? at->level : ROOF_REGISTERS, /* its wall */
                        .next = -1};
  snprintf(dot.label, sizeof dot.label, "%.50s%s%.20s", row->shown, inner ? " at " : "", inner ? level : "");
  snprintf(dot.key, sizeof dot.key, "%s", row->shown);
  rf_format(dot.detail, sizeof dot.detail, "%s, %.1f %% of the time, at %s",
            roof_quantity_format(time, sizeof time, at->seconds, "s"), row->time_share * 100, level);
  return roof_scene_add_placed(scene, &dot, at);
}

/** The flat roofs that the drawn kernels are judged by. */
static roof_status add_peaks(const roof_ceilings *ceilings, const roof_ranking *ranking, roof_scene *scene,
                             roof_error *error) {
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < ranking->count && status == ROOF_OK; i++) {
    const roof_placed *at = &ranking->rows[i].at;
    const roof_peak *peak = at->flops > 0 ? ceilings->peak[at->dtype][at->unit] : NULL;
    if (peak != NULL && at->bytes > 0) {
      status = roof_scene_add_peak(scene, 0, ceilings->machine, peak->dtype, peak->unit, error);
    }
  }
  return status;
}

static void add_levels(const roof_ceilings *ceilings, roof_scene *scene, const roof_ranked_record *row) {
  int before = -1;
  for (int l = 0; l < ROOF_LEVEL_KIND_COUNT; l++) {
    double bytes = row->record->bytes[l].value;
    int dot = bytes > 0 ? add_dot(ceilings, scene, row, (roof_level_kind)l, bytes) : -1;
    if (dot >= 0 && before >= 0) {
      scene->dots[before].next = dot;
    }
    if (dot >= 0) {
      scene->dots[dot].level = (roof_level_kind)l;
    }
    before = dot >= 0 ? dot : before;
  }
}

roof_status roof_ranking_scene(const roof_profile *profile, const roof_ranking *ranking,
                               const roof_ceilings *ceilings, bool levels, roof_scene *scene,
                               roof_error *error) {
  if (ceilings->machine == NULL) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "no machine to draw: name one with --machine");
  }
  roof_scene_init(scene);
  roof_dtype dtype = ranking->count > 0 ? ranking->rows[0].at.dtype : ROOF_FP32;
  roof_status status = roof_scene_add_machine(scene, ceilings->machine, dtype, error);
  status = status == ROOF_OK ? add_peaks(ceilings, ranking, scene, error) : status;
  if (status != ROOF_OK) {
    return status;
  }
  snprintf(scene->title, sizeof scene->title, "Kernels on %.60s", roof_machine_title(ceilings->machine));
  roof_text time = {0};
  roof_ranking_time(profile, ranking, &time);
  snprintf(scene->subtitle, sizeof scene->subtitle, "%s", time.failed ? "" : time.data);
  roof_text_done(&time);
  for (size_t i = 0; i < ranking->count; i++) {
    const roof_ranked_record *row = &ranking->rows[i];
    if (levels) {
      add_levels(ceilings, scene, row);
    } else if (row->at.bytes > 0) {
      add_dot(ceilings, scene, row, row->at.level, row->at.bytes);
    }
  }
  return scene->dot_count > 0
             ? ROOF_OK
             : roof_error_set(error, ROOF_E_ARGUMENT, "nothing to draw: no kernel has FLOPs, bytes and time");
}

/* The time line */

void roof_timeline_title(const roof_profile *profile, char *title, size_t size) {
  snprintf(title, size, "Time line%s%.60s", profile->device[0] != '\0' ? " of " : "", profile->device);
}

static void set_words(const roof_profile *profile, const roof_accounting *accounting, char *subtitle,
                      size_t size) {
  roof_text words = {0};
  roof_waits waits = {0};
  if (roof_profile_waits(profile, &waits, NULL) == ROOF_OK) {
    roof_waits_sentence(&waits, &words);
  } else {
    roof_accounting_sentence(accounting, &words);
  }
  roof_waits_done(&waits);
  int length = words.data != NULL ? (int)strcspn(words.data, "\n") : 0;
  snprintf(subtitle, size, "%.*s", length, words.data != NULL ? words.data : "");
  roof_text_done(&words);
}

roof_status roof_timeline_svg(const roof_profile *profile, const roof_accounting *accounting, int width,
                              roof_text *out, roof_error *error) {
  const char *series[ROOF_ACTIVITY_COUNT];
  roof_lane rows[STREAMS];
  roof_density *list = NULL;
  size_t count = 0;
  roof_lanes lanes = {.series = series, .series_count = ROOF_ACTIVITY_COUNT, .lanes = rows};
  roof_status status =
      roof_timeline_densities(profile->timeline, accounting, STREAMS, &list, &count, &lanes.seconds, error);
  for (int i = 0; i < ROOF_ACTIVITY_COUNT; i++) {
    series[i] = roof_activity_name((roof_activity)i);
  }
  for (size_t i = 0; i < count; i++) {
    rows[i] = (roof_lane){list[i].label, &list[i].shares[0][0]};
  }
  lanes.count = (int)count;
  roof_timeline_title(profile, lanes.title, sizeof lanes.title);
  set_words(profile, accounting, lanes.subtitle, sizeof lanes.subtitle);
  if (accounting->stream_count > count) {
    size_t length = strlen(lanes.subtitle);
    snprintf(lanes.subtitle + length, sizeof lanes.subtitle - length, "; %zu of %zu streams not shown",
             accounting->stream_count - count, accounting->stream_count);
  }
  status = status == ROOF_OK ? roof_draw_lanes_svg(&lanes, width, out, error) : status;
  free(list);
  return status;
}

/* Intervals */

static double flops_of(const roof_interval *i) {
  return i->flops_per_second;
}

static double bytes_of(const roof_interval *i) {
  return i->bytes_per_second;
}

static double instructions_of(const roof_interval *i) {
  return i->instructions_per_cycle;
}

/** The mean of `of` over `count` intervals, by their lengths; NaN: it was counted in none. */
static double mean_of(const roof_interval *list, size_t count, double (*of)(const roof_interval *interval)) {
  double sum = 0, length = 0;
  for (size_t i = 0; i < count; i++) {
    double value = of(&list[i]), seconds = list[i].end - list[i].start;
    sum += isnan(value) ? 0 : value * seconds;
    length += isnan(value) ? 0 : seconds;
  }
  return sum / length;
}

/** A panel of one rate, where it was counted. */
static void add_panel(const roof_profile *p, roof_curves *chart, const char *title, const char *unit,
                      double (*of)(const roof_interval *interval)) {
  roof_panel *panel = &chart->panels[chart->panel_count];
  roof_curve *curve = &panel->curves[0];
  size_t each = (p->interval_count + ROOF_PANEL_POINTS - 1) / ROOF_PANEL_POINTS;
  const roof_interval *first = NULL, *last = NULL; /* of the last point */
  *curve = (roof_curve){.series = chart->panel_count};
  for (size_t i = 0; i < p->interval_count; i += each) {
    size_t count = p->interval_count - i < each ? p->interval_count - i : each;
    double mean = mean_of(p->intervals + i, count, of);
    if (!isnan(mean)) {
      first = &p->intervals[i];
      last = first + count - 1;
      curve->x[curve->count] = (first->start + last->end) / 2;
      curve->y[curve->count++] = mean;
    }
  }
  if (curve->count == 1) { /* a point is no line */
    curve->x[0] = first->start;
    curve->x[1] = last->end;
    curve->y[1] = curve->y[0];
    curve->count = 2;
  }
  curve->solid = curve->count;
  if (curve->count > 0) {
    snprintf(panel->title, sizeof panel->title, "%s", title);
    snprintf(panel->unit, sizeof panel->unit, "%s", unit);
    snprintf(chart->series[chart->panel_count], sizeof chart->series[0], "%s", title);
    panel->linear = true;
    panel->curve_count = 1;
    chart->series_count = ++chart->panel_count;
  }
}

roof_status roof_intervals_svg(const roof_profile *profile, int width, roof_text *out, roof_error *error) {
  roof_curves *chart = calloc(1, sizeof *chart);
  if (chart == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "intervals: out of memory");
  }
  add_panel(profile, chart, "arithmetic", "FLOP/s", flops_of);
  add_panel(profile, chart, "memory", "B/s", bytes_of);
  add_panel(profile, chart, "instructions per cycle", "", instructions_of);
  roof_timeline_title(profile, chart->title, sizeof chart->title);
  snprintf(chart->subtitle, sizeof chart->subtitle, "%zu interval%s", profile->interval_count,
           profile->interval_count == 1 ? "" : "s");
  snprintf(chart->x_title, sizeof chart->x_title, "time (s)");
  chart->linear = true;
  roof_status status =
      chart->panel_count > 0
          ? roof_draw_curves_svg(chart, width, out, error)
          : roof_error_set(error, ROOF_E_ARGUMENT,
                           "--timeline: no FLOPs, bytes or instructions and cycles were counted by interval");
  free(chart);
  return status;
}
