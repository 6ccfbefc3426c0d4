/** Tables and pages of --to FILE.html. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "cli/columns.h"
#include "roofline/page.h"

enum { CLI_PAGE_CHARTS = 8 };

/** What a page has next to the answer's text. Owned by the arguments that ask for it. */
typedef struct cli_page {
  char *charts[CLI_PAGE_CHARTS + 1], *narrow[CLI_PAGE_CHARTS + 1]; /**< NULL behind the last */
  int chart_count;
  roof_page_part part; /**< of the charts, and of the answer until it names another */
} cli_page;

/** Gives copies of the chart to the page, as it is drawn for a wide window and for a narrow one. */
roof_status cli_page_add_chart(cli_page *page, const roof_text *wide, const roof_text *narrow,
                               roof_error *error);

/** Frees it; NULL is fine. */
void cli_page_free(cli_page *page);

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
roof_status cli_page_draw(const cli_args *args, const char *title, const roof_page_section *section,
                          roof_text *out, roof_error *error);

/** Draws the page of an answer (rf_answer_page). */
roof_status cli_page_of_answer(const cli_args *args, const cli_command *command, const roof_text *answer,
                               roof_text *out, roof_error *error);

#endif
