/** A profile's timeline, and how its lists grow. */
#ifndef IMPORT_TIMELINE_H
#define IMPORT_TIMELINE_H

#include "import/_intern.h"
#include "roofline/timeline.h"

typedef struct timeline_grown {
  roof_timeline all; /* first: the profile points to it */
  size_t trace_room, track_room, slice_room, wait_room;
  intern tracks; /* by trace, device and stream: the number of the track */
  bool open;     /* the last trace is of the file that is being read */
} timeline_grown;

/** _timeline_free.c: `timeline` may be NULL. */
void rf_import_timeline_free(roof_timeline *timeline);

#endif
