/* One stack over the calls of a line, in the order of their start. */
#include "import/_nested.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

roof_status rf_import_nested_add(import_nesting *calls, roof_profile *profile, const roof_record *record,
                                 uint32_t line, const int64_t times[2], roof_error *error) {
  if (record == NULL) {
    return rf_import_settled(profile, error);
  }
  if (calls->count == calls->room) {
    size_t room = 2 * calls->room + 256;
    import_nested *list = realloc(calls->list, room * sizeof *list);
    if (list == NULL) {
      return roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
    }
    calls->list = list;
    calls->room = room;
  }
  calls->list[calls->count++] = (import_nested){
      .start = times[0], .end = times[1], .record = (uint32_t)(record - profile->records), .line = line};
  return ROOF_OK;
}

static int by_nesting(const void *a, const void *b) {
  const import_nested *x = a, *y = b;
  return x->line != y->line     ? (x->line < y->line ? -1 : 1)
         : x->start != y->start ? (x->start < y->start ? -1 : 1)
         : x->end != y->end     ? (x->end > y->end ? -1 : 1)
                                : (x->record < y->record ? -1 : x->record > y->record);
}

static int by_start(const void *a, const void *b) {
  const import_nested *x = a, *y = b;
  return x->start != y->start ? (x->start < y->start ? -1 : 1) : x->end < y->end ? -1 : x->end > y->end;
}

/** `around`: the open calls, as long as the list. */
static void take_inner(import_nesting *calls, size_t *around) {
  import_nested *list = calls->list;
  size_t depth = 0;
  for (size_t i = 0; i < calls->count; i++) {
    list[i].own = list[i].end - list[i].start;
    while (depth > 0 &&
           (list[around[depth - 1]].line != list[i].line || list[around[depth - 1]].end <= list[i].start)) {
      depth--;
    }
    if (depth > 0 && list[i].end <= list[around[depth - 1]].end) {
      list[around[depth - 1]].own -= list[i].own;
      list[around[depth - 1]].around = true;
    }
    around[depth++] = i;
  }
}

roof_status rf_import_nest_own(import_nesting *calls, roof_error *error) {
  size_t *around = calloc(calls->count + 1, sizeof *around);
  if (around == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "import: out of memory");
  }
  if (calls->count > 1) {
    qsort(calls->list, calls->count, sizeof *calls->list, by_nesting);
  }
  take_inner(calls, around);
  free(around);
  if (calls->count > 1) {
    qsort(calls->list, calls->count, sizeof *calls->list, by_start);
  }
  return ROOF_OK;
}

void rf_import_own(roof_profile *profile, roof_record *record, double own, bool inside) {
  record->own_seconds = isnan(record->own_seconds) ? own : record->own_seconds + own;
  if (inside) {
    rf_import_fact(profile, "nested_regions", NAN,
                   "the time of a region inside another is in both, in the sum once");
  }
}

roof_status rf_import_nest(import_nesting *calls, roof_profile *profile, roof_error *error) {
  roof_status status = rf_import_nest_own(calls, error);
  for (size_t i = 0; i < calls->count && status == ROOF_OK; i++) {
    const import_nested *c = &calls->list[i];
    rf_import_call(profile, &profile->records[c->record], c->own > 0 ? (uint64_t)c->own : 0);
  }
  return status;
}
