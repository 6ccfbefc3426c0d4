/* nvprof --csv: metrics (averages of all calls), the trace of every call, the summary. K, M and G are powers
 * of 1024. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

typedef enum kind { NOTHING, METRICS, TRACE, SUMMARY } kind;

/** X(symbol, metric) */
#define METRIC_MAP(X)                                                                                        \
  X(FLOP_DP, "flop_count_dp")                                                                                \
  X(FLOP_SP, "flop_count_sp")                                                                                \
  X(FLOP_HP, "flop_count_hp")                                                                                \
  X(DRAM_READ, "dram_read_transactions")                                                                     \
  X(DRAM_WRITE, "dram_write_transactions")                                                                   \
  X(L2_READ, "l2_read_transactions")                                                                         \
  X(L2_WRITE, "l2_write_transactions")                                                                       \
  X(GLOBAL_READ, "gld_transactions")                                                                         \
  X(GLOBAL_WRITE, "gst_transactions")                                                                        \
  X(OCCUPANCY, "achieved_occupancy")

typedef enum metric {
#define METRIC_ENUM(symbol, name) symbol,
  METRIC_MAP(METRIC_ENUM)
#undef METRIC_ENUM
      METRIC_COUNT
} metric;

static const char *const metric_names[] = {
#define METRIC_NAME(symbol, name) name,
    METRIC_MAP(METRIC_NAME)
#undef METRIC_NAME
};

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  import_row header, row, units;
  kind kind;
  char kernel[4096]; /* whose metrics are collected */
  double value[METRIC_COUNT];
  double calls;
  size_t rows;
} reading;

static int detect(const char *text, size_t size) {
  (void)size;
  bool metrics = strstr(text, "\"Invocations\",\"Metric Name\"") != NULL;
  bool trace = strstr(text, "\"Start\",\"Duration\",\"Grid X\"") != NULL;
  bool summary = strstr(text, "\"Time(%)\",\"Time\",\"Calls\",\"Avg\"") != NULL;
  return metrics || trace || summary ? 95 : strstr(text, "NVPROF is profiling") != NULL ? 40 : 0;
}

static void forget(reading *r) {
  r->kernel[0] = '\0';
  for (int i = 0; i < METRIC_COUNT; i++) {
    r->value[i] = NAN;
  }
}

/** One level's or format's figure from a metric, or the sum of two, times `factor`. */
static const struct {
  metric metric, other; /* METRIC_COUNT: alone */
  double factor;
  bool flops;
  int which; /* a roof_dtype or a roof_level_kind */
  roof_quality quality;
  const char *source;
} uses[] = {
    {FLOP_DP, METRIC_COUNT, 1, true, ROOF_FP64, ROOF_QUALITY_MEASURED, "flop_count_dp"},
    {FLOP_SP, METRIC_COUNT, 1, true, ROOF_FP32, ROOF_QUALITY_MEASURED, "flop_count_sp"},
    {FLOP_HP, METRIC_COUNT, 1, true, ROOF_FP16, ROOF_QUALITY_MEASURED, "flop_count_hp"},
    {DRAM_READ, DRAM_WRITE, 32, false, ROOF_MEMORY, ROOF_QUALITY_MEASURED,
     "32 (dram read + write transactions)"},
    {L2_READ, L2_WRITE, 32, false, ROOF_L2, ROOF_QUALITY_MEASURED, "32 (l2 read + write transactions)"},
    {GLOBAL_READ, GLOBAL_WRITE, 32, false, ROOF_L1, ROOF_QUALITY_ESTIMATED,
     "32 (gld + gst transactions): global accesses alone"},
};

static roof_status flush(reading *r, roof_error *error) {
  if (r->kernel[0] == '\0') {
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(r->profile, r->kernel, strlen(r->kernel));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
    roof_count *to =
        uses[i].flops ? &record->flops[uses[i].which][ROOF_VECTOR] : &record->bytes[uses[i].which];
    double value = r->value[uses[i].metric] + (uses[i].other != METRIC_COUNT ? r->value[uses[i].other] : 0);
    rf_import_add(to, value * uses[i].factor * r->calls,
                  isnan(value) ? "its metric was not collected" : uses[i].source, uses[i].quality);
  }
  rf_import_uncounted_compute(record, true); /* nvprof does not say which chips have a matrix unit */
  rf_import_counter(r->profile, record, "occupancy", r->value[OCCUPANCY], r->calls);
  record->calls += (uint64_t)r->calls;
  forget(r);
  return ROOF_OK;
}

/** "2.695248GB/s", "4.037102%", "1.000000": the number alone; metrics that are used are plain counts. */
static double plain(const char *text) {
  return rf_import_number(text, NULL);
}

static void take_device(reading *r, const char *device) {
  const char *end = strrchr(device, '(');
  if (end != NULL && end > device + 1) {
    rf_import_device(r->profile, rf_import_textf(r->profile, "%.*s", (int)(end - device) - 1, device));
  }
}

static roof_status take_metric(reading *r, roof_error *error) {
  const char *kernel = rf_import_field(&r->row, rf_import_column(&r->header, "Kernel"));
  const char *name = rf_import_field(&r->row, rf_import_column(&r->header, "Metric Name"));
  double calls = plain(rf_import_field(&r->row, rf_import_column(&r->header, "Invocations")));
  if (!(calls >= 1 && calls < 1e15)) {
    return rf_import_error(r->source, error, ROOF_E_PARSE, r->row.line, 0,
                           "`%.60s`: no number of invocations", kernel);
  }
  roof_status status = strncmp(kernel, r->kernel, sizeof r->kernel - 1) == 0 ? ROOF_OK : flush(r, error);
  snprintf(r->kernel, sizeof r->kernel, "%s", kernel);
  r->calls = calls;
  take_device(r, rf_import_field(&r->row, rf_import_column(&r->header, "Device")));
  for (int i = 0; i < METRIC_COUNT; i++) {
    if (strcmp(name, metric_names[i]) == 0) {
      r->value[i] = plain(rf_import_field(&r->row, rf_import_column(&r->header, "Avg")));
    }
  }
  return status;
}

/** The unit of a column in the row of units. */
static const char *unit_of(const reading *r, int column) {
  return rf_import_field(&r->units, column);
}

/** The kernel's name without the ` [1168]` of its launch. */
static size_t bare_length(const char *name) {
  const char *end = strrchr(name, '[');
  bool number = end != NULL && end > name && end[-1] == ' ' && end[1 + strspn(end + 1, "0123456789")] == ']';
  return number ? (size_t)(end - name) - 1 : strlen(name);
}

static roof_status take_call(reading *r, roof_error *error) {
  int time = rf_import_column(&r->header, "Duration"), size = rf_import_column(&r->header, "Size");
  int start = rf_import_column(&r->header, "Start");
  const char *name = rf_import_copy_name(rf_import_field(&r->row, rf_import_column(&r->header, "Name")));
  uint64_t picoseconds = 0, begin = 0;
  if (!rf_import_time(rf_import_field(&r->row, time), unit_of(r, time), NULL, &picoseconds)) {
    import_spot at = rf_import_field_spot(&r->row, time);
    return rf_import_error(r->source, error, ROOF_E_PARSE, at.line, at.column, "`%.40s` is no time",
                           rf_import_field(&r->row, time));
  }
  const char *device = rf_import_field(&r->row, rf_import_column(&r->header, "Device"));
  const char *stream = rf_import_field(&r->row, rf_import_column(&r->header, "Stream"));
  roof_record *record = rf_import_record_on(r->profile, name, bare_length(name), device, stream);
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  rf_import_call(r->profile, record, picoseconds);
  take_device(r, device);
  double bytes =
      rf_import_number(rf_import_field(&r->row, size), NULL) * rf_import_unit(unit_of(r, size), 1024);
  if (bytes >= 0) {
    rf_import_moved(record, rf_import_way_of(name), bytes);
  }
  if (rf_import_time(rf_import_field(&r->row, start), unit_of(r, start), NULL, &begin)) {
    rf_import_call_at(r->profile, record, (int64_t)(begin / 1000), picoseconds, device, stream);
  }
  return ROOF_OK;
}

static roof_status take_sum(reading *r, roof_error *error) {
  int time = rf_import_column(&r->header, "Time");
  int type = rf_import_column(&r->header, "Type");
  const char *name = rf_import_copy_name(rf_import_field(&r->row, rf_import_column(&r->header, "Name")));
  int64_t calls = 0;
  uint64_t picoseconds = 0;
  if (type >= 0 && strcmp(rf_import_field(&r->row, type), "GPU activities") != 0) {
    return ROOF_OK; /* what the host did */
  }
  if (!rf_import_time(rf_import_field(&r->row, time), unit_of(r, time), NULL, &picoseconds) ||
      !rf_import_count(rf_import_field(&r->row, rf_import_column(&r->header, "Calls")), &calls) ||
      calls < 1) {
    import_spot at = rf_import_field_spot(&r->row, time);
    return rf_import_error(r->source, error, ROOF_E_PARSE, at.line, at.column, "no time and calls of `%.60s`",
                           name);
  }
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  rf_import_calls(record, (uint64_t)calls, picoseconds);
  return ROOF_OK;
}

static kind kind_of(const import_row *row) {
  bool kernel = rf_import_column(row, "Kernel") >= 0, name = rf_import_column(row, "Name") >= 0;
  return kernel && rf_import_column(row, "Metric Name") >= 0                                 ? METRICS
         : name && rf_import_column(row, "Duration") >= 0                                    ? TRACE
         : name && rf_import_column(row, "Calls") >= 0 && rf_import_column(row, "Time") >= 0 ? SUMMARY
                                                                                             : NOTHING;
}

static void swap(import_row *a, import_row *b) {
  import_row keep = *a;
  *a = *b;
  *b = keep;
}

/** A table's header, then in two of the kinds a row of units. */
static roof_status take_header(reading *r, kind next, roof_error *error) {
  roof_status status = flush(r, error);
  swap(&r->header, &r->row);
  r->kind = next;
  if (status == ROOF_OK && next != METRICS && !rf_import_csv(r->source, ',', &r->units, &status, error) &&
      status == ROOF_OK) {
    status = rf_import_error(r->source, error, ROOF_E_PARSE, 0, 0, "the table ends before its row of units");
  }
  return status;
}

static roof_status take_row(reading *r, roof_error *error) {
  kind next = kind_of(&r->row);
  if (next != NOTHING) {
    return take_header(r, next, error);
  }
  if (r->kind == NOTHING || r->row.count < 5) {
    return ROOF_OK; /* messages, and the program's own output */
  }
  r->rows++;
  return r->kind == METRICS ? take_metric(r, error)
         : r->kind == TRACE ? take_call(r, error)
                            : take_sum(r, error);
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  roof_status status = ROOF_OK;
  size_t length = 0;
  forget(&r);
  for (char *line; status == ROOF_OK && (line = rf_import_line(source, &length)) != NULL;) {
    if (line[0] == '=' && line[1] == '=') {
      continue;
    }
    rf_import_again(source);
    if (rf_import_csv(source, ',', &r.row, &status, error)) {
      status = take_row(&r, error);
    }
  }
  if (status == ROOF_OK) {
    status = flush(&r, error);
  }
  if (status == ROOF_OK && r.rows == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "no table of nvprof with kernels in it");
  }
  rf_import_row_done(&r.header);
  rf_import_row_done(&r.row);
  rf_import_row_done(&r.units);
  return status;
}

const roof_format rf_format_nvprof = {
    .name = "nvprof",
    .title = "nvprof CSV (metrics, trace, summary)",
    .gives = "FLOPs by format, bytes of L2 and DRAM; or time, bytes of copies, idle time",
    .detect = detect,
    .read = read,
};
