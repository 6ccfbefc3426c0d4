/** Chrome trace events (JSON) as a stream: one event in memory at a time, whatever the size of the file. */
#ifndef IMPORT_CHROME_H
#define IMPORT_CHROME_H

#include "documents/scan.h"
#include "import/import.h"

/** The members of an event that are read, and those of its `args`; others are skipped. */
typedef struct chrome_event {
  rf_span phase, category, name, process, thread, start, length;
  rf_span external, correlation, device, bytes, occupancy, shapes, types, values; /* of args */
  rf_span grid, block;
  rf_span collective, dtype, in, out, ranks, group, members, sequence;
  rf_span arguments; /**< all of `args`, for rf_scan_next */
} chrome_event;

/** Called for what is found. Texts are valid during the call. */
typedef struct chrome_reader {
  roof_status (*event)(void *state, const chrome_event *event, roof_error *error);
  /** Whether the arguments of events of that category are wanted: skipping them is faster. */
  bool (*wants)(rf_span category);
  /** A member of the object around `traceEvents`; NULL if not wanted. */
  roof_status (*member)(void *state, rf_span key, rf_span value, roof_error *error);
  void *state;
} chrome_reader;

/** Reads all events: a list of them, or an object with `traceEvents`. As Chrome does it accepts a list that
 *  is not closed and commas at the end. *cut: the file ends inside an event. */
roof_status rf_chrome_read(roof_source *source, const chrome_reader *reader, bool *cut, roof_error *error);

/** A decimal number of millionths as whole millionths of a millionth: "1.5" gives 1500000. False when it is
 *  none or does not fit. */
bool rf_chrome_millionths(rf_span number, int64_t *millionths);

/** As rf_chrome_millionths, in thousandths; further digits are cut off. */
bool rf_chrome_thousandths(rf_span number, int64_t *thousandths);

/** A whole number, NaN-free; `otherwise` when it is none. */
int64_t rf_chrome_whole(rf_span number, int64_t otherwise);

#endif
