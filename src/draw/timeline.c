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
  BAR = 16,
  FONT = 12,
  BELOW = 28,
  LEGEND_ROW = 20,
  TICK_ROOM = 90,
  STEPS = 4 /* heights of a bar */
};

/** A picture: labels next to the rows, or in a narrow one above them, where several bins make a bar. */
typedef struct canvas {
  const roof_lanes *lanes;
  int width, left, right, top, row;
  int each; /**< bins of a bar */
  bool narrow;
  roof_text *out;
} canvas;

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

/** What a stream did most of in the bins of a bar, -1: nothing; *step: how much of them it was busy. */
static int most_of(const canvas *c, const roof_lane *lane, int bar, int *step) {
  const int count = c->lanes->series_count, from = bar * c->each;
  int most = 0, to = from + c->each < ROOF_LANE_BINS ? from + c->each : ROOF_LANE_BINS;
  double busy = 0, best = 0;
  for (int i = 0; i < count; i++) {
    double share = 0;
    for (int bin = from; bin < to; bin++) {
      share += (double)lane->shares[(size_t)bin * (size_t)count + (size_t)i] / (to - from);
    }
    busy += share;
    most = share > best ? i : most;
    best = fmax(best, share);
  }
  *step = (int)fmin(ceil(busy * STEPS - 1e-6), STEPS);
  return *step > 0 ? most : -1;
}

static int count_bars(const canvas *c) {
  return (ROOF_LANE_BINS + c->each - 1) / c->each;
}

/** The bars of one activity: neighbours that are as high are one. */
static void draw_series(const canvas *c, const roof_lane *lane, int series) {
  bool any = false;
  const int count = count_bars(c);
  for (int i = 0, to; i < count; i = to) {
    int step, next = 0, height;
    bool ours = most_of(c, lane, i, &step) == series;
    for (to = i + 1; to < count && most_of(c, lane, to, &next) == series && next == step && ours; to++) {
    }
    if (ours) {
      height = BAR * step / STEPS;
      roof_text_addf(c->out, "%sM%d 0v-%dh%dv%dz", any ? "" : "<path d=\"", i, height, to - i, height);
      any = true;
    }
  }
  if (any) {
    roof_text_addf(c->out, "\" fill=\"%s\"/>\n", rf_palette[series % ROOF_SCENE_SERIES].line);
  }
}

/** Whether any stream did most of that in a part of the time. */
static bool is_drawn(const canvas *c, int series) {
  for (int i = 0; i < c->lanes->count; i++) {
    for (int bar = 0, step; bar < count_bars(c); bar++) {
      if (most_of(c, &c->lanes->lanes[i], bar, &step) == series) {
        return true;
      }
    }
  }
  return false;
}

static void draw_lane(const canvas *c, int i) {
  const roof_lane *lane = &c->lanes->lanes[i];
  int bottom = c->top + c->row * (i + 1) - (c->narrow ? 2 : 4);
  char label[96];
  rf_frame_mark(c->out, "lane", NULL, lane->label);
  roof_text_add(c->out, "><title>");
  roof_text_add_xml(c->out, lane->label);
  roof_text_add(c->out, "</title>");
  rf_glyph_elide(label, sizeof label, lane->label, (c->narrow ? c->width - 24.0 : c->left - 24.0) / FONT);
  if (c->narrow) {
    add_text(c->out, "l", c->left, bottom - BAR - 5, label);
  } else {
    add_text(c->out, "e", c->left - 8, bottom - 4, label);
  }
  roof_text_addf(c->out, "<g transform=\"translate(%d %d) scale(%.5g 1)\">\n", c->left, bottom,
                 1.0 * (c->right - c->left) / count_bars(c));
  for (int series = 0; series < c->lanes->series_count; series++) {
    draw_series(c, lane, series);
  }
  roof_text_addf(c->out, "</g><line class=\"g\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/></g>\n", c->left,
                 bottom, c->right, bottom);
}

static void draw_axis(const canvas *c) {
  double ticks[RF_TICK_MAX], seconds = c->lanes->seconds, wide = c->right - c->left;
  int bottom = c->top + c->row * c->lanes->count;
  int count = rf_ticks_linear((rf_range){0, seconds}, (c->right - c->left) / TICK_ROOM, ticks);
  for (int i = 0; i < count; i++) {
    char label[48];
    int x = (int)lround(c->left + wide * ticks[i] / seconds);
    rf_tick_label(label, sizeof label, ticks[i], "s");
    roof_text_addf(c->out, "<line class=\"g\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", x, c->top, x,
                   bottom);
    add_text(c->out, "c", (int)rf_frame_tick(c->width, x, label), bottom + 18, label);
  }
  roof_text_addf(c->out, "<line class=\"a\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", c->left, c->top,
                 c->left, bottom);
}

/** What the colours are, as many in a row as fit. Returns where it ends; `draw` false: nothing is drawn. */
static int draw_legend(const canvas *c, bool draw) {
  int x = c->left, y = c->top + c->row * c->lanes->count + 46;
  for (int i = 0; i < c->lanes->series_count; i++) {
    if (!is_drawn(c, i)) {
      continue;
    }
    int room = 40 + (int)(rf_glyph_ems(c->lanes->series[i]) * FONT);
    if (x > c->left && x + room > c->width) {
      x = c->left;
      y += LEGEND_ROW;
    }
    if (draw) {
      roof_text_addf(c->out, "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x, y - 10,
                     rf_palette[i % ROOF_SCENE_SERIES].line);
      add_text(c->out, "l", x + 18, y, c->lanes->series[i]);
    }
    x += room;
  }
  return y;
}

static canvas lay_out(const roof_lanes *lanes, int width, roof_text *out) {
  enum { NARROW_ROW = 42, ROW = 24, NARROW_BINS = 3 };
  canvas c = {.lanes = lanes, .width = rf_frame_width(width), .out = out};
  c.narrow = rf_frame_is_narrow(c.width);
  c.left = c.narrow ? 12 : 206;
  c.right = c.width - (c.narrow ? 12 : 24);
  c.top = 70 + rf_frame_head(NULL, c.width, lanes->title, lanes->subtitle);
  c.row = c.narrow ? NARROW_ROW : ROW;
  c.each = c.narrow ? NARROW_BINS : 1;
  return c;
}

roof_status roof_draw_lanes_svg(const roof_lanes *lanes, int width, roof_text *out, roof_error *error) {
  if (lanes->count < 1 || !(lanes->seconds > 0 && lanes->seconds < INFINITY)) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "time line: nothing to draw");
  }
  const canvas c = lay_out(lanes, width, out);
  const rf_axes axes = {{0, lanes->seconds, true, "s"}, {0, 0, true, ""}, c.left, c.top, c.right,
                        c.top + c.row * lanes->count};
  rf_frame_begin(out, "timeline", c.width, draw_legend(&c, false) + BELOW, lanes->title, lanes->subtitle,
                 &axes, style);
  rf_frame_head(out, c.width, lanes->title, lanes->subtitle);
  draw_axis(&c);
  for (int i = 0; i < lanes->count; i++) {
    draw_lane(&c, i);
  }
  draw_legend(&c, true);
  roof_text_add(out, "</svg>\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "time line: out of memory") : ROOF_OK;
}
