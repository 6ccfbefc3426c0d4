/* Rows of a table as conditions and expressions over its columns see them. */
#include "import/_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rf_table_begins(const char *text, const char *header) {
  size_t length = strcspn(header, "*");
  return strncmp(text, header, length) == 0 &&
         (header[length] == '*' || strchr("\r\n", text[length]) != NULL);
}

void rf_table_name(rf_table *t) {
  enum { WORDS = sizeof t->words / sizeof t->words[0] };
  static const char separators[] = "/-_ ";
  const char *name = rf_import_name(t->source);
  size_t length = strlen(name), most = sizeof t->name - 1;
  snprintf(t->name, sizeof t->name, "%s", length < most ? name : name + length - most);
  char *base = strrchr(t->name, '/'), *dot = strchr(base != NULL ? base : t->name, '.');
  length = dot != NULL ? (size_t)(dot - t->name) : strlen(t->name);
  for (int i = 0; i < WORDS && length > 0; i++) {
    while (length > 0 && strchr(separators, t->name[length - 1]) != NULL) {
      length--;
    }
    t->name[length] = '\0';
    while (length > 0 && strchr(separators, t->name[length - 1]) == NULL) {
      length--;
    }
    t->words[i] = &t->name[length];
  }
}

/** Reads the first line; *header is the profile's. */
static roof_status open_table(rf_table *t, const char **header, roof_error *error) {
  size_t length = 0;
  const char *line = rf_import_line(t->source, &length);
  *header = roof_profile_text(t->profile, line != NULL ? line : "");
  rf_table_name(t);
  return rf_import_csv_split(*header, ',', &t->header, error);
}

void rf_table_done(rf_table *t) {
  rf_import_row_done(&t->header);
  rf_import_row_done(&t->row);
}

roof_status rf_table_read(roof_source *source, roof_profile *profile, rf_table_take *take, const char *none,
                          roof_error *error) {
  rf_table t = {.source = source, .profile = profile};
  const char *header;
  roof_status status = open_table(&t, &header, error);
  while (status == ROOF_OK && rf_import_csv(source, ',', &t.row, &status, error)) {
    status = take(&t, header, error);
  }
  rf_table_done(&t);
  return status == ROOF_OK && profile->count == 0
             ? rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "%s", none)
             : status;
}

/** The word of the file's name that "file:1" to "file:8" say; NULL for a column. */
static const char *file_word(const rf_table *t, const char *column) {
  bool is = strncmp(column, "file:", 5) == 0 && column[5] >= '1' && column[5] <= '8';
  const char *word = is ? t->words[column[5] - '1'] : NULL;
  return !is ? NULL : word != NULL ? word : "";
}

static bool is_column(const rf_table *t, const char *word) {
  return file_word(t, word) != NULL || rf_import_column(&t->header, word) >= 0;
}

const char *rf_table_cell(const rf_table *t, const char *column) {
  const char *word = file_word(t, column);
  if (word != NULL) {
    return word;
  }
  return rf_import_field(&t->row, rf_import_column(&t->header, column));
}

const char *rf_table_word(const rf_table *t, const char *word) {
  return word == NULL ? "" : is_column(t, word) ? rf_table_cell(t, word) : word;
}

static double term(const rf_table *t, double bytes, const char *word) {
  return is_column(t, word)           ? rf_import_number(rf_table_cell(t, word), NULL)
         : strcmp(word, "bytes") == 0 ? bytes
                                      : rf_import_number(word, NULL);
}

double rf_table_evaluate(const rf_table *t, double bytes, const char *expression) {
  char word[64];
  double value = 0;
  for (char sign = '+'; sign != '\0';) {
    size_t length = strcspn(expression, "+-*/");
    snprintf(word, sizeof word, "%.*s", (int)length, expression);
    double next = term(t, bytes, word);
    value = sign == '*'   ? value * next
            : sign == '/' ? value / next
            : sign == '-' ? value - next
                          : value + next;
    sign = expression[length];
    expression += length + (sign != '\0');
  }
  return value;
}

/** Whether one condition holds: "isl!=1", "num_workers=devices_per_node". */
static bool holds(const rf_table *t, const char *condition) {
  char column[64];
  size_t length = strcspn(condition, "!=");
  snprintf(column, sizeof column, "%.*s", (int)length, condition);
  bool differs = condition[length] == '!';
  return (strcmp(rf_table_cell(t, column), rf_table_word(t, condition + length + 1 + differs)) == 0) !=
         differs;
}

bool rf_table_is(const rf_table *t, const char *where) {
  char conditions[256], *rest = NULL;
  snprintf(conditions, sizeof conditions, "%s", where != NULL ? where : "");
  for (char *word = strtok_r(conditions, ";", &rest); word != NULL; word = strtok_r(NULL, ";", &rest)) {
    if (!holds(t, word)) {
      return false;
    }
  }
  return true;
}
