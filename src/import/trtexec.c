/* trtexec of TensorRT: --exportProfile (time of each layer), --exportTimes (of each query) and its log's performance summary.
 * samples/common/sampleReporting.cpp of NVIDIA/TensorRT writes all three. */
#include <math.h>
#include <string.h>

#include "documents/json.h"
#include "import/_json.h"

static const char summary[] = "=== Performance summary ===", compute[] = "GPU Compute Time: min = ";

static int detect(const char *text, size_t size) {
  (void)size;
  bool list = text[strspn(text, " \t\r\n")] == '[';
  bool layers = list && strstr(text, "\"timeMs\"") != NULL && strstr(text, "\"averageMs\"") != NULL;
  bool queries = list && strstr(text, "\"startComputeMs\"") != NULL;
  bool log = strstr(text, summary) != NULL && strstr(text, compute) != NULL;
  bool command = strstr(text, "TensorRT.trtexec") != NULL;
  return layers || queries ? 95 : log ? 90 : command ? 60 : 0;
}

/** A layer with the time of all its calls. */
static roof_status take_layer(roof_profile *profile, const json_t *layer, double count, roof_error *error) {
  const char *name = rf_import_member_text(layer, "name");
  double total = rf_import_member(layer, "timeMs"), mean = rf_import_member(layer, "averageMs");
  uint64_t picoseconds = 0;
  count = count >= 1 ? count : mean > 0 ? round(total / mean) : NAN;
  if (!(count >= 1 && count < 1e15) || !rf_import_picoseconds(total * 1e-3, &picoseconds)) {
    rf_import_skip(profile, name, "its timeMs is no time");
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(profile, error);
  }
  rf_import_calls(record, (uint64_t)count, picoseconds);
  return ROOF_OK;
}

/** One part of a query; nothing where the file has no times of it. */
static roof_status take_part(roof_profile *profile, const json_t *query, const char *start, const char *end,
                             const char *name, roof_error *error) {
  double from = rf_import_member(query, start), to = rf_import_member(query, end);
  uint64_t picoseconds = 0;
  if (!(from >= 0 && to > from && to < 1e12) || !rf_import_picoseconds((to - from) * 1e-3, &picoseconds)) {
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(profile, error);
  }
  rf_import_call(profile, record, picoseconds);
  rf_import_call_at(profile, record, (int64_t)(from * 1e6), picoseconds, "0", name);
  return ROOF_OK;
}

static roof_status take_query(roof_profile *profile, const json_t *query, roof_error *error) {
  static const char *const parts[][3] = {{"startComputeMs", "endComputeMs", "inference"},
                                         {"startH2dMs", "endH2dMs", "[copy host to device]"},
                                         {"startInMs", "endInMs", "[copy host to device]"},
                                         {"startD2hMs", "endD2hMs", "[copy device to host]"},
                                         {"startOutMs", "endOutMs", "[copy device to host]"}};
  roof_status status = ROOF_OK;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == ROOF_OK; i++) {
    status = take_part(profile, query, parts[i][0], parts[i][1], parts[i][2], error);
  }
  return status;
}

static roof_status read_list(roof_source *source, roof_profile *profile, roof_error *error) {
  json_t *document = NULL, *item;
  size_t i;
  double count = NAN;
  roof_status status = rf_import_document(source, &document, error);
  if (status != ROOF_OK) {
    return status;
  }
  json_array_foreach(document, i, item) {
    if (json_object_get(item, "timeMs") != NULL) {
      status = status == ROOF_OK ? take_layer(profile, item, count, error) : status;
    } else if (json_object_get(item, "startComputeMs") != NULL) {
      status = status == ROOF_OK ? take_query(profile, item, error) : status;
    } else if (json_object_get(item, "count") != NULL) {
      count = rf_import_member(item, "count");
    }
  }
  json_decref(document);
  return status;
}

/** What the summary says of queries. */
typedef struct totals {
  double mean, total; /* s of the device's work: of one query, of all */
  double to, from;    /* s of the copies of one query */
  double enqueue, latency, rate;
} totals;

/** The mean of `LABEL: min = 1 ms, max = 2 ms, mean = 1.5 ms, ...` in s. */
static void take_mean(const char *line, const char *label, double *seconds) {
  const char *at = strstr(line, label), *mean = at != NULL ? strstr(at, " mean = ") : NULL;
  char number[32] = "";
  if (mean != NULL) {
    snprintf(number, sizeof number, "%.*s", (int)strspn(mean + 8, "0123456789.e+-"), mean + 8);
    *seconds = rf_import_number(number, NULL) * 1e-3;
  }
}

/** The number behind `LABEL: `. */
static void take_number(const char *line, const char *label, double *value) {
  const char *at = strstr(line, label);
  char number[32] = "";
  if (at != NULL) {
    at += strlen(label);
    snprintf(number, sizeof number, "%.*s", (int)strspn(at, "0123456789.e+-"), at);
    *value = rf_import_number(number, NULL);
  }
}

static roof_status add_calls(roof_profile *profile, const char *name, double calls, double seconds,
                             roof_error *error) {
  uint64_t picoseconds = 0;
  if (!(calls >= 1 && calls < 1e15 && seconds > 0) || !rf_import_picoseconds(seconds, &picoseconds)) {
    return ROOF_OK;
  }
  roof_record *record = rf_import_record(profile, name, strlen(name));
  if (record == NULL) {
    return rf_import_settled(profile, error);
  }
  rf_import_calls(record, (uint64_t)calls, picoseconds);
  return ROOF_OK;
}

static void add_fact(roof_profile *profile, const char *name, double value) {
  if (value > 0) {
    rf_import_fact(profile, name, value, NULL);
  }
}

static roof_status settle(const totals *t, roof_profile *profile, roof_error *error) {
  double calls = round(t->total / t->mean);
  roof_status status = add_calls(profile, "inference", calls, t->total, error);
  status =
      status == ROOF_OK ? add_calls(profile, "[copy host to device]", calls, t->to * calls, error) : status;
  status =
      status == ROOF_OK ? add_calls(profile, "[copy device to host]", calls, t->from * calls, error) : status;
  add_fact(profile, "queries_per_second", t->rate);
  add_fact(profile, "mean_latency_seconds", t->latency);
  add_fact(profile, "mean_enqueue_seconds", t->enqueue);
  return status;
}

static void take_line(roof_profile *profile, totals *t, const char *line) {
  static const char device[] = "Selected Device: ";
  const char *name = strstr(line, device);
  if (name != NULL) {
    rf_import_device(profile, name + sizeof device - 1);
  }
  take_number(line, "Total GPU Compute Time: ", &t->total);
  take_number(line, "Throughput: ", &t->rate);
  take_mean(line, "] GPU Compute Time: ", &t->mean);
  take_mean(line, "] H2D Latency: ", &t->to);
  take_mean(line, "] D2H Latency: ", &t->from);
  take_mean(line, "] Enqueue Time: ", &t->enqueue);
  take_mean(line, "] Latency: ", &t->latency);
}

static roof_status read_log(roof_source *source, roof_profile *profile, roof_error *error) {
  totals t = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  size_t length = 0;
  for (const char *line; (line = rf_import_line(source, &length)) != NULL;) {
    take_line(profile, &t, line);
  }
  roof_status status = rf_import_failed(source, error);
  return status == ROOF_OK ? settle(&t, profile, error) : status;
}

static roof_status read(roof_source *source, roof_profile *profile, roof_error *error) {
  size_t size = 0;
  const char *head = rf_import_head(source, &size);
  bool list = head[strspn(head, " \t\r\n")] == '[' && strstr(head, "\"") != NULL &&
              head[strspn(head, " \t\r\n[")] == '{';
  roof_status status = list ? read_list(source, profile, error) : read_log(source, profile, error);
  if (status == ROOF_OK && profile->count == 0) {
    status = rf_import_error(source, error, ROOF_E_PARSE, 0, 0, "%s",
                             list ? "no layer and no query with a time in it"
                                  : "no performance summary of trtexec in it: it did not come to its end");
  }
  return status;
}

const roof_format rf_format_trtexec = {
    .name = "trtexec",
    .title = "trtexec (--exportProfile, --exportTimes, log)",
    .gives = "time of every layer; or of the queries, their copies and the throughput",
    .detect = detect,
    .read = read,
};
