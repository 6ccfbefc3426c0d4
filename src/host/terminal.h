/** What the reader of a stream has before them. */
#ifndef HOST_TERMINAL_H
#define HOST_TERMINAL_H

#include <stdbool.h>

typedef struct rf_terminal {
  int width;     /**< COLUMNS, else what the terminal says, else 0: a pipe or a file has none */
  bool ascii;    /**< it shows no UTF-8 */
  bool commands; /**< GitHub's log, in which some lines are commands */
  bool color;    /**< a terminal that has a width and is not dumb, and NO_COLOR is not set */
} rf_terminal;

/** What the environment and the terminal say of the file descriptor `file`; `kept`: its text goes to a file instead.
 *  Units: cells. Ownership: none. Errors: none. */
rf_terminal rf_terminal_of(int file, bool kept);

#endif
