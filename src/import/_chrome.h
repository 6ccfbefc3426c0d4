/** Chrome trace events (JSON) as a stream: one event in memory at a time, whatever the size of the file. */
#ifndef IMPORT_CHROME_H
#define IMPORT_CHROME_H

#include "import/import.h"

/** Bytes of the JSON text: a string without its quotes, anything else as it is. */
typedef struct chrome_span {
  const char *at; /**< NULL: absent */
  size_t size;
  bool escaped; /**< a string with a backslash in it */
} chrome_span;

/** The members of an event that are read, and those of its `args`; others are skipped. */
typedef struct chrome_event {
  chrome_span phase, category, name, process, thread, start, length;
  chrome_span external, correlation, device, bytes, occupancy, shapes, types, values; /* of args */
  chrome_span collective, dtype, in, out, ranks;
  chrome_span arguments; /**< all of `args`, for rf_chrome_next */
} chrome_event;

/** Called for what is found. Texts are valid during the call. */
typedef struct chrome_reader {
  roof_status (*event)(void *state, const chrome_event *event, roof_error *error);
  /** Whether the arguments of events of that category are wanted: skipping them is faster. */
  bool (*wants)(chrome_span category);
  /** A member of the object around `traceEvents`; NULL if not wanted. */
  roof_status (*member)(void *state, chrome_span key, chrome_span value, roof_error *error);
  void *state;
} chrome_reader;

/** Reads all events: a list of them, or an object with `traceEvents`. As Chrome does it accepts a list that
 *  is not closed and commas at the end. *cut: the file ends inside an event. */
roof_status rf_chrome_read(roof_source *source, const chrome_reader *reader, bool *cut, roof_error *error);

/** The next member of the object (or element of the list, with an empty key) that *at is in; start with
 *  *at after the opening bracket. False at the end. The text is known to be complete. */
bool rf_chrome_next(const char **at, chrome_span *key, chrome_span *value);

/** True when the span is that text. */
bool rf_chrome_is(chrome_span span, const char *text);

/** A decimal number of millionths as whole millionths of a millionth: "1.5" gives 1500000. False when it is
 *  none or does not fit. */
bool rf_chrome_millionths(chrome_span number, int64_t *millionths);

/** As rf_chrome_millionths, in thousandths; further digits are cut off. */
bool rf_chrome_thousandths(chrome_span number, int64_t *thousandths);

/** A whole number; `otherwise` if it is none. */
int64_t rf_chrome_whole(chrome_span number, int64_t otherwise);

/** The text of a string with its escapes undone, at most `size` - 1 bytes and a NUL. */
size_t rf_chrome_text(chrome_span string, char *text, size_t size);

#endif
