/** Tables with a line of column names, whose rows are read by expressions over the columns. */
#ifndef IMPORT_TABLE_H
#define IMPORT_TABLE_H

#include "import/import.h"

/** What ran operations that were launched one at a time from Python. */
#define RF_EAGER_PYTORCH ROOF_EAGER " PyTorch"

/** A table and the row that was read last. Start with source and profile alone. */
typedef struct rf_table {
  roof_source *source;
  roof_profile *profile;
  import_row header, row;
  char name[160];       /**< the file's, cut into words */
  const char *words[8]; /**< of it, the last first */
} rf_table;

/** Whether the first line of `text` is `header`, or begins with it where that ends in `*`. */
bool rf_table_begins(const char *text, const char *header);
/** Cuts the file's name, with the folders it lies in and without its ending, into words. */
void rf_table_name(rf_table *t);
/** Takes the row that was read last into the profile, or skips it; `header` is the table's first line. */
typedef roof_status rf_table_take(rf_table *t, const char *header, roof_error *error);
/** Reads a table row by row; ROOF_E_PARSE with `none` where no row gave a record. */
roof_status rf_table_read(roof_source *source, roof_profile *profile, rf_table_take *take, const char *none,
                          roof_error *error);
void rf_table_done(rf_table *t);

/** The text of a column, "" where there is none; "file:1" is the last word of the file's name. */
const char *rf_table_cell(const rf_table *t, const char *column);
/** What a column has, or the word itself where there is no such column; "" for NULL. */
const char *rf_table_word(const rf_table *t, const char *word);
/** Columns, numbers and `bytes`, which is given, from left to right by + - * and /: "batch*dp". NaN where one is no number. */
double rf_table_evaluate(const rf_table *t, double bytes, const char *expression);
/** Whether all conditions hold: "op=relu;isl!=1;pad_h=pad_w". NULL: yes. */
bool rf_table_is(const rf_table *t, const char *where);

#endif
