/** Where a value of a JSON text stands. */
#ifndef DOCUMENTS_LOCATE_H
#define DOCUMENTS_LOCATE_H

#include <stdbool.h>
#include <stddef.h>

/** Finds the line and column (from 1, in characters) reached in the valid JSON `text` by `depth` steps: each
 *  the number of a member or element of the container before; with `at_key` the last step's key rather than
 *  its value. */
void rf_json_locate(const char *text, size_t length, const size_t *steps, size_t depth, bool at_key,
                    int *line, int *column);

#endif
