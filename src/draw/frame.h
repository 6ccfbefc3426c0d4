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
