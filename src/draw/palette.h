/** Colours of the series: Okabe and Ito's set, safe for colour-blind readers, with darker ones for text; beyond them three of Paul Tol's
 *  muted ones, for groups of dots among lines that have the others. */
#ifndef RF_DRAW_PALETTE_H
#define RF_DRAW_PALETTE_H

#include "roofline/draw.h"

typedef struct rf_colour {
  const char *line; /**< contrast with white of at least 3:1 where it matters */
  const char *text; /**< contrast with white of at least 4.5:1 */
  int terminal;     /**< the nearest of 256 colours */
} rf_colour;

enum { RF_PALETTE = ROOF_SCENE_SERIES + 3 };

static const rf_colour rf_palette[RF_PALETTE] = {
    {"#0072b2", "#005a8c", 32},  {"#d55e00", "#a64900", 166}, {"#009e73", "#00694d", 36},
    {"#cc79a7", "#8f3f6b", 175}, {"#e69f00", "#7f5700", 178}, {"#56b4e9", "#1f6a99", 74},
    {"#000000", "#000000", 245}, {"#777777", "#555555", 250}, {"#882255", "#882255", 89},
    {"#999933", "#666611", 143}, {"#332288", "#332288", 61},
};

/** The style of a picture on a screen that is dark: light and dark change places, hues stay. */
#define RF_DARK(name) "@media(prefers-color-scheme:dark){svg." name "{filter:invert(.92) hue-rotate(180deg)}}"

#endif
