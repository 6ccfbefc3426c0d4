/** Which line of source an instruction of a CUDA binary is of: its section .debug_line, DWARF 2 to 4. */
#ifndef IMPORT_CUBIN_H
#define IMPORT_CUBIN_H

#include "documents/proto.h"

/** From `offset` on, up to the next row, instructions are of this line. Texts lie in the binary and end with a NUL. */
typedef struct cubin_row {
  uint64_t offset; /**< bytes from the function's beginning */
  uint32_t line;   /**< 0: of none */
  uint32_t order;  /**< of several at one offset the last counts */
  const char *file, *folder;
} cubin_row;

/** Start from zeros. */
typedef struct cubin_lines {
  cubin_row *rows; /**< by offset */
  size_t count, room;
} cubin_lines;

/** Reads the lines of a function, named as it is linked (`function` ends with a NUL); none where the binary has none or is
 *  malformed. False when out of memory. */
bool rf_cubin_read(proto cubin, const char *function, cubin_lines *lines);

/** The line of the instruction at `offset`; NULL: it has none. */
const cubin_row *rf_cubin_at(const cubin_lines *lines, uint64_t offset);

void rf_cubin_done(cubin_lines *lines);

#endif
