/** Tables of aligned text. */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "cli/cli.h"
#include "draw/answer.h"

typedef rf_cells cli_grid;

/** Adds the next cell, row by row. */
void cli_grid_add(cli_grid *grid, const char *format, ...) ROOF_PRINTF(2, 3);

/** Appends the table to `out` as wide as the terminal (rf_table_add) and empties it. `columns` has a letter for each:
 *  'l' text, 'n' a name, 'v' a verdict, 'r' numbers, 'L' and 'R' those that say which row it is, and after it the
 *  column's rank where it may be left out: "ll2r1". The first row are the headers. */
void cli_grid_end(cli_grid *grid, roof_text *out, const char *columns);

/** The same without headers. */
void cli_grid_end_bare(cli_grid *grid, roof_text *out, const char *columns);

/** The same with columns as they are drawn; `wide`: not narrowed to the terminal. */
void cli_grid_end_as(cli_grid *grid, roof_text *out, const rf_table_column *columns, int count, bool wide);

#endif
