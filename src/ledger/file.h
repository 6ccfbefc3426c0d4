/** A ledger's file: opened under a lock that others hold too, read, added to, synced. */
#ifndef LEDGER_FILE_H
#define LEDGER_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "roofline/status.h"
#include "roofline/text.h"

/** How long a lock that another program holds is waited for. */
#define LEDGER_PATIENCE_SECONDS 60

/** An open ledger; rf_ledger_file_close unlocks it. */
typedef struct ledger_file {
  const char *path; /**< the caller's */
  int number;       /**< -1: not open */
  bool created;     /**< there was none of that name */
  off_t length;
  mode_t mode;
} ledger_file;

/** Gives who listens (roof_ledger_listen) a sentence. */
void rf_ledger_report(const char *sentence);

/** Opens and locks the regular file that `path` names once the lock is held, for `append` created where there is none and
 *  locked against everybody. ROOF_E_INPUT (ROOF_E_OUTPUT for `append`) also after `patience` seconds without the
 *  lock. */
roof_status rf_ledger_file_open(const char *path, bool append, double patience, ledger_file *file,
                                roof_error *error);
void rf_ledger_file_close(ledger_file *file);

/** Removes a file that opening it created, while it is locked: those who wait for it create it anew. */
void rf_ledger_file_discard(const ledger_file *file);

/** Its text, or the first `most` bytes of it. */
roof_status rf_ledger_file_read(const ledger_file *file, size_t most, roof_text *text, roof_error *error);

/** The name of the file that keeps the `number`-th torn end (from 1) of the ledger at `path`: PATH.torn, PATH.torn.2 ...; false
 *  where it does not fit. */
bool rf_ledger_torn_name(const char *path, size_t number, char *name, size_t size);

/** Copies a torn end from `from` on to a new file PATH.torn, PATH.torn.2 ..., whose name `kept` gets, then cuts it off. */
roof_status rf_ledger_file_cut(ledger_file *file, const roof_text *text, size_t from, char *kept, size_t size,
                               roof_error *error);

/** Adds `lines` with one write and syncs them, with the folder where they are the first, or leaves the file as it
 *  was. */
roof_status rf_ledger_file_add(ledger_file *file, const roof_text *lines, roof_error *error);

#endif
