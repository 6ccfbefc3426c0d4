/** Lines of the system's files, below a root: this machine's or a captured one's. */
#ifndef HOST_PROBE_H
#define HOST_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/** Reads the first line of root + path, or why it cannot be read, into `line`. False when it cannot be.
 *  Units: none. Ownership: fills `line`. Errors: as text. */
bool rf_probe_line(const char *root, const char *path, char *line, size_t size);

/** Reads the first line that begins with `key`, without the key and the blanks and colon after it.
 *  Units: none. Ownership: fills `line`. Errors: as text. */
bool rf_probe_key(const char *root, const char *path, const char *key, char *line, size_t size);

/** Reads the numbers at the start of what rf_probe_key finds, at most `most`.
 *  Units: the file's. Ownership: fills `values`. Errors: fewer, 0 too. */
size_t rf_probe_numbers(const char *root, const char *path, const char *key, double *values, size_t most);

/** The first of them.
 *  Units: the file's. Ownership: none. Errors: NaN; errno says why, 0 where there is no number. */
double rf_probe_number(const char *root, const char *path, const char *key);

#endif
