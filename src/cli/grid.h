/** Cells of a table, collected one by one. */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "cli/cli.h"

/** Start from `{0}`. */
typedef struct roof_grid {
  roof_text cells; /**< each ends with a NUL */
  int count;
} roof_grid;

/** Adds the next cell, row by row. */
void roof_grid_add(roof_grid *grid, const char *format, ...) ROOF_PRINTF(2, 3);

/** The cells, row by row, a NULL after the last; free() the list, not the cells. NULL when out of memory. */
const char **roof_grid_cells(const roof_grid *grid);

void roof_grid_done(roof_grid *grid);

/** Appends the table to `out` (see roof_text_add_table), as many columns as `alignment` has letters, and
 * empties it. */
void roof_grid_end(roof_grid *grid, roof_text *out, const char *alignment);

#endif
