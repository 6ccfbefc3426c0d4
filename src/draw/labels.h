/** Names that stand below each other, cut so that different ones stay different. */
#ifndef DRAW_LABELS_H
#define DRAW_LABELS_H

#include <stdbool.h>

#include "draw/cells.h"

/** Adds each of the names, made safe, in at most `cells`: cut in its middle where that makes no two alike, else as
 *  roof_kernel_names. `legend`: words that all begin with are left out first. */
void rf_labels_add(rf_cells *out, const char *const *names, int count, int cells, bool legend, bool ascii);

#endif
