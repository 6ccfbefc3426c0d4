/** Lines that another program writes, as they come: whole ones are handed on, one that is too long is read over. */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <stdbool.h>

#include "roofline/text.h"

/** Start from `{.most = ...}`, release `text`. */
typedef struct cli_lines {
  roof_text text; /**< of the line that has no end yet */
  size_t most;    /**< bytes of a line */
  bool skips;     /**< the rest of a line that is too long */
  bool ended;     /**< there will be no more */
} cli_lines;

/** Takes a line without its end; NULL: one that was too long. False: no more is wanted. */
typedef bool cli_line(void *user, const char *line, size_t length);

/** Reads once, what poll says is there; at the end what has no end of line is a line too. False: it cannot be read, or `take` said so. */
bool cli_lines_read(cli_lines *lines, int file, cli_line *take, void *user);

#endif
