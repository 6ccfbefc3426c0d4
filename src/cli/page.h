/** Tables and pages of --to FILE.html. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "cli/columns.h"
#include "roofline/page.h"

/** A table of a page with its cells. Start from `{0}`. */
typedef struct cli_page_table {
  cli_grid grid;
  const char **cells;
  roof_table table;
} cli_page_table;

/** Fills the table with the rows' text, as the terminal shows it. Release with cli_page_table_done. */
roof_status cli_page_table_fill(cli_page_table *table, const char *title, cli_rows rows, roof_error *error);

void cli_page_table_done(cli_page_table *table);

#endif
