/* AMD's profilers, all of them CSV: one row per dispatch with one column per counter (pmc_perf.csv of
 * rocprofiler-compute, rocprof's results.csv), one row per counter (rocprofv3), one row per call (kernel
 * traces) and one row per kernel (statistics). */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/_rocprof.h"

/** The columns of a table; -1 where it has none. */
typedef struct columns {
  int kernel, counter, value, start, end, calls, total, device, stream;
  int of[ROCPROF_COUNTERS];
} columns;

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  columns c;
  rocprof_bags bags;
  size_t rows, host_functions, domains;
} reading;

static int detect(const char *text, size_t size) {
  (void)size;
  static const char *const marks[] = {"Dispatch_ID,",
                                      "Dispatch_Id\"",
                                      "Dispatch_Id,",
                                      "\"KernelName\",\"gpu-id\"",
                                      "Index,KernelName,",
                                      "TotalDurationNs",
                                      "\"Domain\",\"Function\",\"Process_Id\""};
  const char *line_end = strchr(text, '\n');
  for (size_t i = 0; i < sizeof marks / sizeof marks[0] && line_end != NULL; i++) {
    const char *at = strstr(text, marks[i]);
    if (at != NULL && at < line_end) {
      return 90;
    }
  }
  return 0;
}

static int either(const import_row *header, const char *a, const char *b) {
  int column = rf_import_column(header, a);
  return column >= 0 ? column : rf_import_column(header, b);
}

static bool find_columns(const import_row *header, columns *c) {
  *c = (columns){.kernel = either(header, "Kernel_Name", "KernelName"),
                 .counter = rf_import_column(header, "Counter_Name"),
                 .value = rf_import_column(header, "Counter_Value"),
                 .start = either(header, "Start_Timestamp", "BeginNs"),
                 .end = either(header, "End_Timestamp", "EndNs"),
                 .device = either(header, "Agent_Id", "GPU_ID"),
                 .stream = either(header, "Stream_Id", "Queue_Id"),
                 .calls = rf_import_column(header, "Calls"),
                 .total = rf_import_column(header, "TotalDurationNs")};
  if (c->calls >= 0 && c->total >= 0) {
    c->kernel = rf_import_column(header, "Name");
  }
  c->device = c->device >= 0 ? c->device : rf_import_column(header, "gpu-id");
  c->stream = c->stream >= 0 ? c->stream : rf_import_column(header, "queue-id");
  for (int i = 0; i < ROCPROF_COUNTERS; i++) {
    c->of[i] = rf_import_column(header, rf_rocprof_counter_name(i));
  }
  return c->kernel >= 0;
}

/** Picoseconds between two times in ns, whole or with a fraction; false where they are equal or none. */
static bool span_of(const char *start_text, const char *end_text, int64_t *start, int64_t *end,
                    uint64_t *picoseconds) {
  int64_t length = 0;
  if (rf_import_count(start_text, start) && rf_import_count(end_text, end)) {
    bool fits = !__builtin_sub_overflow(*end, *start, &length) && length > 0 && length <= INT64_MAX / 1000;
    *picoseconds = fits ? (uint64_t)length * 1000 : 0;
    return fits;
  }
  double first = rf_import_number(start_text, NULL), last = rf_import_number(end_text, NULL);
  bool fits = first >= 0 && last > first && last < 9e15;
  *start = fits ? llround(first) : 0;
  *end = fits ? llround(last) : 0;
  return fits && rf_import_picoseconds((last - first) * 1e-9, picoseconds);
}

/** The time of one dispatch; some files write the same time for start and end, and that is none. */
static void take_time(reading *r, const import_row *row, roof_record *record) {
  int64_t start = 0, end = 0;
  uint64_t picoseconds = 0;
  if (r->c.start < 0 || r->c.end < 0) {
    return;
  }
  if (!span_of(rf_import_field(row, r->c.start), rf_import_field(row, r->c.end), &start, &end,
               &picoseconds)) {
    rf_import_skip(r->profile, "time of a dispatch",
                   "start and end are equal, in the wrong order or rounded");
    return;
  }
  uint64_t calls = record->calls;
  rf_import_call(r->profile, record, picoseconds);
  record->calls = calls; /* dispatches are counted with their counters */
  rf_import_call_at(r->profile, record, start, picoseconds, rf_import_field(row, r->c.device),
                    rf_import_field(row, r->c.stream));
}

/** Statistics of domains (domain_stats) have the columns of those of kernels: "HIP_API", "KERNEL_DISPATCH". */
static bool is_domain(const char *name) {
  static const char *const domains[] = {"KERNEL_DISPATCH", "MEMORY_COPY", "SCRATCH_MEMORY",
                                        "COUNTER_COLLECTION"};
  for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++) {
    if (strcmp(name, domains[i]) == 0) {
      return true;
    }
  }
  bool upper = name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] == '\0';
  return upper && (roof_text_ends_with(name, "_API") || roof_text_ends_with(name, "_API_EXT") ||
                   strncmp(name, "MEMORY_ALLOCATION", 17) == 0);
}

/** Statistics of host functions (hip_api_stats, hsa_api_stats) have the columns of those of kernels. */
static bool is_host_function(const char *name) {
  bool hip = strncmp(name, "hip", 3) == 0 && isupper((unsigned char)name[3]);
  return (hip || strncmp(name, "hsa_", 4) == 0 || strncmp(name, "__hip", 5) == 0) &&
         strpbrk(name, "(<:") == NULL;
}

static roof_status take_statistics(reading *r, const import_row *row, roof_record *record,
                                   roof_error *error) {
  int64_t calls = 0;
  uint64_t picoseconds = 0;
  if (!rf_import_count(rf_import_field(row, r->c.calls), &calls) || calls < 1 ||
      !rf_import_time(rf_import_field(row, r->c.total), "ns", NULL, &picoseconds)) {
    import_spot at = rf_import_field_spot(row, r->c.total);
    return rf_import_error(r->source, error, ROOF_E_PARSE, at.line, at.column, "no calls and time of `%.60s`",
                           record->name);
  }
  rf_import_calls(record, (uint64_t)calls, picoseconds);
  return ROOF_OK;
}

/** A row of one counter of a dispatch, which has a row for each; true for one of them. */
static bool take_counter(reading *r, const import_row *row, rocprof_bag *b) {
  const char *name = rf_import_field(row, r->c.counter);
  int counter = rf_rocprof_counter(name);
  b->first = b->first != NULL ? b->first : roof_profile_text(r->profile, name);
  if (counter >= 0) {
    rf_rocprof_add(b, counter, rf_import_number(rf_import_field(row, r->c.value), NULL));
  }
  return strcmp(b->first, name) == 0;
}

static roof_status take_row(reading *r, const import_row *row, roof_error *error) {
  const char *name = rf_rocprof_copy(rf_import_field(row, r->c.kernel));
  if (name[0] == '\0') {
    return ROOF_OK;
  }
  bool domain = r->c.total >= 0 && is_domain(name);
  if (domain || (r->c.total >= 0 && is_host_function(name))) {
    rf_import_skip(r->profile, domain ? "calls of a whole domain" : "calls of a host function",
                   "they are not kernels: kernel_stats has those");
    r->host_functions += !domain;
    r->domains += domain;
    return ROOF_OK;
  }
  roof_record *record =
      rf_import_record_on(r->profile, name, rf_rocprof_name(name), rf_import_field(row, r->c.device),
                          rf_import_field(row, r->c.stream));
  rocprof_bag *b = record != NULL ? rf_rocprof_bag(&r->bags, r->profile, record) : NULL;
  if (b == NULL) {
    return roof_error_set(error, ROOF_E_MEMORY, "rocprof: out of memory");
  }
  r->rows++;
  if (r->c.calls >= 0 && r->c.total >= 0) {
    return take_statistics(r, row, record, error);
  }
  bool dispatch = true; /* the first row of it */
  if (r->c.counter >= 0) {
    dispatch = take_counter(r, row, b);
  } else {
    for (int i = 0; i < ROCPROF_COUNTERS; i++) {
      rf_rocprof_add(b, i, rf_import_number(rf_import_field(row, r->c.of[i]), NULL));
    }
  }
  if (dispatch) {
    b->dispatches++;
    take_time(r, row, record);
  }
  return ROOF_OK;
}

/** Calls of a record: its dispatches, or the rows of the counter that has most. */
static void settle_calls(reading *r, roof_record *record, const rocprof_bag *b) {
  uint64_t calls = b->dispatches;
  for (int i = 0; i < ROCPROF_COUNTERS; i++) {
    calls = b->rows[i] > calls ? b->rows[i] : calls;
  }
  if (r->c.total < 0) {
    record->calls += calls > 0 ? calls : 1;
  }
}

static roof_status read_rows(reading *r, roof_error *error) {
  import_row row = {0};
  roof_status status = ROOF_OK;
  bool open = rf_import_csv(r->source, ',', &row, &status, error) && find_columns(&row, &r->c);
  if (status == ROOF_OK && !open) {
    status = rf_import_error(
        r->source, error, ROOF_E_PARSE, 1, 0,
        "no column of kernels' names: give counter_collection, kernel_trace, kernel_stats or pmc_perf");
  }
  while (status == ROOF_OK && rf_import_csv(r->source, ',', &row, &status, error)) {
    columns next;
    if (strstr(rf_import_field(&row, r->c.kernel), "ernel") != NULL && find_columns(&row, &next)) {
      r->c = next; /* files put one behind the other */
    } else {
      status = take_row(r, &row, error);
    }
  }
  rf_import_row_done(&row);
  return status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  roof_status status = read_rows(&r, error);
  if (status == ROOF_OK && r.rows == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "%s",
                             r.host_functions > 0 ? "statistics of host functions: give kernel_stats.csv"
                             : r.domains > 0      ? "statistics of whole domains: give kernel_stats.csv"
                                                  : "a header without kernels");
  }
  for (size_t i = 0; i < profile->count && i < r.bags.count && status == ROOF_OK; i++) {
    settle_calls(&r, &profile->records[i], &r.bags.list[i]);
  }
  rf_rocprof_settle(&r.bags, profile);
  free(r.bags.list);
  return status;
}

const roof_format rf_format_rocprof = {
    .name = "rocprof",
    .title = "rocprof, rocprofv3 and rocprofiler-compute CSV (counters, traces, statistics)",
    .gives = "time, FLOPs by format and unit, bytes of L1, L2 and HBM",
    .detect = detect,
    .read = read,
};
