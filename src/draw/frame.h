/** How a picture begins, and what its marks say to a script. */
#ifndef RF_DRAW_FRAME_H
#define RF_DRAW_FRAME_H

#include <stdbool.h>

#include "roofline/text.h"

/** What an axis shows, from its low to its high end, in the SI unit; with low == high it has none. */
typedef struct rf_axis {
  double low, high;
  bool linear; /**< else logarithmic */
  const char *unit;
} rf_axis;

/** The axes and the rectangle that they span, in units of the picture. */
typedef struct rf_axes {
  rf_axis x, y;
  double left, top, right, bottom;
} rf_axes;

/** The width of a picture that was asked for, in pixels: ROOF_CHART_WIDE for 0. */
int rf_frame_width(int asked);

/** Whether labels of that width take lines of their own: there is no room next to the plot. */
bool rf_frame_is_narrow(int width);

/** Draws title and subtitle over as many lines as they need (`out` NULL: nothing is drawn). Returns by how much the
 *  plot begins lower than under one line each. */
int rf_frame_head(roof_text *out, int width, const char *title, const char *subtitle);

/** A text over as many lines of `ems` as it needs, `row` pixels apart, the first at (x, y); `out` NULL: nothing is drawn. Returns
 *  how many. */
int rf_frame_lines(roof_text *out, const char *class, int x, int y, int row, double ems, const char *text);

/** Cuts the unit off what an axis is labelled with in a narrow picture, up to its prefix, where it is a long one. True
 *  if so: the title of the axis says it. */
bool rf_frame_cut_unit(int width, char *label, const char *unit);

/** Where the middle of a tick's label stands that belongs at x: there, but at the sides, where it would leave the picture. */
double rf_frame_tick(int width, double x, const char *label);

/** Begins an SVG document of that class with what it is called, what it shows (NULL: nothing), its axes (NULL: it has
 *  none), its style and its background; the ids are made from both, so that those of several pictures on one page differ. */
void rf_frame_begin(roof_text *out, const char *class, int width, int height, const char *title,
                    const char *description, const rf_axes *axes, const char *style);

/** The axes as attributes: data-x-min, data-x-max, data-x-scale, data-x-unit, the same of y, data-plot "x y width
 *  height". */
void rf_frame_axes(roof_text *out, const rf_axes *axes);

/** Opens `<g class="KIND"` of something that a reader can point at, with its data-name and its data-key (NULL: its
 *  name), which the row of a table about the same has too; more attributes may follow. */
void rf_frame_mark(roof_text *out, const char *kind, const char *key, const char *name);

/** ` data-NAME="VALUE"`, in SI units; nothing where the value is not known. */
void rf_frame_value(roof_text *out, const char *name, double value);

/** ` data-NAME="WORDS"`, escaped; nothing where there are none. */
void rf_frame_words(roof_text *out, const char *name, const char *words);

#endif
