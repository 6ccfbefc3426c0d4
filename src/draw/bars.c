/* Bars: as SVG, and as lines of a terminal. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "draw/axis.h"
#include "draw/frame.h"
#include "draw/glyph.h"
#include "draw/palette.h"
#include "roofline/charts.h"
#include "roofline/units.h"

enum {
  WIDTH = 960,
  LEFT = 262,
  RIGHT = 690,
  TOP = 74,
  ROW = 26,
  BAR = 16,
  FONT = 12,
  AXIS_ROOM = 56,
  TICKS = 6
};
enum { LEAST_COLUMNS = 40, LABEL_CELLS = 34, FIGURE_CELLS = 14, LEAST_BAR = 8, MOST_BAR = 40 };

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

static double place(const roof_bars *b, rf_range r, double value) {
  return LEFT + (RIGHT - LEFT) * fmax(along(b, r, value), 0);
}

static void draw_axis(const roof_bars *b, rf_range r, roof_text *out) {
  double ticks[RF_TICK_MAX], bottom = TOP + ROW * b->count;
  int count = b->linear ? rf_ticks_linear(r, TICKS, ticks) : rf_ticks_log(r, TICKS, ticks);
  for (int i = 0; i < count; i++) {
    char label[48];
    long x = lround(place(b, r, ticks[i]));
    rf_tick_label(label, sizeof label, ticks[i], b->unit);
    roof_text_addf(out, "<line class=\"g\" x1=\"%ld\" y1=\"%d\" x2=\"%ld\" y2=\"%.0f\"/>\n", x, TOP, x,
                   bottom);
    add_text(out, "c", (double)x, bottom + 18, label);
  }
  roof_text_addf(out, "<line class=\"a\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%.0f\"/>\n", LEFT, TOP, LEFT,
                 bottom);
  add_text(out, "c", (LEFT + RIGHT) / 2.0, bottom + 40, b->x_title);
}

static void draw_bar(const roof_bars *b, rf_range r, int i, roof_text *out) {
  const roof_bar *bar = &b->bars[i];
  const char *fill = rf_palette[(unsigned)bar->series % ROOF_SCENE_SERIES].line;
  char text[48], label[96], line[192], note[240];
  double top = TOP + ROW * i + (ROW - BAR) / 2.0, end = place(b, r, bar->value), whole = end;
  figure(b, bar->value, text, sizeof text);
  rf_frame_mark(out, "bar", NULL, bar->label);
  rf_frame_value(out, "value", bar->value);
  rf_frame_value(out, "whole", bar->whole > bar->value ? bar->whole : (double)NAN);
  roof_text_add(out, "><title>");
  roof_text_add_xml(out, bar->label);
  roof_text_addf(out, ": %s ", text);
  roof_text_add_xml(out, bar->note);
  roof_text_add(out, "</title>");
  if (bar->whole > bar->value) {
    whole = place(b, r, bar->whole);
    add_rectangle(out, "w", fill, end, whole, top);
  }
  add_rectangle(out, "b", fill, LEFT, end, top);
  rf_glyph_elide(label, sizeof label, bar->label, (LEFT - 24.0) / FONT);
  add_text(out, "e", LEFT - 8, top + 12, label);
  snprintf(line, sizeof line, "%s%s%s", text, bar->note[0] != '\0' ? ", " : "", bar->note);
  rf_glyph_elide(note, sizeof note, line, (WIDTH - 8 - whole - 8) / FONT);
  add_text(out, "n", whole + 8, top + 12, note);
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

roof_status roof_draw_bars_svg(const roof_bars *bars, roof_text *out, roof_error *error) {
  roof_text words = {0};
  roof_status status = check(bars, error);
  if (status != ROOF_OK) {
    return status;
  }
  int height = TOP + ROW * bars->count + AXIS_ROOM;
  rf_range r = axis_of(bars);
  const rf_axes axes = {{bars->linear ? r.low : pow(10, r.low), bars->linear ? r.high : pow(10, r.high),
                         bars->linear, bars->unit},
                        {0, 0, true, ""},
                        LEFT,
                        TOP,
                        RIGHT,
                        TOP + ROW * bars->count};
  describe(bars, &words);
  rf_frame_begin(out, "bars", WIDTH, height, bars->title, words.data, &axes, style);
  out->failed |= words.failed;
  roof_text_done(&words);
  add_text(out, "t", 24, 30, bars->title);
  add_text(out, "s", 24, 50, bars->subtitle);
  draw_axis(bars, r, out);
  for (int i = 0; i < bars->count; i++) {
    draw_bar(bars, r, i, out);
  }
  roof_text_add(out, "</svg>\n");
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory") : ROOF_OK;
}

/** How the lines of a terminal are divided. */
typedef struct lines {
  const roof_bars *bars;
  rf_range axis;
  int label, bar, note; /**< cells; a note that has none is left out */
  bool ascii, colour;
  roof_text *out;
} lines;

/** Text made safe and cut to `cells`, filled with spaces on the side that is not `right`. */
static void add_cells(const lines *l, const char *text, int cells, bool right) {
  int used = 0, width = rf_glyph_width(text);
  char plain[RF_GLYPH_BYTES];
  for (int i = 0; right && i < cells - width; i++) {
    roof_text_add(l->out, " ");
  }
  while (*text != '\0') {
    size_t length = rf_glyph_plain(plain, rf_glyph_next(&text), l->ascii);
    int next = rf_glyph_width(plain);
    if (used + next > cells) {
      break;
    }
    used += next;
    roof_text_add_bytes(l->out, plain, length);
  }
  for (int i = used; !right && i < cells; i++) {
    roof_text_add(l->out, " ");
  }
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

static void add_line(const lines *l, const roof_bar *bar) {
  char text[48];
  figure(l->bars, bar->value, text, sizeof text);
  roof_text_add(l->out, "  ");
  add_cells(l, bar->label, l->label, false);
  roof_text_add(l->out, "  ");
  add_bar(l, bar);
  add_cells(l, text, FIGURE_CELLS, true);
  if (l->note > 0 && bar->note[0] != '\0') {
    roof_text_add(l->out, "  ");
    int cells = rf_glyph_width(bar->note);
    add_cells(l, bar->note, cells < l->note ? cells : l->note, false);
  }
  roof_text_add(l->out, "\n");
}

/** The label and the note have what they need as far as the bar keeps LEAST_BAR. */
static void divide(lines *l, int columns) {
  int label = 0, note = 0;
  for (int i = 0; i < l->bars->count; i++) {
    int cells = rf_glyph_width(l->bars->bars[i].label), after = rf_glyph_width(l->bars->bars[i].note);
    label = cells > label ? cells : label;
    note = after > note ? after : note;
  }
  l->label = label < LABEL_CELLS ? label : LABEL_CELLS;
  int room = columns - 2 - l->label - 2 - FIGURE_CELLS - 2;
  l->label = room < LEAST_BAR ? l->label - (LEAST_BAR - room) : l->label;
  room = room < LEAST_BAR ? LEAST_BAR : room;
  l->note = note < room - LEAST_BAR ? note : room - LEAST_BAR;
  l->bar = room - l->note < MOST_BAR ? room - l->note : MOST_BAR;
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
  for (int i = 0; i < bars->count; i++) {
    add_line(&l, &bars->bars[i]);
  }
  return out->failed ? roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory") : ROOF_OK;
}
