#include "cli/page.h"

#include <stdlib.h>

/** The column of verdicts among those that the text shows; 0: none. */
static int verdict_of(const cli_column *columns) {
  int at = 0;
  for (const cli_column *c = columns; c->key != NULL || c->header != NULL; c++) {
    if (c->verdict && c->header != NULL) {
      return at;
    }
    at += c->header != NULL;
  }
  return 0;
}

roof_status cli_page_table_fill(cli_page_table *table, const char *title, cli_rows rows, roof_error *error) {
  int width = cli_columns_add_cells(&table->grid, rows);
  table->cells = cli_grid_cells(&table->grid);
  if (table->cells == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "page: out of memory");
  }
  table->table = (roof_table){.title = title,
                              .cells = table->cells,
                              .columns = width,
                              .rows = width > 0 ? table->grid.count / width - 1 : 0,
                              .verdict = verdict_of(rows.columns)};
  return ROOF_OK;
}

void cli_page_table_done(cli_page_table *table) {
  free(table->cells);
  cli_grid_done(&table->grid);
  *table = (cli_page_table){0};
}
