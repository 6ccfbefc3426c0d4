/** Tables and pages of --to FILE.html. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "cli/columns.h"
#include "cli/page_keep.h"
#include "roofline/page.h"

/** Fills the table with the rows' text, as the terminal shows it. Release with cli_page_table_done. */
roof_status cli_page_table_fill(cli_page_table *table, const char *title, cli_rows rows, roof_error *error);

/** Draws a page whose middle is `section`: before it stands the command line, after it how to reproduce the answer. */
roof_status cli_page_draw(const cli_args *args, const char *title, const char *headline,
                          const roof_page_section *section, roof_text *out, roof_error *error);

/** Draws the page of an answer: its first line is the headline, a line above a table the table's caption. */
roof_status cli_page_of_answer(const cli_args *args, const cli_command *command, const roof_text *answer,
                               roof_text *out, roof_error *error);

#endif
