/* Bars: as SVG, and as lines of a terminal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "draw/axis.h"
#include "draw/frame.h"
#include "draw/glyph.h"
#include "draw/labels.h"
#include "draw/palette.h"
#include "draw/screen.h"
#include "roofline/charts.h"
#include "roofline/units.h"

enum { BAR = 16, FONT = 12, AXIS_ROOM = 39, LINE = 17, TICKS = 6 };
enum { LEAST_COLUMNS = 40, LABEL_CELLS = 34, LEAST_BAR = 6, MOST_BAR = 40, LEAST_NOTE = 12, GAP = 2 };

static const char style[] =
    "<style>.bars{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu "
    "Sans',sans-serif;"
    "font-size:12px}.bars text{fill:#222}.bars .t{font-size:17px;font-weight:600}.bars .s{fill:#555}"
    ".bars .g{stroke:#e4e7ea}.bars .a{stroke:#9aa3ad}.bars .c{text-anchor:middle}.bars .e{text-anchor:end}"
    ".bars .w{fill-opacity:0.22}"
    ".bars .n{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}" RF_DARK(
        "bars") "</style>\n";

/** The axis that the bars lie along. */
static rf_range axis_of(const roof_bars *b) {
  rf_range r = {NAN, NAN};
  for (int i = 0; i < b->count; i++) {
    r.low = fmin(r.low, b->bars[i].value);
    r.high = fmax(r.high, fmax(b->bars[i].value, b->bars[i].whole));
  }
  return b->linear ? (rf_range){0, r.high * 1.02}
                   : (rf_range){floor(log10(r.low) - 1e-9), log10(r.high * 1.1)};
}

/** Where a value lies on the axis, from 0 to 1. */
static double along(const roof_bars *b, rf_range r, double value) {
  return ((b->linear ? value : log10(value)) - r.low) / (r.high - r.low);
}

static void figure(const roof_bars *b, double value, char *text, size_t size) {
  if (strcmp(b->unit, "%") == 0) {
    rf_format(text, size, "%.1f %%", 100 * value);
  } else {
    roof_quantity_format(text, size, value, b->unit);
  }
}

static roof_status check(const roof_bars *b, roof_error *error) {
  for (int i = 0; i < b->count; i++) {
    const roof_bar *bar = &b->bars[i];
    if (!(bar->value > 0 && isfinite(bar->value) && isfinite(bar->whole))) {
      return roof_error_set(error, ROOF_E_ARGUMENT, "chart: the value of `%s` is not finite and over 0",
                            bar->label);
    }
  }
  return b->count > 0 ? ROOF_OK : roof_error_set(error, ROOF_E_ARGUMENT, "chart: it has no bar");
}

/** A picture: labels next to the bars, or in a narrow one above them. */
typedef struct canvas {
  const roof_bars *bars;
  rf_range axis;
  int width, left, right, top;
  int row, above; /**< of each bar with its words, and to the bar itself */
  bool narrow;
  roof_text *out;
} canvas;

static void add_text(roof_text *out, const char *class, double x, double y, const char *text) {
  roof_text_addf(out, "<text class=\"%s\" x=\"%ld\" y=\"%ld\">", class, lround(x), lround(y));
  roof_text_add_xml(out, text);
  roof_text_add(out, "</text>\n");
}

static void add_rectangle(roof_text *out, const char *class, const char *fill, double from, double to,
                          double top) {
  roof_text_addf(out, "<rect class=\"%s\" fill=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n",
                 class, fill, from, top, to - from, BAR);
}

static double place(const canvas *c, double value) {
  return c->left + (c->right - c->left) * fmax(along(c->bars, c->axis, value), 0);
}

/** Returns how many lines it takes; `out` NULL: nothing is drawn. */
static int draw_x_title(const canvas *c, roof_text *out) {
  int bottom = c->top + c->row * c->bars->count, middle = (c->left + c->right) / 2;
  return rf_frame_lines(out, "c", middle, bottom + 40, LINE, (c->right - c->left) * 1.0 / FONT,
                        c->bars->x_title);
}

enum { TICK_LABEL = 48 };

/** The label of a tick; returns the middle of it, which is the tick's but at the sides. */
static double label_tick(const canvas *c, double tick, char label[TICK_LABEL], double *half) {
  rf_tick_label(label, TICK_LABEL, tick, c->bars->unit);
  *half = rf_glyph_ems(label) * FONT / 2;
  return rf_frame_tick(c->width, round(place(c, tick)), label);
}

static bool labels_touch(const canvas *c, const double *ticks, int count) {
  char label[TICK_LABEL];
  double half, end = -INFINITY;
  for (int i = 0; i < count; i++) {
    double middle = label_tick(c, ticks[i], label, &half);
    if (middle - half < end) {
      return true;
    }
    end = middle + half + 4;
  }
  return false;
}

/** As many ticks as have room for their labels. */
static int find_ticks(const canvas *c, double ticks[RF_TICK_MAX]) {
  int most = c->narrow ? TICKS / 2 : TICKS, count;
  do {
    count = c->bars->linear ? rf_ticks_linear(c->axis, most, ticks) : rf_ticks_log(c->axis, most, ticks);
  } while (labels_touch(c, ticks, count) && --most > 1);
  return count;
}

static void draw_axis(const canvas *c) {
  const roof_bars *b = c->bars;
  double ticks[RF_TICK_MAX], half, bottom = c->top + c->row * b->count;
  int count = find_ticks(c, ticks);
  for (int i = 0; i < count; i++) {
    char label[TICK_LABEL];
    long x = lround(place(c, ticks[i]));
    roof_text_addf(c->out, "<line class=\"g\" x1=\"%ld\" y1=\"%d\" x2=\"%ld\" y2=\"%.0f\"/>\n", x, c->top, x,
                   bottom);
    double middle = label_tick(c, ticks[i], label, &half);
    add_text(c->out, "c", middle, bottom + 18, label);
  }
  roof_text_addf(c->out, "<line class=\"a\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%.0f\"/>\n", c->left, c->top,
                 c->left, bottom);
  draw_x_title(c, c->out);
}

/** The label left of the bar, figure and note right of it. */
static void write_next_to(const canvas *c, const roof_bar *bar, const char *text, double top, double end) {
  char label[96], line[192], note[240];
  rf_glyph_elide(label, sizeof label, bar->label, (c->left - 24.0) / FONT);
  add_text(c->out, "e", c->left - 8, top + 12, label);
  snprintf(line, sizeof line, "%s%s%s", text, bar->note[0] != '\0' ? ", " : "", bar->note);
  rf_glyph_elide(note, sizeof note, line, (c->width - 8 - end - 8) / FONT);
  add_text(c->out, "n", end + 8, top + 12, note);
}

/** Label and figure above the bar, the note under it. */
static void write_above(const canvas *c, const roof_bar *bar, const char *text, double top) {
  char label[96], note[240];
  double room = c->right - c->left;
  rf_glyph_elide(label, sizeof label, bar->label, room / FONT - rf_glyph_ems(text) - 1);
  rf_glyph_elide(note, sizeof note, bar->note, room / FONT);
  add_text(c->out, "n", c->left, top - 5, label);
  add_text(c->out, "n e", c->right, top - 5, text);
  add_text(c->out, "n s", c->left, top + BAR + 13, note);
}

static void draw_bar(const canvas *c, int i) {
  const roof_bar *bar = &c->bars->bars[i];
  roof_text *out = c->out;
  const char *fill = rf_palette[(unsigned)bar->series % ROOF_SCENE_SERIES].line;
  char text[48];
  double top = c->top + c->row * i + c->above, end = place(c, bar->value), whole = end;
  figure(c->bars, bar->value, text, sizeof text);
  rf_frame_mark(out, "bar", NULL, bar->label);
  rf_frame_value(out, "value", bar->value);
  rf_frame_value(out, "whole", bar->whole > bar->value ? bar->whole : (double)NAN);
  roof_text_add(out, "><title>");
  roof_text_add_xml(out, bar->label);
  roof_text_addf(out, ": %s ", text);
  roof_text_add_xml(out, bar->note);
  roof_text_add(out, "</title>");
  if (bar->whole > bar->value) {
    whole = place(c, bar->whole);
    add_rectangle(out, "w", fill, end, whole, top);
  }
  add_rectangle(out, "b", fill, c->left, end, top);
  if (c->narrow) {
    write_above(c, bar, text, top);
  } else {
    write_next_to(c, bar, text, top, whole);
  }
  roof_text_add(out, "</g>\n");
}

static void describe(const roof_bars *b, roof_text *out) {
  roof_text_addf(out, "Bars, %s axis", b->linear ? "linear" : "logarithmic");
  for (int i = 0; i < b->count; i++) {
    char text[48];
    figure(b, b->bars[i].value, text, sizeof text);
    roof_text_addf(out, ". %s: %s %s", b->bars[i].label, text, b->bars[i].note);
  }
}

static canvas lay_out(const roof_bars *bars, int width, roof_text *out) {
  canvas c = {.bars = bars, .axis = axis_of(bars), .width = rf_frame_width(width), .out = out};
  bool notes = false;
  for (int i = 0; i < bars->count; i++) {
    notes |= bars->bars[i].note[0] != '\0';
  }
  c.narrow = rf_frame_is_narrow(c.width);
  c.left = c.narrow ? 12 : 262;
  c.right = c.width - (c.narrow ? 12 : 270);
  c.top = 74 + rf_frame_head(NULL, c.width, bars->title, bars->subtitle);
  c.row = !c.narrow ? 26 : notes ? 60 : 42;
  c.above = c.narrow ? 20 : (c.row - BAR) / 2;
  return c;
}

roof_status roof_draw_bars_svg(const roof_bars *bars, int width, roof_text *out, roof_error *error) {
  roof_text words = {0};
  roof_status status = check(bars, error);
  if (status != ROOF_OK) {
    return status;
  }
  const canvas c = lay_out(bars, width, out);
  const rf_range r = c.axis;
  int bottom = c.top + c.row * bars->count;
  const rf_axes axes = {{bars->linear ? r.low : pow(10, r.low), bars->linear ? r.high : pow(10, r.high),
                         bars->linear, bars->unit},
                        {0, 0, true, ""},
                        c.left,
                        c.top,
                        c.right,
                        bottom};
  describe(bars, &words);
  rf_frame_begin(out, "bars", c.width, bottom + AXIS_ROOM + LINE * draw_x_title(&c, NULL), bars->title,
                 words.data, &axes, style);
  out->failed |= words.failed;
  roof_text_done(&words);
  rf_frame_head(out, c.width, bars->title, bars->subtitle);
  draw_axis(&c);
  for (int i = 0; i < bars->count; i++) {
    draw_bar(&c, i);
  }
  roof_text_add(out, "</svg>\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory") : ROOF_OK;
}

/** How the lines of a terminal are divided. */
typedef struct lines {
  const roof_bars *bars;
  rf_range axis;
  int label, bar, figure, note; /**< cells; a note that has none is left out */
  bool ascii, colour;
  roof_text *out;
} lines;

static void add_spaces(roof_text *out, int cells) {
  roof_text_addf(out, "%*s", cells > 0 ? cells : 0, "");
}

/** A text as a terminal shows it. */
static const char *plain_of(const lines *l, const char *text, roof_text *plain) {
  rf_screen_add_plain(plain, text, strlen(text), l->ascii);
  return plain->data != NULL ? plain->data : "";
}

/** The cells that a text takes. */
static int cells_of(const lines *l, const char *text) {
  roof_text plain = {0};
  int cells = rf_glyph_width(plain_of(l, text, &plain));
  roof_text_done(&plain);
  return cells;
}

/** A note: whole words, and an ellipsis for those that there is no room for. */
static void add_note(const lines *l, const char *text) {
  const char *ellipsis = l->ascii ? ".." : "\xE2\x80\xA6";
  int cells = cells_of(l, text), room = l->note - rf_glyph_width(ellipsis);
  roof_text plain = {0}, part = {0};
  const char *words = plain_of(l, text, &plain);
  if (cells > l->note) {
    size_t length = rf_screen_break(words, room);
    roof_text_add_bytes(&part, words, length > 0 && words[length - 1] == ',' ? length - 1 : length);
    roof_text_add(&part, ellipsis);
  }
  rf_screen_add_cut(l->out, part.data != NULL ? part.data : words, l->note, l->ascii);
  l->out->failed |= plain.failed || part.failed;
  roof_text_done(&plain);
  roof_text_done(&part);
}

static void add_bar(const lines *l, const roof_bar *bar) {
  int full = (int)lround(l->bar * fmax(along(l->bars, l->axis, bar->value), 0));
  int whole = bar->whole > bar->value ? (int)lround(l->bar * along(l->bars, l->axis, bar->whole)) : full;
  if (l->colour) {
    roof_text_addf(l->out, "\033[38;5;%dm", rf_palette[(unsigned)bar->series % ROOF_SCENE_SERIES].terminal);
  }
  for (int i = 0; i < whole; i++) {
    roof_text_add(l->out, i < full || (i == 0 && full == 0) ? l->ascii ? "#" : "\xE2\x96\x88"
                          : l->ascii                        ? "."
                                                            : "\xE2\x96\x91");
  }
  roof_text_add(l->out, l->colour ? "\033[0m" : "");
  for (int i = whole; i < l->bar; i++) {
    roof_text_add(l->out, " ");
  }
}

static void add_line(const lines *l, const roof_bar *bar, const char *label) {
  char text[48];
  figure(l->bars, bar->value, text, sizeof text);
  add_spaces(l->out, GAP);
  roof_text_add(l->out, label);
  add_spaces(l->out, l->label - rf_glyph_width(label) + GAP);
  add_bar(l, bar);
  add_spaces(l->out, l->figure - cells_of(l, text));
  roof_text_add(l->out, text);
  if (l->note > 0 && bar->note[0] != '\0') {
    add_spaces(l->out, GAP);
    add_note(l, bar->note);
  }
  roof_text_add(l->out, "\n");
}

static void add_lines(const lines *l) {
  const char *names[ROOF_BARS_MAX];
  rf_cells labels = {0};
  for (int i = 0; i < l->bars->count; i++) {
    names[i] = l->bars->bars[i].label;
  }
  rf_labels_add(&labels, names, l->bars->count, l->label, false, l->ascii);
  const char **shown = rf_cells_list(&labels);
  for (int i = 0; i < l->bars->count && shown != NULL; i++) {
    add_line(l, &l->bars->bars[i], shown[i]);
  }
  l->out->failed |= shown == NULL;
  free(shown);
  rf_cells_done(&labels);
}

static int lesser(int a, int b) {
  return a < b ? a : b;
}

static int greater(int a, int b) {
  return a > b ? a : b;
}

/** The label and the note have what they need as far as the bar keeps LEAST_BAR. */
static void divide(lines *l, int columns) {
  int label = 0, note = 0;
  for (int i = 0; i < l->bars->count; i++) {
    const roof_bar *bar = &l->bars->bars[i];
    char text[48];
    figure(l->bars, bar->value, text, sizeof text);
    label = greater(label, cells_of(l, bar->label));
    note = greater(note, cells_of(l, bar->note));
    l->figure = greater(l->figure, 1 + rf_glyph_width(text));
  }
  int room = columns - 3 * GAP - l->figure;
  l->label = lesser(label, greater(LABEL_CELLS, room - note - MOST_BAR));
  l->label = lesser(l->label, room - LEAST_BAR);
  room -= l->label;
  l->note = lesser(note, room - LEAST_BAR);
  l->note = l->note < lesser(note, LEAST_NOTE) ? 0 : l->note;
  l->bar = lesser(room - l->note, MOST_BAR);
}

/** Lengths on a logarithmic axis do not compare as their values do. */
static void add_scale(const lines *l, int columns) {
  char from[48], line[80];
  if (!l->bars->linear) {
    rf_tick_label(from, sizeof from, pow(10, l->axis.low), l->bars->unit);
    snprintf(line, sizeof line, "logarithmic from %s", from);
    int lead = GAP + l->label + GAP;
    add_spaces(l->out, lead + rf_glyph_width(line) <= columns ? lead : GAP);
    roof_text_addf(l->out, "%s\n", line);
  }
}

roof_status roof_draw_bars_terminal(const roof_bars *bars, int columns, bool ascii, bool colour,
                                    roof_text *out, roof_error *error) {
  roof_status status = columns >= LEAST_COLUMNS ? check(bars, error)
                                                : roof_error_set(error, ROOF_E_ARGUMENT,
                                                                 "chart of %d columns: must be at least %d",
                                                                 columns, LEAST_COLUMNS);
  if (status != ROOF_OK) {
    return status;
  }
  lines l = {.bars = bars, .axis = axis_of(bars), .ascii = ascii, .colour = colour, .out = out};
  divide(&l, columns);
  add_lines(&l);
  add_scale(&l, columns);
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory") : ROOF_OK;
}
