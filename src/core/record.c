#include "core/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *pointer_at(const void *base, size_t offset) {
  char *pointer;
  memcpy(&pointer, (const char *)base + offset, sizeof pointer);
  return pointer;
}

static void set_pointer(void *base, size_t offset, const void *pointer) {
  memcpy((char *)base + offset, &pointer, sizeof pointer);
}

static int count_at(const void *base, size_t offset) {
  int count;
  memcpy(&count, (const char *)base + offset, sizeof count);
  return count;
}

/** The lists on the heap, and those within the record whose entries are records or numbers. */
static bool is_list(const rf_field *f) {
  return f->capacity > 0;
}

char *rf_list_entries(const rf_field *f, const void *base, int *count) {
  *count = count_at(base, f->count);
  return f->owned ? pointer_at(base, f->offset) : (char *)(size_t)base + f->offset;
}

static void done_fields(const rf_record *record, char *base, bool measured) {
  for (size_t i = 0; i < record->count; i++) {
    const rf_field *f = &record->fields[i];
    if (f->measured != measured) {
      continue;
    }
    int count = 0;
    char *entries = is_list(f) ? rf_list_entries(f, base, &count) : NULL;
    for (int k = 0; k < count && f->record != NULL; k++) {
      rf_record_done(f->record, entries + (size_t)k * f->size);
    }
    if (f->owned) {
      free(entries);
      set_pointer(base, f->offset, NULL);
    } else if (f->type == FIELD_OBJECT) {
      rf_record_done(f->record, base + f->offset);
    }
  }
}

void rf_record_done(const rf_record *record, void *base) {
  done_fields(record, base, false);
  if (record->part_size > 0) {
    char *part = pointer_at(base, record->part);
    if (part != NULL) {
      done_fields(record, part, true);
    }
    free(part);
    set_pointer(base, record->part, NULL);
  }
}

static void init_entry(const rf_field *f, char *entry) {
  const double unknown = NAN;
  if (f->record != NULL) {
    rf_record_init(f->record, entry);
  } else if (f->type == FIELD_NUMBERS) {
    memcpy(entry, &unknown, sizeof unknown);
  }
}

/** False when out of memory for the record's lists. */
static bool init_fields(const rf_record *record, char *base, bool measured) {
  bool made = true;
  for (size_t i = 0; i < record->count; i++) {
    const rf_field *f = &record->fields[i];
    char *at = base + f->offset;
    if (f->measured != measured) {
      continue;
    }
    if (f->owned) {
      char *entries = malloc(f->capacity * f->size);
      set_pointer(base, f->offset, entries);
      made = made && entries != NULL;
      continue;
    }
    if (rf_field_is_number(f->type)) {
      double number = f->one ? 1 : NAN;
      memcpy(at, &number, sizeof number);
    } else if (f->type == FIELD_OBJECT) {
      made = rf_record_init(f->record, at) && made;
    }
    for (size_t k = 0; k < f->capacity; k++) {
      init_entry(f, at + k * f->size);
    }
  }
  return made;
}

bool rf_record_init(const rf_record *record, void *base) {
  memset(base, 0, record->size);
  if (!init_fields(record, base, false)) {
    rf_record_done(record, base);
    return false;
  }
  return true;
}

void *rf_record_part(const rf_record *record, void *base) {
  char *part = pointer_at(base, record->part);
  if (part == NULL) {
    part = calloc(1, record->part_size);
    if (part != NULL && !init_fields(record, part, true)) {
      done_fields(record, part, true);
      free(part);
      part = NULL;
    }
    set_pointer(base, record->part, part);
  }
  return part;
}

void *rf_list_add(const rf_field *f, void *base) {
  int count = 0;
  char *entries = rf_list_entries(f, base, &count);
  if ((size_t)count == f->capacity) {
    return NULL;
  }
  char *added = entries + (size_t)count++ * f->size;
  memset(added, 0, f->size);
  init_entry(f, added);
  memcpy((char *)base + f->count, &count, sizeof count);
  return added;
}

/** Makes a record, which is empty, equal to another; false when out of memory. */
static bool fill_record(const rf_record *record, char *to, const char *from);

static bool copy_list(const rf_field *f, char *to, const char *from) {
  int count = 0;
  const char *entries = rf_list_entries(f, from, &count);
  for (int k = 0; k < count; k++) {
    char *added = rf_list_add(f, to);
    const char *entry = entries + (size_t)k * f->size;
    if (added == NULL) {
      return false;
    }
    if (f->record == NULL) {
      memcpy(added, entry, f->size);
    } else if (!fill_record(f->record, added, entry)) {
      return false;
    }
  }
  return true;
}

static bool copy_fields(const rf_record *record, char *to, const char *from, bool measured) {
  bool copied = true;
  for (size_t i = 0; i < record->count && copied; i++) {
    const rf_field *f = &record->fields[i];
    if (f->measured != measured || f->type == FIELD_SCHEMA) {
      continue;
    }
    if (is_list(f)) {
      copied = copy_list(f, to, from);
    } else if (f->type == FIELD_OBJECT) {
      copied = fill_record(f->record, to + f->offset, from + f->offset);
    } else {
      memcpy(to + f->offset, from + f->offset, f->size);
    }
  }
  return copied;
}

static bool fill_record(const rf_record *record, char *to, const char *from) {
  const char *part = record->part_size > 0 ? pointer_at(from, record->part) : NULL;
  char *own = part != NULL ? rf_record_part(record, to) : NULL;
  return (own != NULL) == (part != NULL) && copy_fields(record, to, from, false) &&
         (part == NULL || copy_fields(record, own, part, true));
}

bool rf_record_copy(const rf_record *record, void *to, const void *from) {
  if (!rf_record_init(record, to)) {
    return false;
  }
  if (!fill_record(record, to, from)) {
    rf_record_done(record, to);
    return false;
  }
  return true;
}

const rf_field *rf_record_field(const rf_record *record, const char *key) {
  for (size_t i = 0; i < record->count; i++) {
    if (strcmp(record->fields[i].key, key) == 0) {
      return &record->fields[i];
    }
  }
  return NULL;
}

const rf_field *rf_record_figure(const rf_record *record, int rank) {
  for (size_t i = 0; i < record->count; i++) {
    if (record->fields[i].rank == rank) {
      return &record->fields[i];
    }
  }
  return NULL;
}

double rf_number_at(const void *base, size_t offset) {
  double number;
  memcpy(&number, (const char *)base + offset, sizeof number);
  return number;
}
