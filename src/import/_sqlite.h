/** An SQLite database of which nothing is trusted. */
#ifndef IMPORT_SQLITE_H
#define IMPORT_SQLITE_H

#include <sqlite3.h>

#include "import/import.h"

/** Opens what `source` reads: the open file itself, not what its path may name by now, only to read, without a
 *  lock and without a file next to it; what came packed or over a pipe in memory. ROOF_E_INPUT: a program is
 *  writing it, or its latest changes are in a journal. Release *db with sqlite3_close in any case. */
roof_status rf_import_sqlite(roof_source *source, sqlite3 **db, roof_error *error);

/** Runs `sql` and gives each row to `take`. */
roof_status rf_import_sqlite_rows(const roof_source *source, sqlite3 *db, const char *sql,
                                  roof_status (*take)(void *state, sqlite3_stmt *row), void *state,
                                  roof_error *error);

/** Whether a table, no view, has a column; "" stands for any. */
roof_status rf_import_sqlite_has(const roof_source *source, sqlite3 *db, const char *table,
                                 const char *column, bool *has, roof_error *error);

/** A call of `record`: its time in nanoseconds from column 1 to column 2; from column `place` on its device, its stream and when
 *  it was launched (NULL: not known). False when they are no times. */
bool rf_import_sqlite_call(roof_profile *profile, roof_record *record, sqlite3_stmt *row, int place);

/** What SQLite says of a failure of `db`. */
roof_status rf_import_sqlite_error(const roof_source *source, sqlite3 *db, roof_error *error);

#endif
