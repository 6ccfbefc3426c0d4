/* What AIPerf and GenAI-Perf export (profile_export_aiperf.json, profile_export_genai_perf.csv): each metric is an object
 * of statistics with a unit, or a row of them. */
#include "import/_aiperf.h"

#include <math.h>
#include <string.h>

#include "core/letters.h"
#include "documents/json.h"

bool rf_aiperf_is(const json_t *document) {
  return json_is_object(json_object_get(document, "request_latency")) &&
         json_is_object(json_object_get(document, "request_throughput"));
}

/** In SI: milliseconds and what else a metric's unit says. */
static double metric(const json_t *document, const char *name, const char *statistic) {
  const json_t *of = json_object_get(document, name);
  const char *unit = rf_import_member_text(of, "unit");
  double scale = strcmp(unit, "ms") == 0   ? 1e-3
                 : strcmp(unit, "us") == 0 ? 1e-6
                 : strcmp(unit, "ns") == 0 ? 1e-9
                                           : 1;
  return scale * rf_import_member(of, statistic);
}

static void set(json_t *run, const char *key, double value) {
  if (!isnan(value)) {
    rf_json_set(run, key, json_real(value));
  }
}

/** Latencies in seconds. What AIPerf calls inter-token latency is a request's mean, as vLLM's TPOT. */
static void set_latencies(json_t *run, const json_t *document) {
  static const struct {
    const char *name, *key;
  } latencies[] = {
      {"time_to_first_token", "ttft"}, {"inter_token_latency", "tpot"}, {"request_latency", "e2el"}};
  static const struct {
    const char *name, *key;
  } statistics[] = {{"avg", "mean"}, {"p50", "median"}, {"std", "std"},
                    {"p90", "p90"},  {"p95", "p95"},    {"p99", "p99"}};
  for (size_t i = 0; i < sizeof latencies / sizeof latencies[0]; i++) {
    for (size_t k = 0; k < sizeof statistics / sizeof statistics[0]; k++) {
      char key[32];
      snprintf(key, sizeof key, "%s_%s", statistics[k].key, latencies[i].key);
      set(run, key, metric(document, latencies[i].name, statistics[k].name));
    }
  }
}

/** The first member of that name, however deep it lies in the settings; NULL: none. */
static const json_t *find(const json_t *object, const char *name, int depth) {
  const char *key;
  json_t *value;
  const json_t *found = json_object_get(object, name);
  if (found != NULL || depth == 0) {
    return found;
  }
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    found = json_is_object(value) ? find(value, name, depth - 1) : NULL;
    if (found != NULL) {
      return found;
    }
  }
  return NULL;
}

static void set_settings(json_t *run, const json_t *settings) {
  enum { DEPTH = 4 };
  const json_t *model = find(settings, "model_names", DEPTH);
  model = model != NULL ? model : find(settings, "model", DEPTH);
  model = json_is_array(model) ? json_array_get(model, 0) : model;
  if (json_is_string(model)) {
    rf_json_set(run, "model", json_incref((json_t *)(uintptr_t)model));
  }
  set(run, "max_concurrency", rf_import_number_of(find(settings, "concurrency", DEPTH)));
}

json_t *rf_aiperf_run(const json_t *document) {
  json_t *run = json_object();
  double count = metric(document, "request_count", "avg");
  set(run, "completed", count);
  double duration = metric(document, "benchmark_duration", "avg");
  set(run, "duration", isnan(duration) ? count / metric(document, "request_throughput", "avg") : duration);
  set(run, "total_input_tokens", round(count * metric(document, "input_sequence_length", "avg")));
  set(run, "total_output_tokens", round(count * metric(document, "output_sequence_length", "avg")));
  set(run, "request_throughput", metric(document, "request_throughput", "avg"));
  set(run, "output_throughput", metric(document, "output_token_throughput", "avg"));
  if (json_is_string(json_object_get(document, "start_time"))) {
    rf_json_set(run, "start_time", json_incref(json_object_get(document, "start_time")));
  }
  set_latencies(run, document);
  set_settings(run, json_object_get(document, "input_config"));
  return run;
}

static const char csv_header[] = "Metric,avg,min,max";

bool rf_aiperf_is_csv(const char *text) {
  return strncmp(text, csv_header, sizeof csv_header - 1) == 0 && strstr(text, "\nRequest Latency (") != NULL;
}

/** "Time To First Token (ms)" as the JSON has it: "time_to_first_token", with a unit. */
static void take_row(json_t *document, const import_row *header, const import_row *row) {
  static const import_marks marks = {'.', ','};
  char key[64] = "", unit[16] = "";
  const char *name = row->fields[0], *open = strrchr(name, '(');
  size_t length = open != NULL ? (size_t)(open - name) : strlen(name);
  for (size_t i = 0; i < length && i + 1 < sizeof key; i++) {
    key[i] = name[i] == ' ' ? '_' : (char)rf_lower((unsigned char)name[i]);
    key[i + 1] = '\0';
  }
  for (size_t last = strlen(key); last > 0 && key[last - 1] == '_'; last--) {
    key[last - 1] = '\0';
  }
  if (open != NULL) {
    snprintf(unit, sizeof unit, "%.*s", (int)strcspn(open + 1, ")"), open + 1);
  }
  json_t *metric = json_object();
  rf_json_set(metric, "unit", json_string(unit));
  for (size_t i = 1; i < row->count && i < header->count; i++) {
    const char *statistic = strcmp(header->fields[i], "Value") == 0 ? "avg" : header->fields[i];
    set(metric, statistic, rf_import_number(row->fields[i], &marks));
  }
  rf_json_set(document, key, metric);
}

roof_status rf_aiperf_csv(roof_source *source, json_t **document, roof_error *error) {
  import_row header = {0}, row = {0};
  roof_status status = ROOF_OK;
  *document = json_object();
  while (rf_import_csv(source, ',', &row, &status, error)) {
    if (strcmp(rf_import_field(&row, 0), "Metric") == 0) {
      import_row swap = header;
      header = row;
      row = swap;
    } else if (row.count > 1 && header.count > 1 && strcmp(header.fields[1], "GPU") != 0) {
      take_row(*document, &header, &row);
    }
  }
  rf_import_row_done(&header);
  rf_import_row_done(&row);
  return status;
}
