/** A table of text that fits the terminal. */
#ifndef RF_DRAW_TABLE_H
#define RF_DRAW_TABLE_H

#include "draw/screen.h"

enum { RF_TABLE_COLUMNS = 48 };

typedef struct rf_table_column {
  bool right;    /**< numbers; text stands left and wraps at its spaces */
  bool name;     /**< a text that stays on its line, cut in the middle */
  bool whole;    /**< a name that is cut only where leaving out columns does not help */
  bool key;      /**< says which row it is; the first column does */
  bool verdict;  /**< coloured by its first word */
  bool optional; /**< left out where nothing is known in it */
  int rank;      /**< what there is no room for is left out, the highest first; 0: never */
} rf_table_column;

/** Appends the table: `cells` row by row, headers first (`has_header`), `count` of them a row. One that is wider
 *  than the screen has its headers and texts on several lines, names cut, then columns left out, which a line
 *  below it names, and last its columns in blocks below each other, the keys in each. */
void rf_table_add(roof_text *out, const rf_screen *screen, const char *const *cells,
                  const rf_table_column *columns, int count, int rows, bool has_header);

#endif
