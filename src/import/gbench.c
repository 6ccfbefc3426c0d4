/* Google Benchmark's JSON, CSV and what it prints. Its rates are per second of CPU time unless the benchmark asked for real
 * time. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/letters.h"
#include "documents/json.h"
#include "import/_gbench.h"

static int detect(const char *text, size_t size) {
  (void)size;
  bool json =
      strstr(text, "\"benchmarks\"") != NULL &&
      (strstr(text, "\"real_time\"") != NULL || strstr(text, "\"per_family_instance_index\"") != NULL);
  bool csv = strstr(text, "name,iterations,real_time,cpu_time,time_unit") != NULL;
  return json ? 90 : csv || rf_gbench_is_console(text) ? 95 : 0;
}

typedef struct reading {
  roof_source *source;
  roof_profile *profile;
  size_t used, seen;
} reading;

/** What a row is: a run, a median, a mean, or something else (a deviation, a fit). */
typedef enum row_kind { ROW_RUN, ROW_MEDIAN, ROW_MEAN, ROW_OTHER } row_kind;

static bool ends(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length > tail && strcmp(text + length - tail, end) == 0;
}

static row_kind kind_of(const json_t *row) {
  static const char *const others[] = {"_stddev", "_cv", "_BigO", "_RMS", "_min", "_max"};
  const char *aggregate = rf_import_member_text(row, "aggregate_name"),
             *name = rf_import_member_text(row, "name");
  bool typed = json_object_get(row, "run_type") != NULL;
  if (typed && strcmp(rf_import_member_text(row, "run_type"), "aggregate") != 0) {
    return ROW_RUN;
  }
  if (strcmp(aggregate, "median") == 0 || (!typed && ends(name, "_median"))) {
    return ROW_MEDIAN;
  }
  if (strcmp(aggregate, "mean") == 0 || (!typed && ends(name, "_mean"))) {
    return ROW_MEAN;
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0] && !typed; i++) {
    if (ends(name, others[i])) {
      return ROW_OTHER;
    }
  }
  return typed ? ROW_OTHER : ROW_RUN;
}

/** The name that a run and its aggregates share. */
static const char *run_name(reading *r, const json_t *row, row_kind kind) {
  const char *run = rf_import_member_text(row, "run_name"), *name = rf_import_member_text(row, "name");
  if (run[0] != '\0') {
    return run;
  }
  const char *end = kind == ROW_MEDIAN ? "_median" : kind == ROW_MEAN ? "_mean" : "";
  size_t length = strlen(name) - (ends(name, end) ? strlen(end) : 0);
  return rf_import_textf(r->profile, "%.*s", (int)length, name);
}

/** FLOPs per call of a counter, NaN when it is about something else: "FLOP" is a count of a call,
 * "FLOPS", "GFLOPS" and "GFLOP/s" are rates. */
static double flops_of(const char *key, double value, double rate_seconds) {
  static const char prefixes[] = "kMGT";
  const char *p = rf_letters_find(key, "flop");
  if (p == NULL || p - key > 1) {
    return NAN;
  }
  const char *prefix = p == key ? NULL : strchr(prefixes, key[0] == 'K' ? 'k' : key[0]);
  double scale = prefix != NULL ? pow(1000, (double)(prefix - prefixes + 1)) : 1;
  const char *tail = p + 4;
  bool rate = rf_letters_compare(tail, "s") == 0 || rf_letters_compare(tail, "/s") == 0 ||
              rf_letters_compare(tail, "s/s") == 0 || rf_letters_compare(tail, "s_per_second") == 0;
  if ((p != key && prefix == NULL) || (!rate && tail[0] != '\0')) {
    return NAN;
  }
  return value * scale * (rate ? rate_seconds : 1);
}

/** The format in the benchmark's name. */
static roof_dtype dtype_of(const char *name, bool *said) {
  static const struct {
    const char *word;
    roof_dtype dtype;
  } words[] = {{"double", ROOF_FP64}, {"float", ROOF_FP32}, {"fp64", ROOF_FP64}, {"fp32", ROOF_FP32},
               {"f64", ROOF_FP64},    {"f32", ROOF_FP32},   {"fp16", ROOF_FP16}, {"bf16", ROOF_BF16},
               {"dgemm", ROOF_FP64},  {"sgemm", ROOF_FP32}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (rf_letters_find(name, words[i].word) != NULL) {
      *said = true;
      return words[i].dtype;
    }
  }
  *said = false;
  return ROOF_FP64;
}

/** One of the members that the library writes itself. */
static bool is_own(const char *key) {
  static const char *const own[] = {"name",
                                    "family_index",
                                    "per_family_instance_index",
                                    "run_name",
                                    "run_type",
                                    "repetitions",
                                    "repetition_index",
                                    "threads",
                                    "iterations",
                                    "real_time",
                                    "cpu_time",
                                    "time_unit",
                                    "bytes_per_second",
                                    "items_per_second",
                                    "label",
                                    "error_occurred",
                                    "error_message",
                                    "skipped",
                                    "skip_message",
                                    "aggregate_name",
                                    "aggregate_unit",
                                    "big_o",
                                    "rms",
                                    "cpu_coefficient",
                                    "real_coefficient"};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
    if (strcmp(key, own[i]) == 0) {
      return true;
    }
  }
  return false;
}

/** The benchmark's own counters: FLOPs per call where there is one; the others are kept as they are. */
static double take_counters(reading *r, roof_record *record, const json_t *row, double rate_seconds,
                            double weight, const char **counter) {
  double flops = NAN;
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)row, key, value) {
    double number = rf_import_number_of(value);
    double counted = is_own(key) ? NAN : flops_of(key, number, rate_seconds);
    if (!isnan(counted) && isnan(flops)) {
      flops = counted;
      *counter = rf_import_textf(r->profile, "counter %s", key);
    } else if (isnan(counted) && !is_own(key) && !isnan(number)) {
      rf_import_counter(r->profile, record, roof_profile_text(r->profile, key), number, weight);
    }
  }
  return flops;
}

static roof_status take_row(reading *r, const json_t *row, row_kind kind, roof_error *error) {
  const char *name = run_name(r, row, kind);
  double unit = rf_import_unit(rf_import_member_text(row, "time_unit"), 1000);
  double real =
      rf_import_member(row, "real_time") * (rf_import_member_text(row, "time_unit")[0] ? unit : 1e-9);
  double cpu = rf_import_member(row, "cpu_time") / rf_import_member(row, "real_time") * real;
  double iterations = kind == ROW_RUN ? rf_import_member(row, "iterations") : 1;
  uint64_t picoseconds;
  if (!(iterations >= 1) || iterations > 1e15 || !rf_import_picoseconds(real * iterations, &picoseconds)) {
    rf_import_skip(r->profile, name, "no time in it");
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(r->profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(r->profile, error);
  }
  bool by_real = strstr(name, "/real_time") != NULL || strstr(name, "/manual_time") != NULL || !(cpu > 0),
       said;
  double rate_seconds = by_real ? real : cpu;
  const char *counter = "";
  rf_import_calls(record, (uint64_t)iterations, picoseconds);
  rf_import_sample(r->profile, record, real);
  r->used++;
  double flops = take_counters(r, record, row, rate_seconds, real * iterations, &counter) * iterations;
  roof_dtype dtype = dtype_of(name, &said);
  rf_import_add(&record->flops[dtype][ROOF_VECTOR], flops,
                isnan(flops) ? "the benchmark counts no FLOPs" : counter,
                said ? ROOF_QUALITY_DERIVED : ROOF_QUALITY_ESTIMATED);
  double bytes = rf_import_member(row, "bytes_per_second") * rate_seconds * iterations;
  rf_import_add(&record->bytes[ROOF_MEMORY], bytes,
                isnan(bytes) ? "the benchmark counts no bytes"
                             : "bytes_per_second, as the benchmark counts; may be in a cache",
                ROOF_QUALITY_ESTIMATED);
  double items = rf_import_member(row, "items_per_second") * rate_seconds * iterations;
  rf_import_add(&record->items, items, isnan(items) ? "" : "items_per_second", ROOF_QUALITY_DERIVED);
  return ROOF_OK;
}

/** True when the run failed; it is then listed as skipped. */
static bool failed(reading *r, const json_t *row) {
  const json_t *error = json_object_get(row, "error_occurred"), *skipped = json_object_get(row, "skipped");
  bool is = json_is_true(error) || strcmp(rf_import_member_text(row, "error_occurred"), "true") == 0 ||
            (skipped != NULL && !json_is_false(skipped));
  if (is) {
    const char *why = rf_import_member_text(row, "error_message");
    rf_import_skip(r->profile, rf_import_member_text(row, "name"),
                   why[0] != '\0' ? why : "the benchmark failed");
  }
  return is;
}

/** Takes the rows of one kind; aggregates only of benchmarks that have no runs, and one of each. */
static roof_status take_kind(reading *r, const json_t *rows, row_kind kind, roof_error *error) {
  const json_t *row;
  size_t i;
  roof_status status = ROOF_OK;
  json_array_foreach(rows, i, row) {
    if (status != ROOF_OK || kind_of(row) != kind || failed(r, row)) {
      continue;
    }
    const char *name = run_name(r, row, kind);
    bool known = false;
    for (size_t k = 0; k < r->profile->count && kind != ROW_RUN; k++) {
      known = known || strcmp(r->profile->records[k].name, name) == 0;
    }
    status = known ? ROOF_OK : take_row(r, row, kind, error);
  }
  return status;
}

/** The CSV's rows as the JSON has them. */
static roof_status rows_of_csv(reading *r, json_t *rows, roof_error *error) {
  import_row header = {0}, row = {0};
  roof_status status = ROOF_OK;
  while (rf_import_csv(r->source, ',', &row, &status, error)) {
    if (strcmp(rf_import_field(&row, 0), "name") == 0 && rf_import_column(&row, "real_time") > 0) {
      import_row swap = header;
      header = row;
      row = swap;
    } else if (header.count > 0 && row.count > 4) {
      json_t *object = json_object();
      for (size_t i = 0; i < row.count && i < header.count; i++) {
        if (row.fields[i][0] != '\0') {
          rf_json_set(object, header.fields[i], json_string(row.fields[i]));
        }
      }
      rf_json_append(rows, object);
    }
  }
  rf_import_row_done(&header);
  rf_import_row_done(&row);
  return status;
}

static void take_context(reading *r, const json_t *context) {
  double cpus = rf_import_member(context, "num_cpus"), mhz = rf_import_member(context, "mhz_per_cpu");
  const char *build = rf_import_member_text(context, "library_build_type");
  rf_import_date(r->profile, rf_import_member_text(context, "date"), 0);
  if (cpus > 0) {
    rf_import_fact(r->profile, "processors", cpus, NULL);
  }
  if (mhz > 0) { /* -1: not known */
    rf_import_fact(r->profile, "clock_hz", mhz * 1e6, NULL);
  }
  if (strcmp(build, "debug") == 0) {
    rf_import_fact(r->profile, "library_build_type", NAN, build);
  }
}

static roof_status read_rows(reading *r, json_t **rows, roof_error *error) {
  size_t size = 0;
  const char *head = rf_import_head(r->source, &size);
  json_t *document = NULL;
  roof_status status;
  if (head[strspn(head, " \t\r\n")] == '{') {
    status = rf_import_document(r->source, &document, error);
    *rows = json_incref(json_object_get(document, "benchmarks"));
  } else if (rf_gbench_is_console(head)) {
    status = rf_gbench_console(r->source, &document, error);
    *rows = json_incref(json_object_get(document, "benchmarks"));
  } else {
    *rows = json_array();
    status = rows_of_csv(r, *rows, error);
  }
  take_context(r, json_object_get(document, "context"));
  json_decref(document);
  return status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  reading r = {.source = source, .profile = profile};
  json_t *rows = NULL;
  roof_status status = read_rows(&r, &rows, error);
  for (int kind = ROW_RUN; kind < ROW_OTHER && status == ROOF_OK; kind++) {
    status = take_kind(&r, rows, (row_kind)kind, error);
  }
  if (status == ROOF_OK && r.used == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 1, 0, "no benchmark with a time in it");
  }
  json_decref(rows);
  return status;
}

const roof_format rf_format_gbench = {
    .name = "gbench",
    .title = "Google Benchmark JSON, CSV, text",
    .gives = "time of every run, bytes and items, FLOPs where a counter has them",
    .detect = detect,
    .read = read,
};
