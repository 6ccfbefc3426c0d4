#include "roofline/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "draw/frame.h"
#include "draw/glyph.h"
#include "draw/hue.h"
#include "draw/layout.h"
#include "roofline/units.h"

typedef struct chart {
  const roof_scene *scene;
  const rf_layout *layout;
  roof_text *out;
  double y; /**< where the next row below the plot goes */
} chart;

static const double row_height = 19;

static const char style[] =
    "<style>.roofline{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Noto Sans CJK KR',"
    "'Apple SD Gothic Neo','Malgun Gothic','DejaVu Sans',sans-serif;font-size:12px}"
    ".roofline text{fill:#222}.roofline .t{font-size:17px;font-weight:600}.roofline .s{fill:#555}"
    ".roofline .g{stroke:#d5d9de}.roofline .m{stroke:#eef0f2}.roofline .f{fill:none;stroke:#8a9099}"
    ".roofline .c{text-anchor:middle}.roofline .e{text-anchor:end}"
    ".roofline .line{stroke-width:2.2;fill:none}.roofline .a{stroke-dasharray:7 4;stroke-width:1.7}"
    ".roofline .o{stroke-width:1}"
    ".roofline .d{stroke-dasharray:1.5 4;stroke-linecap:round;stroke-width:1.5}"
    ".roofline .drop{stroke-width:1;opacity:.45}.roofline .lead{stroke:#8a9099;stroke-width:.8}"
    ".roofline .limit{stroke-width:2.4}"
    ".roofline .arrow{stroke:#444;stroke-width:1.2;fill:#444}"
    ".roofline .same{stroke:#444;stroke-width:1;stroke-dasharray:2 2}"
    ".roofline .h{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}"
    ".roofline .r{font-style:italic;fill:#666}.roofline .w{fill:#b00020;font-weight:700}" RF_DARK(
        "roofline") "</style>\n";

/** "12.3": pixels or degrees to a tenth, never "-0.0". */
static void add_number(roof_text *out, double value) {
  roof_text_addf(out, "%.1f", round(value * 10) / 10 + 0.0);
}

/** ` name="12.3"`. */
static void attribute(roof_text *out, const char *name, double value) {
  roof_text_addf(out, " %s=\"", name);
  add_number(out, value);
  roof_text_add(out, "\"");
}

static void add_line(roof_text *out, const char *class, const char *stroke, rf_point a, rf_point b) {
  roof_text_addf(out, "<line class=\"%s\"", class);
  if (stroke != NULL) {
    roof_text_addf(out, " stroke=\"%s\"", stroke);
  }
  attribute(out, "x1", a.x);
  attribute(out, "y1", a.y);
  attribute(out, "x2", b.x);
  attribute(out, "y2", b.y);
  roof_text_add(out, "/>\n");
}

/** Text at a point on its baseline; `fill` NULL: the colour of the class. */
static void add_text(roof_text *out, const char *class, const char *fill, double x, double y,
                     const char *text) {
  roof_text_addf(out, "<text class=\"%s\"", class);
  if (fill != NULL) {
    roof_text_addf(out, " style=\"fill:%s\"", fill);
  }
  attribute(out, "x", x);
  attribute(out, "y", y);
  roof_text_add(out, ">");
  roof_text_add_xml(out, text);
  roof_text_add(out, "</text>\n");
}

/** Text centred on a point and turned by `angle` radians. */
static void add_turned(roof_text *out, const char *class, const char *fill, double x, double y, double angle,
                       const char *text) {
  roof_text_add(out, "<g transform=\"translate(");
  add_number(out, x);
  roof_text_add(out, " ");
  add_number(out, y);
  roof_text_add(out, ") rotate(");
  add_number(out, angle * 57.29577951308232);
  roof_text_add(out, ")\">");
  add_text(out, class, fill, 0, RF_FONT_SIZE * 0.35, text);
  roof_text_add(out, "</g>\n");
}

static rf_point at(const chart *c, double x, double y) {
  return rf_layout_point(c->layout, x, y);
}

static rf_point dot_at(const chart *c, int dot) {
  const roof_scene_dot *d = &c->scene->dots[dot];
  return at(c, log10(d->intensity), log10(d->flops_per_second));
}

static const rf_colour *colour(int hue) {
  return &rf_palette[hue];
}

static const rf_colour *dot_colour(const chart *c, int dot) {
  return colour(rf_hue_of_dot(c->scene, &c->scene->dots[dot]));
}

/** One grid line across the plot at `value` (log10) of the axis. */
static void draw_grid_line(const chart *c, bool vertical, double value, const char *class) {
  const rf_geometry *g = &c->layout->geometry;
  rf_point from = vertical ? at(c, value, g->low.y) : at(c, g->low.x, value);
  rf_point to = vertical ? at(c, value, g->high.y) : at(c, g->high.x, value);
  add_line(c->out, class, NULL, from, to);
}

static void draw_axis(const chart *c, bool vertical) {
  const rf_geometry *g = &c->layout->geometry;
  double low = vertical ? g->low.x : g->low.y, high = vertical ? g->high.x : g->high.y;
  bool narrow = rf_frame_is_narrow(c->layout->width);
  int step = rf_axis_step(low, high, !narrow ? 12 : vertical ? 4 : 8);
  roof_text_addf(c->out, "<g class=\"ticks\" data-axis=\"%c\">\n", vertical ? 'x' : 'y');
  for (int minor = 2; step == 1 && minor <= 9; minor++) {
    for (double decade = floor(low); decade + log10(minor) < high; decade++) {
      if (decade + log10(minor) > low) {
        draw_grid_line(c, vertical, decade + log10(minor), "m");
      }
    }
  }
  for (int tick = (int)ceil(low - 1e-9); tick <= high + 1e-9; tick += step) {
    char label[32];
    rf_axis_label(label, sizeof label, tick, vertical ? "" : "FLOP/s");
    rf_frame_cut_unit(c->layout->width, label, "FLOP/s");
    draw_grid_line(c, vertical, tick, "g");
    if (vertical) {
      add_text(c->out, "c", NULL, rf_frame_tick(c->layout->width, at(c, tick, 0).x, label),
               c->layout->bottom + 18, label);
    } else {
      add_text(c->out, "e", NULL, c->layout->left - 8, at(c, 0, tick).y + 4, label);
    }
  }
  roof_text_add(c->out, "</g>\n");
}

/** The text below a ridge; "" if the series has none. */
static void ridge_words(const chart *c, int series, char *words, size_t size) {
  double x = c->layout->geometry.ridges[series].x;
  words[0] = '\0';
  if (!isnan(x)) {
    char number[40];
    rf_axis_number(number, sizeof number, pow(10, x));
    snprintf(words, size, "ridge %s", number);
  }
}

/** The series by their ridges, from left to right. */
static void sort_ridges(const chart *c, int order[ROOF_SCENE_SERIES]) {
  const rf_point *ridges = c->layout->geometry.ridges;
  for (int i = 0; i < ROOF_SCENE_SERIES; i++) {
    int at = i;
    for (; at > 0 && ridges[i].x < ridges[order[at - 1]].x; at--) {
      order[at] = order[at - 1];
    }
    order[at] = i;
  }
}

/** The row below the axis for each ridge's value: values too close to each other take different rows. Returns
 * the number of rows. */
static int arrange_ridges(const chart *c, int rows_of[ROOF_SCENE_SERIES]) {
  double taken[ROOF_SCENE_SERIES][2];
  int rows = 0, order[ROOF_SCENE_SERIES];
  sort_ridges(c, order);
  for (int at_rank = 0; at_rank < ROOF_SCENE_SERIES; at_rank++) {
    const int i = order[at_rank];
    char words[64];
    ridge_words(c, i, words, sizeof words);
    double half = rf_glyph_ems(words) * RF_FONT_SIZE / 2 + 4, x = at(c, c->layout->geometry.ridges[i].x, 0).x;
    rows_of[i] = 0;
    for (int rank = 0; rank < at_rank && words[0] != '\0'; rank++) {
      const int k = order[rank];
      if (x - half < taken[k][1] && x + half > taken[k][0] && rows_of[k] >= rows_of[i]) {
        rows_of[i] = rows_of[k] + 1;
      }
    }
    taken[i][0] = words[0] != '\0' ? x - half : INFINITY;
    taken[i][1] = words[0] != '\0' ? x + half : -INFINITY;
    rows = words[0] != '\0' && rows_of[i] >= rows ? rows_of[i] + 1 : rows;
  }
  return rows;
}

/** Opens the group of what belongs to dot or ceiling `index`, which has `data-mark` "KINDINDEX". */
static void open_of(const chart *c, char kind, int index) {
  roof_text_addf(c->out, "<g data-of=\"%c%d\">", kind, index);
}

static void open_ridge(const chart *c, int series) {
  roof_text_add(c->out, "<g class=\"ridge\"");
  rf_frame_words(c->out, "machine", c->scene->series[series]);
  roof_text_add(c->out, ">");
}

/** A dotted line from each ridge down to the axis, its value below the axis labels. */
static void draw_ridges(chart *c) {
  int rows_of[ROOF_SCENE_SERIES], rows = arrange_ridges(c, rows_of);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < ROOF_SCENE_SERIES; i++) {
      char words[64];
      ridge_words(c, i, words, sizeof words);
      rf_point ridge = at(c, c->layout->geometry.ridges[i].x, c->layout->geometry.ridges[i].y);
      double y = c->layout->bottom + 20 + (rows_of[i] + 0.75) * row_height;
      if (words[0] == '\0') {
        continue;
      }
      open_ridge(c, i);
      if (pass == 0) {
        add_line(c->out, "d", colour(rf_hue_of_ridge(c->scene, i))->line, ridge,
                 (rf_point){ridge.x, c->layout->bottom});
      } else {
        double half = rf_glyph_ems(words) * RF_FONT_SIZE / 2, most = c->layout->width - 4 - half;
        add_text(c->out, "c h", colour(rf_hue_of_ridge(c->scene, i))->text, fmin(ridge.x, most), y, words);
      }
      roof_text_add(c->out, "</g>\n");
    }
  }
  c->y = c->layout->bottom + 24 + (rows + 0.75) * row_height;
}

static void draw_frame(chart *c) {
  const rf_layout *l = c->layout;
  roof_text_add(c->out, "<g>\n");
  draw_axis(c, true);
  draw_axis(c, false);
  roof_text_add(c->out, "<rect class=\"f\"");
  attribute(c->out, "x", l->left);
  attribute(c->out, "y", l->top);
  attribute(c->out, "width", l->right - l->left);
  attribute(c->out, "height", l->bottom - l->top);
  roof_text_add(c->out, "/>\n");
  draw_ridges(c);
  bool narrow = rf_frame_is_narrow(l->width);
  add_text(c->out, "c", NULL, (l->left + l->right) / 2, c->y,
           narrow ? "arithmetic intensity (FLOP/byte)"
                  : "arithmetic intensity (FLOP/byte) \xE2\x80\x94 to the right: more reuse of every byte "
                    "moved");
  add_turned(c->out, "c", NULL, narrow ? 11 : 15, (l->top + l->bottom) / 2, -1.5707963267948966,
             "performance (FLOP/s) \xE2\x80\x94 up: faster");
  roof_text_add(c->out, "</g>\n");
}

/** A ceiling and what it says, up to the end of its element's attributes. */
static void open_roof(const chart *c, int i) {
  const roof_scene_roof *roof = &c->scene->roofs[i];
  bool flat = !isnan(roof->flops_per_second);
  roof_text_addf(c->out, "<g class=\"roof\" data-mark=\"r%d\"", i);
  rf_frame_words(c->out, "name", roof->label);
  rf_frame_words(c->out, "machine", c->scene->series[roof->series]);
  rf_frame_words(c->out, "dtype", flat ? roof_dtype_name(roof->dtype) : NULL);
  rf_frame_words(c->out, "unit", flat ? roof_unit_name(roof->unit) : NULL);
  rf_frame_words(c->out, "level", flat ? NULL : roof_level_kind_name(roof->level));
  rf_frame_value(c->out, "cores", roof->cores > 0 ? roof->cores : (double)NAN);
  rf_frame_words(c->out, "kind", roof->style == ROOF_DASHED ? "achieved" : "theoretical");
  rf_frame_value(c->out, "value", flat ? roof->flops_per_second : roof->bytes_per_second);
}

/** Ceilings of some of the cores are thinner than those of all. */
static const char *line_class(const roof_scene_roof *roof) {
  return roof->style == ROOF_SOLID ? (roof->cores > 0 ? "line o" : "line")
                                   : (roof->cores > 0 ? "line a o" : "line a");
}

static void draw_roofs(const chart *c) {
  const rf_geometry *g = &c->layout->geometry;
  for (int i = 0; i < c->scene->roof_count; i++) {
    const roof_scene_roof *roof = &c->scene->roofs[i];
    open_roof(c, i);
    roof_text_add(c->out, "><title>");
    roof_text_add_xml(c->out, roof->label);
    roof_text_add(c->out, "</title>");
    add_line(c->out, line_class(roof), colour(rf_hue_of_roof(c->scene, roof))->line,
             at(c, g->from[i].x, g->from[i].y), at(c, g->to[i].x, g->to[i].y));
    roof_text_add(c->out, "</g>\n");
  }
}

/** A line from one dot to another, which to what comes next ends in a head at the other's edge. */
static void draw_link(const chart *c, rf_point from, rf_point to, bool same) {
  double length = rf_length(to.x - from.x, to.y - from.y), gap = RF_DOT_RADIUS + 2.5;
  if (length < 2 * gap + 6) {
    return;
  }
  double x = (to.x - from.x) / length, y = (to.y - from.y) / length;
  rf_point start = {from.x + x * gap, from.y + y * gap}, tip = {to.x - x * gap, to.y - y * gap};
  if (same) {
    add_line(c->out, "same", NULL, start, tip);
    return;
  }
  rf_point neck = {tip.x - x * 8, tip.y - y * 8};
  add_line(c->out, "arrow", NULL, start, neck);
  const rf_point corners[] = {
      tip, {neck.x - y * 3.5, neck.y + x * 3.5}, {neck.x + y * 3.5, neck.y - x * 3.5}};
  roof_text_add(c->out, "<polygon class=\"arrow\" points=\"");
  for (int i = 0; i < 3; i++) {
    add_number(c->out, corners[i].x);
    roof_text_add(c->out, " ");
    add_number(c->out, corners[i].y);
    roof_text_add(c->out, i < 2 ? " " : "\"/>\n");
  }
}

/** Opens the group of the label of mark i. */
static void open_mark(const chart *c, int i) {
  bool roof = i < ROOF_SCENE_ROOFS;
  bool word = i >= RF_MARK_MEMORY;
  open_of(c, word ? 'w' : roof ? 'r' : 'd', i - (word ? RF_MARK_MEMORY : roof ? 0 : ROOF_SCENE_ROOFS));
}

/** Lines from dots and roofs to labels that had no room next to them. */
static void draw_leaders(const chart *c) {
  for (int i = 0; i < RF_MARK_COUNT; i++) {
    const rf_mark *mark = &c->layout->marks[i];
    if (mark->leader && mark->text[0] != '\0') {
      const rf_rect *r = &mark->rect;
      double x = fmax(r->x - r->half_width, fmin(mark->anchor.x, r->x + r->half_width));
      double y = fmax(r->y - r->half_height, fmin(mark->anchor.y, r->y + r->half_height));
      open_mark(c, i);
      add_line(c->out, "lead", NULL, mark->anchor, (rf_point){x, y});
      roof_text_add(c->out, "</g>\n");
    }
  }
}

/** True when a dot is joined to another. */
static bool is_joined(const roof_scene *scene, int dot) {
  int next = scene->dots[dot].next;
  return next >= 0 && next < scene->dot_count && next != dot;
}

/** True when a dot is joined to the same kernel: as it was measured, or at another level. */
static bool is_joined_to_itself(const roof_scene *scene, int dot) {
  const roof_scene_dot *a = &scene->dots[dot], *b = &scene->dots[a->next];
  return a->predicted != b->predicted || a->inner || b->inner;
}

/** What an arrow stands for, along it, where the scene says and there is room. */
static void name_link(const chart *c, rf_point from, rf_point to) {
  double dx = to.x - from.x, dy = to.y - from.y, length = rf_length(dx, dy);
  const char *words = c->scene->arrow;
  if (words[0] == '\0' || length < rf_glyph_ems(words) * RF_FONT_SIZE + 4 * RF_DOT_RADIUS) {
    return;
  }
  double angle = dx < 0 ? atan2(-dy, -dx) : atan2(dy, dx);
  add_turned(c->out, "c h r", NULL, (from.x + to.x) / 2 + sin(angle) * 9,
             (from.y + to.y) / 2 - cos(angle) * 9, angle, words);
}

/** Whether a line leads from a dot to its ceiling: of many dots from those that are named. */
static bool has_limit(const chart *c, int i) {
  const rf_geometry *g = &c->layout->geometry;
  return !isnan(g->ceilings[i]) && !g->above[i] && rf_layout_names(c->layout, &c->scene->dots[i]);
}

/** The end of the line to a dot's ceiling: a bar across it, the sign of a limit. */
static void draw_limit(const chart *c, int i, rf_point end) {
  add_line(c->out, "limit", dot_colour(c, i)->line, (rf_point){end.x - 5, end.y},
           (rf_point){end.x + 5, end.y});
}

/** The lines below the dots: up to the ceiling, and on to the next dot. */
static void draw_threads(const chart *c) {
  const rf_geometry *g = &c->layout->geometry;
  for (int i = 0; i < c->scene->dot_count; i++) {
    const roof_scene_dot *dot = &c->scene->dots[i];
    rf_point here = dot_at(c, i);
    if (has_limit(c, i)) {
      open_of(c, 'd', i);
      rf_point end = at(c, log10(dot->intensity), fmin(g->ceilings[i], g->high.y));
      add_line(c->out, "drop", dot_colour(c, i)->line, here, end);
      draw_limit(c, i, end);
      roof_text_add(c->out, "</g>\n");
    }
    if (is_joined(c->scene, i)) {
      roof_text_addf(c->out, "<g data-of=\"d%d\" data-to=\"d%d\">", i, dot->next);
      draw_link(c, here, dot_at(c, dot->next), is_joined_to_itself(c->scene, i));
      name_link(c, here, dot_at(c, dot->next));
      roof_text_add(c->out, "</g>\n");
    }
  }
}

static void draw_circle(const chart *c, rf_point centre, double radius, int hue, bool hollow) {
  roof_text_add(c->out, "<circle");
  attribute(c->out, "cx", centre.x);
  attribute(c->out, "cy", centre.y);
  attribute(c->out, "r", hollow ? radius - 0.8 : radius);
  roof_text_addf(c->out, " fill=\"%s\" stroke=\"%s\"%s/>", hollow ? "#fff" : colour(hue)->line,
                 hollow ? colour(hue)->line : "#fff", hollow ? " stroke-width=\"2\"" : "");
}

static void draw_ring(const chart *c, rf_point centre, double radius) {
  roof_text_add(c->out, "<circle fill=\"none\" stroke=\"#b00020\" stroke-width=\"1.6\"");
  attribute(c->out, "cx", centre.x);
  attribute(c->out, "cy", centre.y);
  attribute(c->out, "r", radius + 2.5);
  roof_text_add(c->out, "/>");
}

/** What a dot is called: its label, or that of the dot which it is joined to and which has one. */
static const char *name_of(const roof_scene *scene, int i) {
  const roof_scene_dot *dot = &scene->dots[i];
  if (dot->label[0] == '\0' && is_joined(scene, i)) {
    return scene->dots[dot->next].label;
  }
  return dot->label;
}

/** What the series of a dot is: a machine has ceilings, a phase or a model has none. */
static const char *kind_of_series(const roof_scene *scene, int series) {
  for (int i = 0; i < scene->roof_count; i++) {
    if (scene->roofs[i].series == series) {
      return "machine";
    }
  }
  return "series";
}

/** A dot and what it says, up to the end of its element's attributes. */
static void open_dot(const chart *c, int i) {
  const roof_scene_dot *dot = &c->scene->dots[i];
  const rf_geometry *g = &c->layout->geometry;
  rf_frame_mark(c->out, "dot", dot->key, name_of(c->scene, i));
  roof_text_addf(c->out, " data-mark=\"d%d\"", i);
  rf_frame_words(c->out, kind_of_series(c->scene, dot->series), c->scene->series[dot->series]);
  rf_frame_value(c->out, "x", dot->intensity);
  rf_frame_value(c->out, "y", dot->flops_per_second);
  rf_frame_value(c->out, dot->predicted ? "predicted" : "measured", dot->flops_per_second);
  rf_frame_value(c->out, "limit", pow(10, g->ceilings[i]));
  rf_frame_value(c->out, "time-share", dot->share > 0 ? dot->share : (double)NAN);
  rf_frame_words(c->out, "level", dot->level != ROOF_REGISTERS ? roof_level_kind_name(dot->level) : NULL);
  rf_frame_words(c->out, "verdict", dot->verdict);
}

/** One of very many, which has no name in the picture: what a script and its row of the table need, so that thousands are a small file. */
static void open_brief_dot(const chart *c, int i) {
  const roof_scene_dot *dot = &c->scene->dots[i];
  if (rf_frame_is_narrow(c->layout->width)) { /* a script takes it from the wide picture of the same */
    roof_text_add(c->out, "<g class=\"dot\">");
    return;
  }
  roof_text_add(c->out, "<g class=\"dot\"");
  rf_frame_words(c->out, "key", dot->key[0] != '\0' ? dot->key : name_of(c->scene, i));
  roof_text_addf(c->out, " data-mark=\"d%d\" data-x=\"%.5g\" data-y=\"%.5g\" data-limit=\"%.5g\"", i,
                 dot->intensity, dot->flops_per_second, pow(10, c->layout->geometry.ceilings[i]));
  if (dot->share > 0) {
    roof_text_addf(c->out, " data-time-share=\"%.3g\"", dot->share);
  }
  rf_frame_words(c->out, kind_of_series(c->scene, dot->series),
                 c->scene->series_count > 1 ? c->scene->series[dot->series] : NULL);
  rf_frame_words(c->out, "level", dot->level != ROOF_REGISTERS ? roof_level_kind_name(dot->level) : NULL);
  rf_frame_words(c->out, "verdict", dot->verdict);
  if (dot->predicted) {
    rf_frame_value(c->out, "predicted", dot->flops_per_second);
  }
  roof_text_add(c->out, ">");
}

static void describe_dot(const chart *c, int i, roof_text *out) {
  const roof_scene_dot *dot = &c->scene->dots[i];
  char intensity[40], rate[40];
  rf_axis_number(intensity, sizeof intensity, dot->intensity);
  roof_quantity_format(rate, sizeof rate, dot->flops_per_second, "FLOP/s");
  roof_text_addf(out, "%s: %s FLOP/byte, %s %s%s%s%s", name_of(c->scene, i), intensity, rate,
                 dot->predicted ? "predicted" : "measured",
                 c->layout->geometry.above[i] ? "; above its ceiling: check the measurement and the counts"
                                              : "",
                 dot->detail[0] != '\0' ? "\n" : "", dot->detail);
}

/** A dot with its words, up to its circle. */
static void open_named_dot(const chart *c, int i) {
  roof_text words = {0};
  describe_dot(c, i, &words);
  open_dot(c, i);
  roof_text_add(c->out, "><title>");
  roof_text_add_xml(c->out, words.data != NULL ? words.data : "");
  roof_text_add(c->out, "</title>");
  c->out->failed |= words.failed;
  roof_text_done(&words);
}

/** A dot and how large it is. */
typedef struct sized_dot {
  double radius;
  int index;
} sized_dot;

static int larger_first(const void *a, const void *b) {
  const sized_dot *left = a, *right = b;
  return left->radius != right->radius ? (left->radius < right->radius ? 1 : -1) : left->index - right->index;
}

static void draw_dot(const chart *c, int i, double radius) {
  enum { MANY = 256 };
  bool brief = c->scene->dot_count > MANY && !rf_layout_names(c->layout, &c->scene->dots[i]);
  (brief ? open_brief_dot : open_named_dot)(c, i);
  draw_circle(c, dot_at(c, i), radius, rf_hue_of_dot(c->scene, &c->scene->dots[i]),
              c->scene->dots[i].predicted);
  if (c->layout->geometry.above[i]) {
    draw_ring(c, dot_at(c, i), radius);
  }
  roof_text_add(c->out, "</g>\n");
}

/** The larger below the smaller, which would be hidden otherwise. */
static void draw_dots(const chart *c) {
  sized_dot order[ROOF_SCENE_DOTS];
  size_t count = (size_t)c->scene->dot_count;
  for (size_t i = 0; i < count; i++) {
    order[i] = (sized_dot){rf_dot_radius(&c->scene->dots[i]), (int)i};
  }
  qsort(order, count, sizeof *order, larger_first);
  for (size_t i = 0; i < count; i++) {
    draw_dot(c, order[i].index, order[i].radius);
  }
}

/** Over everything else: a label must not hide that a dot is above its ceiling. */
static void draw_warnings(const chart *c) {
  for (int i = 0; i < c->scene->dot_count; i++) {
    if (c->layout->geometry.above[i]) {
      double radius = rf_dot_radius(&c->scene->dots[i]);
      open_of(c, 'd', i);
      add_text(c->out, "w c h", NULL, dot_at(c, i).x, dot_at(c, i).y - radius - 6, "!");
      roof_text_add(c->out, "</g>\n");
    }
  }
}

static void draw_marks(const chart *c) {
  for (int i = 0; i < RF_MARK_COUNT; i++) {
    const rf_mark *mark = &c->layout->marks[i];
    if (mark->text[0] == '\0') {
      continue;
    }
    bool several = c->scene->series_count > 1;
    const char *class = i >= RF_MARK_MEMORY ? "c h r" : "c h";
    const char *fill = i < ROOF_SCENE_ROOFS ? colour(rf_hue_of_roof(c->scene, &c->scene->roofs[i]))->text
                       : several && i < RF_MARK_MEMORY ? dot_colour(c, i - ROOF_SCENE_ROOFS)->text
                                                       : NULL;
    open_mark(c, i);
    if (mark->rect.s != 0) {
      add_turned(c->out, class, fill, mark->rect.x, mark->rect.y, atan2(mark->rect.s, mark->rect.c),
                 mark->text);
    } else {
      add_text(c->out, class, fill, mark->rect.x, mark->rect.y + RF_FONT_SIZE * 0.35, mark->text);
    }
    roof_text_add(c->out, "</g>\n");
  }
}

/** One entry of the legend: a sample, drawn by its row of `keys`, and text. */
typedef enum legend_key {
  KEY_HUE,
  KEY_DOTS,
  KEY_SOLID,
  KEY_DASHED,
  KEY_MEASURED,
  KEY_PREDICTED,
  KEY_LIMIT,
  KEY_ABOVE,
  KEY_SAME,
  KEY_NEXT
} legend_key;

static void draw_sample(const chart *c, legend_key key, int hue, double x) {
  rf_point middle = {x + 12, c->y - 4}, left = {x, c->y - 4}, right = {x + 24, c->y - 4};
  const char *grey = "#555555";
  switch (key) {
  case KEY_HUE:
    add_line(c->out, "line", colour(hue)->line, left, right);
    break;
  case KEY_DOTS:
    draw_circle(c, middle, RF_DOT_RADIUS, hue, false);
    break;
  case KEY_SOLID:
    add_line(c->out, "line", grey, left, right);
    break;
  case KEY_DASHED:
    add_line(c->out, "line a", grey, left, right);
    break;
  case KEY_MEASURED:
  case KEY_PREDICTED:
    draw_circle(c, middle, RF_DOT_RADIUS, ROOF_SCENE_SERIES - 1, key == KEY_PREDICTED);
    break;
  case KEY_LIMIT:
    add_line(c->out, "drop", grey, (rf_point){middle.x, middle.y + 7}, (rf_point){middle.x, middle.y - 5});
    add_line(c->out, "limit", grey, (rf_point){middle.x - 5, middle.y - 5},
             (rf_point){middle.x + 5, middle.y - 5});
    break;
  case KEY_ABOVE:
    draw_circle(c, middle, RF_DOT_RADIUS, ROOF_SCENE_SERIES - 1, false);
    draw_ring(c, middle, RF_DOT_RADIUS);
    break;
  case KEY_SAME:
  case KEY_NEXT:
    draw_link(c, (rf_point){x - 6, c->y - 4}, (rf_point){x + 30, c->y - 4}, key == KEY_SAME);
    break;
  }
}

/** Where the rows below the plot begin. */
static double key_left(const chart *c) {
  return rf_frame_is_narrow(c->layout->width) ? 12 : c->layout->left;
}

enum { KEY_WORDS = 96 };

/** What of a key's name has room, and how wide the key is; where it is wider than what is left of the row, the next one begins. */
static double begin_key(chart *c, double *x, const char *name, char words[KEY_WORDS]) {
  rf_glyph_elide(words, KEY_WORDS, name, (c->layout->right - key_left(c) - 30) / RF_FONT_SIZE);
  double width = 30 + rf_glyph_ems(words) * RF_FONT_SIZE + 18;
  if (*x + width > c->layout->right + 18 && *x > key_left(c)) {
    *x = key_left(c);
    c->y += row_height;
  }
  return width;
}

static void add_key(chart *c, double *x, legend_key key, int hue, const char *name) {
  char words[KEY_WORDS];
  double width = begin_key(c, x, name, words);
  draw_sample(c, key, hue, *x);
  add_text(c->out, "k", NULL, *x + 30, c->y, words);
  *x += width;
}

/** The ceilings whose names have no room in the plot. */
static void draw_unnamed_roofs(chart *c) {
  double x = key_left(c);
  for (int i = 0, found = 0; i < c->scene->roof_count; i++) {
    const roof_scene_roof *roof = &c->scene->roofs[i];
    if (c->layout->marks[i].text[0] != '\0' || roof->label[0] == '\0') {
      continue;
    }
    char words[KEY_WORDS];
    const rf_colour *hue = colour(rf_hue_of_roof(c->scene, roof));
    c->y += found++ == 0 ? row_height + 6 : 0;
    double width = begin_key(c, &x, roof->label, words);
    open_of(c, 'r', i);
    add_line(c->out, line_class(roof), hue->line, (rf_point){x, c->y - 4}, (rf_point){x + 24, c->y - 4});
    add_text(c->out, "k", hue->text, x + 30, c->y, words);
    roof_text_add(c->out, "</g>\n");
    x += width;
  }
}

static bool has_style(const roof_scene *scene, roof_line_style wanted) {
  bool found = false;
  for (int i = 0; i < scene->roof_count; i++) {
    found |= scene->roofs[i].style == wanted;
  }
  return found;
}

/** The levels of one machine and what its other colours are, or the machines. */
static void draw_hue_keys(chart *c, double *x) {
  const roof_scene *scene = c->scene;
  rf_hue_key keys[RF_HUE_KEYS];
  int count = rf_hue_keys(scene, keys);
  for (int i = 0; i < count; i++) {
    add_key(c, x, KEY_HUE, keys[i].hue, keys[i].name);
  }
  const char *groups[RF_GROUPS];
  int grouped = rf_hue_groups(scene, groups);
  for (int i = 0; i < grouped; i++) {
    add_key(c, x, KEY_DOTS, rf_hue_of_group(i), groups[i]);
  }
  for (int i = count > 0; i < scene->series_count; i++) {
    add_key(c, x, count > 0 ? KEY_DOTS : KEY_HUE, rf_hue_of_series(scene, i), scene->series[i]);
  }
}

static void draw_legend(chart *c) {
  const roof_scene *scene = c->scene;
  bool dots[2] = {false, false}, joined[2] = {false, false}, above = false, limits = false;
  for (int i = 0; i < scene->dot_count; i++) {
    dots[scene->dots[i].predicted] = true;
    above |= c->layout->geometry.above[i];
    limits |= has_limit(c, i);
    if (is_joined(scene, i)) {
      joined[is_joined_to_itself(scene, i)] = true;
    }
  }
  const struct {
    bool shown;
    legend_key key;
    const char *words;
  } keys[] = {{has_style(scene, ROOF_SOLID), KEY_SOLID, "theoretical ceiling"},
              {has_style(scene, ROOF_DASHED), KEY_DASHED, "measured ceiling"},
              {dots[false], KEY_MEASURED, "measured kernel"},
              {dots[true], KEY_PREDICTED, "predicted, at the rate expected"},
              {limits, KEY_LIMIT, "the limit of a dot"},
              {above, KEY_ABOVE, "above its ceiling (!)"},
              {joined[true], KEY_SAME, "the same kernel"},
              {joined[false], KEY_NEXT, scene->arrow[0] != '\0' ? scene->arrow : "next"}};
  double x = key_left(c);
  c->y += 28;
  draw_hue_keys(c, &x);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (keys[i].shown) {
      add_key(c, &x, keys[i].key, 0, keys[i].words);
    }
  }
}

/** The label of a numbered dot, with its series if there are several and it does not begin with it. */
static void key_words(const chart *c, int dot, char *words, size_t size) {
  const roof_scene_dot *d = &c->scene->dots[dot];
  bool several = c->scene->series_count > 1 && d->series < c->scene->series_count &&
                 strncmp(d->label, c->scene->series[d->series], strlen(c->scene->series[d->series])) != 0;
  snprintf(words, size, "%s%s%s", d->label, several ? ", " : "", several ? c->scene->series[d->series] : "");
}

/** How many dots are named, and the width of the longest name. */
static int count_names(const chart *c, double *longest) {
  char words[160];
  int count = 0;
  *longest = 0;
  for (int i = 0; i < c->scene->dot_count; i++) {
    key_words(c, i, words, sizeof words);
    if (rf_layout_names(c->layout, &c->scene->dots[i])) {
      *longest = fmax(*longest, rf_glyph_ems(words) * RF_FONT_SIZE);
      count++;
    }
  }
  return count;
}

/** The labels of numbered dots, in two columns where they fit. */
static void draw_numbers(chart *c) {
  double width = c->layout->right - key_left(c), longest;
  char number[16], words[160], label[160];
  int count = count_names(c, &longest), columns = longest + 40 < width / 2 ? 2 : 1;
  int rows = (count + columns - 1) / columns;
  for (int i = 0, at = 0; i < c->scene->dot_count; i++) {
    if (!rf_layout_names(c->layout, &c->scene->dots[i])) {
      continue;
    }
    double x = key_left(c) + at / rows * width / columns, y = c->y + 26 + at % rows * (row_height - 2);
    at++;
    snprintf(number, sizeof number, "%d", i + 1);
    key_words(c, i, words, sizeof words);
    rf_glyph_elide(label, sizeof label, words, (width / columns - 40) / RF_FONT_SIZE);
    add_text(c->out, "e", dot_colour(c, i)->text, x + 22, y, number);
    add_text(c->out, "k", NULL, x + 30, y, label);
  }
  c->y += 8 + rows * (row_height - 2);
}

/** How many dots have no name. */
static void draw_rest(chart *c) {
  double longest;
  int rest = c->scene->dot_count - count_names(c, &longest);
  char words[96];
  if (rest > 0) {
    rf_format(words, sizeof words, "%s%d%s, named where one points at them",
              rest < c->scene->dot_count ? "and " : "", rest,
              rest < c->scene->dot_count ? " that take less of the time" : " points");
    int left = (int)key_left(c), top = (int)(c->y + row_height + 2);
    double ems = (c->layout->right - left) / RF_FONT_SIZE;
    c->y = top + row_height * (rf_frame_lines(c->out, "s", left, top, (int)row_height, ems, words) - 1);
  }
}

static void draw_body(chart *c) {
  rf_frame_head(c->out, c->layout->width, c->scene->title, c->scene->subtitle);
  draw_frame(c);
  draw_roofs(c);
  draw_threads(c);
  draw_leaders(c);
  draw_dots(c);
  draw_marks(c);
  draw_warnings(c);
  roof_text_add(c->out, "<g class=\"legend\">\n");
  draw_legend(c);
  draw_unnamed_roofs(c);
  if (c->layout->numbered) {
    draw_numbers(c);
  }
  draw_rest(c);
  roof_text_add(c->out, "</g>\n");
}

static rf_axes axes_of(const rf_layout *l) {
  const rf_geometry *g = &l->geometry;
  return (rf_axes){{pow(10, g->low.x), pow(10, g->high.x), false, "FLOP/byte"},
                   {pow(10, g->low.y), pow(10, g->high.y), false, "FLOP/s"},
                   l->left,
                   l->top,
                   l->right,
                   l->bottom};
}

roof_status roof_draw_svg(const roof_scene *scene, int width, roof_text *out, roof_error *error) {
  rf_layout *layout = malloc(sizeof *layout);
  roof_status status = layout != NULL ? rf_layout_make(scene, rf_frame_width(width), layout, error)
                                      : roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory");
  if (status != ROOF_OK) {
    free(layout);
    return status;
  }
  roof_text body = {0}, description = {0};
  chart c = {.scene = scene, .layout = layout, .out = &body};
  draw_body(&c);
  rf_scene_describe(scene, &description);
  if (!body.failed && !description.failed) {
    int height = (int)c.y + 20;
    const rf_axes axes = axes_of(layout);
    rf_frame_begin(out, "roofline", layout->width, height,
                   scene->title[0] != '\0' ? scene->title : "Roofline", description.data, &axes, style);
    roof_text_add_bytes(out, body.data, body.length);
    roof_text_add(out, "</svg>\n");
  }
  bool failed = body.failed || description.failed || out->failed;
  free(layout);
  roof_text_done(&body);
  roof_text_done(&description);
  return failed ? roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory") : ROOF_OK;
}
