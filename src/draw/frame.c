#include "draw/frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/glyph.h"
#include "roofline/draw.h"

enum { NARROW = 600, TITLE = 18, TITLE_ROW = 21, FONT = 12, ROW = 17 };

/** FNV-1a. */
static unsigned fingerprint(unsigned hash, const char *text) {
  for (; *text != '\0'; text++) {
    hash = (hash ^ (unsigned char)*text) * 16777619u;
  }
  return hash;
}

static void add_described(roof_text *out, const char *class, const char *element, unsigned id,
                          const char *words) {
  roof_text_addf(out, "<%s id=\"%s-%s-%08x\">", element, class, element, id);
  roof_text_add_xml(out, words);
  roof_text_addf(out, "</%s>\n", element);
}

void rf_frame_value(roof_text *out, const char *name, double value) {
  if (isfinite(value)) {
    roof_text_addf(out, " data-%s=\"%.9g\"", name, value);
  }
}

void rf_frame_words(roof_text *out, const char *name, const char *words) {
  if (words != NULL && words[0] != '\0') {
    roof_text_addf(out, " data-%s=\"", name);
    roof_text_add_xml(out, words);
    roof_text_add(out, "\"");
  }
}

static void add_axis(roof_text *out, char letter, const rf_axis *axis) {
  if (axis->low < axis->high) {
    roof_text_addf(out, " data-%c-min=\"%.9g\" data-%c-max=\"%.9g\" data-%c-scale=\"%s\"", letter, axis->low,
                   letter, axis->high, letter, axis->linear ? "linear" : "log");
    const char name[] = {letter, '-', 'u', 'n', 'i', 't', '\0'};
    rf_frame_words(out, name, axis->unit);
  }
}

void rf_frame_axes(roof_text *out, const rf_axes *axes) {
  add_axis(out, 'x', &axes->x);
  add_axis(out, 'y', &axes->y);
  roof_text_addf(out, " data-plot=\"%.9g %.9g %.9g %.9g\"", axes->left, axes->top, axes->right - axes->left,
                 axes->bottom - axes->top);
}

void rf_frame_mark(roof_text *out, const char *kind, const char *key, const char *name) {
  roof_text_addf(out, "<g class=\"%s\" role=\"img\" tabindex=\"0\"", kind);
  rf_frame_words(out, "key", key != NULL && key[0] != '\0' ? key : name);
  rf_frame_words(out, "name", name);
}

int rf_frame_width(int asked) {
  return asked == 0 ? ROOF_CHART_WIDE : asked < ROOF_CHART_NARROW ? ROOF_CHART_NARROW : asked;
}

bool rf_frame_is_narrow(int width) {
  return width < NARROW;
}

int rf_frame_lines(roof_text *out, const char *class, int x, int y, int row, double ems, const char *text) {
  int count = 0;
  do {
    char line[256];
    size_t length = rf_glyph_line(text, ems);
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    if (out != NULL) {
      roof_text_addf(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y + count * row);
      roof_text_add_xml(out, line);
      roof_text_add(out, "</text>\n");
    }
    text += length + strspn(text + length, " ");
    count++;
  } while (*text != '\0');
  return count;
}

int rf_frame_head(roof_text *out, int width, const char *title, const char *subtitle) {
  int x = rf_frame_is_narrow(width) ? 10 : 24, room = width - 2 * x, first = 30;
  int lower = TITLE_ROW * (rf_frame_lines(out, "t", x, first, TITLE_ROW, 1.0 * room / TITLE, title) - 1);
  if (subtitle[0] == '\0') {
    return rf_frame_is_narrow(width) ? lower - ROW : lower;
  }
  return lower +
         ROW * (rf_frame_lines(out, "s", x, first + 20 + lower, ROW, 1.0 * room / FONT, subtitle) - 1);
}

double rf_frame_tick(int width, double x, const char *label) {
  double half = rf_glyph_ems(label) * FONT / 2 + 2;
  return fmin(fmax(x, half), width - half);
}

bool rf_frame_cut_unit(int width, char *label, const char *unit) {
  enum { SHORT = 3 };
  size_t length = strlen(label), end = strlen(unit);
  bool cut = rf_frame_is_narrow(width) && end > SHORT && length > end;
  if (cut && strcmp(label + length - end, unit) == 0) {
    label[length - end] = '\0';
  }
  return cut;
}

void rf_frame_begin(roof_text *out, const char *class, int width, int height, const char *title,
                    const char *description, const rf_axes *axes, const char *style) {
  description = description != NULL ? description : "";
  unsigned id =
      fingerprint(fingerprint(2166136261u, title), description) ^ (unsigned)(width - ROOF_CHART_WIDE);
  roof_text_addf(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" role=\"group\" "
                 "aria-labelledby=\"%s-title-%08x %s-desc-%08x\" width=\"%d\" height=\"%d\" "
                 "viewBox=\"0 0 %d %d\"",
                 class, class, id, class, id, width, height, width, height);
  if (axes != NULL) {
    rf_frame_axes(out, axes);
  }
  roof_text_add(out, ">\n");
  add_described(out, class, "title", id, title);
  add_described(out, class, "desc", id, description);
  roof_text_add(out, style);
  roof_text_addf(out, "<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#fff\"/>\n", width, height);
}
