#include "draw/cells.h"

#include <stdlib.h>
#include <string.h>

#include "core/number.h"

void rf_cells_add_text(rf_cells *cells, const char *text) {
  roof_text_add_bytes(&cells->text, text, strlen(text) + 1);
  cells->count++;
}

void rf_cells_vadd(rf_cells *cells, const char *format, va_list arguments) {
  char cell[512];
  rf_vformat(cell, sizeof cell, format, arguments);
  rf_cells_add_text(cells, cell);
}

void rf_cells_add(rf_cells *cells, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rf_cells_vadd(cells, format, arguments);
  va_end(arguments);
}

void rf_cells_add_row(rf_cells *cells, const char *const *row, int columns) {
  for (int i = 0; i < columns; i++) {
    rf_cells_add_text(cells, row[i]);
  }
}

const char **rf_cells_list(const rf_cells *cells) {
  const char **list = calloc((size_t)cells->count + 1, sizeof *list);
  if (list == NULL || cells->text.failed) {
    free(list);
    return NULL;
  }
  const char *cell = cells->text.data;
  for (int i = 0; i < cells->count; i++) {
    list[i] = cell;
    cell += strlen(cell) + 1;
  }
  return list;
}

void rf_cells_done(rf_cells *cells) {
  roof_text_done(&cells->text);
  *cells = (rf_cells){0};
}
