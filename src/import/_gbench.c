/* Google Benchmark's table: name, time, CPU time, iterations, counters ("items_per_second=1.5G/s", or a column each
 * with --benchmark_counters_tabular), label. */
#include "import/_gbench.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "documents/json.h"

enum { WORDS = 64, COUNTERS = 32, NAME = 64 };

/** Where the words of a table's first line begin, NULL: it is none. */
static const char *header_at(const char *line) {
  static const char *const words[] = {"Benchmark", "Time", "CPU", "Iterations"};
  const char *p = line;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    size_t length = strlen(words[i]);
    if (strncmp(p, words[i], length) != 0) {
      return NULL;
    }
    p += length;
    p += strspn(p, " ");
  }
  return p;
}

bool rf_gbench_is_console(const char *text) {
  for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (header_at(line) != NULL) {
      return true;
    }
  }
  return false;
}

/** The table's columns behind the iterations, where counters have some. */
typedef struct columns {
  char names[COUNTERS][NAME];
  int count;
} columns;

static void take_header(columns *c, char *rest) {
  char *words[COUNTERS];
  int count = rf_import_words(rest, words, COUNTERS);
  c->count = 0;
  for (int i = 0; i < count && strcmp(words[0], "UserCounters...") != 0; i++) {
    snprintf(c->names[c->count++], NAME, "%s", words[i]);
  }
}

/** "59.4Gi/s", "3.04us", "1024k": a prefix, binary with an i, then what makes it a rate or its inverse. Versions
 * before 1.8.4 write 1024 with the decimal prefixes, for bytes_per_second always. */
static double counter_value(const char *text, bool bytes) {
  static const char large[] = "kMGTPEZY", small[] = "munpfazy";
  char number[32];
  size_t digits = strspn(text, "+-0123456789.");
  bool exponent = text[digits] == 'e' && (text[digits + 1] == '-' || text[digits + 1] == '+');
  digits += exponent ? 2 + strspn(text + digits + 2, "0123456789") : 0;
  const char *unit = text + digits;
  snprintf(number, sizeof number, "%.*s", (int)(digits < sizeof number ? digits : 0), text);
  char prefix = *unit == 'K' ? 'k' : *unit;
  const char *up = prefix != '\0' ? strchr(large, prefix) : NULL,
             *down = prefix != '\0' ? strchr(small, prefix) : NULL;
  double kilo = bytes || (up != NULL && unit[1] == 'i') ? 1024 : 1000;
  unit += (up != NULL || down != NULL) + (up != NULL && unit[1] == 'i');
  bool known = *unit == '\0' || strcmp(unit, "/s") == 0 || strcmp(unit, "s") == 0;
  double scale = up != NULL     ? pow(kilo, (double)(up - large + 1))
                 : down != NULL ? pow(1000, -(double)(down - small + 1))
                                : 1;
  return known ? rf_import_number(number, NULL) * scale : NAN;
}

static void add_counter(json_t *row, const char *name, const char *value) {
  double number = counter_value(value, strcmp(name, "bytes_per_second") == 0);
  if (!isnan(number)) {
    rf_json_set(row, name, json_real(number));
  }
}

static void add_counters(json_t *row, const columns *c, char **words, int count) {
  for (int i = 0; i < count; i++) {
    char *equals = strchr(words[i], '=');
    if (i < c->count) {
      add_counter(row, c->names[i], words[i]);
    } else if (c->count == 0 && equals != NULL && equals != words[i]) {
      *equals = '\0';
      add_counter(row, words[i], equals + 1);
    } else {
      return; /* the label */
    }
  }
}

/** Where "24.2 ns 16.1 ns 701020" stands among the words, -1: nowhere. */
static int times_at(char *const *words, int count) {
  for (int i = 1; i + 4 < count; i++) {
    bool unit = strcmp(words[i + 1], words[i + 3]) == 0 && !isnan(rf_import_unit(words[i + 1], 1000)) &&
                strlen(words[i + 1]) <= 2;
    if (unit && !isnan(rf_import_number(words[i], NULL)) && !isnan(rf_import_number(words[i + 2], NULL)) &&
        words[i + 4][strspn(words[i + 4], "0123456789")] == '\0') {
      return i;
    }
  }
  return -1;
}

/** The name with its blanks: `copy` is the line, `words` are those of the same line in pieces, which begins at
 * `line`. */
static json_t *name_before(const char *copy, const char *line, const char *word) {
  size_t length = (size_t)(word - line);
  while (length > 0 && copy[length - 1] == ' ') {
    length--;
  }
  return json_stringn(copy, length);
}

/** "BM_x   ERROR OCCURRED: 'why'", "BM_x   SKIPPED: 'why'". */
static json_t *failed_row(const char *line) {
  static const char *const marks[] = {"ERROR OCCURRED: '", "SKIPPED: '"};
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    const char *at = strstr(line, marks[i]);
    const char *end = at != NULL ? strrchr(line, '\'') : NULL;
    if (at != NULL && at > line && end >= at + strlen(marks[i])) {
      json_t *row = json_object();
      rf_json_set(row, "name", name_before(line, line, at));
      rf_json_set(row, "error_occurred", json_true());
      rf_json_set(row, "error_message",
                  json_stringn(at + strlen(marks[i]), (size_t)(end - at) - strlen(marks[i])));
      return row;
    }
  }
  return NULL;
}

/** One line as a row of the JSON; NULL: it is none. */
static json_t *row_of(const columns *c, char *line, const char *copy) {
  char *words[WORDS];
  json_t *row = failed_row(copy);
  if (row != NULL) {
    return row;
  }
  int count = rf_import_words(line, words, WORDS), at = times_at(words, count);
  if (at < 0 || strcmp(words[at + 1], "%") == 0) {
    return NULL;
  }
  row = json_object();
  rf_json_set(row, "name", name_before(copy, line, words[at]));
  rf_json_set(row, "real_time", json_string(words[at]));
  rf_json_set(row, "cpu_time", json_string(words[at + 2]));
  rf_json_set(row, "time_unit", json_string(words[at + 1]));
  rf_json_set(row, "iterations", json_string(words[at + 4]));
  add_counters(row, c, words + at + 5, count - at - 5);
  return row;
}

/** "Run on (2 X 2596.13 MHz CPU s)", where the log has what goes to standard error too. */
static void take_context(json_t *context, const char *line) {
  int processors = 0;
  char mhz[32] = "";
  if (sscanf(line, "Run on (%d X %31[0-9.] MHz", &processors, mhz) >= 1 && processors > 0) {
    rf_json_set(context, "num_cpus", json_real(processors));
    rf_json_set(context, "mhz_per_cpu", json_string(mhz));
  } else if (strstr(line, "Library was built as DEBUG") != NULL) {
    rf_json_set(context, "library_build_type", json_string("debug"));
  }
}

roof_status rf_gbench_console(roof_source *source, json_t **document, roof_error *error) {
  json_t *rows = json_array(), *context = json_object();
  columns c = {.count = 0};
  bool in_table = false, starved = false;
  size_t length = 0;
  for (char *line; !starved && (line = rf_import_line(source, &length)) != NULL;) {
    char *rest = (char *)(uintptr_t)header_at(line), *copy = NULL;
    json_t *row = NULL;
    take_context(context, line);
    if (rest != NULL) {
      take_header(&c, rest);
      in_table = true;
    } else if (in_table && (copy = strdup(line)) != NULL) {
      row = row_of(&c, line, copy);
    }
    starved = in_table && rest == NULL && copy == NULL;
    if (row != NULL) {
      rf_json_append(rows, row);
    }
    free(copy);
  }
  *document = json_object();
  rf_json_set(*document, "benchmarks", rows);
  rf_json_set(*document, "context", context);
  return starved ? roof_error_set(error, ROOF_E_MEMORY, "gbench: out of memory")
                 : rf_import_failed(source, error);
}
