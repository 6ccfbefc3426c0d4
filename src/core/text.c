#include "roofline/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"
#include "core/number.h"
#include "roofline/units.h"

static bool reserve(roof_text *text, size_t more) {
  if (text->failed) {
    return false;
  }
  size_t need = text->length + more + 1;
  if (need <= text->capacity) {
    return true;
  }
  size_t capacity = need + need / 2 + 64;
  char *data = realloc(text->data, capacity);
  if (data == NULL) {
    text->failed = true;
    return false;
  }
  text->data = data;
  text->capacity = capacity;
  return true;
}

bool roof_text_ends_with(const char *string, const char *end) {
  size_t length = string != NULL ? strlen(string) : 0, tail = strlen(end);
  return string != NULL && length >= tail && strcmp(string + length - tail, end) == 0;
}

void roof_text_add_bytes(roof_text *text, const char *bytes, size_t length) {
  if (!reserve(text, length)) {
    return;
  }
  memcpy(text->data + text->length, bytes, length);
  text->length += length;
  text->data[text->length] = '\0';
}

void roof_text_add(roof_text *text, const char *string) {
  roof_text_add_bytes(text, string, strlen(string));
}

void roof_text_addf(roof_text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  size_t room = text->failed ? 0 : text->capacity - text->length;
  int length = rf_vformat(room > 0 ? text->data + text->length : NULL, room, format, arguments);
  va_end(arguments);
  bool fits = length >= 0 && (size_t)length < room;
  if (length >= 0 && !fits && reserve(text, (size_t)length)) {
    rf_vformat(text->data + text->length, (size_t)length + 1, format, again);
    fits = true;
  }
  text->length += fits ? (size_t)length : 0;
  if (!fits && room > 0) {
    text->data[text->length] = '\0';
  }
  va_end(again);
}

void roof_text_add_number(roof_text *text, double value, int digits) {
  char buffer[32];
  roof_text_add_bytes(text, buffer, roof_number_write(buffer, value, digits));
}

size_t roof_text_sequence(const char *string) {
  const unsigned char *s = (const unsigned char *)string;
  if (s[0] < 0x80) {
    return s[0] >= 0x20 || s[0] == '\t' || s[0] == '\n' || s[0] == '\r' ? 1 : 0;
  }
  size_t length = s[0] >= 0xC2 && s[0] <= 0xDF   ? 2
                  : (s[0] & 0xF0) == 0xE0        ? 3
                  : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4
                                                 : 0;
  for (size_t i = 1; i < length; i++) {
    if ((s[i] & 0xC0) != 0x80) {
      return 0;
    }
  }
  unsigned code = rf_letters_code(string, length);
  bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  bool barred = (code >= 0xD800 && code <= 0xDFFF) || (code & 0xFFFE) == 0xFFFE || code > 0x10FFFF;
  return overlong || barred ? 0 : length;
}

size_t roof_text_shown(const char *string) {
  /* The marks and turns of a direction, and the ends of lines, of each first two bytes. */
  static const struct {
    unsigned char bytes[2], first, last;
  } hidden[] = {{{0xD8, 0x9C}, 0, 0xFF},
                {{0xE2, 0x80}, 0x8E, 0x8F},
                {{0xE2, 0x80}, 0xA8, 0xAE},
                {{0xE2, 0x81}, 0xA6, 0xA9}};
  const unsigned char *s = (const unsigned char *)string;
  if (s[0] < 0x80) {
    return s[0] >= 0x20 && s[0] != 0x7F ? 1 : 0;
  }
  if (s[0] == 0xC2 && s[1] < 0xA0) { /* C1 controls */
    return 0;
  }
  size_t length = roof_text_sequence(string);
  for (size_t i = 0; i < sizeof hidden / sizeof hidden[0] && length > 0; i++) {
    bool same = memcmp(s, hidden[i].bytes, 2) == 0 && s[2] >= hidden[i].first && s[2] <= hidden[i].last;
    length = same ? 0 : length;
  }
  return length;
}

bool roof_text_is_plain(const char *string) {
  size_t length = 1;
  for (; *string != '\0' && length > 0; string += length) {
    length = *string >= ' ' && *string < '\x7F' ? 1 : roof_text_shown(string);
  }
  return length > 0;
}

/** Appends what is shown of the character at `s`, U+FFFD for the rest; returns how many bytes it took. */
static size_t add_shown(roof_text *text, const char *s) {
  size_t length = roof_text_shown(s), whole = roof_text_sequence(s);
  roof_text_add_bytes(text, length > 0 ? s : "\xEF\xBF\xBD", length > 0 ? length : 3);
  return whole > 0 ? whole : 1;
}

void roof_text_add_markdown(roof_text *text, const char *string) {
  while (*string != '\0') {
    roof_text_add(text, strchr("\\`*_[]<>|~&$", *string) != NULL ? "\\" : "");
    string += add_shown(text, *string == '\n' || *string == '\t' ? " " : string);
  }
}

void roof_text_add_xml(roof_text *text, const char *string) {
  static const char *const entities[] = {
      ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};
  for (const unsigned char *s = (const unsigned char *)string; *s != '\0';) {
    size_t length = roof_text_sequence((const char *)s);
    const char *entity = *s < sizeof entities / sizeof entities[0] ? entities[*s] : NULL;
    if (entity != NULL) {
      roof_text_add(text, entity);
    } else if (length == 0) {
      roof_text_add(text, "\xEF\xBF\xBD");
    } else {
      roof_text_add_bytes(text, (const char *)s, length);
    }
    s += length == 0 ? 1 : length;
  }
}

void roof_text_add_json(roof_text *text, const char *string) {
  static const char *const escapes[] = {
      ['"'] = "\\\"", ['\\'] = "\\\\", ['\n'] = "\\n", ['\r'] = "\\r", ['\t'] = "\\t"};
  roof_text_add(text, "\"");
  for (const unsigned char *s = (const unsigned char *)string; *s != '\0';) {
    size_t length = roof_text_sequence((const char *)s);
    const char *escape = *s < sizeof escapes / sizeof escapes[0] ? escapes[*s] : NULL;
    if (escape != NULL) {
      roof_text_add(text, escape);
    } else if (*s < 0x20) {
      roof_text_addf(text, "\\u%04x", *s);
    } else if (length == 0) {
      roof_text_add(text, "\xEF\xBF\xBD");
    } else if (roof_text_shown((const char *)s) == 0) {
      roof_text_addf(text, "\\u%04x", rf_letters_code((const char *)s, length));
    } else {
      roof_text_add_bytes(text, (const char *)s, length);
    }
    s += length == 0 ? 1 : length;
  }
  roof_text_add(text, "\"");
}

/** True of what a spreadsheet would take for a formula: what begins like one and is no number. */
static bool is_formula(const char *string) {
  double value;
  const char *digits = string + (*string == '-' || *string == '+');
  size_t length = strlen(digits);
  return *string != '\0' && strchr("=+-@\t\r", *string) != NULL &&
         (length == 0 || roof_number_read(digits, length, &value) != length);
}

void roof_text_add_csv(roof_text *text, const char *string) {
  const char *quote = strpbrk(string, ",\"\r\n") != NULL ? "\"" : "";
  roof_text_add(text, quote);
  roof_text_add(text, is_formula(string) ? "'" : "");
  while (*string != '\0') {
    bool white = *string == '\t' || *string == '\n' || *string == '\r';
    if (*string == '"' || white) {
      roof_text_add(text, *string == '"' ? "\"" : "");
      roof_text_add_bytes(text, string++, 1);
    } else {
      string += add_shown(text, string);
    }
  }
  roof_text_add(text, quote);
}

void roof_text_done(roof_text *text) {
  free(text->data);
  *text = (roof_text){0};
}

enum { LONGEST_NAME = 63 };

/** Edit distance (insert, delete, replace, swap of neighbours), ignoring case, of names up to 63
 * characters. */
static size_t distance(const char *a, const char *b) {
  size_t rows[3][LONGEST_NAME + 1];
  size_t length_a = strlen(a), length_b = strlen(b);
  if (length_a > LONGEST_NAME || length_b > LONGEST_NAME) {
    return LONGEST_NAME;
  }
  for (size_t j = 0; j <= length_b; j++) {
    rows[0][j] = j;
  }
  for (size_t i = 1; i <= length_a; i++) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= length_b; j++) {
      int x = rf_lower((unsigned char)a[i - 1]), y = rf_lower((unsigned char)b[j - 1]);
      size_t best = above[j - 1] + (x != y);
      best = above[j] + 1 < best ? above[j] + 1 : best;
      best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
      if (i > 1 && j > 1 && x == rf_lower((unsigned char)b[j - 2]) &&
          y == rf_lower((unsigned char)a[i - 2]) && before[j - 2] + 1 < best) {
        best = before[j - 2] + 1;
      }
      row[j] = best;
    }
  }
  return rows[length_a % 3][length_b];
}

/** True when both have the same digits but for one too many: h200 for h100 is another product, h1000 a slip. */
static bool same_digits(const char *a, const char *b) {
  int apart = 0;
  for (int digit = '0'; digit <= '9'; digit++) {
    int more = 0;
    for (const char *c = a; *c != '\0'; c++) {
      more += *c == digit;
    }
    for (const char *c = b; *c != '\0'; c++) {
      more -= *c == digit;
    }
    apart += more < 0 ? -more : more;
  }
  return apart <= 1;
}

/** The shortest name that begins with what was typed (two letters or more), else that contains it (three or more). */
static const char *longer_name(const char *name, const char *const *candidates) {
  const char *best = NULL;
  bool begins = false;
  for (size_t i = 0; candidates[i] != NULL && strlen(name) > 1; i++) {
    const char *found = rf_letters_find(candidates[i], name);
    bool first = found == candidates[i];
    if (found != NULL && (first || strlen(name) > 2) &&
        (best == NULL || (first && !begins) || (first == begins && strlen(candidates[i]) < strlen(best)))) {
      best = candidates[i];
      begins = first;
    }
  }
  return best;
}

static bool is_letter(char c) {
  return rf_lower(c) >= 'a' && rf_lower(c) <= 'z';
}

/** The longest name of three letters or more that is a word of what was typed. */
static const char *word_within(const char *name, const char *const *candidates) {
  const char *best = NULL;
  for (size_t i = 0; candidates[i] != NULL; i++) {
    const char *found = rf_letters_find(name, candidates[i]);
    size_t length = strlen(candidates[i]);
    if (found != NULL && length > 2 && (found == name || !is_letter(found[-1])) &&
        !is_letter(found[length]) && (best == NULL || length > strlen(best))) {
      best = candidates[i];
    }
  }
  return best;
}

/** A short name with a digit that begins with another letter is another product (a40, b40). */
static bool is_another(const char *name, const char *known) {
  return strlen(name) < 4 && strpbrk(name, "0123456789") != NULL && name[0] != known[0];
}

const char *roof_suggest(const char *name, const char *const *candidates) {
  const char *best = longer_name(name, candidates);
  if (best != NULL) {
    return best;
  }
  size_t letters = strlen(name), nearest = letters < 6 ? 2 : letters < 8 ? 3 : 4;
  for (size_t i = 0; candidates[i] != NULL; i++) {
    size_t d = distance(name, candidates[i]);
    if (d < nearest && d < strlen(candidates[i]) && same_digits(name, candidates[i]) &&
        !is_another(name, candidates[i])) {
      nearest = d;
      best = candidates[i];
    }
  }
  return best != NULL ? best : word_within(name, candidates);
}
