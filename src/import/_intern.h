/** Byte strings as small numbers: equal strings have equal numbers, in the order they came. */
#ifndef IMPORT_INTERN_H
#define IMPORT_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Start from zeros. */
typedef struct intern {
  struct intern_entry *entries;
  uint32_t count, room;
  uint32_t *slots;
  uint32_t slot_count;
  char *bytes; /* one string after the other */
  size_t size, capacity;
} intern;

#define INTERN_FAILED UINT32_MAX

/** The number of the string, from 0; INTERN_FAILED when out of memory. */
uint32_t rf_intern_add(intern *table, const char *bytes, size_t size);

/** The string of a number, valid until the next one is added. */
const char *rf_intern_get(const intern *table, uint32_t number, size_t *size);

void rf_intern_done(intern *table);

#endif
