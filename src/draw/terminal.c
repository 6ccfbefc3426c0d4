#include "roofline/draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/geometry.h"
#include "draw/glyph.h"
#include "draw/hue.h"
#include "draw/labels.h"
#include "draw/screen.h"
#include "roofline/units.h"

enum {
  MARGIN = 14,
  AXIS_ROWS = 3,
  LEAST_COLUMNS = 40,
  LEAST_ROWS = 12,
  CONTINUED = 1,
  DEFAULT_HUE = -1,
  SERIES_CELLS = 21,
  NARROW = 72,
  LEAST_LABEL = 8,
  CLEAR_LABEL = 16, /* next to a machine's name */
  MARKER = 5,
  FIGURES = 37 /* of a dot, but for the unit of its intensity */
};

/** One character of the chart: text, or else 2 x 4 braille points. */
typedef struct cell {
  unsigned text; /**< 0: none; CONTINUED: the right half of a wide character */
  unsigned char points;
  signed char hue;
} cell;

typedef struct screen {
  const roof_scene *scene;
  rf_geometry geometry;
  cell *cells;
  int columns, rows; /**< all of it */
  int top, bottom;   /**< the plot's rows; its columns are from MARGIN to the right edge */
  bool ascii, colour;
  roof_text *out;
} screen;

static cell *cell_at(const screen *s, int column, int row) {
  return column >= 0 && column < s->columns && row >= 0 && row < s->rows
             ? &s->cells[row * s->columns + column]
             : NULL;
}

static void put_glyph(roof_text *out, unsigned code) {
  char bytes[RF_GLYPH_BYTES];
  roof_text_add_bytes(out, bytes, rf_glyph_plain(bytes, code, false));
}

static int text_cells(const screen *s, const char *text) {
  int cells = 0;
  char plain[RF_GLYPH_BYTES];
  for (unsigned code = 0; (code = rf_glyph_next(&text)) != 0;) {
    rf_glyph_plain(plain, code, s->ascii);
    cells += rf_glyph_width(plain);
  }
  return cells;
}

/** Writes a character into the grid; returns how many cells it took. */
static int put_character(const screen *s, int column, int row, int hue, unsigned code) {
  int width = rf_glyph_cells(code);
  cell *here = cell_at(s, column, row), *last = cell_at(s, column + width - 1, row);
  if (width == 0 || here == NULL || last == NULL) {
    return 0;
  }
  last->text = CONTINUED;
  *here = (cell){.text = code, .hue = (signed char)hue};
  return width;
}

/** Writes text into the grid, cut at the right edge. */
static void put_text(const screen *s, int column, int row, int hue, const char *text) {
  char plain[RF_GLYPH_BYTES];
  for (unsigned code = 0; (code = rf_glyph_next(&text)) != 0;) {
    rf_glyph_plain(plain, code, s->ascii);
    for (const char *next = plain; (code = rf_glyph_next(&next)) != 0;) {
      column += put_character(s, column, row, hue, code);
    }
  }
}

/** True when there is neither text nor a line in `width` cells. */
static bool is_free(const screen *s, int column, int row, int width) {
  for (int i = 0; i < width; i++) {
    const cell *c = cell_at(s, column + i, row);
    if (c == NULL || c->text != 0 || c->points != 0) {
      return false;
    }
  }
  return true;
}

/** Where a value of the plane is, in cells from the grid's corner. */
static double column_of(const screen *s, double x) {
  const rf_geometry *g = &s->geometry;
  return MARGIN + (x - g->low.x) / (g->high.x - g->low.x) * (s->columns - MARGIN - 1);
}

static double row_of(const screen *s, double y) {
  const rf_geometry *g = &s->geometry;
  return s->bottom - (y - g->low.y) / (g->high.y - g->low.y) * (s->bottom - s->top);
}

static void put_point(const screen *s, double column, double row, int hue) {
  static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  int x = (int)floor(column * 2), y = (int)floor(row * 4);
  cell *c = x < 0 || y < 0 ? NULL : cell_at(s, x / 2, y / 4);
  if (c != NULL && c->text == 0 && x / 2 >= MARGIN && y / 4 >= s->top && y / 4 <= s->bottom) {
    c->points |= bits[y % 4][x % 2];
    c->hue = (signed char)hue;
  }
}

/** A line in braille points, or in ASCII one character per column; dashes leave out a third of it. */
static void put_line(const screen *s, rf_point from, rf_point to, const roof_scene_roof *roof) {
  double x = column_of(s, from.x), y = row_of(s, from.y);
  double dx = column_of(s, to.x) - x, dy = row_of(s, to.y) - y;
  int steps = (int)ceil(fmax(fabs(dx) * 2, fabs(dy) * 4)) + 1, hue = rf_hue_of_roof(s->scene, roof);
  for (int i = 0; i <= steps; i++) {
    if (roof->style == ROOF_SOLID || i % 6 < 4) {
      put_point(s, x + dx * i / steps + 0.25, y + dy * i / steps + 0.5, hue);
    }
  }
}

static void put_axes(const screen *s) {
  const rf_geometry *g = &s->geometry;
  for (int row = s->top; row <= s->bottom; row++) {
    put_text(s, MARGIN - 1, row, DEFAULT_HUE, s->ascii ? "|" : "\xE2\x94\x82");
  }
  for (int column = MARGIN - 1; column < s->columns; column++) {
    put_text(s, column, s->bottom + 1, DEFAULT_HUE,
             column == MARGIN - 1 ? (s->ascii ? "+" : "\xE2\x94\x94") : (s->ascii ? "-" : "\xE2\x94\x80"));
  }
  char label[32];
  int step = rf_axis_step(g->low.y, g->high.y, (s->bottom - s->top) / 2);
  for (int tick = (int)ceil(g->low.y - 1e-9); tick <= g->high.y + 1e-9; tick += step) {
    int row = (int)floor(row_of(s, tick) + 0.5);
    rf_axis_label(label, sizeof label, tick, "FLOP/s");
    put_text(s, MARGIN - 2 - text_cells(s, label), row, DEFAULT_HUE, label);
    put_text(s, MARGIN - 1, row, DEFAULT_HUE, s->ascii ? "+" : "\xE2\x94\xA4");
  }
  step = rf_axis_step(g->low.x, g->high.x, (s->columns - MARGIN) / 8);
  for (int tick = (int)ceil(g->low.x - 1e-9); tick <= g->high.x + 1e-9; tick += step) {
    int column = (int)floor(column_of(s, tick));
    rf_axis_label(label, sizeof label, tick, "");
    put_text(s, column, s->bottom + 1, DEFAULT_HUE, s->ascii ? "+" : "\xE2\x94\xB4");
    int start = column - text_cells(s, label) / 2, last = s->columns - text_cells(s, label);
    put_text(s, start < last ? start : last, s->bottom + 2, DEFAULT_HUE, label);
  }
  for (int i = 0; i < ROOF_SCENE_SERIES; i++) {
    if (!isnan(g->ridges[i].x)) {
      put_text(s, (int)floor(column_of(s, g->ridges[i].x)), s->bottom + 1, rf_hue_of_ridge(s->scene, i),
               s->ascii ? "^" : "\xE2\x96\xB4");
    }
  }
  static const char caption[] = "arithmetic intensity (FLOP/byte)";
  put_text(s, MARGIN + (s->columns - MARGIN - (int)strlen(caption)) / 2, s->bottom + 3, DEFAULT_HUE, caption);
}

/** Writes a roof's label over it at the right end, or left of the ramp, where nothing else is. */
static void put_roof_label(const screen *s, int i) {
  const roof_scene_roof *roof = &s->scene->roofs[i];
  const rf_geometry *g = &s->geometry;
  int width = text_cells(s, roof->label), hue = rf_hue_of_roof(s->scene, roof);
  if (!isnan(roof->flops_per_second)) {
    int row = (int)floor(row_of(s, g->to[i].y) + 0.5) - 1;
    if (row >= s->top && is_free(s, s->columns - width - 1, row, width)) {
      put_text(s, s->columns - width - 1, row, hue, roof->label);
    }
    return;
  }
  for (int row = (int)row_of(s, g->from[i].y); row > (int)row_of(s, g->to[i].y); row--) {
    double y = g->low.y + (s->bottom - row) * (g->high.y - g->low.y) / (s->bottom - s->top);
    double x = g->from[i].x + (y - g->from[i].y);
    int column = (int)column_of(s, x) - width - 2;
    if (column > MARGIN && row >= s->top && row <= s->bottom && is_free(s, column - 1, row, width + 2)) {
      put_text(s, column, row, hue, roof->label);
      return;
    }
  }
}

/** 1 to 9, a to z, A to Z, then again. */
static char marker(int dot) {
  return "123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[dot % 61];
}

/** "!" after the marker of a dot above its ceiling, where no other marker is. */
static void put_warning(const screen *s, int i, int column, int row) {
  const cell *c = cell_at(s, column, row);
  if (s->geometry.above[i] && c != NULL && c->text == 0) {
    put_text(s, column, row, rf_hue_of_dot(s->scene, &s->scene->dots[i]), "!");
  }
}

/** Puts a dot's marker in its cell, or in the nearest one without a marker. */
static void put_dot(const screen *s, int i) {
  static const int offsets[][2] = {{0, 0}, {1, 0},  {-1, 0}, {0, 1},  {0, -1},
                                   {2, 0}, {-2, 0}, {1, 1},  {-1, -1}};
  const roof_scene_dot *dot = &s->scene->dots[i];
  int column = (int)floor(column_of(s, log10(dot->intensity)) + 0.25);
  int row = (int)floor(row_of(s, log10(dot->flops_per_second)) + 0.5);
  for (size_t k = 0; k < sizeof offsets / sizeof offsets[0]; k++) {
    const cell *c = cell_at(s, column + offsets[k][0], row + offsets[k][1]);
    if (c != NULL && c->text == 0) {
      const char text[] = {marker(i), '\0'};
      put_text(s, column + offsets[k][0], row + offsets[k][1], rf_hue_of_dot(s->scene, dot), text);
      put_warning(s, i, column + offsets[k][0] + 1, row + offsets[k][1]);
      return;
    }
  }
}

static void use_colour(const screen *s, int hue) {
  if (!s->colour) {
    return;
  }
  if (hue < 0) {
    roof_text_add(s->out, "\x1b[0m");
  } else {
    roof_text_addf(s->out, "\x1b[38;5;%dm", rf_palette[hue].terminal);
  }
}

/** ASCII for braille points, by which rows of the cell have points: low, middle, high, or several. */
static unsigned ascii_points(unsigned char points) {
  enum { HIGH = 0x09, LOW = 0xC0, LEFT = 0x47, RIGHT = 0xB8 };
  bool rises = (points & LEFT) != 0 && (points & RIGHT) != 0 && (points & LOW) != 0 && (points & ~LOW) != 0;
  if (rises) {
    return '/';
  }
  return (points & LOW) != 0 ? '_' : (points & HIGH) != 0 ? '\'' : '-';
}

static void print_row(const screen *s, int row) {
  int hue = DEFAULT_HUE, last = s->columns - 1;
  const cell *cells = &s->cells[row * s->columns];
  while (last >= 0 && cells[last].text == 0 && cells[last].points == 0) {
    last--;
  }
  for (int column = 0; column <= last; column++) {
    const cell *c = &cells[column];
    if (c->text == CONTINUED) {
      continue;
    }
    if (c->hue != hue && (c->text != 0 || c->points != 0)) {
      hue = c->hue;
      use_colour(s, DEFAULT_HUE);
      use_colour(s, hue);
    }
    if (c->text == 0 && c->points != 0) {
      put_glyph(s->out, s->ascii ? ascii_points(c->points) : 0x2800u + c->points);
    } else {
      put_glyph(s->out, c->text != 0 ? c->text : ' ');
    }
  }
  if (hue != DEFAULT_HUE) {
    use_colour(s, DEFAULT_HUE);
  }
  roof_text_add(s->out, "\n");
}

/** Text cut or padded to `cells` terminal cells. */
static void print_padded(const screen *s, const char *text, int cells) {
  bool fits = text_cells(s, text) <= cells;
  int used = 0;
  char plain[RF_GLYPH_BYTES];
  for (unsigned code = 0; (code = rf_glyph_next(&text)) != 0;) {
    size_t length = rf_glyph_plain(plain, code, s->ascii);
    if (!fits && used + rf_glyph_width(plain) > cells - 1) {
      roof_text_add(s->out, s->ascii ? "~" : "\xE2\x80\xA6");
      used++;
      break;
    }
    roof_text_add_bytes(s->out, plain, length);
    used += rf_glyph_width(plain);
  }
  roof_text_addf(s->out, "%*s", cells > used ? cells - used : 0, "");
}

/** The cells that the machines' names take in the legend, none where there is only one. */
static int series_cells(const screen *s) {
  int most = 0;
  for (int i = 0; i < s->scene->series_count && s->scene->series_count > 1; i++) {
    int cells = text_cells(s, s->scene->series[i]) + 1;
    most = cells > most ? cells : most;
  }
  return most > SERIES_CELLS ? SERIES_CELLS : most;
}

/** The machine of a legend's row, if there are several. */
static void print_series(const screen *s, int series) {
  int cells = series_cells(s);
  if (cells > 0) {
    print_padded(s, s->scene->series[series % ROOF_SCENE_SERIES], cells - 1);
    roof_text_add(s->out, " ");
  }
}

static void print_roofs(const screen *s) {
  static const char *const lines[2][2] = {{"\xE2\x94\x80\xE2\x94\x80", "\xE2\x95\x8C\xE2\x95\x8C"},
                                          {"--", "- "}};
  for (int i = 0; i < s->scene->roof_count; i++) {
    const roof_scene_roof *roof = &s->scene->roofs[i];
    use_colour(s, rf_hue_of_roof(s->scene, roof));
    roof_text_addf(s->out, "  %s ", lines[s->ascii][roof->style]);
    use_colour(s, DEFAULT_HUE);
    print_series(s, roof->series);
    print_padded(s, roof->label, text_cells(s, roof->label));
    roof_text_add(s->out, "\n");
  }
}

/** A line of the legend, on as many as it takes. */
static void print_wrapped(const screen *s, int lead, const char *text) {
  while (*text != '\0') {
    size_t length = rf_screen_break(text, s->columns - lead);
    roof_text_add_bytes(s->out, text, length);
    text += length;
    text += strspn(text, " ");
    roof_text_addf(s->out, "\n%*s", *text != '\0' ? lead : 0, "");
  }
}

/** Names of files are in it, which may be of any bytes. */
static void print_subtitle(const screen *s) {
  roof_text shown = {0};
  const char *text = s->scene->subtitle;
  char plain[RF_GLYPH_BYTES];
  for (unsigned code = 0; (code = rf_glyph_next(&text)) != 0;) {
    roof_text_add_bytes(&shown, plain, rf_glyph_plain(plain, code, s->ascii));
  }
  if (shown.data != NULL) {
    print_wrapped(s, 0, shown.data);
  }
  s->out->failed |= shown.failed;
  roof_text_done(&shown);
}

static void print_ridges(const screen *s) {
  for (int i = 0; i < ROOF_SCENE_SERIES; i++) {
    if (!isnan(s->geometry.ridges[i].x)) {
      char number[40], line[160];
      rf_axis_number(number, sizeof number, pow(10, s->geometry.ridges[i].x));
      snprintf(line, sizeof line, "ridge %s FLOP/byte: memory-bound to the left, compute-bound to the right",
               number);
      use_colour(s, rf_hue_of_ridge(s->scene, i));
      roof_text_addf(s->out, "  %s  ", s->ascii ? "^" : "\xE2\x96\xB4");
      use_colour(s, DEFAULT_HUE);
      print_series(s, i);
      print_wrapped(s, MARKER + series_cells(s), line);
    }
  }
}

/** How the lines of the dots are divided. */
typedef struct legend {
  int label;  /**< cells */
  bool apart; /**< a machine's name is a line above its dots */
  const char *unit, *mark;
} legend;

static legend divide(const screen *s, int widest, bool above) {
  bool narrow = s->columns < NARROW;
  legend l = {.unit = narrow ? "FLOP/B" : "FLOP/byte", .mark = narrow ? " !" : "  ! above its ceiling"};
  int room = s->columns - MARKER - FIGURES - (int)strlen(l.unit) - (above ? (int)strlen(l.mark) : 0);
  int most = room - series_cells(s), needed = widest < CLEAR_LABEL ? widest : CLEAR_LABEL;
  l.apart = most < needed && most < room;
  most = l.apart ? room : most;
  most = most < LEAST_LABEL ? LEAST_LABEL : most;
  l.label = widest < most ? widest : most;
  return l;
}

static void print_dot(const screen *s, const legend *l, int i, const char *label) {
  const roof_scene_dot *dot = &s->scene->dots[i];
  char intensity[40], rate[40];
  rf_axis_number(intensity, sizeof intensity, dot->intensity);
  roof_quantity_format(rate, sizeof rate, dot->flops_per_second, "FLOP/s");
  if (l->apart && (i == 0 || dot[-1].series != dot->series)) {
    const char *series = s->scene->series[dot->series % ROOF_SCENE_SERIES];
    int cells = text_cells(s, series);
    roof_text_add(s->out, "  ");
    print_padded(s, series, cells < s->columns - 2 ? cells : s->columns - 2);
    roof_text_add(s->out, "\n");
  }
  use_colour(s, rf_hue_of_dot(s->scene, dot));
  roof_text_addf(s->out, "  %c  ", marker(i));
  use_colour(s, DEFAULT_HUE);
  if (!l->apart) {
    print_series(s, dot->series);
  }
  print_padded(s, label, l->label);
  roof_text_addf(s->out, " %8s %s %15s  %s%s\n", intensity, l->unit, rate,
                 dot->predicted ? "predicted" : "measured", s->geometry.above[i] ? l->mark : "");
}

static void print_dots(const screen *s) {
  const char *names[ROOF_SCENE_DOTS];
  rf_cells labels = {0};
  int widest = 0;
  bool above = false;
  for (int i = 0; i < s->scene->dot_count; i++) {
    names[i] = s->scene->dots[i].label;
    int cells = text_cells(s, names[i]);
    widest = cells > widest ? cells : widest;
    above |= s->geometry.above[i];
  }
  legend l = divide(s, widest, above);
  rf_labels_add(&labels, names, s->scene->dot_count, l.label, true, s->ascii);
  const char **shown = rf_cells_list(&labels);
  for (int i = 0; i < s->scene->dot_count && shown != NULL; i++) {
    print_dot(s, &l, i, shown[i]);
  }
  s->out->failed |= shown == NULL;
  free(shown);
  rf_cells_done(&labels);
}

static void draw_screen(const screen *s) {
  bool fits = MARGIN - 1 + text_cells(s, s->scene->title) <= s->columns;
  put_text(s, fits ? MARGIN - 1 : 0, 0, DEFAULT_HUE, s->scene->title);
  put_text(s, 1, 1, DEFAULT_HUE, "performance");
  put_axes(s);
  for (int i = 0; i < s->scene->roof_count; i++) {
    put_line(s, s->geometry.from[i], s->geometry.to[i], &s->scene->roofs[i]);
  }
  for (int i = 0; i < s->scene->dot_count; i++) {
    put_dot(s, i);
  }
  for (int i = 0; i < s->scene->roof_count; i++) {
    put_roof_label(s, i);
  }
  for (int row = 0; row < s->rows; row++) {
    print_row(s, row);
  }
  roof_text_add(s->out, "\n");
  print_subtitle(s);
  print_roofs(s);
  print_ridges(s);
  print_dots(s);
}

roof_status roof_draw_terminal(const roof_scene *scene, int columns, int rows, bool ascii, bool colour,
                               roof_text *out, roof_error *error) {
  if (columns < LEAST_COLUMNS || rows < LEAST_ROWS || columns > 1000 || rows > 1000) {
    return roof_error_set(error, ROOF_E_ARGUMENT, "chart of %d x %d: must be from %d x %d to 1000 x 1000",
                          columns, rows, LEAST_COLUMNS, LEAST_ROWS);
  }
  screen s = {.scene = scene,
              .columns = columns,
              .rows = rows,
              .top = 2,
              .bottom = rows - 1 - AXIS_ROWS,
              .ascii = ascii,
              .colour = colour,
              .out = out};
  roof_status status = rf_geometry_make(scene, &s.geometry, error);
  if (status != ROOF_OK) {
    return status;
  }
  s.cells = calloc((size_t)columns * (size_t)rows, sizeof *s.cells);
  if (s.cells != NULL) {
    draw_screen(&s);
  }
  bool failed = s.cells == NULL || out->failed;
  free(s.cells);
  return failed ? roof_error_set(error, ROOF_E_MEMORY, "chart: out of memory") : ROOF_OK;
}
