/* GuideLLM's benchmarks.json: a run each, its metrics by the requests that were successful. The strategy and the model
 * stand under `args` and `worker` before version 0.4, under `config` from then on. */
#include "import/_guidellm.h"

#include <math.h>
#include <string.h>

#include "documents/json.h"

bool rf_guidellm_begins(const char *text) {
  return strstr(text, "\"benchmarks\"") != NULL &&
         (strstr(text, "\"generative_benchmark\"") != NULL || strstr(text, "\"guidellm_version\"") != NULL);
}

/** Behind the text in quotes at `p`. */
static char *behind_text(char *p, char *end) {
  for (p++; p < end && *p != '"'; p++) {
    p += *p == '\\';
  }
  return p < end ? p + 1 : end;
}

/** Behind the object or list at `p`. */
static char *behind_value(char *p, char *end) {
  int depth = 0;
  while (p < end) {
    depth += *p == '{' || *p == '[';
    depth -= *p == '}' || *p == ']';
    p = *p == '"' ? behind_text(p, end) : p + 1;
    if (depth == 0) {
      return p;
    }
  }
  return p;
}

/** Puts 0 in the place of what `requests` holds; lines stay where they are. */
static void drop_requests(char *text, char *end) {
  static const char key[] = "\"requests\"";
  for (char *p = text; p < end;) {
    bool named = *p == '"' && (size_t)(end - p) > sizeof key && strncmp(p, key, sizeof key - 1) == 0;
    p = *p == '"' ? behind_text(p, end) : p + 1;
    char *value = named ? p + strspn(p, " \t\r\n:") : p;
    if (named && value < end && (*value == '{' || *value == '[')) {
      char *behind = behind_value(value, end);
      for (char *c = value; c < behind; c++) {
        *c = *c == '\n' ? '\n' : ' ';
      }
      p = behind;
      *value = '0';
    }
  }
}

roof_status rf_guidellm_document(roof_source *source, json_t **document, roof_error *error) {
  return rf_import_document_prepared(source, drop_requests, document, error);
}

bool rf_guidellm_is(const json_t *document) {
  const json_t *first = json_array_get(json_object_get(document, "benchmarks"), 0);
  return json_is_object(json_object_get(json_object_get(first, "metrics"), "requests_per_second"));
}

static void set(json_t *run, const char *key, double value) {
  if (!isnan(value)) {
    rf_json_set(run, key, json_real(value));
  }
}

/** A metric of the successful requests. */
static const json_t *metric(const json_t *benchmark, const char *name) {
  return json_object_get(json_object_get(json_object_get(benchmark, "metrics"), name), "successful");
}

/** Its inter-token latency, a request's mean without the first token, is vLLM's TPOT. */
static void set_latencies(json_t *run, const json_t *benchmark) {
  static const struct {
    const char *name, *key;
    double scale;
  } latencies[] = {{"time_to_first_token_ms", "ttft", 1e-3},
                   {"inter_token_latency_ms", "tpot", 1e-3},
                   {"request_latency", "e2el", 1}};
  static const char *const statistics[][2] = {{"mean", "mean"}, {"median", "median"}, {"std_dev", "std"}},
                           *const percentiles[] = {"p90", "p95", "p99"};
  char key[32];
  for (size_t i = 0; i < sizeof latencies / sizeof latencies[0]; i++) {
    const json_t *of = metric(benchmark, latencies[i].name);
    for (size_t k = 0; k < sizeof statistics / sizeof statistics[0]; k++) {
      snprintf(key, sizeof key, "%s_%s", statistics[k][1], latencies[i].key);
      set(run, key, rf_import_member(of, statistics[k][0]) * latencies[i].scale);
    }
    for (size_t k = 0; k < sizeof percentiles / sizeof percentiles[0]; k++) {
      snprintf(key, sizeof key, "%s_%s", percentiles[k], latencies[i].key);
      set(run, key,
          rf_import_member(json_object_get(of, "percentiles"), percentiles[k]) * latencies[i].scale);
    }
  }
}

/** How many requests were in flight, or came in a second. */
static void set_strategy(json_t *run, const json_t *strategy) {
  const char *type = rf_import_member_text(strategy, "type_");
  double streams = rf_import_member(strategy, "streams");
  if (strcmp(type, "synchronous") == 0) {
    set(run, "max_concurrency", 1);
  } else if (strcmp(type, "concurrent") == 0 || strcmp(type, "throughput") == 0) {
    set(run, "max_concurrency", isnan(streams) ? rf_import_member(strategy, "max_concurrency") : streams);
  } else {
    set(run, "request_rate", rf_import_member(strategy, "rate"));
  }
}

static void set_model(json_t *run, const json_t *document, const json_t *benchmark, const json_t *config) {
  const char *const names[] = {rf_import_member_text(json_object_get(benchmark, "worker"), "backend_model"),
                               rf_import_member_text(json_object_get(config, "backend"), "model"),
                               rf_import_member_text(json_object_get(document, "args"), "model")};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (names[i][0] != '\0') {
      rf_json_set(run, "model", json_string(names[i]));
      return;
    }
  }
}

/** Seconds from the first request to the last one's end. */
static double duration_of(const json_t *benchmark) {
  const json_t *scheduler = json_object_get(benchmark, "scheduler_metrics");
  const double spans[] = {rf_import_member(benchmark, "duration"),
                          rf_import_member(benchmark, "end_time") - rf_import_member(benchmark, "start_time"),
                          rf_import_member(scheduler, "measure_end_time") -
                              rf_import_member(scheduler, "measure_start_time")};
  double seconds = NAN;
  for (size_t i = 0; i < sizeof spans / sizeof spans[0] && isnan(seconds); i++) {
    seconds = spans[i];
  }
  return seconds;
}

/** Seconds since 1970. */
static double start_of(const json_t *benchmark) {
  double start = rf_import_member(benchmark, "start_time");
  return isnan(start)
             ? rf_import_member(json_object_get(benchmark, "scheduler_metrics"), "measure_start_time")
             : start;
}

static json_t *run_of(const json_t *document, const json_t *benchmark) {
  json_t *run = json_object();
  const json_t *config = json_object_get(benchmark, "config"), *args = json_object_get(benchmark, "args"),
               *totals = json_object_get(benchmark, "request_totals");
  totals = totals != NULL ? totals : json_object_get(json_object_get(benchmark, "metrics"), "request_totals");
  set(run, "duration", duration_of(benchmark));
  set(run, "start_time", start_of(benchmark));
  set(run, "completed", rf_import_member(totals, "successful"));
  double failed = rf_import_member(totals, "errored");
  set(run, "failed", failed > 0 ? failed : NAN);
  set(run, "total_input_tokens", rf_import_member(metric(benchmark, "prompt_token_count"), "total_sum"));
  set(run, "total_output_tokens", rf_import_member(metric(benchmark, "output_token_count"), "total_sum"));
  set(run, "request_throughput", rf_import_member(metric(benchmark, "requests_per_second"), "mean"));
  set(run, "concurrency", rf_import_member(metric(benchmark, "request_concurrency"), "mean"));
  set(run, "output_throughput", rf_import_member(metric(benchmark, "output_tokens_per_second"), "mean"));
  set(run, "total_token_throughput", rf_import_member(metric(benchmark, "tokens_per_second"), "mean"));
  set_latencies(run, benchmark);
  set_strategy(run, json_object_get(config != NULL ? config : args, "strategy"));
  set_model(run, document, benchmark, config);
  return run;
}

json_t *rf_guidellm_runs(const json_t *document) {
  json_t *runs = json_array();
  const json_t *benchmark;
  size_t i;
  json_array_foreach(json_object_get(document, "benchmarks"), i, benchmark) {
    rf_json_append(runs, run_of(document, benchmark));
  }
  return runs;
}
