/* Scans one JSON object, strictly, without allocating. */
#include "documents/scan.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/letters.h"
#include "roofline/text.h"
#include "roofline/units.h"

enum { DEPTH = 8, PATH = 48 };

typedef struct scanner {
  const char *at, *end;
  char path[PATH]; /**< names of the open objects and the member, joined by dots */
  size_t path_length;
  const rf_scan_field *fields;
  size_t count;
  void *row;
  bool seen[RF_SCAN_FIELDS];
} scanner;

static bool scan_value(scanner *s, int depth);
static bool scan_other(scanner *s, int depth);

static bool take(scanner *s, char c) {
  bool there = s->at < s->end && *s->at == c;
  s->at += there;
  return there;
}

static bool take_word(scanner *s, const char *word) {
  size_t length = strlen(word);
  bool there = (size_t)(s->end - s->at) >= length && memcmp(s->at, word, length) == 0;
  s->at += there ? length : 0;
  return there;
}

static const rf_scan_field *find_field(const scanner *s) {
  for (size_t i = 0; i < s->count; i++) {
    const rf_scan_field *field = &s->fields[i];
    if (field->length == s->path_length && memcmp(field->path, s->path, s->path_length) == 0) {
      return field;
    }
  }
  return NULL;
}

/** Appends a code point below 0x10000 as UTF-8; surrogates become U+FFFD, which no label needs. */
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

/** One escape after its backslash into `out`; the number of bytes, 0 when it is none. */
static size_t scan_escape(scanner *s, char out[4]) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if (s->at == s->end) {
    return 0;
  }
  char c = *s->at++;
  const char *simple = c != '\0' ? strchr(from, c) : NULL;
  if (simple != NULL) {
    out[0] = to[simple - from];
    return 1;
  }
  unsigned code = 0;
  for (int i = 0; i < 4; i++) {
    if (c != 'u' || s->at == s->end || !isxdigit((unsigned char)*s->at)) {
      return 0;
    }
    char digit = (char)rf_lower((unsigned char)*s->at++);
    code = code * 16 + (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  }
  return code == 0 ? 0 : encode(code, out);
}

/** The character or escape at `at` into `out`; the number of bytes, 0 when it may not stand in a string. The
 * text ends with a quote at the latest, so a sequence never reads past it. */
static size_t scan_character(scanner *s, char out[4]) {
  unsigned char c = (unsigned char)*s->at;
  if (c == '\\') {
    s->at++;
    return scan_escape(s, out);
  }
  size_t length = c < 0x20 ? 0 : c < 0x80 ? 1 : roof_text_sequence(s->at);
  memcpy(out, s->at, length);
  s->at += length;
  return length;
}

/** Bytes at `at` that stand for themselves. */
static size_t plain_length(const scanner *s) {
  const char *at = s->at;
  while (at < s->end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20 &&
         (unsigned char)*at < 0x80) {
    at++;
  }
  return (size_t)(at - s->at);
}

/** A string into `out` of `size` bytes (NULL: skipped); false when it is none or too long. */
static bool scan_string(scanner *s, char *out, size_t size) {
  size_t used = 0;
  if (!take(s, '"')) {
    return false;
  }
  while (s->at < s->end && *s->at != '"') {
    char bytes[4];
    const char *start = s->at;
    size_t length = plain_length(s);
    s->at += length;
    if (length == 0) {
      length = scan_character(s, bytes);
      start = bytes;
    }
    if (length == 0 || (out != NULL && used + length >= size)) {
      return false;
    }
    if (out != NULL) {
      memcpy(out + used, start, length);
    }
    used += length;
  }
  if (out != NULL) {
    out[used] = '\0';
  }
  return take(s, '"');
}

static bool skip_digits(scanner *s) {
  const char *start = s->at;
  while (s->at < s->end && isdigit((unsigned char)*s->at)) {
    s->at++;
  }
  return s->at > start;
}

/** A number of JSON's grammar; its value only where `value` is not NULL. */
static bool scan_number(scanner *s, double *value) {
  const char *start = s->at;
  take(s, '-');
  bool good = take(s, '0') || skip_digits(s);
  if (good && take(s, '.')) {
    good = skip_digits(s);
  }
  if (good && (take(s, 'e') || take(s, 'E'))) {
    good = (take(s, '+') || take(s, '-') || true) && skip_digits(s);
  }
  size_t length = (size_t)(s->at - start);
  if (!good || value == NULL) {
    return good;
  }
  return roof_number_read(start, length, value) == length && isfinite(*value);
}

/** A value that the row keeps; null leaves it as it is. */
static bool scan_field(scanner *s, const rf_scan_field *field) {
  bool *seen = &s->seen[field - s->fields];
  char *out = (char *)s->row + field->offset;
  if (*seen) {
    return false;
  }
  *seen = true;
  if (take_word(s, "null")) {
    return true;
  }
  if (field->kind == RF_SCAN_TEXT) {
    return scan_string(s, out, field->size);
  }
  if (field->kind == RF_SCAN_FLAG) {
    return (*(bool *)(void *)out = take_word(s, "true")) || take_word(s, "false");
  }
  return scan_number(s, (double *)(void *)out);
}

/** One `"name": value` with the name appended to the path; a name too long is none of ours. */
static bool scan_member(scanner *s, int depth) {
  size_t kept = s->path_length, room = PATH - kept;
  const char *start = s->at;
  if (kept > 0) {
    s->path[kept++] = '.';
    room--;
  }
  if (!scan_string(s, s->path + kept, room)) {
    s->at = start;
    strcpy(s->path, "?");
    kept = 0;
    if (!scan_string(s, NULL, 0)) {
      return false;
    }
  }
  s->path_length = strlen(s->path);
  return take(s, ':') && scan_value(s, depth + 1);
}

static bool scan_object(scanner *s, int depth) {
  char outer[PATH];
  size_t length = s->path_length;
  memcpy(outer, s->path, sizeof outer);
  bool good = take(s, '}');
  if (!good) {
    do {
      memcpy(s->path, outer, sizeof outer);
      s->path_length = length;
      good = length < PATH - 2 && scan_member(s, depth);
    } while (good && take(s, ','));
    good = good && take(s, '}');
  }
  memcpy(s->path, outer, sizeof outer);
  s->path_length = length;
  return good;
}

static bool scan_array(scanner *s, int depth) {
  if (take(s, ']')) {
    return true;
  }
  do {
    if (!scan_other(s, depth + 1)) {
      return false;
    }
  } while (take(s, ','));
  return take(s, ']');
}

/** A value the row does not keep. */
static bool scan_other(scanner *s, int depth) {
  if (take(s, '{')) {
    return depth < DEPTH && scan_object(s, depth);
  }
  if (take(s, '[')) {
    return depth < DEPTH && scan_array(s, depth);
  }
  if (s->at < s->end && *s->at == '"') {
    return scan_string(s, NULL, 0);
  }
  return take_word(s, "null") || take_word(s, "true") || take_word(s, "false") || scan_number(s, NULL);
}

static bool scan_value(scanner *s, int depth) {
  bool nested = s->at < s->end && (*s->at == '{' || *s->at == '[');
  const rf_scan_field *field = nested ? NULL : find_field(s);
  return field != NULL ? scan_field(s, field) : scan_other(s, depth);
}

bool rf_scan_object(const char *text, size_t length, const rf_scan_field *fields, size_t count, void *row) {
  scanner s = {.at = text, .end = text + length, .fields = fields, .count = count, .row = row};
  return take(&s, '{') && scan_object(&s, 0) && s.at == s.end;
}
