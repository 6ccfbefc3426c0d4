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

/** Draws a page whose middle is `section`: before it stands the command line, after it how to reproduce the answer. */
roof_status cli_page_draw(const cli_args *args, const char *title, const char *headline,
                          const roof_page_section *section, roof_text *out, roof_error *error);

/** From now on the answer in text is to be a page: its charts are added, its tables kept with all their rows. */
void cli_page_catch(void);

/** True while it is. */
bool cli_page_is_caught(void);

/** Takes a chart of the page, which empties `svg`. */
void cli_page_add_chart(roof_text *svg);

/** Takes the cells of a table with a header, which empties `grid`, and leaves its place in `out`; false where there is
 *  no page. */
bool cli_page_keep(cli_grid *grid, roof_text *out, const rf_table_column *columns, int count);

/** Draws the page of an answer: its first line is the headline, a line above a table the table's caption. */
roof_status cli_page_of_answer(const cli_args *args, const cli_command *command, const roof_text *answer,
                               roof_text *out, roof_error *error);

#endif
