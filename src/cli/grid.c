#include "cli/grid.h"

#include "cli/page_keep.h"

#include <stdlib.h>

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

static void end_on(cli_grid *grid, roof_text *out, const rf_screen *screen, const rf_table_column *columns,
                   int count, bool header) {
  if (header && count > 0 && cli_page_keep(grid, out, columns, count)) {
    return;
  }
  const char **cells = cli_grid_cells(grid);
  out->failed |= cells == NULL;
  if (cells != NULL && count > 0) {
    rf_table_add(out, screen, cells, columns, count, grid->count / count, header);
  }
  free(cells);
  rf_cells_done(grid);
}

void cli_grid_end_as(cli_grid *grid, roof_text *out, const rf_screen *screen, const rf_table_column *columns,
                     int count) {
  end_on(grid, out, screen, columns, count, true);
}

static void end_grid(cli_grid *grid, roof_text *out, const char *letters, bool header) {
  rf_table_column columns[RF_TABLE_COLUMNS];
  int count = 0;
  for (; *letters != '\0' && count < RF_TABLE_COLUMNS; letters++) {
    if (*letters >= '0' && *letters <= '9') {
      columns[count - 1].rank = *letters - '0';
    } else {
      columns[count++] = (rf_table_column){.right = *letters == 'r' || *letters == 'R',
                                           .name = *letters == 'n',
                                           .key = *letters == 'R' || *letters == 'L',
                                           .verdict = *letters == 'v'};
    }
  }
  const rf_screen screen = cli_screen(stdout);
  end_on(grid, out, &screen, columns, count, header);
}

void cli_grid_end(cli_grid *grid, roof_text *out, const char *columns) {
  end_grid(grid, out, columns, true);
}

void cli_grid_end_bare(cli_grid *grid, roof_text *out, const char *columns) {
  end_grid(grid, out, columns, false);
}
