/** Ranges of time that a program marked, one inside another on each thread. */
#ifndef IMPORT_MARKS_H
#define IMPORT_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MARK_NONE UINT32_MAX

/** A range on a thread of the host or on a stream. */
typedef struct import_mark {
  int64_t start, end; /**< ns */
  uint64_t thread;
  uint32_t name;   /**< a number of whoever has the marks */
  uint32_t parent; /**< the mark around it, an index */
} import_mark;

/** Puts the marks into the order of their nesting, and gives each its parent. */
void rf_marks_nest(import_mark *marks, size_t count);

/** The innermost of nested marks around a time on a thread, NULL: none. */
const import_mark *rf_marks_around(const import_mark *marks, size_t count, uint64_t thread, int64_t time);

#endif
