/** One table of columns for an answer's rows: it gives the text table, the members of JSON and the rows of CSV. */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include <stddef.h>

#include "cli/cli.h"
#include "cli/grid.h"

enum { CLI_SCRATCH = 512 };

typedef enum cli_column_kind {
  CLI_COLUMN_NUMBER = 1, /**< a double; NaN: unknown */
  CLI_COLUMN_COUNT,      /**< an int; negative: unknown */
  CLI_COLUMN_SIZE,       /**< a size_t */
  CLI_COLUMN_TEXT,       /**< a const char *; NULL: unknown */
  CLI_COLUMN_NAME,       /**< an array of char; empty: unknown */
  CLI_COLUMN_FLAG,       /**< a bool */
  CLI_COLUMN_REGIME      /**< a roof_regime */
} cli_column_kind;

/** A column; a table of them ends in `{0}`. Its value is a member of the row (CLI_FIELD) or what a function says of
 *  the row. In text a number is multiplied by `scale`, then written as a quantity of `unit`, or plainly where
 *  `digits` or `fixed` say how, `unit` after it. */
typedef struct cli_column {
  const char *key;    /**< of JSON and CSV; NULL: in the text only */
  const char *header; /**< of the text; NULL: not in the text */
  const char *unit;
  double scale;     /**< 0: 1 */
  int digits;       /**< significant ones */
  bool fixed;       /**< `digits` is how many follow the point */
  bool binary;      /**< bytes, with the prefixes Ki, Mi, Gi */
  bool right;       /**< a text that stands as numbers do */
  bool name;        /**< a text that stays on one line, cut in its middle where the terminal is too narrow */
  bool whole;       /**< a name that is cut only where leaving out columns does not help */
  bool verdict;     /**< coloured by its word */
  bool optional;    /**< left out of a table where nothing is known in it */
  int rank;         /**< left out where the terminal is too narrow, the highest first; 0: never */
  int csv_digits;   /**< significant ones in CSV; 0: 15 */
  const char *none; /**< in the text for unknown; NULL: "-" */
  cli_column_kind kind;
  size_t offset;
  size_t unit_at; /**< where the row has its unit, a const char *; 0: `unit` says it */
  double (*number)(const void *row);
  /** May write into `scratch`; NULL: unknown. */
  const char *(*text)(const void *row, char scratch[CLI_SCRATCH]);
  /** Appends a value of any length, in CSV alone. */
  void (*add)(const void *row, roof_text *out);
} cli_column;

/** Where a column's value lies in its row. */
#define CLI_FIELD(what, type, member) .kind = CLI_COLUMN_##what, .offset = offsetof(type, member)

/** A share in percent, with `after` digits after the point. */
#define CLI_PERCENT(after) .unit = " %", .scale = 100, .fixed = true, .digits = (after)

/** Formats into `scratch`, which it returns. */
const char *cli_column_say(char scratch[CLI_SCRATCH], const char *format, ...) ROOF_PRINTF(2, 3);

/** A column's function: the text that `expression` says of the row `r`, NULL: unknown. It may write into `scratch`. */
#define CLI_WORD(name, type, expression)                                                                     \
  static const char *name(const void *at, char scratch[CLI_SCRATCH]) {                                       \
    const type *r = at;                                                                                      \
    (void)scratch;                                                                                           \
    return expression;                                                                                       \
  }

/** The same of a number. */
#define CLI_VALUE(name, type, expression)                                                                    \
  static double name(const void *at) {                                                                       \
    const type *r = at;                                                                                      \
    return (double)(expression);                                                                             \
  }

/** A quantity whose unit is another member of its row. */
#define CLI_QUANTITY(type, member, its_unit)                                                                 \
  CLI_FIELD(NUMBER, type, member), .unit_at = offsetof(type, its_unit)

/** The rows of an answer: `count` of `size` bytes each. */
typedef struct cli_rows {
  const cli_column *columns;
  const void *first;
  size_t count, size;
  bool (*shown)(const void *row); /**< nullable: which of them */
  bool wide;                      /**< the table is not narrowed to the terminal */
} cli_rows;

#define CLI_ROWS(table, array, number) ((cli_rows){(table), (array), (number), sizeof *(array), NULL, false})

/** The keys' values of one row as an object: null where unknown. */
json_t *cli_columns_object(const cli_column *columns, const void *row);
/** Copies a table of at most `most` columns, the end included, so that headers may be named anew. */
void cli_columns_copy(const cli_column *columns, cli_column *copy, size_t most);
/** One object per row. */
json_t *cli_columns_json(cli_rows rows);
/** The cells of the table, row by row, headers first; returns how many columns it has. */
int cli_columns_add_cells(cli_grid *grid, cli_rows rows);
/** The aligned table, as wide as the terminal: numbers to the right, text to the left. */
void cli_columns_add_text(roof_text *out, cli_rows rows);
/** The header and a record per row as CSV: unknown is empty. */
void cli_columns_add_csv(roof_text *out, cli_rows rows);
/** One record. */
void cli_columns_add_csv_row(roof_text *out, const cli_column *columns, const void *row);
/** Prints the row whose column `name` says `name`, a line per key; with --json an object of `schema`. ROOF_E_NAME with the
 *  nearest name where there is none. */
roof_status cli_columns_print_named(const cli_args *args, cli_rows rows, const char *schema, const char *name,
                                    roof_error *error);
/** Prints header and records. */
roof_status cli_columns_print_csv(cli_rows rows, roof_error *error);

#endif
