/** Times of calls that contain others, each without that of the calls inside it. */
#ifndef IMPORT_NESTED_H
#define IMPORT_NESTED_H

#include "import/import.h"

typedef struct import_nested {
  int64_t start, end, own; /**< ps; `own` is set by rf_import_nest */
  uint32_t record;         /**< index of its record */
  uint32_t line;           /**< the thread or stream it ran on: calls of one are inside each other or apart */
  bool around;             /**< others are inside it: set by rf_import_nest */
} import_nested;

/** Start from zeros; release with free(list). */
typedef struct import_nesting {
  import_nested *list;
  size_t count, room;
} import_nesting;

/** Adds a call from times[0] to times[1] (ps). `record` NULL: memory was short. */
roof_status rf_import_nested_add(import_nesting *calls, roof_profile *profile, const roof_record *record,
                                 uint32_t line, const int64_t times[2], roof_error *error);

/** Sets the times of their own. The calls are in the order of their start. */
roof_status rf_import_nest_own(import_nesting *calls, roof_error *error);

/** Adds to the time of a record outside the regions in it, s; `inside`: there are some, and the profile says so. */
void rf_import_own(roof_profile *profile, roof_record *record, double own, bool inside);

/** Sets the times of their own, and gives them to their records. The calls are in the order of their start. */
roof_status rf_import_nest(import_nesting *calls, roof_profile *profile, roof_error *error);

#endif
