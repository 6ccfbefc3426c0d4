#include "cli/grid.h"

#include <stdlib.h>
#include <string.h>

void roof_grid_add(roof_grid *grid, const char *format, ...) {
  char cell[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(cell, sizeof cell, format, arguments);
  va_end(arguments);
  roof_text_add_bytes(&grid->cells, cell, strlen(cell) + 1);
  grid->count++;
}

const char **roof_grid_cells(const roof_grid *grid) {
  const char **cells = calloc((size_t)grid->count + 1, sizeof *cells);
  if (cells == NULL || grid->cells.failed) {
    free(cells);
    return NULL;
  }
  const char *cell = grid->cells.data;
  for (int i = 0; i < grid->count; i++) {
    cells[i] = cell;
    cell += strlen(cell) + 1;
  }
  return cells;
}

void roof_grid_done(roof_grid *grid) {
  roof_text_done(&grid->cells);
  *grid = (roof_grid){0};
}

void roof_grid_end(roof_grid *grid, roof_text *out, const char *alignment) {
  int columns = (int)strlen(alignment);
  const char **cells = roof_grid_cells(grid);
  out->failed |= cells == NULL;
  if (cells != NULL) {
    roof_text_add_table(out, cells, columns, grid->count / columns, alignment);
  }
  free(cells);
  roof_grid_done(grid);
}
