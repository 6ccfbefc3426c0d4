/** A text as sentences and cells of tables, without what is no prose. */
#ifndef PROSE_PAGE_H
#define PROSE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct rf_prose_span {
  size_t from, to;
} rf_prose_span;

/** A sentence, or a cell of a table with its context; spans that are empty are not there. */
typedef struct rf_prose_place {
  rf_prose_span own;
  rf_prose_span column;  /**< the header above a cell */
  rf_prose_span first;   /**< of a cell's row */
  rf_prose_span heading; /**< of the section */
} rf_prose_place;

typedef struct rf_prose_page {
  char *text; /**< as long as the source: what is hidden is blank, and so is what only sets type */
  bool *code; /**< of each character: in a span of code, which names things and claims nothing */
  size_t length;
  rf_prose_place *places;
  size_t count, capacity;
  bool failed; /**< out of memory */
} rf_prose_page;

/** Reads Markdown or plain text. Release with rf_prose_page_done, whatever it returns.
 *  Errors: false where memory is short. */
bool rf_prose_page_read(rf_prose_page *page, const char *text, size_t length, bool markdown);
void rf_prose_page_done(rf_prose_page *page);

/** Blanks what is no prose within a block: code stays readable and is marked. */
void rf_prose_inline(rf_prose_page *page, rf_prose_span block);

/** Writes signs of several bytes as ASCII has them: a dash, a times, an exponent. rf_prose_inline does it too. */
void rf_prose_signs(rf_prose_page *page, rf_prose_span block);

#endif
