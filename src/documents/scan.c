/* Scans JSON text without allocating: lists and objects by where they begin and end, one object of a line strictly. */
#include "documents/scan.h"
#include "core/digest.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "roofline/text.h"
#include "roofline/units.h"

/* Strings */

static const char *stop(rf_scan *s, const char *at) {
  s->stopped = at;
  return NULL;
}

/** The first quote, backslash or NUL from *p on, eight bytes at a time; `end` is one too (NULL: seven bytes after the
 * NUL that ends the text are readable). */
static inline const char *run_end(const char *p, const char *end) {
  const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
  for (; end == NULL || end - p >= 8; p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
    uint64_t found =
        (((word - ones) & ~word) | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash)) & highs;
    if (found != 0 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
      return p + __builtin_ctzll(found) / 8;
    }
    if (found != 0) {
      break;
    }
  }
  while (p != end && *p != '"' && *p != '\\' && *p != '\0') {
    p++;
  }
  return p;
}

/** The position after the closing quote of the string at *p; `bounded`: nothing from the end on is readable. */
static inline const char *string_end(rf_scan *s, const char *p, bool *escaped, bool bounded) {
  for (;;) {
    p = run_end(p, bounded ? s->end : NULL);
    if (bounded && p >= s->end) {
      return stop(s, s->end);
    }
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

/** A code point below 0x10000 as UTF-8; surrogates become U+FFFD, which no label needs. */
static size_t encode(unsigned code, char *out) {
  code = code >= 0xD800 && code < 0xE000 ? 0xFFFD : code;
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (char)(0xC0 | code >> 6);
    out[1] = (char)(0x80 | (code & 0x3F));
    return 2;
  }
  out[0] = (char)(0xE0 | code >> 12);
  out[1] = (char)(0x80 | (code >> 6 & 0x3F));
  out[2] = (char)(0x80 | (code & 0x3F));
  return 3;
}

/** The escape after a backslash, at *at, into `out`; the number of bytes. *good becomes false where JSON has no such
 * escape or it is that of NUL. */
static size_t undo_escape(const char **at, const char *end, char out[4], bool *good) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *p = *at;
  const char *simple = memchr(from, *p, sizeof from - 1);
  *at = p + 1;
  if (*p != 'u') {
    out[0] = simple != NULL ? to[simple - from] : *p;
    *good = *good && simple != NULL;
    return 1;
  }
  unsigned code = 0;
  int digits = 0;
  for (p++; digits < 4 && p < end && isxdigit((unsigned char)*p); p++, digits++) {
    code = code * 16 + (unsigned)(isdigit((unsigned char)*p) ? *p - '0' : (*p | 32) - 'a' + 10);
  }
  *at = p;
  *good = *good && digits == 4 && code != 0 && !(code >= 0xD800 && code < 0xE000);
  return encode(code != 0 ? code : ' ', out);
}

/** Whether all bytes may stand in a string of JSON: UTF-8 without control characters. Eight at a time while they are
 * printable and ASCII. */
static inline bool is_clean(const char *p, const char *end) {
  const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
  while (p < end) {
    for (uint64_t word; end - p >= 8; p += 8) {
      memcpy(&word, p, 8);
      if (((word | (word - ones * 0x20)) & highs) != 0) {
        break;
      }
    }
    for (const char *few = end - p >= 8 ? p + 8 : end; p < few;) {
      unsigned char c = (unsigned char)*p;
      size_t length = c >= 0x20 && c < 0x80 ? 1 : c < 0x20 ? 0 : roof_text_sequence(p);
      if (length == 0) {
        return false;
      }
      p += length;
    }
  }
  return true;
}

/** The text of a string with its escapes undone (NULL: not kept), what does not fit cut off; `strict`: false for what
 * JSON does not allow and what does not fit. */
static bool undo(rf_span string, char *text, size_t size, bool strict, size_t *length) {
  const char *p = string.at, *end = string.size > 0 ? p + string.size : p; /* NULL: not there */
  size_t used = 0;
  for (bool good = true; p < end;) {
    char bytes[4];
    const char *from = p;
    size_t count;
    if (*p == '\\' && p + 1 < end) {
      p++;
      count = undo_escape(&p, end, bytes, &good);
      from = bytes;
    } else {
      const char *next = string.escaped ? memchr(p + 1, '\\', (size_t)(end - p - 1)) : NULL;
      p = next != NULL ? next : end;
      count = (size_t)(p - from);
      good = !strict || is_clean(from, p);
    }
    bool fits = text == NULL || used + count < size;
    if (strict && !(good && fits)) {
      return false;
    }
    count = fits ? count : from == bytes ? 0 : size - 1 - used;
    if (text != NULL) {
      memcpy(text + used, from, count);
    }
    used += count;
    p = fits ? p : end;
  }
  if (text != NULL) {
    text[used] = '\0';
  }
  *length = used;
  return true;
}

size_t rf_scan_text(rf_span string, char *text, size_t size) {
  size_t length = 0;
  undo(string, text, size, false, &length);
  return length;
}

/* Where values end */

enum { DEEPEST = 512 };

/** What matters between strings: brackets and quotes. */
static const unsigned char ends_plain[256] = {
    ['\0'] = 1, ['"'] = 1, ['{'] = 1, ['}'] = 1, ['['] = 1, [']'] = 1};

static const unsigned char in_scalar[256] = {
    ['-'] = 1, ['+'] = 1, ['.'] = 1, ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1,
    ['6'] = 1, ['7'] = 1, ['8'] = 1, ['9'] = 1, ['a'] = 1, ['e'] = 1, ['f'] = 1, ['i'] = 1, ['l'] = 1,
    ['n'] = 1, ['r'] = 1, ['s'] = 1, ['t'] = 1, ['u'] = 1, ['y'] = 1, ['E'] = 1, ['I'] = 1, ['N'] = 1};

/** The position after the bracket that closes the one at *p. */
static const char *nested_end(rf_scan *s, const char *p) {
  char closing[DEEPEST];
  int depth = 0;
  bool escaped = false;
  do {
    while (!ends_plain[(unsigned char)*p]) {
      p++;
    }
    if (*p == '"') {
      p = string_end(s, p + 1, &escaped, false);
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
    } else if (*p == '\0' || depth == 0 || *p != closing[--depth]) {
      return stop(s, p);
    }
    p++;
  } while (depth > 0);
  return p;
}

static const char *scalar_end(rf_scan *s, const char *p) {
  const char *from = p;
  while (in_scalar[(unsigned char)*p]) {
    p++;
  }
  return p == from || p == s->end ? stop(s, p) : p;
}

static const char *value_end(rf_scan *s, const char *p, rf_span *value) {
  bool string = *p == '"';
  value->escaped = false;
  const char *end = string                   ? string_end(s, p + 1, &value->escaped, false)
                    : *p == '{' || *p == '[' ? nested_end(s, p)
                                             : scalar_end(s, p);
  if (end != NULL) {
    value->at = p + string;
    value->size = (size_t)(end - p) - (string ? 2 : 0);
  }
  return end;
}

static const char *key_end(rf_scan *s, const char *p, rf_span *key) {
  if (*p != '"') {
    return stop(s, p);
  }
  p = value_end(s, p, key);
  p = p != NULL ? rf_scan_blank(p) : NULL;
  if (p == NULL || *p != ':') {
    return p != NULL ? stop(s, p) : NULL;
  }
  return rf_scan_blank(p + 1);
}

const char *rf_scan_value(rf_scan *s, const char *p, rf_span *value) {
  return value_end(s, p, value);
}

const char *rf_scan_key(rf_scan *s, const char *p, rf_span *key) {
  return key_end(s, p, key);
}

static void keep(const rf_scan_table *table, void *row, rf_span key, rf_span value) {
  for (const rf_scan_field *f = table->fields, *end = f + table->count; f < end; f++) {
    if (key.size == f->length && *key.at == *f->path && memcmp(key.at, f->path, key.size) == 0) {
      *(rf_span *)(void *)((char *)row + f->offset) = value;
      return;
    }
  }
}

const char *rf_scan_members(rf_scan *s, const char *p, const rf_scan_table *table, const void *user,
                            void *row) {
  for (p = rf_scan_blank(p); *p != '}'; p = *p == ',' ? rf_scan_blank(p + 1) : p) {
    rf_span key, value;
    p = key_end(s, p, &key);
    if (p == NULL) {
      return NULL;
    }
    if (*p == '{' && table->inner != NULL && rf_scan_is(key, table->inner) && table->wanted(user, row)) {
      const char *begin = p;
      p = rf_scan_members(s, p + 1, table->table, user, row);
      *(rf_span *)(void *)((char *)row + table->offset) =
          (rf_span){begin, p != NULL ? (size_t)(p - begin) : 0, false};
    } else {
      p = value_end(s, p, &value);
      keep(table, row, key, p != NULL ? value : (rf_span){0});
    }
    p = p != NULL ? rf_scan_blank(p) : NULL;
    if (p == NULL || (*p != ',' && *p != '}')) {
      return p != NULL ? stop(s, p) : NULL;
    }
  }
  return p + 1;
}

bool rf_scan_next(const char **at, rf_span *key, rf_span *value) {
  rf_scan s = {.end = (const char *)UINTPTR_MAX};
  const char *p = rf_scan_blank(*at);
  while (*p == ',') {
    p = rf_scan_blank(p + 1);
  }
  *key = (rf_span){p, 0, false};
  bool ended = *p == '}' || *p == ']' || *p == '\0';
  const char *end = ended ? NULL : value_end(&s, p, value);
  if (end != NULL && *rf_scan_blank(end) == ':') {
    *key = *value;
    end = value_end(&s, rf_scan_blank(rf_scan_blank(end) + 1), value);
  }
  *at = end != NULL ? end : p;
  return end != NULL;
}

bool rf_scan_is(rf_span span, const char *text) {
  return span.at != NULL && strlen(text) == span.size && memcmp(span.at, text, span.size) == 0;
}

/* One object, strictly */

enum { DEPTH = 8, PATH = 64, NAMES = 128 };

typedef struct scanner {
  const char *at;
  rf_scan scan;
  char path[PATH]; /**< names of the open objects and the member, joined by dots */
  size_t path_length;
  size_t around; /**< of that, the names of the objects with their dots */
  const rf_scan_field *fields;
  size_t count;
  void *row;
  size_t members; /**< read so far */
  bool seen[RF_SCAN_FIELDS];
  uint64_t names[NAMES]; /**< hashes of the paths seen that are no fields: objects, and the rest of one */
  size_t name_count;
} scanner;

static bool scan_value(scanner *s, int depth);

static bool take(scanner *s, char c) {
  bool there = s->at < s->scan.end && *s->at == c;
  s->at += there;
  return there;
}

static bool take_word(scanner *s, const char *word) {
  size_t length = strlen(word);
  bool there = (size_t)(s->scan.end - s->at) >= length && memcmp(s->at, word, length) == 0;
  s->at += there ? length : 0;
  return there;
}

/** A name with a dot in it is not the path of a member of an object. */
static bool is_path(const scanner *s) {
  return memchr(s->path + s->around, '.', s->path_length - s->around) == NULL;
}

/** Which fields of a table the members of the object before were, in their order: objects of one program have them in one order. */
static _Thread_local struct {
  const rf_scan_field *fields;
  unsigned char order[RF_SCAN_FIELDS];
} usual;

static bool is_at(const scanner *s, const rf_scan_field *field) {
  return field->length == s->path_length && memcmp(field->path, s->path, s->path_length) == 0;
}

static const rf_scan_field *find_field(scanner *s) {
  const rf_scan_field *rest = NULL;
  bool path = is_path(s);
  unsigned char *place = &usual.order[s->members++ % RF_SCAN_FIELDS];
  if (path && *place < s->count && is_at(s, &s->fields[*place])) {
    return &s->fields[*place];
  }
  for (size_t i = 0; i < s->count; i++) {
    const rf_scan_field *field = &s->fields[i];
    if (path && is_at(s, field)) {
      *place = (unsigned char)i;
      return field;
    }
    if (field->kind == RF_SCAN_REST && field->length == s->around &&
        memcmp(field->path, s->path, s->around) == 0) {
      rest = field;
    }
  }
  return rest;
}

/** Whether there are fields in an object of that path. */
static bool is_section(const scanner *s) {
  bool found = false;
  for (size_t i = 0; i < s->count && !found && is_path(s); i++) {
    const rf_scan_field *field = &s->fields[i];
    found = field->length > s->path_length && field->path[s->path_length] == '.' &&
            memcmp(field->path, s->path, s->path_length) == 0;
  }
  return found;
}

/** False for a path that came before. */
static bool is_new(scanner *s) {
  uint64_t value = rf_digest(s->path, s->path_length);
  for (size_t i = 0; i < s->name_count; i++) {
    if (s->names[i] == value) {
      return false;
    }
  }
  bool room = s->name_count < NAMES;
  if (room) {
    s->names[s->name_count++] = value;
  }
  return room;
}

/** A string into `out` of `size` bytes (NULL: skipped); false when it is none or too long. */
static bool scan_string(scanner *s, char *out, size_t size) {
  rf_span string = {s->at + 1, 0, false};
  size_t length;
  if (s->at == s->scan.end || *s->at != '"') {
    return false;
  }
  const char *end = string_end(&s->scan, string.at, &string.escaped, true);
  if (end == NULL) {
    return false;
  }
  s->at = end;
  string.size = (size_t)(end - string.at) - 1;
  if (string.escaped) {
    return undo(string, out, size, true, &length);
  }
  if (!is_clean(string.at, end - 1) || (out != NULL && string.size >= size)) {
    return false;
  }
  if (out != NULL) {
    memcpy(out, string.at, string.size);
    out[string.size] = '\0';
  }
  return true;
}

static bool skip_digits(scanner *s) {
  const char *start = s->at;
  while (s->at < s->scan.end && *s->at >= '0' && *s->at <= '9') {
    s->at++;
  }
  return s->at > start;
}

/** A number of JSON's grammar that is a finite double, and exactly one where it has neither point nor exponent. */
static bool scan_number(scanner *s, double *value) {
  const char *start = s->at;
  double read;
  bool integer = true;
  take(s, '-');
  bool good = take(s, '0') || skip_digits(s);
  if (good && take(s, '.')) {
    integer = false;
    good = skip_digits(s);
  }
  if (good && (take(s, 'e') || take(s, 'E'))) {
    integer = false;
    good = (take(s, '+') || take(s, '-') || true) && skip_digits(s);
  }
  size_t length = (size_t)(s->at - start);
  good = good && roof_number_read(start, length, &read) == length && isfinite(read) &&
         (!integer || fabs(read) < 0x1p53);
  if (good && value != NULL) {
    *value = read;
  }
  return good;
}

/** A list of numbers and nulls. */
static bool scan_list(scanner *s) {
  bool good = take(s, '[');
  if (!good || take(s, ']')) {
    return good;
  }
  do {
    good = take_word(s, "null") || scan_number(s, NULL);
  } while (good && take(s, ','));
  return good && take(s, ']');
}

/** A value that the row keeps, or checks; null leaves it as it is. */
static bool scan_field(scanner *s, const rf_scan_field *field) {
  bool *seen = &s->seen[field - s->fields];
  char *out = field->size > 0 ? (char *)s->row + field->offset : NULL;
  if (field->kind == RF_SCAN_REST ? !is_new(s) : *seen) {
    return false;
  }
  *seen = true;
  if (take_word(s, "null")) {
    return true;
  }
  switch (field->kind) {
  case RF_SCAN_TEXT:
    return scan_string(s, out, field->size);
  case RF_SCAN_FLAG: {
    bool set = take_word(s, "true");
    if (out != NULL) {
      *(bool *)(void *)out = set;
    }
    return set || take_word(s, "false");
  }
  case RF_SCAN_LIST:
    return scan_list(s);
  default:
    return scan_number(s, (double *)(void *)out);
  }
}

/** One `"name": value` with the name appended to the path; a name too long is none of ours. */
static bool scan_member(scanner *s, int depth) {
  size_t kept = s->path_length;
  if (kept > 0) {
    s->path[kept++] = '.';
  }
  if (!scan_string(s, s->path + kept, PATH - kept)) {
    return false;
  }
  s->around = kept;
  s->path_length = kept + strlen(s->path + kept);
  return take(s, ':') && scan_value(s, depth + 1);
}

static bool scan_object(scanner *s, int depth) {
  size_t length = s->path_length; /* members write behind it */
  bool good = take(s, '}');
  if (!good) {
    do {
      s->path_length = length;
      good = length < PATH - 2 && scan_member(s, depth);
    } while (good && take(s, ','));
    good = good && take(s, '}');
  }
  s->path_length = length;
  return good;
}

/** An object with fields in it; no field of its own path came before. */
static bool scan_section(scanner *s, const rf_scan_field *field, int depth) {
  bool *seen = field != NULL && field->kind != RF_SCAN_REST ? &s->seen[field - s->fields] : NULL;
  if (depth >= DEPTH || !is_section(s) || !is_new(s) || (seen != NULL && *seen)) {
    return false;
  }
  if (seen != NULL) {
    *seen = true;
  }
  return take(s, '{') && scan_object(s, depth);
}

static bool scan_value(scanner *s, int depth) {
  const rf_scan_field *field = find_field(s);
  if (s->at < s->scan.end && *s->at == '{') {
    return scan_section(s, field, depth);
  }
  return field != NULL && scan_field(s, field);
}

bool rf_scan_object(const char *text, size_t length, const rf_scan_field *fields, size_t count, void *row) {
  scanner s = {.at = text, .scan = {.end = text + length}, .fields = fields, .count = count, .row = row};
  if (usual.fields != fields) {
    memset(&usual, 0, sizeof usual);
    usual.fields = fields;
  }
  return take(&s, '{') && scan_object(&s, 0) && s.at == s.scan.end;
}
