/* A window of the file slides over its events. An event that the window's end cuts is read again from its
 * beginning when the window has moved, so the scanner needs no state but its position. */
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "import/_chrome.h"

enum { WINDOW = 4 << 20, LARGEST_EVENT = 256 << 20, SLACK = 8 };

#define MEMBER(text, field) RF_SCAN_FIELD(text, SPAN, chrome_event, field)

static const rf_scan_field of_event[] = {
    MEMBER("ph", phase),   MEMBER("cat", category), MEMBER("name", name), MEMBER("pid", process),
    MEMBER("tid", thread), MEMBER("ts", start),     MEMBER("dur", length)};

static const rf_scan_field of_arguments[] = {MEMBER("External id", external),
                                             MEMBER("external id", external),
                                             MEMBER("correlation", correlation),
                                             MEMBER("grid", grid),
                                             MEMBER("block", block),
                                             MEMBER("device", device),
                                             MEMBER("bytes", bytes),
                                             MEMBER("Input Dims", shapes),
                                             MEMBER("Input dims", shapes),
                                             MEMBER("Input type", types),
                                             MEMBER("Concrete Inputs", values),
                                             MEMBER("Collective name", collective),
                                             MEMBER("dtype", dtype),
                                             MEMBER("In msg nelems", in),
                                             MEMBER("Out msg nelems", out),
                                             MEMBER("Group size", ranks),
                                             MEMBER("Process Group Name", group),
                                             MEMBER("Process Group Ranks", members),
                                             MEMBER("Seq", sequence),
                                             MEMBER("est. achieved occupancy %", occupancy)};

static bool wanted(const void *user, const void *row) {
  const chrome_reader *reader = user;
  const chrome_event *e = row;
  return e->category.at == NULL || reader->wants(e->category);
}

#define COUNT(fields) (sizeof(fields) / sizeof(fields)[0])
static const rf_scan_table arguments = {.fields = of_arguments, .count = COUNT(of_arguments)};
static const rf_scan_table events = {.fields = of_event,
                                     .count = COUNT(of_event),
                                     .inner = "args",
                                     .table = &arguments,
                                     .offset = offsetof(chrome_event, arguments),
                                     .wanted = wanted};

/** The file's bytes from `at` to `end`; those before `at` have been read. */
typedef struct window {
  roof_source *source;
  char *bytes;
  size_t room;
  const char *at;
  rf_scan scan;
  int line; /* of `bytes` */
  bool ended;
} window;

/** Lines and columns are counted when they are needed, and when bytes leave the window. */
static int line_at(const window *w, const char *p, int *column) {
  int line = w->line;
  const char *start = w->bytes;
  for (const char *n = w->bytes; (n = memchr(n, '\n', (size_t)(p - n))) != NULL; n++) {
    line++;
    start = n + 1;
  }
  *column = (int)(p - start) + 1;
  return line;
}

/** Counts in a byte first, so that the compiler can use wide instructions. */
static size_t newlines(const char *p, const char *end) {
  size_t count = 0;
  while (p < end) {
    const char *stretch = end - p > 255 ? p + 255 : end;
    unsigned char few = 0;
    for (; p < stretch; p++) {
      few = (unsigned char)(few + (*p == '\n'));
    }
    count += few;
  }
  return count;
}

/** Moves the window past what was read, or widens it. False at the end of the file and on failure. */
static bool slide(window *w, roof_status *status, roof_error *error) {
  size_t left = (size_t)(w->scan.end - w->at);
  if (w->ended) {
    return false;
  }
  w->line += (int)newlines(w->bytes, w->at);
  memmove(w->bytes, w->at, left);
  if (w->room - left < WINDOW / 2) {
    char *more = left > LARGEST_EVENT ? NULL : realloc(w->bytes, w->room * 2 + SLACK);
    if (more == NULL) {
      *status =
          left > LARGEST_EVENT
              ? rf_import_error(w->source, error, ROOF_E_PARSE, w->line, 0, "an event of more than 256 MiB")
              : roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", rf_import_name(w->source));
      w->at = w->bytes;
      w->scan.end = w->bytes + left;
      return false;
    }
    w->bytes = more;
    w->room *= 2;
  }
  size_t count = rf_import_bytes(w->source, w->bytes + left, w->room - left);
  w->ended = count == 0;
  memset(w->bytes + left + count, 0, SLACK);
  w->at = w->bytes;
  w->scan.end = w->bytes + left + count;
  return count > 0;
}

/** The next byte that is not blank, NUL at the end of the file (a NUL in the file is not returned as NUL). */
static char peek(window *w, roof_status *status, roof_error *error) {
  for (;;) {
    w->at = rf_scan_blank(w->at);
    if (w->at < w->scan.end || !slide(w, status, error)) {
      return w->at == w->scan.end ? '\0' : *w->at == '\0' ? '?' : *w->at;
    }
  }
}

static roof_status malformed(const window *w, const char *why, roof_error *error) {
  int column, line = line_at(w, w->scan.stopped, &column);
  return rf_import_error(w->source, error, ROOF_E_PARSE, line, column, "%s", why);
}

/** After a scan gave NULL: true when it is worth trying again. Otherwise *status has the reason, unless the
 * file is just over. */
static bool retry(window *w, roof_status *status, roof_error *error) {
  if (w->scan.stopped != w->scan.end) {
    *status = malformed(w, "malformed JSON", error);
    return false;
  }
  return slide(w, status, error);
}

/** Reads events to the end of the list that *w is in. */
static roof_status read_events(window *w, const chrome_reader *reader, bool *cut, roof_error *error) {
  roof_status status = ROOF_OK;
  while (status == ROOF_OK) {
    char next = peek(w, &status, error);
    if (next == '\0' || next == ']') {
      w->at += next == ']';
      break;
    }
    if (next == ',') {
      w->at++;
      continue;
    }
    chrome_event e = {0};
    w->scan.stopped = w->at;
    const char *end = next == '{' ? rf_scan_members(&w->scan, w->at + 1, &events, reader, &e) : NULL;
    if (end != NULL) {
      w->at = end;
      status = reader->event(reader->state, &e, error);
    } else if (!retry(w, &status, error)) {
      *cut = status == ROOF_OK;
      w->at = status == ROOF_OK ? w->scan.end : w->at;
    }
  }
  return status;
}

/** One member of the object around the events, or the end of it: *more is false. */
static roof_status read_member(window *w, const chrome_reader *reader, bool *cut, bool *more,
                               roof_error *error) {
  static const char name[] = "\"traceEvents\"";
  rf_span key, value;
  roof_status status = ROOF_OK;
  do {
    const char *p = w->at, *after = NULL;
    if (w->scan.end - p > (ptrdiff_t)sizeof name && memcmp(p, name, sizeof name - 1) == 0) {
      after = rf_scan_blank(p + sizeof name - 1);
      after = *after == ':' ? rf_scan_blank(after + 1) : after;
    }
    if (after != NULL && *after == '[') {
      w->at = after + 1;
      return read_events(w, reader, cut, error);
    }
    p = rf_scan_key(&w->scan, p, &key);
    p = p != NULL ? rf_scan_value(&w->scan, p, &value) : NULL;
    if (p != NULL) {
      w->at = p;
      return reader->member != NULL ? reader->member(reader->state, key, value, error) : ROOF_OK;
    }
  } while (retry(w, &status, error));
  *cut = status == ROOF_OK;
  *more = false;
  return status;
}

static roof_status read_object(window *w, const chrome_reader *reader, bool *cut, roof_error *error) {
  roof_status status = ROOF_OK;
  bool more = true;
  while (status == ROOF_OK && more) {
    char next = peek(w, &status, error);
    if (next == ',') {
      w->at++;
    } else if (next == '}' || next == '\0' || status != ROOF_OK) {
      *cut = next == '\0' && status == ROOF_OK;
      more = false;
    } else {
      status = read_member(w, reader, cut, &more, error);
    }
  }
  return status;
}

roof_status rf_chrome_read(roof_source *source, const chrome_reader *reader, bool *cut, roof_error *error) {
  window w = {.source = source, .room = WINDOW, .line = 1, .bytes = calloc(1, WINDOW + SLACK)};
  if (w.bytes == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "%s: out of memory", rf_import_name(source));
  }
  w.at = w.scan.end = w.scan.stopped = w.bytes;
  roof_status status = ROOF_OK;
  char first = peek(&w, &status, error);
  w.scan.stopped = w.at;
  w.at += first == '[' || first == '{';
  *cut = false;
  if (status == ROOF_OK) {
    status = first == '['   ? read_events(&w, reader, cut, error)
             : first == '{' ? read_object(&w, reader, cut, error)
                            : malformed(&w, "no JSON list or object of events", error);
  }
  free(w.bytes);
  return status;
}

/** The number times 10^`digits`, exact unless it is written with an exponent. */
static bool scaled(rf_span number, int digits, int64_t *result) {
  if (number.at == NULL) {
    return false;
  }
  const char *p = number.at, *end = p + number.size;
  bool negative = number.size > 0 && *p == '-', point = false;
  int64_t value = 0;
  int behind = 0;
  if (number.size == (size_t)negative) {
    return false;
  }
  for (p += negative; p < end; p++) {
    if (*p == '.' && !point) {
      point = true;
    } else if (!isdigit((unsigned char)*p)) {
      return false;
    } else if (!point || behind < digits) {
      behind += point;
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *p - '0', &value)) {
        return false;
      }
    }
  }
  for (; behind < digits; behind++) {
    if (__builtin_mul_overflow(value, 10, &value)) {
      return false;
    }
  }
  *result = negative ? -value : value;
  return true;
}

/** As scaled, also for a number with an exponent, which is read as a double. */
static bool any_scaled(rf_span number, int digits, int64_t *result) {
  char text[64];
  if (scaled(number, digits, result)) {
    return true;
  }
  if (number.at == NULL || number.size >= sizeof text || memchr(number.at, 'e', number.size) == NULL) {
    return false;
  }
  memcpy(text, number.at, number.size);
  text[number.size] = '\0';
  double value = rf_import_number(text, NULL) * (digits == 3 ? 1e3 : digits == 6 ? 1e6 : 1);
  if (!(value > -9e18 && value < 9e18)) {
    return false;
  }
  *result = (int64_t)value;
  return true;
}

bool rf_chrome_millionths(rf_span number, int64_t *millionths) {
  return any_scaled(number, 6, millionths);
}

bool rf_chrome_thousandths(rf_span number, int64_t *thousandths) {
  return any_scaled(number, 3, thousandths);
}

int64_t rf_chrome_whole(rf_span number, int64_t otherwise) {
  int64_t value;
  return any_scaled(number, 0, &value) ? value : otherwise;
}
