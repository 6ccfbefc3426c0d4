/** The members of one JSON object read into a struct by a table of fields, without allocating: for documents
 *  of 100,000 lines. */
#ifndef DOCUMENTS_SCAN_H
#define DOCUMENTS_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#define RF_SCAN_FIELDS 128 /* most fields of a table */

typedef enum rf_scan_kind {
  RF_SCAN_TEXT,   /**< an array of char, UTF-8, ends with a NUL */
  RF_SCAN_NUMBER, /**< a double */
  RF_SCAN_FLAG    /**< a bool */
} rf_scan_kind;

/** Where a member goes. */
typedef struct rf_scan_field {
  const char *path; /**< names of the objects around it and its own, joined by dots: "seconds.lower" */
  size_t length;    /**< of the path */
  rf_scan_kind kind;
  size_t offset;
  size_t size;
} rf_scan_field;

#define RF_SCAN_FIELD(path, what, row, member)                                                               \
  { path, sizeof(path) - 1, RF_SCAN_##what, offsetof(row, member), sizeof((row *)0)->member }

/** Reads one compact JSON object, which ends with a quote and a brace at the latest, into *row; what is
 *  missing or null stays as it is, other members are skipped. False when it is none, a field is given twice,
 *  has another type or does not fit. */
bool rf_scan_object(const char *text, size_t length, const rf_scan_field *fields, size_t count, void *row);

#endif
