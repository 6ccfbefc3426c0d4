/* Tables of `nsys stats --format csv`: sums over the kernels of a name, the trace of every call, launches
 * with their kernels. They give time alone; FLOPs and bytes are from elsewhere. */
#include <math.h>
#include <string.h>

#include "import/import.h"

/** The columns of a table; -1 where it has none. */
typedef struct columns {
  int name, calls, time, bytes, start, device;
  char time_unit[32], bytes_unit[32], start_unit[32];
  bool each; /* the time is of one call, not of all */
} columns;

static bool find_columns(const import_row *header, columns *c) {
  char unit[32];
  *c = (columns){.name = import_column(header, "Name"), .bytes = -1, .start = -1};
  c->name = c->name >= 0 ? c->name : import_column(header, "Kernel Name");
  c->device = import_column(header, "Device");
  c->calls = import_column(header, "Instances");
  c->time = import_column_unit(header, "Total Time", c->time_unit);
  if (c->calls >= 0 && c->time >= 0) {
    return c->name >= 0;
  }
  c->each = true;
  c->calls = import_column(header, "Count");
  c->time = import_column_unit(header, "KAvg", c->time_unit);
  if (c->calls < 0 || c->time < 0) {
    c->calls = -1;
    c->time = import_column_unit(header, "Duration", c->time_unit);
    c->start = import_column_unit(header, "Start", c->start_unit);
    c->bytes = import_column_unit(header, "Bytes", c->bytes_unit);
  }
  return c->name >= 0 && c->time >= 0 && (c->calls >= 0 || import_column_unit(header, "Start", unit) >= 0);
}

static int detect(const char *text, size_t size) {
  (void)size;
  static const char *const headers[] = {
      "Total Time (ns),Instances,", "Start (ns),Duration (ns),",  "KAvg (ns)",
      "Total Time (us),Instances,", "Total Time (ms),Instances,", "Start (us),Duration (us),",
      "Start (ms),Duration (ms),"};
  for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
    if (strstr(text, headers[i]) != NULL) {
      return 90;
    }
  }
  return 0;
}

static roof_status take_row(roof_source *source, roof_profile *profile, const import_row *row,
                            const columns *c, import_gaps *gaps, roof_error *error) {
  const char *name = import_field(row, c->name), *time = import_field(row, c->time);
  int64_t calls = 1, start;
  uint64_t picoseconds = 0;
  if (name[0] == '\0') {
    return ROOF_OK;
  }
  if (!import_time(time, c->time_unit, NULL, &picoseconds) ||
      (c->calls >= 0 && (!import_count(import_field(row, c->calls), &calls) || calls < 1))) {
    return import_error(source, error, ROOF_E_PARSE, row->line, c->time + 1, "`%.40s` is no time of %.60s",
                        time, name);
  }
  roof_record *record = import_record(profile, name, strlen(name));
  if (record == NULL) {
    return import_settled(profile, error);
  }
  if (c->calls < 0) {
    import_call(profile, record, picoseconds);
  } else {
    import_calls(record, (uint64_t)calls, c->each ? picoseconds * (uint64_t)calls : picoseconds);
  }
  double bytes = import_number(import_field(row, c->bytes), NULL) * import_unit(c->bytes_unit, 1000);
  if (name[0] == '[' && bytes >= 0) { /* a copy, over the link */
    import_add(&record->link_bytes, bytes, "bytes of the copy", ROOF_QUALITY_MEASURED);
    record->link =
        strcasestr(name, "device-to-device") == NULL && strcasestr(name, "DtoD") == NULL ? "PCIe" : "device";
  } else if (import_count(import_field(row, c->start), &start) && strcmp(c->start_unit, "ns") == 0) {
    import_gap(gaps, start, start + (int64_t)(picoseconds / 1000));
  }
  return ROOF_OK;
}

/** "NVIDIA RTX A6000 (0)" without the number. */
static void take_device(roof_profile *profile, const char *device) {
  const char *end = strrchr(device, '(');
  size_t length = end != NULL && end > device ? (size_t)(end - device) - 1 : strlen(device);
  if (length > 0) {
    import_device(profile, import_textf(profile, "%.*s", (int)length, device));
  }
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  roof_status status = ROOF_OK;
  import_row row = {0};
  import_gaps gaps = {0};
  columns c = {0};
  bool open = false;
  size_t rows = 0;
  while (status == ROOF_OK && import_csv(source, ',', &row, &status, error)) {
    columns next;
    if (find_columns(&row, &next)) {
      c = next;
      open = true;
    } else if (open && row.count > 4) { /* shorter lines are talk between the tables */
      status = take_row(source, profile, &row, &c, &gaps, error);
      take_device(profile, import_field(&row, c.device));
      rows++;
    }
  }
  import_row_done(&row);
  if (status == ROOF_OK && rows == 0) {
    status = import_error(source, error, ROOF_E_PARSE, 0, 0, "no table of nsys stats with kernels in it");
  }
  import_gap_facts(profile, &gaps);
  return status;
}

const roof_format roof_format_nsys = {
    .name = "nsys",
    .title = "Nsight Systems CSV (cuda_gpu_kern_sum, cuda_gpu_trace, cuda_kern_exec_sum)",
    .gives = "time, bytes of copies, idle time; attach FLOPs with --op",
    .detect = detect,
    .read = read,
};
