/** Records described by tables: one row a field. What a machine holds is a table of src/core/figures.c, which
 *  drives its making, copying, reading, writing, showing and checking: adding a figure is adding a row. */
#ifndef CORE_RECORD_H
#define CORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>

typedef enum rf_field_type {
  FIELD_SCHEMA,
  FIELD_NAME,      /**< text without spaces */
  FIELD_TEXT,      /**< "" is null */
  FIELD_POSITIVE,  /**< a number > 0, NaN is null */
  FIELD_WHOLE,     /**< of things: a whole number > 0, NaN is null */
  FIELD_CLOCK,     /**< in Hz, not in MHz or GHz; NaN is null */
  FIELD_AMOUNT,    /**< a number >= 0, NaN is null */
  FIELD_CORES,     /**< a whole number > 0, 0 is null */
  FIELD_NUMBERS,   /**< a list of numbers > 0, NaN is null */
  FIELD_FLAG,      /**< null is false */
  FIELD_SUPPORTED, /**< the opposite of a flag; null is true */
  FIELD_DTYPE,
  FIELD_SCALED, /**< a format, also one with scales */
  FIELD_UNIT,
  FIELD_KIND,
  FIELD_LEVEL,
  FIELD_KERNEL,
  FIELD_NAMES,   /**< a list of FIELD_NAME */
  FIELD_TEXTS,   /**< a list of FIELD_TEXT */
  FIELD_OBJECT,  /**< one record */
  FIELD_OBJECTS, /**< a list of records */
  FIELD_POINTS   /**< a list of small records, all on one line; an empty one is null */
} rf_field_type;

static inline bool rf_field_is_number(unsigned type) {
  return type >= FIELD_POSITIVE && type <= FIELD_AMOUNT;
}

struct rf_record;

/** One field of a record; small, since there are hundreds. */
typedef struct rf_field {
  const char *key;                /**< in JSON */
  const struct rf_record *record; /**< of an object, or of a list's entries */
  const char *label;              /**< what follows the record's name: "read"; NULL: not shown by itself */
  const char *unit;               /**< "B/s" */
  unsigned type : 5;              /**< rf_field_type */
  unsigned rank : 5; /**< where it stands among the figures of its record that are shown, from 1 */
  bool one : 1;      /**< a number is 1 before it is known, else NaN */
  bool required : 1;
  bool owned : 1; /**< a list on the heap: at `offset` is a pointer to it. It has room for `capacity` entries
                          from the start, so that they never move and adding one never fails for memory */
  bool measured : 1; /**< in the record's part of what only a measurement shows, not in the record itself */
  bool shared : 1;   /**< some of a machine's cores have their part of it */
  bool cited : 1;    /**< needs a source of its own */
  unsigned short offset;
  unsigned short size;     /**< of a text with its NUL, or of one list entry */
  unsigned short capacity; /**< of a list */
  unsigned short count;    /**< where a list's length is, an int */
  unsigned short limit;    /**< where its physical limit is; 0: it has none */
  unsigned short
      conditions; /**< where its conditions are in the part that was measured, counted from 1; 0: none */
  unsigned short provenance; /**< where its roof_origin is; 0: it has the record's own */
} rf_field;

/** The fields of a struct. What only a measurement shows is a struct of its own, which the record points to:
 *  NULL where nothing was measured. */
typedef struct rf_record {
  const rf_field *fields;
  size_t count;
  size_t size;
  size_t part, part_size; /**< where that pointer is, and the size of what it points to; 0: no such part */
} rf_record;

enum { RF_FIELD_MAX = 64 };

/** Every number unknown, every count 0, every text "", nothing measured. False when out of memory for its lists:
 *  nothing is then to be freed. */
bool rf_record_init(const rf_record *record, void *base);

/** Frees what the record owns. */
void rf_record_done(const rf_record *record, void *base);

/** Makes `to` equal to `from`, with lists and parts of its own. False when out of memory: nothing
 *  of `to` is then to be freed. */
bool rf_record_copy(const rf_record *record, void *to, const void *from);

/** What was measured, made where there is none yet; NULL when out of memory. */
void *rf_record_part(const rf_record *record, void *base);

/** A new, empty entry at the end of a list in `base`; NULL when the list is full. */
void *rf_list_add(const rf_field *field, void *base);

/** Where the list's entries begin in `base`, and how many there are. */
char *rf_list_entries(const rf_field *field, const void *base, int *count);

/** The row of that key; NULL when there is none. */
const rf_field *rf_record_field(const rf_record *record, const char *key);

/** The figure that is shown at `rank`, from 1; NULL beyond the last. */
const rf_field *rf_record_figure(const rf_record *record, int rank);

/** The number of a row, which is not of the measured part. */
double rf_number_at(const void *base, size_t offset);

#endif
