/* Streams over time as SVG: a row each, coloured by what it did. */
#include <math.h>
#include <stdio.h>

#include "core/number.h"
#include "draw/axis.h"
#include "draw/frame.h"
#include "draw/glyph.h"
#include "draw/palette.h"
#include "roofline/charts.h"

enum {
  WIDTH = 960,
  LEFT = 206,
  RIGHT = LEFT + ROOF_LANE_BINS, /* a pixel is a bin */
  TOP = 70,
  ROW = 24,
  BAR = 16,
  FONT = 12,
  BELOW = 74,
  TICKS = 8,
  STEPS = 4 /* heights of a bar */
};

static const char style[] =
    "<style>.timeline{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu "
    "Sans',sans-serif;"
    "font-size:12px}.timeline text{fill:#222}.timeline .t{font-size:17px;font-weight:600}"
    ".timeline .s{fill:#555}.timeline .g{stroke:#e4e7ea}.timeline .a{stroke:#9aa3ad}"
    ".timeline .c{text-anchor:middle}.timeline .e{text-anchor:end}" RF_DARK("timeline") "</style>\n";

static void add_text(roof_text *out, const char *class, int x, int y, const char *text) {
  roof_text_addf(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
  roof_text_add_xml(out, text);
  roof_text_add(out, "</text>\n");
}

/** What a stream did most of in a bin, -1: nothing; *step: how much of the bin it was busy. */
static int most_of(const roof_lanes *l, const roof_lane *lane, int bin, int *step) {
  const float *shares = lane->shares + (size_t)bin * (size_t)l->series_count;
  double busy = 0;
  int most = 0;
  for (int i = 0; i < l->series_count; i++) {
    busy += (double)shares[i];
    most = shares[i] > shares[most] ? i : most;
  }
  *step = (int)fmin(ceil(busy * STEPS - 1e-6), STEPS);
  return *step > 0 ? most : -1;
}

/** The bars of one activity: neighbours that are as high are one. */
static void draw_series(const roof_lanes *l, const roof_lane *lane, int series, int bottom, roof_text *out) {
  bool any = false;
  for (int i = 0, to; i < ROOF_LANE_BINS; i = to) {
    int step, next = 0, height;
    bool ours = most_of(l, lane, i, &step) == series;
    for (to = i + 1; to < ROOF_LANE_BINS && most_of(l, lane, to, &next) == series && next == step && ours;
         to++) {
    }
    if (ours) {
      height = BAR * step / STEPS;
      roof_text_addf(out, "%sM%d %dv-%dh%dv%dz", any ? "" : "<path d=\"", LEFT + i, bottom, height, to - i,
                     height);
      any = true;
    }
  }
  if (any) {
    roof_text_addf(out, "\" fill=\"%s\"/>\n", rf_palette[series % ROOF_SCENE_SERIES].line);
  }
}

/** Whether any stream did most of that in a part of the time. */
static bool is_drawn(const roof_lanes *l, int series) {
  for (int i = 0; i < l->count; i++) {
    for (int bin = 0, step; bin < ROOF_LANE_BINS; bin++) {
      if (most_of(l, &l->lanes[i], bin, &step) == series) {
        return true;
      }
    }
  }
  return false;
}

static void draw_lane(const roof_lanes *l, int i, roof_text *out) {
  const roof_lane *lane = &l->lanes[i];
  int bottom = TOP + ROW * i + (ROW + BAR) / 2;
  char label[96];
  rf_frame_mark(out, "lane", NULL, lane->label);
  roof_text_add(out, "><title>");
  roof_text_add_xml(out, lane->label);
  roof_text_add(out, "</title>");
  rf_glyph_elide(label, sizeof label, lane->label, (LEFT - 24.0) / FONT);
  add_text(out, "e", LEFT - 8, bottom - 4, label);
  for (int series = 0; series < l->series_count; series++) {
    draw_series(l, lane, series, bottom, out);
  }
  roof_text_addf(out, "<line class=\"g\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/></g>\n", LEFT, bottom,
                 RIGHT, bottom);
}

static void draw_axis(const roof_lanes *l, roof_text *out) {
  double ticks[RF_TICK_MAX];
  int bottom = TOP + ROW * l->count, count = rf_ticks_linear((rf_range){0, l->seconds}, TICKS, ticks);
  for (int i = 0; i < count; i++) {
    char label[48];
    int x = (int)lround(LEFT + ROOF_LANE_BINS * ticks[i] / l->seconds);
    rf_tick_label(label, sizeof label, ticks[i], "s");
    roof_text_addf(out, "<line class=\"g\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", x, TOP, x, bottom);
    add_text(out, "c", x, bottom + 18, label);
  }
  roof_text_addf(out, "<line class=\"a\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", LEFT, TOP, LEFT,
                 bottom);
}

static void draw_legend(const roof_lanes *l, roof_text *out) {
  int x = LEFT, y = TOP + ROW * l->count + 46;
  for (int i = 0; i < l->series_count; i++) {
    if (!is_drawn(l, i)) {
      continue;
    }
    roof_text_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x, y - 10,
                   rf_palette[i % ROOF_SCENE_SERIES].line);
    add_text(out, "l", x + 18, y, l->series[i]);
    x += 40 + (int)(rf_glyph_ems(l->series[i]) * FONT);
  }
}

roof_status roof_draw_lanes_svg(const roof_lanes *lanes, roof_text *out, roof_error *error) {
  int height = TOP + ROW * lanes->count + BELOW;
  if (lanes->count < 1 || !(lanes->seconds > 0 && lanes->seconds < INFINITY)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "time line: nothing to draw");
  }
  const rf_axes axes = {{0, lanes->seconds, true, "s"}, {0, 0, true, ""}, LEFT, TOP, RIGHT,
                        TOP + ROW * lanes->count};
  rf_frame_begin(out, "timeline", WIDTH, height, lanes->title, lanes->subtitle, &axes, style);
  add_text(out, "t", 24, 30, lanes->title);
  add_text(out, "s", 24, 50, lanes->subtitle);
  draw_axis(lanes, out);
  for (int i = 0; i < lanes->count; i++) {
    draw_lane(lanes, i, out);
  }
  draw_legend(lanes, out);
  roof_text_add(out, "</svg>\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "time line: out of memory") : ROOF_OK;
}
