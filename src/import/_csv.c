/* RFC 4180: a field may be quoted, and then holds delimiters, doubled quotes and newlines. */
#include <stdlib.h>
#include <string.h>

#include "core/letters.h"
#include "import/import.h"

enum { RECORD_MAX = 64 << 20 };

static bool grow(void **data, size_t *room, size_t need, size_t size) {
  if (need <= *room) {
    return true;
  }
  size_t more = need + need / 2 + 16;
  void *grown = realloc(*data, more * size);
  if (grown == NULL) {
    return false;
  }
  *data = grown;
  *room = more;
  return true;
}

static bool store(import_row *row, size_t at, const char *text, size_t length) {
  void *data = row->store;
  if (!grow(&data, &row->capacity, at + length + 2, 1)) {
    return false;
  }
  row->store = data;
  memcpy(row->store + at, text, length);
  row->store[at + length] = '\0';
  return true;
}

/** True when a quoted field is still open at the end of the text. `open`: whether one was before it. */
static bool still_open(const char *text, char delimiter, bool open) {
  bool fresh = !open; /* at the beginning of a field */
  for (; *text != '\0'; text++) {
    if (open && *text == '"') {
      open = text[1] == '"';
      text += open;
    } else if (!open && fresh && *text == '"') {
      open = true;
    }
    fresh = !open && (*text == delimiter || (fresh && *text == ' '));
  }
  return open;
}

/** Reads one field in place: `*from` moves past it, the text is written at `to`. Returns the end of the
 * text. `*line` and `*begin` follow the lines of the record: the number of the one being read, and where it begins. */
static char *take_field(char **from, char *to, char delimiter, int *line, const char **begin) {
  char *p = *from, *blanks = p + strspn(p, " ");
  bool quoted = *blanks == '"';
  for (p = quoted ? blanks + 1 : p; *p != '\0' && (quoted || *p != delimiter); p++) {
    if (quoted && *p == '"' && p[1] != '"') {
      quoted = false;
    } else {
      if (*p == '\n') {
        *begin = p + 1;
        ++*line;
      }
      p += quoted && *p == '"';
      *to++ = *p;
    }
  }
  *from = p;
  return to;
}

static bool grow_fields(import_row *row) {
  void *fields = row->fields, *spots = row->spots;
  size_t room = row->field_room;
  bool grown = grow(&spots, &room, row->count + 1, sizeof *row->spots);
  row->spots = spots;
  grown = grown && grow(&fields, &row->field_room, row->count + 1, sizeof *row->fields);
  row->fields = fields;
  return grown;
}

static bool split(import_row *row, char delimiter) {
  char *from = row->store, *to = row->store;
  const char *begin = row->store;
  int line = row->line;
  row->count = 0;
  for (bool last = false; !last; row->count++) {
    if (!grow_fields(row)) {
      return false;
    }
    row->fields[row->count] = to;
    row->spots[row->count] = (import_spot){line, (int)(from + strspn(from, " ") - begin) + 1};
    to = take_field(&from, to, delimiter, &line, &begin);
    last = *from == '\0';
    from++;
    *to++ = '\0';
  }
  return true;
}

static roof_status memory(roof_error *error) {
  return roof_error_set(error, ROOF_E_MEMORY, "CSV: out of memory");
}

bool rf_import_csv(roof_source *source, char delimiter, import_row *row, roof_status *status,
                   roof_error *error) {
  size_t length = 0, used = 0;
  bool open = false;
  char *line;
  *status = ROOF_OK;
  while ((line = rf_import_line(source, &length)) != NULL) {
    if (used == 0) {
      row->line = rf_import_line_number(source);
    } else {
      row->store[used++] = '\n';
    }
    if (!store(row, used, line, length)) {
      *status = memory(error);
      return false;
    }
    open = still_open(row->store + used, delimiter, open);
    used += strlen(row->store + used);
    if (!open) {
      break;
    }
    if (used > RECORD_MAX) {
      *status =
          rf_import_error(source, error, ROOF_E_PARSE, row->line, 0, "quotes that begin here never end");
      return false;
    }
  }
  *status = rf_import_failed(source, error);
  if (*status == ROOF_OK && open) {
    rf_import_cut_record(source);
  }
  if (*status != ROOF_OK || open || line == NULL) {
    return false;
  }
  size_t before = row->count;
  if (!split(row, delimiter)) {
    *status = memory(error);
    return false;
  }
  if (rf_import_unended(source) && row->count < before) {
    rf_import_cut_record(source);
  }
  return true;
}

roof_status rf_import_csv_split(const char *line, char delimiter, import_row *row, roof_error *error) {
  return store(row, 0, line, strlen(line)) && split(row, delimiter) ? ROOF_OK : memory(error);
}

int rf_import_words(char *line, char *words[], int most) {
  char *rest = NULL;
  int count = 0;
  for (char *w = strtok_r(line, " \t", &rest); w != NULL && count < most; w = strtok_r(NULL, " \t", &rest)) {
    words[count++] = w;
  }
  return count;
}

void rf_import_row_done(import_row *row) {
  free(row->store);
  free(row->fields);
  free(row->spots);
  *row = (import_row){0};
}

static bool same_name(const char *field, const char *name) {
  field += strspn(field, " \t");
  size_t length = strlen(field);
  while (length > 0 && (field[length - 1] == ' ' || field[length - 1] == '\t')) {
    length--;
  }
  return length == strlen(name) && rf_letters_compare_some(field, name, length) == 0;
}

int rf_import_column(const import_row *header, const char *name) {
  for (size_t i = 0; i < header->count; i++) {
    if (same_name(header->fields[i], name)) {
      return (int)i;
    }
  }
  return -1;
}

int rf_import_column_unit(const import_row *header, const char *name, char unit[32]) {
  size_t length = strlen(name);
  for (size_t i = 0; i < header->count; i++) {
    const char *field = header->fields[i] + strspn(header->fields[i], " ");
    const char *rest = field + length;
    if (rf_letters_compare_some(field, name, length) != 0) {
      continue;
    }
    rest += strspn(rest, " ");
    size_t inside = rest[0] == '(' ? strcspn(rest + 1, ")") : 0;
    if (rest[0] == '(' && rest[inside + 1] == ')' && inside < 32) {
      snprintf(unit, 32, "%.*s", (int)inside, rest + 1);
      return (int)i;
    }
  }
  return -1;
}

import_spot rf_import_field_spot(const import_row *row, int column) {
  bool there = column >= 0 && (size_t)column < row->count;
  return there ? row->spots[column] : (import_spot){row->line, 0};
}

const char *rf_import_field(const import_row *row, int column) {
  return column >= 0 && (size_t)column < row->count ? row->fields[column] : "";
}
