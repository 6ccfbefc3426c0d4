/** How a picture begins. */
#ifndef RF_DRAW_FRAME_H
#define RF_DRAW_FRAME_H

#include "roofline/text.h"

/** Begins an SVG document of that class with what it is called, what it shows (NULL: nothing) and its style;
 *  the ids are made from both, so that those of several pictures on one page differ. */
void rf_frame_begin(roof_text *out, const char *class, int width, int height, const char *title,
                    const char *description, const char *style);

#endif
