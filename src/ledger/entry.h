/** One line of a ledger, and a ledger read from memory. */
#ifndef LEDGER_ENTRY_H
#define LEDGER_ENTRY_H

#include <jansson.h>

#include "roofline/ledger.h"
#include "roofline/text.h"

enum { LEDGER_DIGEST = 64 }; /* hexadecimal digits of a SHA-256 */

/** What a line says, as far as the library needs it back. */
typedef struct ledger_entry {
  size_t sequence;
  bool measured;
  char label[ROOF_LABEL_MAX];
  double seconds; /**< measured */
  double lower_seconds;
  double expected_seconds;
  char regime[16];
  char binding[64];
  char digest[LEDGER_DIGEST + 1]; /**< of the whole line with its newline: the next line's `previous` */
} ledger_entry;

typedef struct ledger_entries {
  ledger_entry *entries; /**< free() it */
  size_t count;
} ledger_entries;

/** Appends the line that follows `last` (NULL: the first) with the caller's `fields`, newline included. */
roof_status ledger_entry_write(const ledger_entry *last, json_t *fields, roof_text *line, roof_error *error);

/** Reads one line of `length` bytes without its newline. Returns NULL, or what is wrong with it. `last` is
 * the line before it (NULL: none, or unknown when `chained` is false). */
const char *ledger_entry_read(const char *line, size_t length, bool chained, const ledger_entry *last,
                              ledger_entry *entry);

/** True when `text` starts as a ledger does, or is the start of such a start. */
bool ledger_begins(const char *text, size_t length);

/** Reads and checks a whole ledger; `file` names it in errors. */
roof_status ledger_read(const char *text, size_t length, const char *file, ledger_entries *out,
                        roof_error *error);

/** Loads and checks the ledger at `path`. */
roof_status ledger_load(const char *path, ledger_entries *out, roof_error *error);

/** Matches predictions with measurements. */
roof_status ledger_match(const ledger_entries *ledger, roof_reconcile *result, roof_error *error);

#endif
