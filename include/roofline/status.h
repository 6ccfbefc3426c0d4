/** Status codes and the one error type every function reports through.
 *
 *  Example:
 *    roof_error error;
 *    roof_dtype dtype;
 *    roof_status status = roof_dtype_parse("fp15", &dtype, &error);
 *    if (status != ROOF_OK) {
 *      fprintf(stderr, "%s: %s\n", roof_status_text(status), error.message);
 *    } */
#ifndef ROOFLINE_STATUS_H
#define ROOFLINE_STATUS_H

#include <stdarg.h>

#include "roofline/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/** X(symbol, exit code of the command, meaning) */
#define ROOF_STATUS_MAP(X)                                                                                   \
  X(ROOF_OK, 0, "done")                                                                                      \
  X(ROOF_E_GATE, 1, "a gate failed")                                                                         \
  X(ROOF_E_ARGUMENT, 2, "a value is missing or out of range")                                                \
  X(ROOF_E_NAME, 2, "no such name")                                                                          \
  X(ROOF_E_PARSE, 2, "malformed text")                                                                       \
  X(ROOF_E_INPUT, 2, "a file cannot be read")                                                                \
  X(ROOF_E_OUTPUT, 3, "a file cannot be written")                                                            \
  X(ROOF_E_UNSUPPORTED, 3, "not possible here")                                                              \
  X(ROOF_E_MEMORY, 4, "out of memory")                                                                       \
  X(ROOF_E_INTERNAL, 4, "an internal fault")

typedef enum roof_status {
#define ROOF_STATUS_ENUM(symbol, exit_code, text) symbol,
  ROOF_STATUS_MAP(ROOF_STATUS_ENUM)
#undef ROOF_STATUS_ENUM
} roof_status;

/** What went wrong. `file` is empty and `line`, `column` (from 1) are 0 where there is none. */
typedef struct roof_error {
  roof_status code;
  int line;
  int column;
  char file[256];
  char message[512];
} roof_error;

/** The meaning of a status, in English.
 *  Units: none.
 *  Ownership: a static string.
 *  Errors: none; an unknown status reads "unknown". */
ROOF_API const char *roof_status_text(roof_status status);

/** The exit code the command gives for a status.
 *  Units: process exit code.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API int roof_status_exit_code(roof_status status);

/** Fills `error` (nullable) with a formatted message of the form `what: why` and returns `code`.
 *  Units: none.
 *  Ownership: copies the text; clears file, line and column.
 *  Errors: returns `code`. */
ROOF_API roof_status roof_error_set(roof_error *error, roof_status code, const char *format, ...)
    ROOF_PRINTF(3, 4);

/** Refuses a name: "WHAT `NAME`: unknown", then what `roof_error_suggest` adds, then `hint` (nullable).
 *  Units: none.
 *  Ownership: copies the texts; `candidates` ends in NULL, `error` is nullable.
 *  Errors: returns ROOF_E_NAME. */
ROOF_API roof_status roof_error_unknown(roof_error *error, const char *what, const char *name,
                                        const char *const *candidates, const char *hint);

/** Adds to the message the candidate nearest to `name`, "; did you mean `X`?", or where none is near all of
 *  them, "; known: A, B", if they are short.
 *  Units: none.
 *  Ownership: copies the texts; `candidates` ends in NULL, `error` is nullable.
 *  Errors: returns the code already set, ROOF_E_NAME for NULL. */
ROOF_API roof_status roof_error_suggest(roof_error *error, const char *name, const char *const *candidates);

/** Adds where in a file the error is; `line` and `column` count from 1, 0 means unknown.
 *  Units: lines and columns.
 *  Ownership: copies `file`.
 *  Errors: returns the code already set. */
ROOF_API roof_status roof_error_at(roof_error *error, const char *file, int line, int column);

#ifdef __cplusplus
}
#endif
#endif
