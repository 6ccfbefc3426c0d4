/* A Pareto front as SVG: linear axes from 0, steps between the dots, labels where there is room. */
#include <math.h>
#include <stdio.h>

#include "core/number.h"
#include "draw/frame.h"
#include "draw/glyph.h"
#include "draw/palette.h"
#include "roofline/draw.h"

enum { TICK_ROOM = 60, TICKS = 8, FONT = 12, ROW = 17 };

static const char style[] =
    "<style>.front{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu "
    "Sans',sans-serif;"
    "font-size:12px}.front text{fill:#222}.front .t{font-size:17px;font-weight:600}.front .s{fill:#555}"
    ".front .g{stroke:#d5d9de}.front .l{stroke:#b00020;stroke-dasharray:7 4}.front .c{text-anchor:middle}"
    ".front .e{text-anchor:end}.front .p{fill:none;stroke-width:1.7}"
    ".front .h{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}" RF_DARK(
        "front") "</style>\n";

typedef struct canvas {
  const roof_front *front;
  roof_text *out;
  int width, left, top, right, bottom;
  double high_x, high_y; /**< ends of the axes */
} canvas;

typedef struct box {
  double left, top, right, bottom;
} box;

static int pixel_x(const canvas *c, double x) {
  return (int)lround(c->left + (c->right - c->left) * x / c->high_x);
}

static int pixel_y(const canvas *c, double y) {
  return (int)lround(c->bottom - (c->bottom - c->top) * y / c->high_y);
}

static void add_text(roof_text *out, const char *class, int x, int y, const char *text) {
  roof_text_addf(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
  roof_text_add_xml(out, text);
  roof_text_add(out, "</text>\n");
}

static void add_line(roof_text *out, const char *class, int x1, int y1, int x2, int y2) {
  roof_text_addf(out, "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", class, x1, y1, x2,
                 y2);
}

/** 1, 2 or 5 times a power of ten, so that `high` has at most `most` of them. */
static double tick_step(double high, int most) {
  double decade = pow(10, floor(log10(high / most)));
  double times = high / most / decade;
  return decade * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static void draw_axes(const canvas *c) {
  char label[32];
  int across = (c->right - c->left) / TICK_ROOM;
  double step_x = tick_step(c->high_x, across < TICKS ? across : TICKS), step_y = tick_step(c->high_y, TICKS);
  for (int i = 0; i * step_x <= c->high_x * (1 + 1e-9); i++) {
    rf_format(label, sizeof label, "%.6g", i * step_x);
    add_line(c->out, "g", pixel_x(c, i * step_x), c->top, pixel_x(c, i * step_x), c->bottom);
    add_text(c->out, "c", (int)rf_frame_tick(c->width, pixel_x(c, i * step_x), label), c->bottom + 18, label);
  }
  for (int i = 0; i * step_y <= c->high_y * (1 + 1e-9); i++) {
    rf_format(label, sizeof label, "%.6g", i * step_y);
    add_line(c->out, "g", c->left, pixel_y(c, i * step_y), c->right, pixel_y(c, i * step_y));
    add_text(c->out, "e", c->left - 8, pixel_y(c, i * step_y) + 4, label);
  }
  roof_text_addf(c->out, "<g transform=\"translate(%d %d) rotate(-90)\">",
                 rf_frame_is_narrow(c->width) ? 15 : 22, (c->top + c->bottom) / 2);
  add_text(c->out, "c", 0, 0, c->front->y_title);
  roof_text_add(c->out, "</g>\n");
}

/** Returns how many lines it takes; `out` NULL: nothing is drawn. */
static int draw_x_title(const canvas *c, roof_text *out) {
  return rf_frame_lines(out, "c", (c->left + c->right) / 2, c->bottom + 44, ROW,
                        2.0 * (c->width - (c->left + c->right) / 2) / FONT, c->front->x_title);
}

static void draw_limit(const canvas *c) {
  const roof_front *f = c->front;
  if (f->least_x > 0 && f->least_x <= c->high_x) {
    add_line(c->out, "l", pixel_x(c, f->least_x), c->top, pixel_x(c, f->least_x), c->bottom);
    int x = pixel_x(c, f->least_x);
    bool left = x + 5 + rf_glyph_ems(f->least) * FONT > c->width;
    add_text(c->out, left ? "h e" : "h", left ? x - 5 : x + 5, c->bottom - 8, f->least);
  }
}

static void draw_steps(const canvas *c) {
  const roof_front *f = c->front;
  roof_text_addf(c->out, "<polyline class=\"p\" stroke=\"%s\" points=\"", rf_palette[0].line);
  for (int i = 0; i < f->count; i++) {
    roof_text_addf(c->out, "%s%d,%d", i > 0 ? " " : "", pixel_x(c, f->dots[i].x), pixel_y(c, f->dots[i].y));
  }
  roof_text_add(c->out, "\"/>\n");
}

static void draw_dots(const canvas *c) {
  const roof_front *f = c->front;
  for (int i = 0; i < f->count; i++) {
    const roof_front_dot *d = &f->dots[i];
    rf_frame_mark(c->out, "dot", NULL, d->label);
    rf_frame_value(c->out, "x", d->x);
    rf_frame_value(c->out, "y", d->y);
    rf_frame_value(c->out, "predicted", d->y);
    roof_text_add(c->out, "><title>");
    roof_text_add_xml(c->out, d->label);
    roof_text_addf(c->out, ": %.4g, %.4g</title>", d->x, d->y);
    roof_text_addf(
        c->out, "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"#fff\" stroke=\"%s\" stroke-width=\"2\"/></g>\n",
        pixel_x(c, d->x), pixel_y(c, d->y), d->best ? 7 : 4, rf_palette[d->best ? 1 : 0].line);
  }
}

static bool apart(const box *a, const box *b) {
  return a->right <= b->left || b->right <= a->left || a->bottom <= b->top || b->bottom <= a->top;
}

/** Cuts the stretch from *from to *to of a line that goes from `start` by `step` to where it is within two sides. */
static void clip(double start, double step, double low, double high, double *from, double *to) {
  if (step == 0) {
    *to = start > low && start < high ? *to : -1;
    return;
  }
  double a = (low - start) / step, b = (high - start) / step;
  *from = fmax(*from, fmin(a, b));
  *to = fmin(*to, fmax(a, b));
}

/** Whether the line from a dot to the next passes through the box. */
static bool passes(const canvas *c, int dot, const box *b) {
  const roof_front_dot *d = &c->front->dots[dot];
  double x = pixel_x(c, d[0].x), y = pixel_y(c, d[0].y), from = 0, to = 1;
  clip(x, pixel_x(c, d[1].x) - x, b->left, b->right, &from, &to);
  clip(y, pixel_y(c, d[1].y) - y, b->top, b->bottom, &from, &to);
  return from < to;
}

/** Whether a label may lie there: within the plot, not over another label, a dot or the line that joins them. */
static bool is_free(const canvas *c, int dot, const box *b, const box *taken, int count) {
  const roof_front *f = c->front;
  bool free = b->left > c->left && b->right <= c->right + 2 && b->top > c->top - 10 && b->bottom < c->bottom;
  for (int i = 0; i < count; i++) {
    free = free && apart(b, &taken[i]);
  }
  for (int i = 0; i < f->count; i++) {
    int cx = pixel_x(c, f->dots[i].x), cy = pixel_y(c, f->dots[i].y);
    box mark = {cx - 5, cy - 5, cx + 5, cy + 5};
    free = free && (i == dot || apart(b, &mark)) && (i + 1 == f->count || !passes(c, i, b));
  }
  return free;
}

/** Next to the dot, right of it first, else over or under it; false: there is no room. */
static bool place_label(const canvas *c, int dot, const char *label, const box *taken, int count, box *b) {
  double width = rf_glyph_ems(label) * FONT, x = pixel_x(c, c->front->dots[dot].x);
  double y = pixel_y(c, c->front->dots[dot].y), right = x + 8, left = x - 10 - width;
  double middle = fmax(c->left + 1, fmin(x - width / 2, c->right - width));
  const struct {
    double left, top;
  } places[] = {{right, y - 16}, {left, y - 2},   {right, y + 2},
                {left, y - 16},  {middle, y + 9}, {middle, y - 24}};
  bool found = false;
  for (size_t i = 0; i < sizeof places / sizeof places[0] && !found; i++) {
    *b = (box){places[i].left, places[i].top, places[i].left + width, places[i].top + 14};
    found = is_free(c, dot, b, taken, count);
  }
  return found;
}

/** The best first, so that it is the last to lose its label. */
static void draw_labels(const canvas *c) {
  const roof_front *f = c->front;
  box taken[ROOF_FRONT_DOTS];
  int count = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < f->count; i++) {
      box b;
      char label[sizeof f->dots[i].label];
      rf_glyph_elide(label, sizeof label, f->dots[i].label, (c->right - c->left - 4.0) / FONT);
      if (f->dots[i].best == (pass == 0) && place_label(c, i, label, taken, count, &b)) {
        taken[count++] = b;
        add_text(c->out, "h", (int)lround(b.left), (int)lround(b.bottom) - 3, label);
      }
    }
  }
}

static void describe(const roof_front *f, roof_text *out) {
  for (int i = 0; i < f->count; i++) {
    roof_text_addf(out, "%s%s: %.4g, %.4g", i > 0 ? "; " : "", f->dots[i].label, f->dots[i].x, f->dots[i].y);
  }
}

roof_status roof_draw_front_svg(const roof_front *front, int width, roof_text *out, roof_error *error) {
  canvas c = {.front = front, .out = out, .width = rf_frame_width(width)};
  bool narrow = rf_frame_is_narrow(c.width);
  c.left = narrow ? 60 : 90;
  c.top = 74 + rf_frame_head(NULL, c.width, front->title, front->subtitle);
  c.right = c.width - (narrow ? 14 : 30);
  c.bottom = c.top + (narrow ? 300 : 416);
  for (int i = 0; i < front->count; i++) {
    const roof_front_dot *d = &front->dots[i];
    if (!(d->x > 0 && d->y > 0 && d->x < INFINITY && d->y < INFINITY)) {
      return roof_error_set(error, ROOF_E_ARGUMENT,
                            "front: the coordinates of %s are not finite and positive", d->label);
    }
    c.high_x = fmax(c.high_x, d->x * 1.1);
    c.high_y = fmax(c.high_y, d->y * 1.1);
  }
  if (front->count == 0) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "front: nothing to draw");
  }
  roof_text words = {0};
  const rf_axes axes = {{0, c.high_x, true, ""}, {0, c.high_y, true, ""}, c.left, c.top, c.right, c.bottom};
  describe(front, &words);
  rf_frame_begin(out, "front", c.width, c.bottom + 53 + ROW * draw_x_title(&c, NULL), front->title,
                 words.data, &axes, style);
  out->failed |= words.failed;
  roof_text_done(&words);
  rf_frame_head(out, c.width, front->title, front->subtitle);
  draw_axes(&c);
  draw_x_title(&c, out);
  draw_limit(&c);
  draw_steps(&c);
  draw_dots(&c);
  draw_labels(&c);
  roof_text_add(out, "</svg>\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "front: out of memory") : ROOF_OK;
}
