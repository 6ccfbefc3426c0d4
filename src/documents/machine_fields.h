/** The keys of a machine file: one row a field, shared by reading and writing. */
#ifndef DOCUMENTS_MACHINE_FIELDS_H
#define DOCUMENTS_MACHINE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "roofline/machine.h"

typedef enum field_type {
  FIELD_SCHEMA,
  FIELD_NAME,      /**< text without spaces */
  FIELD_TEXT,      /**< "" is null */
  FIELD_POSITIVE,  /**< a number > 0, NaN is null */
  FIELD_AMOUNT,    /**< a number >= 0, NaN is null */
  FIELD_CORES,     /**< a whole number > 0, 0 is null */
  FIELD_NUMBERS,   /**< a list of numbers > 0, NaN is null */
  FIELD_FLAG,      /**< null is false */
  FIELD_SUPPORTED, /**< the opposite of a flag; null is true */
  FIELD_DTYPE,
  FIELD_UNIT,
  FIELD_KIND,
  FIELD_LEVEL,
  FIELD_NAMES,   /**< a list of FIELD_NAME */
  FIELD_TEXTS,   /**< a list of FIELD_TEXT */
  FIELD_OBJECT,  /**< one record */
  FIELD_OBJECTS, /**< a list of records */
  FIELD_POINTS   /**< a list of small records, all on one line; an empty one is null */
} field_type;

typedef struct field {
  const char *key;
  const struct record *record; /**< of an object */
  size_t offset;
  size_t size;     /**< of a text with its NUL, or of one list entry */
  size_t capacity; /**< of a list */
  size_t count;    /**< where a list's length is in the record, an int */
  field_type type;
  bool required;
} field;

enum { FIELD_MAX = 48 };

typedef struct record {
  const field *fields;
  size_t count;
} record;

#define MACHINE_SCHEMA "roofline.machine/1"

/** True for letters, digits and . _ + - only. */
bool rf_machine_name_is_good(const char *name);

extern const record rf_machine_record, rf_peak_record, rf_level_record, rf_conditions_record;

#endif
