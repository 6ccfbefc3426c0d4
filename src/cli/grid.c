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

void roof_grid_end(roof_grid *grid, roof_text *out, const char *alignment) {
  int columns = (int)strlen(alignment);
  const char **cells = calloc((size_t)grid->count + 1, sizeof *cells);
  out->failed |= cells == NULL || grid->cells.failed;
  if (!out->failed) {
    const char *cell = grid->cells.data;
    for (int i = 0; i < grid->count; i++) {
      cells[i] = cell;
      cell += strlen(cell) + 1;
    }
    roof_text_add_table(out, cells, columns, grid->count / columns, alignment);
  }
  free(cells);
  roof_text_done(&grid->cells);
  *grid = (roof_grid){0};
}
