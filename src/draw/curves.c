/* Curves as SVG: panels one above the other over one x axis, with level and upright lines, dots,
 * and a legend beneath. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/axis.h"
#include "draw/frame.h"
#include "draw/geometry.h"
#include "draw/glyph.h"
#include "draw/palette.h"
#include "roofline/units.h"

enum { FONT = 12, GAP = 34, LEGEND_ROW = 20, BOX_MAX = 192, NUMBER = 12 };
enum { LINE_MAX = (ROOF_PANEL_MAX + 1) * ROOF_PANEL_MARKS };
enum {
  ONE_PANEL = 400,
  FIRST_PANEL = 300,
  NARROW_PANEL = 260,
  NEXT_PANEL = 190,
  AXIS_ROOM = 58,
  TICK_ROOM = 65
};

static const char style[] =
    "<style>.curves{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu "
    "Sans',sans-serif;"
    "font-size:12px}.curves text{fill:#222}.curves .t{font-size:17px;font-weight:600}.curves .s{fill:#555}"
    ".curves .g{stroke:#e4e7ea}.curves .a{stroke:#9aa3ad}.curves .c{text-anchor:middle}"
    ".curves .e{text-anchor:end}.curves .p{fill:none;stroke-width:2}.curves .d{stroke-dasharray:3 4}"
    ".curves .k{stroke-dasharray:7 4}"
    ".curves .h{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}" RF_DARK(
        "curves") "</style>\n";

/** A rectangle that a label takes. */
typedef struct box {
  double left, top, right, bottom;
  bool upright; /**< the text runs from the bottom to the top */
  bool covers;  /**< lines, which end at it */
} box;

typedef struct canvas {
  const roof_curves *curves;
  roof_text *out;
  int width;
  double left, right;
  rf_range x;
  rf_range y[ROOF_PANEL_MAX];
  double top[ROOF_PANEL_MAX], bottom[ROOF_PANEL_MAX];
  box taken[BOX_MAX]; /**< by labels and dots */
  int taken_count;
  box lines[LINE_MAX]; /**< horizontal and vertical lines, which labels avoid crossing */
  int line_count;
  box labels[ROOF_PANEL_MAX][ROOF_PANEL_DOTS];  /**< of the dots; NaN: no room */
  int numbers[ROOF_PANEL_MAX][ROOF_PANEL_DOTS]; /**< of the dots whose names have none; 0: it has */
  int number_count;
  box limits[ROOF_PANEL_MAX]
            [ROOF_PANEL_MARKS]; /**< of the limits' labels; NaN: no room, they are in the legend */
} canvas;

static const rf_colour *colour(int series) {
  return &rf_palette[(unsigned)series % ROOF_SCENE_SERIES];
}

/** Where a value lies on its axis. */
static double along(bool linear, double value) {
  return linear ? value : log10(value);
}

static double place_x(const canvas *c, double x) {
  return c->left + (c->right - c->left) * (along(c->curves->linear, x) - c->x.low) / (c->x.high - c->x.low);
}

static double place_y(const canvas *c, int panel, double y) {
  double at = along(c->curves->panels[panel].linear, y);
  return c->bottom[panel] -
         (c->bottom[panel] - c->top[panel]) * (at - c->y[panel].low) / (c->y[panel].high - c->y[panel].low);
}

static void add_text(const canvas *c, const char *class, double x, double y, const char *fill,
                     const char *text) {
  roof_text_addf(c->out, "<text class=\"%s\" x=\"%ld\" y=\"%ld\"", class, lround(x), lround(y));
  if (fill != NULL) {
    roof_text_addf(c->out, " style=\"fill:%s\"", fill);
  }
  roof_text_add(c->out, ">");
  roof_text_add_xml(c->out, text);
  roof_text_add(c->out, "</text>\n");
}

static void add_line(const canvas *c, const char *class, const char *stroke, double x1, double y1, double x2,
                     double y2) {
  roof_text_addf(c->out, "<line class=\"%s\"", class);
  if (stroke != NULL) {
    roof_text_addf(c->out, " stroke=\"%s\"", stroke);
  }
  roof_text_addf(c->out, " x1=\"%ld\" y1=\"%ld\" x2=\"%ld\" y2=\"%ld\"/>\n", lround(x1), lround(y1),
                 lround(x2), lround(y2));
}

/** The ends of an axis as its values. */
static rf_axis axis_of(rf_range r, bool linear, const char *unit) {
  return (rf_axis){linear ? r.low : pow(10, r.low), linear ? r.high : pow(10, r.high), linear, unit};
}

static rf_axes axes_of(const canvas *c, int i) {
  const roof_panel *p = &c->curves->panels[i];
  return (rf_axes){axis_of(c->x, c->curves->linear, c->curves->x_unit),
                   axis_of(c->y[i], p->linear, p->unit),
                   c->left,
                   c->top[i],
                   c->right,
                   c->bottom[i]};
}

static void draw_panel_axes(const canvas *c, int i) {
  const roof_panel *p = &c->curves->panels[i];
  double ticks[RF_TICK_MAX];
  char label[sizeof p->title + 24];
  const rf_axes axes = axes_of(c, i);
  int most = (int)(c->bottom[i] - c->top[i]) / 34, across = (int)(c->right - c->left) / TICK_ROOM;
  bool cut = false;
  roof_text_add(c->out, "<g class=\"panel\"");
  rf_frame_words(c->out, "name", p->title);
  rf_frame_axes(c->out, &axes);
  roof_text_add(c->out, ">\n");
  int count = p->linear ? rf_ticks_linear(c->y[i], most, ticks) : rf_ticks_log(c->y[i], most, ticks);
  for (int k = 0; k < count; k++) {
    double y = place_y(c, i, ticks[k]);
    rf_tick_label(label, sizeof label, ticks[k], p->unit);
    cut = rf_frame_cut_unit(c->width, label, p->unit);
    add_line(c, "g", NULL, c->left, y, c->right, y);
    add_text(c, "e", c->left - 8, y + 4, NULL, label);
  }
  count = c->curves->linear ? rf_ticks_linear(c->x, across, ticks) : rf_ticks_log(c->x, across, ticks);
  for (int k = 0; k < count; k++) {
    double x = place_x(c, ticks[k]);
    add_line(c, "g", NULL, x, c->top[i], x, c->bottom[i]);
    if (i == c->curves->panel_count - 1) {
      rf_tick_label(label, sizeof label, ticks[k], c->curves->x_unit);
      add_text(c, "c", rf_frame_tick(c->width, x, label), c->bottom[i] + 18, NULL, label);
    }
  }
  add_line(c, "a", NULL, c->left, c->bottom[i], c->right, c->bottom[i]);
  roof_text_addf(c->out, "<g transform=\"translate(%d %ld) rotate(-90)\">",
                 rf_frame_is_narrow(c->width) ? 15 : 22, lround((c->top[i] + c->bottom[i]) / 2));
  snprintf(label, sizeof label, cut && strstr(p->title, p->unit) == NULL ? "%s (%s)" : "%s", p->title,
           p->unit);
  add_text(c, "c", 0, 0, NULL, label);
  roof_text_add(c->out, "</g></g>\n");
}

/** Points `from` to `to` of a curve as one line. */
static void draw_part(const canvas *c, int panel, const roof_curve *curve, int from, int to, bool dashed) {
  if (to - from < 2) {
    return;
  }
  roof_text_addf(c->out, "<polyline class=\"p%s\" stroke=\"%s\"", dashed ? " d" : "",
                 colour(curve->series)->line);
  rf_frame_words(c->out, "name", c->curves->series[curve->series]);
  roof_text_add(c->out, " points=\"");
  for (int i = from; i < to; i++) {
    roof_text_addf(c->out, "%s%.1f,%.1f", i > from ? " " : "", place_x(c, curve->x[i]),
                   place_y(c, panel, curve->y[i]));
  }
  roof_text_add(c->out, "\"/>\n");
}

static void draw_curves(const canvas *c, int panel) {
  const roof_panel *p = &c->curves->panels[panel];
  for (int i = 0; i < p->curve_count; i++) {
    const roof_curve *curve = &p->curves[i];
    draw_part(c, panel, curve, 0, curve->solid, false);
    draw_part(c, panel, curve, curve->solid > 0 ? curve->solid - 1 : 0, curve->count, true);
  }
}

static bool is_clear(const box *b, const box *others, int count) {
  for (int i = 0; i < count; i++) {
    const box *o = &others[i];
    if (!(b->right <= o->left || o->right <= b->left || b->bottom <= o->top || o->bottom <= b->top)) {
      return false;
    }
  }
  return true;
}

/** Cuts the stretch from *from to *to of a line that goes from `start` by `step` to where it is within two sides. */
static void clip(double start, double step, double low, double high, double *from, double *to) {
  double a = (low - start) / step, b = (high - start) / step;
  if (step == 0) {
    *to = start > low && start < high ? *to : -1;
    return;
  }
  *from = fmax(*from, fmin(a, b));
  *to = fmin(*to, fmax(a, b));
}

/** Whether the line between two points of a curve passes through the box. */
static bool passes(const canvas *c, int panel, const roof_curve *curve, int point, const box *b) {
  double x = place_x(c, curve->x[point]), y = place_y(c, panel, curve->y[point]), from = 0, to = 1;
  clip(x, place_x(c, curve->x[point + 1]) - x, b->left - 1, b->right + 1, &from, &to);
  clip(y, place_y(c, panel, curve->y[point + 1]) - y, b->top - 1, b->bottom + 1, &from, &to);
  return from < to;
}

/** Whether a curve of the panel passes through the box. */
static bool is_passed(const canvas *c, int panel, const box *b) {
  const roof_panel *p = &c->curves->panels[panel];
  for (int i = 0; i < p->curve_count; i++) {
    for (int k = 0; k + 1 < p->curves[i].count; k++) {
      if (passes(c, panel, &p->curves[i], k, b)) {
        return true;
      }
    }
  }
  return false;
}

static void take(canvas *c, box b) {
  if (c->taken_count < BOX_MAX) {
    c->taken[c->taken_count++] = b;
  }
}

/** What a place may have under it. */
typedef enum under { NOTHING, LINES, CURVES } under;

/** Takes the first place that is inside the panel and free: over nothing, else over lines, which end at it, else over
 * curves, which go on, up to `worst`; NULL: none is free. */
static const box *find_place(canvas *c, int panel, box *places, int count, under worst) {
  for (int i = 0; i < ((int)worst + 1) * count; i++) {
    box *b = &places[i % count];
    under most = (under)(i / count);
    bool inside = b->left >= c->left && b->right <= c->right && b->top >= c->top[panel] - 2 &&
                  b->bottom <= c->bottom[panel] + 2;
    bool over = inside && most < CURVES && is_passed(c, panel, b);
    b->covers = inside && !is_clear(b, c->lines, c->line_count);
    if (inside && !over && (most > NOTHING || !b->covers) && is_clear(b, c->taken, c->taken_count)) {
      take(c, *b);
      return b;
    }
  }
  return NULL;
}

static void write_label(const canvas *c, const box *b, const char *label, int series) {
  if (b->covers) {
    roof_text_addf(c->out, "<rect x=\"%ld\" y=\"%ld\" width=\"%ld\" height=\"%ld\" fill=\"#fff\"/>\n",
                   lround(b->left - 2), lround(b->top + 1), lround(b->right - b->left + 4),
                   lround(b->bottom - b->top - 2));
  }
  if (!b->upright) {
    add_text(c, "h", b->left, b->bottom - 4, colour(series)->text, label);
    return;
  }
  roof_text_addf(c->out, "<g transform=\"translate(%ld %ld) rotate(-90)\">", lround(b->right - 3),
                 lround(b->bottom));
  add_text(c, "h", 0, 0, colour(series)->text, label);
  roof_text_add(c->out, "</g>\n");
}

static box box_at(double left, double top, const char *label) {
  return (box){left, top, left + rf_glyph_ems(label) * FONT, top + 16, false, false};
}

/** Pixels across the line of a text that runs upwards. */
enum { UPRIGHT = 13 };

static box upright_at(double left, double bottom, const char *label) {
  return (box){left, bottom - rf_glyph_ems(label) * FONT, left + UPRIGHT, bottom, true, false};
}

/** Records the horizontal and vertical lines before any label is placed. */
static void note_lines(canvas *c) {
  for (int i = 0; i < c->curves->panel_count; i++) {
    for (int k = 0; k < c->curves->panels[i].limit_count; k++) {
      double y = place_y(c, i, c->curves->panels[i].limits[k].y);
      c->lines[c->line_count++] = (box){c->left, y - 1, c->right, y + 1, false, false};
    }
  }
  for (int i = 0; i < c->curves->mark_count; i++) {
    double x = place_x(c, c->curves->marks[i].x);
    c->lines[c->line_count++] =
        (box){x - 1, c->top[0], x + 1, c->bottom[c->curves->panel_count - 1], false, false};
  }
}

/** Finds the places of the limits' labels: next to their lines, in a narrow picture over nothing else. */
static void place_limits(canvas *c, int panel) {
  const roof_panel *p = &c->curves->panels[panel];
  for (int i = 0; i < p->limit_count; i++) {
    const roof_curve_dot *l = &p->limits[i];
    double y = place_y(c, panel, l->y), width = rf_glyph_ems(l->label) * FONT;
    enum { COLUMNS = 5 };
    box places[2 * COLUMNS];
    for (int k = 0; k < 2 * COLUMNS; k++) {
      double left = c->left + 6 + (c->right - c->left - 12 - width) * (k / 2) / (COLUMNS - 1);
      places[k] = box_at(left, k % 2 == 0 ? y - 18 : y + 2, l->label);
    }
    const box *b = find_place(c, panel, places, 2 * COLUMNS, rf_frame_is_narrow(c->width) ? NOTHING : CURVES);
    c->limits[panel][i] = b != NULL ? *b : (box){.left = NAN};
  }
}

static void draw_limits(const canvas *c, int panel) {
  const roof_panel *p = &c->curves->panels[panel];
  for (int i = 0; i < p->limit_count; i++) {
    const roof_curve_dot *l = &p->limits[i];
    double y = place_y(c, panel, l->y);
    add_line(c, "k", colour(l->series)->line, c->left, y, c->right, y);
    if (!isnan(c->limits[panel][i].left)) {
      write_label(c, &c->limits[panel][i], l->label, l->series);
    }
  }
}

static void draw_mark_lines(canvas *c) {
  for (int i = 0; i < c->curves->mark_count; i++) {
    const roof_curve_dot *m = &c->curves->marks[i];
    double x = place_x(c, m->x);
    for (int panel = 0; panel < c->curves->panel_count; panel++) {
      add_line(c, "k", colour(m->series)->line, x, c->top[panel], x, c->bottom[panel]);
    }
  }
}

/** Where the label of an upright line may be: next to it and as low as there is room, else along it. */
static void label_mark(canvas *c, const roof_curve_dot *m) {
  enum { ROWS = 17, LANES = 3 };
  double x = place_x(c, m->x), width = rf_glyph_ems(m->label) * FONT, height = c->bottom[0] - c->top[0];
  box places[2 * ROWS + 2 * LANES];
  int count = 0;
  for (int row = 0; row < ROWS; row++) {
    double top = c->bottom[0] - 20 - 17 * row;
    places[count++] = box_at(x + 6, top, m->label);
    places[count++] = box_at(x - 6 - width, top, m->label);
  }
  for (int lane = 0; lane < LANES; lane++) {
    double bottom = c->bottom[0] - 3 - fmax(0, height - width - 6) * lane / (LANES - 1);
    places[count++] = upright_at(x - 3 - UPRIGHT, bottom, m->label);
    places[count++] = upright_at(x + 3, bottom, m->label);
  }
  const box *b = find_place(c, 0, places, count, CURVES);
  if (b != NULL) {
    write_label(c, b, m->label, m->series);
  }
}

/** Vertical lines, labelled in the first panel, over the lines of the others. */
static void draw_marks(canvas *c) {
  draw_mark_lines(c);
  for (int i = 0; i < c->curves->mark_count; i++) {
    label_mark(c, &c->curves->marks[i]);
  }
}

/** Pixels from a box to a dot; 0 inside. */
static double distance_to(const canvas *c, int panel, const box *b, const roof_curve_dot *d) {
  double x = place_x(c, d->x), y = place_y(c, panel, d->y);
  return rf_length(fmax(0, fmax(b->left - x, x - b->right)), fmax(0, fmax(b->top - y, y - b->bottom)));
}

/** Whether another dot is nearer to a place than the one that it is for. */
static bool is_of_another(const canvas *c, int panel, const box *b, int dot) {
  const roof_panel *p = &c->curves->panels[panel];
  double own = distance_to(c, panel, b, &p->dots[dot]);
  for (int i = 0; i < p->dot_count; i++) {
    if (distance_to(c, panel, b, &p->dots[i]) < own) {
      return true;
    }
  }
  return false;
}

/** Finds the place of a dot's label or number. */
static box place_dot(canvas *c, int panel, int dot, const char *words) {
  const roof_curve_dot *d = &c->curves->panels[panel].dots[dot];
  double x = place_x(c, d->x), y = place_y(c, panel, d->y), width = rf_glyph_ems(words) * FONT;
  box places[] = {box_at(x + 9, y + 4, words),           box_at(x + 9, y - 20, words),
                  box_at(x - 9 - width, y - 20, words),  box_at(x - 9 - width, y + 4, words),
                  box_at(x - width / 2, y + 10, words),  box_at(x - width / 2, y - 26, words),
                  box_at(x + 16, y + 12, words),         box_at(x + 16, y - 28, words),
                  box_at(x - 16 - width, y - 28, words), box_at(x - 16 - width, y + 12, words)};
  int count = 0;
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    places[count] = places[i];
    count += is_of_another(c, panel, &places[i], dot) ? 0 : 1;
  }
  const box *found = find_place(c, panel, places, count, CURVES);
  return found != NULL ? *found : (box){NAN, NAN, NAN, NAN, false, false};
}

static const char *number_of(int number, char text[NUMBER]) {
  snprintf(text, NUMBER, "%d", number);
  return text;
}

/** Finds the places of the dots' labels before any other label takes them: lines have more places than dots. A name without
 * room has a number there, and stands in the legend. */
static void place_dots(canvas *c, int panel) {
  const roof_panel *p = &c->curves->panels[panel];
  char number[NUMBER];
  for (int i = 0; i < p->dot_count; i++) {
    double x = place_x(c, p->dots[i].x), y = place_y(c, panel, p->dots[i].y);
    double top = p->dots[i].limit > 0 ? fmin(y, place_y(c, panel, p->dots[i].limit)) : y;
    take(c, (box){x - 6, top - 6, x + 6, y + 6, false, false});
  }
  for (int i = 0; i < p->dot_count; i++) {
    c->labels[panel][i] = place_dot(c, panel, i, p->dots[i].label);
    bool dropped = isnan(c->labels[panel][i].left) && p->dots[i].label[0] != '\0';
    c->numbers[panel][i] = dropped ? ++c->number_count : 0;
  }
  for (int i = 0; i < p->dot_count; i++) {
    if (c->numbers[panel][i] > 0) {
      c->labels[panel][i] = place_dot(c, panel, i, number_of(c->numbers[panel][i], number));
    }
  }
}

/** A line from a dot up to what is possible there, with the bar of a limit at its end. */
static void draw_limit(const canvas *c, int panel, const roof_curve_dot *d) {
  const char *line = colour(d->series)->line;
  double x = place_x(c, d->x), end = place_y(c, panel, d->limit);
  add_line(c, "d", line, x, place_y(c, panel, d->y), x, end);
  add_line(c, "p", line, x - 5, end, x + 5, end);
}

static void add_dot(const canvas *c, const roof_curve_dot *d, double x, double y) {
  const char *line = colour(d->series)->line;
  roof_text_addf(c->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\" stroke=\"%s\"%s/>", x, y,
                 d->hollow ? "4.2" : "5", d->hollow ? "#fff" : line, d->hollow ? line : "#fff",
                 d->hollow ? " stroke-width=\"2\"" : "");
}

static void draw_dots(const canvas *c, int panel) {
  const roof_panel *p = &c->curves->panels[panel];
  char number[NUMBER];
  for (int i = 0; i < p->dot_count; i++) {
    const roof_curve_dot *d = &p->dots[i];
    rf_frame_mark(c->out, "dot", NULL, d->label);
    rf_frame_words(c->out, "machine", c->curves->series[d->series]);
    rf_frame_value(c->out, "x", d->x);
    rf_frame_value(c->out, "y", d->y);
    rf_frame_value(c->out, d->hollow ? "predicted" : "measured", d->y);
    if (d->limit > 0) {
      rf_frame_value(c->out, "limit", d->limit);
    }
    roof_text_add(c->out, "><title>");
    roof_text_add_xml(c->out, d->label);
    roof_text_add(c->out, d->detail[0] != '\0' ? ": " : "");
    roof_text_add_xml(c->out, d->detail);
    roof_text_add(c->out, "</title>");
    if (d->limit > 0) {
      draw_limit(c, panel, d);
    }
    add_dot(c, d, place_x(c, d->x), place_y(c, panel, d->y));
    roof_text_add(c->out, "</g>\n");
    if (!isnan(c->labels[panel][i].left)) {
      int of = c->numbers[panel][i];
      write_label(c, &c->labels[panel][i], of > 0 ? number_of(of, number) : d->label, d->series);
    }
  }
}

/** An entry below the panels: a line or a numbered dot as it is drawn there, and its name. */
typedef struct key {
  const char *class, *line, *name;
  const roof_curve_dot *dot;
  int number;
} key;

/** The series, what is dashed, and the limits and dots whose labels have no room; into `keys`. */
static int list_keys(const canvas *c, key *keys) {
  const roof_curves *all = c->curves;
  int count = 0;
  for (int i = 0; i < all->series_count; i++) {
    keys[count++] = (key){"p", colour(i)->line, all->series[i], NULL, 0};
  }
  if (all->dashed[0] != '\0') {
    keys[count++] = (key){"p d", "#555555", all->dashed, NULL, 0};
  }
  for (int panel = 0; panel < all->panel_count; panel++) {
    for (int i = 0; i < all->panels[panel].limit_count; i++) {
      const roof_curve_dot *l = &all->panels[panel].limits[i];
      if (isnan(c->limits[panel][i].left)) {
        keys[count++] = (key){"k", colour(l->series)->line, l->label, NULL, 0};
      }
    }
    for (int i = 0; i < all->panels[panel].dot_count; i++) {
      const roof_curve_dot *d = &all->panels[panel].dots[i];
      if (c->numbers[panel][i] > 0) {
        keys[count++] = (key){.name = d->label, .dot = d, .number = c->numbers[panel][i]};
      }
    }
  }
  return count;
}

static void draw_key(const canvas *c, const key *k, double x, double y, const char *name) {
  char number[NUMBER];
  if (k->dot != NULL) {
    add_dot(c, k->dot, x + 6, y - 4);
    add_text(c, "h", x + 14, y, colour(k->dot->series)->text, number_of(k->number, number));
  } else {
    add_line(c, k->class, k->line, x, y - 4, x + 26, y - 4);
  }
  add_text(c, "s", x + 32, y, NULL, name);
}

/** The keys below the panels, as many per row as fit. Returns the height used. */
static double draw_legend(const canvas *c, double top, bool draw) {
  enum { KEYS = ROOF_PANEL_CURVES + 1 + ROOF_PANEL_MAX * (ROOF_PANEL_MARKS + ROOF_PANEL_DOTS) };
  key keys[KEYS];
  int count = list_keys(c, keys);
  double left = rf_frame_is_narrow(c->width) ? 12 : c->left, x = left, y = top;
  for (int i = 0; i < count; i++) {
    char name[96];
    rf_glyph_elide(name, sizeof name, keys[i].name, (c->right - left - 32) / FONT);
    double width = rf_glyph_ems(name) * FONT + 52;
    if (x > left && x + width > c->right) {
      x = left;
      y += LEGEND_ROW;
    }
    if (draw) {
      draw_key(c, &keys[i], x, y, name);
    }
    x += width;
  }
  return y - top + LEGEND_ROW;
}

static void widen(rf_range *r, double value) {
  r->low = fmin(r->low, value);
  r->high = fmax(r->high, value);
}

static roof_status check_point(const canvas *c, const roof_panel *p, double x, double y, roof_error *error) {
  bool good =
      (c->curves->linear ? x >= 0 : x > 0) && isfinite(x) && isfinite(y) && (p->linear ? y >= 0 : y > 0);
  return good ? ROOF_OK
              : roof_error_set(error, ROOF_E_ARGUMENT, "chart: a value of `%s` has no place on its axis",
                               p->title);
}

/** The range of a panel's values, and all panels' of x. */
static roof_status find_range(canvas *c, int panel, roof_error *error) {
  const roof_panel *p = &c->curves->panels[panel];
  rf_range *y = &c->y[panel];
  roof_status status = ROOF_OK;
  *y = (rf_range){NAN, NAN};
  for (int i = 0; i < p->curve_count; i++) {
    for (int k = 0; k < p->curves[i].count && status == ROOF_OK; k++) {
      status = check_point(c, p, p->curves[i].x[k], p->curves[i].y[k], error);
      widen(&c->x, along(c->curves->linear, p->curves[i].x[k]));
      widen(y, along(p->linear, p->curves[i].y[k]));
    }
  }
  for (int i = 0; i < p->dot_count && status == ROOF_OK; i++) {
    double at = along(c->curves->linear, p->dots[i].x), room = c->curves->linear ? 0 : 0.1;
    status = check_point(c, p, p->dots[i].x, p->dots[i].y, error);
    widen(&c->x, at - room);
    widen(&c->x, at + room);
    widen(y, along(p->linear, p->dots[i].y));
    if (status == ROOF_OK && p->dots[i].limit > 0) {
      status = check_point(c, p, p->dots[i].x, p->dots[i].limit, error);
      widen(y, along(p->linear, p->dots[i].limit));
    }
  }
  for (int i = 0; i < p->limit_count && status == ROOF_OK; i++) {
    status = check_point(c, p, 1, p->limits[i].y, error);
    widen(y, along(p->linear, p->limits[i].y));
  }
  if (status == ROOF_OK && isnan(y->low)) {
    status = roof_error_set(error, ROOF_E_ARGUMENT, "chart: `%s` has nothing to draw", p->title);
  }
  if (p->linear) {
    *y = (rf_range){0, y->high > 0 ? y->high * 1.12 : 1};
  } else {
    double room = 0.06 * fmax(y->high - y->low, 0.5);
    *y = (rf_range){y->low - room, y->high + 1.5 * room};
  }
  return status;
}

static roof_status lay_out(canvas *c, roof_error *error) {
  roof_status status = ROOF_OK;
  bool narrow = rf_frame_is_narrow(c->width);
  double top = 74 + rf_frame_head(NULL, c->width, c->curves->title, c->curves->subtitle);
  c->x = (rf_range){NAN, NAN};
  for (int i = 0; i < c->curves->panel_count && status == ROOF_OK; i++) {
    status = find_range(c, i, error);
    c->top[i] = top;
    c->bottom[i] = top + (i > 0                         ? NEXT_PANEL
                          : narrow                      ? NARROW_PANEL
                          : c->curves->panel_count == 1 ? ONE_PANEL
                                                        : FIRST_PANEL);
    top = c->bottom[i] + GAP;
  }
  double most = NAN;
  for (int i = 0; i < c->curves->mark_count && status == ROOF_OK; i++) {
    double at = along(c->curves->linear, c->curves->marks[i].x);
    status = check_point(c, &c->curves->panels[0], c->curves->marks[i].x, 1, error);
    widen(&c->x, at);
    most = fmax(most, at);
  }
  /* The last mark's label has room to its right, running upwards. */
  c->x.high = fmax(c->x.high, most + 0.025 * (c->x.high - c->x.low));
  if (c->curves->linear) {
    c->x = (rf_range){0, c->x.high * 1.02};
  } else if (c->x.high - c->x.low < 0.3) {
    c->x = (rf_range){c->x.low - 0.15, c->x.high + 0.15};
  }
  return status;
}

static void describe_mark(const roof_curve_dot *m, roof_text *out) {
  roof_text_addf(out, "; %s", m->label);
}

static void describe(const roof_curves *all, roof_text *out) {
  char first[48], last[48], at[48];
  roof_text_addf(out, "%s over %s, %s", all->panels[0].title, all->x_title,
                 all->linear ? "linear" : "logarithmic");
  for (int i = 0; i < all->panel_count; i++) {
    const roof_panel *p = &all->panels[i];
    for (int k = 0; k < p->curve_count; k++) {
      const roof_curve *v = &p->curves[k];
      rf_axis_number(at, sizeof at, v->x[0]);
      rf_axis_number(first, sizeof first, v->x[v->count - 1]);
      roof_text_addf(out, ". %s, %s: %s at %s", all->series[v->series], p->title,
                     roof_quantity_format(last, sizeof last, v->y[0], p->unit), at);
      roof_text_addf(out, ", %s at %s", roof_quantity_format(last, sizeof last, v->y[v->count - 1], p->unit),
                     first);
    }
    for (int k = 0; k < p->limit_count; k++) {
      describe_mark(&p->limits[k], out);
    }
    for (int k = 0; k < p->dot_count; k++) {
      describe_mark(&p->dots[k], out);
    }
  }
  for (int i = 0; i < all->mark_count; i++) {
    describe_mark(&all->marks[i], out);
  }
}

static void add_head(const canvas *c, double height) {
  roof_text words = {0};
  const rf_axes axes = axes_of(c, 0);
  describe(c->curves, &words);
  rf_frame_begin(c->out, "curves", c->width, (int)lround(height), c->curves->title, words.data, &axes, style);
  c->out->failed |= words.failed;
  roof_text_done(&words);
  rf_frame_head(c->out, c->width, c->curves->title, c->curves->subtitle);
}

roof_status roof_draw_curves_svg(const roof_curves *curves, int width, roof_text *out, roof_error *error) {
  canvas c = {.curves = curves, .out = out, .width = rf_frame_width(width)};
  bool narrow = rf_frame_is_narrow(c.width);
  c.left = narrow ? 76 : 110; /* a label of seven characters, right of the title */
  c.right = c.width - (narrow ? 12 : 24);
  roof_status status = curves->panel_count > 0
                           ? lay_out(&c, error)
                           : roof_error_set(error, ROOF_E_ARGUMENT, "chart: it has no panel");
  if (status != ROOF_OK) {
    return status;
  }
  double room = (c.width - 24.0) / FONT, axis = c.bottom[curves->panel_count - 1] + AXIS_ROOM - 16;
  int lines = rf_frame_lines(NULL, "", 0, 0, 0, room, curves->x_title);
  double legend = axis + 16 + lines * LEGEND_ROW;
  note_lines(&c);
  for (int i = 0; i < curves->panel_count; i++) {
    place_dots(&c, i);
    place_limits(&c, i);
  }
  add_head(&c, legend + draw_legend(&c, legend, false));
  for (int i = 0; i < curves->panel_count; i++) {
    draw_panel_axes(&c, i);
  }
  rf_frame_lines(out, "c", (int)lround(lines > 1 ? c.width / 2.0 : (c.left + c.right) / 2), (int)lround(axis),
                 LEGEND_ROW, room, curves->x_title);
  for (int i = 0; i < curves->panel_count; i++) {
    draw_limits(&c, i);
    draw_curves(&c, i);
  }
  draw_marks(&c);
  for (int i = 0; i < curves->panel_count; i++) {
    draw_dots(&c, i);
  }
  draw_legend(&c, legend, true);
  roof_text_add(out, "</svg>\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory") : ROOF_OK;
}
