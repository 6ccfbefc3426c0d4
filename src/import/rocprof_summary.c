/* What rocprofv3 --summary prints: a table of all domains, with --summary-per-domain one of each before it. Kernels and copies
 * are taken from the first table that has them: rocprofiler-sdk, "Using rocprofv3", Post-processing. */
#include <string.h>

#include "import/_rocprof.h"

enum { COLUMNS = 9, KERNELS = 0, COPIES = 1, DOMAINS = 2 };

static const char *const domains[DOMAINS] = {"KERNEL_DISPATCH", "MEMORY_COPY"};

static int detect(const char *text, size_t size) {
  (void)size;
  const char *title = strstr(text, "ROCPROFV3 ");
  return title != NULL && strstr(title, "SUMMARY:") != NULL && strstr(title, "DOMAIN") != NULL ? 95 : 0;
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  roof_error *error;
  int section, from[DOMAINS]; /* the section that gives each domain, 0: none yet */
  char unit[16];              /* of the durations */
} reading;

/** Trims blanks at both ends. */
static char *trimmed(char *text) {
  text += strspn(text, " \t");
  size_t length = strlen(text);
  while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL) {
    text[--length] = '\0';
  }
  return text;
}

/** The columns of `| a | b |`; a name may have bars of its own. False for any other line. */
static bool split(char *line, char *fields[COLUMNS]) {
  line = trimmed(line);
  size_t length = strlen(line);
  int column = COLUMNS;
  if (line[0] != '|' || length < 2 || line[length - 1] != '|') {
    return false;
  }
  line[length - 1] = '\0';
  while (--column > 0) {
    char *bar = strrchr(line, '|');
    if (bar == NULL || bar == line) {
      return false;
    }
    *bar = '\0';
    fields[column] = trimmed(bar + 1);
  }
  fields[0] = trimmed(line + 1);
  return true;
}

static roof_status take_row(reading *r, char *fields[COLUMNS]) {
  static const import_marks marks = {'.', ','};
  int domain = strcmp(fields[1], domains[KERNELS]) == 0  ? KERNELS
               : strcmp(fields[1], domains[COPIES]) == 0 ? COPIES
                                                         : -1;
  if (domain < 0 || (r->from[domain] != 0 && r->from[domain] != r->section)) {
    return ROOF_OK;
  }
  double calls = rf_import_number(fields[2], &marks), most = 1e15;
  uint64_t picoseconds = 0;
  if (!(calls >= 1 && calls < most) || !rf_import_time(fields[3], r->unit, &marks, &picoseconds)) {
    return rf_import_error(r->source, r->error, ROOF_E_PARSE, 0, 0, "no calls and time of `%.60s`",
                           fields[0]);
  }
  const char *name = rf_rocprof_copy(fields[0]);
  roof_record *record = rf_import_record(r->profile, name, rf_rocprof_name(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, r->error);
  }
  r->from[domain] = r->section;
  rf_import_calls(record, (uint64_t)calls, picoseconds);
  return ROOF_OK;
}

/** `DURATION (nsec)`. */
static void take_heading(reading *r, const char *duration) {
  static const char *const units[][2] = {{"nsec", "ns"}, {"usec", "us"}, {"msec", "ms"}, {"sec", "s"}};
  const char *unit = strchr(duration, '(');
  for (size_t i = 0; unit != NULL && i < sizeof units / sizeof units[0]; i++) {
    if (strncmp(unit + 1, units[i][0], strlen(units[i][0])) == 0) {
      snprintf(r->unit, sizeof r->unit, "%s", units[i][1]);
    }
  }
}

static roof_status take_line(reading *r, char *line) {
  char *fields[COLUMNS];
  if (strstr(line, "ROCPROFV3 ") != NULL && strstr(line, "SUMMARY:") != NULL) {
    r->section++;
    return ROOF_OK;
  }
  if (r->section == 0 || !split(line, fields)) {
    return ROOF_OK;
  }
  if (strcmp(fields[0], "NAME") == 0) {
    take_heading(r, fields[3]);
    return ROOF_OK;
  }
  return take_row(r, fields);
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile, .error = error, .unit = "ns"};
  roof_status status = ROOF_OK;
  size_t length = 0;
  for (char *line; status == ROOF_OK && (line = rf_import_line(source, &length)) != NULL;) {
    status = take_line(&r, line);
  }
  if (status == ROOF_OK) {
    status = rf_import_failed(source, error);
  }
  if (status == ROOF_OK && profile->count == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0,
                             "no kernel in its tables: rocprofv3 counts them with --kernel-trace");
  }
  return status;
}

const roof_format rf_format_rocprof_summary = {
    .name = "rocprof-summary",
    .title = "rocprofv3 --summary",
    .gives = "calls and time of kernels and copies",
    .detect = detect,
    .read = read,
};
