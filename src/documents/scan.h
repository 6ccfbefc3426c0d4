/** The one scanner of JSON text, which allocates nothing. Strictly, one object of a line into a struct by a table of its
 *  members: for documents of 100,000 lines. Or quickly, for traces of gigabytes: where values begin and end, without
 *  reading what is in those that are not wanted. */
#ifndef DOCUMENTS_SCAN_H
#define DOCUMENTS_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#define RF_SCAN_FIELDS 128 /* most fields of a table that is read strictly */

/** Bytes of the JSON text: a string without its quotes, anything else as it is. */
typedef struct rf_span {
  const char *at; /**< NULL: absent */
  size_t size;
  bool escaped; /**< a string with a backslash in it */
} rf_span;

typedef enum rf_scan_kind {
  RF_SCAN_TEXT,   /**< an array of char, UTF-8, ends with a NUL */
  RF_SCAN_NUMBER, /**< a double */
  RF_SCAN_FLAG,   /**< a bool */
  RF_SCAN_LIST,   /**< numbers that are not kept */
  RF_SCAN_REST, /**< all other members of an object, numbers that are not kept: the path ends with its dot */
  RF_SCAN_SPAN  /**< a rf_span: for rf_scan_members alone */
} rf_scan_kind;

/** Where a member goes; one of size 0 is not kept. */
typedef struct rf_scan_field {
  const char *path; /**< names of the objects around it and its own, joined by dots: "seconds.lower" */
  size_t length;    /**< of the path */
  rf_scan_kind kind;
  size_t offset;
  size_t size;
} rf_scan_field;

#define RF_SCAN_FIELD(path, what, row, member)                                                               \
  { path, sizeof(path) - 1, RF_SCAN_##what, offsetof(row, member), sizeof((row *)0)->member }

#define RF_SCAN_UNKEPT(path, what)                                                                           \
  { path, sizeof(path) - 1, RF_SCAN_##what, 0, 0 }

/** Reads one compact JSON object, which ends with a quote and a brace at the latest, into *row; what is
 *  missing or null stays as it is. False when it is none, has a member that is not in the table, a member is given
 *  twice, has another type or does not fit, for numbers beyond a double, integers from 2^53 on, surrogates: what it reads,
 *  every reader of JSON reads the same. */
bool rf_scan_object(const char *text, size_t length, const rf_scan_field *fields, size_t count, void *row);

/* What follows reads text with blanks in it that a NUL and seven more readable bytes end. */

/** A scan of a part of the text. Where a function gives NULL, `stopped` is where: at `end` more bytes may help,
 *  elsewhere the text is malformed. */
typedef struct rf_scan {
  const char *end; /**< points to a NUL */
  const char *stopped;
} rf_scan;

/** Members of an object as spans, and of one object in it. */
typedef struct rf_scan_table {
  const rf_scan_field *fields;
  size_t count;
  const char *inner;                 /**< the name of an object whose members are in the row too, or NULL */
  const struct rf_scan_table *table; /**< theirs */
  size_t offset;                     /**< of the span of the whole inner object */
  /** Whether its members are wanted, by what is in the row so far: skipping them is faster. */
  bool (*wanted)(const void *user, const void *row);
} rf_scan_table;

/** The first byte from *p on that is not blank. */
static inline const char *rf_scan_blank(const char *p) {
  while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') {
    p++;
  }
  return p;
}

/** The position after the value at *p; *value becomes that value. */
const char *rf_scan_value(rf_scan *scan, const char *p, rf_span *value);

/** The position of the value after `"key" :`. */
const char *rf_scan_key(rf_scan *scan, const char *p, rf_span *key);

/** The position after the brace that closes the object at *p; its members in the table are kept in `row`. */
const char *rf_scan_members(rf_scan *scan, const char *p, const rf_scan_table *table, const void *user,
                            void *row);

/** The next member of the object (or element of the list, with an empty key) that *at is in; start with
 *  *at after the opening bracket. False at the end. The text is known to be complete. */
bool rf_scan_next(const char **at, rf_span *key, rf_span *value);

/** True when the span is that text. */
bool rf_scan_is(rf_span span, const char *text);

/** The text of a string with its escapes undone, at most `size` - 1 bytes and a NUL. */
size_t rf_scan_text(rf_span string, char *text, size_t size);

#endif
