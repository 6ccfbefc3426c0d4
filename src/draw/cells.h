/** Cells of a table, collected one by one. */
#ifndef DRAW_CELLS_H
#define DRAW_CELLS_H

#include <stdarg.h>

#include "roofline/text.h"

/** Start from `{0}`. */
typedef struct rf_cells {
  roof_text text; /**< each ends with a NUL */
  int count;
} rf_cells;

/** Adds the next cell, row by row. */
void rf_cells_add(rf_cells *cells, const char *format, ...) ROOF_PRINTF(2, 3);
void rf_cells_vadd(rf_cells *cells, const char *format, va_list arguments) ROOF_PRINTF(2, 0);

/** Adds a text as it is. */
void rf_cells_add_text(rf_cells *cells, const char *text);

/** Adds a row of texts. */
void rf_cells_add_row(rf_cells *cells, const char *const *row, int columns);

/** The cells, row by row, a NULL after the last; free() the list, not the cells. NULL when out of memory. */
const char **rf_cells_list(const rf_cells *cells);

void rf_cells_done(rf_cells *cells);

#endif
