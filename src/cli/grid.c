#include "cli/grid.h"

#include <stdlib.h>
#include <string.h>

#include "draw/glyph.h"

/** The cells of a terminal that a text takes: two for a wide character, none for a combining one. */
static int width_of(const char *text) {
  int width = 0;
  for (unsigned code = 0; (code = rf_glyph_next(&text)) != 0;) {
    width += rf_glyph_cells(code);
  }
  return width;
}

void cli_text_add_table(roof_text *text, const char *const *cells, int columns, int rows,
                        const char *alignment) {
  int widths[CLI_TABLE_COLUMNS] = {0};
  for (int i = 0; i < columns * rows; i++) {
    int width = width_of(cells[i]);
    int *widest = &widths[i % columns];
    *widest = width > *widest ? width : *widest;
  }
  for (int i = 0; i < columns * rows; i++) {
    int column = i % columns;
    int padding = widths[column] - width_of(cells[i]);
    bool right = alignment[column] == 'r', last = column == columns - 1;
    roof_text_addf(text, "%s%*s%s%*s%s", column == 0 ? "  " : "", right ? padding : 0, "", cells[i],
                   right || last ? 0 : padding, "", last ? "\n" : "  ");
  }
}

void cli_grid_add(cli_grid *grid, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rf_cells_vadd(grid, format, arguments);
  va_end(arguments);
}

const char **cli_grid_cells(const cli_grid *grid) {
  return rf_cells_list(grid);
}

void cli_grid_done(cli_grid *grid) {
  rf_cells_done(grid);
}

void cli_grid_end(cli_grid *grid, roof_text *out, const char *alignment) {
  int columns = (int)strlen(alignment);
  const char **cells = cli_grid_cells(grid);
  out->failed |= cells == NULL;
  if (cells != NULL) {
    cli_text_add_table(out, cells, columns, grid->count / columns, alignment);
  }
  free(cells);
  rf_cells_done(grid);
}
