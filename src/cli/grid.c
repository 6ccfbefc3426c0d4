#include "cli/grid.h"

#include <string.h>

void cli_grid_add(cli_grid *grid, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rf_cells_vadd(grid, format, arguments);
  va_end(arguments);
}

void cli_grid_end_as(cli_grid *grid, roof_text *out, const rf_table_column *columns, int count, bool wide) {
  rf_answer_table table = {.count = count, .has_header = true, .wide = wide, .grid = *grid};
  memcpy(table.columns, columns, (size_t)count * sizeof *columns);
  rf_answer_add_table(out, &table);
  *grid = (cli_grid){0};
}

static void end_grid(cli_grid *grid, roof_text *out, const char *letters, bool header) {
  rf_answer_table table = {.has_header = header, .grid = *grid};
  for (; *letters != '\0' && table.count < RF_TABLE_COLUMNS; letters++) {
    if (*letters >= '0' && *letters <= '9') {
      table.columns[table.count - 1].rank = *letters - '0';
    } else {
      table.columns[table.count++] = (rf_table_column){.right = *letters == 'r' || *letters == 'R',
                                                       .name = *letters == 'n',
                                                       .key = *letters == 'R' || *letters == 'L',
                                                       .verdict = *letters == 'v'};
    }
  }
  rf_answer_add_table(out, &table);
  *grid = (cli_grid){0};
}

void cli_grid_end(cli_grid *grid, roof_text *out, const char *columns) {
  end_grid(grid, out, columns, true);
}

void cli_grid_end_bare(cli_grid *grid, roof_text *out, const char *columns) {
  end_grid(grid, out, columns, false);
}
