/** One answer as one HTML file: the headline, then the story in the order in which a reader asks. It needs no network and
 *  is complete without scripts. Drawing returns text and touches no file.
 *
 *  Example:
 *    const char *const cells[] = {"kernel", "time", "triad", "17.1 ms"};
 *    const roof_table table = {.title = "Kernels", .cells = cells, .columns = 2, .rows = 1};
 *    const roof_page_section measured = {.part = ROOF_PAGE_MEASURED, .tables = &table, .table_count = 1};
 *    const roof_page page = {.title = "One kernel", .sections = &measured, .section_count = 1};
 *    roof_text html = {0};
 *    if (roof_page_draw(&page, &html, NULL) == ROOF_OK) {
 *      fwrite(html.data, 1, html.length, stdout);
 *    }
 *    roof_text_done(&html); */
#ifndef ROOFLINE_PAGE_H
#define ROOFLINE_PAGE_H

#include "roofline/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The parts of the story in its order: X(symbol, id of the section, heading). */
#define ROOF_PAGE_MAP(X)                                                                                     \
  X(ASKED, "asked", "What was asked")                                                                        \
  X(MACHINE, "machine", "How far this machine is to be trusted")                                             \
  X(PREDICTED, "predicted", "What was predicted")                                                            \
  X(MEASURED, "measured", "What was measured")                                                               \
  X(VERDICTS, "verdicts", "The verdicts")                                                                    \
  X(NEXT, "next", "What to do next")                                                                         \
  X(REPRODUCE, "reproduce", "How to reproduce this")

typedef enum roof_page_part {
#define X(symbol, id, heading) ROOF_PAGE_##symbol,
  ROOF_PAGE_MAP(X)
#undef X
      ROOF_PAGE_PART_COUNT
} roof_page_part;

/** rows + 1 times columns cells, the header's first, or rows times columns of a `bare` one; the first cell names its row. A column whose cells begin with
 *  digits is one of numbers: aligned right, and each cell says its value in SI units (`data-value`). */
typedef struct roof_table {
  const char *title;
  const char *const *cells;
  int columns;
  int rows;    /**< without the header */
  int verdict; /**< the column of verdicts, coloured by their words; 0: none */
  const char *const *
      keys; /**< `data-key` of each row, that of its dot in the chart; NULL: its first cell, which a long table does not repeat */
  bool folded; /**< folded however short; one of over ROOF_TABLE_LONG rows always is */
  bool bare;   /**< of labels and what they are: without a header, never folded; its title may be "" */
} roof_table;

#define ROOF_TABLE_LONG 16

/** What a part of the story says; what is NULL or 0 it does not have. A section that has nothing is left out. */
typedef struct roof_page_section {
  roof_page_part part;         /**< each once, in order */
  const char *heading;         /**< NULL: the part's */
  const char *const *commands; /**< to type, NULL behind the last */
  const char *const *lines;    /**< a paragraph each, NULL behind the last */
  const char *const *charts;   /**< SVG that was drawn here (ROOF_CHART_PAGE), NULL behind the last */
  const char *const
      *narrow; /**< the same for a narrow window (ROOF_CHART_NARROW), in the same order; NULL: none */
  const roof_table *tables;
  int table_count;
  const char *const *notes; /**< as the lines, after the tables */
} roof_page_section;

typedef struct roof_page {
  const char *title;    /**< what it is about */
  const char *headline; /**< the answer in one sentence; NULL: the title is all there is */
  const roof_page_section *sections;
  int section_count;
} roof_page;

/** Draws the page.
 *  Units: none.
 *  Ownership: appends to `out`; keeps nothing.
 *  Errors: ROOF_E_MEMORY. */
ROOF_API roof_status roof_page_draw(const roof_page *page, roof_text *out, roof_error *error);

#ifdef __cplusplus
}
#endif
#endif
