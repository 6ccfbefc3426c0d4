/* VTune's report of hotspots as CSV, whose fields a tab separates unless -csv-delimiter says otherwise: vtune -report hotspots
 * -format csv. Times are in seconds, of all threads together. */
#include <math.h>
#include <string.h>

#include "import/import.h"

/** The first line that begins with Function and has CPU Time, NULL: none. */
static const char *header_of(const char *text) {
  for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
    line += *line == '\n';
    size_t length = strcspn(line, "\n");
    bool begins = strncmp(line, "Function", 8) == 0 || strncmp(line, "\"Function", 9) == 0;
    if (begins && memmem(line, length, "CPU Time", 8) != NULL && memmem(line, length, "---", 3) == NULL) {
      return line;
    }
  }
  return NULL;
}

/** The mark behind the first name, 0: it is no CSV. */
static char delimiter_of(const char *header) {
  const char *end = header + strcspn(header, "\t,;\n");
  bool apart = *end == '\t' || memmem(header, strcspn(header, "\n"), "  ", 2) == NULL;
  return *end != '\n' && apart ? *end : '\0';
}

static int detect(const char *text, size_t size) {
  (void)size;
  const char *header = header_of(text);
  return header != NULL && delimiter_of(header) != '\0' ? 90 : 0;
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  roof_error *error;
  int function, time;
} reading;

static roof_status take_row(reading *r, const import_row *row) {
  const char *name = rf_import_field(row, r->function), *text = rf_import_field(row, r->time);
  uint64_t picoseconds = 0;
  if (name[0] == '\0') {
    return ROOF_OK;
  }
  if (!rf_import_picoseconds(rf_import_number(text, NULL), &picoseconds)) {
    import_spot at = rf_import_field_spot(row, r->time);
    return rf_import_error(r->source, r->error, ROOF_E_PARSE, at.line, at.column,
                           "'%.40s' is no time in seconds of %.60s", text, name);
  }
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, r->error);
  }
  rf_import_calls(record, 1, picoseconds);
  return ROOF_OK;
}

static bool find_columns(reading *r, const import_row *row) {
  r->function = rf_import_column(row, "Function");
  r->time = rf_import_column(row, "CPU Time");
  r->time = r->time >= 0 ? r->time : rf_import_column(row, "CPU Time:Self");
  return r->function >= 0 && r->time >= 0;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile, .error = error};
  size_t size = 0;
  const char *header = header_of(rf_import_head(source, &size));
  char delimiter = header != NULL ? delimiter_of(header) : '\0';
  import_row row = {0};
  roof_status status = ROOF_OK;
  bool open = false;
  while (delimiter != '\0' && !open && rf_import_csv(source, delimiter, &row, &status, error)) {
    open = find_columns(&r, &row);
  }
  while (open && status == ROOF_OK && rf_import_csv(source, delimiter, &row, &status, error)) {
    status = take_row(&r, &row);
  }
  rf_import_row_done(&row);
  if (status == ROOF_OK && profile->count == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "%s",
                             open ? "a header without functions"
                                  : "no columns Function and CPU Time: vtune -report hotspots");
  }
  return status;
}

const roof_format rf_format_vtune = {
    .name = "vtune",
    .title = "VTune hotspots CSV",
    .gives = "processor time of every function, of all threads together",
    .detect = detect,
    .read = read,
    .ends_lines = true,
};
