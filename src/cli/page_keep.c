/* What a page takes from an answer in text while it is written: its charts and tables. */
#include "cli/page_keep.h"

#include <stdlib.h>
#include <string.h>

roof_status cli_page_table_close(cli_page_table *table, int width, roof_error *error) {
  table->cells = rf_cells_list(&table->grid);
  if (table->cells == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "page: out of memory");
  }
  table->table.cells = table->cells;
  table->table.columns = width;
  table->table.rows = width > 0 ? table->grid.count / width - 1 : 0;
  return ROOF_OK;
}

void cli_page_table_done(cli_page_table *table) {
  free(table->cells);
  rf_cells_done(&table->grid);
  *table = (cli_page_table){0};
}

static cli_page_answer kept;

void cli_page_catch(void) {
  kept.is = true;
}

bool cli_page_is_caught(void) {
  return kept.is;
}

void cli_page_add_chart(roof_text *svg) {
  kept.failed |= svg->failed;
  if (kept.chart_count < CLI_PAGE_CHARTS && svg->data != NULL) {
    kept.charts[kept.chart_count++] = svg->data;
    *svg = (roof_text){0};
  }
}

/** Whether nothing is known in a column, which is left out then. */
static bool is_left_out(const char *const *cells, int count, int rows, int column) {
  bool empty = column > 0 && rows > 1;
  for (int row = 1; row < rows && empty; row++) {
    const char *cell = cells[row * count + column];
    empty = cell[0] == '\0' || strcmp(cell, "-") == 0;
  }
  return empty;
}

bool cli_page_keep(rf_cells *grid, roof_text *out, const rf_table_column *columns, int count) {
  if (!kept.is || kept.table_count == CLI_PAGE_TABLES) {
    return false;
  }
  const char **cells = rf_cells_list(grid);
  cli_page_table *table = &kept.tables[kept.table_count++];
  int rows = grid->count / count, width = 0;
  for (int column = 0; cells != NULL && column < count; column++) {
    bool left_out = is_left_out(cells, count, rows, column);
    table->table.verdict = columns[column].verdict && !left_out ? width : table->table.verdict;
    width += !left_out;
  }
  for (int i = 0; cells != NULL && i < grid->count; i++) {
    if (!is_left_out(cells, count, rows, i % count)) {
      rf_cells_add_text(&table->grid, cells[i]);
    }
  }
  kept.failed |= cells == NULL || cli_page_table_close(table, width, NULL) != ROOF_OK;
  roof_text_add_bytes(out, (const char[]){CLI_PAGE_PLACE, '\n'}, 2);
  free(cells);
  rf_cells_done(grid);
  return true;
}

const cli_page_answer *cli_page_kept(void) {
  return &kept;
}

void cli_page_forget(void) {
  for (int i = 0; i < kept.chart_count; i++) {
    free(kept.charts[i]);
  }
  for (int i = 0; i < kept.table_count; i++) {
    cli_page_table_done(&kept.tables[i]);
  }
  memset(&kept, 0, sizeof kept);
}
