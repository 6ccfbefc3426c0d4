/** An answer as it is built: text with marks, and in it tables and the parts of a page. A screen shows it as lines, a page as
 *  typed sections. */
#ifndef RF_DRAW_ANSWER_H
#define RF_DRAW_ANSWER_H

#include "draw/cells.h"
#include "draw/table.h"
#include "roofline/page.h"

/** A table as it lies in an answer. */
typedef struct rf_answer_table {
  rf_table_column columns[RF_TABLE_COLUMNS];
  int count; /**< of columns */
  bool has_header;
  bool wide;     /**< not narrowed to the screen */
  rf_cells grid; /**< row by row, the headers first */
} rf_answer_table;

/** Appends the table, its `columns`, `count`, `has_header` and `wide` set, and empties its grid. */
void rf_answer_add_table(roof_text *out, rf_answer_table *table);

/** What follows belongs to that part on a page; on a screen it is no line. */
void rf_answer_add_part(roof_text *out, roof_page_part part);

/** Appends the answer as `lines` shows its lines and `tables` its tables. */
void rf_answer_show(roof_text *out, const rf_screen *lines, const rf_screen *tables, const char *answer);

/** What a page has next to the answer. */
typedef struct rf_answer_frame {
  const char *title;                         /**< NULL: the answer's first line */
  roof_page_part part;                       /**< of the answer until it names another, and of the charts */
  const char *const *charts, *const *narrow; /**< as in roof_page_section */
  const char *const *asked;                  /**< the commands that were typed */
  const char *const *reproduce;              /**< lines */
  const char *const *elsewhere;              /**< further commands */
} rf_answer_frame;

/** Draws the answer as a page: its first line is the headline, a line right above a table its caption, lines of a label and a value are
 *  a table of two columns. */
roof_status rf_answer_page(const char *answer, const rf_answer_frame *frame, roof_text *out,
                           roof_error *error);

/* For the two that read answers. */

/** What begins at the start of a line: a table, a part, or neither. */
typedef enum rf_answer_kind { RF_ANSWER_LINE, RF_ANSWER_TABLE, RF_ANSWER_PART } rf_answer_kind;

rf_answer_kind rf_answer_kind_of(const char *line);

/** Reads the table that `at` begins with into an empty one, to be released with rf_cells_done; returns what follows it. */
const char *rf_answer_read_table(const char *at, rf_answer_table *table);

#endif
