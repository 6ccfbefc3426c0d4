/** What a page takes from an answer in text while it is written: its charts and tables. */
#ifndef CLI_PAGE_KEEP_H
#define CLI_PAGE_KEEP_H

#include "draw/cells.h"
#include "draw/table.h"
#include "roofline/page.h"

/** CLI_PAGE_PLACE begins the line of the text where a table that was taken stood. */
enum { CLI_PAGE_CHARTS = 8, CLI_PAGE_TABLES = 64, CLI_PAGE_PLACE = '\035' };

/** A table of a page with its cells. Start from `{0}`. */
typedef struct cli_page_table {
  rf_cells grid;
  const char **cells;
  roof_table table;
} cli_page_table;

/** The grid is complete: the table is its cells, `width` of them a row. */
roof_status cli_page_table_close(cli_page_table *table, int width, roof_error *error);

void cli_page_table_done(cli_page_table *table);

/** What is kept for a page. */
typedef struct cli_page_answer {
  bool is, failed;
  char *charts[CLI_PAGE_CHARTS + 1]; /**< NULL behind the last */
  int chart_count;
  cli_page_table tables[CLI_PAGE_TABLES];
  int table_count;
} cli_page_answer;

/** From now on the answer in text is to be a page: its charts are added, its tables kept with all their rows. */
void cli_page_catch(void);

/** True while it is. */
bool cli_page_is_caught(void);

/** Takes a chart of the page, which empties `svg`. */
void cli_page_add_chart(roof_text *svg);

/** Takes the cells of a table with a header, which empties `grid`, and leaves its place in `out`; false where there is
 *  no page. */
bool cli_page_keep(rf_cells *grid, roof_text *out, const rf_table_column *columns, int count);

/** Ownership: the program's, until cli_page_forget. */
const cli_page_answer *cli_page_kept(void);

void cli_page_forget(void);

#endif
