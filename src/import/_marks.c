/* Ranges of time that a program marked, one inside another on each thread. */
#include "import/_marks.h"

#include <stdlib.h>

static int by_nesting(const void *a, const void *b) {
  const import_mark *x = a, *y = b;
  return x->thread != y->thread ? (x->thread < y->thread ? -1 : 1)
         : x->start != y->start ? (x->start < y->start ? -1 : 1)
                                : (x->end < y->end) - (x->end > y->end);
}

void rf_marks_nest(import_mark *marks, size_t count) {
  uint32_t top = MARK_NONE;
  if (count > 0) {
    qsort(marks, count, sizeof *marks, by_nesting);
  }
  for (uint32_t i = 0; i < count; i++) {
    while (top != MARK_NONE && (marks[top].thread != marks[i].thread || marks[top].end <= marks[i].start)) {
      top = marks[top].parent;
    }
    marks[i].parent = top;
    top = i;
  }
}

const import_mark *rf_marks_around(const import_mark *marks, size_t count, uint64_t thread, int64_t time) {
  size_t low = 0, high = count; /* the first that begins after it */
  while (low < high) {
    size_t middle = (low + high) / 2;
    const import_mark *m = &marks[middle];
    bool before = m->thread != thread ? m->thread < thread : m->start <= time;
    low = before ? middle + 1 : low;
    high = before ? high : middle;
  }
  uint32_t at = low > 0 ? (uint32_t)low - 1 : MARK_NONE;
  while (at != MARK_NONE && marks[at].thread == thread && marks[at].end <= time) {
    at = marks[at].parent;
  }
  return at != MARK_NONE && marks[at].thread == thread ? &marks[at] : NULL;
}
