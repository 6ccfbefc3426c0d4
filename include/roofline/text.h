/** A growing text buffer and the only functions that escape text for a format.
 *
 *  Example:
 *    roof_text text = {0};
 *    roof_text_addf(&text, "%d machines", 3);
 *    if (!text.failed) {
 *      fwrite(text.data, 1, text.length, stdout);
 *    }
 *    roof_text_done(&text); */
#ifndef ROOFLINE_TEXT_H
#define ROOFLINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "roofline/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** NUL-terminated text. Start from `{0}`. After an allocation fails, additions do nothing and `failed` stays
 *  set. */
typedef struct roof_text {
  char *data;
  size_t length;
  size_t capacity;
  bool failed;
} roof_text;

/** Appends a string.
 *  Units: bytes.
 *  Ownership: copies.
 *  Errors: sets text->failed when out of memory. */
ROOF_API void roof_text_add(roof_text *text, const char *string);

/** Appends `length` bytes.
 *  Units: bytes.
 *  Ownership: copies.
 *  Errors: sets text->failed when out of memory. */
ROOF_API void roof_text_add_bytes(roof_text *text, const char *bytes, size_t length);

/** Appends formatted text.
 *  Units: none.
 *  Ownership: copies.
 *  Errors: sets text->failed when out of memory. */
ROOF_API void roof_text_addf(roof_text *text, const char *format, ...) ROOF_PRINTF(2, 3);

/** Appends `string` escaped for XML and HTML text and attributes; bytes that are not UTF-8 or not allowed in
 *  XML become U+FFFD.
 *  Units: bytes.
 *  Ownership: copies.
 *  Errors: sets text->failed when out of memory. */
ROOF_API void roof_text_add_xml(roof_text *text, const char *string);

/** Appends `string` as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD, what roof_text_shown
 *  refuses an escape of its code.
 *  Units: bytes.
 *  Ownership: copies.
 *  Errors: sets text->failed when out of memory. */
ROOF_API void roof_text_add_json(roof_text *text, const char *string);

/** Appends `value` as roof_number_write does, nothing for NaN.
 *  Units: none.
 *  Ownership: copies.
 *  Errors: sets text->failed when out of memory. */
ROOF_API void roof_text_add_number(roof_text *text, double value, int digits);

/** Appends `string` as one CSV field (RFC 4180): quoted only where needed. What a spreadsheet would take for a formula
 *  (it begins with =, +, -, @, a tab or a carriage return and is no number) gets a `'` before it; what roof_text_shown
 *  refuses becomes U+FFFD, but for tabs and ends of lines.
 *  Units: bytes.
 *  Ownership: copies.
 *  Errors: sets text->failed when out of memory. */
ROOF_API void roof_text_add_csv(roof_text *text, const char *string);

/** Appends `string` as text of one line of Markdown, a cell of a table too: it neither marks up, links nor is HTML. What
 *  roof_text_shown refuses becomes U+FFFD, a tab or an end of a line a space.
 *  Units: bytes.
 *  Ownership: copies.
 *  Errors: sets text->failed when out of memory. */
ROOF_API void roof_text_add_markdown(roof_text *text, const char *string);

/** Length of the character `string` starts with if it may be shown as it is on one line of a terminal or a log: well
 *  formed UTF-8, no control character, no end of a line, no change of the direction of writing; else 0.
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: 0. */
ROOF_API size_t roof_text_shown(const char *string);

/** True when roof_text_shown takes every character of `string`.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_text_is_plain(const char *string);

/** Length of the UTF-8 sequence `string` starts with if it is well formed and allowed in XML 1.0, else 0.
 *  Units: bytes.
 *  Ownership: none.
 *  Errors: 0. */
ROOF_API size_t roof_text_sequence(const char *string);

/** True when `string` (nullable) ends with `end`.
 *  Units: none.
 *  Ownership: none.
 *  Errors: none. */
ROOF_API bool roof_text_ends_with(const char *string, const char *end);

/** Frees the buffer and resets to empty.
 *  Units: none.
 *  Ownership: releases text->data.
 *  Errors: none; NULL data is fine. */
ROOF_API void roof_text_done(roof_text *text);

/** The candidate that `name` stands for most likely: the shortest that begins with it, else that contains it, else the
 *  nearest by edit distance with the same digits, else the longest that is a word of it; NULL when none is near enough to
 *  suggest.
 *  Units: none.
 *  Ownership: returns one of `candidates` (NULL-terminated list).
 *  Errors: none. */
ROOF_API const char *roof_suggest(const char *name, const char *const *candidates);

#ifdef __cplusplus
}
#endif
#endif
