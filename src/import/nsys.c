/* Tables of `nsys stats --format csv`: sums over the kernels of a name, the trace of every call, launches
 * with their kernels. They give time alone; FLOPs and bytes are from elsewhere. */
#include <math.h>
#include <string.h>

#include "import/import.h"

/** The columns of a table; -1 where it has none. */
typedef struct columns {
  int name, calls, time, bytes, start, device, stream;
  char time_unit[32], bytes_unit[32], start_unit[32];
  bool each; /* the time is of one call, not of all */
} columns;

static bool find_columns(const import_row *header, columns *c) {
  char unit[32];
  *c = (columns){.name = rf_import_column(header, "Name"), .bytes = -1, .start = -1};
  c->name = c->name >= 0 ? c->name : rf_import_column(header, "Kernel Name");
  c->device = rf_import_column(header, "Device");
  c->stream = rf_import_column(header, "Strm");
  c->calls = rf_import_column(header, "Instances");
  c->time = rf_import_column_unit(header, "Total Time", c->time_unit);
  if (c->calls >= 0 && c->time >= 0) {
    return c->name >= 0;
  }
  c->each = true;
  c->calls = rf_import_column(header, "Count");
  c->time = rf_import_column_unit(header, "KAvg", c->time_unit);
  if (c->calls < 0 || c->time < 0) {
    c->calls = -1;
    c->time = rf_import_column_unit(header, "Duration", c->time_unit);
    c->start = rf_import_column_unit(header, "Start", c->start_unit);
    c->bytes = rf_import_column_unit(header, "Bytes", c->bytes_unit);
  }
  return c->name >= 0 && c->time >= 0 && (c->calls >= 0 || rf_import_column_unit(header, "Start", unit) >= 0);
}

/** Columns that follow each other in a line, whether in quotes, between commas or between blanks. */
static bool follow(const char *line, size_t length, const char *first, const char *second) {
  const char *at = memmem(line, length, first, strlen(first)), *end = line + length;
  const char *unit = at != NULL ? memchr(at, ')', (size_t)(end - at)) : NULL;
  const char *next = unit != NULL ? unit + 1 + strspn(unit + 1, "\", ") : NULL;
  return next != NULL && next < end && strncmp(next, second, strlen(second)) == 0;
}

static int detect(const char *text, size_t size) {
  (void)size;
  for (const char *line = text; *line != '\0';) {
    size_t length = strcspn(line, "\n");
    if (follow(line, length, "Total Time (", "Instances") || follow(line, length, "Start (", "Duration (") ||
        follow(line, length, "KAvg (", "KMed (")) {
      return 90;
    }
    line += length + (line[length] == '\n');
  }
  return 0;
}

/** True for a line of dashes and blanks, which stands below the titles of a table for people. */
static bool is_rule(const char *line) {
  size_t length = strspn(line, "- ");
  return length > 8 && (line[length] == '\0' || line[length] == '\r') && strstr(line, "----") != NULL;
}

/** Takes the commas out of a number of such a table: 36,917,512. */
static void join_digits(char *field) {
  if (field[strspn(field, "0123456789,.")] != '\0') {
    return;
  }
  char *to = field;
  for (const char *from = field; *from != '\0'; from++) {
    if (*from != ',') {
      *to++ = *from;
    }
  }
  *to = '\0';
}

/** Cuts a line of a table for people where the rule has its columns, which are separated by two blanks; the
 * last column takes the rest. */
static roof_status cut_row(const char *rule, const char *line, int number, import_row *row,
                           roof_error *error) {
  size_t length = strlen(line);
  roof_text csv = {0};
  for (const char *p = rule + strspn(rule, " "); *p == '-';) {
    size_t from = (size_t)(p - rule), to = from + strspn(p, "-");
    bool last = rule[to + strspn(rule + to, " ")] != '-';
    to = last || to > length ? length : to;
    roof_text_add(&csv, csv.length > 0 ? ",\"" : "\"");
    for (size_t i = from; i < to; i++) {
      roof_text_add_bytes(&csv, line[i] == '"' ? "\"\"" : line + i, line[i] == '"' ? 2 : 1);
    }
    roof_text_add(&csv, "\"");
    p = rule + from + strspn(p, "-");
    p += strspn(p, " ");
  }
  roof_status status = csv.failed || csv.data == NULL
                           ? roof_error_set(error, ROOF_E_MEMORY, "nsys: out of memory")
                           : rf_import_csv_split(csv.data, ',', row, error);
  roof_text_done(&csv);
  row->line = number;
  for (size_t i = 0; status == ROOF_OK && i < row->count; i++) {
    char *field = row->fields[i] += strspn(row->fields[i], " ");
    for (size_t end = strlen(field); end > 0 && field[end - 1] == ' ';) {
      field[--end] = '\0';
    }
    join_digits(field);
    row->spots[i] = (import_spot){number, 0};
  }
  return status;
}

static roof_status take_row(roof_source *source, roof_profile *profile, const import_row *row,
                            const columns *c, roof_error *error) {
  const char *name = rf_import_copy_name(rf_import_field(row, c->name));
  const char *time = rf_import_field(row, c->time);
  int64_t calls = 1, start;
  uint64_t picoseconds = 0;
  if (name[0] == '\0') {
    return ROOF_OK;
  }
  if (!rf_import_time(time, c->time_unit, NULL, &picoseconds) ||
      (c->calls >= 0 && (!rf_import_count(rf_import_field(row, c->calls), &calls) || calls < 1)) ||
      (c->each && __builtin_mul_overflow(picoseconds, (uint64_t)calls, &picoseconds))) {
    import_spot at = rf_import_field_spot(row, c->time);
    return rf_import_error(source, error, ROOF_E_PARSE, at.line, at.column, "`%.40s` is no time of %.60s",
                           time, name);
  }
  roof_record *record =
      rf_import_record_on(profile, name, strlen(name), c->start >= 0 ? rf_import_field(row, c->device) : "",
                          rf_import_field(row, c->stream));
  if (record == NULL) {
    return rf_import_settled(profile, error);
  }
  if (c->calls < 0) {
    rf_import_call(profile, record, picoseconds);
  } else {
    rf_import_calls(record, (uint64_t)calls, picoseconds);
  }
  double bytes = rf_import_number(rf_import_field(row, c->bytes), NULL) * rf_import_unit(c->bytes_unit, 1000);
  if (name[0] == '[' && bytes >= 0) {
    rf_import_moved(record, rf_import_way_of(name), bytes);
  }
  if (rf_import_count(rf_import_field(row, c->start), &start) && strcmp(c->start_unit, "ns") == 0) {
    rf_import_call_at(profile, record, start, picoseconds, rf_import_field(row, c->device),
                      rf_import_field(row, c->stream));
  }
  return ROOF_OK;
}

/** "NVIDIA RTX A6000 (0)" without the number. */
static void take_device(roof_profile *profile, const char *device) {
  const char *end = strrchr(device, '(');
  size_t length = end != NULL && end > device ? (size_t)(end - device) - 1 : strlen(device);
  if (length > 0) {
    rf_import_device(profile, rf_import_textf(profile, "%.*s", (int)length, device));
  }
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  import_row row;
  columns c;
  bool open; /* in a table of kernels */
  size_t rows;
} reading;

/** A header opens a table of kernels, or ends it where it is another table's. */
static roof_status take(reading *r, roof_error *error) {
  columns next;
  const char *first = rf_import_field(&r->row, 0);
  if (find_columns(&r->row, &next)) {
    r->c = next;
    r->open = true;
  } else if (strncmp(first, "Time", 4) == 0 || strncmp(first, "Start (", 7) == 0) {
    r->open = false;
  } else if (r->open && r->row.count > 4) { /* shorter lines are talk between the tables */
    roof_status status = take_row(r->source, r->profile, &r->row, &r->c, error);
    take_device(r->profile, rf_import_field(&r->row, r->c.device));
    r->rows++;
    return status;
  }
  return ROOF_OK;
}

static roof_status read_csv(reading *r, roof_error *error) {
  roof_status status = ROOF_OK;
  while (status == ROOF_OK && rf_import_csv(r->source, ',', &r->row, &status, error)) {
    status = take(r, error);
  }
  return status;
}

/** Tables for people: titles, a rule of dashes, rows, an empty line. */
static roof_status read_tables(reading *r, roof_error *error) {
  roof_status status = ROOF_OK;
  roof_text rule = {0}, before = {0};
  size_t length = 0;
  for (char *line; status == ROOF_OK && (line = rf_import_line(r->source, &length)) != NULL;) {
    int number = rf_import_line_number(r->source);
    if (is_rule(line)) {
      roof_text_done(&rule);
      roof_text_add(&rule, line);
      r->open = false;
      status = rule.data != NULL && before.data != NULL
                   ? cut_row(rule.data, before.data, number, &r->row, error)
                   : ROOF_OK;
      status = status == ROOF_OK && r->row.count > 0 ? take(r, error) : status;
    } else if (line[strspn(line, " \r")] == '\0') {
      r->open = false;
    } else if (r->open) {
      status = cut_row(rule.data, line, number, &r->row, error);
      status = status == ROOF_OK ? take(r, error) : status;
    }
    roof_text_done(&before);
    roof_text_add(&before, line);
  }
  roof_text_done(&rule);
  roof_text_done(&before);
  return status == ROOF_OK ? rf_import_failed(r->source, error) : status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  size_t size = 0;
  const char *head = rf_import_head(source, &size);
  bool csv = strstr(head, "Instances,") != NULL || strstr(head, "Instances\",") != NULL ||
             strstr(head, "),Duration (") != NULL || strstr(head, ")\",\"Duration (") != NULL ||
             strstr(head, "KAvg (ns),") != NULL || strstr(head, " ----") == NULL;
  roof_status status = csv ? read_csv(&r, error) : read_tables(&r, error);
  rf_import_row_done(&r.row);
  if (status == ROOF_OK && r.rows == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "no table of nsys stats with kernels in it");
  }
  return status;
}

const roof_format rf_format_nsys = {
    .name = "nsys",
    .title = "Nsight Systems tables, CSV (cuda_gpu_kern_sum, cuda_gpu_trace, cuda_kern_exec_sum)",
    .gives = "time, bytes of copies, idle time; attach FLOPs with --op",
    .detect = detect,
    .read = read,
    .ends_lines = true,
};
