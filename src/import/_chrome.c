/* A window of the file slides over its events. An event that the window's end cuts is read again from its
 * beginning when the window has moved, so the scanner needs no state but its position. */
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "import/_chrome.h"

enum { WINDOW = 4 << 20, LARGEST_EVENT = 256 << 20, DEEPEST = 512, SLACK = 8 };

/** Where a scan stopped: at the end of the window more bytes may help, elsewhere the text is malformed. */
typedef struct scan {
  const char *end;     /* points to a NUL */
  const char *stopped; /* set when a function returns NULL */
} scan;

static const char *stop(scan *s, const char *at) {
  s->stopped = at;
  return NULL;
}

/** What matters between strings: brackets and quotes. */
static const unsigned char ends_plain[256] = {
    ['\0'] = 1, ['"'] = 1, ['{'] = 1, ['}'] = 1, ['['] = 1, [']'] = 1};

static const unsigned char in_scalar[256] = {
    ['-'] = 1, ['+'] = 1, ['.'] = 1, ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1,
    ['6'] = 1, ['7'] = 1, ['8'] = 1, ['9'] = 1, ['a'] = 1, ['e'] = 1, ['f'] = 1, ['i'] = 1, ['l'] = 1,
    ['n'] = 1, ['r'] = 1, ['s'] = 1, ['t'] = 1, ['u'] = 1, ['y'] = 1, ['E'] = 1, ['I'] = 1, ['N'] = 1};

static const char *blank(const char *p) {
  while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') {
    p++;
  }
  return p;
}

/** The first quote, backslash or NUL from *p on, eight bytes at a time: SLACK bytes behind the text are
 * readable. */
static const char *run_end(const char *p) {
  const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
  for (;; p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
    uint64_t found =
        (((word - ones) & ~word) | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash)) & highs;
    if (found != 0 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
      return p + __builtin_ctzll(found) / 8;
    }
    if (found != 0) {
      while (*p != '"' && *p != '\\' && *p != '\0') {
        p++;
      }
      return p;
    }
  }
}

/** The position after the closing quote of the string at *p. */
static const char *string_end(scan *s, const char *p, bool *escaped) {
  for (;;) {
    p = run_end(p);
    if (*p == '"') {
      return p + 1;
    }
    if (*p == '\0' || p + 1 >= s->end) {
      return stop(s, *p == '\0' ? p : s->end);
    }
    *escaped = true;
    p += 2;
  }
}

/** The position after the bracket that closes the one at *p. */
static const char *nested_end(scan *s, const char *p) {
  char closing[DEEPEST];
  int depth = 0;
  bool escaped = false;
  do {
    while (!ends_plain[(unsigned char)*p]) {
      p++;
    }
    if (*p == '"') {
      p = string_end(s, p + 1, &escaped);
      if (p == NULL) {
        return NULL;
      }
      continue;
    }
    if (*p == '{' || *p == '[') {
      if (depth == DEEPEST) {
        return stop(s, p);
      }
      closing[depth++] = *p == '{' ? '}' : ']';
    } else if (*p == '\0' || *p != closing[--depth]) {
      return stop(s, p);
    }
    p++;
  } while (depth > 0);
  return p;
}

static const char *scalar_end(scan *s, const char *p) {
  const char *from = p;
  while (in_scalar[(unsigned char)*p]) {
    p++;
  }
  return p == from || p == s->end ? stop(s, p) : p;
}

/** The position after the value at *p; *value becomes that value. */
static const char *value_end(scan *s, const char *p, chrome_span *value) {
  bool string = *p == '"';
  value->escaped = false;
  const char *end = string                   ? string_end(s, p + 1, &value->escaped)
                    : *p == '{' || *p == '[' ? nested_end(s, p)
                                             : scalar_end(s, p);
  if (end != NULL) {
    value->at = p + string;
    value->size = (size_t)(end - p) - (string ? 2 : 0);
  }
  return end;
}

/** The position of the value after `"key" :`. */
static const char *key_end(scan *s, const char *p, chrome_span *key) {
  if (*p != '"') {
    return stop(s, p);
  }
  p = value_end(s, p, key);
  p = p != NULL ? blank(p) : NULL;
  if (p == NULL || *p != ':') {
    return p != NULL ? stop(s, p) : NULL;
  }
  return blank(p + 1);
}

/** The member of an event that has a name. */
typedef struct member_row {
  const char *name;
  size_t size, offset;
} member_row;

#define MEMBER(text, field)                                                                                  \
  { text, sizeof text - 1, offsetof(chrome_event, field) }

static const member_row of_event[] = {
    MEMBER("ph", phase),   MEMBER("cat", category), MEMBER("name", name),  MEMBER("pid", process),
    MEMBER("tid", thread), MEMBER("ts", start),     MEMBER("dur", length), {NULL, 0, 0}};

static const member_row of_arguments[] = {MEMBER("External id", external),
                                          MEMBER("external id", external),
                                          MEMBER("correlation", correlation),
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
                                          MEMBER("est. achieved occupancy %", occupancy),
                                          {NULL, 0, 0}};

static void keep(const member_row *rows, chrome_event *e, chrome_span key, chrome_span value) {
  for (; rows->name != NULL; rows++) {
    if (key.size == rows->size && *key.at == *rows->name && memcmp(key.at, rows->name, key.size) == 0) {
      *(chrome_span *)((char *)e + rows->offset) = value;
      return;
    }
  }
}

/** The position after the brace that closes the object at *p; its members of those names are kept. */
static const char *object_end(scan *s, const char *p, const chrome_reader *reader, const member_row *rows,
                              chrome_event *e) {
  for (p = blank(p); *p != '}'; p = *p == ',' ? blank(p + 1) : p) {
    chrome_span key, value;
    p = key_end(s, p, &key);
    if (p == NULL) {
      return NULL;
    }
    bool arguments = rows == of_event && *p == '{' && rf_chrome_is(key, "args");
    if (arguments && (e->category.at == NULL || reader->wants(e->category))) {
      const char *begin = p;
      p = object_end(s, p + 1, reader, of_arguments, e);
      e->arguments = (chrome_span){begin, p != NULL ? (size_t)(p - begin) : 0, false};
    } else {
      p = value_end(s, p, &value);
      keep(rows, e, key, p != NULL ? value : (chrome_span){0});
    }
    p = p != NULL ? blank(p) : NULL;
    if (p == NULL || (*p != ',' && *p != '}')) {
      return p != NULL ? stop(s, p) : NULL;
    }
  }
  return p + 1;
}

/** The file's bytes from `at` to `end`; those before `at` have been read. */
typedef struct window {
  roof_source *source;
  char *bytes;
  size_t room;
  const char *at;
  scan scan;
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
    w->at = blank(w->at);
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
    const char *end = next == '{' ? object_end(&w->scan, w->at + 1, reader, of_event, &e) : NULL;
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
  static const char events[] = "\"traceEvents\"";
  chrome_span key, value;
  roof_status status = ROOF_OK;
  do {
    const char *p = w->at, *after = NULL;
    if (w->scan.end - p > (ptrdiff_t)sizeof events && memcmp(p, events, sizeof events - 1) == 0) {
      after = blank(p + sizeof events - 1);
      after = *after == ':' ? blank(after + 1) : after;
    }
    if (after != NULL && *after == '[') {
      w->at = after + 1;
      return read_events(w, reader, cut, error);
    }
    p = key_end(&w->scan, p, &key);
    p = p != NULL ? value_end(&w->scan, p, &value) : NULL;
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

bool rf_chrome_next(const char **at, chrome_span *key, chrome_span *value) {
  scan s = {.end = (const char *)UINTPTR_MAX};
  const char *p = blank(*at);
  while (*p == ',') {
    p = blank(p + 1);
  }
  *key = (chrome_span){p, 0, false};
  bool ended = *p == '}' || *p == ']' || *p == '\0';
  const char *end = ended ? NULL : value_end(&s, p, value);
  if (end != NULL && *blank(end) == ':') {
    *key = *value;
    end = value_end(&s, blank(blank(end) + 1), value);
  }
  *at = end != NULL ? end : p;
  return end != NULL;
}

bool rf_chrome_is(chrome_span span, const char *text) {
  return span.at != NULL && strlen(text) == span.size && memcmp(span.at, text, span.size) == 0;
}

/** The number times 10^`digits`, exact unless it is written with an exponent. */
static bool scaled(chrome_span number, int digits, int64_t *result) {
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
static bool any_scaled(chrome_span number, int digits, int64_t *result) {
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

bool rf_chrome_millionths(chrome_span number, int64_t *millionths) {
  return any_scaled(number, 6, millionths);
}

bool rf_chrome_thousandths(chrome_span number, int64_t *thousandths) {
  return any_scaled(number, 3, thousandths);
}

int64_t rf_chrome_whole(chrome_span number, int64_t otherwise) {
  int64_t value;
  return any_scaled(number, 0, &value) ? value : otherwise;
}

/** UTF-8 of the four digits behind `\u`, of two such when they are a surrogate pair; *used counts the bytes
 * read. */
static size_t unicode(const char *p, const char *end, char *to, size_t *used) {
  unsigned long code = 0;
  for (*used = 0; *used < 4 && p + *used < end && isxdigit((unsigned char)p[*used]); ++*used) {
    char digit = p[*used];
    code = code * 16 + (unsigned long)(isdigit((unsigned char)digit) ? digit - '0' : (digit | 32) - 'a' + 10);
  }
  if (code >= 0xD800 && code < 0xE000) {
    code = 0xFFFD;
  }
  if (code < 0x80) {
    to[0] = (char)(code > 0 ? code : ' ');
    return 1;
  }
  size_t length = code < 0x800 ? 2 : 3;
  for (size_t i = length - 1; i > 0; i--) {
    to[i] = (char)(0x80 | (code & 0x3F));
    code >>= 6;
  }
  to[0] = (char)((length == 2 ? 0xC0 : 0xE0) | code);
  return length;
}

size_t rf_chrome_text(chrome_span string, char *text, size_t size) {
  static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
  size_t length = 0;
  const char *end = string.at + string.size;
  for (const char *p = string.at; p < end && length + 4 < size; p++) {
    if (*p != '\\' || p + 1 == end) {
      text[length++] = *p;
      continue;
    }
    p++;
    const char *special = memchr(from, *p, sizeof from - 1);
    if (*p == 'u') {
      size_t used;
      length += unicode(p + 1, end, text + length, &used);
      p += used;
    } else {
      text[length++] = special != NULL ? to[special - from] : *p;
    }
  }
  text[length] = '\0';
  return length;
}
