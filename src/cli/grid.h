/** Tables of aligned text. */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "cli/cli.h"
#include "draw/cells.h"

enum { CLI_TABLE_COLUMNS = 32 };

/** Appends a table: `alignment` has 'l' or 'r' per column; cells row by row, header first. */
void cli_text_add_table(roof_text *text, const char *const *cells, int columns, int rows,
                        const char *alignment);

typedef rf_cells cli_grid;

/** Adds the next cell, row by row. */
void cli_grid_add(cli_grid *grid, const char *format, ...) ROOF_PRINTF(2, 3);

/** The cells, row by row, a NULL after the last; free() the list, not the cells. NULL when out of memory. */
const char **cli_grid_cells(const cli_grid *grid);

void cli_grid_done(cli_grid *grid);

/** Appends the table to `out` (see cli_text_add_table), as many columns as `alignment` has letters, and
 *  empties it. */
void cli_grid_end(cli_grid *grid, roof_text *out, const char *alignment);

#endif
